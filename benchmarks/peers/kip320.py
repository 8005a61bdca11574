"""The model of the published KIP-320 for SPIN and rumur: unrolled, and packed into few bits.

Both spend their time on reading, copying, hashing and comparing states, and on trying guards.  So
there are no arrays, no loops and no parameters here: everything known in advance is a number in the
text, and the state is as small as possible.  Values that are compared together are one variable: a
replica's leader epoch and its leader are its `view`, so that "a follower is in its leader's epoch"
is one comparison.  Steps that exclude each other share a rule, as every rule is tried in every
state; each rule still takes one step at a time.

Replicas and leader epochs count from 1 here, so that 0 means none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

LONGEST_LOG = 30
"""The most bits of a log: SPIN computes with signed 32-bit numbers."""


class Size(NamedTuple):
    """The bounds of the published KIP-320."""

    replicas: int
    log_size: int
    records: int
    max_leader_epoch: int

    def __str__(self) -> str:
        return ",".join(map(str, self))


class Variable(NamedTuple):
    """An unsigned number of that many bits, and its initial value."""

    name: str
    bits: int
    initial: int = 0


class Assign(NamedTuple):
    """A variable and its new value, in operators that both languages have."""

    variable: str
    value: str


class Branch(NamedTuple):
    """The statements to run if a condition holds; an empty condition is the default branch."""

    condition: str
    body: tuple[Statement, ...]


class Choose(NamedTuple):
    """The first branch whose condition holds; the last one has none."""

    branches: tuple[Branch, ...]


Statement = Assign | Choose


class Rule(NamedTuple):
    """A step: its guard and its effect."""

    name: str
    guard: str
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Packing:
    """The number of bits of each kind of variable at some bounds.

    Parameters
    ----------
    size
        The bounds.
    epochs
        Leader epochs in all.
    leader, epoch, offset
        Bits of a leader, of a leader epoch and of an offset in a log.
    entry
        Bits of a record in a log.  Which record, and its leader epoch, are one number from 1 on.
    """

    size: Size
    epochs: int
    leader: int
    epoch: int
    offset: int
    entry: int

    @classmethod
    def of(cls, size: Size) -> Packing:
        """Return the packing for some bounds, or refuse bounds that the peers' models cannot do."""
        epochs = size.max_leader_epoch + 1
        entry = (size.records * epochs).bit_length()
        if size.replicas < 2 or min(size.log_size, size.records, epochs) < 1:
            raise ValueError(
                f"{size}: the peers' models want 2 replicas, 1 record and 1 epoch at least"
            )
        if entry * size.log_size > LONGEST_LOG:
            raise ValueError(
                f"{size}: a log takes more than {LONGEST_LOG} bits in the peers' models"
            )
        return cls(
            size=size,
            epochs=epochs,
            leader=size.replicas.bit_length(),
            epoch=epochs.bit_length(),
            offset=size.log_size.bit_length(),
            entry=entry,
        )

    @property
    def replicas(self) -> range:
        """All replicas."""
        return range(1, self.size.replicas + 1)

    def others(self, replica: int) -> list[int]:
        """Return all replicas but one."""
        return [other for other in self.replicas if other != replica]

    def leader_of(self, view: str) -> str:
        """Return the leader in a view."""
        return f"({view} & {(1 << self.leader) - 1})"

    def epoch_of(self, view: str) -> str:
        """Return the leader epoch of a view."""
        return f"({view} >> {self.leader})"

    def leads(self, replica: int) -> str:
        """Return the condition that a replica believes to be the leader."""
        return f"{self.leader_of(f'view{replica}')} == {replica}"

    def records(self, offset: int) -> int:
        """Return the bits of a log for the record at one offset."""
        return (1 << self.entry) - 1 << offset * self.entry

    def variables(self) -> list[Variable]:
        """Return the variables of the state.

        A replica has a view (leader epoch and leader), its ISR, a high watermark, a log end offset
        and a log.  `partition` is a view, too.  `sent` is the LeaderAndIsr of an epoch, its ISR and
        leader, and 0 before the epoch begins.
        """
        all_replicas = (1 << self.size.replicas) - 1
        view = self.epoch + self.leader
        declared = [
            Variable("partition", view),
            Variable("partition_isr", self.size.replicas, all_replicas),
            Variable("written", self.size.records.bit_length()),
        ]
        for r in self.replicas:
            declared += [
                Variable(f"view{r}", view),
                Variable(f"isr{r}", self.size.replicas),
                Variable(f"hw{r}", self.offset),
                Variable(f"leo{r}", self.offset),
                Variable(f"log{r}", self.entry * self.size.log_size),
            ]
        for e in range(1, self.epochs + 1):
            declared.append(Variable(f"sent{e}", self.size.replicas + self.leader))
        return declared


def bit(replica: int) -> int:
    """Return a replica's bit in an ISR."""
    return 1 << replica - 1


def either(conditions: list[str]) -> str:
    """Return the disjunction of some conditions."""
    return " || ".join(f"({condition})" for condition in conditions)


def choose(*branches: tuple[str, tuple[Statement, ...]]) -> Choose:
    """Choose between cases of which one must hold, so that the last needs no test."""
    *tested, (_, otherwise) = branches
    return Choose((*(Branch(*branch) for branch in tested), Branch("", otherwise)))


def when(condition: str, statement: Statement) -> Choose:
    """Run a statement only if a condition holds."""
    return Choose((Branch(condition, (statement,)), Branch("", ())))


def unrolled(size: Size) -> list[Rule]:
    """Return all rules at some bounds."""
    p = Packing.of(size)
    rules = [rule for r in p.replicas for rule in (elect(p, r), shrink(p, r))]
    rules += [become_leader(p, e) for e in range(1, p.epochs + 1)]
    rules += [rule for r in p.replicas for rule in (write(p, r), increase_hw(p, r))]
    rules += [change_isr(p, f) for f in p.replicas]
    rules += [follow(p, r, f) for f in p.replicas for r in p.others(f)]
    return rules


def send_leader_and_isr(p: Packing) -> Choose:
    """Send the LeaderAndIsr of the epoch that has just begun."""
    content = f"partition_isr << {p.leader} | {p.leader_of('partition')}"
    return choose(
        *(
            (f"{p.epoch_of('partition')} == {e}", (Assign(f"sent{e}", content),))
            for e in range(1, p.epochs + 1)
        )
    )


def elect(p: Packing, r: int) -> Rule:
    """Make another member of the ISR the leader."""
    next_epoch = f"({p.epoch_of('partition')} + 1 << {p.leader})"
    return Rule(
        f"ControllerElectLeader {r}",
        f"partition < {p.epochs << p.leader} && (partition_isr & {bit(r)}) != 0"
        f" && {p.leader_of('partition')} != {r}",
        (Assign("partition", f"{next_epoch} | {r}"), send_leader_and_isr(p)),
    )


def shrink(p: Packing, r: int) -> Rule:
    """Remove a replica from the ISR and from leadership; the last member stays in the ISR."""
    within = f"(partition_isr & {bit(r)}) != 0"
    leads = f"{p.leader_of('partition')} == {r}"
    others = (1 << p.size.replicas) - 1 & ~bit(r)
    without = Assign("partition_isr", f"partition_isr & {others}")
    deposed = Assign("partition", f"{p.epoch_of('partition')} + 1 << {p.leader}")
    same_leader = Assign("partition", f"partition + {1 << p.leader}")
    return Rule(
        f"ControllerShrinkIsr {r}",
        f"partition < {p.epochs << p.leader} && ({leads} || {within})",
        (
            when(f"!({leads} && partition_isr == {bit(r)})", without),
            choose((leads, (deposed,)), ("", (same_leader,))),
            send_leader_and_isr(p),
        ),
    )


def become_leader(p: Packing, e: int) -> Rule:
    """Let the leader of an epoch apply its LeaderAndIsr, which names nobody before it begins."""
    enabled, cases = [], []
    for r in p.replicas:
        named = f"{p.leader_of(f'sent{e}')} == {r}"
        enabled.append(f"{named} && view{r} < {e << p.leader}")
        view = Assign(f"view{r}", f"{e << p.leader | r}")
        cases.append((named, (view, Assign(f"isr{r}", f"sent{e} >> {p.leader}"))))
    return Rule(f"BecomeLeader, epoch {e}", either(enabled), (choose(*cases),))


def write(p: Packing, r: int) -> Rule:
    """Append the next record to the log of a replica that believes to be the leader."""
    entry = f"(written * {p.epochs} + {p.epoch_of(f'view{r}')})"
    return Rule(
        f"LeaderWrite {r}",
        f"{p.leads(r)} && written != {p.size.records} && leo{r} != {p.size.log_size}",
        (
            Assign(f"log{r}", f"log{r} | {entry} << leo{r} * {p.entry}"),
            Assign(f"leo{r}", f"leo{r} + 1"),
            Assign("written", "written + 1"),
        ),
    )


def increase_hw(p: Packing, r: int) -> Rule:
    """Advance a leader's high watermark by one record that all of its ISR has."""
    acknowledge = [
        f"((isr{r} & {bit(f)}) == 0 || (view{f} == view{r} && leo{f} > hw{r}))" for f in p.others(r)
    ]
    return Rule(
        f"LeaderIncHighWatermark {r}",
        " && ".join([p.leads(r), f"hw{r} < leo{r}", *acknowledge]),
        (Assign(f"hw{r}", f"hw{r} + 1"),),
    )


def change_isr(p: Packing, f: int) -> Rule:
    """Let the true leader remove a follower from the ISR, or add it: it is in or out."""
    enabled, cases = [], []
    for r in p.others(f):
        true_leader = f"partition == view{r} && {p.leader_of('partition')} == {r}"
        inside = f"(isr{r} & {bit(f)}) != 0"
        lags = f"(view{f} != view{r} || leo{f} < leo{r})"
        entry = f"(log{r} >> hw{r} * {p.entry} & {p.records(0)})"
        own_epoch = f"({entry} - 1) % {p.epochs} + 1 == {p.epoch_of(f'view{r}')}"
        may_join = f"view{f} == view{r} && leo{f} >= hw{r} && (hw{r} == leo{r} || {own_epoch})"
        enabled.append(f"{true_leader} && (({inside} && {lags}) || (!({inside}) && {may_join}))")
        isr = Assign(f"isr{r}", f"isr{r} ^ {bit(f)}")
        cases.append((true_leader, (isr, Assign("partition_isr", f"isr{r}"))))
    return Rule(f"LeaderShrinkIsr or LeaderExpandIsr, {f}", either(enabled), (choose(*cases),))


def follow(p: Packing, r: int, f: int) -> Rule:
    """Let a follower apply LeaderAndIsr of its leader's epoch or, once it has, fetch.

    LeaderAndIsr of an epoch names its leader, so only the ISR is looked up.
    """
    newer = f"{p.epoch_of(f'view{r}')} > {p.epoch_of(f'view{f}')}"
    look_up = choose(
        *(
            (f"{p.epoch_of(f'view{r}')} == {e}", (Assign(f"isr{f}", f"sent{e} >> {p.leader}"),))
            for e in range(1, p.epochs + 1)
        )
    )
    apply = (truncate(p, r, f), look_up, Assign(f"view{f}", f"view{r}"))
    fetch = (
        Assign(f"log{f}", f"log{f} | (log{r} & {p.records(0)} << leo{f} * {p.entry})"),
        Assign(f"leo{f}", f"leo{f} + 1"),
        choose(
            (f"hw{r} < leo{f}", (Assign(f"hw{f}", f"hw{r}"),)),
            ("", (Assign(f"hw{f}", f"leo{f}"),)),
        ),
    )
    return Rule(
        f"BecomeFollower or FollowerFetch, {f} of {r}",
        f"{p.leads(r)} && ({newer} || (view{f} == view{r} && leo{f} < leo{r}))",
        (choose((newer, apply), ("", fetch)),),
    )


def truncate(p: Packing, r: int, f: int) -> Choose:
    """Truncate a follower's log after the last record that it shares with its leader."""
    cases = []
    for end in range(p.size.log_size, -1, -1):
        last = p.records(end - 1) if end else 0
        both = f"leo{r} >= {end} && leo{f} >= {end}"
        log = Assign(f"log{f}", f"log{f} & {(1 << end * p.entry) - 1}")
        hw = when(f"hw{f} > {end}", Assign(f"hw{f}", f"{end}"))
        same = f"{both} && ((log{r} ^ log{f}) & {last}) == 0"
        cases.append((same, (log, Assign(f"leo{f}", f"{end}"), hw)))
    return choose(*cases)

"""The metadata log with partition epochs that are numbers, beside a search that has none.

It follows ReplicationControlManager and Partition of Kafka 3.8 and reads nothing of the queues in
the state.  ``queues`` and ``outdated`` are what the numbers say the state must hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tidegate.core.fields import NONE


@dataclass(frozen=True)
class Change:
    """A PartitionChangeRecord, merged: its place in the log is its partition epoch."""

    leader: int
    leader_epoch: int
    isr: frozenset[int]


@dataclass(frozen=True)
class Proposal:
    """An AlterPartition as its leader sent it."""

    leader_epoch: int
    partition_epoch: int
    isr: frozenset[int]


@dataclass(frozen=True)
class Known:
    """What a broker knows: its place in the log, and its Partition while it leads."""

    published: int = 0
    leader_epoch: int = 0
    leads: bool = False
    partition_epoch: int = 0
    isr: frozenset[int] = frozenset()
    pending: Proposal | None = None


@dataclass(frozen=True)
class Numbered:
    """The metadata log; each broker, its request and the partition epoch of the response."""

    log: tuple[Change, ...]
    brokers: tuple[Known, ...]
    sent: tuple[Proposal | None, ...]
    answered: tuple[int | None, ...]

    def of(self, broker, **changes):
        """Return this with one broker changed."""
        known = list(self.brokers)
        known[broker] = replace(known[broker], **changes)
        return replace(self, brokers=tuple(known))

    def message(self, broker, sent, answered=None):
        """Return this with another message between a broker and the controller."""
        requests, answers = list(self.sent), list(self.answered)
        requests[broker], answers[broker] = sent, answered
        return replace(self, sent=tuple(requests), answered=tuple(answers))

    def is_valid(self, leader):
        """Whether both epochs of a leader's request are the present ones."""
        request, last = self.sent[leader], self.log[-1]
        return (last.leader, last.leader_epoch, len(self.log) - 1) == (
            leader,
            request.leader_epoch,
            request.partition_epoch,
        )

    def readable(self, broker, epoch):
        """Return the places in the log whose records change this leader's Partition."""
        known = self.brokers[broker]
        own = epoch == known.leader_epoch and known.leads
        if epoch <= known.leader_epoch and not own:
            return []
        return [
            place
            for place, change in enumerate(self.log)
            if place > known.published
            and (change.leader, change.leader_epoch) == (broker, epoch)
            and not (own and place < known.partition_epoch)
        ]


def begin(replicas):
    """Return the initial log: one record, which everybody has applied."""
    everybody = frozenset(range(replicas))
    first = Known(leads=True, isr=everybody)
    return Numbered(
        (Change(0, 0, everybody),),
        (first, *[Known()] * (replicas - 1)),
        (None,) * replicas,
        (None,) * replicas,
    )


def follow(numbers, step, before, after, applies_known):
    """Return the numbers after a step, from the step and what it changed outside of the queues."""
    at = dict(zip(step.parameters, step.arguments, strict=True))
    leader = at.get("leader", NONE)
    match step.action:
        case "Elect" | "ElectLastKnown" | "Fence" | "FenceFollower":
            stored = after["partition"]
            change = Change(stored["leader"], stored["epoch"], frozenset(stored["isr"]))
            return replace(numbers, log=(*numbers.log, change))
        case "HandleAlterPartition":
            return handled(numbers, leader, before, after)
        case "HandleAlterPartitionResponse":
            return answered(numbers, leader, before)
        case "ApplyChangeRecord":
            return applied(numbers, leader, at["epoch"], at["last"], applies_known)
        case "BecomeFollower":
            place = next(p for p, c in enumerate(numbers.log) if c.leader_epoch == at["epoch"])
            fresh = Known(published=place, leader_epoch=at["epoch"], partition_epoch=place)
            return numbers.of(at["follower"], **vars(fresh))
        case "Crash" | "LosePower":
            down = numbers.of(at["broker"], **vars(Known(leader_epoch=NONE)))
            is_request = numbers.answered[at["broker"]] is None
            return down if is_request else down.message(at["broker"], None)
        case "Restart":
            present = numbers.log[-1].leader_epoch
            place = next(p for p, c in enumerate(numbers.log) if c.leader_epoch == present)
            fresh = Known(published=place - 1, leader_epoch=present - 1)
            return numbers.of(at["broker"], **vars(fresh))
    return proposed(numbers, before, after)


def proposed(numbers, before, after):
    """Return the numbers after a step that may have sent a proposal."""
    for broker, message in enumerate(after["alter_partition"]):
        if message["kind"] == "nothing" or before["alter_partition"][broker]["kind"] != "nothing":
            continue
        known = numbers.brokers[broker]
        proposal = Proposal(known.leader_epoch, known.partition_epoch, frozenset(message["isr"]))
        numbers = numbers.of(broker, pending=proposal).message(broker, proposal)
    return numbers


def handled(numbers, leader, before, after):
    """Return the numbers after the controller handled a request; epochs alone may refuse it."""
    kind, lives = after["alter_partition"][leader]["kind"], after["replica"][leader]["alive"]
    orphaned = "died" in before["alter_partition"][leader]["kind"]
    changed = before["partition"]["isr"] != after["partition"]["isr"]
    if not numbers.is_valid(leader):
        assert not changed
        assert orphaned or "outdated" in kind
    else:
        assert "outdated" not in kind
    request, place = numbers.sent[leader], NONE
    if changed:
        place = len(numbers.log)
        change = Change(leader, request.leader_epoch, request.isr)
        numbers = replace(numbers, log=(*numbers.log, change))
    lost = orphaned or not lives
    return numbers.message(leader, None) if lost else numbers.message(leader, request, place)


def answered(numbers, leader, before):
    """Return the numbers after a response: it counts only for the proposal that is pending."""
    known, kind = numbers.brokers[leader], before["alter_partition"][leader]["kind"]
    request, place = numbers.sent[leader], numbers.answered[leader]
    if known.leads and known.pending == request:
        if "done" in kind:
            numbers = numbers.of(leader, isr=request.isr, partition_epoch=place, pending=None)
        elif "ineligible" in kind:
            numbers = numbers.of(leader, pending=None)
    return numbers.message(leader, None)


def applied(numbers, leader, epoch, last, applies_known):
    """Return the numbers after a leader has applied the log up to one of the records."""
    place, known = numbers.readable(leader, epoch)[last], numbers.brokers[leader]
    numbers = numbers.of(leader, published=place)
    if epoch == known.leader_epoch and place == known.partition_epoch and not applies_known:
        return numbers
    return numbers.of(
        leader,
        leader_epoch=epoch,
        leads=True,
        partition_epoch=place,
        isr=numbers.log[place].isr,
        pending=None,
    )


def queues(numbers, alive):
    """Return what each leader epoch's queue must hold: the ISRs, and whether the first is known."""
    held = {}
    for epoch in {change.leader_epoch for change in numbers.log}:
        leader = next(c.leader for c in numbers.log if c.leader_epoch == epoch)
        places = numbers.readable(leader, epoch) if leader != NONE and alive[leader] else []
        if places:
            known = numbers.brokers[leader]
            is_own = epoch == known.leader_epoch
            is_known = is_own and places[0] == known.partition_epoch
            held[epoch] = [numbers.log[place].isr for place in places], is_known
    return held


def outdated(numbers):
    """Return the leaders whose request has an old partition epoch in the present leader epoch."""
    present = numbers.log[-1].leader_epoch
    return {
        leader
        for leader, request in enumerate(numbers.sent)
        if request is not None
        and numbers.answered[leader] is None
        and request.leader_epoch == present
        and not numbers.is_valid(leader)
    }

"""Asynchronous ISR changes, as published: a fixed leader, and a controller that changes the ISR.

A log is its length here, and there are no elections; this leaves the race between the leader's
requests and the controller's own changes.  It is unbounded, so its system has a constraint.  The
names of the steps are those of the original.

Two of its variables are sets of messages and are arrays here, with as many states.  The controller
sends exactly one update with each version, so there is one ISR per version.  And a request differs
from the ISR of its version in one replica, so the requests made in a version are the set of those
replicas.  Ranges reach one beyond the bounds, since invariants are also checked outside the
constraint.

Source: hachikuji/kafka-specification, commit d68782b, AsyncIsr.tla; later KIP-497.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tidegate import (
    NONE,
    Fairness,
    Model,
    Record,
    array,
    integer,
    members,
    nested,
    number,
    replica_id,
    subset,
)

LEADER = 0
"""The replica that leads in every state (Leader): this family has no elections."""


def isr_alone(s: AsyncIsrState, k: Constants) -> int:
    """Wait for the ISR that the leader knows, whatever it has requested since."""
    return s.leader.isr


def any_version(s: AsyncIsrState, k: Constants, version: int) -> bool:
    """Apply a request even if the ISR has changed since."""
    return True


@dataclass(frozen=True)
class Rules:
    """The decision points of the async-isr family, each in its weakest version.

    The original has one protocol.  Its two decisions are rules, so that a mutant can weaken one and
    show what it prevents.

    Parameters
    ----------
    waits_for
        The set of replicas whose log ends limit the leader's high watermark.
    may_apply
        Whether the controller may apply a request that was made in this version of the ISR.
    """

    waits_for: Callable[[AsyncIsrState, Constants], int] = isr_alone
    may_apply: Callable[[AsyncIsrState, Constants, int], bool] = any_version


@dataclass(frozen=True)
class Constants:
    """The constants of AsyncIsr.tla, one for its constraint, and the rules.

    The original bounds nothing.  A state with a longer log or a newer version is outside the
    constraint: invariants are checked there, but its successors are not explored.
    """

    replicas: int = number(2, 1, 5, "replicas of the one partition (Replicas)", main=True)
    max_offset: int = number(
        1, 1, 8, "longest leader's log that is explored from, in records (MaxOffset)", main=True
    )
    max_version: int = number(
        2, 0, 8, "newest version of the ISR that is explored from; the first is 0", main=True
    )
    rules: Rules = Rules()


def all_replicas(k: Constants) -> int:
    """Return the number of replicas, the size of every set of them."""
    return k.replicas


class Controller(Record):
    """The controller's ISR; the leader can change it only by a request."""

    isr: int = subset(all_replicas, "the true ISR", names="replicas")
    version: int = integer(0, lambda k: k.max_version + 1, "one more with every change of the ISR")


class Leader(Record):
    """The leader's view of the ISR, its pending requests, and the log ends of all replicas."""

    replica: int = replica_id(LEADER, "the leader, always the same", LEADER)
    isr: int = subset(all_replicas, "the ISR of the newest version it knows", names="replicas")
    version: int = integer(0, lambda k: k.max_version, "that version")
    pending_isr: int = subset(
        all_replicas, "the members of all ISRs that it has requested since", names="replicas"
    )
    pending_version: int = integer(
        NONE, lambda k: k.max_version, "the version of its last request; NONE: none since"
    )
    offset: list[int] = array(
        all_replicas,
        integer(0, lambda k: k.max_offset + 1, "log end offset of this replica, as all know it"),
        by_replica=True,
    )


class AsyncIsrState(Record):
    """The complete state.

    The leader's requests of a version stay there, and so do the controller's updates: either may be
    applied at any later time, or never.
    """

    controller: Controller = nested(Controller)
    leader: Leader = nested(Leader)
    request: list[int] = array(
        lambda k: k.max_version + 1,
        subset(
            all_replicas,
            "by version: the replicas that the leader requested to add to its ISR or to remove",
            names="replicas",
        ),
    )
    update: list[int] = array(
        lambda k: k.max_version + 2,
        subset(all_replicas, "by version: its ISR; empty before it exists", names="replicas"),
    )


def within(s: AsyncIsrState, k: Constants) -> bool:
    """Whether a state is within the bounds: the constraint, which the original leaves to the user.

    No follower's log is longer than the leader's, and no version newer than the controller's.
    """
    return s.leader.offset[LEADER] <= k.max_offset and s.controller.version <= k.max_version


_GOES_BACK = (
    "a requested replica counts for the high watermark at once, which therefore goes back to its "
    "log end; a property that it never goes back would kill this"
)

SURVIVORS = {
    "ControllerShrinkIsr: not s.controller.isr >> replica & 1": "the ISR stays as it is, in a new "
    "version; that only outdates requests of the old one",
    "LeaderRequestShrinkIsr: not s.leader.isr >> replica & 1": "requests to add a follower without "
    f"checking its log end: {_GOES_BACK}",
    "LeaderRequestExpandIsr: s.leader.isr >> replica & 1": "requests to remove a member, as "
    "LeaderRequestShrinkIsr may at any time",
    "LeaderRequestExpandIsr: s.leader.offset[replica] < high_watermark(s, k)": _GOES_BACK,
}


def high_watermark(s: AsyncIsrState, k: Constants) -> int:
    """Return the leader's high watermark: the least log end of the replicas that it waits for."""
    waits_for = k.rules.waits_for(s, k)
    least = s.leader.offset[LEADER]
    for replica in range(k.replicas):
        if waits_for >> replica & 1:
            least = min(least, s.leader.offset[replica])
    return least


def numbers(isr: int) -> str:
    """Return a set of replicas as text."""
    return f"{{{','.join(map(str, members(isr)))}}}"


def columns(s: AsyncIsrState, k: Constants) -> dict[str, str]:
    """Return the heading and the text of each column: the controller, then every replica."""
    lines = [f"v{s.controller.version} isr {numbers(s.controller.isr)}"]
    for version, changed in enumerate(s.request):
        wanted = [s.update[version] ^ 1 << replica for replica in members(changed)]
        lines += [f"v{version}: isr {numbers(isr)}" for isr in wanted]
    known = [f"v{s.leader.version} isr {numbers(s.leader.isr)}"]
    if s.leader.pending_version != NONE:
        known.append(f"requested {numbers(s.leader.pending_isr)}")
    known.append(f"HW {high_watermark(s, k)}")
    shown = {"controller": "\n".join(lines)}
    for replica, end in enumerate(s.leader.offset):
        own = known if replica == LEADER else []
        shown[f"replica {replica}"] = "\n".join([*own, f"LEO {end}"])
    return shown


model = Model(
    Constants,
    AsyncIsrState,
    name="async-isr",
    deadlock=False,
    constraint=within,
    columns=columns,
    legend='v1 isr {0,1} is version 1 of the ISR. Under the controller, "v0: isr {0}" is a request '
    'that the leader made in version 0. "requested {0,1}" names the members of all ISRs that the '
    "leader has requested since its last update; LEO is the log end offset, HW the high watermark.",
    survivors=SURVIVORS,
    mutation_bounds=("replicas=2", "replicas=3", "replicas=3 max_offset=2 max_version=3"),
    default_properties=("TypeOk", "ValidHighWatermark"),
)


@model.initial
def initialise(s: AsyncIsrState, k: Constants) -> Iterator[None]:
    """Put all replicas into version 0 of the ISR, which the leader knows; all logs are empty."""
    s.controller.isr = (1 << k.replicas) - 1
    s.leader.isr = s.controller.isr
    s.update[0] = s.controller.isr
    yield


def _change_isr(s: AsyncIsrState, isr: int) -> None:
    """Begin a new version of the ISR at the controller and send it to the leader."""
    s.controller.version += 1
    s.controller.isr = isr
    s.update[s.controller.version] = isr


def _request(s: AsyncIsrState, replica: int) -> None:
    """Request the leader's ISR with one replica added or removed, and mark it pending."""
    version = s.leader.version
    s.request[version] |= 1 << replica
    s.leader.pending_isr |= s.leader.isr ^ 1 << replica
    s.leader.pending_version = version


def followers(k: Constants) -> range:
    """Return every replica but the leader, which is the first."""
    return range(1, k.replicas)


def versions(k: Constants) -> range:
    """Return each version that a request may be made in within the constraint."""
    return range(k.max_version + 1)


SOURCE = "AsyncIsr.tla"


@model.action(
    "controller",
    source=SOURCE,
    fairness=Fairness.NONE,
    sign="ISR shrink by the controller",
    replica=followers,
)
def controller_shrink_isr(s: AsyncIsrState, k: Constants, replica: int) -> bool:
    """Remove a follower from the ISR, as if it had failed, without a request."""
    if not s.controller.isr >> replica & 1:
        return False
    _change_isr(s, s.controller.isr & ~(1 << replica))
    return True


@model.action(
    "controller", source=SOURCE, fairness=Fairness.NONE, version=versions, replica=followers
)
def controller_handle_request(s: AsyncIsrState, k: Constants, version: int, replica: int) -> bool:
    """Apply a request: the ISR of its version, with one replica added or removed."""
    if not s.request[version] >> replica & 1:
        return False
    if not k.rules.may_apply(s, k, version):
        return False
    _change_isr(s, s.update[version] ^ 1 << replica)
    return True


@model.action(
    "leader",
    source=SOURCE,
    fairness=Fairness.NONE,
    sign="ISR shrink requested by the leader",
    replica=followers,
)
def leader_request_shrink_isr(s: AsyncIsrState, k: Constants, replica: int) -> bool:
    """Request to remove a follower from the ISR, at any time."""
    if not s.leader.isr >> replica & 1:
        return False
    _request(s, replica)
    return True


@model.action("leader", source=SOURCE, fairness=Fairness.NONE, replica=followers)
def leader_request_expand_isr(s: AsyncIsrState, k: Constants, replica: int) -> bool:
    """Request to add a follower to the ISR that has all records below the high watermark."""
    if s.leader.isr >> replica & 1:
        return False
    if s.leader.offset[replica] < high_watermark(s, k):
        return False
    _request(s, replica)
    return True


@model.action("leader", source=SOURCE, fairness=Fairness.NONE)
def leader_write(s: AsyncIsrState, k: Constants) -> bool:
    """Append a record to the leader's log; only the constraint limits how many there are."""
    s.leader.offset[LEADER] += 1
    return True


@model.action(
    "leader",
    source=SOURCE,
    fairness=Fairness.NONE,
    version=lambda k: range(1, k.max_version + 1),
)
def leader_handle_update(s: AsyncIsrState, k: Constants, version: int) -> bool:
    """Apply the ISR of a newer version, and drop the pending requests."""
    if version > s.controller.version:
        return False
    if version <= s.leader.version:
        return False
    s.leader.isr = s.update[version]
    s.leader.version = version
    s.leader.pending_isr = 0
    s.leader.pending_version = NONE
    return True


@model.action("follower", source=SOURCE, fairness=Fairness.NONE, replica=followers)
def follower_replicate(s: AsyncIsrState, k: Constants, replica: int) -> bool:
    """Copy the leader's next record; the leader knows at once."""
    if s.leader.offset[replica] >= s.leader.offset[LEADER]:
        return False
    s.leader.offset[replica] += 1
    return True


@model.invariant(
    "Every member of the controller's ISR has all records below the leader's high watermark.",
    source="hachikuji/kafka-specification, AsyncIsr.tla",
    explain=lambda s, k, replica: (
        f"The leader's high watermark is {high_watermark(s, k)}, but replica {replica} is in the "
        f"controller's ISR of version {s.controller.version} and its log ends at "
        f"{s.leader.offset[replica]}: its election would lose committed records."
    ),
)
def valid_high_watermark(s: AsyncIsrState, k: Constants) -> tuple[int] | None:
    """Return a member of the controller's ISR whose log ends below the leader's high watermark."""
    end = high_watermark(s, k)
    for replica in range(k.replicas):
        if s.controller.isr >> replica & 1 and s.leader.offset[replica] < end:
            return (replica,)
    return None


def isr_and_pending(s: AsyncIsrState, k: Constants) -> int:
    """Wait for the ISR that the leader knows and for all members of requested ISRs."""
    return s.leader.isr | s.leader.pending_isr


def same_version(s: AsyncIsrState, k: Constants, version: int) -> bool:
    """Apply a request only while the ISR has the request's version."""
    return version == s.controller.version


@model.variant(
    "As specified in TLA+: the leader requests ISR changes; no violation known.",
    name="async-isr",
)
def async_isr(rules: Rules) -> Rules:
    """Asynchronous ISR changes, as published: the leader requests, and assumes the worst case.

    The leader sends the controller requests to change the ISR, and the controller also shrinks it
    by itself; updates arrive in any order, late or never.  Two rules keep all members of the
    controller's ISR at or above the high watermark.  The leader waits for the members of the ISR
    that it knows and of all ISRs that it has requested, since a request may have been applied.  And
    the controller applies a request only in its own version, since a later ISR may lack a replica
    that the request would bring back.

    No violation is known at any bounds.  With 1 record and 2 replicas, a member of the ISR lacks a
    committed record in 5 steps without the first rule, and in 8 without the second; with 3 replicas
    the latter takes 6.

    Source: hachikuji/kafka-specification, AsyncIsr.tla, which became KIP-497.
    """
    return replace(rules, waits_for=isr_and_pending, may_apply=same_version)

"""The state of the async-isr family: what AsyncIsr.tla declares, with its ranges.

Two of its variables are sets of messages and are arrays here, with as many states.  The controller
sends exactly one update with each version, so there is one ISR per version.  And a request differs
from the ISR of its version in one replica, so the requests made in a version are the set of those
replicas.

Ranges reach one beyond the bounds, since a state that is outside the constraint is judged too.
"""

from __future__ import annotations

from ...core.layout import NONE, Record, array, integer, nested, replica_id, subset
from .bounds import LEADER, Constants


def everybody(k: Constants) -> int:
    """Return how many replicas there are: the size of every set of them."""
    return k.replicas


class Controller(Record):
    """The ISR as the controller has it; a leader cannot change it but by a request."""

    isr: int = subset(everybody, "the true ISR", names="replicas")
    version: int = integer(0, lambda k: k.max_version + 1, "one more with every change of the ISR")


class Leader(Record):
    """What the leader knows of the ISR, what it has asked for, and how far everybody is."""

    replica: int = replica_id(LEADER, "who leads, always", LEADER)
    isr: int = subset(everybody, "the ISR of the newest version it knows", names="replicas")
    version: int = integer(0, lambda k: k.max_version, "that version")
    pending_isr: int = subset(
        everybody, "all who are in an ISR it has asked for since", names="replicas"
    )
    pending_version: int = integer(
        NONE, lambda k: k.max_version, "the version in which it last asked; NONE: not since"
    )
    offset: list[int] = array(
        everybody,
        integer(0, lambda k: k.max_offset + 1, "log end offset of this replica, as all know it"),
        by_replica=True,
    )


class AsyncIsrState(Record):
    """The whole state.

    What the leader asked for in some version stays there, and so does what the controller answered:
    either may be taken up at any later time, or never.
    """

    controller: Controller = nested(Controller)
    leader: Leader = nested(Leader)
    request: list[int] = array(
        lambda k: k.max_version + 1,
        subset(
            everybody,
            "by version: whom the leader asked to take out of its ISR, or into it",
            names="replicas",
        ),
    )
    update: list[int] = array(
        lambda k: k.max_version + 2,
        subset(everybody, "by version: its ISR; empty before there is one", names="replicas"),
    )

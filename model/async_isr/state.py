"""The state of the async-isr family: what AsyncIsr.tla declares, with its ranges.

Two of its variables are sets of messages and are arrays here, with as many states.  The controller
sends exactly one update with each version, so there is one ISR per version.  And a request differs
from the ISR of its version in one replica, so the requests made in a version are the set of those
replicas.

Ranges reach one beyond the bounds, since invariants are also checked outside the constraint.
"""

from __future__ import annotations

from ...core.layout import NONE, Record, array, integer, nested, replica_id, subset
from .bounds import LEADER, Constants


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

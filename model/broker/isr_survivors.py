"""Mutants of the steps of ISR propagation that nothing kills, and why.

Most guards of these steps keep messages and caches in order.  What is safe rests on rules, which
have mutants of their own that die: elections read the stored ISR, the controller compares epochs,
and leaders count the maximal ISR.
"""

from __future__ import annotations

_CACHE = (
    "the controller's cache is fresher, or its notifications are out of order; no election reads "
    "it, but by the older rule cached_isr"
)
_NO_CONTROLLER = (
    "acts while there is no controller, as one does that has just begun with what is stored"
)
_METADATA = (
    "clients believe something else of who leads, as with metadata that is older or newer; whom "
    "they may ask decides nothing"
)
_AS_WITHOUT = "producers write to whoever believes that it leads, as without the option"
_NOTHING_NEW = "the step changes nothing; no state more"
_DEAD_UNFENCED = "a dead broker counts as one whose death has not been noticed"

_NOT_A_RESPONSE = (
    "HandleAlterPartitionResponse: it.kind != ACCEPTED and it.kind != REFUSED and "
    "(it.kind != OUTDATED)"
)

SURVIVORS = {
    "may_propose = nothing_proposed": (
        "dies of Stuck, which is not asked for by default, at records=1 elections=1 crashes=1 "
        "isr_propagation=kraft in 12 steps"
    ),
    "Produce: k.isr_propagation == ZOOKEEPER and s.producer.leader != leader": _AS_WITHOUT,
    "Elect: s.controller.down": _NO_CONTROLLER,
    "Fence: s.controller.down": _NO_CONTROLLER,
    "Elect: s.partition.fenced >> broker & 1": (
        "a fenced broker is not among the live members either; only an unclean election could "
        "make it lead"
    ),
    "StartController: not s.controller.down": _CACHE,
    "CrashController: s.controller.down": _NOTHING_NEW,
    "ProposeShrink: not leads(s, leader)": (
        "a broker that does not lead has no ISR that it could shrink; no state more"
    ),
    "ProposeShrink: not s.replica[leader].isr >> follower & 1": (
        "the ISR that is proposed is the present one"
    ),
    "ProposeShrink: s.replica[leader].remote_leo[follower] == s.replica[leader].leo": (
        "a follower leaves the ISR that is not behind; it joins again, and what is committed "
        "meanwhile it must have by then"
    ),
    "ProposeShrink: not k.rules.may_propose(s, k, leader)": (
        "the rule is asked once more before anything is proposed; no state more"
    ),
    "HandleAlterPartition: it.kind != REQUEST and it.kind != ORPHANED": (
        "a response is handled as a request: an accepted one changes nothing, and one that was "
        "refused has no members, so the ISR is empty and nobody is elected"
    ),
    _NOT_A_RESPONSE: (
        "the leader gives a request up before it is handled, as if it had not been sent"
    ),
    "FenceOutOfSync: s.replica[broker].alive": (
        "a live broker that neither leads nor leaves the ISR is fenced, until it is heard of"
    ),
    "FenceOutOfSync: s.partition.fenced >> broker & 1": _NOTHING_NEW,
    "Unfence: not s.replica[broker].alive": _DEAD_UNFENCED,
    "Unfence: not s.partition.fenced >> broker & 1": _NOTHING_NEW,
    "FenceLiveFollower: not s.replica[broker].alive": "a dead one is fenced, as Fence does",
    "FenceLiveFollower: s.partition.leader == broker": (
        "a live leader leaves the ISR, as with Fence, and leads on until somebody else is elected"
    ),
    "FenceLiveFollower: not s.partition.isr >> broker & 1": (
        "an epoch begins in which nothing else is new"
    ),
    "FenceLiveFollower: size(s.partition.isr) == 1": (
        "the last member leaves the ISR, so that nobody can be elected"
    ),
    "WriteNotification: not s.replica[leader].change_set": _CACHE,
    "ReadNotification: s.controller.down": _CACHE,
    "ReadNotification: not s.controller.notification": _CACHE,
    "ReadNotification: s.controller.handling != NO_NOTIFICATION": _CACHE,
    "RefreshCache: s.controller.down": _CACHE,
    "RefreshCache: s.controller.handling != HAS_READ": _CACHE,
    "DeleteNotification: s.controller.down": _CACHE,
    "DeleteNotification: s.controller.handling != HAS_REFRESHED": _CACHE,
    "UpdateMetadata: not s.replica[broker].alive": _METADATA,
    "UpdateMetadata: s.replica[broker].metadata == s.partition.leader": _NOTHING_NEW,
    "RefreshProducer: not s.replica[broker].alive": _METADATA,
    "RefreshProducer: s.replica[broker].metadata == NONE": _METADATA,
    "RefreshProducer: s.producer.leader == s.replica[broker].metadata": _NOTHING_NEW,
    "RefreshConsumer: not s.replica[broker].alive": _METADATA,
    "RefreshConsumer: s.replica[broker].metadata == NONE": _METADATA,
    "RefreshConsumer: s.aux_consumer.leader == s.replica[broker].metadata": _NOTHING_NEW,
    "Consume: s.aux_consumer.leader != leader": _METADATA,
    "Consume: not leads(s, leader)": (
        "a broker that does not lead answers; below its high watermark is what was committed"
    ),
    "Consume: s.aux_consumer.offset >= s.replica[leader].hw": (
        "the consumer reads what is not committed, be it beyond the log end; no default property "
        "asks what it has read, and without one that does there is no consumer"
    ),
}
"""By name, of whichever protocol."""

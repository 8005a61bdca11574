"""Surviving mutants of the steps that propagate ISR changes, and why they survive.

Most guards of these steps keep messages and caches in order.  Safety rests on rules, whose mutants
are killed: elections read the stored ISR, the controller compares epochs,
and leaders count the maximal ISR.
"""

from __future__ import annotations

_CACHE = (
    "the controller's cache is fresher, or its notifications are out of order; no election reads "
    "it, except under the older rule cached_isr"
)
_NO_CONTROLLER = (
    "acts while there is no controller, like a new one that has just read the stored state"
)
_METADATA = (
    "clients know another leader, as with older or newer metadata; no verdict depends on which "
    "broker they ask"
)
_AS_WITHOUT = "producers write to any broker that believes it leads, as without the option"
_NOTHING_NEW = "the step changes nothing; no additional state"
_DEAD_UNFENCED = "a dead broker counts as one whose crash has not been noticed"

_NOT_A_RESPONSE = (
    "HandleAlterPartitionResponse: message.kind != ACCEPTED and message.kind != REFUSED and "
    "(message.kind != OUTDATED)"
)

SURVIVORS = {
    "may_propose = nothing_proposed": (
        "violates Stuck, which is not checked by default, at records=1 elections=1 crashes=1 "
        "isr_propagation=kraft in 12 steps"
    ),
    "Produce: k.isr_propagation == ZOOKEEPER and s.producer.leader != leader": _AS_WITHOUT,
    "Elect: s.controller.down": _NO_CONTROLLER,
    "ElectLastKnown: s.controller.down": _NO_CONTROLLER,
    "Fence: s.controller.down": _NO_CONTROLLER,
    "Elect: s.partition.fenced >> broker & 1": (
        "a fenced broker is not among the live members either; only an unclean election could "
        "elect it"
    ),
    "Elect: not live and k.last_known_leader and _recovers(s, k, s.partition.last_known_leader)": (
        "with unclean elections another replica leads, which may lack as many records"
    ),
    "StartController: not s.controller.down": _CACHE,
    "CrashController: s.controller.down": _NOTHING_NEW,
    "ProposeShrink: not leads(s, leader)": (
        "a broker that does not lead has no ISR to shrink; no additional state"
    ),
    "ProposeShrink: not s.replica[leader].isr >> follower & 1": (
        "the proposed ISR is the current one"
    ),
    "ProposeShrink: s.replica[leader].remote_leo[follower] == s.replica[leader].leo": (
        "a follower that does not lag leaves the ISR; it must have all records committed in the "
        "meantime before it joins again"
    ),
    "ProposeShrink: not k.rules.may_propose(s, k, leader)": (
        "the rule is checked again before anything is proposed; no additional state"
    ),
    "HandleAlterPartition: message.kind != REQUEST and message.kind != ORPHANED": (
        "a response is handled as a request: an accepted one changes nothing, and a refused one "
        "has no members, so the ISR is empty and no broker is elected"
    ),
    _NOT_A_RESPONSE: (
        "the leader drops a request before it is handled, as if it had not been sent"
    ),
    "FenceOutOfSync: s.replica[broker].alive": (
        "a live broker that neither leads nor leaves the ISR is fenced until its next heartbeat"
    ),
    "FenceOutOfSync: s.partition.fenced >> broker & 1": _NOTHING_NEW,
    "Unfence: not s.replica[broker].alive": _DEAD_UNFENCED,
    "knows_partition_epoch = in_any_partition_epoch": (
        "killed at replicas=3 records=1 elections=1 crashes=0 moves isr_propagation=records, by "
        "NoCommittedRecordLost in 9 steps; these bounds are too large for every mutant"
    ),
    "Fence: k.change_records and s.partition.leader != broker": (
        "a fence of a follower begins a leader epoch as well, as with isr_propagation=kraft"
    ),
    "ApplyChangeRecord: not s.replica[leader].alive": (
        "the records of an epoch are dropped with its leader; no additional state"
    ),
    "ApplyChangeRecord: epoch < s.replica[leader].epoch": (
        "the records of an epoch are dropped when its leader applies a newer one; no additional "
        "state"
    ),
    "ApplyChangeRecord: sent.leader != leader": (
        "violates Stuck, which is not checked by default, at records=0 elections=2 crashes=1 "
        "isr_propagation=records in 5 steps"
    ),
    "FenceFollower: s.replica[broker].alive and (not k.moves)": (
        "a live follower is suspected, as with moves"
    ),
    "FenceFollower: s.partition.leader == broker": (
        "killed at records=0 elections=1 crashes=1 isr_propagation=records, by KnownLeaderInIsr in "
        "2 steps, which is not a default property"
    ),
    "FenceFollower: not s.partition.isr >> broker & 1": (
        "fences a broker outside the ISR, as FenceOutOfSync does, with a record of the same ISR"
    ),
    "FenceFollower: s.partition.isr == 1 << broker and (not k.elr)": (
        "the ISR becomes empty, so that nobody is elected and nothing is written any more"
    ),
    "Unfence: not s.partition.fenced >> broker & 1": _NOTHING_NEW,
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
        "a broker that does not lead answers; the records below its high watermark are committed"
    ),
    "Consume: offset >= s.replica[leader].hw": (
        "the consumer reads uncommitted records, or beyond the log end; no default property "
        "checks reads, and without such a property there is no consumer"
    ),
}
"""By name, for every protocol."""

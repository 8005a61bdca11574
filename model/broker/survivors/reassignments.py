"""Surviving mutants of what the option ``reassignments`` brings, and why they survive."""

from __future__ import annotations

SURVIVORS = {
    "may_complete = all_in_isr": (
        "a reassignment is complete later, once more replicas are in the ISR; no property fails"
    ),
    "removed_are_eligible = stay_eligible": (
        "killed at replicas=3 records=1 crashes=1 elections=2 min_isr=2 isr_propagation=records "
        "elr reassignments=2 spare_broker, by NoCommittedRecordLost in 23 steps; these bounds are "
        "too large for every mutant"
    ),
    "HandleFetch: not is_served(s, k, leader, follower)": (
        "serves a replica that the leader does not know yet; a proposal because of it is outdated"
    ),
    "BecomeFollower: k.reassignments and (not s.leader_and_isr[epoch].replicas >> follower & 1)": (
        "a broker without a replica follows; no leader serves it"
    ),
    "Elect: k.reassignments and (not s.partition.replicas >> broker & 1)": (
        "only an unclean election could elect a broker without a replica"
    ),
    "AddReplica: s.partition.replicas >> broker & 1": (
        "adds what is a replica already; no ISR changes by that"
    ),
    "ReplaceReplica: not s.partition.replicas >> broker & 1": (
        "is an addition, since the broker that it removes is no replica"
    ),
    "ReplaceReplica: s.partition.replicas >> by & 1": (
        "is a removal that waits for the next change of the ISR"
    ),
    "RemoveReplica: not s.partition.replicas >> broker & 1": (
        "begins a leader epoch with the same replicas and the same leader"
    ),
    "RemoveReplica: not at_once and (leader != s.partition.leader or s.partition.replicas == "
    "removed)": ("names a successor that is not used, or waits for ever for a replica to remain"),
    "CancelReassignment: not reassigning(s) or s.partition.leader == NONE": (
        "cancels nothing, with a record of the same ISR"
    ),
    "CancelReassignment: isr == 0": (
        "the ISR becomes empty, so that nobody is elected and nothing is written any more"
    ),
    "CompleteReassignment: message.kind != REQUEST and message.kind != ORPHANED": (
        "killed at records=1 crashes=1 elections=1 isr_propagation=records "
        "reassignments=2 spare_broker, by NoCommittedRecordLost in 15 steps"
    ),
    "CompleteReassignment: not _completes(s, k, leader)": (
        "killed at records=1 crashes=1 elections=1 isr_propagation=records "
        "reassignments=2 spare_broker, by NoCommittedRecordLost in 20 steps"
    ),
    "RemoveReplica: at_once and s.partition.epoch == k.elections": (
        "killed at records=1 crashes=1 elections=1 isr_propagation=records "
        "reassignments=2 spare_broker, where a step leaves its ranges"
    ),
    "StopReplica: not s.replica[broker].alive": (
        "a dead broker deletes its log, as it does after its restart"
    ),
    "StopReplica: not s.replica[broker].hosted": "there is no log to delete; no additional state",
    "StopReplica: fairness": (
        "killed at replicas=2 records=1 crashes=0 elections=2 isr_propagation=records "
        "reassignments=2 spare_broker, by Converges in 6 steps"
    ),
}
"""By name, for every protocol."""

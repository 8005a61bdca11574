"""Mutants that survive in every protocol, unless it has its own note: guards, rules and fairness."""

from __future__ import annotations

GUARDS_AND_RULES = {
    "has_new_leader = unless_next_epoch": (
        "a follower that has missed no epoch continues with the same leader, which has only "
        "appended since: it has nothing to truncate"
    ),
    "assign_epoch = append_only": (
        "an epoch in which its leader wrote nothing stays in that leader's cache; no other log has "
        "records of it, and no property fails, even with 3 replicas or, with moves, 2 records and 3 "
        "elections"
    ),
    "fetch_advances_hw = at_any_fetch": (
        "without hw_waits the high watermark is already the least log end that it may be; with it "
        "it only moves earlier"
    ),
    "keeps_rejected_change = drop_rejected": (
        "is decided with hw_waits alone, where the high watermark then moves earlier"
    ),
    "exits_if_longer = exit_unless_unclean": (
        "killed at records=1 elections=0 crashes=0 power_losses=1, by NoBrokerExits in 11 steps, "
        "which is not a default property"
    ),
    "truncates_cache = only_if_log_shrinks": (
        "violates Stuck, which is not checked by default, at records=2 elections=3 crashes=0 moves "
        "in 8 steps"
    ),
    "hw_with_records = after_the_fetch": (
        "killed at records=3 elections=2 crashes=0 moves, by LogMatching in 14 steps, where kip-101 "
        "itself needs 15"
    ),
    "without_leader = lose_checkpoint": (
        "hw itself loses the same records within the same bounds, in as many steps"
    ),
    "may_lag = at_any_time": (
        "removes a replica that is in sync; a smaller ISR in the partition state loses nothing"
    ),
    "Produce: k.acks == ACKS_ALL and size(s.replica[leader].isr) < least": (
        "what a smaller ISR commits is never acknowledged; the rejection saves producers a "
        "timeout, and no property counts that"
    ),
    "SendFetch: s.replica[follower].leader != leader": (
        "only the follower's own leader answers; the request delays the follower's other requests"
    ),
    "SendFetch: s.message[follower].kind != IDLE": (
        "the message in flight is dropped and requested again, as after a lost message; records "
        "left in the message could have been appended before the request"
    ),
    "SendFetch: not s.replica[leader].alive": (
        "a dead leader does not answer; the request is like one sent before the crash"
    ),
    "SendEpochRequest: s.replica[follower].leader != leader": (
        "only the follower's own leader answers; the request delays the follower's other requests"
    ),
    "SendEpochRequest: s.message[follower].kind != IDLE": (
        "the message in flight is dropped and requested again, as after a lost message"
    ),
    "SendEpochRequest: not s.replica[leader].alive": (
        "a dead leader does not answer; the request is like one sent before the crash"
    ),
    "HandleFetchResponse: s.replica[follower].leader != leader": (
        "the step reads nothing of the leader that it names; with the follower's own leader it is "
        "the same step; no additional state"
    ),
    "HandleOutOfRange: s.message[follower].kind != OUT_OF_RANGE": (
        "drops the message in flight and asks for the leader's log end; a shorter log stays as it "
        "is, and a longer one would be truncated after its next fetch"
    ),
    "HandleOutOfRange: s.replica[follower].leader != leader": (
        "the step reads nothing of the leader that it names; with the follower's own leader it is "
        "the same step; no additional state"
    ),
    "HandleListOffsets: message.kind != LIST_OFFSETS": (
        "answers without a request, with its log end; a shorter log stays as it is, and a longer "
        "one would be truncated after its next fetch"
    ),
    "HandleListOffsets: s.replica[follower].leader != leader": (
        "with 3 replicas another leader answers with its log end; no property fails in fewer steps"
    ),
    "HandleListOffsets: not leads(s, leader)": (
        "a former leader answers with its log end; no property fails in fewer steps"
    ),
    "HandleListOffsetsResponse: message.kind != LIST_OFFSETS_RESPONSE": (
        "a follower that exits if its log is longer does so without a response: like a crash, which "
        "no bound counts"
    ),
    "HandleListOffsetsResponse: s.replica[follower].leader != leader": (
        "the step reads nothing of the leader that it names; with the follower's own leader it is "
        "the same step; no additional state"
    ),
    "HandleDivergingEpoch: s.replica[follower].leader != leader": (
        "the step reads nothing of the leader that it names; with the follower's own leader it is "
        "the same step; no additional state"
    ),
    "HandleEpochResponse: s.replica[follower].leader != leader": (
        "the step reads nothing of the leader that it names; with the follower's own leader it is "
        "the same step; no additional state"
    ),
    "RefuseRequest: kind != FETCH and kind != DELAYED_FETCH and (kind != LIST_OFFSETS) and (kind != EPOCH_REQUEST)": (
        "drops a response in flight, as a lost message does; the next response overwrites what is "
        "left in the message, or it could have been appended before the next request"
    ),
    "RefuseRequest: s.replica[follower].leader != leader": (
        "drops a request in flight, as if it had not been sent yet; no additional state"
    ),
    "RefuseRequest: leads(s, leader) and kind != EPOCH_REQUEST and is_served(s, k, leader, follower) and k.rules.may_serve_fetch(s, k, leader, epoch)": (
        "refuses a request that could be served, as if it had not been sent yet; no additional state"
    ),
    "RefuseRequest: leads(s, leader) and kind == EPOCH_REQUEST and k.rules.may_serve_epoch_request(s, k, leader, epoch)": (
        "refuses a request that could be served, as if it had not been sent yet; no additional state"
    ),
    "CompleteFetch: s.message[follower].kind != DELAYED_FETCH": (
        "answers without a request; this does not update the leader's follower state, and a "
        "follower that has not truncated yet truncates the new records with the rest"
    ),
    "CompleteFetch: s.replica[follower].leader != leader": (
        "answers a fetch that waits elsewhere; this does not update the leader's follower state"
    ),
    "CompleteFetch: not leads(s, leader)": (
        "answers a fetch that arrived while it led: the follower had all of its log then, and the "
        "answer does not update the leader's follower state"
    ),
    "CompleteFetch: not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch)": (
        "answers in its new epoch a fetch of the previous one: the follower had all of its log "
        "then, which a leader keeps, and the answer does not update the leader's follower state"
    ),
    "CompleteProduce: waiting.leader != leader": (
        "acknowledges a record that does not wait, at offset 0: with one record, once that is "
        "below the high watermark, where it is; killed at records=2 elections=0 crashes=0 "
        "purgatory, by NoAckedRecordLost in 3 steps"
    ),
    "ExpireProduce: s.delayed_produce[record].leader != leader": (
        "drops a produce that waits elsewhere, as its timeout there does; no additional state"
    ),
    "BecomeLeader: epoch > s.partition.epoch": (
        "an epoch that has not begun names no leader, which a later guard rejects; no additional state"
    ),
    "BecomeFollower: epoch > s.partition.epoch": (
        "an epoch that has not begun names no leader, and is ignored; with KRaft the broker follows "
        "nobody in it: violates Stuck, which is not checked by default, at records=0 elections=1 "
        "crashes=0 isr_propagation=kraft in 1 step"
    ),
    "ShrinkIsr: not s.replica[leader].isr >> follower & 1": (
        "removes a replica that is not in the ISR; no additional state, but for a notification with "
        "isr_propagation=zookeeper, which names the same ISR again"
    ),
    "ShrinkIsr: not k.rules.may_lag(s, k, leader, follower)": (
        "removes a replica that is in sync; a smaller ISR in the partition state loses nothing"
    ),
    "PassLagTime: not s.replica[leader].caught_up >> follower & 1": (
        "takes a follower away for which no high watermark waits; no additional state"
    ),
    "Elect: not s.replica[broker].alive": (
        "a later guard requires a live member of the ISR, unless the election is unclean"
    ),
    "Fence: s.partition.leader != broker and (not (member and may_leave))": (
        "an epoch begins in which nothing changes, and it counts towards the bound of elections"
    ),
    "HandleLateFetch: late.offset > s.replica[leader].leo": (
        "the leader may serve it anyway once its log has grown to that offset, and until then its "
        "own log end limits the high watermark; with fenced fetches no follower's log is longer "
        "than its leader's in their epoch: no additional state"
    ),
    "Crash: not s.replica[broker].alive": (
        "a dead broker crashes again, which changes only the number of crashes left"
    ),
    "LosePower: not s.replica[broker].alive": (
        "a dead broker loses power, and more of its log: the same as a power loss instead of the "
        "crash"
    ),
    "LosePower: kept > s.replica[broker].leo": (
        "loses no record, as if all were kept; no additional state"
    ),
    "CheckpointHw: not s.replica[broker].alive": (
        "the high watermark of a dead broker is its checkpoint, limited to its log end"
    ),
    "CheckpointHw: s.replica[broker].checkpoint == s.replica[broker].hw": (
        "writes the same value; no additional state"
    ),
    "LoseMessage: s.message[follower].kind == IDLE": (
        "loses nothing, as with a smaller bound of lost messages"
    ),
}
_RESTARTS = "a broker that is down restarts, and then leads, or fetches, again"

_KNOWLEDGE = (
    "tells the controller or clients what the partition state is; no liveness property asks what "
    "they know"
)

FAIRNESS = {
    "RefuseRequest: fairness": (
        "a request that is never answered ends when its sender applies the leader's epoch, or the "
        "leader applies the sender's and answers"
    ),
    "PassLagTime: fairness": (
        f"the high watermark waits for a follower that is down or behind: {_RESTARTS}"
    ),
    "Fence: fairness": f"takes the lead from a broker that nobody can replace: {_RESTARTS}",
    "FenceFollower: fairness": f"fences a follower that is down: {_RESTARTS}",
    "FenceOutOfSync: fairness": f"fences a broker that is down: {_RESTARTS}",
    "StartController: fairness": f"without a controller nobody is elected: {_RESTARTS}",
    "CheckpointHw: fairness": "what is on disk matters after a crash, and crashes come to an end",
    "CompleteProduce: fairness": (
        "a produce that is not completed expires; no liveness property asks for its acknowledgement"
    ),
    **{
        f"{action}: fairness": _KNOWLEDGE
        for action in (
            "WriteNotification", "ReadNotification", "RefreshCache", "DeleteNotification",
            "UpdateMetadata", "RefreshProducer", "RefreshConsumer", "Consume",
        )
    },
}  # fmt: skip
"""Actions that may be unfair: their fairness is Kafka's, but no property rests on it."""

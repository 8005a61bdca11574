"""Surviving mutants of the broker family's protocols, and why they survive.

"No additional state" was counted for hw, kip-279 and kip-320, histories included: with 2 replicas,
every fault, a checkpoint written in a separate step and late fetches, and with 3 replicas.  The
notes for kip-320 alone refer to what its fences exclude.
"""

from __future__ import annotations

from . import isr_survivors

_EVERY_PROTOCOL = {
    "Produce: k.acks == ACKS_ALL and size(s.replica[leader].isr) < k.min_isr": (
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
    "HandleOutOfRange: s.replica[follower].leader != leader": (
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
    "RefuseRequest: leads(s, leader) and kind != EPOCH_REQUEST and k.rules.may_serve_fetch(s, k, leader, epoch)": (
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
        "applies an epoch before it begins, and follows no leader in it forever: this violates "
        "Stuck, which is not an invariant"
    ),
    "ShrinkIsr: not s.replica[leader].isr >> follower & 1": (
        "removes a replica that is not in the ISR; no additional state"
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
"""For every protocol, unless it has its own note."""

_FETCH_FENCE = "HandleFetch: not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch)"
_EPOCH_FENCE = "HandleEpochRequest: not k.rules.may_serve_epoch_request(s, k, leader, s.replica[follower].epoch)"
_LATE_FENCE = "HandleLateFetch: not k.rules.may_serve_fetch(s, k, leader, late.epoch)"
_COMPLETE_FENCE = (
    "CompleteFetch: not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch)"
)
_NOT_DELAYED = "CompleteFetch: s.message[follower].kind != DELAYED_FETCH"
_LATE_LEADER = "HandleLateFetch: late.leader != leader"
_NOT_A_RESPONSE = "HandleFetchResponse: s.message[follower].kind != FETCH_RESPONSE"
_NOT_A_REQUEST = "HandleEpochRequest: s.message[follower].kind != EPOCH_REQUEST"
_NOT_TRUNCATING = "SendEpochRequest: not s.replica[follower].truncating"
_NOTICED = "Restart: k.bounce_noticed and (not once_fenced(s, k, broker))"
_ALIVE = "Fence: s.replica[broker].alive and (not k.moves)"

_WITHOUT_FENCE = {
    _FETCH_FENCE: "the rule is always true in this protocol; no additional state",
    _LATE_FENCE: "the rule is always true in this protocol; no additional state",
    _COMPLETE_FENCE: "the rule is always true in this protocol; no additional state",
    _NOT_A_RESPONSE: (
        "drops the message in flight and sets the follower's high watermark to 0, as before its "
        "first response; a loss by truncating to it takes no fewer steps than this protocol's "
        "own loss"
    ),
}

_WITHOUT_FENCE_BUT_EPOCHS = {
    **_WITHOUT_FENCE,
    _EPOCH_FENCE: "the rule is always true in this protocol; no additional state",
    _LATE_LEADER: (
        "killed at replicas=3 records=2 log_size=1 elections=2 crashes=1 moves late_request, by "
        "NoCommittedRecordLost in 14 steps; these bounds are too large for every mutant, so this "
        "is a slow test"
    ),
    _NOT_TRUNCATING: (
        "asks although the log is already truncated; no additional property fails, and none in "
        "fewer steps"
    ),
    _NOTICED: (
        "the bounce of a follower goes unnoticed, not that of a leader; no property fails, even "
        "with 2 records, 2 crashes and 3 elections"
    ),
    _ALIVE: (
        "a live broker is suspected; unlike a leader replaced by moves it leaves the ISR, and "
        "counts again only after it has caught up; no property fails, even with 2 records and 6 "
        "elections without crashes"
    ),
}

_OWN = {
    "hw": {
        **_WITHOUT_FENCE,
        "SendFetch: s.replica[follower].truncating": (
            "this protocol truncates as soon as it applies an epoch; no additional state"
        ),
        _LATE_LEADER: (
            "with 3 replicas a leader may serve another leader's fetch; hw itself loses a record in "
            "no more steps: 12, while kip-101 without this guard needs 14"
        ),
    },
    "kip-101": {
        **_WITHOUT_FENCE_BUT_EPOCHS,
        _NOT_DELAYED: (
            "killed at records=2 elections=3 crashes=0 moves purgatory, by LogMatching in 11 steps; "
            "these bounds are too large for every mutant, so this is a slow test"
        ),
    },
    "kip-279": {
        **_WITHOUT_FENCE_BUT_EPOCHS,
        _NOT_DELAYED: (
            "killed at records=2 elections=3 crashes=0 moves purgatory, by NoCommittedRecordLost in "
            "15 steps; these bounds are too large for every mutant, so this is a slow test"
        ),
    },
    "kip-320": {
        _NOT_TRUNCATING: (
            "asks although the log is already truncated; the answer of a leader in the same epoch "
            "truncates no committed record"
        ),
        "HandleFetch: s.replica[follower].leader != leader": (
            "the leader must be in the follower's epoch, and an epoch has one leader; no additional state"
        ),
        "HandleEpochRequest: s.replica[follower].leader != leader": (
            "the leader must be in the follower's epoch, and an epoch has one leader; no additional state"
        ),
        _NOT_A_REQUEST: "answers without a request, but by the follower's current log",
        "HandleEpochRequest: not leads(s, leader)": (
            "a leader that has restarted in its epoch answers from the log with which it led; "
            "if a power loss has truncated it, the original loses a record too"
        ),
        _NOT_A_RESPONSE: (
            "drops the message in flight and sets the follower's high watermark to 0: it may lag at "
            "any time, and nothing is truncated to it"
        ),
        _LATE_LEADER: (
            "the leader must be in the epoch of the fetch, and without a fetch no leader is; "
            "no additional state"
        ),
        _LATE_FENCE: (
            "killed at replicas=3 records=2 log_size=1 elections=3 crashes=1 moves late_request, by "
            "NoCommittedRecordLost in 19 steps; these bounds are too large for every mutant, so "
            "this is a slow test"
        ),
        _NOTICED: "a bounce goes unnoticed; kip-320 does not rely on noticing it",
        _ALIVE: "a live broker is suspected, as a live leader is with moves",
    },
    "kip-595": {
        "begin_following = ask_before_fetching": (
            "this protocol has no OffsetsForLeaderEpoch, so a new follower waits forever: this "
            "violates Stuck, which is not an invariant"
        ),
        "may_serve_epoch_request = serve_anyone": (
            "this protocol has no OffsetsForLeaderEpoch; no additional state"
        ),
        "end_offset_for_epoch = start_of_next_epoch": (
            "the answer names no epoch, so every fetch after a record diverges and does not update "
            "the leader's follower state: this violates Stuck, which is not an invariant"
        ),
        "truncate_by_answer = cut_to_answer": (
            "the next fetch is compared again, so too short a truncation does not update the "
            "leader's follower state, and may be repeated forever: this violates Stuck (11 steps "
            "at records=3 elections=2)"
        ),
        "may_list_offsets = list_at_once": (
            "killed at records=1 crashes=1 elections=1, by ListedOffsetsMonotonic in 10 steps, which "
            "is not a default property of the protocol"
        ),
        "SendFetch: s.replica[follower].truncating": (
            "a follower fetches at once in this protocol; no additional state"
        ),
        "HandleFetch: s.message[follower].kind != FETCH": (
            "serves without a request, but by the follower's current log, which it compares"
        ),
        _NOT_A_RESPONSE: (
            "drops the message in flight and sets the follower's high watermark to 0: it may lag at "
            "any time, and nothing is truncated to it"
        ),
        "HandleFetch: s.replica[follower].leader != leader": (
            "the leader must be in the follower's epoch, and an epoch has one leader; no additional state"
        ),
        _LATE_LEADER: (
            "the leader must be in the epoch of the fetch, and without a fetch no leader is; "
            "no additional state"
        ),
        _LATE_FENCE: (
            "killed at replicas=3 records=2 log_size=1 elections=3 crashes=1 moves late_request, by "
            "NoCommittedRecordLost in 19 steps; these bounds are too large for every mutant, so "
            "this is a slow test"
        ),
        _NOTICED: "a bounce goes unnoticed; kip-595 does not rely on noticing it",
        _ALIVE: "a live broker is suspected, as a live leader is with moves",
    },
}

SURVIVORS = {
    **_EVERY_PROTOCOL,
    **isr_survivors.SURVIVORS,
    **{f"{name}: {mutant}": note for name, own in _OWN.items() for mutant, note in own.items()},
}
"""By name; by protocol and name if the reason holds for that protocol only."""

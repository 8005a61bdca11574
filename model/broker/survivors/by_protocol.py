"""Mutants that survive in one protocol, or for a reason of its own.

The notes for kip-320 and its successors refer to what their fences exclude.
"""

from __future__ import annotations

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
_LIST_LEADER = "HandleListOffsets: s.replica[follower].leader != leader"
_LIST_LEADS = "HandleListOffsets: not leads(s, leader)"
_LIST_FENCE = (
    "HandleListOffsets: not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch)"
)
_RESTART = "Restart: not early and (not k.rules.may_restart(s, k, broker))"
_NOTICED = "Restart: k.bounce_noticed and (not once_fenced(s, k, broker))"
_MAY_LAG = "ShrinkIsr: not k.rules.may_lag(s, k, leader, follower)"
_ALIVE = "Fence: s.replica[broker].alive and (not k.moves)"

_WITHOUT_FENCE = {
    _FETCH_FENCE: "the rule is always true in this protocol; no additional state",
    _LATE_FENCE: "the rule is always true in this protocol; no additional state",
    _COMPLETE_FENCE: "the rule is always true in this protocol; no additional state",
    _LIST_FENCE: "the rule is always true in this protocol; no additional state",
    _RESTART: "the rule is always true in this protocol; no additional state",
    _MAY_LAG: "the rule is always true in this protocol; no additional state",
    _NOT_A_RESPONSE: (
        "drops the message in flight and sets the follower's high watermark to 0, as before its "
        "first response; a loss by truncating to it takes no fewer steps than this protocol's "
        "own loss"
    ),
}

_WITHOUT_FENCE_BUT_EPOCHS = {
    **_WITHOUT_FENCE,
    _EPOCH_FENCE: "the rule is always true in this protocol; no additional state",
    _NOT_TRUNCATING: (
        "asks although the log is already truncated; no additional property fails, and none in "
        "fewer steps"
    ),
    _ALIVE: (
        "a live broker is suspected; unlike a leader replaced by moves it leaves the ISR, and "
        "counts again only after it has caught up; no property fails, even with 2 records and 6 "
        "elections without crashes"
    ),
}

_LATE_BUT_NO_SOONER = (
    "with 3 replicas, 3 elections and moves a fetch of another epoch counts; kip-320 and kip-595 "
    "themselves lose a record there, in 17 steps"
)
_NO_LIST_OFFSETS = (
    "no follower asks in this protocol, where no fetch is out of range; no additional state"
)

_NEVER_OUT_OF_RANGE = {
    f"{action}: fairness": (
        "a follower whose log is longer gets the diverging epoch and truncates, so within these "
        "bounds no offset is out of range"
    )
    for action in ("HandleOutOfRange", "HandleListOffsets", "HandleListOffsetsResponse")
}

_KIP_595 = {
    **_NEVER_OUT_OF_RANGE,
    _LIST_LEADER: _NO_LIST_OFFSETS,
    _LIST_LEADS: _NO_LIST_OFFSETS,
    _LIST_FENCE: _NO_LIST_OFFSETS,
    "exits_if_longer = exit_unless_unclean": (
        "a log that is longer than the leader's diverges, so no fetch is out of range in this "
        "protocol; no additional state"
    ),
    "applies_diverging_hw = before_truncating": (
        "the high watermark is too high only until the follower has truncated; no property fails, "
        "even with 3 records and, with moves, 3 elections"
    ),
    "may_be_members = anybody": (
        "killed at records=0 crashes=1 elections=1 isr_propagation=kraft, by EligibleIsr in 8 "
        "steps, which is not a default property; may_restart keeps a fenced member of the ISR from "
        "restarting with a shorter log"
    ),
    "elects_last_known_leader = even_if_fenced": (
        "killed at records=0 elections=2 crashes=2 elr last_known_leader isr_propagation=records, "
        "by EligibleIsr in 6 steps, which is not a default property"
    ),
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
        "leader's follower state, and may be repeated forever: this violates Stuck (7 steps "
        "at records=3 elections=2 crashes=0 moves)"
    ),
    "may_list_offsets = list_at_once": (
        "killed at records=1 crashes=0 elections=1 moves, by ListedOffsetsMonotonic in 8 steps, "
        "which is not a default property of the protocol"
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
        "the leader must be in the follower's epoch, and an epoch has one leader; no additional "
        "state"
    ),
    _LATE_LEADER: (
        "the leader must be in the epoch of the fetch, and without a fetch no leader is; "
        "no additional state"
    ),
    _LATE_FENCE: _LATE_BUT_NO_SOONER,
    "BecomeFollower: not s.replica[follower].alive": (
        "killed at records=1 elections=4 crashes=1 moves, by NoCommittedRecordLost in 15 steps; "
        "these bounds are too large for every mutant, so this is a slow test"
    ),
    _NOTICED: "the rule may_restart requires the same in this protocol; no additional state",
    "FenceOutOfSync: s.partition.leader == broker": (
        "fences a dead leader in its epoch; may_restart keeps it from restarting before another "
        "epoch takes the leadership away"
    ),
    "FenceOutOfSync: s.partition.isr >> broker & 1 and s.partition.isr != 1 << broker": (
        "killed at records=0 elections=0 crashes=1 isr_propagation=kraft, by EligibleIsr in 2 "
        "steps, which is not a default property; may_restart keeps such a broker from restarting"
    ),
    _ALIVE: "a live broker is suspected, as a live leader is with moves",
}
"""Also of kip-595-reset, which differs in two rules."""

SURVIVORS = {
    "hw": {
        **_WITHOUT_FENCE,
        "SendFetch: s.replica[follower].truncating": (
            "this protocol truncates as soon as it applies an epoch; no additional state"
        ),
        "ElectLastKnown: not _recovers(s, k, broker)": (
            "elects a broker without its log although an eligible replica has it; hw itself loses a "
            "record in no more steps: 12"
        ),
        _LATE_LEADER: (
            "with 3 replicas a leader may serve another leader's fetch; hw itself loses a record in "
            "no more steps: 12, as many as kip-101 without this guard"
        ),
    },
    "kip-101": {
        **_WITHOUT_FENCE_BUT_EPOCHS,
        _LATE_LEADER: (
            "killed at replicas=3 records=2 log_size=1 elections=2 crashes=1 moves late_request, by "
            "NoCommittedRecordLost in 12 steps; these bounds are too large for every mutant, so "
            "this is a slow test"
        ),
        _NOT_DELAYED: (
            "killed at records=2 elections=3 crashes=0 moves purgatory, by LogMatching in 11 "
            "steps; these bounds are too large for every mutant, so this is a slow test"
        ),
    },
    "kip-279": {
        **_WITHOUT_FENCE_BUT_EPOCHS,
        _LATE_LEADER: (
            "killed at replicas=3 records=2 log_size=1 elections=2 crashes=1 moves late_request, by "
            "NoCommittedRecordLost in 14 steps; these bounds are too large for every mutant, so "
            "this is a slow test"
        ),
        "begin_leading = cache_with_first_record": (
            "kip-279 itself loses a record in no more steps: 15 at records=1 elections=3 crashes=0 "
            "moves, while kip-320 with this rule needs 17"
        ),
        "has_new_leader = if_leader_changes": (
            "kip-279 itself diverges in no more steps: 18 at replicas=3 records=2 log_size=1 "
            "elections=2 crashes=0 moves, as many as kip-320 with this rule"
        ),
        _NOT_DELAYED: (
            "killed at records=2 elections=3 crashes=0 moves purgatory, by NoCommittedRecordLost "
            "in 14 steps; these bounds are too large for every mutant, so this is a slow test"
        ),
    },
    "kip-320": {
        _RESTART: "the rule is always true in this protocol; no additional state",
        _LIST_LEADER: (
            "the leader must be in the follower's epoch, and an epoch has one leader; no "
            "additional state"
        ),
        _LIST_LEADS: (
            "the leader must be in the follower's epoch, and does not stop leading in it but by a "
            "crash, which drops the request; no additional state"
        ),
        _LIST_FENCE: (
            "a leader answers with its log end in a newer epoch; it has all committed records, and "
            "the follower truncates again in that epoch"
        ),
        _NOT_TRUNCATING: (
            "asks although the log is already truncated; the answer of a leader in the same epoch "
            "truncates no committed record"
        ),
        "HandleFetch: s.replica[follower].leader != leader": (
            "the leader must be in the follower's epoch, and an epoch has one leader; no "
            "additional state"
        ),
        "HandleEpochRequest: s.replica[follower].leader != leader": (
            "the leader must be in the follower's epoch, and an epoch has one leader; no "
            "additional state"
        ),
        _NOT_A_REQUEST: "answers without a request, but by the follower's current log",
        "HandleEpochRequest: not leads(s, leader)": (
            "a leader that has restarted in its epoch answers from the log with which it led; "
            "if a power loss has truncated it, the original loses a record too"
        ),
        _NOT_A_RESPONSE: (
            "drops the message in flight and sets the follower's high watermark to 0: it may lag "
            "at any time, and nothing is truncated to it"
        ),
        _LATE_LEADER: (
            "the leader must be in the epoch of the fetch, and without a fetch no leader is; "
            "no additional state"
        ),
        _LATE_FENCE: _LATE_BUT_NO_SOONER,
        _ALIVE: "a live broker is suspected, as a live leader is with moves",
    },
    "kip-595": _KIP_595,
    "kip-595-reset": {
        **_KIP_595,
        "forgets_remote_leos = unless_leading": (
            "killed at replicas=3 records=1 elections=3 crashes=0 moves, by NoCommittedRecordLost "
            "in 17 steps; these bounds are too large for every mutant, so this is a slow test"
        ),
        _LATE_FENCE: (
            "killed at replicas=3 records=2 log_size=1 elections=3 crashes=1 moves late_request, "
            "by NoCommittedRecordLost in 19 steps; these bounds are too large for every mutant, so "
            "this is a slow test"
        ),
    },
}
"""By protocol and name; the reason holds for that protocol only."""

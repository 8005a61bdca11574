"""Mutants of the broker family's protocols that nothing kills, and why.

"No state more" was counted for hw, kip-279 and kip-320, histories included: with 2 replicas, every
fault, a checkpoint written in a step of its own and late fetches, and with 3 replicas.  A note that
is kip-320's own speaks of what its fences exclude.
"""

from __future__ import annotations

from . import isr_survivors

_EVERY_PROTOCOL = {
    "Produce: k.acks == ACKS_ALL and size(s.replica[leader].isr) < k.min_isr": (
        "what a smaller ISR commits is acknowledged to nobody; the refusal spares producers the "
        "wait, and no property counts that"
    ),
    "SendFetch: s.replica[follower].leader != leader": (
        "only whom the follower follows answers; the request keeps it from asking for something "
        "else meanwhile"
    ),
    "SendFetch: s.message[follower].kind != IDLE": (
        "what was under way is dropped and asked for again, as after a lost message; records that "
        "stay in the message might have been appended before asking"
    ),
    "SendFetch: not s.replica[leader].alive": (
        "a dead leader answers nothing; the request is one that a crash has overtaken"
    ),
    "SendEpochRequest: s.replica[follower].leader != leader": (
        "only whom the follower follows answers; the request keeps it from asking for something "
        "else meanwhile"
    ),
    "SendEpochRequest: s.message[follower].kind != IDLE": (
        "what was under way is dropped and asked for again, as after a lost message"
    ),
    "SendEpochRequest: not s.replica[leader].alive": (
        "a dead leader answers nothing; the request is one that a crash has overtaken"
    ),
    "HandleFetchResponse: s.replica[follower].leader != leader": (
        "nothing of the leader that the step names is read; with the follower's own leader it is "
        "the same step; no state more"
    ),
    "HandleOutOfRange: s.replica[follower].leader != leader": (
        "nothing of the leader that the step names is read; with the follower's own leader it is "
        "the same step; no state more"
    ),
    "HandleDivergingEpoch: s.replica[follower].leader != leader": (
        "nothing of the leader that the step names is read; with the follower's own leader it is "
        "the same step; no state more"
    ),
    "HandleEpochResponse: s.replica[follower].leader != leader": (
        "nothing of the leader that the step names is read; with the follower's own leader it is "
        "the same step; no state more"
    ),
    "RefuseRequest: kind != FETCH and kind != DELAYED_FETCH and (kind != EPOCH_REQUEST)": (
        "drops an answer that is under way, as a lost message does; the next answer replaces what "
        "stays in the message, or it might have been appended before asking again"
    ),
    "RefuseRequest: s.replica[follower].leader != leader": (
        "drops a request that is under way, as if it had not been sent yet; no state more"
    ),
    "RefuseRequest: leads(s, leader) and kind != EPOCH_REQUEST and k.rules.may_serve_fetch(s, k, leader, epoch)": (
        "refuses what might be served, as if it had not been asked yet; no state more"
    ),
    "RefuseRequest: leads(s, leader) and kind == EPOCH_REQUEST and k.rules.may_serve_epoch_request(s, k, leader, epoch)": (
        "refuses what might be served, as if it had not been asked yet; no state more"
    ),
    "CompleteFetch: s.message[follower].kind != DELAYED_FETCH": (
        "answers what was not asked; the leader learns nothing by it, and a follower that has yet "
        "to truncate cuts what it was given with the rest"
    ),
    "CompleteFetch: s.replica[follower].leader != leader": (
        "answers a fetch that waits elsewhere; the leader learns nothing by it"
    ),
    "CompleteFetch: not leads(s, leader)": (
        "answers a fetch that came when it led: the follower had all of its log then, and the "
        "leader learns nothing by it"
    ),
    "CompleteFetch: not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch)": (
        "answers in its new epoch a fetch that came in the one before: the follower had all of "
        "its log then, which a leader keeps, and the leader learns nothing by it"
    ),
    "CompleteProduce: s.delayed_produce[record].leader != leader": (
        "tells a producer after its timeout, or once more, that the record is written, which is "
        "below the high watermark of the leader that appended it; its ISR is large enough"
    ),
    "ExpireProduce: s.delayed_produce[record].leader != leader": (
        "drops a produce that waits elsewhere, as its timeout there does; no state more"
    ),
    "BecomeLeader: epoch > s.partition.epoch": (
        "an epoch that has not begun names no leader, which a later guard refuses; no state more"
    ),
    "BecomeFollower: epoch > s.partition.epoch": (
        "takes up an epoch before it begins, and follows nobody in it for good: Stuck would tell, "
        "which is not among the invariants"
    ),
    "ShrinkIsr: not s.replica[leader].isr >> follower & 1": ("takes out who is out; no state more"),
    "ShrinkIsr: s.replica[leader].remote_leo[follower] == s.replica[leader].leo": (
        "takes out who is in sync; a smaller ISR that the partition state agrees to loses nothing"
    ),
    "Elect: not s.replica[broker].alive": (
        "a later guard asks for a live member of the ISR, unless the election is unclean"
    ),
    "Fence: s.partition.leader != broker and (not (member and may_leave))": (
        "an epoch begins in which nothing is new, and which is one of those that the bounds allow"
    ),
    "HandleLateFetch: late.offset > s.replica[leader].leo": (
        "the leader may serve it as well once its log has grown to that offset, and until then its "
        "own log end holds the high watermark; where fetches are fenced, no follower's log is "
        "longer than its leader's in their epoch: no state more"
    ),
    "Crash: not s.replica[broker].alive": (
        "who is dead crashes again, which changes nothing but the number of crashes that are left"
    ),
    "LosePower: not s.replica[broker].alive": (
        "who is dead loses its power, and more of its log: no less than if it had been the power "
        "at first"
    ),
    "LosePower: kept > s.replica[broker].leo": (
        "loses no record, as where all are kept; no state more"
    ),
    "CheckpointHw: not s.replica[broker].alive": (
        "the high watermark of a dead broker is the one of its checkpoint, cut to its log"
    ),
    "CheckpointHw: s.replica[broker].checkpoint == s.replica[broker].hw": (
        "writes what is there; no state more"
    ),
    "LoseMessage: s.message[follower].kind == IDLE": (
        "loses nothing; as with one message less that may be lost"
    ),
}
"""Of whichever protocol, unless one has a note of its own."""

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
_NOTICED = (
    "Restart: k.bounce_noticed and s.partition.isr >> broker & 1 and (size(s.partition.isr) > 1)"
)
_ALIVE = "Fence: s.replica[broker].alive and (not (k.moves and s.partition.leader == broker))"

_WITHOUT_FENCE = {
    _FETCH_FENCE: "the rule is always true in this protocol; no state more",
    _LATE_FENCE: "the rule is always true in this protocol; no state more",
    _COMPLETE_FENCE: "the rule is always true in this protocol; no state more",
    _NOT_A_RESPONSE: (
        "drops what is under way and sets the follower's high watermark to 0, as if it had learnt "
        "nothing yet; whatever is lost by cutting to it takes no fewer steps than this protocol's "
        "own loss"
    ),
}

_WITHOUT_FENCE_BUT_EPOCHS = {
    **_WITHOUT_FENCE,
    _EPOCH_FENCE: "the rule is always true in this protocol; no state more",
    _LATE_LEADER: (
        "dies at replicas=3 records=2 log_size=1 elections=2 crashes=1 moves late_request, of "
        "NoCommittedRecordLost in 14 steps; that is too large for every mutant, so it is among the "
        "slow tests"
    ),
    _NOT_TRUNCATING: (
        "asks although the log is cut already; no property fails that holds without it, and none "
        "in fewer steps"
    ),
    _NOTICED: (
        "a bounce goes unnoticed of a follower, not of a leader; no property fails so, also not "
        "with 2 records, 2 crashes and 3 elections"
    ),
    _ALIVE: (
        "a live broker is suspected; unlike one that is replaced with moves it leaves the ISR, and "
        "counts again only when it has caught up; no property fails so, also not with 2 records "
        "and 6 elections without crashes"
    ),
}

_OWN = {
    "hw": {
        **_WITHOUT_FENCE,
        "SendFetch: s.replica[follower].truncating": (
            "a log is cut as soon as an epoch is taken up in this protocol; no state more"
        ),
        _LATE_LEADER: (
            "with 3 replicas a leader may serve a fetch that another one had; hw loses a record in "
            "no more steps by itself, 12 where kip-101 without this guard needs 14"
        ),
    },
    "kip-101": {
        **_WITHOUT_FENCE_BUT_EPOCHS,
        _NOT_DELAYED: (
            "dies at records=2 elections=3 crashes=0 moves purgatory, of LogMatching in 11 steps; "
            "that is too large for every mutant, so it is among the slow tests"
        ),
    },
    "kip-279": {
        **_WITHOUT_FENCE_BUT_EPOCHS,
        _NOT_DELAYED: (
            "dies at records=2 elections=3 crashes=0 moves purgatory, of NoCommittedRecordLost in "
            "15 steps; that is too large for every mutant, so it is among the slow tests"
        ),
    },
    "kip-320": {
        _NOT_TRUNCATING: (
            "asks although the log is cut already; the answer of a leader in the same epoch cuts "
            "nothing that is committed"
        ),
        "HandleFetch: s.replica[follower].leader != leader": (
            "the leader must be in the follower's epoch, and an epoch has one leader; no state more"
        ),
        "HandleEpochRequest: s.replica[follower].leader != leader": (
            "the leader must be in the follower's epoch, and an epoch has one leader; no state more"
        ),
        _NOT_A_REQUEST: "answers what was not asked, but for the log that the follower has",
        "HandleEpochRequest: not leads(s, leader)": (
            "a leader that has restarted in its epoch answers from the log with which it led; "
            "where a power loss has cut that, the original loses a record too"
        ),
        _NOT_A_RESPONSE: (
            "drops what is under way and sets the follower's high watermark to 0: it may lag at "
            "any time, and nothing is cut to it"
        ),
        _LATE_LEADER: (
            "the leader must be in the epoch of the fetch, which is nobody's where there is none; "
            "no state more"
        ),
        _LATE_FENCE: (
            "dies at replicas=3 records=2 log_size=1 elections=3 crashes=1 moves late_request, of "
            "NoCommittedRecordLost in 19 steps; that is too large for every mutant, so it is among "
            "the slow tests"
        ),
        _NOTICED: "a bounce goes unnoticed; kip-320 does not need it to be noticed",
        _ALIVE: "a live broker is suspected, as with moves a live leader is",
    },
    "kip-595": {
        "begin_following = ask_before_fetching": (
            "nobody asks for the end of an epoch in this protocol, so a new follower waits for "
            "good: Stuck would tell, which is not among the invariants"
        ),
        "may_serve_epoch_request = serve_anyone": (
            "nobody asks for the end of an epoch in this protocol; no state more"
        ),
        "end_offset_for_epoch = start_of_next_epoch": (
            "the answer names no epoch, so every fetch behind a record diverges and teaches the "
            "leader nothing: Stuck would tell, which is not among the invariants"
        ),
        "truncate_by_answer = cut_to_answer": (
            "the next fetch is compared again, so a cut that leaves too much teaches the leader "
            "nothing, and may be made for ever: Stuck would tell (11 steps at records=3 elections=2)"
        ),
        "may_list_offsets = list_at_once": (
            "dies at records=1 crashes=1 elections=1, of ListedOffsetsMonotonic in 10 steps, which "
            "is not among the properties of the protocol"
        ),
        "SendFetch: s.replica[follower].truncating": (
            "a follower fetches at once in this protocol; no state more"
        ),
        "HandleFetch: s.message[follower].kind != FETCH": (
            "serves what was not asked, but for the log that the follower has, and which it compares"
        ),
        _NOT_A_RESPONSE: (
            "drops what is under way and sets the follower's high watermark to 0: it may lag at "
            "any time, and nothing is cut to it"
        ),
        "HandleFetch: s.replica[follower].leader != leader": (
            "the leader must be in the follower's epoch, and an epoch has one leader; no state more"
        ),
        _LATE_LEADER: (
            "the leader must be in the epoch of the fetch, which is nobody's where there is none; "
            "no state more"
        ),
        _LATE_FENCE: (
            "dies at replicas=3 records=2 log_size=1 elections=3 crashes=1 moves late_request, of "
            "NoCommittedRecordLost in 19 steps; that is too large for every mutant, so it is among "
            "the slow tests"
        ),
        _NOTICED: "a bounce goes unnoticed; kip-595 does not need it to be noticed",
        _ALIVE: "a live broker is suspected, as with moves a live leader is",
    },
}

SURVIVORS = {
    **_EVERY_PROTOCOL,
    **isr_survivors.SURVIVORS,
    **{f"{name}: {mutant}": note for name, own in _OWN.items() for mutant, note in own.items()},
}
"""By name; by protocol and name where the reason is that protocol's own."""

"""Mutants of the broker family's protocols that nothing kills, and why.

Each survived under kip-320 with 2 replicas and 1 record; some were searched further.  A note that
is kip-320's own speaks of what its fences exclude.
"""

from __future__ import annotations

SURVIVORS = {
    "Produce: k.acks == ACKS_ALL and size(s.replica[leader].isr) < k.min_isr": (
        "what a smaller ISR commits is acknowledged to nobody; the refusal spares producers the "
        "wait, and no property counts that"
    ),
    "SendFetch: s.replica[follower].leader != leader": (
        "only whom the follower follows answers; the request keeps it from asking for something "
        "else meanwhile"
    ),
    "SendFetch: s.message[follower].kind != IDLE": (
        "what was under way is dropped and asked for again, as after a lost message"
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
    "kip-320: SendEpochRequest: not s.replica[follower].truncating": (
        "asks although the log is cut already; the answer of a leader in the same epoch cuts "
        "nothing that is committed"
    ),
    "kip-320: HandleFetch: s.replica[follower].leader != leader": (
        "the leader must be in the follower's epoch, and an epoch has one leader"
    ),
    "kip-320: HandleEpochRequest: s.replica[follower].leader != leader": (
        "the leader must be in the follower's epoch, and an epoch has one leader"
    ),
    "kip-320: HandleEpochRequest: s.message[follower].kind != EPOCH_REQUEST": (
        "answers what was not asked, but for the log that the follower has"
    ),
    "kip-320: HandleEpochRequest: not leads(s, leader)": (
        "whoever is in the follower's epoch and not its follower leads in it"
    ),
    "kip-320: HandleFetchResponse: s.message[follower].kind != FETCH_RESPONSE": (
        "drops what is under way and sets the follower's high watermark to 0: it may lag at any "
        "time, and nothing is cut to it"
    ),
    "HandleFetchResponse: s.replica[follower].leader != leader": (
        "nothing of the leader that the step names is read; with the follower's own leader it is "
        "the same step"
    ),
    "HandleOutOfRange: s.replica[follower].leader != leader": (
        "nothing of the leader that the step names is read; with the follower's own leader it is "
        "the same step"
    ),
    "HandleEpochResponse: s.replica[follower].leader != leader": (
        "nothing of the leader that the step names is read; with the follower's own leader it is "
        "the same step"
    ),
    "RefuseRequest: kind != FETCH and kind != EPOCH_REQUEST": (
        "drops an answer that is under way, as a lost message does"
    ),
    "RefuseRequest: s.replica[follower].leader != leader": (
        "drops a request that is under way, as a lost message does"
    ),
    "RefuseRequest: leads(s, leader) and kind == FETCH and k.rules.may_serve_fetch(s, k, leader, epoch)": (
        "refuses what might be served; the follower may ask again at once"
    ),
    "RefuseRequest: leads(s, leader) and kind == EPOCH_REQUEST and k.rules.may_serve_epoch_request(s, k, leader, epoch)": (
        "refuses what might be served; the follower may ask again at once"
    ),
    "kip-320: HandleLateFetch: late.leader != leader": (
        "where there is no late fetch its epoch is nobody's, and so fenced"
    ),
    "kip-320: HandleLateFetch: not leads(s, leader)": (
        "a replica that does not lead notes a remote LEO, which it forgets with the next epoch"
    ),
    "kip-320: HandleLateFetch: not k.rules.may_serve_fetch(s, k, leader, late.epoch)": (
        "the ladder has one power loss and 1 record with late fetches; more of either may kill it"
    ),
    "kip-320: HandleLateFetch: late.offset > s.replica[leader].leo": (
        "within an epoch no follower's log is longer than its leader's"
    ),
    "BecomeLeader: epoch > s.quorum.epoch": (
        "an epoch that has not begun names no leader, which a later guard refuses"
    ),
    "BecomeFollower: epoch > s.quorum.epoch": (
        "takes up an epoch before it begins, and follows nobody in it for good: Stuck would tell, "
        "which is not among the invariants"
    ),
    "kip-320: BecomeFollower: not s.replica[follower].alive": (
        "a dead broker follows, which is no worse than one that is alive"
    ),
    "ShrinkIsr: not s.replica[leader].isr >> follower & 1": ("takes out who is out; no state more"),
    "ShrinkIsr: s.replica[leader].remote_leo[follower] == s.replica[leader].leo": (
        "takes out who is in sync; a smaller ISR that the quorum state agrees to loses nothing"
    ),
    "Elect: not s.replica[broker].alive": (
        "a later guard asks for a live member of the ISR, unless the election is unclean"
    ),
    "kip-320: Elect: leader != NONE and s.replica[leader].alive and (not s.replica[leader].restarted) and (not (k.moves and leader != broker))": (
        "a live leader is replaced, as with moves, or elected again"
    ),
    "kip-320: Fence: s.replica[broker].alive and (not (k.moves and s.quorum.leader == broker))": (
        "a live broker is suspected, as with moves a live leader is"
    ),
    "kip-320: Fence: s.quorum.leader != broker and (not (member and size(s.quorum.isr) > 1))": (
        "an epoch begins in which nothing is new"
    ),
    "Crash: not s.replica[broker].alive": (
        "who is dead crashes again, which changes nothing but the number of crashes that are left"
    ),
    "LosePower: not s.replica[broker].alive": (
        "who is dead loses its power, and more of its log: no less than if it had been the power "
        "at first"
    ),
    "LosePower: kept > s.replica[broker].leo": ("loses no record: as where all are kept"),
    "kip-320: Restart: k.bounce_noticed and s.quorum.leader == broker": (
        "a bounce goes unnoticed; kip-320 does not need it to be noticed"
    ),
    "kip-320: Restart: k.bounce_noticed and s.quorum.isr >> broker & 1 and (size(s.quorum.isr) > 1)": (
        "a bounce goes unnoticed; kip-320 does not need it to be noticed"
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
"""By name; by protocol and name where the reason is that protocol's own."""

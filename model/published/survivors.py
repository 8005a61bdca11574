"""Mutants of the published protocols that nothing kills, and why.

"No state more" was counted with 2 replicas, 2 records and 3 epochs, and with 3 replicas, 1 record
and 2 epochs: the mutant has the states of its original there, and no other.
"""

from __future__ import annotations

SURVIVORS = {
    "ControllerElectLeader: s.partition.leader == replica": (
        "the leader is elected again, in a new epoch, and keeps its log; kip-320 holds everything "
        "so to 3 replicas, 2 records and 3 epochs"
    ),
    "ControllerShrinkIsr: s.partition.leader != replica and (not s.partition.isr >> replica & 1)": (
        "the controller begins an epoch with the same leader and ISR; kip-320 holds everything so "
        "to 3 replicas, 2 records and 3 epochs"
    ),
    "BecomeLeader: epoch > s.partition.epoch": (
        "an epoch that has not begun names no leader, which a later guard refuses; no state more"
    ),
    "BecomeFollower: epoch > s.partition.epoch": (
        "an epoch that has not begun names no leader, which a later guard refuses; no state more"
    ),
    "LeaderExpandIsr: s.replica[leader].isr >> follower & 1": ("lets in who is in; no state more"),
    "LeaderShrinkIsr: not s.replica[leader].isr >> follower & 1": (
        "takes out who is out; no state more"
    ),
    "keeps_up = follows_up_to": (
        "the leader keeps members that it might take out: fewer behaviors, all of them the "
        "original's"
    ),
    "LeaderShrinkIsr: k.rules.keeps_up(s, k, leader, follower, s.replica[leader].leo)": (
        "takes out a member that keeps up; a leader may take out any while it does not, and a "
        "smaller ISR that the partition state agrees to loses nothing"
    ),
    "LeaderExpandIsr: not k.rules.may_expand_isr(s, k, leader)": (
        "the rule is always true in this protocol; no state more"
    ),
    "BecomeFollower: not k.rules.may_follow(s, k, leader, epoch)": (
        "the rule is always true in this protocol; no state more"
    ),
    "LeaderIncHighWatermark: s.replica[leader].hw >= s.replica[leader].leo": (
        "a leader is in the ISR that it believes in, and so must acknowledge by its own log end; "
        "no state more"
    ),
    "LeaderIncHighWatermark: not leads(s, leader)": (
        "a follower's leader is in the ISR that the follower believes in, and would have to "
        "follow it in turn: impossible in kip-320; elsewhere no property fails that holds without "
        "it, and none in fewer steps"
    ),
    "BecomeFollower: leader == follower": (
        "cuts nothing, both logs being one and the same: what BecomeLeader does; no state more"
    ),
    "BecomeFollower: offset > s.replica[follower].leo": (
        "no protocol but kip-101 cuts beyond the log's end; no state more"
    ),
    "FollowerFetch: not leads(s, leader)": (
        "copies from a replica that no longer leads, while the follower has not heard of that; no "
        "property fails that holds without it, and none in fewer steps"
    ),
    "published/hw: FollowerFetch: not k.rules.may_fetch(s, k, leader, follower, end)": (
        "copies from a leader that is not its own; no property fails that holds without it, and "
        "none in fewer steps"
    ),
    "published/kip-320-first-try: BecomeFollower: leader == NONE": (
        "takes up an epoch without a leader and keeps the log, as the original means to in the "
        "branch that it never takes; no property fails that holds without it, and none in fewer "
        "steps"
    ),
    "published/kip-320-first-try: FollowerTruncate: not _contradicts(s, k, leader, follower)": (
        "cuts behind the last match, which is the log's end where nothing contradicts; no state "
        "more"
    ),
    "published/kip-320: may_follow = any_leader": (
        "dies at replicas=3 max_leader_epoch=2, of StrongIsr in 13 steps; that takes too long for "
        "every mutant, so it is among the slow tests"
    ),
    "published/kip-320: BecomeFollower: not k.rules.may_follow(s, k, leader, epoch)": (
        "dies as may_follow = any_leader does, at replicas=3 max_leader_epoch=2"
    ),
    "published/kip-320: BecomeFollower: leader == NONE": (
        "may_follow refuses it, since nobody leads in that epoch; no state more"
    ),
    "published/kip-320: BecomeFollower: leader == follower": (
        "may_follow asks that the replica has taken up the epoch, which then is not newer; no "
        "state more"
    ),
    "published/kip-320: FollowerFetch: not leads(s, leader)": (
        "a follower in the same epoch follows whom that epoch names, who leads in it; no state more"
    ),
}
"""By name; by protocol and name where the reason is that protocol's own."""

"""Surviving mutants of the published protocols, and why they survive.

"No additional state" was counted with 2 replicas, 2 records and 3 epochs, and with 3 replicas, 1
record and 2 epochs: the mutant has exactly the states of its original there.
"""

from __future__ import annotations

SURVIVORS = {
    "ControllerElectLeader: s.partition.leader == replica": (
        "the leader is elected again, in a new epoch, and keeps its log; all properties of "
        "kip-320 hold up to 3 replicas, 2 records and 3 epochs"
    ),
    "ControllerShrinkIsr: s.partition.leader != replica and (not s.partition.isr >> replica & 1)": (
        "the controller begins an epoch with the same leader and ISR; all properties of kip-320 "
        "hold up to 3 replicas, 2 records and 3 epochs"
    ),
    "BecomeLeader: epoch > s.partition.epoch": (
        "an epoch that has not begun names no leader, which a later guard rejects; no "
        "additional state"
    ),
    "BecomeFollower: epoch > s.partition.epoch": (
        "an epoch that has not begun names no leader, which a later guard rejects; no "
        "additional state"
    ),
    "LeaderExpandIsr: s.replica[leader].isr >> follower & 1": (
        "adds a replica that is in the ISR; no additional state"
    ),
    "LeaderShrinkIsr: not s.replica[leader].isr >> follower & 1": (
        "removes a replica that is not in the ISR; no additional state"
    ),
    "keeps_up = follows_up_to": (
        "the leader keeps members that it could remove: fewer behaviors, all of them also of the "
        "original"
    ),
    "LeaderShrinkIsr: k.rules.keeps_up(s, k, leader, follower, s.replica[leader].leo)": (
        "removes a member that keeps up; the leader may remove any member that does not, and a "
        "smaller ISR in the partition state loses nothing"
    ),
    "LeaderExpandIsr: not k.rules.may_expand_isr(s, k, leader)": (
        "the rule is always true in this protocol; no additional state"
    ),
    "BecomeFollower: not k.rules.may_follow(s, k, leader, epoch)": (
        "the rule is always true in this protocol; no additional state"
    ),
    "LeaderIncHighWatermark: s.replica[leader].hw >= s.replica[leader].leo": (
        "a leader is in its own view of the ISR, and so must acknowledge by its own log end; "
        "no additional state"
    ),
    "LeaderIncHighWatermark: not leads(s, leader)": (
        "a follower's leader is in the follower's view of the ISR, and would have to follow it in "
        "turn: impossible in kip-320; in the others no additional property fails, and none in "
        "fewer steps"
    ),
    "BecomeFollower: leader == follower": (
        "truncates nothing, since both logs are the same one: as BecomeLeader does; no "
        "additional state"
    ),
    "BecomeFollower: offset > s.replica[follower].leo": (
        "only kip-101 truncates beyond the log end; no additional state"
    ),
    "FollowerFetch: not leads(s, leader)": (
        "copies from a former leader while the follower does not know the new one; no additional "
        "property fails, and none in fewer steps"
    ),
    "published/hw: FollowerFetch: not k.rules.may_fetch(s, k, leader, follower, end)": (
        "copies from a leader that is not its own; no additional property fails, and none in "
        "fewer steps"
    ),
    "published/kip-320-first-try: BecomeFollower: leader == NONE": (
        "applies an epoch without a leader and keeps the log, as the original intends in the "
        "branch that it never takes; no additional property fails, and none in fewer steps"
    ),
    "published/kip-320-first-try: FollowerTruncate: not _contradicts(s, k, leader, follower)": (
        "truncates after the last match, which is the log end if nothing contradicts; no "
        "additional state"
    ),
    "published/kip-320: may_follow = any_leader": (
        "killed at replicas=3 max_leader_epoch=2, by StrongIsr in 13 steps; that takes too long "
        "for every mutant, so this is a slow test"
    ),
    "published/kip-320: BecomeFollower: not k.rules.may_follow(s, k, leader, epoch)": (
        "killed as may_follow = any_leader, at replicas=3 max_leader_epoch=2"
    ),
    "published/kip-320: BecomeFollower: leader == NONE": (
        "may_follow rejects it, since no replica leads in that epoch; no additional state"
    ),
    "published/kip-320: BecomeFollower: leader == follower": (
        "may_follow requires that the replica has applied the epoch, which then is not newer; no "
        "state more"
    ),
    "published/kip-320: FollowerFetch: not leads(s, leader)": (
        "a follower in the same epoch follows the leader of that epoch, which leads in it; no "
        "additional state"
    ),
}
"""By name; by protocol and name if the reason holds for that protocol only."""

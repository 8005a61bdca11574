---- MODULE LastEpochKip101 ----
(* The properties of LastEpoch for Kip101, whose Next and Spec are LOCAL: they are copied here. *)
EXTENDS Kip101, LastEpoch

LastEpochNext ==
    \/ ControllerElectLeader
    \/ ControllerShrinkIsr
    \/ BecomeLeader
    \/ LeaderExpandIsr
    \/ LeaderShrinkIsr
    \/ LeaderWrite
    \/ LeaderIncHighWatermark
    \/ BecomeFollowerTruncateKip101
    \/ FollowerReplicate

LastEpochSpec ==
    /\ Init
    /\ [][LastEpochNext]_vars
    /\ SF_vars(LeaderIncHighWatermark)
    /\ SF_vars(LeaderExpandIsr)
    /\ SF_vars(LeaderWrite)
    /\ WF_vars(BecomeFollowerTruncateKip101)
    /\ WF_vars(BecomeLeader)
====

---- MODULE LastEpochKip279 ----
(* The properties of LastEpoch for Kip279, whose Next and Spec are LOCAL: they are copied here. *)
EXTENDS Kip279, LastEpoch

LastEpochNext ==
    \/ ControllerElectLeader
    \/ ControllerShrinkIsr
    \/ BecomeLeader
    \/ LeaderExpandIsr
    \/ LeaderShrinkIsr
    \/ LeaderWrite
    \/ LeaderIncHighWatermark
    \/ BecomeFollowerTruncateKip279
    \/ FollowerReplicate

LastEpochSpec ==
    /\ Init
    /\ [][LastEpochNext]_vars
    /\ SF_vars(LeaderIncHighWatermark)
    /\ SF_vars(LeaderExpandIsr)
    /\ SF_vars(LeaderWrite)
    /\ WF_vars(BecomeFollowerTruncateKip279)
    /\ WF_vars(BecomeLeader)
====

----------------------------- MODULE LastEpoch -----------------------------
(* The liveness properties of examples/published.py,          by the same names, over the       *)
(* variables of hachikuji/kafka-specification, commit d68782b.  No configuration of TLC that checks  *)
(* them may have SYMMETRY or CONSTRAINT.                                                             *)
EXTENDS KafkaReplication

LOCAL End(replica) == ReplicaLog!GetEndOffset(replica)
LOCAL Hw(replica) == replicaState[replica].hw

LastLeader(replica) ==
    /\ quorumState.leaderEpoch = MaxLeaderEpoch
    /\ quorumState.leader = replica

Acts(replica) == LastLeader(replica) /\ IsTrueLeader(replica)

LastEpochHasLeader == \E replica \in Replicas : LastLeader(replica)

InLastEpoch(replica) == replicaState[replica].leaderEpoch = MaxLeaderEpoch

LastLeaderActs == LastEpochHasLeader ~> \E leader \in Replicas : Acts(leader)

LastEpochIsApplied == LastEpochHasLeader ~> \A replica \in Replicas : InLastEpoch(replica)

FormerLeadersResign ==
    LastEpochHasLeader ~>
        \A replica \in Replicas : ReplicaPresumesLeadership(replica) => quorumState.leader = replica

FollowersMatch ==
    <>[] \A leader, follower \in Replicas :
        Acts(leader) /\ InLastEpoch(follower) =>
            \A offset \in ReplicaLog!Offsets :
                ReplicaLog!HasOffset(leader, offset) /\ ReplicaLog!HasOffset(follower, offset) =>
                    ReplicaLog!GetRecordAtOffset(leader, offset).id
                        = ReplicaLog!GetRecordAtOffset(follower, offset).id

LOCAL LeftOut(leader, follower, end) ==
    /\ Acts(leader)
    /\ InLastEpoch(follower)
    /\ follower \notin replicaState[leader].isr
    /\ End(follower) >= end

CaughtUpFollowerJoins ==
    []<> ~ \E leader, follower \in Replicas : LeftOut(leader, follower, End(leader))

FollowerAtHwJoins ==
    []<> ~ \E leader, follower \in Replicas : LeftOut(leader, follower, Hw(leader))

IsrIsCommitted ==
    []<> \A leader \in Replicas :
        Acts(leader) =>
            \E member \in replicaState[leader].isr :
                ~ InLastEpoch(member) \/ End(member) <= Hw(leader)

RecordsAreWritten ==
    LastEpochHasLeader ~>
        \E leader \in Replicas :
            /\ Acts(leader)
            /\ nextRecordId = MaxRecords \/ End(leader) = LogSize

(* These two are not among Tidegate's: no variant promises them.                                     *)

SomebodyLeads == <>(quorumState.leader # None)

StrongIsrReturns == <>[]StrongIsr
=============================================================================

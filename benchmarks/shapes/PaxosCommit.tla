----------------------------- MODULE PaxosCommit -----------------------------
\* paxos_commit.py: for each resource manager an instance of Paxos decides whether it is prepared.
EXTENDS Integers, FiniteSets
CONSTANTS Managers, Acceptors, Ballots

M == 0 .. Managers - 1
A == 0 .. Acceptors - 1
B == 0 .. Ballots - 1
NONE == -1

VARIABLES rm, mbal, vote, phase1a, phase1b, phase2a, phase2b, commitSent, abortSent
vars == <<rm, mbal, vote, phase1a, phase1b, phase2a, phase2b, commitSent, abortSent>>
paxos == <<mbal, vote, phase1a, phase1b, phase2a, phase2b>>

NoVote == [ballot |-> NONE, value |-> "nothing"]

Init == /\ rm = [m \in M |-> "working"]
        /\ mbal = [m \in M |-> [a \in A |-> 0]]
        /\ vote = [m \in M |-> [a \in A |-> NoVote]]
        /\ phase1a = [m \in M |-> {}]
        /\ phase1b = [m \in M |-> [b \in B |-> [a \in A |-> [sent |-> FALSE, vote |-> NoVote]]]]
        /\ phase2a = [m \in M |-> [b \in B |-> "nothing"]]
        /\ phase2b = [m \in M |-> [b \in B |-> [a \in A |-> "nothing"]]]
        /\ commitSent = FALSE /\ abortSent = FALSE

Begin(m, state) ==
    /\ rm[m] = "working"
    /\ rm' = [rm EXCEPT ![m] = state]
    /\ phase2a' = [phase2a EXCEPT ![m][0] = state]
    /\ UNCHANGED <<mbal, vote, phase1a, phase1b, phase2b, commitSent, abortSent>>
Prepare(m) == Begin(m, "prepared")
ChooseAbort(m) == Begin(m, "aborted")

Phase1a(b, m) ==
    /\ b \notin phase1a[m]
    /\ phase1a' = [phase1a EXCEPT ![m] = @ \cup {b}]
    /\ UNCHANGED <<rm, mbal, vote, phase1b, phase2a, phase2b, commitSent, abortSent>>

Phase1b(a, m, b) ==
    /\ mbal[m][a] < b
    /\ mbal' = [mbal EXCEPT ![m][a] = b]
    /\ phase1b' = [phase1b EXCEPT ![m][b][a] = [sent |-> TRUE, vote |-> vote[m][a]]]
    /\ UNCHANGED <<rm, vote, phase1a, phase2a, phase2b, commitSent, abortSent>>

Phase2a(b, m, Q) ==
    LET votes == {phase1b[m][b][a].vote : a \in Q} IN
    /\ phase2a[m][b] = "nothing"
    /\ Cardinality(Q) > Acceptors \div 2
    /\ \A a \in Q : phase1b[m][b][a].sent
    /\ \E top \in votes :
        /\ \A other \in votes : other.ballot <= top.ballot
        /\ phase2a' = [phase2a EXCEPT
                        ![m][b] = IF top.ballot = NONE THEN "aborted" ELSE top.value]
    /\ UNCHANGED <<rm, mbal, vote, phase1a, phase1b, phase2b, commitSent, abortSent>>

Phase2b(a, m, b) ==
    /\ phase2a[m][b] # "nothing" /\ mbal[m][a] <= b /\ phase2b[m][b][a] = "nothing"
    /\ mbal' = [mbal EXCEPT ![m][a] = b]
    /\ vote' = [vote EXCEPT ![m][a] = [ballot |-> b, value |-> phase2a[m][b]]]
    /\ phase2b' = [phase2b EXCEPT ![m][b][a] = phase2a[m][b]]
    /\ UNCHANGED <<rm, phase1a, phase1b, phase2a, commitSent, abortSent>>

Decided(m, value) ==
    \E b \in B : Cardinality({a \in A : phase2b[m][b][a] = value}) > Acceptors \div 2

Decide ==
    /\ ~commitSent /\ ~abortSent
    /\ IF \A m \in M : Decided(m, "prepared")
       THEN commitSent' = TRUE /\ UNCHANGED abortSent
       ELSE /\ \E m \in M : Decided(m, "aborted")
            /\ abortSent' = TRUE /\ UNCHANGED commitSent
    /\ UNCHANGED <<rm, paxos>>

Receive(m, sent, state) ==
    /\ sent /\ rm[m] # state
    /\ rm' = [rm EXCEPT ![m] = state]
    /\ UNCHANGED <<paxos, commitSent, abortSent>>

Next == \/ Decide
        \/ \E m \in M :
            \/ Prepare(m) \/ ChooseAbort(m)
            \/ Receive(m, commitSent, "committed") \/ Receive(m, abortSent, "aborted")
            \/ \E b \in B \ {0} : Phase1a(b, m) \/ \E Q \in SUBSET A : Phase2a(b, m, Q)
            \/ \E a \in A : \/ \E b \in phase1a[m] : Phase1b(a, m, b)
                            \/ \E b \in B : Phase2b(a, m, b)

Spec == Init /\ [][Next]_vars

Consistent == ~\E m, n \in M : rm[m] = "committed" /\ rm[n] = "aborted"
===============================================================================

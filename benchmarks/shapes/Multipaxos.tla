----------------------------- MODULE Multipaxos ------------------------------
\* multipaxos.py: a leader prepares a ballot for all slots, then gets values chosen slot by slot.
EXTENDS Integers, FiniteSets
CONSTANTS Acceptors, Ballots, Slots, Values

A == 0 .. Acceptors - 1
B == 0 .. Ballots - 1
S == 0 .. Slots - 1
V == 0 .. Values - 1
NONE == -1

VARIABLES promised, vote, started, promise, proposed, accepted
vars == <<promised, vote, started, promise, proposed, accepted>>

NoVotes == [s \in S |-> [ballot |-> NONE, value |-> NONE]]

Init == /\ promised = [a \in A |-> NONE]
        /\ vote = [a \in A |-> NoVotes]
        /\ started = [b \in B |-> FALSE]
        /\ promise = [b \in B |-> [a \in A |-> [sent |-> FALSE, vote |-> NoVotes]]]
        /\ proposed = [b \in B |-> [s \in S |-> NONE]]
        /\ accepted = [b \in B |-> [s \in S |-> {}]]

IsQuorum(Q) == 2 * Cardinality(Q) > Acceptors

Phase1a(b) ==
    /\ ~started[b]
    /\ started' = [started EXCEPT ![b] = TRUE]
    /\ UNCHANGED <<promised, vote, promise, proposed, accepted>>

Phase1b(a, b) ==
    /\ started[b] /\ b > promised[a]
    /\ promised' = [promised EXCEPT ![a] = b]
    /\ promise' = [promise EXCEPT ![b][a] = [sent |-> TRUE, vote |-> vote[a]]]
    /\ UNCHANGED <<vote, started, proposed, accepted>>

Phase2a(b, s, v) ==
    LET senders == {a \in A : promise[b][a].sent}
        votes == {w \in {promise[b][a].vote[s] : a \in senders} : w.ballot # NONE}
    IN  /\ IsQuorum(senders) /\ proposed[b][s] = NONE
        /\ \/ votes = {}
           \/ \E w \in votes : w.value = v /\ \A other \in votes : other.ballot <= w.ballot
        /\ proposed' = [proposed EXCEPT ![b][s] = v]
        /\ UNCHANGED <<promised, vote, started, promise, accepted>>

Phase2b(a, b, s) ==
    /\ proposed[b][s] # NONE /\ b >= promised[a] /\ a \notin accepted[b][s]
    /\ promised' = [promised EXCEPT ![a] = b]
    /\ vote' = [vote EXCEPT ![a][s] = [ballot |-> b, value |-> proposed[b][s]]]
    /\ accepted' = [accepted EXCEPT ![b][s] = @ \cup {a}]
    /\ UNCHANGED <<started, promise, proposed>>

Next == \E b \in B :
    \/ Phase1a(b)
    \/ \E a \in A : Phase1b(a, b) \/ \E s \in S : Phase2b(a, b, s)
    \/ \E s \in S, v \in V : Phase2a(b, s, v)

Spec == Init /\ [][Next]_vars

Chosen(s) == {proposed[b][s] : b \in {c \in B : IsQuorum(accepted[c][s])}}
Agreement == \A s \in S : Cardinality(Chosen(s)) <= 1
PromisesKept == \A a \in A, s \in S : vote[a][s].ballot <= promised[a]
===============================================================================

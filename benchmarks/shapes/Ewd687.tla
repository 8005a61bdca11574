------------------------------- MODULE Ewd687 --------------------------------
\* ewd687.py: termination detection on a tree of engagements (Dijkstra and Scholten).
EXTENDS Integers, FiniteSets
CONSTANTS Procs, Most

P == 0 .. Procs - 1
Leader == 0
NONE == -1

\* messages[p][q], acks[p][q], received[p][q] and sent[p][q] are about what p has sent to q.
VARIABLES active, parent, messages, acks, received, sent
vars == <<active, parent, messages, acks, received, sent>>

Zero == [p \in P |-> [q \in P |-> 0]]

Init == /\ active = [p \in P |-> p = Leader]
        /\ parent = [p \in P |-> NONE]
        /\ messages = Zero /\ acks = Zero /\ received = Zero /\ sent = Zero

HasNeither(p, got) == /\ \A q \in P : got[q][p] = 0
                      /\ \A q \in P : sent[p][q] = 0
Neutral(p) == ~active[p] /\ HasNeither(p, received)

Send(p, q) ==
    /\ active[p] /\ q # Leader /\ sent[p][q] < Most
    /\ sent' = [sent EXCEPT ![p][q] = @ + 1]
    /\ messages' = [messages EXCEPT ![p][q] = @ + 1]
    /\ UNCHANGED <<active, parent, acks, received>>

Receive(p, q) ==
    /\ messages[q][p] > 0
    /\ parent' = IF Neutral(p) THEN [parent EXCEPT ![p] = q] ELSE parent
    /\ messages' = [messages EXCEPT ![q][p] = @ - 1]
    /\ received' = [received EXCEPT ![q][p] = @ + 1]
    /\ active' = [active EXCEPT ![p] = TRUE]
    /\ UNCHANGED <<acks, sent>>

SendAck(p, q) ==
    /\ received[q][p] > 0
    /\ parent[p] = q /\ received[q][p] = 1 =>
        /\ ~active[p]
        /\ \A r \in P \ {q} : received[r][p] = 0
        /\ \A r \in P : sent[p][r] = 0
    /\ received' = [received EXCEPT ![q][p] = @ - 1]
    /\ acks' = [acks EXCEPT ![q][p] = @ + 1]
    /\ parent' = IF ~active[p] /\ HasNeither(p, received')
                 THEN [parent EXCEPT ![p] = NONE] ELSE parent
    /\ UNCHANGED <<active, messages, sent>>

ReceiveAck(p, q) ==
    /\ acks[p][q] > 0
    /\ acks' = [acks EXCEPT ![p][q] = @ - 1]
    /\ sent' = [sent EXCEPT ![p][q] = @ - 1]
    /\ UNCHANGED <<active, parent, messages, received>>

Idle(p) ==
    /\ active[p]
    /\ active' = [active EXCEPT ![p] = FALSE]
    /\ UNCHANGED <<parent, messages, acks, received, sent>>

Next == \E p \in P :
    \/ Idle(p)
    \/ \E q \in P \ {p} : Send(p, q) \/ Receive(p, q) \/ SendAck(p, q) \/ ReceiveAck(p, q)

Fair == \A p \in P :
    /\ WF_vars(Idle(p))
    /\ \A q \in P \ {p} : /\ WF_vars(Send(p, q)) /\ WF_vars(Receive(p, q))
                          /\ WF_vars(SendAck(p, q)) /\ WF_vars(ReceiveAck(p, q))
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ Fair

RECURSIVE Top(_, _)
Top(p, steps) == IF p = Leader \/ parent[p] = NONE \/ steps = 0
                 THEN p ELSE Top(parent[p], steps - 1)

Counters == \A p, q \in P : sent[p][q] = messages[p][q] + received[p][q] + acks[p][q]
Tree == \A p \in P : Neutral(p) \/ Top(p, Procs) = Leader
Dt1 == Neutral(Leader) => \A p \in P : Neutral(p)
Detected == ((\A p \in P \ {Leader} : Neutral(p)) /\ ~active[Leader]) ~> Neutral(Leader)
===============================================================================

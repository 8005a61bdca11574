------------------------------- MODULE Readers -------------------------------
\* readers.py: readers and writers, who are let in in the order in which they asked.
EXTENDS Naturals, Sequences
CONSTANTS Actors

A == 0 .. Actors - 1

VARIABLES readers, writers, waiting
vars == <<readers, writers, waiting>>

Init == readers = {} /\ writers = {} /\ waiting = <<>>

IsWaiting(a) == \E i \in DOMAIN waiting : waiting[i].actor = a
Busy(a) == a \in readers \/ a \in writers

Try(a, what) ==
    /\ ~IsWaiting(a) /\ ~Busy(a)
    /\ waiting' = Append(waiting, [what |-> what, actor |-> a])
    /\ UNCHANGED <<readers, writers>>
TryRead(a) == Try(a, "read")
TryWrite(a) == Try(a, "write")

Admit ==
    /\ waiting # <<>> /\ writers = {}
    /\ LET first == Head(waiting) IN
        IF first.what = "read"
        THEN readers' = readers \cup {first.actor} /\ UNCHANGED writers
        ELSE readers = {} /\ writers' = writers \cup {first.actor} /\ UNCHANGED readers
    /\ waiting' = Tail(waiting)

Stop(a) ==
    /\ Busy(a)
    /\ IF a \in readers
       THEN readers' = readers \ {a} /\ UNCHANGED writers
       ELSE writers' = writers \ {a} /\ UNCHANGED readers
    /\ UNCHANGED waiting

Next == Admit \/ \E a \in A : TryRead(a) \/ TryWrite(a) \/ Stop(a)

Fair == /\ WF_vars(Admit)
        /\ \A a \in A : WF_vars(TryRead(a)) /\ WF_vars(TryWrite(a)) /\ WF_vars(Stop(a))
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ Fair

One(S) == \E a \in A : S \subseteq {a}
Safe == ~(readers # {} /\ writers # {}) /\ One(writers)
Reads == \A a \in A : []<>(a \in readers)
LetIn == \A a \in A : IsWaiting(a) ~> Busy(a)
===============================================================================

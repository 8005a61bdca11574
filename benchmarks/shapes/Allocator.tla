------------------------------ MODULE Allocator ------------------------------
\* allocator.py: clients ask for sets of resources, and a schedule says who is served first.
EXTENDS Naturals, Sequences, FiniteSets
CONSTANTS Clients, Resources

C == 0 .. Clients - 1
R == 0 .. Resources - 1
Some == SUBSET R \ {{}}

VARIABLES unsat, alloc, pool, sched
vars == <<unsat, alloc, pool, sched>>

Init == /\ unsat = [c \in C |-> {}]
        /\ alloc = [c \in C |-> {}]
        /\ pool = {}
        /\ sched = <<>>

Request(c, S) ==
    /\ unsat[c] = {} /\ alloc[c] = {}
    /\ unsat' = [unsat EXCEPT ![c] = S]
    /\ pool' = pool \cup {c}
    /\ UNCHANGED <<alloc, sched>>

Available == R \ UNION {alloc[c] : c \in C}

Allocate(c, S) ==
    /\ S \subseteq Available \cap unsat[c]
    /\ \E i \in DOMAIN sched :
        /\ sched[i] = c
        /\ \A j \in 1 .. i - 1 : unsat[sched[j]] \cap S = {}
        /\ sched' = IF unsat[c] = S
                    THEN SubSeq(sched, 1, i - 1) \o SubSeq(sched, i + 1, Len(sched))
                    ELSE sched
    /\ alloc' = [alloc EXCEPT ![c] = @ \cup S]
    /\ unsat' = [unsat EXCEPT ![c] = @ \ S]
    /\ UNCHANGED pool

GiveBack(c, S) ==
    /\ S \subseteq alloc[c]
    /\ alloc' = [alloc EXCEPT ![c] = @ \ S]
    /\ UNCHANGED <<unsat, pool, sched>>

Orders == {p \in [1 .. Cardinality(pool) -> pool] :
              \A i, j \in 1 .. Cardinality(pool) : p[i] = p[j] => i = j}

Schedule ==
    /\ pool # {}
    /\ \E p \in Orders : sched' = sched \o p
    /\ pool' = {}
    /\ UNCHANGED <<unsat, alloc>>

Next == \/ \E c \in C, S \in Some : Request(c, S) \/ Allocate(c, S) \/ GiveBack(c, S)
        \/ Schedule

Spec == Init /\ [][Next]_vars

Exclusive == \A a, b \in C : a # b => alloc[a] \cap alloc[b] = {}
Waiting == {c \in C : unsat[c] # {}}
Members == {sched[i] : i \in DOMAIN sched}
Scheduled == Waiting = pool \cup Members /\ pool \cap Members = {}
FirstCanBeServed ==
    sched # <<>> => \A i \in 2 .. Len(sched) : alloc[sched[i]] \cap unsat[sched[1]] = {}
===============================================================================

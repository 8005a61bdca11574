------------------------------ MODULE Snapshot -------------------------------
\* snapshot.py: a key-value store with snapshot isolation.
EXTENDS Integers
CONSTANTS Keys, Values, Transactions

K == 0 .. Keys - 1
V == 0 .. Values - 1
T == 0 .. Transactions - 1
NONE == -1

VARIABLES store, open, snapshot, written, missed
vars == <<store, open, snapshot, written, missed>>

Empty == [k \in K |-> NONE]

Init == /\ store = Empty
        /\ open = {}
        /\ snapshot = [t \in T |-> Empty]
        /\ written = [t \in T |-> {}]
        /\ missed = [t \in T |-> {}]

OpenTx(t) ==
    /\ t \notin open
    /\ open' = open \cup {t}
    /\ snapshot' = [snapshot EXCEPT ![t] = store]
    /\ UNCHANGED <<store, written, missed>>

Write(t, k, v) ==
    /\ snapshot' = [snapshot EXCEPT ![t][k] = v]
    /\ written' = [written EXCEPT ![t] = @ \cup {k}]
    /\ UNCHANGED <<store, open, missed>>

Add(t, k, v) == t \in open /\ snapshot[t][k] = NONE /\ Write(t, k, v)
Update(t, k, v) == t \in open /\ snapshot[t][k] \notin {NONE, v} /\ Write(t, k, v)
Remove(t, k) == t \in open /\ snapshot[t][k] # NONE /\ Write(t, k, NONE)

Rollback(t) ==
    /\ t \in open
    /\ open' = open \ {t}
    /\ snapshot' = [snapshot EXCEPT ![t] = Empty]
    /\ written' = [written EXCEPT ![t] = {}]
    /\ missed' = [missed EXCEPT ![t] = {}]
    /\ UNCHANGED store

Commit(t) ==
    /\ t \in open
    /\ written[t] \cap missed[t] = {}
    /\ store' = [k \in K |-> IF k \in written[t] THEN snapshot[t][k] ELSE store[k]]
    /\ open' = open \ {t}
    /\ missed' = [o \in T |-> IF o = t THEN {}
                              ELSE IF o \in open THEN missed[o] \cup written[t] ELSE missed[o]]
    /\ snapshot' = [snapshot EXCEPT ![t] = Empty]
    /\ written' = [written EXCEPT ![t] = {}]

Next == \E t \in T :
    \/ OpenTx(t) \/ Rollback(t) \/ Commit(t)
    \/ \E k \in K : Remove(t, k) \/ \E v \in V : Add(t, k, v) \/ Update(t, k, v)

Spec == Init /\ [][Next]_vars

Clean == \A t \in T \ open : snapshot[t] = Empty /\ written[t] = {} /\ missed[t] = {}
SnapshotIsolation ==
    \A t \in open, k \in K : store[k] # snapshot[t][k] => k \in written[t] \cup missed[t]
===============================================================================

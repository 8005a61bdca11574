---------------------------- MODULE BoundedBuffer ----------------------------
(* A bounded buffer guarded by one monitor with ONE wait set, in the spirit   *)
(* of "BlockingQueue" by M. Kuppe, written anew.  A thread that finds the     *)
(* buffer full (producer) or empty (consumer) goes to sleep in the wait set.  *)
(* After a successful put or get the thread wakes up an arbitrary sleeper     *)
(* (NotifyAll = FALSE) or all sleepers (NotifyAll = TRUE).                    *)
EXTENDS Naturals

CONSTANTS P,          \* number of producers, threads 1..P
          C,          \* number of consumers, threads P+1..P+C
          Cap,        \* capacity of the buffer
          NotifyAll   \* TRUE: wake all sleepers, FALSE: wake any one sleeper

Producer == 1..P
Consumer == (P+1)..(P+C)
Thread   == Producer \cup Consumer

VARIABLES count,      \* number of items in the buffer
          waiting     \* the set of sleeping threads

vars == <<count, waiting>>

TypeOK == /\ count \in 0..Cap
          /\ waiting \subseteq Thread

Init == /\ count = 0
        /\ waiting = {}

\* Wake up: nothing happens when nobody sleeps.
Wake == IF waiting = {}
        THEN waiting' = waiting
        ELSE IF NotifyAll
             THEN waiting' = {}
             ELSE \E t \in waiting : waiting' = waiting \ {t}

\* A running producer puts one item.
Put(t) == /\ t \notin waiting
          /\ count < Cap
          /\ count' = count + 1
          /\ Wake

\* A running producer finds the buffer full and falls asleep (wakes nobody).
PutWait(t) == /\ t \notin waiting
              /\ count = Cap
              /\ waiting' = waiting \cup {t}
              /\ count' = count

\* A running consumer takes one item.
Get(t) == /\ t \notin waiting
          /\ count > 0
          /\ count' = count - 1
          /\ Wake

\* A running consumer finds the buffer empty and falls asleep (wakes nobody).
GetWait(t) == /\ t \notin waiting
              /\ count = 0
              /\ waiting' = waiting \cup {t}
              /\ count' = count

Next == \/ \E t \in Producer : Put(t) \/ PutWait(t)
        \/ \E t \in Consumer : Get(t) \/ GetWait(t)

Spec == Init /\ [][Next]_vars

\* The classic deadlock, as an invariant: somebody is always awake.
NoDeadlock == waiting # Thread
==============================================================================

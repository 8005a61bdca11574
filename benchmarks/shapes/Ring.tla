-------------------------------- MODULE Ring ---------------------------------
\* ring.py: a ring buffer with one producer and several consumers, each of whom reads all.
EXTENDS Integers, Sequences
CONSTANTS Readers, Size, Items

R == 0 .. Readers - 1
NONE == -1

VARIABLES ring, writer, published, reader
vars == <<ring, writer, published, reader>>

Init == /\ ring = [i \in 0 .. Size - 1 |-> [value |-> NONE, readers |-> {}, written |-> FALSE]]
        /\ writer = [pc |-> "advance", next |-> 0]
        /\ published = NONE
        /\ reader = [r \in R |-> [pc |-> "advance", read |-> NONE, consumed |-> <<>>]]

BeginWrite ==
    /\ writer.pc = "advance" /\ writer.next < Items
    /\ \A r \in R : writer.next - Size <= reader[r].read
    /\ ring' = [ring EXCEPT ![writer.next % Size].written = TRUE,
                            ![writer.next % Size].value = writer.next]
    /\ writer' = [writer EXCEPT !.pc = "access"]
    /\ UNCHANGED <<published, reader>>

EndWrite ==
    /\ writer.pc = "access"
    /\ ring' = [ring EXCEPT ![writer.next % Size].written = FALSE]
    /\ published' = writer.next
    /\ writer' = [pc |-> "advance", next |-> writer.next + 1]
    /\ UNCHANGED reader

BeginRead(r) ==
    /\ reader[r].pc = "advance" /\ reader[r].read < published
    /\ ring' = [ring EXCEPT ![(reader[r].read + 1) % Size].readers = @ \cup {r}]
    /\ reader' = [reader EXCEPT ![r].pc = "access"]
    /\ UNCHANGED <<writer, published>>

EndRead(r) ==
    LET next == reader[r].read + 1 IN
    /\ reader[r].pc = "access"
    /\ ring' = [ring EXCEPT ![next % Size].readers = @ \ {r}]
    /\ reader' = [reader EXCEPT ![r] = [pc |-> "advance", read |-> next,
                                        consumed |-> Append(@.consumed, ring[next % Size].value)]]
    /\ UNCHANGED <<writer, published>>

Next == BeginWrite \/ EndWrite \/ \E r \in R : BeginRead(r) \/ EndRead(r)

Fair == /\ WF_vars(BeginWrite) /\ WF_vars(EndWrite)
        /\ \A r \in R : WF_vars(BeginRead(r)) /\ WF_vars(EndRead(r))
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ Fair

NoRaces == \A i \in DOMAIN ring : ~(ring[i].written /\ ring[i].readers # {})
InOrder == \A r \in R : \A i \in DOMAIN reader[r].consumed : reader[r].consumed[i] = i - 1
AllRead == \A r \in R : <>(reader[r].consumed = [i \in 1 .. Items |-> i - 1])
===============================================================================

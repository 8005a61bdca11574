-------------------------------- MODULE Kraft --------------------------------
\* kraft.py: election and replication of a metadata log by fetching (KIP-595).
EXTENDS Integers, Sequences, FiniteSets
CONSTANTS Voters, Epochs, Records, Restarts

V == 0 .. Voters - 1
NONE == -1
Capacity == 6

VARIABLES voter, network, appended, restarted
vars == <<voter, network, appended, restarted>>

Init == /\ voter = [v \in V |-> [role |-> "unattached", epoch |-> 0, leader |-> NONE,
                                 voted |-> NONE, votes |-> {}, log |-> <<>>, hw |-> 0,
                                 endOf |-> [i \in V |-> 0], fetching |-> FALSE]]
        /\ network = <<>>
        /\ appended = 0 /\ restarted = 0

NoEntry == [epoch |-> 0, value |-> NONE]
Blank == [kind |-> "vote request", source |-> NONE, dest |-> NONE, epoch |-> 0, granted |-> FALSE,
          lastEpoch |-> 0, end |-> 0, hw |-> 0, diverging |-> FALSE, entry |-> NoEntry,
          hasEntry |-> FALSE]
Message(kind, source, dest, epoch) ==
    [Blank EXCEPT !.kind = kind, !.source = source, !.dest = dest, !.epoch = epoch]

In(net, m) == \E i \in DOMAIN net : net[i] = m
Sent(net, m) == IF Len(net) < Capacity /\ ~In(net, m) THEN Append(net, m) ELSE net

\* What is sent to each voter but one, in order.
RECURSIVE SentToOthers(_, _, _, _)
SentToOthers(net, m, me, next) ==
    IF next = Voters THEN net
    ELSE SentToOthers(IF next = me THEN net ELSE Sent(net, [m EXCEPT !.dest = next]),
                      m, me, next + 1)

Without(net, i) == SubSeq(net, 1, i - 1) \o SubSeq(net, i + 1, Len(net))

LastEpoch(me) == IF me.log = <<>> THEN 0 ELSE me.log[Len(me.log)].epoch
EndOfEpoch(me, epoch) ==
    LET offsets == {i \in DOMAIN me.log : me.log[i].epoch <= epoch} IN
    IF offsets = {} THEN <<0, 0>>
    ELSE LET last == CHOOSE i \in offsets : \A j \in offsets : j <= i
         IN <<me.log[last].epoch, last>>

Become(me, role, epoch, leader) ==
    [me EXCEPT !.voted = IF epoch > me.epoch THEN NONE ELSE @,
               !.role = role, !.epoch = epoch, !.leader = leader, !.votes = {},
               !.fetching = FALSE, !.endOf = [i \in V |-> 0]]
StepUp(me, epoch) == IF epoch > me.epoch THEN Become(me, "unattached", epoch, NONE) ELSE me
UpToDate(me, lastEpoch, end) ==
    \/ lastEpoch > LastEpoch(me)
    \/ lastEpoch = LastEpoch(me) /\ end >= Len(me.log)

Restart(v) ==
    LET me == voter[v]
        role == IF me.role = "leader" THEN "resigned"
                ELSE IF me.voted # NONE THEN "voted" ELSE "unattached"
    IN  /\ restarted < Restarts
        /\ voter' = [voter EXCEPT ![v] = [Become(me, role, me.epoch, NONE) EXCEPT
                                            !.voted = me.voted, !.hw = 0]]
        /\ restarted' = restarted + 1
        /\ UNCHANGED <<network, appended>>

RequestVote(v) ==
    LET me == voter[v]
        request == [Message("vote request", v, NONE, me.epoch + 1) EXCEPT
                        !.lastEpoch = LastEpoch(me), !.end = Len(me.log)]
    IN  /\ me.epoch < Epochs /\ me.role # "leader"
        /\ voter' = [voter EXCEPT ![v] = [Become(me, "candidate", me.epoch + 1, NONE) EXCEPT
                                            !.voted = v, !.votes = {v}]]
        /\ network' = SentToOthers(network, request, v, 0)
        /\ UNCHANGED <<appended, restarted>>

HandleVoteRequest(i) ==
    LET m == network[i]
        me == StepUp(voter[m.dest], m.epoch)
        grant == /\ m.epoch = me.epoch /\ UpToDate(me, m.lastEpoch, m.end)
                 /\ \/ me.role = "unattached"
                    \/ me.role = "voted" /\ me.voted = m.source
        after == IF grant THEN [Become(me, "voted", m.epoch, NONE) EXCEPT !.voted = m.source]
                 ELSE me
        answer == [Message("vote response", m.dest, m.source, me.epoch) EXCEPT !.granted = grant]
    IN  /\ m.kind = "vote request"
        /\ voter' = [voter EXCEPT ![m.dest] = after]
        /\ network' = Sent(Without(network, i), answer)
        /\ UNCHANGED <<appended, restarted>>

HandleVoteResponse(i) ==
    LET m == network[i]
        me == StepUp(voter[m.dest], m.epoch)
        counts == m.granted /\ me.role = "candidate" /\ me.epoch = m.epoch
    IN  /\ m.kind = "vote response"
        /\ voter' = [voter EXCEPT ![m.dest] =
                        IF counts THEN [me EXCEPT !.votes = @ \cup {m.source}] ELSE me]
        /\ network' = Without(network, i)
        /\ UNCHANGED <<appended, restarted>>

Appended(me, v, value) ==
    [me EXCEPT !.log = Append(@, [epoch |-> me.epoch, value |-> value]),
               !.endOf[v] = Len(me.log) + 1]

BecomeLeader(v) ==
    LET me == voter[v] IN
    /\ me.role = "candidate" /\ Cardinality(me.votes) * 2 > Voters
    /\ voter' = [voter EXCEPT ![v] = Appended(Become(me, "leader", me.epoch, v), v, NONE)]
    /\ network' = SentToOthers(network, Message("begin quorum", v, NONE, me.epoch), v, 0)
    /\ UNCHANGED <<appended, restarted>>

HandleBeginQuorum(i) ==
    LET m == network[i]
        me == voter[m.dest]
        follows == m.epoch > me.epoch \/ (m.epoch = me.epoch /\ me.leader = NONE)
    IN  /\ m.kind = "begin quorum"
        /\ voter' = [voter EXCEPT ![m.dest] =
                        IF follows THEN Become(me, "follower", m.epoch, m.source) ELSE me]
        /\ network' = Without(network, i)
        /\ UNCHANGED <<appended, restarted>>

ClientRequest(v) ==
    /\ voter[v].role = "leader" /\ appended < Records
    /\ appended' = appended + 1
    /\ voter' = [voter EXCEPT ![v] = Appended(@, v, appended + 1)]
    /\ UNCHANGED <<network, restarted>>

SendFetch(v) ==
    LET me == voter[v]
        request == [Message("fetch request", v, me.leader, me.epoch) EXCEPT
                        !.lastEpoch = LastEpoch(me), !.end = Len(me.log)]
    IN  /\ me.role = "follower" /\ ~me.fetching
        /\ voter' = [voter EXCEPT ![v].fetching = TRUE]
        /\ network' = Sent(network, request)
        /\ UNCHANGED <<appended, restarted>>

\* The largest offset that a majority has reached.
Reached(me) == CHOOSE e \in {me.endOf[v] : v \in V} :
    /\ Cardinality({v \in V : me.endOf[v] >= e}) > Voters \div 2
    /\ Cardinality({v \in V : me.endOf[v] > e}) <= Voters \div 2
NewHighWatermark(me) ==
    LET e == Reached(me) IN
    IF e > me.hw /\ me.log[e].epoch = me.epoch THEN e ELSE me.hw

HandleFetch(i) ==
    LET m == network[i]
        me == voter[m.dest]
        rest == Without(network, i)
        answer == Message("fetch response", m.dest, m.source, me.epoch)
        end == EndOfEpoch(me, m.lastEpoch)
        noted == [me EXCEPT !.endOf[m.source] = m.end]
        after == [noted EXCEPT !.hw = NewHighWatermark(noted)]
    IN  /\ m.kind = "fetch request"
        /\ UNCHANGED <<appended, restarted>>
        /\ IF me.role # "leader" \/ me.epoch # m.epoch
           THEN /\ voter' = [voter EXCEPT ![m.dest] = StepUp(me, m.epoch)]
                /\ network' = rest
           ELSE IF end[1] # m.lastEpoch \/ end[2] < m.end
           THEN /\ network' = Sent(rest, [answer EXCEPT
                        !.diverging = TRUE, !.lastEpoch = end[1], !.end = end[2], !.hw = me.hw])
                /\ UNCHANGED voter
           ELSE /\ voter' = [voter EXCEPT ![m.dest] = after]
                /\ network' = Sent(rest,
                        IF m.end < Len(me.log)
                        THEN [answer EXCEPT !.hasEntry = TRUE, !.entry = me.log[m.end + 1],
                                            !.hw = after.hw]
                        ELSE [answer EXCEPT !.hw = after.hw])

Least(a, b) == IF a < b THEN a ELSE b

HandleFetchResponse(i) ==
    LET m == network[i]
        me == [voter[m.dest] EXCEPT !.fetching = FALSE]
        log == IF m.hasEntry THEN Append(me.log, m.entry) ELSE me.log
    IN  /\ m.kind = "fetch response"
        /\ network' = Without(network, i)
        /\ UNCHANGED <<appended, restarted>>
        /\ voter' = IF me.role # "follower" \/ me.epoch # m.epoch THEN voter
                    ELSE [voter EXCEPT ![m.dest] =
                        IF m.diverging
                        THEN [me EXCEPT !.log =
                                SubSeq(@, 1, Least(m.end, EndOfEpoch(me, m.lastEpoch)[2]))]
                        ELSE [me EXCEPT !.log = log, !.hw = Least(m.hw, Len(log))]]

Next == \/ \E v \in V : \/ Restart(v) \/ RequestVote(v) \/ BecomeLeader(v)
                        \/ ClientRequest(v) \/ SendFetch(v)
        \/ \E i \in DOMAIN network :
            \/ HandleVoteRequest(i) \/ HandleVoteResponse(i) \/ HandleBeginQuorum(i)
            \/ HandleFetch(i) \/ HandleFetchResponse(i)

Spec == Init /\ [][Next]_vars

OneLeader == \A a, b \in V : a # b /\ voter[a].role = "leader" /\ voter[b].role = "leader"
                                => voter[a].epoch # voter[b].epoch
Committed(v, most) == SubSeq(voter[v].log, 1, Least(most, Len(voter[v].log)))
LogMatching == \A a, b \in V : LET common == Least(voter[a].hw, voter[b].hw) IN
                                Committed(a, common) = Committed(b, common)
LeaderCompleteness ==
    \A a, b \in V : voter[a].role = "leader" /\ voter[b].epoch <= voter[a].epoch =>
        Committed(b, voter[b].hw) = Committed(a, voter[b].hw)
===============================================================================

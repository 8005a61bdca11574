-------------------------------- MODULE Raft ---------------------------------
(* Raft, small: leader election and log replication.  No crash and restart,  *)
(* no change of membership, no values in log entries (an entry is its term). *)
(* The network has one slot for each ordered pair of servers: at most one    *)
(* message from i to j is in flight.  A request is sent only into an empty   *)
(* slot.  A response overwrites what is in its slot.  Receiving empties the  *)
(* slot.  With Loss = TRUE a message in flight may also be lost.             *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS N,        \* number of servers
          MaxTerm,  \* no server starts an election beyond this term
          MaxLog,   \* no leader appends beyond this length
          MaxFlight, \* no request is sent while this many messages are in flight
          Loss,     \* TRUE: messages in flight may be lost
          Bug       \* "none", "voteTwice", "noLogCheck" or "oldTermCommit"

Server == 1..N

VARIABLES term,     \* term[i]: current term of server i, 0 at first
          role,     \* role[i]: "follower", "candidate" or "leader"
          voted,    \* voted[i]: whom i voted for in its current term, 0 = nobody
          votes,    \* votes[i]: set of servers that voted for i, {} unless candidate
          log,      \* log[i]: sequence of terms, one for each entry
          commit,   \* commit[i]: number of entries that i knows to be committed
          match,    \* match[i][j]: entries of j known by leader i to agree, 0 unless leader
          net       \* net[i][j]: message in flight from i to j, or None

vars == <<term, role, voted, votes, log, commit, match, net>>

None == [type |-> "none"]

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Majority(S) == 2 * Cardinality(S) > N
LastTerm(l) == IF Len(l) = 0 THEN 0 ELSE l[Len(l)]
NoMatch == [j \in Server |-> 0]

Init == /\ term   = [i \in Server |-> 0]
        /\ role   = [i \in Server |-> "follower"]
        /\ voted  = [i \in Server |-> 0]
        /\ votes  = [i \in Server |-> {}]
        /\ log    = [i \in Server |-> <<>>]
        /\ commit = [i \in Server |-> 0]
        /\ match  = [i \in Server |-> NoMatch]
        /\ net    = [i \in Server |-> [j \in Server |-> None]]

\* Number of messages in flight.
InFlight == Cardinality({p \in Server \X Server : net[p[1]][p[2]] # None})

\* Put a request into the empty slot from i to j.
Request(i, j, m) == /\ net[i][j] = None
                    /\ InFlight < MaxFlight
                    /\ net' = [net EXCEPT ![i][j] = m]

\* Take the message from j to i away and answer it from i to j.
Reply(i, j, m) == net' = [net EXCEPT ![j][i] = None, ![i][j] = m]

\* Take the message from j to i away.
Consume(i, j) == net' = [net EXCEPT ![j][i] = None]

-----------------------------------------------------------------------------
\* A server that is not the leader starts an election and votes for itself.
Timeout(i) ==
  /\ role[i] # "leader"
  /\ term[i] < MaxTerm
  /\ term'  = [term  EXCEPT ![i] = @ + 1]
  /\ role'  = [role  EXCEPT ![i] = "candidate"]
  /\ voted' = [voted EXCEPT ![i] = i]
  /\ votes' = [votes EXCEPT ![i] = {i}]
  /\ UNCHANGED <<log, commit, match, net>>

\* A candidate asks j for its vote, again and again until it has it.
AskVote(i, j) ==
  /\ role[i] = "candidate"
  /\ j \notin votes[i]
  /\ Request(i, j, [type |-> "voteReq", term |-> term[i],
                    lastIndex |-> Len(log[i]), lastTerm |-> LastTerm(log[i])])
  /\ UNCHANGED <<term, role, voted, votes, log, commit, match>>

\* A candidate with a majority becomes leader.
BecomeLeader(i) ==
  /\ role[i] = "candidate"
  /\ Majority(votes[i])
  /\ role'  = [role  EXCEPT ![i] = "leader"]
  /\ votes' = [votes EXCEPT ![i] = {}]
  /\ match' = [match EXCEPT ![i] = NoMatch]
  /\ UNCHANGED <<term, voted, log, commit, net>>

\* A leader appends an entry of its own term.
ClientRequest(i) ==
  /\ role[i] = "leader"
  /\ Len(log[i]) < MaxLog
  /\ log' = [log EXCEPT ![i] = Append(@, term[i])]
  /\ UNCHANGED <<term, role, voted, votes, commit, match, net>>

\* A leader sends to j the entry after prev, or none when prev is its last.
SendAppend(i, j) ==
  /\ role[i] = "leader"
  /\ \E prev \in match[i][j]..Len(log[i]) :
       Request(i, j, [type |-> "appendReq", term |-> term[i],
                      prev |-> prev,
                      prevTerm |-> IF prev = 0 THEN 0 ELSE log[i][prev],
                      entry |-> IF prev < Len(log[i]) THEN log[i][prev + 1] ELSE 0,
                      commit |-> commit[i]])
  /\ UNCHANGED <<term, role, voted, votes, log, commit, match>>

\* A leader commits up to k when a majority has entry k, of the leader's term.
AdvanceCommit(i) ==
  /\ role[i] = "leader"
  /\ \E k \in (commit[i] + 1)..Len(log[i]) :
       /\ log[i][k] = term[i] \/ Bug = "oldTermCommit"
       /\ Majority({i} \cup {j \in Server : match[i][j] >= k})
       /\ commit' = [commit EXCEPT ![i] = k]
  /\ UNCHANGED <<term, role, voted, votes, log, match, net>>

-----------------------------------------------------------------------------
\* Server i sees a message from j with a higher term.  The message stays.
StepDown(i, j) ==
  /\ net[j][i] # None
  /\ net[j][i].term > term[i]
  /\ term'  = [term  EXCEPT ![i] = net[j][i].term]
  /\ role'  = [role  EXCEPT ![i] = "follower"]
  /\ voted' = [voted EXCEPT ![i] = 0]
  /\ votes' = [votes EXCEPT ![i] = {}]
  /\ match' = [match EXCEPT ![i] = NoMatch]
  /\ UNCHANGED <<log, commit, net>>

\* The log in the request m is at least as good as the log of i.
LogOK(i, m) == \/ m.lastTerm > LastTerm(log[i])
               \/ m.lastTerm = LastTerm(log[i]) /\ m.lastIndex >= Len(log[i])

\* Server i answers a vote request from j.
GetVoteReq(i, j) ==
  LET m     == net[j][i]
      grant == /\ m.term = term[i]
               /\ Bug = "noLogCheck" \/ LogOK(i, m)
               /\ Bug = "voteTwice" \/ voted[i] \in {0, j}
  IN /\ m.type = "voteReq"
     /\ m.term <= term[i]
     /\ voted' = IF grant THEN [voted EXCEPT ![i] = j] ELSE voted
     /\ Reply(i, j, [type |-> "voteResp", term |-> term[i], ok |-> grant])
     /\ UNCHANGED <<term, role, votes, log, commit, match>>

\* Server i takes in the answer of j to its vote request.
GetVoteResp(i, j) ==
  LET m == net[j][i]
  IN /\ m.type = "voteResp"
     /\ m.term <= term[i]
     /\ votes' = IF m.term = term[i] /\ role[i] = "candidate" /\ m.ok
                 THEN [votes EXCEPT ![i] = @ \cup {j}] ELSE votes
     /\ Consume(i, j)
     /\ UNCHANGED <<term, role, voted, log, commit, match>>

\* An append request of an old term is refused.
RefuseOldAppend(i, j) ==
  LET m == net[j][i]
  IN /\ m.type = "appendReq"
     /\ m.term < term[i]
     /\ Reply(i, j, [type |-> "appendResp", term |-> term[i], ok |-> FALSE, match |-> 0])
     /\ UNCHANGED <<term, role, voted, votes, log, commit, match>>

\* Server i handles an append request of its own term; a candidate gives up.
GetAppend(i, j) ==
  LET m    == net[j][i]
      fits == \/ m.prev = 0
              \/ m.prev <= Len(log[i]) /\ log[i][m.prev] = m.prevTerm
      last == IF m.entry = 0 THEN m.prev ELSE m.prev + 1
      have == m.entry = 0 \/ (Len(log[i]) >= last /\ log[i][last] = m.entry)
  IN /\ m.type = "appendReq"
     /\ m.term = term[i]
     /\ role'  = [role  EXCEPT ![i] = "follower"]
     /\ votes' = [votes EXCEPT ![i] = {}]
     /\ IF fits
        THEN /\ log' = IF have THEN log
                       ELSE [log EXCEPT ![i] = Append(SubSeq(@, 1, m.prev), m.entry)]
             /\ commit' = [commit EXCEPT ![i] = Max(@, Min(m.commit, last))]
             /\ Reply(i, j, [type |-> "appendResp", term |-> term[i], ok |-> TRUE, match |-> last])
        ELSE /\ Reply(i, j, [type |-> "appendResp", term |-> term[i], ok |-> FALSE, match |-> 0])
             /\ UNCHANGED <<log, commit>>
     /\ UNCHANGED <<term, voted, match>>

\* Server i takes in the answer of j to its append request.
GetAppendResp(i, j) ==
  LET m == net[j][i]
  IN /\ m.type = "appendResp"
     /\ m.term <= term[i]
     /\ match' = IF m.term = term[i] /\ role[i] = "leader" /\ m.ok
                 THEN [match EXCEPT ![i][j] = Max(@, m.match)] ELSE match
     /\ Consume(i, j)
     /\ UNCHANGED <<term, role, voted, votes, log, commit>>

\* The network loses the message from j to i.
Lose(i, j) ==
  /\ Loss
  /\ net[j][i] # None
  /\ Consume(i, j)
  /\ UNCHANGED <<term, role, voted, votes, log, commit, match>>

-----------------------------------------------------------------------------
Next == \/ \E i \in Server : \/ Timeout(i)
                             \/ BecomeLeader(i)
                             \/ ClientRequest(i)
                             \/ AdvanceCommit(i)
        \/ \E i \in Server : \E j \in Server \ {i} :
              \/ AskVote(i, j)
              \/ SendAppend(i, j)
              \/ StepDown(i, j)
              \/ GetVoteReq(i, j)
              \/ GetVoteResp(i, j)
              \/ RefuseOldAppend(i, j)
              \/ GetAppend(i, j)
              \/ GetAppendResp(i, j)
              \/ Lose(i, j)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Message ==
  {None}
  \cup [type : {"voteReq"}, term : 1..MaxTerm, lastIndex : 0..MaxLog, lastTerm : 0..MaxTerm]
  \cup [type : {"voteResp"}, term : 1..MaxTerm, ok : BOOLEAN]
  \cup [type : {"appendReq"}, term : 1..MaxTerm, prev : 0..MaxLog, prevTerm : 0..MaxTerm,
        entry : 0..MaxTerm, commit : 0..MaxLog]
  \cup [type : {"appendResp"}, term : 1..MaxTerm, ok : BOOLEAN, match : 0..MaxLog]

TypeOK == /\ term \in [Server -> 0..MaxTerm]
          /\ role \in [Server -> {"follower", "candidate", "leader"}]
          /\ voted \in [Server -> 0..N]
          /\ \A i \in Server : votes[i] \subseteq Server
          /\ \A i \in Server : /\ Len(log[i]) <= MaxLog
                               /\ \A k \in 1..Len(log[i]) : log[i][k] \in 1..MaxTerm
          /\ \A i \in Server : commit[i] \in 0..Len(log[i])
          /\ match \in [Server -> [Server -> 0..MaxLog]]
          /\ \A i, j \in Server : net[i][j] \in Message

\* At most one leader in a term.
ElectionSafety == \A i, j \in Server :
  role[i] = "leader" /\ role[j] = "leader" /\ term[i] = term[j] => i = j

\* Logs that agree at an index agree at all indexes before it.
LogMatching == \A i, j \in Server : \A k \in 1..Min(Len(log[i]), Len(log[j])) :
  log[i][k] = log[j][k] => \A h \in 1..k : log[i][h] = log[j][h]

\* Two servers never commit different entries at an index.
StateMachineSafety == \A i, j \in Server : \A k \in 1..Min(commit[i], commit[j]) :
  log[i][k] = log[j][k]

\* A leader has all entries that are committed at servers of no higher term.
LeaderCompleteness == \A i, j \in Server :
  role[i] = "leader" /\ term[i] >= term[j] =>
    /\ Len(log[i]) >= commit[j]
    /\ \A k \in 1..commit[j] : log[i][k] = log[j][k]
==============================================================================

"""Raft: servers elect a leader for each term, which replicates its log and commits entries.

Source: Ongaro and Ousterhout, In Search of an Understandable Consensus Algorithm, 2014; reduced to
examples/tla/Raft.tla.  No server restarts, an entry is its term, and from one server to another at
most one message is in flight: an answer takes the place of what is there.  The bound `bug` leaves
out one of the checks that the paper argues for.
"""

from dataclasses import dataclass
from enum import IntEnum

from tidegate import (
    NONE,
    Fairness,
    Model,
    Record,
    Seq,
    Set,
    array,
    boolean,
    choice,
    enumeration,
    integer,
    number,
    replica_id,
    sequence_of,
    set_of,
    switch,
)


class Bug(IntEnum):
    NONE = 0
    VOTE_TWICE = 1
    NO_LOG_CHECK = 2
    OLD_TERM_COMMIT = 3


BUGS = {bug.name.lower().replace("_", "-"): bug for bug in Bug}


@dataclass(frozen=True)
class Bounds:
    servers: int = number(3, 1, 5, "servers", main=True)
    terms: int = number(2, 1, 6, "highest term", main=True)
    log: int = number(1, 1, 4, "longest log of a leader that appends", main=True)
    flight: int = number(1, 1, 20, "messages in flight up to which requests are sent", main=True)
    loss: bool = switch("messages may be lost")
    bug: int = choice(
        "none",
        BUGS,
        "the check that is left out: one vote per term, a candidate with an up-to-date log, "
        "commits of the leader's own term only",
    )


class Role(IntEnum):
    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2


class Kind(IntEnum):
    NOTHING = 0
    VOTE_REQUEST = 1
    VOTE_ANSWER = 2
    APPEND_REQUEST = 3
    APPEND_ANSWER = 4


class Message(Record):
    kind: Kind = enumeration(Kind, "kind; nothing where no message is in flight")
    term: int = integer(0, lambda k: k.terms, "term of the sender")
    index: int = integer(0, lambda k: k.log, "last index, previous index or matching index")
    index_term: int = integer(0, lambda k: k.terms, "term of the entry there")
    entry: int = integer(0, lambda k: k.terms, "entry to append, 0 for none")
    commit: int = integer(0, lambda k: k.log, "how many entries the leader has committed")
    ok: bool = boolean("whether the answer is yes")

    def begin(self, kind: Kind, term: int) -> None:
        """Make this a message of a kind, with every other field cleared."""
        self.kind = kind
        self.term = term
        self.index = 0
        self.index_term = 0
        self.entry = 0
        self.commit = 0
        self.ok = False

    def take(self) -> None:
        """Remove the message."""
        self.begin(Kind.NOTHING, 0)

    @classmethod
    def shown(cls, message: "Message") -> str | None:
        """Return a message as people see it."""
        kind = Kind(message.kind)
        said = f"{kind.name.lower().replace('_', ' ')} of term {message.term}"
        if kind is Kind.NOTHING:
            return None
        if kind is Kind.VOTE_REQUEST:
            return f"{said}: last {message.index} of term {message.index_term}"
        if kind is Kind.APPEND_REQUEST:
            after = f"after {message.index} of term {message.index_term}"
            return f"{said}: entry {message.entry} {after}, commit {message.commit}"
        matching = f", match {message.index}" if kind is Kind.APPEND_ANSWER and message.ok else ""
        return f"{said}: {'yes' if message.ok else 'no'}{matching}"


class Server(Record):
    term: int = integer(0, lambda k: k.terms, "current term")
    role: Role = enumeration(Role, "role")
    voted: int = replica_id(lambda k: k.servers - 1, "whom it voted for in its term")
    votes: Set = set_of(lambda k: k.servers, "who voted for it, as a candidate", of_replicas=True)
    log: Seq = sequence_of(integer(1, lambda k: k.terms, "term"), lambda k: k.log, "its entries")
    commit: int = integer(0, lambda k: k.log, "how many entries it knows to be committed")
    match: list[int] = array(
        lambda k: k.servers,
        integer(0, lambda k: k.log, "entries that agree, as its leader knows"),
        by_replica=True,
    )
    sent: list[Message] = array(lambda k: k.servers, Message, by_replica=True)

    def last_term(self) -> int:
        """Return the term of the last entry; 0 if there is none."""
        return self.term_at(len(self.log))

    def term_at(self, index: int) -> int:
        """Return the term of an entry, numbered from 1 as in the paper; 0 before the first."""
        return 0 if index == 0 else self.log[index - 1]

    def forget_match(self) -> None:
        """Forget how many entries of the other logs agree."""
        for server in range(len(self.match)):
            self.match[server] = 0


class State(Record):
    server: list[Server] = array(lambda k: k.servers, Server, by="server", by_replica=True)


model = Model(Bounds, State, participants={"server": lambda k: k.servers}, deadlock=False)


def is_majority(count: int, k: Bounds) -> bool:
    return 2 * count > k.servers


def may_request(s: State, k: Bounds, sender: int, receiver: int) -> bool:
    """Whether no message is in flight to the receiver, and not too many in all."""
    if sender == receiver or s.server[sender].sent[receiver].kind != Kind.NOTHING:
        return False
    return in_flight(s) < k.flight


def in_flight(s: State) -> int:
    return sum(
        sum(1 for message in server.sent if message.kind != Kind.NOTHING) for server in s.server
    )


@model.action("server", sign="election")
def time_out(s: State, k: Bounds, server: int) -> bool:
    """A server begins an election, and votes for itself."""
    me = s.server[server]
    if me.role == Role.LEADER or me.term == k.terms:
        return False
    me.term += 1
    me.role = Role.CANDIDATE
    me.voted = server
    me.votes.clear()
    me.votes.add(server)
    return True


@model.action("server")
def become_leader(s: State, k: Bounds, server: int) -> bool:
    """A candidate with a majority becomes leader."""
    me = s.server[server]
    if me.role != Role.CANDIDATE or not is_majority(len(me.votes), k):
        return False
    me.role = Role.LEADER
    me.votes.clear()
    me.forget_match()
    return True


@model.action("server")
def append(s: State, k: Bounds, server: int) -> bool:
    """A leader appends an entry of its term, as a client asked."""
    me = s.server[server]
    if me.role != Role.LEADER or len(me.log) >= k.log:
        return False
    me.log.append(me.term)
    return True


@model.action("server", index=lambda k: range(1, k.log + 1))
def commit(s: State, k: Bounds, server: int, index: int) -> bool:
    """A leader commits up to an entry that a majority has."""
    me = s.server[server]
    if me.role != Role.LEADER or not me.commit < index <= len(me.log):
        return False
    if me.term_at(index) != me.term and k.bug != Bug.OLD_TERM_COMMIT:
        return False
    others = sum(1 for i in range(k.servers) if i != server and me.match[i] >= index)
    if not is_majority(1 + others, k):
        return False
    me.commit = index
    return True


@model.action("server", voter="server")
def ask_for_vote(s: State, k: Bounds, server: int, voter: int) -> bool:
    """A candidate asks for a vote."""
    me = s.server[server]
    if me.role != Role.CANDIDATE or voter in me.votes or not may_request(s, k, server, voter):
        return False
    message = me.sent[voter]
    message.begin(Kind.VOTE_REQUEST, me.term)
    message.index = len(me.log)
    message.index_term = me.last_term()
    return True


@model.action("server", follower="server", previous=lambda k: range(k.log + 1))
def send_append(s: State, k: Bounds, server: int, follower: int, previous: int) -> bool:
    """A leader sends the entry after the previous one, or none if there is none."""
    me = s.server[server]
    if me.role != Role.LEADER or not me.match[follower] <= previous <= len(me.log):
        return False
    if not may_request(s, k, server, follower):
        return False
    message = me.sent[follower]
    message.begin(Kind.APPEND_REQUEST, me.term)
    message.index = previous
    message.index_term = me.term_at(previous)
    message.entry = me.term_at(previous + 1) if previous < len(me.log) else 0
    message.commit = me.commit
    return True


@model.action("server", sender="server")
def step_down(s: State, k: Bounds, server: int, sender: int) -> bool:
    """A server sees a message of a higher term, and follows in that term."""
    me, message = s.server[server], s.server[sender].sent[server]
    if message.kind == Kind.NOTHING or message.term <= me.term:
        return False
    me.term = message.term
    me.role = Role.FOLLOWER
    me.voted = NONE
    me.votes.clear()
    me.forget_match()
    return True


@model.action("server", candidate="server")
def answer_vote_request(s: State, k: Bounds, server: int, candidate: int) -> bool:
    """A server votes for a candidate, or refuses to."""
    me, message = s.server[server], s.server[candidate].sent[server]
    if message.kind != Kind.VOTE_REQUEST or message.term > me.term:
        return False
    last = me.last_term()
    log_ok = message.index_term > last or (
        message.index_term == last and message.index >= len(me.log)
    )
    granted = message.term == me.term
    granted = granted and (log_ok or k.bug == Bug.NO_LOG_CHECK)
    granted = granted and (me.voted in (NONE, candidate) or k.bug == Bug.VOTE_TWICE)
    if granted:
        me.voted = candidate
    message.take()
    answer = me.sent[candidate]
    answer.begin(Kind.VOTE_ANSWER, me.term)
    answer.ok = granted
    return True


@model.action("server", voter="server")
def receive_vote(s: State, k: Bounds, server: int, voter: int) -> bool:
    """A server takes in the answer to its request for a vote."""
    me, message = s.server[server], s.server[voter].sent[server]
    if message.kind != Kind.VOTE_ANSWER or message.term > me.term:
        return False
    if message.term == me.term and me.role == Role.CANDIDATE and message.ok:
        me.votes.add(voter)
    message.take()
    return True


@model.action("server", leader="server")
def refuse_old_append(s: State, k: Bounds, server: int, leader: int) -> bool:
    """A server refuses an entry of an older term's leader."""
    me, message = s.server[server], s.server[leader].sent[server]
    if message.kind != Kind.APPEND_REQUEST or message.term >= me.term:
        return False
    message.take()
    me.sent[leader].begin(Kind.APPEND_ANSWER, me.term)
    return True


@model.action("server", leader="server")
def receive_append(s: State, k: Bounds, server: int, leader: int) -> bool:
    """A server takes over what its leader sent if its log fits, and answers."""
    me, message = s.server[server], s.server[leader].sent[server]
    if message.kind != Kind.APPEND_REQUEST or message.term != me.term:
        return False
    me.role = Role.FOLLOWER
    me.votes.clear()
    previous, entry = message.index, message.entry
    fits = previous <= len(me.log) and me.term_at(previous) == message.index_term
    last = previous if entry == 0 else previous + 1
    if fits:
        if entry != 0 and (len(me.log) < last or me.term_at(last) != entry):
            me.log[previous:] = [entry]
        me.commit = max(me.commit, min(message.commit, last))
    message.take()
    answer = me.sent[leader]
    answer.begin(Kind.APPEND_ANSWER, me.term)
    answer.ok = fits
    answer.index = last if fits else 0
    return True


@model.action("server", follower="server")
def receive_append_answer(s: State, k: Bounds, server: int, follower: int) -> bool:
    """A leader learns how much of a follower's log agrees with its own."""
    me, message = s.server[server], s.server[follower].sent[server]
    if message.kind != Kind.APPEND_ANSWER or message.term > me.term:
        return False
    if message.term == me.term and me.role == Role.LEADER and message.ok:
        me.match[follower] = max(me.match[follower], message.index)
    message.take()
    return True


@model.action(
    "network", fairness=Fairness.NONE, sign="loss", when=lambda k: k.loss, sender="server"
)
def lose(s: State, k: Bounds, server: int, sender: int) -> bool:
    """A message is lost."""
    message = s.server[sender].sent[server]
    if message.kind == Kind.NOTHING:
        return False
    message.take()
    return True


@model.invariant("Two servers are never leaders of the same term.")
def election_safety(s: State, k: Bounds) -> bool:
    for i, one in enumerate(s.server):
        for j, other in enumerate(s.server):
            both = one.role == Role.LEADER and other.role == Role.LEADER
            if i != j and both and one.term == other.term:
                return False
    return True


@model.invariant("Logs with the same term at an index are the same up to there.")
def log_matching(s: State, k: Bounds) -> bool:
    for one in s.server:
        for other in s.server:
            for index in range(min(len(one.log), len(other.log))):
                same = one.log[index] == other.log[index]
                if same and one.log[:index] != other.log[:index]:
                    return False
    return True


@model.invariant("Two servers never commit different entries at an index.")
def state_machine_safety(s: State, k: Bounds) -> bool:
    for one in s.server:
        for other in s.server:
            both = min(one.commit, other.commit)
            if one.log[:both] != other.log[:both]:
                return False
    return True


@model.invariant("A leader has every entry that a server of no higher term knows to be committed.")
def leader_completeness(s: State, k: Bounds) -> bool:
    for leader in s.server:
        for server in s.server:
            if leader.role == Role.LEADER and leader.term >= server.term:
                committed = server.log[: server.commit]
                if len(leader.log) < server.commit or leader.log[: server.commit] != committed:
                    return False
    return True

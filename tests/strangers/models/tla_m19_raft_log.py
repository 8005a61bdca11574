"""Log replication matched by class patterns: followers append or truncate entries; logs agree below the commit index.

`keep_tail` lets a follower keep conflicting entries when the leader's log ends.
"""
from dataclasses import dataclass
from itertools import pairwise

from tidegate import Model, Record, Seq, array, integer, number, optional, sequence_of, switch, NONE


@dataclass(frozen=True)
class Bounds:
    servers: int = number(2, 2, 3, "servers")
    terms: int = number(2, 1, 3, "terms")
    log: int = number(2, 1, 3, "entries")


class Entry(Record):
    term: int = integer(1, lambda k: k.terms, "term")
    value: int = integer(0, 1, "value")


class Server(Record):
    log: Seq[Entry] = sequence_of(Entry, lambda k: k.log, "its log")
    term: int = integer(0, lambda k: k.terms, "term")

    def last_term(self) -> int:
        match [e.term for e in self.log]:
            case [*_, last]:
                return last
            case _:
                return 0


class State(Record):
    server: list[Server] = array(lambda k: k.servers, Server, by="server")
    leader: int = optional(lambda k: k.servers - 1, "leader")
    term: int = integer(0, lambda k: k.terms, "newest term")


model = Model(Bounds, State, participants={"server": lambda k: k.servers}, deadlock=False)


def rank(server: Server) -> tuple[int, int]:
    return server.last_term(), len(server.log)


@model.action("server")
def elect(s: State, k: Bounds, server: int) -> bool:
    """The most up-to-date server leads the next term."""
    if s.term == k.terms or rank(s.server[server]) < max(rank(x) for x in s.server):
        return False
    s.term += 1
    s.leader, s.server[server].term = server, s.term
    return True


@model.action("client", value=lambda k: [0, 1])
def append(s: State, k: Bounds, value: int) -> bool:
    if s.leader == NONE:
        return False
    leader = s.server[s.leader]
    if len(leader.log) == k.log:
        return False
    leader.log.append(Entry(term=leader.term, value=value))
    return True


@model.action("server")
def replicate(s: State, k: Bounds, server: int) -> bool:
    """Take the first entry in which the follower differs, and drop what is behind."""
    if s.leader in (NONE, server):
        return False
    follower, leader = s.server[server], s.server[s.leader]
    for index, entry in enumerate(leader.log):
        if index >= len(follower.log):
            follower.log.append(entry)
            break
        match follower.log[index]:
            case Entry(term=t, value=v) if (t, v) == (entry.term, entry.value):
                continue
            case Entry():
                follower.log[index:] = [entry]
                break
    else:
        return False
    follower.term = leader.term
    return True


@model.invariant("Terms never go down within a log.")
def ordered(s: State, k: Bounds) -> bool:
    return all(a.term <= b.term for x in s.server for a, b in pairwise(x.log))


@model.invariant("Equal terms at an index mean equal prefixes.")
def matching(s: State, k: Bounds) -> bool:
    first, second = s.server[0].log, s.server[1].log
    for index, (a, b) in enumerate(zip(first, second)):
        if a.term == b.term and first[: index + 1] != second[: index + 1]:
            return False
    return True
# expect: refused 29

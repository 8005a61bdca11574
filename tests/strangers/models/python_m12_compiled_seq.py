"""Two replicas with logs of records: conflicts are cut, suffixes copied, the last entry remembered.

Written in what the compiled engine translates: swaps, slices by name, loops over slices while the sequence changes.
"""

from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, integer, nested, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    log: int = number(2, 1, 4, "length of a log", main=True)


class Entry(Record):
    term: int = integer(0, 2, "term")
    value: int = integer(0, 1, "value")


class Replica(Record):
    log: Seq[Entry] = sequence_of(Entry, lambda k: k.log, "log")
    last: Entry = nested(Entry)
    term: int = integer(0, 2, "term")

    def remember(self) -> None:
        if len(self.log) > 0:
            self.last.assign(self.log[len(self.log) - 1])

    def newest(self) -> int:
        best = 0
        for entry in self.log:
            best = max(best, entry.term)
        return best


class State(Record):
    replica: list[Replica] = array(2, Replica, by="replica")


model = Model(Bounds, State, participants={"replica": lambda k: 2}, deadlock=False)


@model.action("replica", value=lambda k: range(2))
def write(s: State, k: Bounds, replica: int, value: int) -> bool:
    me = s.replica[replica]
    if len(me.log) == k.log:
        return False
    me.log.append(Entry(term=me.term, value=value))
    me.remember()
    return True


@model.action("replica")
def advance(s: State, k: Bounds, replica: int) -> bool:
    me = s.replica[replica]
    if me.term == 2 or me.newest() < me.term:
        return False
    me.term += 1
    return True


@model.action("replica")
def copy_suffix(s: State, k: Bounds, replica: int) -> bool:
    """Take over the other one's log after the common prefix."""
    me, other = s.replica[replica], s.replica[1 - replica]
    common = 0
    while common < len(me.log) and common < len(other.log) and me.log[common] == other.log[common]:
        common += 1
    if common == len(other.log) and common == len(me.log) or other.newest() < me.newest():
        return False
    suffix = other.log[common:]
    del me.log[common:]
    me.log.extend(suffix)
    me.remember()
    return True


@model.action("replica")
def exchange(s: State, k: Bounds, replica: int) -> bool:
    """The first and the last entry change places."""
    log = s.replica[replica].log
    if len(log) < 2 or log[0] == log[len(log) - 1]:
        return False
    log[0], log[len(log) - 1] = log[len(log) - 1], log[0]
    return True


@model.action("replica")
def compact(s: State, k: Bounds, replica: int) -> bool:
    """Keep the entries with value 1; the loop goes over what was there."""
    log = s.replica[replica].log
    if not any(entry.value == 0 for entry in log):
        return False
    old = log[:]
    log.clear()
    for entry in old:
        if entry.value == 1:
            log.append(entry)
    return True


@model.action("replica")
def forget(s: State, k: Bounds, replica: int) -> bool:
    """The head moves to the other one, whose head comes here."""
    me, other = s.replica[replica], s.replica[1 - replica]
    if len(me.log) == 0 or len(other.log) == 0 or me.log[0] == other.log[0]:
        return False
    mine, theirs = me.log[0], other.log[0]
    me.log.popleft()
    me.log.append(theirs)
    other.log[0] = mine
    return True


@model.invariant("What is remembered is no newer than the term allows.")
def remembered(s: State, k: Bounds) -> bool:
    return all(r.last.term <= max(s.replica[0].term, s.replica[1].term) for r in s.replica)
# bounds: log=1
# expect: holds 2868

"""A log without duplicates: the invariant counts distinct records with a set, Cardinality({log[i]}) = Len(log).

Records compare by value (==), so that two equal ones are one member of a set (or, as for any Python class with __eq__ and
no __hash__, refused as unhashable).  The second Write of the same value breaks the invariant.
"""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 3, "entries")


class Entry(Record):
    term: int = integer(0, 2, "term")
    value: int = integer(0, 2, "value")


class State(Record):
    log: Seq[Entry] = sequence_of(Entry, lambda k: k.most, "the log")


model = Model(Bounds, State, deadlock=False)


@model.action("leader", value=lambda k: range(2))
def write(s: State, k: Bounds, value: int) -> bool:
    if len(s.log) == k.most:
        return False
    s.log.append(Entry(term=1, value=value))
    return True


@model.invariant("No entry is in the log twice.")
def distinct(s: State, k: Bounds) -> bool:
    return len(set(s.log)) == len(s.log)
# expect: violated Distinct 2

"""A TCP-like connection: enumeration members as keys of tables, indices, in sets, made by Phase(n), compared by order.

Each end has a phase, a table of allowed changes, and a history as a sequence of members.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, Seq, array, enumeration, number, sequence_of, integer, boolean


class Tcp(IntEnum):
    CLOSED = 0
    LISTEN = 1
    SYN = 2
    OPEN = 3
    FIN = 4

    def quiet(self) -> bool:
        return self in (Tcp.CLOSED, Tcp.LISTEN)


NEXT = {
    Tcp.CLOSED: (Tcp.LISTEN, Tcp.SYN),
    Tcp.LISTEN: (Tcp.OPEN,),
    Tcp.SYN: (Tcp.OPEN, Tcp.CLOSED),
    Tcp.OPEN: (Tcp.FIN,),
    Tcp.FIN: (Tcp.CLOSED,),
}
FINAL = frozenset({Tcp.FIN})


@dataclass(frozen=True)
class Bounds:
    ends: int = number(2, 1, 2, "ends", main=True)
    history: int = number(3, 0, 5, "how much it remembers")


class End(Record):
    phase: Tcp = enumeration(Tcp, "phase")
    past: Seq[int] = sequence_of(enumeration(Tcp, "a former phase"), lambda k: k.history, "past")
    visits: list[int] = array(len(Tcp), integer(0, 1, "visits of a phase"))


class State(Record):
    end: list[End] = array(lambda k: k.ends, End, by="end")


model = Model(Bounds, State, participants={"end": lambda k: k.ends}, deadlock=False)


@model.action("end", to=lambda k: list(Tcp))
def change(s: State, k: Bounds, end: int, to: Tcp) -> bool:
    me = s.end[end]
    if to not in NEXT[me.phase] or len(me.past) == k.history:
        return False
    if to is Tcp.OPEN and not any(o.phase > Tcp.LISTEN for i, o in enumerate(s.end) if i != end):
        return False
    old = me.phase
    me.past.append(old)
    me.visits[old] = 1
    me.phase = Tcp(to.value)
    assert me.past[len(me.past) - 1] is old and me.past[len(me.past) - 1].name == old.name
    return True


@model.invariant("The past is a path of the table.")
def path(s: State, k: Bounds) -> bool:
    return all(
        b in NEXT[a]
        for me in s.end
        for a, b in zip(list(me.past), [*me.past, me.phase][1:], strict=False)
    )


@model.invariant("Visits are those of the past.")
def visited(s: State, k: Bounds) -> bool:
    return all(me.visits[p] == (p in me.past) for me in s.end for p in Tcp)


@model.invariant("Nobody finishes while the other is quiet.")
def polite(s: State, k: Bounds) -> bool:
    first, second = s.end[0], s.end[-1]
    return not (first.phase in FINAL and second.phase.quiet())
# expect: violated Polite 5

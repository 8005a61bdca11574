"""The signature of a replica: what decides, in most states, its place in the representative.

The representative of a state is the least of its orbit, variable by variable.  If replicas are
sorted by their signatures, the state that results is that one: a signature has the parts of the
state that concern a replica in the order in which the comparison meets them.

This is exact as long as variables of a replica that renaming changes are at their lowest values,
except in one replica, the *leader*: the one that the first variable of the state names.  A state is
*entangled* where they are not; then only the first parts, up to ``Signature.first``, are sorted by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby
from math import factorial

from ...core.layout import WORD_BITS, Layout
from ...core.record import Variable
from ...core.symmetry import Permutation


class Kind(Enum):
    """How a part follows from its variables, whose values are united by OR."""

    IS_OTHER = auto()
    """Whether the variable names another replica: who is named gets the first place."""
    IS_OUTSIDE = auto()
    """Whether a replica is not in the set: members get the first places."""
    VALUE = auto()
    """The value."""
    NAME = auto()
    """The number of a replica, in which all that may be renamed are the first of these."""


@dataclass(frozen=True)
class Part:
    """A part of a replica's signature, at a position of one of its 64-bit words."""

    kind: Kind
    sources: tuple[Variable, ...]
    word: int
    shift: int


@dataclass(frozen=True)
class Signature:
    """What to compute of a state.

    Attributes
    ----------
    free
        The replicas that change places: all from a number on.
    leader
        The variable that names the leader, if there is one.
    parts
        For each of ``free`` the parts of its signature; the first bits are the highest ones.
    first
        How many of these parts are exact in every state.
    names, renamed
        For each of ``free`` its variables that name a replica, and (variable, mask) of what must be
        0 unless it leads.
    """

    free: tuple[int, ...]
    leader: Variable | None
    parts: tuple[tuple[Part, ...], ...]
    first: int
    names: tuple[tuple[Variable, ...], ...]
    renamed: tuple[tuple[tuple[Variable, int], ...], ...]


def signature_of(layout: Layout[object], group: Sequence[Permutation]) -> Signature | None:
    """Return the signature for a layout and a group; None if it has none that is exact."""
    count = len(group[0])
    free = tuple(r for r in range(count) if any(p[r] != r for p in group))
    is_full = len(group) == factorial(len(free)) and free == tuple(range(count - len(free), count))
    if not is_full or not all(map(_is_usual, layout.stored)) or not _are_last(layout, count):
        return None
    return _Collector(layout, free).signature()


def _is_usual(variable: Variable) -> bool:
    return len(variable.replicas) < 2 or (len(variable.replicas) == 2 and not variable.field.names)


def _are_last(layout: Layout[object], count: int) -> bool:
    """Whether no variable names a number above those of the replicas."""
    named = [v for v in layout.stored if v.field.names]
    highest = [v.high.bit_length() - 1 if v.field.names == "replicas" else v.high for v in named]
    return all(number < count for number in highest)


def _array(variable: Variable) -> str:
    """Return the path of the array by replica that holds a variable."""
    return variable.form.split("{}")[0] if variable.replicas else ""


class _Collector:
    """Goes through the variables of a layout in their order."""

    def __init__(self, layout: Layout[object], free: tuple[int, ...]) -> None:
        self._stored = layout.stored
        self._free = free
        self._parts: list[list[tuple[Kind, tuple[Variable, ...]]]] = [[] for _ in free]
        self._names: list[list[Variable]] = [[] for _ in free]
        self._renamed: list[list[tuple[Variable, int]]] = [[] for _ in free]
        self._first = -1

    def signature(self) -> Signature:
        """Return the signature."""
        for path, variables in groupby(self._stored, _array):
            if path:
                self._array(list(variables))
            else:
                for variable in variables:
                    self._shared([variable])
        meaningful = (v for v in self._stored if v.field.names or v.replicas)
        leader = next(meaningful, None)
        if leader and (leader.replicas or leader.field.names != "replica"):
            leader = None
        return Signature(
            self._free,
            leader,
            tuple(tuple(_placed(parts)) for parts in self._parts),
            len(self._parts[0]) if self._first < 0 else self._first,
            tuple(map(tuple, self._names)),
            tuple(map(tuple, self._renamed)),
        )

    def _shared(self, sources: Sequence[Variable]) -> None:
        """Add what variables of no free replica, or of the leader, say of the free ones."""
        names = sources[0].field.names
        if names:
            kind = Kind.IS_OTHER if names == "replica" else Kind.IS_OUTSIDE
            for parts in self._parts:
                parts.append((kind, tuple(sources)))

    def _array(self, variables: list[Variable]) -> None:
        """Add an array by replica: those that stay first, then the leader, then the others."""
        rows: dict[int, list[Variable]] = {}
        for variable in variables:
            rows.setdefault(variable.replicas[0], []).append(variable)
        for replica, row in rows.items():
            if replica not in self._free:
                self._row([row])
        if self._first < 0:
            self._first = len(self._parts[0])
        own = [rows[replica] for replica in self._free if replica in rows]
        # The leader names itself or somebody with a place already.
        self._row([[v for v in row if v.field.names != "replica"] for row in own])
        for index, row in enumerate(own):
            for variable in row:
                self._own(index, variable)

    def _row(self, rows: list[list[Variable]]) -> None:
        """Add what the elements of an array say of others; of several only one says anything."""
        for same in zip(*rows, strict=True):
            if len(same[0].replicas) == 1:
                self._shared(same)
            elif same[0].replicas[1] in self._free:
                other = self._free.index(same[0].replicas[1])
                self._parts[other].append((Kind.VALUE, same))

    def _own(self, index: int, variable: Variable) -> None:
        """Add a variable of a replica itself."""
        parts = self._parts[index]
        if variable.field.names == "replica":
            self._names[index].append(variable)
            parts.append((Kind.NAME, (variable,)))
        elif variable.field.names == "replicas":
            movable = sum(1 << r for r in self._free) & variable.high
            self._renamed[index].append((variable, movable))
            parts.append((Kind.VALUE, (variable,)))
        elif len(variable.replicas) == 2 and variable.replicas[1] in self._free:
            self._renamed[index].append((variable, (1 << variable.width) - 1))
        else:
            parts.append((Kind.VALUE, (variable,)))


def _placed(parts: Iterable[tuple[Kind, tuple[Variable, ...]]]) -> Iterator[Part]:
    """Place the parts of a signature, one below the other, in as many words as they need."""
    word, shift = 0, WORD_BITS
    for kind, sources in parts:
        width = 1 if kind in (Kind.IS_OTHER, Kind.IS_OUTSIDE) else sources[0].width
        if width > shift:
            word, shift = word + 1, WORD_BITS
        shift -= width
        yield Part(kind, sources, word, shift)

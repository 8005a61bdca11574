"""Who owns what can be changed: a name, and nobody else who would see the change.

A list, a set, a dictionary or a record that a function makes is one value, and the form has a copy
wherever Python has another name for it.  Both mean the same unless somebody changes it through one
name and reads it through the other: then the line is refused.  What decides this is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..form import (
    After,
    Apply,
    Bind,
    Call,
    Change,
    Choose,
    Combine,
    Comprehension,
    Constant,
    Copy,
    Element,
    Expression,
    First,
    Gather,
    Item,
    Local,
    Lookup,
    Make,
    Part,
    Slice,
    fields_of,
)
from ..types import Record, Ref, Stream, is_changeable, parts_of

FILE, STATE, VALUE = "", "@", "#"
"""Stand for whoever has what exists when the file is loaded, and for the state."""


@dataclass(frozen=True)
class Origin:
    """Where a value comes from.

    Parameters
    ----------
    same
        The names that stand for the same object.
    within
        The names of what this object lies in.
    holds
        The names of what may lie in it.
    """

    same: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    holds: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """All of these."""
        return self.same | self.within | self.holds

    def __or__(self, other: Origin) -> Origin:
        return Origin(self.same | other.same, self.within | other.within, self.holds | other.holds)


NEW = Origin()
"""Of what nobody else has."""


@dataclass(frozen=True)
class Sharing:
    """Which names of a function have objects in common, at one place of it.

    Parameters
    ----------
    same
        Pairs of names for one object, in both orders.
    within
        Pairs of a name and that of another object, in which its own lies.
    twice
        The names of what may hold one object in two places.
    """

    same: frozenset[tuple[str, str]] = frozenset()
    within: frozenset[tuple[str, str]] = frozenset()
    twice: frozenset[str] = frozenset()

    def __or__(self, other: Sharing) -> Sharing:
        return Sharing(self.same | other.same, self.within | other.within, self.twice | other.twice)

    def without(self, name: str) -> Sharing:
        """Return the sharing once a name stands for something else."""
        return Sharing(
            frozenset(pair for pair in self.same if name not in pair),
            frozenset(pair for pair in self.within if name not in pair),
            self.twice - {name},
        )

    def names(self) -> set[str]:
        """Return the names that share anything."""
        return {name for pair in self.same | self.within for name in pair}

    def among(self, names: set[str]) -> Sharing:
        """Return what these names share, and the parameters, whose names begin with ``$``."""

        def kept(pairs: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
            return frozenset(
                pair for pair in pairs if all(one in names or one.startswith("$") for one in pair)
            )

        return Sharing(kept(self.same), kept(self.within), self.twice & names)

    def given(self, name: str, origin: Origin, twice: bool = False) -> Sharing:
        """Return the sharing once a name stands for a value of this origin."""
        origin = self._beyond(name, origin)
        shared = self.without(name)
        for other in origin.same - {name}:
            shared = shared._named(name, other)
        for other in origin.within - {name}:
            shared = shared.put(name, other)
        for other in origin.holds - {name}:
            shared = shared.put(other, name)
        return shared.repeating(name) if twice else shared

    def _beyond(self, name: str, origin: Origin) -> Origin:
        """Return an origin in other names than one that stands for something else from now on."""
        same, within, holds = origin.same, origin.within, origin.holds
        if name in same:
            same, within = same | self.equal(name), within | self.around(name)
            holds |= self.inside(name)
        if name in within:
            within |= self.around(name) | self.equal(name)
        if name in holds:
            holds |= self.inside(name) | self.equal(name)
        return Origin(same, within, holds)

    def repeating(self, name: str) -> Sharing:
        """Return the sharing once an object, and all around it, may hold one twice."""
        every = {name, *self.equal(name), *self.around(name)}
        return replace(self, twice=self.twice | every)

    def _named(self, name: str, other: str) -> Sharing:
        """Two names stand for one object, so whatever is true of one is true of the other."""
        all_of_it = {name, other, *self.equal(name), *self.equal(other)}
        same = {(a, b) for a in all_of_it for b in all_of_it if a != b}
        outer = {b for a, b in self.within if a in all_of_it}
        inner = {a for a, b in self.within if b in all_of_it}
        within = {(a, b) for a in all_of_it for b in outer} | {
            (a, b) for a in inner for b in all_of_it
        }
        twice = frozenset(all_of_it) if all_of_it & self.twice else frozenset()
        return Sharing(self.same | same, self.within | within, self.twice | twice)

    def put(self, inner: str, outer: str) -> Sharing:
        """One object lies in another one, and in whatever that lies in."""
        lower = {inner, *self.equal(inner), *self.inside(inner)}
        upper = {outer, *self.equal(outer), *self.around(outer)}
        pairs = {(a, b) for a in lower for b in upper if a != b}
        twice = frozenset(upper) if lower & self.twice else frozenset()
        return Sharing(self.same, self.within | pairs, self.twice | twice)

    def equal(self, name: str) -> set[str]:
        """Return the other names for the same object."""
        return {b for a, b in self.same if a == name}

    def around(self, name: str) -> set[str]:
        """Return the names of what an object lies in."""
        return {b for a, b in self.within if a == name}

    def inside(self, name: str) -> set[str]:
        """Return the names of what lies in an object."""
        return {a for a, b in self.within if b == name}

    def seen_by(self, name: str, deep: bool) -> set[str]:
        """Return the names by which a change is seen.

        Parameters
        ----------
        deep
            Whether it is a change of what lies in the object, and not of what it has.
        """
        seen = self.equal(name) | self.around(name)
        if deep:
            inner = self.inside(name)
            seen |= inner
            for one in inner:
                seen |= self.equal(one) | self.around(one)
        return seen - {name}


def is_of_value(path: Expression) -> bool:
    """Whether a path leads to a container within a value that was read from the state."""
    while isinstance(path, (Part, Element, Item, Lookup)) and not isinstance(path.of.type, Ref):
        path = path.of
        if isinstance(path.type, Record) and not path.type.own:
            return True
    return False


def origin_of(value: Expression, sharing: Sharing) -> Origin:
    """Return where the object comes from that an expression gives."""
    if not is_changeable(value.type):
        return NEW
    if isinstance(value, Constant):
        return Origin(same=frozenset({FILE}), within=frozenset({FILE}))
    if isinstance(value, Local):
        return Origin(same=frozenset({value.name}))
    if isinstance(value, (Part, Element, Item, Lookup)) and is_of_value(value):
        return Origin(same=frozenset({VALUE}))
    if isinstance(value, (Part, Element, Item, Lookup)):
        default = [value.default] if isinstance(value, Lookup) and value.default else []
        origins = [_inside(value.of, sharing), *(origin_of(one, sharing) for one in default)]
        return _united(origins)
    if isinstance(value, Choose):
        return origin_of(value.yes, sharing) | origin_of(value.no, sharing)
    if isinstance(value, After):
        return origin_of(value.value, sharing)
    if isinstance(value, Change):
        # A method may take out something that has another name.
        root = root_of(value.of)
        inner = Origin(same=frozenset(sharing.inside(root))) if root else NEW
        return _united([inner, *(origin_of(one, sharing) for one in value.arguments)])
    if isinstance(value, Call):
        pairs = zip(value.function.parameters, value.arguments, strict=True)
        shared = [one for name, one in pairs if name in value.function.shares]
        return _united([*(origin_of(one, sharing) for one in shared), *_insides(shared, sharing)])
    if isinstance(value, (Apply, First)):
        parts = value.arguments if isinstance(value, Apply) else (value.of, value.default)
        return _united(_insides([one for one in parts if one is not None], sharing))
    if not any(map(is_changeable, parts_of(value.type))):
        return NEW
    return Origin(holds=frozenset(_held(value, sharing)))


_DISJOINT, _REPEATING = (
    {"chain", "zip"},
    {"product", "combinations", "permutations", "pairwise", "map", "flattened"},
)
"""Functions that give each object once if their arguments are others, and those that do not."""


def repeats(value: Expression, sharing: Sharing) -> bool:
    """Whether what an expression makes may hold one object in two places."""
    if not any(map(is_changeable, parts_of(value.type))):
        return False
    if isinstance(value, Local):
        return value.name in sharing.twice
    if isinstance(value, Make):
        return _overlap(value.parts, sharing)
    if isinstance(value, Combine):
        return _overlap((value.left, value.right), sharing)
    if isinstance(value, Call):
        return value.function.repeats or _overlap(value.arguments, sharing)
    if isinstance(value, Comprehension):
        return _repeats_in_rounds(value, sharing)
    if isinstance(value, Apply) and value.name in _REPEATING:
        return origin_of(value, sharing) != NEW
    if isinstance(value, Apply) and value.name in _DISJOINT:
        return _overlap(value.arguments, sharing)
    return any(repeats(part, sharing) for part in _parts(value))


def _overlap(parts: Iterable[Expression], sharing: Sharing) -> bool:
    """Whether one object may be in two of these, or twice in one."""
    seen: set[str] = set()
    for part in parts:
        own = {one for name in _flowing(part, sharing) for one in _reach(name, sharing)}
        if own & seen or repeats(part, sharing):
            return True
        seen |= own
    return False


def _flowing(value: Expression, sharing: Sharing) -> frozenset[str]:
    """Return the names of the objects that come from an expression."""
    if not is_changeable(value.type):
        return _inside(value, sharing).names if isinstance(value.type, Stream) else frozenset()
    return origin_of(value, sharing).names


def _reach(name: str, sharing: Sharing) -> set[str]:
    return {name, *sharing.equal(name), *sharing.around(name), *sharing.inside(name)}


def _repeats_in_rounds(value: Comprehension, sharing: Sharing) -> bool:
    """Whether two rounds may give one object: only what a single clause yields is another one."""
    names = origin_of(value.result, sharing).names
    if not names:
        return False
    [clause, *more] = value.clauses
    own = {clause.slot, *(one.name for one in clause.body if isinstance(one, Bind))}
    of_round = {other for one in own for other in (one, *sharing.around(one))}
    return bool(more or not names <= of_round or repeats(clause.over, sharing)) or repeats(
        value.result, sharing
    )


def _united(origins: Iterable[Origin]) -> Origin:
    united = NEW
    for origin in origins:
        united |= origin
    return united


def _insides(values: Iterable[Expression], sharing: Sharing) -> list[Origin]:
    return [_inside(value, sharing) for value in values]


def _inside(value: Expression, sharing: Sharing) -> Origin:
    """Return where something comes from that lies in what an expression gives."""
    if isinstance(value.type, Ref):
        return NEW
    owners: set[str] = set()
    names = set(_names(value))
    for name in names:
        owners |= {name, *sharing.equal(name), *sharing.around(name)}
    if any(isinstance(one, Constant) and is_changeable(one.type) for one in _within(value)):
        owners.add(FILE)
    inner = {one for name in names for one in sharing.inside(name)}
    return Origin(same=frozenset(inner), within=frozenset(owners))


def _held(value: Expression, sharing: Sharing) -> Iterator[str]:
    """Yield the names of what may lie in what an expression makes."""
    if isinstance(value, Make):
        for part in value.parts:
            origin = origin_of(part, sharing)
            yield from origin.same | origin.within | origin.holds
    elif isinstance(value, Comprehension):
        yield from _names(value.result)
        for clause in value.clauses:
            yield from _names(clause.over)
    elif isinstance(value, Combine):
        yield from _names(value)
    elif isinstance(value, Copy) and value.deep:
        return
    elif isinstance(value, (Gather, Copy, Slice)) and not isinstance(value.of.type, Ref):
        yield from _names(value.of)


def _parts(value: Expression) -> Iterator[Expression]:
    for _, part in fields_of(value):
        for one in part if isinstance(part, tuple) else (part,):
            if isinstance(one, Expression):
                yield one


def _within(value: Expression) -> Iterator[Expression]:
    yield value
    for one in _parts(value):
        yield from _within(one)


def _names(value: Expression) -> Iterator[str]:
    """Yield the names in an expression that stand for what can be changed."""
    if isinstance(value, Local):
        if is_changeable(value.type):
            yield value.name
        return
    for one in _parts(value):
        yield from _names(one)


def root_of(path: Expression) -> str | None:
    """Return the name from which a path leads to a change; None if it leads from the state."""
    while isinstance(path, (Part, Element, Item, Lookup)) and not isinstance(path.of.type, Ref):
        path = path.of
    return path.name if isinstance(path, Local) else None

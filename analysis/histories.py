"""Which histories a property reads: found from its code, so that no declaration can lack one.

A history is part of the state only if a requested property reads it.  Which variable is which
history is declared where its range is: a limit that reads ``k.track_committed`` belongs to the
history ``committed``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from ..core.fields import Array, Record, declared_parts
from ..core.spec import Property, TransitionSystem
from ..model.protocol import TRACK, Protocol, histories_of
from .reached import reached

_LIMITS = ("low", "high", "length")


def every_history(protocol: Protocol) -> frozenset[str]:
    """Return the histories that the states of a protocol can keep."""
    return frozenset(name.removeprefix(TRACK) for name in histories_of(protocol.model.bounds))


def histories(prop: Property, protocol: Protocol) -> frozenset[str]:
    """Return the histories that a property of a protocol reads.

    Code that may read what it does not name, such as ``getattr`` with a computed name, reads all
    of them.  What ``explain`` and ``places`` read counts as well, unless they ask ``k.track_...``
    whether it is there.
    """
    model = protocol.model
    tracked = histories_of(model.bounds)
    if not tracked:
        return frozenset()
    state: Any = protocol.state or model.state
    received = (*_records(state), *model.bounds.__mro__[:-1])
    decides = reached((prop.witness or prop.predicate, prop.premise), received, protocol.rules)
    tells = reached((prop.explain, prop.places), received, protocol.rules)
    if decides.anything or decides.texts or tells.anything:
        return every_history(protocol)
    kept = kept_with(state, model.bounds)
    needed = {name for name in tracked if name in decides.names}
    for names, mentioned in ((decides.names, set()), (tells.names, tells.names)):
        # Some variables are there with any of several histories.
        for variable, tracks in sorted(kept.items(), key=lambda one: len(one[1])):
            if variable in names and needed.isdisjoint(tracks) and mentioned.isdisjoint(tracks):
                needed.add(tracks[0])
    return frozenset(name.removeprefix(TRACK) for name in needed)


def names_of_history(protocol: Protocol) -> Collection[str]:
    """Return the variables that a state holds only with some history, and the switches of these."""
    model = protocol.model
    tracked = histories_of(model.bounds)
    if not tracked:
        return ()
    state: Any = protocol.state or model.state
    return (*kept_with(state, model.bounds), *tracked)


def keeps_histories(system: TransitionSystem[Any, Any], prop: Property, protocol: Protocol) -> bool:
    """Whether the states of a protocol's system have the histories that a property reads."""
    return all(getattr(system.constants, TRACK + name) for name in histories(prop, protocol))


@cache
def kept_with(state: type, constants: type) -> Mapping[str, tuple[str, ...]]:
    """Return for each variable that is history the switches with any of which it is kept."""
    kept = {}
    for name, part in declared_parts(state).items():
        limits = [getattr(one, limit, None) for one in (part, *_parts(part)) for limit in _LIMITS]
        names = reached(limits, constants.__mro__[:-1]).names
        if tracks := tuple(track for track in histories_of(constants) if track in names):
            kept[name] = tracks
    return kept


@cache
def _records(state: type) -> tuple[type, ...]:
    """Return the classes of the records of a state, and those that they are derived from."""
    kinds = {state: None}
    for part in _parts(state):
        kinds |= dict.fromkeys(part.__mro__) if isinstance(part, type) else {}
    return tuple(kind for kind in (*state.__mro__, *kinds) if issubclass(kind, Record))


def _parts(part: object) -> Iterable[object]:
    """Yield what a part of a declaration consists of."""
    inner: Iterable[object] = ()
    if isinstance(part, Array):
        inner = (part.element,)
    elif isinstance(part, type):
        inner = declared_parts(part).values()
    for one in inner:
        yield one
        yield from _parts(one)

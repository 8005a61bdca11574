"""Bounds from small to large, and which of them are varied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ..core.bounds import Bound, BoundsError, bound_name, declared, unknown, values_of
from ..core.errors import SelectionError
from ..model import Protocol

BoundValues = dict[str, int]
"""A value for each bound that the ladder varies."""


def bounds_up_to(
    largest: Mapping[str, int], smallest: Mapping[str, int] | None = None
) -> Iterator[BoundValues]:
    """Yield all bounds up to the largest: least sum first, then in the order the bounds are named.

    Parameters
    ----------
    smallest
        The smallest value of each bound; 0 by default.

    >>> [tuple(bounds.values()) for bounds in bounds_up_to({"records": 1, "elections": 2})]
    [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]
    """
    low = smallest or {}
    choices = product(*(range(low.get(name, 0), high + 1) for name, high in largest.items()))
    for values in sorted(choices, key=lambda values: (sum(values), values)):
        yield dict(zip(largest, values, strict=True))


@dataclass(frozen=True)
class Ladder:
    """The bounds that are varied, and their ranges.

    Parameters
    ----------
    fixed
        Settings of the other bounds, as on the command line.
    smallest, largest
        The range of each bound that is varied.
    grows
        Whether larger bounds allow everything that smaller ones do.
    """

    fixed: tuple[str, ...]
    smallest: BoundValues
    largest: BoundValues
    grows: bool

    def within(self, bounds: BoundValues) -> list[str]:
        """Return the settings of bounds that are varied, and of the others."""
        return [*self.fixed, *(f"{name}={value}" for name, value in bounds.items())]

    def allowed(self, protocol: Protocol) -> list[str]:
        """Return settings that the model allows: the fixed ones, or else the least that are varied.

        Raises
        ------
        BoundsError
            If it allows none.
        """
        refused = None
        for settings in (
            [*self.fixed],
            *map(self.within, bounds_up_to(self.largest, self.smallest)),
        ):
            try:
                protocol.within(settings)
            except BoundsError as error:
                refused = refused or error
            else:
                return settings
        assert refused is not None
        raise refused


def ladder(protocol: Protocol, settings: Sequence[str], limits: Sequence[str]) -> Ladder:
    """Return the ladder for the bounds that `limits` name, or else for the model's own ladder.

    A main bound that may be 0 limits how often something may happen, so a larger value allows
    everything that a smaller one does.  Other bounds differ: with one more replica, the
    high watermark waits for one more.

    Raises
    ------
    TidegateError
        For a bound that cannot be varied, or that is fixed as well.
    """
    model = protocol.model
    known = declared(model.bounds)
    # The values of the varied bounds decide whether the model allows them.
    values_of(model.bounds, protocol.with_own(settings))
    fixed = set(map(bound_name, settings))
    if limits:
        largest = dict(_limit(protocol, text) for text in limits)
    elif model.largest_bounds:
        largest = dict(model.largest_bounds)
    else:
        largest = _varied_by_default(known)
    if both := fixed & set(largest) if limits else set():
        name = min(both)
        raise SelectionError(f"bound {name} is both fixed (-b) and varied (--max); choose one")
    largest = {name: value for name, value in largest.items() if name not in fixed}
    if not largest:
        if fixed:
            raise SelectionError("every bound is fixed, so none can be varied; leave out some -b")
        raise SelectionError(
            f"{protocol.name} has no bound that is a number, so none can be varied"
        )
    smallest = {name: known[name][0].low for name in largest}
    chosen = bool(limits or model.largest_bounds)
    grows = not any(smallest.values()) and (chosen or all(known[name][0].main for name in largest))
    return Ladder(tuple(settings), smallest, largest, grows)


def _varied_by_default(known: Mapping[str, tuple[Bound, int]]) -> BoundValues:
    """Return how far which bounds are varied: main ones that may be 0, else main ones, else all."""
    numbers = [
        (name, bound, min(default + 1, bound.high))
        for name, (bound, default) in known.items()
        if bound.names is None and not bound.follows and bound.low < bound.high
    ]
    main = [one for one in numbers if one[1].main]
    chosen = [one for one in main if one[1].low == 0] or main or numbers
    return {name: largest for name, _, largest in chosen}


def _limit(protocol: Protocol, text: str) -> tuple[str, int]:
    """Return name and value of a ``--max``."""
    known = declared(protocol.model.bounds)
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if name not in known:
        raise BoundsError(unknown("bound", name, known))
    bound = known[name][0]
    if bound.names is not None:
        raise BoundsError(f"bound {name} is not a number and cannot be varied; set it with -b")
    if not equals:
        raise BoundsError(f"--max {name}: write it with a value, as {name}=VALUE")
    return name, bound.parse(name, value.strip())


def below(one: BoundValues, other: BoundValues) -> bool:
    """Whether no bound is larger in `one` than in `other`."""
    return all(one[name] <= other[name] for name in one)


def shown(bounds: BoundValues) -> str:
    """Return bounds as on the command line.

    >>> shown({"records": 2, "crashes": 1})
    'records=2 crashes=1'
    """
    return " ".join(f"{name}={value}" for name, value in bounds.items())


def listed(items: Sequence[BoundValues], most: int) -> Iterator[str]:
    """Yield bounds, the first `most` of them, then how many more there are."""
    yield from (shown(bounds) for bounds in items[:most])
    if len(items) > most:
        yield f"and {len(items) - most:,} more"

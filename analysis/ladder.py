"""Bounds from small to large, and which of them are varied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ..core.bounds import BoundsError, bound_name, declared, unknown
from ..model import Protocol
from .named import SelectionError

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


def ladder(protocol: Protocol, settings: Sequence[str], limits: Sequence[str]) -> Ladder:
    """Return the ladder for the bounds that `limits` name, or else for the family's own ladder.

    A bound that may be 0 limits how often something may happen, so a larger value allows everything
    that a smaller one does.  Other bounds differ: with one more replica, the high watermark waits
    for one more.

    Raises
    ------
    TidegateError
        For a bound that cannot be varied, or that is fixed as well.
    """
    model = protocol.model
    known = declared(model.bounds)
    protocol.within(settings)
    fixed = set(map(bound_name, settings))
    if limits:
        largest = dict(_limit(protocol, text) for text in limits)
    elif model.largest_bounds:
        largest = dict(model.largest_bounds)
    else:
        largest = {
            name: default + 1
            for name, (bound, default) in known.items()
            if bound.main and bound.low == 0 and not bound.follows
        }
    if both := fixed & set(largest) if limits else set():
        name = min(both)
        raise SelectionError(f"bound {name} is both fixed (-b) and varied (--max); choose one")
    largest = {name: value for name, value in largest.items() if name not in fixed}
    if not largest:
        if fixed:
            raise SelectionError("every bound is fixed, so none can be varied; leave out some -b")
        raise SelectionError(
            f"no bound of {protocol.name} may be 0, so none is varied by default; name one with "
            f"--max, as in: --max {next(iter(known), 'NAME')}=4"
        )
    smallest = {name: known[name][0].low for name in largest}
    return Ladder(tuple(settings), smallest, largest, not any(smallest.values()))


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

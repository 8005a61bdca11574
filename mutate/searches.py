"""The searches of mutants from scratch, and of the protocol that they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..checker.check import check
from ..core.interrupts import Stop
from ..core.result import Limits, Result
from ..core.spec import Outcome, Property
from ..library.names import find_protocol, is_custom
from ..library.pool import share
from ..library.properties import find_properties, properties_of, system_for, with_custom
from ..model.protocol import Protocol
from .fates import UndecidedError

INTERPRETED = 10_000
"""The most states for which Python is faster than compiling a mutant."""

_large: set[str] = set()
"""Bounds at which a mutant had more states than are worth interpreting."""

_sound: set[tuple[str, tuple[str, ...], str]] = set()
"""Protocols that do not fail themselves, with properties and bounds."""

_violations: dict[tuple[str, str, str, int], bool] = {}
"""Whether a protocol violates a property at some bounds within a number of steps."""


def searched(
    protocol: Protocol, properties: Sequence[Property], bounds: str, limits: Limits
) -> Result:
    """Search a protocol at bounds as on the command line, compiled only if that is faster."""
    system = system_for(protocol, bounds.split(), properties)
    # Without its guard an action may write before it answers that it is not enabled.
    resources = replace(share(), watch=is_custom(protocol.name))
    if bounds not in _large:
        few = replace(limits, max_states=INTERPRETED)
        interpreted = replace(resources, engine="interpreted")
        result = check(system, properties, limits=few, resources=interpreted)
        if result.outcome is not Outcome.INCOMPLETE or result.distinct_states < INTERPRETED:
            return result
        _large.add(bounds)
    return check(system, properties, limits=limits, resources=resources)


def killing_properties(protocol: Protocol, names: Sequence[str], live: bool) -> list[Property]:
    """Return the properties among the named ones that can kill a mutant.

    Of a custom model a liveness property can kill any.  Kafka's protocols have too many states to
    decide each of theirs for every mutant: there it can kill one without a fairness (`live`) only.
    """
    kinds = {live, True} if protocol.mutates_conditions else {live}
    return [
        prop
        for prop in properties_of(with_custom(protocol, names))
        if prop.name in names
        and (prop.kind.is_invariant or prop.kind.is_liveness)
        and prop.kind.is_liveness in kinds
    ]


def refuse_failing(name: str, names: tuple[str, ...], bounds: str, seconds: float | None) -> None:
    """Raise the error with which a protocol itself fails, since it then says nothing of mutants."""
    key = name, names, bounds
    if key not in _sound:
        protocol = find_protocol(name)
        properties = killing_properties(protocol, names, live=False)
        searched(protocol, properties, bounds, Limits(seconds=seconds))
        _sound.add(key)


def violates(protocol: str, name: str, bounds: str, steps: int, seconds: float | None) -> bool:
    """Whether a protocol itself violates a property within a number of steps.

    Raises
    ------
    UndecidedError
        If the search was stopped before.
    """
    key = protocol, name, bounds, steps
    if key not in _violations:
        original = find_protocol(protocol)
        # Where there are assertions, Assertion is chosen, too.
        [prop] = (one for one in find_properties(original, [name]) if one.name == name)
        # Less fairness allows more behaviors: the original's lassos are also the mutant's.
        depth = None if prop.kind.is_liveness else steps + 1
        result = searched(original, [prop], bounds, Limits(max_depth=depth, seconds=seconds))
        stopped = result.stopped_by
        if result.first is None and stopped is not None and stopped.by is not Stop.MAX_DEPTH:
            if stopped.by is Stop.ASSUMPTION:
                raise UndecidedError(f"{protocol} itself was stopped by {stopped}")
            raise original_takes_long(protocol)
        _violations[key] = result.first is not None
    return _violations[key]


def original_takes_long(name: str) -> UndecidedError:
    """Return the error that says that there was no time for a protocol itself."""
    return UndecidedError(f"the time was up while {name} itself was searched")

"""All that is found out about a violation: what it needs, and which steps it can do without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ..core.behavior import Behavior
from ..core.bounds import BoundsError, declared
from ..core.interrupts import Alarm, Stop, Stopped, reason
from ..core.result import Progress
from ..core.spec import TransitionSystem
from ..library.properties import system_for
from ..library.shortening import dispensable, shortened
from ..model.limited import limited
from ..model.protocol import Protocol
from .needs import Build, Need, Needs, Smallest


@dataclass(frozen=True)
class Findings:
    """The findings about a violation.

    Parameters
    ----------
    needs, options
        The kinds of faults and elections in its trace, and the options that are on.
    smallest
        A minimal subset of its faults and elections; None if it needs all, or nothing was searched.
    dispensable
        Numbers of the steps each of which can be dropped.
    part
        How many steps are left after dropping all that can be dropped.
    searched
        Whether faults and elections were searched at all.
    fair
        Those kinds in a lasso that were not, since fairness demands them.
    """

    needs: tuple[Need, ...]
    options: tuple[Need, ...]
    smallest: Smallest | None
    dispensable: tuple[int, ...]
    part: int
    searched: bool = True
    fair: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether every search explored all states, or found a violation."""
        smallest = self.smallest is None or self.smallest.decided
        return smallest and all(need.decided for need in (*self.needs, *self.options))

    @property
    def all_needed(self) -> bool:
        """Whether no fault or election of the trace can be left out, as far as is known."""
        return all(need.decided and need.least == len(need.numbers) for need in self.needs)


def find(
    protocol: Protocol,
    behavior: Behavior,
    kinds: Mapping[str, str],
    seconds: float,
    report: Callable[[Progress], None],
) -> tuple[Findings | None, Stopped | None]:
    """Find out what a violation needs; also return what ended the searches early.

    Parameters
    ----------
    kinds
        Actions that are faults or elections, with their nouns.
    seconds
        Time limit of all searches together.
    """
    started = perf_counter()
    try:
        with Alarm(seconds, started):
            return _findings(protocol, behavior, kinds, seconds, report)
    except KeyboardInterrupt as error:
        return None, reason(error, perf_counter() - started)


def _findings(
    protocol: Protocol,
    behavior: Behavior,
    kinds: Mapping[str, str],
    seconds: float,
    report: Callable[[Progress], None],
) -> tuple[Findings, Stopped | None]:
    system, trace, prop = behavior.system, behavior.trace, behavior.prop
    assert prop is not None
    build = _builder(protocol, behavior)
    search = Needs(build, prop, trace, kinds, seconds, report)
    lasso = prop.kind.is_liveness
    searched = lasso or prop.kind.is_invariant
    # Without a step that fairness demands a behavior may violate the property for that alone.
    fair = _fair(system) & set(search.used()) if lasso else set[str]()
    needs = tuple(
        search.of_kind(action) for action in search.used() if searched and action not in fair
    )
    switches = [
        name
        for name, (_, default) in declared(protocol.model.bounds).items()
        if isinstance(default, bool) and system.bounds[name] == "true" and _is_possible(build, name)
    ]
    on = tuple(search.of_option(name, "false") for name in switches) if searched else ()
    least = all(need.decided and need.least == len(need.numbers) for need in needs)
    smallest = None if least or lasso else search.smallest()
    if lasso:
        # Without one of its steps a lasso need not come back to where its cycle begins.
        spare, part = list[int](), len(trace.steps)
    else:
        spare = dispensable(system, prop, trace)
        part = len(shortened(system, prop, trace).steps)
    findings = Findings(needs, on, smallest, tuple(spare), part, searched, tuple(sorted(fair)))
    return findings, Stopped(Stop.INTERRUPT) if search.interrupted else None


def _is_possible(build: Build, option: str) -> bool:
    """Whether an option can be off within the trace's bounds: another one may need it."""
    try:
        build({}, {option: "false"})
    except BoundsError:
        return False
    return True


def _fair(system: TransitionSystem[Any, Any]) -> set[str]:
    """Return the names of the fair actions."""
    return {action.name for action in system.actions if system.is_fair(action)}


def _builder(protocol: Protocol, behavior: Behavior) -> Build:
    """Return a builder of a trace's system with fewer faults and elections, or other options."""
    prop = behavior.prop
    assert prop is not None
    recorded = behavior.system.bounds

    def build(most: Mapping[str, int], changed: Mapping[str, str]) -> TransitionSystem[Any, Any]:
        settings = [f"{name}={value}" for name, value in (recorded | dict(changed)).items()]
        return system_for(limited(protocol, most), settings, [prop])

    return build

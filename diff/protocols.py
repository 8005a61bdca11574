"""How two protocols differ: verdicts, counterexamples and states, in that order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from ..checker.check import check
from ..checker.verdicts import behavior_of
from ..core.errors import SelectionError, TidegateError
from ..core.interrupts import Stop, Stopped, is_interrupt
from ..core.layout import State
from ..core.result import Limits, Progress, Resources
from ..core.spec import Outcome, Step, TransitionSystem
from ..library.names import is_custom
from ..library.properties import (
    find_violable,
    properties_of,
    select_violable,
    system_for,
    with_custom,
    with_every_history,
)
from ..model import Protocol
from .systems import (
    Alone,
    BehaviorDiff,
    Followed,
    Ranges,
    Reached,
    alone,
    begun_apart,
    follow,
    ranges,
    shared,
)

Both = tuple[Protocol, Protocol]
"""The old protocol, and the new one."""

Showing = Callable[[], AbstractContextManager[Callable[[Progress], None]]]
"""Shows the progress of one search."""

FEW = 10_000
"""In more states than these the decisions of rules are not compared, which takes Python."""


@dataclass(frozen=True)
class Row:
    """The verdict on a property.

    Parameters
    ----------
    steps
        Those of a shortest counterexample.
    loop
        Where the counterexample is a lasso: the steps of its stem.
    """

    name: str
    outcome: str
    steps: tuple[Step, ...] | None
    explanation: str = ""
    loop: int | None = None


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of an exhaustive search."""

    headline: str
    rows: tuple[Row, ...]
    distinct_states: int
    depth: int
    stopped_by: Stopped | None


@dataclass(frozen=True)
class Count:
    """How many states a protocol reaches, and in how many each action is enabled."""

    distinct_states: int
    taken: dict[str, int]
    stopped_by: Stopped | None


@dataclass(frozen=True)
class VerdictDiff:
    """The verdicts of both, within the chosen bounds.

    Parameters
    ----------
    settings
        These bounds, as on the command line.
    apart
        Whether the verdicts differ there.
    alike
        Bounds that were searched before, with the same verdicts for both.
    skipped
        Bounds that were not searched for lack of time.
    """

    settings: tuple[str, ...]
    old: Verdicts
    new: Verdicts
    apart: bool
    alike: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def stopped_by(self) -> Stopped | None:
        """What ended one of the two searches early."""
        return self.old.stopped_by or self.new.stopped_by

    @property
    def open(self) -> bool:
        """Whether a property was not decided."""
        return any(row.outcome == "incomplete" for row in (*self.old.rows, *self.new.rows))


@dataclass(frozen=True)
class Counterexample:
    """A counterexample of one protocol, replayed in the other.

    Parameters
    ----------
    properties
        The checked properties that it violates.
    explanation
        What is wrong in its last state.
    loop
        Where it is a lasso: the steps of its stem.
    """

    properties: tuple[str, ...]
    explanation: str
    behavior: BehaviorDiff
    loop: int | None


@dataclass(frozen=True)
class StateDiff:
    """The states of both.

    Parameters
    ----------
    counts
        Those of the old protocol and of the new one.
    left_out
        Variables that only one of the two has; they are not compared.
    begun_apart
        Variables that both have, with other values in their initial states; nor are these.
    alone
        States that only the old and only the new protocol reaches; None if a search was incomplete.
    behaviors
        Shortest behaviors to the nearest of these, of the old one and of the new one.
    agreeing
        Where there are no such states: the changed rules that decide alike in all of them.
    """

    counts: Sequence[Count]
    left_out: Sequence[Sequence[str]]
    alone: Sequence[Alone] | None = None
    behaviors: Sequence[BehaviorDiff] = ()
    begun_apart: Sequence[str] = ()
    agreeing: Sequence[str] = ()


def bounds_to_try(
    both: Both, settings: Sequence[str], names: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the bounds at which two protocols are compared: those of the user, or a ladder.

    The ladder begins with the defaults, followed by the model's mutation bounds, which are small
    and made to notice one guard or one rule.

    Raises
    ------
    TidegateError
        If the two are of different models, or a bound or a property does not exist.
    """
    old, new = both
    for protocol in both:
        find_violable(protocol, names)
    alike = old.is_kafkas == new.is_kafkas
    if not alike or not shared(*(variables(protocol, settings) for protocol in both)):
        raise SelectionError(
            f"{old.name} and {new.name} have different states and steps; compare two protocols of "
            "one model"
        )
    ladder = new.model.mutation_bounds
    return [tuple(settings)] if settings else [(), *(tuple(one.split()) for one in ladder)]


def decide(
    both: Both,
    ladder: Sequence[tuple[str, ...]],
    names: Sequence[str],
    seconds: float,
    showing: Showing,
) -> VerdictDiff:
    """Decide the properties of both, at the first bounds of a ladder that distinguish them.

    Those are the bounds where verdicts differ, else trace lengths, else the first ones.

    Parameters
    ----------
    seconds
        Time limit of all searches together.
    """
    until = perf_counter() + seconds
    searched: list[VerdictDiff] = []
    for bounds in ladder:
        left = until - perf_counter()
        if searched and left <= 0:
            break
        searched.append(_decided(both, bounds, names, left, showing))
        if searched[-1].stopped_by or searched[-1].apart:
            break
    complete = [one for one in searched if not one.stopped_by]
    chosen = max(complete, key=_apart, default=searched[0])
    alike = [one.settings for one in complete if one is not chosen and not one.apart]
    open_bounds = [one.settings for one in searched if one.stopped_by and one is not chosen]
    skipped = [] if chosen.apart else [*open_bounds, *ladder[len(searched) :]]
    return replace(chosen, alike=tuple(map(" ".join, alike)), skipped=tuple(map(" ".join, skipped)))


def _decided(
    both: Both,
    bounds: tuple[str, ...],
    names: Sequence[str],
    seconds: float,
    showing: Showing,
) -> VerdictDiff:
    """Search both within bounds; an interrupt ends both searches."""
    limits = Limits(seconds=max(0.1, round(seconds / 2, 1)))
    old = _verdicts(both[0], bounds, names, limits, showing)
    if is_interrupt(old.stopped_by):
        undecided = tuple(Row(row.name, Outcome.INCOMPLETE.value, None) for row in old.rows)
        new = Verdicts(old.headline, undecided, 0, 0, Stopped(Stop.INTERRUPT))
    else:
        new = _verdicts(both[1], bounds, names, limits, showing)
    before, after = ({row.name: row.outcome for row in one.rows} for one in (old, new))
    return VerdictDiff(bounds, old, new, apart=before != after)


def _verdicts(
    protocol: Protocol,
    settings: Sequence[str],
    names: Sequence[str],
    limits: Limits,
    showing: Showing,
) -> Verdicts:
    """Decide properties in all states within bounds."""
    selection = select_violable(protocol, names)
    properties = selection.properties
    system = system_for(protocol, settings, properties)
    with showing() as show:
        result = check(
            system,
            properties,
            named=selection.named,
            limits=limits,
            keep_going=True,
            report=show,
            resources=Resources(watch=is_custom(protocol.name)),
        )
    rows = tuple(
        Row(
            verdict.property.name,
            verdict.outcome.value,
            verdict.trace.steps if verdict.trace else None,
            shown.explanation if (shown := behavior_of(system, verdict)) else "",
            verdict.trace.loop if verdict.trace else None,
        )
        for verdict in result.verdicts
    )
    untraced = (verdict.untraced for verdict in result.verdicts if verdict.untraced)
    stopped_by = result.stopped_by or next(untraced, None)
    return Verdicts(system.headline, rows, result.distinct_states, result.depth, stopped_by)


def _apart(verdicts: VerdictDiff) -> int:
    """Return how much two protocols differ: in verdicts, in the lengths of traces, or not."""
    old, new = (
        {row.name: len(row.steps) for row in one.rows if row.steps is not None}
        for one in (verdicts.old, verdicts.new)
    )
    return 2 if verdicts.apart else int(old != new)


def counterexamples(both: Both, verdicts: VerdictDiff) -> Iterator[Counterexample]:
    """Yield each counterexample of one, replayed in the other, in the old one's order.

    A property that both violate by the same steps is left out.
    """
    rows = [{row.name: row for row in one.rows} for one in (verdicts.old, verdicts.new)]
    for of in (0, 1):
        groups: dict[tuple[tuple[Step, ...], int | None], list[Row]] = {}
        for name, row in rows[of].items():
            other = rows[1 - of].get(name)
            if row.steps is not None and (other is None or other.steps != row.steps):
                groups.setdefault((row.steps, row.loop), []).append(row)
        for (steps, loop), violated in groups.items():
            yield Counterexample(
                tuple(row.name for row in violated),
                violated[0].explanation,
                _behavior(both, of, verdicts.settings, list(rows[of]), steps),
                loop,
            )


def _behavior(
    both: Both,
    of: int,
    settings: Sequence[str],
    names: Sequence[str],
    steps: Sequence[Step],
) -> BehaviorDiff:
    """Take the steps of one protocol in both."""
    here, there = (_followed(both[side], settings, names, steps) for side in (of, 1 - of))
    return BehaviorDiff(of, here, there)


def _followed(
    protocol: Protocol, settings: Sequence[str], names: Sequence[str], steps: Sequence[Step]
) -> Followed:
    """Take steps from its initial state as far as they are enabled; judge where that ends."""
    system = with_every_history(protocol, settings)
    known = properties_of(with_custom(protocol, names))
    # That a finite behavior says nothing of a liveness property.
    judged = [prop for prop in known if prop.name in names and not prop.kind.is_liveness]
    return follow(system, judged, steps)


def plain_system(protocol: Protocol, settings: Sequence[str]) -> TransitionSystem[Any, Any]:
    """Return its system without histories."""
    return system_for(protocol, settings, [])


def variables(protocol: Protocol, settings: Sequence[str]) -> Ranges:
    """Return the range of every variable that its states have within bounds."""
    return ranges(plain_system(protocol, settings))


def variables_of_one(both: Both, settings: Sequence[str]) -> list[list[str]]:
    """Return the variables that only the old and only the new one has."""
    old, new = (variables(protocol, settings) for protocol in both)
    return [[name for name in old if name not in new], [name for name in new if name not in old]]


def states(
    both: Both,
    settings: Sequence[str],
    limits: Limits,
    showing: Showing,
    changed: Sequence[str] = (),
) -> StateDiff:
    """Compare the states that both reach, as far as their variables are the same.

    Where they are the same, so are the decisions of the `changed` rules.
    """
    names = shared(*(variables(protocol, settings) for protocol in both))
    left_out = variables_of_one(both, settings)
    with ExitStack() as stack:
        reached: list[Reached] = []
        for protocol in both:
            with showing() as show:
                reached.append(Reached(plain_system(protocol, settings), limits, show))
            stack.callback(reached[-1].close)
            if is_interrupt(reached[-1].stopped_by):
                break
        counts = [Count(one.distinct_states, one.taken, one.stopped_by) for one in reached]
        counts += [Count(0, {}, Stopped(Stop.INTERRUPT))] * (2 - len(counts))
        if any(count.stopped_by for count in counts):
            return StateDiff(counts, left_out)
        levels = [one.levels(names) for one in reached]
        apart = begun_apart(levels[0], levels[1], names)
        if apart:
            names = [name for name in names if name not in apart]
            levels = [one.levels(names) for one in reached]
        lone = [alone(levels[0], levels[1]), alone(levels[1], levels[0])]
        behaviors = [
            _behavior(both, of, settings, [], reached[of].behavior(*part.nearest))
            for of, part in enumerate(lone)
            if part.nearest is not None
        ]
        agreeing: Sequence[str] = ()
        if not any(part.count for part in lone) and counts[0].distinct_states <= FEW:
            agreeing = _agreeing(both, settings, changed, reached[0].states)
    return StateDiff(counts, left_out, lone, behaviors, apart, agreeing)


def _agreeing(
    both: Both, settings: Sequence[str], changed: Sequence[str], seen: Iterable[State]
) -> list[str]:
    """Return the changed rules that decide and write the same wherever the old one is called."""
    old, new = both
    system = plain_system(old, settings)
    layout = system.layout
    names = {name for name in changed if callable(getattr(new.rules, name))}
    apart = {name for name in names if not callable(getattr(old.rules, name))}
    if apart == names:
        return []

    def both_of(name: str) -> Callable[..., Any]:
        mine, theirs = getattr(old.rules, name), getattr(new.rules, name)

        def decide(*arguments: Any) -> Any:
            before = layout.dump()
            answered = theirs(*arguments), layout.values()
            layout.load(before)
            answer = mine(*arguments)
            if answered != (answer, layout.values()):
                apart.add(name)
            return answer

        return decide

    rules = replace(old.rules, **{name: both_of(name) for name in names - apart})
    system.constants = replace(system.constants, rules=rules)
    try:
        for state in seen:
            for _ in system.successors(state):
                if apart == names:
                    return []
    except TidegateError:
        # The new rule fails where the old one does not: it decides otherwise.
        return []
    return sorted(names - apart)

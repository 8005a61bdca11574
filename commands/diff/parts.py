"""How two protocols differ: code, verdicts, counterexamples and states, in that order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from ...analysis.diff import Alone, BehaviorDiff, alone, begun_apart, shared
from ...analysis.named import SelectionError
from ...checker.result import Limits
from ...checker.stop import Stop, Stopped, is_interrupt
from ...core.spec import Outcome, Step
from .sides import Count, Row, Side, Verdicts


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
    """

    counts: Sequence[Count]
    left_out: Sequence[Sequence[str]]
    alone: Sequence[Alone] | None = None
    behaviors: Sequence[BehaviorDiff] = ()
    begun_apart: Sequence[str] = ()


def bounds_to_try(
    sides: tuple[Side, Side], settings: Sequence[str], names: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the bounds at which two protocols are compared: those of the user, or a ladder.

    The ladder begins with the defaults, followed by the family's mutation bounds, which are small
    and made to notice one guard or one rule.

    Raises
    ------
    TidegateError
        If the two are of different families, or a bound or a property does not exist.
    """
    old, new = (side.about(names) for side in sides)
    if old.family != new.family:
        raise SelectionError(
            f"{old.name} is of the {old.family} family and {new.name} of the {new.family} family, "
            "which have different states and steps; compare two protocols of one family"
        )
    for side in sides:
        side.variables(settings)
    return (
        [tuple(settings)] if settings else [(), *(tuple(bounds.split()) for bounds in new.ladder)]
    )


def decide(
    sides: tuple[Side, Side],
    ladder: Sequence[tuple[str, ...]],
    names: Sequence[str],
    seconds: float,
    quiet: bool,
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
        searched.append(_decided(sides, bounds, names, left, quiet))
        if searched[-1].stopped_by or searched[-1].apart:
            break
    complete = [one for one in searched if not one.stopped_by]
    chosen = max(complete, key=_apart, default=searched[0])
    alike = [one.settings for one in complete if one is not chosen and not one.apart]
    open_bounds = [one.settings for one in searched if one.stopped_by and one is not chosen]
    skipped = [] if chosen.apart else [*open_bounds, *ladder[len(searched) :]]
    return replace(chosen, alike=tuple(map(" ".join, alike)), skipped=tuple(map(" ".join, skipped)))


def _decided(
    sides: tuple[Side, Side],
    bounds: tuple[str, ...],
    names: Sequence[str],
    seconds: float,
    quiet: bool,
) -> VerdictDiff:
    """Search both within bounds; an interrupt ends both searches."""
    limits = Limits(seconds=max(0.1, round(seconds / 2, 1)))
    old = sides[0].verdicts(bounds, names, limits, quiet)
    if is_interrupt(old.stopped_by):
        undecided = tuple(Row(row.name, Outcome.INCOMPLETE.value, None) for row in old.rows)
        new = Verdicts(old.headline, undecided, 0, 0, Stopped(Stop.INTERRUPT))
    else:
        new = sides[1].verdicts(bounds, names, limits, quiet)
    before, after = ({row.name: row.outcome for row in one.rows} for one in (old, new))
    return VerdictDiff(bounds, old, new, apart=before != after)


def _apart(verdicts: VerdictDiff) -> int:
    """Return how much two protocols differ: in verdicts, in the lengths of traces, or not."""
    old, new = (
        {row.name: len(row.steps) for row in one.rows if row.steps is not None}
        for one in (verdicts.old, verdicts.new)
    )
    return 2 if verdicts.apart else int(old != new)


def counterexamples(sides: tuple[Side, Side], verdicts: VerdictDiff) -> Iterator[Counterexample]:
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
                _behavior(sides, of, verdicts.settings, list(rows[of]), steps),
                loop,
            )


def _behavior(
    sides: tuple[Side, Side],
    of: int,
    settings: Sequence[str],
    names: Sequence[str],
    steps: Sequence[Step],
) -> BehaviorDiff:
    """Take the steps of one protocol in both."""
    here, there = (side.follow(settings, names, steps) for side in (sides[of], sides[1 - of]))
    return BehaviorDiff(of, here, there)


def variables_of_one(sides: tuple[Side, Side], settings: Sequence[str]) -> list[list[str]]:
    """Return the variables that only the old and only the new one has."""
    old, new = (side.variables(settings) for side in sides)
    return [[name for name in old if name not in new], [name for name in new if name not in old]]


def states(
    sides: tuple[Side, Side], settings: Sequence[str], limits: Limits, quiet: bool
) -> StateDiff:
    """Compare the states that both reach, as far as their variables are the same."""
    both = shared(*(side.variables(settings) for side in sides))
    left_out = variables_of_one(sides, settings)
    counts = [sides[0].reach(settings, limits, quiet)]
    if is_interrupt(counts[0].stopped_by):
        counts.append(Count(0, {}, Stopped(Stop.INTERRUPT)))
    else:
        counts.append(sides[1].reach(settings, limits, quiet))
    if any(reached.stopped_by for reached in counts):
        return StateDiff(counts, left_out)
    levels = [side.levels(both) for side in sides]
    apart = begun_apart(levels[0], levels[1], both)
    if apart:
        both = [name for name in both if name not in apart]
        levels = [side.levels(both) for side in sides]
    lone = [alone(levels[0], levels[1]), alone(levels[1], levels[0])]
    behaviors = [
        _behavior(sides, of, settings, [], sides[of].behavior(*part.nearest))
        for of, part in enumerate(lone)
        if part.nearest is not None
    ]
    return StateDiff(counts, left_out, lone, behaviors, apart)

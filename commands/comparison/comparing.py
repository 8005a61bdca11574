"""How two protocols differ: code, verdicts, counterexamples and states, in that order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from ...analysis.compare import Alone, Contrast, alone, begun_apart, contrast, shared
from ...analysis.named import SelectionError
from ...checker.result import Limits
from ...checker.stop import Stop, Stopped, is_interrupt
from ...core.spec import Outcome, Step
from .sides import Count, Row, Side, Verdicts


@dataclass(frozen=True)
class Decided:
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
    contrast: Contrast
    loop: int | None


@dataclass(frozen=True)
class States:
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

    counts: tuple[Count, Count]
    left_out: tuple[tuple[str, ...], tuple[str, ...]]
    alone: tuple[Alone, Alone] | None = None
    behaviors: tuple[Contrast, ...] = ()
    begun_apart: tuple[str, ...] = ()


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
) -> Decided:
    """Decide the properties of both, at the first bounds of a ladder that distinguish them.

    Parameters
    ----------
    seconds
        Time limit of all searches together.
    """
    until = perf_counter() + seconds
    decisions: list[Decided] = []
    for number, bounds in enumerate(ladder):
        left = until - perf_counter()
        if decisions and left <= 0:
            return _chosen(decisions, ladder[number:])
        both = _both(sides, bounds, names, left, quiet)
        decided = Decided(bounds, both[0], both[1], apart=_outcomes(both[0]) != _outcomes(both[1]))
        decisions.append(decided)
        if decided.stopped_by or decided.apart:
            return _chosen(decisions, ladder[number + 1 :])
    return _chosen(decisions, [])


def _both(
    sides: tuple[Side, Side],
    bounds: Sequence[str],
    names: Sequence[str],
    seconds: float,
    quiet: bool,
) -> tuple[Verdicts, Verdicts]:
    """Search both within bounds; an interrupt ends both searches."""
    limits = Limits(seconds=max(0.1, round(seconds / 2, 1)))
    old = sides[0].verdicts(bounds, names, limits, quiet)
    if is_interrupt(old.stopped_by):
        undecided = tuple(Row(row.name, Outcome.INCOMPLETE.value, None) for row in old.rows)
        return old, Verdicts(old.headline, undecided, 0, 0, Stopped(Stop.INTERRUPT))
    return old, sides[1].verdicts(bounds, names, limits, quiet)


def _outcomes(verdicts: Verdicts) -> dict[str, str]:
    return {row.name: row.outcome for row in verdicts.rows}


def _lengths(verdicts: Verdicts) -> dict[str, int]:
    return {row.name: len(row.steps) for row in verdicts.rows if row.steps is not None}


def _chosen(decisions: Sequence[Decided], left: Sequence[tuple[str, ...]]) -> Decided:
    """Return the bounds to report: where verdicts differ, else trace lengths, else the first."""
    complete = [one for one in decisions if not one.stopped_by]
    longer = [one for one in complete if _lengths(one.old) != _lengths(one.new)]
    apart = [one for one in complete if one.apart]
    chosen = next(iter(apart or longer or complete or list(decisions)))
    alike = tuple(" ".join(one.settings) for one in complete if one is not chosen and not one.apart)
    unseen = [one.settings for one in decisions if one.stopped_by and one is not chosen]
    skipped = tuple(" ".join(bounds) for bounds in [*unseen, *left]) if not chosen.apart else ()
    return Decided(chosen.settings, chosen.old, chosen.new, chosen.apart, alike, skipped)


def counterexamples(sides: tuple[Side, Side], decided: Decided) -> Iterator[Counterexample]:
    """Yield each counterexample of one, replayed in the other, in the old one's order.

    A property that both violate by the same steps is left out.
    """
    rows = [{row.name: row for row in verdicts.rows} for verdicts in (decided.old, decided.new)]
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
                _contrast(sides, of, decided.settings, list(rows[of]), steps),
                loop,
            )


def _contrast(
    sides: tuple[Side, Side],
    of: int,
    settings: Sequence[str],
    names: Sequence[str],
    steps: Sequence[Step],
) -> Contrast:
    """Take the steps of one protocol in both."""
    here, there = (side.follow(settings, names, steps) for side in (sides[of], sides[1 - of]))
    return contrast(of, here, there)


def variables_of_one(
    sides: tuple[Side, Side], settings: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the variables that only the old and only the new one has."""
    old, new = (side.variables(settings) for side in sides)
    both = set(shared(old, new))
    return tuple(one for one in old if one not in both), tuple(
        one for one in new if one not in both
    )


def states(
    sides: tuple[Side, Side], settings: Sequence[str], limits: Limits, quiet: bool
) -> States:
    """Compare the states that both reach, as far as their variables are the same."""
    ranges = [side.variables(settings) for side in sides]
    both = shared(ranges[0], ranges[1])
    left_out = variables_of_one(sides, settings)
    counts = [sides[0].reach(settings, limits, quiet)]
    if is_interrupt(counts[0].stopped_by):
        counts.append(Count(0, {}, Stopped(Stop.INTERRUPT)))
    else:
        counts.append(sides[1].reach(settings, limits, quiet))
    if any(reached.stopped_by for reached in counts):
        return States((counts[0], counts[1]), left_out)
    levels = [side.levels(both) for side in sides]
    apart = begun_apart(levels[0], levels[1], both)
    if apart:
        both = [name for name in both if name not in apart]
        levels = [side.levels(both) for side in sides]
    lone = alone(levels[0], levels[1]), alone(levels[1], levels[0])
    behaviors = tuple(
        _contrast(sides, of, settings, [], sides[of].behavior(*part.nearest))
        for of, part in enumerate(lone)
        if part.nearest is not None
    )
    return States((counts[0], counts[1]), left_out, lone, behaviors, tuple(apart))

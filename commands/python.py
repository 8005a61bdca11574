"""The commands as functions of Python: what ``tidegate check`` does, and returns as an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..core.behavior import Behavior, TraceStep
from ..core.callbacks import followers
from ..core.interrupts import is_interrupt
from ..core.options import made
from ..core.options import options as declared
from ..core.result import Cluster, Limits, Resources, Result, SearchOptions, Verdict
from ..core.spec import Outcome, Property, TransitionSystem
from ..library.bug_matching import Match, seconds_left
from ..library.problem import Problem, cluster, problem_of, simulation

if TYPE_CHECKING:
    from ..model import Protocol
    from ..model.custom.model import Model


@dataclass(frozen=True)
class Checked:
    """What a check came to; ``str`` of it is what ``tidegate check`` prints.

    Attributes
    ----------
    holds
        Whether every property holds in every state within the bounds, or is reached if it must be;
        false where that is not known of one, whatever the reason: see :attr:`undecided`.
    complete
        Whether all states within the bounds were seen.
    distinct_states
        How many states were found.
    depth
        States on the longest of the shortest behaviors, the initial one included, as TLC counts.
    violated
        Names of the properties that are violated, the one whose trace is :attr:`trace` first.
    undecided
        For each property that was not decided the reason, by name: a limit, a violation that ended
        the search before, or an option with which it cannot be decided.
    trace
        The shortest behavior that violates a property; empty where none is, or where a limit or
        Ctrl-C ended the search for its steps.
    """

    holds: bool
    complete: bool
    distinct_states: int
    depth: int
    violated: tuple[str, ...]
    undecided: Mapping[str, str]
    trace: tuple[TraceStep, ...]
    _problem: Problem = field(repr=False, compare=False)
    _result: Result = field(repr=False, compare=False)

    @property
    def declared_pure(self) -> tuple[str, ...]:
        """The functions declared pure that the model reaches: they were tried, not read.

        Each is a name with its file and line.
        """
        tried = self._result.tried
        return tuple(f"{one.function} ({one.place})" for one in tried.functions) if tried else ()

    @property
    def interpreted_because(self) -> tuple[str, ...]:
        """Why a search that was worth compiling went on in Python: function, line and reason.

        Empty if it was compiled, if it was too small for that, or if ``engine="interpreted"`` was
        requested.
        """
        return tuple(map(str, self._result.interpreted_because))

    @property
    def never_asked(self) -> tuple[str, ...] | None:
        """The rules that the protocol changes and that nothing asked in the whole search.

        None where that is not known: the search was stopped or resumed.
        """
        return self._result.never_asked

    @property
    def lacks(self) -> dict[str, tuple[str, ...]]:
        """For each property the actions that it needs and that are missing, or never enabled."""
        verdicts = self._result.verdicts
        return {one.property.name: one.lacks for one in verdicts if one.lacks}

    @property
    def known_bug(self) -> str | None:
        """The known bug that the violation is, by its name for ``--repaired``; None for none.

        A custom protocol may need a search for that, of the built-in protocol with the older rule
        alone, which takes ten seconds at most or three times as long as the search before.
        """
        match = self._match
        return match.known.name if match and match.is_the_bug else None

    @property
    def older_rule(self) -> str | None:
        """The known bug whose older rule :attr:`trace` needs, though it is not that bug, if any.

        Either that rule alone does not violate the property, or that was not decided.
        """
        match = self._match
        return match.known.name if match and not match.is_the_bug else None

    @cached_property
    def _match(self) -> Match | None:
        left = partial(seconds_left, self._result.seconds, None, 0.0)
        return self._problem.match(self._result.first, left)

    @property
    def loop(self) -> int | None:
        """Of a lasso, the index into :attr:`trace` from which it repeats for ever; else None."""
        first = self._result.first
        return first.trace.loop if first is not None and first.trace is not None else None

    def trace_of(self, name: str) -> tuple[TraceStep, ...]:
        """Return the shortest behavior that violates or reaches a property; empty for none.

        A search stops after the level with the first violation, unless it was asked to keep going.
        """
        return _steps(
            self._problem.system,
            next((v for v in self._result.verdicts if v.property.name == name), None),
        )

    def __str__(self) -> str:
        from ..render.console import Console, printed
        from ..render.summary import print_result, print_unrequested

        def show(console: Console) -> None:
            print_result(console, self._problem.system, self._result, False, False)
            print_unrequested(console, self._problem.selection)

        return printed(show).rstrip()


def check(
    model: Model[Any, Any] | Protocol | str | PathLike[str],
    bounds: Mapping[str, int | bool | str] | None = None,
    properties: Sequence[str | Property] = (),
    **options: Any,
) -> Checked:
    """Search every state of a model within bounds, and decide properties in each.

    Parameters
    ----------
    model
        A model, a protocol, a path, or a name as on the command line: ``"kip-320"``,
        ``"fence.py"``.
    bounds
        By name; those that are not named have their defaults.
    properties
        Names, or custom properties; empty for the default: of a model all that it declares.
    options
        By name, those of ``tidegate check``: ``engine``, ``store``, ``symmetry``, ``keep_going``,
        ``debug``, ``max_states``, ``max_depth``, ``time_limit``, ``max_memory``, ``workers``,
        ``checkpoint``, ``checkpoint_every``, and those of a cluster.

    Raises
    ------
    TidegateError
        For a wrong name, bound, option or model; its text says what is wrong, and where.
    KeyboardInterrupt
        If Ctrl-C ended the search before it found a violation.

    Examples
    --------
    >>> import tidegate
    >>> tidegate.check("kip-101", {"records": 1, "crashes": 1}).holds
    True
    >>> lost = tidegate.check("hw", properties=["NoCommittedRecordLost"])
    >>> lost.violated, len(lost.trace) - 1, str(lost.trace[1])
    (('NoCommittedRecordLost',), 12, 'SendFetch(leader=0, follower=1)')
    """
    search, limits, resources, on = made((SearchOptions, Limits, Resources, Cluster), options)
    problem = problem_of(model, written(bounds or {}), properties)
    chosen = {one.field: getattr(on, one.field) for one in declared(Cluster) if one.name in options}
    search = replace(search, cluster=cluster(search.engine, search.store, chosen))
    return checked(problem, problem.check(search, limits, replace(resources, watch=True)))


def simulate(
    model: Model[Any, Any] | Protocol | str | PathLike[str],
    bounds: Mapping[str, int | bool | str] | None = None,
    properties: Sequence[str | Property] = (),
    **options: Any,
) -> Checked:
    """Take random walks through a model, and judge properties in each of their states.

    Parameters
    ----------
    model, bounds, properties
        As for :func:`check`.
    options
        By name, those of ``tidegate simulate``: ``walks``, ``steps``, ``seed``, ``choose``,
        ``time_limit``, ``keep_going``, ``jobs``.

    Returns
    -------
    Checked
        The violations; all other properties are undecided, since walks show of none that it holds.

    Examples
    --------
    >>> import tidegate
    >>> walked = tidegate.simulate("kip-101", {"records": 1}, walks=10, jobs=1)
    >>> walked.violated, walked.holds
    ((), False)
    """
    from ..library.simulation import Walks

    [how] = made((Walks,), options)
    problem, done = simulation(model, written(bounds or {}), properties, how)
    return checked(problem, done.result)


def written(bounds: Mapping[str, int | bool | str]) -> tuple[str, ...]:
    """Return bounds as they are written on the command line."""
    return tuple(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in bounds.items()
    )


def checked(problem: Problem, result: Result) -> Checked:
    """Return what a search came to."""
    # A violation that was found is worth more than the interrupt.
    if is_interrupt(result.stopped_by) and result.outcome is not Outcome.VIOLATED:
        raise KeyboardInterrupt
    violated = [v.property.name for v in result.verdicts if v.outcome is Outcome.VIOLATED]
    first = result.first.property.name if result.first else ""
    answer = Checked(
        holds=result.outcome is Outcome.HOLDS,
        complete=result.complete,
        distinct_states=result.distinct_states,
        depth=result.depth,
        violated=tuple(sorted(violated, key=lambda name: name != first)),
        undecided=result.undecided,
        trace=_steps(problem.system, result.first),
        _problem=problem,
        _result=result,
    )
    for follow in followers:
        follow(answer)
    return answer


def _steps(system: TransitionSystem[Any, Any], verdict: Verdict | None) -> tuple[TraceStep, ...]:
    """Return the trace of a verdict, with its states as people see them."""
    if verdict is None or verdict.trace is None:
        return ()
    behavior = Behavior(system, verdict.trace)
    return tuple(map(behavior.plain, range(len(verdict.trace.states))))

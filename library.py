"""The engine as a library: what ``tidegate check`` does, as a function that returns an object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .analysis.known import Known
from .analysis.loading import Named, named
from .analysis.names import SelectionError, find_protocol
from .analysis.properties import Selection, select, select_of_states, select_violable, system_for
from .analysis.recognising import Recognised, known_bug, recognise
from .checker import check as engine
from .checker.engines import EngineChoiceError
from .checker.result import (
    DEFAULT,
    NO_LIMITS,
    Cluster,
    Limits,
    Progress,
    Resources,
    Result,
    SearchOptions,
    StateStore,
    Verdict,
)
from .checker.stop import is_interrupt
from .core.behavior import Behavior, TraceStep
from .core.followers import followers
from .core.options import made
from .core.options import options as declared
from .core.spec import Outcome, Property, TransitionSystem
from .model.custom.model import Model
from .model.protocol import Protocol

if TYPE_CHECKING:
    from .analysis.simulation import Simulation, Walks

PLAIN = SearchOptions()
"""A search without options."""


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
    def known_bug(self) -> str | None:
        """The known bug that :attr:`trace` shows, by its name for ``--repaired``; None for none."""
        known = self._problem.known_bug(self._result.first)
        return known.name if known else None

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
        from .render.console import Console, printed
        from .render.summary import print_result, print_unrequested

        def show(console: Console) -> None:
            print_result(console, self._problem.system, self._result, False, False)
            print_unrequested(console, self._problem.selection)

        return printed(show).rstrip()


def check(
    model: Model[Any, Any] | Protocol | str,
    bounds: Mapping[str, int | bool | str] | None = None,
    properties: Sequence[str | Property] = (),
    **options: Any,
) -> Checked:
    """Search every state of a model within bounds, and decide properties in each.

    Parameters
    ----------
    model
        A model, a protocol, or a name as on the command line: ``"kip-320"``, ``"fence.py"``.
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
    model: Model[Any, Any] | Protocol | str,
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
        What was violated, and else is undecided: walks show that nothing holds.

    Examples
    --------
    >>> import tidegate
    >>> walked = tidegate.simulate("kip-101", {"records": 1}, walks=10, jobs=1)
    >>> walked.violated, walked.holds
    ((), False)
    """
    from .analysis.simulation import Walks

    [how] = made((Walks,), options)
    problem, done = simulation(model, written(bounds or {}), properties, how)
    return checked(problem, done.result)


def simulation(
    model: Model[Any, Any] | Protocol | str,
    settings: Sequence[str],
    properties: Sequence[str | Property],
    how: Walks,
) -> tuple[Problem, Simulation]:
    """Take random walks; return through what, and what they found.

    Parameters
    ----------
    model, settings, properties
        As for :func:`problem_of`.
    """
    # Few commands take walks, in processes, whose modules take a while to import.
    from .analysis.simulation import simulate

    problem = problem_of(model, settings, properties, select_of_states)
    judged = problem.selection.properties
    names = [prop for prop in properties if isinstance(prop, str)]
    chosen = select_violable(problem.protocol, names).properties
    endless = [prop for prop in chosen if prop not in judged]
    return problem, simulate(problem.system, judged, problem.load, how, endless)


@dataclass(frozen=True)
class Problem:
    """A protocol within bounds, and the properties to decide.

    Parameters
    ----------
    settings
        The bounds, as on the command line.
    load
        Makes it in another process, by names; None where that cannot be done.
    """

    protocol: Protocol
    settings: tuple[str, ...]
    selection: Selection
    load: Named | None

    @cached_property
    def system(self) -> TransitionSystem[Any, Any]:
        """The transition system."""
        return system_for(self.protocol, self.settings, self.selection.properties)

    def check(
        self,
        search: SearchOptions = PLAIN,
        limits: Limits = NO_LIMITS,
        resources: Resources = DEFAULT,
        report: Callable[[Progress], None] = lambda progress: None,
    ) -> Result:
        """Search every state; `search` says how, and the rest as for :func:`checker.check.check`.

        Where it names a cluster, that searches.
        """
        self.system.debug = search.debug
        return engine.check(
            self.system,
            self.selection.properties,
            named=self.selection.named,
            limits=limits,
            keep_going=search.keep_going,
            report=report,
            symmetry=search.symmetry,
            resources=replace(
                resources,
                engine=search.engine,
                store=state_store(search.engine, search.store),
                load=self.load,
                cluster=search.cluster,
            ),
        )

    def known_bug(self, verdict: Verdict | None) -> Known | None:
        """Return the known bug that the trace of a verdict shows; None for none."""
        return known_bug(self.protocol, self.settings, verdict)

    def recognise(
        self,
        result: Result,
        search: SearchOptions,
        limits: Limits,
        resources: Resources,
        report: Callable[[Progress], None],
    ) -> Recognised | None:
        """Return which known bug was found; the rest is as for :meth:`check`, and reached that."""

        def other(protocol: Protocol) -> Problem:
            load = named(protocol.name, self.settings, self.selection.properties)
            return replace(self, protocol=protocol, load=load)

        def again(protocol: Protocol, seconds: float) -> Result:
            return other(protocol).check(
                SearchOptions(keep_going=search.keep_going),
                replace(limits, seconds=seconds),
                replace(resources, checkpoint=None, resume=False, about={}),
                report,
            )

        return recognise(
            self.protocol, result, lambda one: other(one).system, again, limits.seconds
        )


def problem_of(
    model: Model[Any, Any] | Protocol | str,
    settings: Sequence[str],
    properties: Sequence[str | Property],
    select: Callable[[Protocol, Sequence[str]], Selection] = select,
) -> Problem:
    """Return what is asked, by a model or the name of one.

    Parameters
    ----------
    settings
        Bounds, as on the command line.
    properties
        Names, or custom properties.
    select
        Chooses the properties by their names.

    Raises
    ------
    SelectionError
        For a name that does not exist.
    """
    protocol = _protocol(model)
    own = tuple(prop for prop in properties if isinstance(prop, Property))
    names = [prop for prop in properties if isinstance(prop, str)]
    selection = select(protocol, names or (["none"] if own else []))
    selection = replace(
        selection,
        properties=(*selection.properties, *own),
        named=selection.named.union(prop.name for prop in own),
    )
    load = named(model, settings, selection.properties)
    return Problem(protocol, tuple(settings), selection, load)


def state_store(engine: str, store: str) -> StateStore:
    """Return how states are stored, by ``--store``; with Spark it may name a directory instead.

    Raises
    ------
    EngineChoiceError
        For a directory with another engine.
    """
    try:
        return StateStore(store)
    except ValueError:
        if engine == "spark":
            return StateStore.EXACT
        raise EngineChoiceError(
            f"--store {store}: is neither {' nor '.join(StateStore)}; a directory is for "
            "--engine spark"
        ) from None


def cluster(
    engine: str, store: str, chosen: Mapping[str, Any], recorded: Cluster | None = None
) -> Cluster | None:
    """Return the cluster to search on: as the user chooses, and else as `recorded` in a store.

    Parameters
    ----------
    store
        Where the store is, which all executors share; how states are stored is not a place.

    Raises
    ------
    EngineChoiceError
        If an option is set that the engine does not take.
    """
    if engine != "spark":
        for name in chosen:
            option = name.replace("_", "-")
            raise EngineChoiceError(
                f"--{option} needs --engine spark; add that, or leave out --{option}"
            )
        return None
    location = None if store in list(StateStore) else store
    return replace(recorded or Cluster(), **chosen, store=location)


def _protocol(model: Model[Any, Any] | Protocol | str) -> Protocol:
    if isinstance(model, str):
        return find_protocol(model)
    if not isinstance(model, (Model, Protocol)):
        raise SelectionError(f"{model!r} is no Model, no Protocol and no name of one")
    return model.protocol if isinstance(model, Model) else model


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

"""The problem: a protocol within bounds, and properties; how it is searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from ..checker import check as engine
from ..checker.engines import EngineChoiceError
from ..core.errors import SelectionError
from ..core.result import (
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
from ..core.spec import Property, TransitionSystem
from ..model.custom.model import Model
from ..model.protocol import Protocol
from .bug_matching import Match, Recognised, match, recognise
from .loading import Named, named
from .names import find_protocol, is_custom
from .properties import Selection, select, select_of_states, select_violable, system_for

if TYPE_CHECKING:
    from .simulation import Simulation, Walks

PLAIN = SearchOptions()
"""A search without options."""


AnyModel = Model[Any, Any] | Protocol | str | PathLike[str]
"""A model, a protocol, or the name of one, or of a file."""


def simulation(
    model: AnyModel,
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
    from .simulation import simulate

    problem = problem_of(model, settings, properties, select_of_states)
    problem.system.debug = is_custom(problem.protocol.name)
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

    def match(
        self,
        verdict: Verdict | None,
        left: Callable[[], float],
        resources: Resources = DEFAULT,
        report: Callable[[Progress], None] = lambda progress: None,
    ) -> Match | None:
        """Return the known bug that a verdict's trace shows, or whose older rule it needs.

        Parameters
        ----------
        left
            Returns how many seconds a search for that may take.
        """
        others = _Others(self, PLAIN, NO_LIMITS, resources, report)
        return match(self.protocol, verdict, others, left)

    def recognise(
        self,
        result: Result,
        search: SearchOptions,
        limits: Limits,
        resources: Resources,
        report: Callable[[Progress], None],
    ) -> Recognised | None:
        """Return which known bug was found; the rest is as for :meth:`check`, and reached that."""
        how = SearchOptions(keep_going=search.keep_going)
        others = _Others(self, how, limits, resources, report)
        properties = self.selection.properties
        return recognise(self.protocol, result, properties, others, limits.seconds)


@dataclass(frozen=True)
class _Others:
    """Other protocols within the bounds of a problem, searched by the automatic choice of engine.

    Parameters
    ----------
    search, limits, resources, report
        As for :meth:`Problem.check`.
    """

    problem: Problem
    how: SearchOptions
    limits: Limits
    resources: Resources
    report: Callable[[Progress], None]

    def system(self, protocol: Protocol) -> TransitionSystem[Any, Any]:
        """Return the system of a protocol."""
        return self._problem(protocol, self.problem.selection.properties).system

    def search(
        self, protocol: Protocol, properties: Sequence[Property], what: str, seconds: float
    ) -> Result:
        """Search a protocol for some seconds; `what` says in the progress what for."""

        def report(progress: Progress) -> None:
            doing = f"{what}: {progress.distinct_states:,} distinct states"
            self.report(replace(progress, doing=progress.doing or doing))

        return self._problem(protocol, properties).check(
            self.how,
            replace(self.limits, seconds=seconds),
            replace(self.resources, checkpoint=None, resume=False, about={}),
            report,
        )

    def _problem(self, protocol: Protocol, properties: Sequence[Property]) -> Problem:
        # A protocol may come with options of its own; these are all that were searched.
        bounds = self.problem.system.bounds
        settings = tuple(f"{name}={value}" for name, value in bounds.items())
        selection = replace(self.problem.selection, properties=tuple(properties))
        load = named(protocol.name, settings, properties)
        return Problem(protocol, settings, selection, load)


def problem_of(
    model: AnyModel,
    settings: Sequence[str],
    properties: Sequence[str | Property],
    select: Callable[[Protocol, Sequence[str]], Selection] = select,
) -> Problem:
    """Return the problem of a model, or of the protocol or the file of that name.

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
    model = fspath(model) if isinstance(model, PathLike) else model
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
        raise SelectionError(f"{model!r} is not a Model, a Protocol or the name of one")
    return model.protocol if isinstance(model, Model) else model

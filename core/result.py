"""The limits, resources, progress and result of a search.

What an engine or an option cannot decide, and why.

Estimates how many states a stopped search would still have found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import Any

from .errors import Reason
from .interrupts import Stop, Stopped
from .options import LONGEST, SIZE, option, time_limit
from .spec import Outcome, Property, Trace, TransitionSystem

ENGINES = ("auto", "interpreted", "compiled", "spark")
"""The engines; ``auto`` begins interpreted and continues compiled."""


@dataclass(frozen=True)
class Limits:
    """When to stop; a search that does ends as INCOMPLETE.

    ``seconds`` are of wall time; a behavior's states include the initial one.
    """

    max_states: int | None = option(None, "Stop after N distinct states.", low=1)
    max_depth: int | None = option(None, "Stop at behaviors of N states.", low=1)
    seconds: float | None = time_limit(None, "Stop after TIME.", name="time_limit")

    def reached(self, states: int = 0, depth: int = 0, seconds: float = 0.0) -> Stopped | None:
        """Return the limit that a search has reached, if any."""
        if self.seconds is not None and seconds >= self.seconds:
            return Stopped(Stop.TIME_LIMIT, f"{self.seconds:g}")
        if self.max_states is not None and states >= self.max_states:
            return Stopped(Stop.MAX_STATES, str(self.max_states))
        if self.max_depth is not None and depth >= self.max_depth:
            return Stopped(Stop.MAX_DEPTH, str(self.max_depth))
        return None


NO_LIMITS = Limits()

FASTER = "typically 50 to 200 times faster on each core"
"""How compiled code compares with Python once it is made; ``benchmarks/speedup.py`` measures it."""

LOCAL_LEVELS = 50_000
"""Candidates up to which a level is not worth a Spark job: the driver takes about as long."""


@dataclass(frozen=True)
class Cluster:
    """The cluster and the store of the ``spark`` engine.

    Parameters
    ----------
    master
        None for that of an existing Spark context, or else ``local[*]``.
    store
        Path or URI of a directory that all executors share; None for a temporary one, which needs a
        local master.
    partitions
        The most partitions of the fingerprints.
    local_levels
        Larger levels have a partition for about as many candidates.  With 0 every level is a job
        of all partitions.
    export
        A resumed search continues its own tables.
    """

    master: str | None = option(
        None,
        "Spark: the master, such as spark://host:7077, yarn or local[4].",
        metavar="URL",
        unset="local[*]",
    )
    store: str | None = None
    partitions: int | None = option(
        None,
        "Spark: the number of partitions of a level.",
        low=1,
        high=100_000,
        metavar="P",
        unset="cores",
    )
    local_levels: int = option(
        LOCAL_LEVELS,
        "Spark: search levels with fewer than N candidates in the driver, without a job.",
        low=0,
        metavar="N",
    )
    conf: tuple[str, ...] = option(
        (), "Spark: a configuration setting (repeatable).", metavar="spark.NAME=VALUE"
    )
    ship: bool = option(False, "Spark: send this version of Tidegate to the executors.")
    export: str | None = option(
        None,
        "Spark: write states, steps and violations as Parquet tables to this path or URI.",
        metavar="URI",
    )


class StateStore(StrEnum):
    """How the engines other than Spark store the states that they have seen."""

    EXACT = "exact"
    FINGERPRINT = "fingerprint"


Load = Callable[[], tuple[TransitionSystem[Any, Any], Sequence[Property]]]


@dataclass(frozen=True)
class Resources:
    """The engine and the resources of a search; the answer does not depend on them.

    Parameters
    ----------
    engine
        One of :data:`ENGINES`.
    store
        Whole states, or fingerprints for more states in the same memory.
    chunk
        States that one of its workers takes at a time.
    optimise_from
        Distinct states from which on the compiled engine optimises its code, which takes seconds;
        the code is cached, and later searches of the same model begin with it.
    resume
        Whether to continue from that checkpoint.
    watch
        Whether actions are watched, as in debug mode, while they are interpreted.  The compiled
        engine notices an action that misbehaves, and the interpreted one then says which, so that
        nothing goes unnoticed.
    load
        Makes the searched system and its properties anew in another process, to which it is
        pickled; None for a model that exists in this process only.
    about
        How to search again, for whoever resumes the checkpoint or the store.
    cluster
        For the ``spark`` engine: its cluster and store.
    """

    engine: str = "auto"
    workers: int | None = option(
        None, "Threads of the compiled engine.", low=1, high=256, unset="cores"
    )
    store: StateStore = StateStore.EXACT
    memory: int | None = option(
        None,
        "Stop before using more than SIZE, such as 500M or 12G.",
        name="max_memory",
        low=64 << 20,
        unit=SIZE,
        unset="80% of free memory",
    )
    chunk: int = 512
    optimise_from: int = 200_000
    checkpoint: Path | None = option(
        None,
        "Write checkpoints to DIR; 'tidegate check --resume DIR' continues the search.",
        metavar="DIR",
    )
    checkpoint_every: float = option(
        60.0,
        "Minimum time between two checkpoints, which are written between levels.",
        low=0,
        high=LONGEST,
        metavar="SECONDS",
    )
    resume: bool = False
    watch: bool = False
    load: Load | None = None
    about: dict[str, Any] = field(default_factory=dict)
    cluster: Cluster | None = None


DEFAULT = Resources()
"""The default resources of a search."""


@dataclass(frozen=True)
class SearchOptions:
    """The search and its options: all that determines the answer, so it belongs to a checkpoint.

    Parameters
    ----------
    protocol, settings, names
        The names of a protocol and of properties, and bounds, as on the command line.
    cluster
        For the ``spark`` engine.
    """

    protocol: str = ""
    settings: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    engine: str = option(
        "auto",
        "Search with this engine; every engine gives the same answer.",
        choices=ENGINES,
    )
    store: str = option(
        "exact",
        "Store whole states, or 88-bit fingerprints, which take less memory and may collide (the "
        "probability is printed). With --engine spark: the directory that all executors share "
        "(path or URI).",
        metavar="[exact|fingerprint|URI]",
    )
    keep_going: bool = option(
        False,
        "Explore all states and report the first violation of every property.",
        flags=("--continue",),
    )
    symmetry: bool = option(
        False,
        "Explore one representative of each set of states that differ only by a permutation of "
        "replicas; refused where the code tells replicas apart.",
    )
    debug: bool = option(
        False, "Check that every action writes nothing unless it is enabled, and stays in range."
    )
    cluster: Cluster | None = None

    def recorded(self) -> dict[str, Any]:
        """Return it for a manifest, without secrets."""
        cluster = self.cluster and replace(self.cluster, conf=_plain(self.cluster.conf))
        return asdict(replace(self, cluster=cluster))


_SECRET = re.compile(r"secret|password|token|access[.]?key|api[.]?key", re.IGNORECASE)
"""Names of settings whose values Spark redacts, too."""


def _plain(conf: Sequence[str]) -> tuple[str, ...]:
    """Return settings of Spark without secrets."""
    return tuple(one for one in conf if not _SECRET.search(one.partition("=")[0]))


@dataclass(frozen=True)
class Progress:
    """The progress of a search.

    ``queue`` counts the states of the level that are still to be expanded, ``memory`` is in bytes
    (0 if unknown), and ``largest`` is the most frequent action so far.  ``notice`` is shown to the
    user once: what the search waits for, or why another engine continues.  ``doing`` is what the
    search does before it continues, such as starting Spark.
    """

    distinct_states: int
    depth: int
    queue: int
    seconds: float
    memory: int = 0
    largest: str = ""
    notice: str = ""
    doing: str = ""


def doing(what: str) -> Progress:
    """Return the progress of something else than a search, such as starting Kafka."""
    return Progress(0, 0, 0, 0.0, doing=what)


@dataclass(frozen=True)
class Verdict:
    """The verdict on one property; ``trace`` is a shortest counterexample, if there is one.

    For a property of the kind ``SOMETIMES`` it is a shortest behavior that reaches it.

    Parameters
    ----------
    reason
        Why the search could not decide it, whatever its limits; else empty.
    vacuous
        For the kind ``LEADS_TO``: whether the premise held in no state, so that nothing had to
        follow it.
    steps
        Of the trace, also if that was not found.
    untraced
        What stopped the search for the trace.
    lacks
        The actions that the property needs and that the system does not have within its bounds, or
        that are enabled in no state of it.
    """

    property: Property
    outcome: Outcome
    trace: Trace | None = None
    reason: str = ""
    vacuous: bool = False
    steps: int | None = None
    untraced: Stopped | None = None
    lacks: tuple[str, ...] = ()

    def is_found(self) -> bool:
        """Whether a behavior was found that violates or reaches it, with its trace or without."""
        return self.trace is not None or self.untraced is not None


@dataclass(frozen=True)
class Declared:
    """A function that is declared symmetric, or pure, since its code does not show it.

    Parameters
    ----------
    function
        Its name.
    place
        Its file and line.
    reason
        Why it treats replicas alike, from its docstring; or why it is pure, if that is said.
    by_python_alone
        Whether Python alone can call it: it has neither code nor a table.
    """

    function: str
    place: str
    reason: str
    by_python_alone: bool = False


@dataclass(frozen=True)
class Grounds:
    """The grounds on which a search under symmetry is sound.

    Parameters
    ----------
    actions, properties
        How many actions, the constraint included, and properties treat replicas alike.
    declared
        The functions that are only declared to do so; the code shows it for all others.
    sampled_states
        How many states were also compared with their permutations.
    alone
        Why no two replicas can change places; empty if some can.
    """

    actions: int
    properties: int
    declared: tuple[Declared, ...] = ()
    sampled_states: int = 0
    alone: str = ""


@dataclass(frozen=True)
class Tried:
    """How the functions were tried that the model reaches and that are declared pure.

    Parameters
    ----------
    functions
        Those functions.
    states
        In how many states the model was evaluated again by other processes.
    processes
        How many processes these were, each with another order of hashes.
    not_elsewhere
        Why there was no other process; empty if there was one.
    """

    functions: tuple[Declared, ...]
    states: int = 0
    processes: int = 0
    not_elsewhere: str = ""


@dataclass
class Result:
    """Everything a search reports.

    Attributes
    ----------
    outcome
        VIOLATED if any property is, INCOMPLETE if any is not decided.  Otherwise HOLDS if every
        state within the bounds was explored, or all properties must be reached and all are.
    complete
        Whether every reachable state within the bounds was explored.
    stopped_by
        The limit or the interrupt that ended the search before everything was decided, if one did.
    distinct_states
        Found up to the end of the last level searched.
    generated_states
        Steps taken; engines may differ in this number.
    depth
        States on the longest of the shortest behaviors, the initial one included, as TLC counts.
    taken
        Steps taken per action, an entry for every action.
    verdicts
        One per property, in the requested order.
    permutations
        Size of the symmetry group; 1 without symmetry.
    grounds
        The grounds of symmetry; None without symmetry.
    tried
        The trial of functions that are declared pure; None if the model reaches none.
    first
        The verdict whose counterexample is reported: the least in the canonical order.
    spark_levels
        How many levels Spark found; None with another engine.
    levels
        The counts of each level (a ``Level`` of the engines' manifest), the last one included if
        it was not finished or has no state.
    interpreted_because
        Why a search, or liveness alone, was left to Python when it was large enough to be compiled.
    within_constraint
        Whether liveness is decided for behaviors alone that never leave the constraint.
    broken_assumption
        The verdict on what the code takes for granted, if a state breaks that: what comes after
        that state is not decided.
    never_asked
        The rules that the protocol changes and that nothing asked in the whole search; None where
        the engine cannot tell, or the search was stopped or resumed.
    """

    outcome: Outcome
    complete: bool
    distinct_states: int
    generated_states: int
    depth: int
    seconds: float
    engine: str
    taken: dict[str, int]
    verdicts: list[Verdict] = field(default_factory=list)
    first: Verdict | None = None
    stopped_by: Stopped | None = None
    exact: bool = True
    collision_probability: float = 0.0
    permutations: int = 1
    grounds: Grounds | None = None
    tried: Tried | None = None
    spark_levels: int | None = None
    levels: Sequence[Any] = ()
    interpreted_because: tuple[Reason, ...] = ()
    within_constraint: bool = False
    broken_assumption: Verdict | None = None
    never_asked: tuple[str, ...] | None = None

    @property
    def shown(self) -> Verdict | None:
        """The verdict whose trace is shown: ``first``, or a reached one if nothing is violated."""
        return self.first or next(
            (verdict for verdict in self.verdicts if verdict.trace is not None), None
        )

    @property
    def states_left(self) -> int | None:
        """About how many states a stopped search has not found; None if unknown."""
        if self.complete or self.stopped_by is None or self.broken_assumption is not None:
            return None
        sizes = [level.states for level in self.levels if level.states]
        # The last level may lack states, unless the limit is its number.
        if self.stopped_by.by is not Stop.MAX_DEPTH:
            sizes = sizes[:-1]
        left = states_left(sizes)
        return None if left is None else max(sum(sizes) + left - self.distinct_states, 0)

    @property
    def undecided(self) -> dict[str, str]:
        """The properties that were not decided, by name, each with the reason."""
        ended = (
            f"stopped by {self.stopped_by}" if self.stopped_by else "a violation ended the search"
        )
        return {
            verdict.property.name: verdict.reason or ended
            for verdict in self.verdicts
            if verdict.outcome is Outcome.INCOMPLETE
        }

    @property
    def vacuous(self) -> list[str]:
        """Names of the properties that hold only because their premise held in no state."""
        return [verdict.property.name for verdict in self.verdicts if verdict.vacuous]

    @property
    def never_taken(self) -> list[str]:
        """Actions that were enabled in no state that was searched."""
        return [name for name, count in self.taken.items() if not count]


def undecidable(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    named: Collection[str] | None,
    resources: Resources,
    symmetry: bool,
) -> dict[str, str]:
    """Return the properties that a search leaves undecided, by name, each with the reason.

    Parameters
    ----------
    named
        Names of properties that are not left undecided: a search that cannot decide one of them is
        refused.  None for all.
    """
    if named is None:
        return {}
    reasons = {
        prop.name: why_undecidable(system, prop, resources, symmetry)
        for prop in properties
        if prop.name not in named
    }
    return {name: reason for name, reason in reasons.items() if reason}


def why_undecidable(
    system: TransitionSystem[Any, Any], prop: Property, resources: Resources, symmetry: bool
) -> str:
    """Return why a search cannot decide a property; empty if it can."""
    if not prop.kind.needs_graph:
        return ""
    left = system.constraint is not None and not system.within_constraint
    if prop.kind.is_liveness and left:
        return "behaviors that leave the constraint are not followed"
    if symmetry:
        return "--symmetry does not follow the steps of each replica"
    if resources.store == StateStore.FINGERPRINT:
        return "--store fingerprint does not keep the states"
    if resources.engine == "spark":
        return "--engine spark takes all states into one process for it: name it with -p"
    return ""


_LAST = 5
"""The number of last levels whose growth is extrapolated."""

_MOST = 10_000
"""The most levels to extrapolate."""


def states_left(sizes: Sequence[int]) -> int | None:
    """Return an estimate of the states on further levels; None if there is no basis for one.

    The sizes of levels follow a bell curve: the logarithm of the growth from one to the next falls
    about linearly.  Before the top of the curve there is no estimate; after it, the estimate was
    between 0.7 and 2 times the truth on six models of 2*10^5 to 10^6 states.

    Parameters
    ----------
    sizes
        The states of each level, all of them found.

    Source: Pelánek, "Typical Structural Properties of State Spaces", SPIN 2004, on the levels of
    breadth-first search.

    >>> states_left([1, 4, 10, 20, 30, 20, 10]), states_left([1, 2, 4, 8, 16, 32, 64])
    (3, None)
    """
    if len(sizes) <= _LAST or not 0 < sizes[-1] < sizes[-2]:
        return None
    # Many modules come along with it, and few searches last until a progress line.
    from statistics import fmean, linear_regression

    last = sizes[-_LAST - 1 :]
    growth = [log(after / before) for before, after in pairwise(last)]
    slope, begin = linear_regression(range(_LAST), growth)
    if slope >= 0:
        # The end of the curve, where levels are small: they keep shrinking as before.
        slope, begin = 0.0, min(fmean(growth), log(sizes[-1] / sizes[-2]))
    size, left = float(sizes[-1]), 0.0
    for level in range(_LAST, _MOST):
        size *= exp(begin + slope * level)
        if size < 1:
            break
        left += size
    return round(left)

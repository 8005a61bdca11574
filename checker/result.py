"""What a search reports: what was found, and what was covered while finding it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from ..core.spec import Outcome, Property, Trace
from .stop import Stop, Stopped


@dataclass(frozen=True)
class Limits:
    """When to give up; a search that does ends as INCOMPLETE.

    Parameters
    ----------
    max_states
        Distinct states to find at most.
    max_depth
        States on a behavior at most, the initial one included.
    seconds
        Wall time at most.
    """

    max_states: int | None = None
    max_depth: int | None = None
    seconds: float | None = None

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

LOCAL_LEVELS = 50_000
"""Candidates up to which a level is not worth a Spark job: it takes about as long here."""


@dataclass(frozen=True)
class Cluster:
    """Where the ``spark`` engine searches, and where it keeps what it finds.

    Parameters
    ----------
    master
        URL of Spark's master; None for that of the Spark context there is, else ``local[*]``.
    store
        Path or URI of a directory that all executors share; None for one that is gone after the
        search, which only a master in this process can do with.
    partitions
        Into how many the fingerprints are divided; None for as many as there are cores.
    local_levels
        Levels of fewer candidates are searched in this process, without a job.
    conf
        Settings of Spark, as ``spark.NAME=VALUE``.
    ship
        Whether to send this package to the executors.
    export
        Path or URI of a directory for the tables of states, steps and violations, which all
        executors share; None for no tables.  What is resumed goes on with those it has.
    """

    master: str | None = None
    store: str | None = None
    partitions: int | None = None
    local_levels: int = LOCAL_LEVELS
    conf: tuple[str, ...] = ()
    ship: bool = False
    export: str | None = None


class StateStore(StrEnum):
    """How the engines other than Spark store the states that they have seen."""

    EXACT = "exact"
    FINGERPRINT = "fingerprint"


@dataclass(frozen=True)
class Resources:
    """What a search is done with; the answer does not depend on any of it.

    Parameters
    ----------
    engine
        ``interpreted``, ``compiled``, ``spark``, or ``auto``: interpreted at first, then compiled
        if the model turns out to be large.
    workers
        Threads of the compiled engine; None for as many as there are cores.
    store
        Whole states, or fingerprints for more states in the same memory.
    memory
        Bytes that the compiled engine may use; None for a share of what is free.
    chunk
        States that one of its workers takes at a time.
    optimise_from
        Distinct states from which on the compiled engine has its code optimised, which takes
        seconds; the code is kept, and later searches of the same model begin with it.
    checkpoint
        Directory in which the compiled engine keeps what it needs to go on after a crash.
    checkpoint_every
        Seconds between two checkpoints at least; they are made between levels.
    resume
        Whether to go on from that checkpoint.
    watch
        Whether actions are watched, as in debug mode, for as long as they are interpreted.  The
        compiled engine notices by itself where one misbehaves, and leaves it to the interpreted
        one to say which; so nothing goes unseen.
    about
        What the checkpoint or the store says of the search, for whoever resumes it.
    cluster
        For the ``spark`` engine: where it searches.
    """

    engine: str = "auto"
    workers: int | None = None
    store: StateStore = StateStore.EXACT
    memory: int | None = None
    chunk: int = 512
    optimise_from: int = 200_000
    checkpoint: Path | None = None
    checkpoint_every: float = 60.0
    resume: bool = False
    watch: bool = False
    about: dict[str, Any] = field(default_factory=dict)
    cluster: Cluster | None = None


DEFAULT = Resources()
"""What a search is done with unless something else is said."""


@dataclass(frozen=True)
class Progress:
    """How far a search is; handed to whoever wants to show it.

    ``queue`` counts the states of the level that are still to be expanded, ``memory`` is in bytes
    (0 where it is not known), and ``largest`` is the action taken most often so far.
    ``notice`` is for the user to read once: what the search waits for, or why another engine goes
    on with it.  ``doing`` is what it does for a while before it goes on, such as starting Spark.
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
    """Return what goes on before a search, or without one, such as starting Kafka."""
    return Progress(0, 0, 0, 0.0, doing=what)


@dataclass(frozen=True)
class Verdict:
    """What is known of one property; ``trace`` is a shortest counterexample, if there is one.

    For a property of the kind ``SOMETIMES`` it is a shortest behavior that reaches it.
    """

    property: Property
    outcome: Outcome
    trace: Trace | None = None


@dataclass(frozen=True)
class Declared:
    """A function that is declared to treat replicas alike, since the code does not show it.

    Parameters
    ----------
    function
        Its name.
    place
        Its file and line.
    reason
        Why it does, as its docstring says.
    """

    function: str
    place: str
    reason: str


@dataclass(frozen=True)
class Grounds:
    """Why a search under symmetry is sound: what it relies on.

    Parameters
    ----------
    actions, properties
        In how many actions, the constraint included, and properties the numbers of replicas are
        only names.
    declared
        The functions of which that is declared; of all others the code shows it.
    sampled_states
        How many states were checked, besides, to be treated like their permutations.
    """

    actions: int
    properties: int
    declared: tuple[Declared, ...] = ()
    sampled_states: int = 0


@dataclass
class Result:
    """Everything a search reports.

    Attributes
    ----------
    outcome
        VIOLATED if any property is, else INCOMPLETE unless every state within bounds was seen, or
        only properties were asked for that must be reached, and all of them are.
    complete
        Whether every reachable state within the bounds was seen.
    stopped_by
        For an incomplete search, why: the limit or the interrupt that ended it.
    distinct_states
        Found up to the end of the last level searched.
    generated_states
        Steps taken; engines may differ in this number.
    depth
        States on the longest of the shortest behaviors, the initial one included, as TLC counts.
    taken
        Steps taken per action, an entry for every action.
    verdicts
        One per property, in the order they were asked for.
    permutations
        Size of the symmetry group; 1 where every state was searched as itself.
    grounds
        What the search relies on under symmetry; None without.
    first
        The verdict whose counterexample is reported: the least in the canonical order.
    spark_levels
        How many levels Spark found; None with another engine.
    states_left
        About how many states a search that was stopped has not found; None where that is unknown.
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
    spark_levels: int | None = None
    states_left: int | None = None

    @property
    def shown(self) -> Verdict | None:
        """The verdict whose trace is shown: ``first``, or if nothing is violated one reached."""
        return self.first or next(
            (verdict for verdict in self.verdicts if verdict.trace is not None), None
        )

    @property
    def never_taken(self) -> list[str]:
        """Actions that were enabled in no state that was searched."""
        return [name for name, count in self.taken.items() if not count]

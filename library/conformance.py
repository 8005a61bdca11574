"""Behaviors of the model on real brokers: one that was saved, or random walks.

Random walks that cover actions, and pairs of neighbouring actions, as evenly as they can.

Shortest behaviors to actions that random walks do not reach.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterator
from copy import copy
from dataclasses import dataclass, field
from itertools import islice, pairwise
from math import inf
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

from ..brokers.distribution import Distribution
from ..checker.check import check
from ..core.generated import run
from ..core.guards import guards_alone
from ..core.interrupts import is_interrupt, noted
from ..core.layout import State
from ..core.replay_report import LISTED, ForcedBehavior, ForcedStep, KafkaError, Report
from ..core.result import Limits
from ..core.spec import Action, Kind, Property, Trace, TransitionSystem
from ..core.vocabulary import choices
from ..model.broker.bounds import WITH_KRAFT, Constants
from ..model.broker.state import BrokerState
from .shortening import without

if TYPE_CHECKING:
    from ..brokers.cluster import Cluster


MOST_STATES = 10_000_000
"""The most distinct states of a search for one in which an action is enabled."""


def shortest_ways(system: TransitionSystem[Any, Any], names: Collection[str]) -> dict[str, Trace]:
    """Return for each of some actions a shortest behavior after which it is enabled.

    An action is left out if there is none among the first distinct states.

    Raises
    ------
    KeyboardInterrupt
        If a signal ended the search.
    """
    sought = list(_reachable(system, names))
    if not sought:
        return {}
    faultless = copy(system)
    faultless.constraint = _without_faults
    result = check(faultless, sought, limits=Limits(max_states=MOST_STATES))
    if is_interrupt(result.stopped_by):
        raise KeyboardInterrupt
    return {
        verdict.property.name: verdict.trace
        for verdict in result.verdicts
        if verdict.trace is not None
    }


def _without_faults(s: BrokerState, k: Constants) -> bool:
    """Whether nothing has failed so far, which makes the search several times smaller.

    A state after a fault is reached but not expanded: a fault is at most the last step.
    """
    return s.crashed == 0 and s.lost_power == 0 and s.lost == 0


def _reachable(system: TransitionSystem[Any, Any], names: Collection[str]) -> Iterator[Property]:
    """Yield for each of some actions the property that it is enabled in some state."""
    for action in system.actions:
        if action.name in names and choices(action, system.constants):
            yield Property(
                action.name,
                f"{action.name} is enabled in some state.",
                action.source,
                _may_be_taken(action, system.constants),
                kind=Kind.SOMETIMES,
            )


def _may_be_taken(action: Action, constants: object) -> Callable[[Any, Any], bool]:
    """Return the predicate that holds if some instance of an action passes its guards."""
    calls = [f"passes(s, k, {', '.join(map(str, one))})" for one in choices(action, constants)]
    disjunction = "\n        or ".join(calls)
    source = f"def may_be_taken(s, k):\n    return (\n        {disjunction}\n    )\n"
    names: dict[str, Any] = {"passes": guards_alone(action.apply)}
    run(source, f"<where {action.name} may be taken, {crc32(source.encode()):x}>", names)
    predicate: Callable[[Any, Any], bool] = names["may_be_taken"]
    return predicate


Pair = tuple[str, str]
"""An action, and the next one; the first action of a walk comes after ''."""

GUIDED = 10
"""One walk of so many is guided to an action that the earlier walks lack."""


def by_action(pairs: Counter[Pair]) -> Counter[str]:
    """Return how often each action was taken, from the counts of pairs."""
    counted: Counter[str] = Counter()
    for (_, action), times in pairs.items():
        counted[action] += times
    return counted


class CoveringWalks:
    """Walks that prefer the pairs which earlier ones rarely took.

    The same seed gives the same walks.

    Attributes
    ----------
    longest
        The most steps of a walk.
    taken
        How often each pair was taken.
    possible
        The pairs that some walk could have taken.
    out_of_reach
        Actions that the first walks do not take, and that a search does not reach.
    """

    def __init__(self, system: TransitionSystem[Any, Any], seed: int, longest: int) -> None:
        self._system, self._seed, self.longest = system, seed, longest
        self._chances = Random(f"tidegate covering {seed}")
        self._ways: dict[str, Trace] = {}
        self._number = 0
        self.taken: Counter[Pair] = Counter()
        self.possible: set[Pair] = set()
        self.out_of_reach: list[str] = []

    def __iter__(self) -> Iterator[Trace]:
        """Yield walks for ever."""
        while True:
            self._number += 1
            yield self._walk()

    @property
    def actions(self) -> Counter[str]:
        """How often each action was taken."""
        return by_action(self.taken)

    def guide(self, count: int) -> None:
        """Search for behaviors to the actions that the first walks will lack.

        Raises
        ------
        KeyboardInterrupt
            If a signal ended the search.
        """
        if count < GUIDED:
            return
        first = CoveringWalks(self._system, self._seed, self.longest)
        for _ in islice(first, GUIDED - 1):
            pass
        lacking = [action.name for action in self._system.actions]
        lacking = [name for name in lacking if not first.actions[name]]
        ways = shortest_ways(self._system, lacking)
        self._ways = {n: way for n, way in ways.items() if len(way.steps) < self.longest}
        self.out_of_reach = [name for name in lacking if name not in self._ways]

    def _walk(self) -> Trace:
        """Return a walk, which begins with the behavior to a rare action if it is guided."""
        target = self._target() if self._number % GUIDED == 0 else ""
        if target:
            way = self._ways[target]
            states, steps = list(way.states), list(way.steps)
        else:
            states, steps = [next(iter(self._system.initial_states()))], []
        names = ["", *(step.action for step in steps)]
        self.taken.update(pairwise(names))
        self.possible.update(pairwise(names))
        before = names[-1]
        while len(steps) < self.longest:
            following = dict(self._system.successors(states[-1]))
            if not following:
                break
            index = self._choose(before, self._of(target, following))
            instance = self._system.instances[index]
            steps.append(instance.step)
            states.append(following[index])
            self.taken[before, instance.action.name] += 1
            before, target = instance.action.name, ""
        return Trace(tuple(states), tuple(steps))

    def _target(self) -> str:
        """Return the least frequent action to which a behavior is known; '' if there is none."""
        taken = self.actions
        return min(self._ways, key=lambda name: taken[name], default="")

    def _of(self, target: str, following: dict[int, State]) -> dict[int, State]:
        """Return the steps of an action, or all steps if none of it is enabled."""
        instances = self._system.instances
        own = {i: state for i, state in following.items() if instances[i].action.name == target}
        return own or following

    def _choose(self, before: str, following: dict[int, State]) -> int:
        """Return the index of a random step, preferring rare pairs."""
        names = {index: self._system.instances[index].action.name for index in following}
        alike = Counter(names.values())
        self.possible.update((before, name) for name in alike)
        weights = [
            1 / (alike[names[index]] * (1 + self.taken[before, names[index]]) ** 2)
            for index in following
        ]
        return self._chances.choices(list(following), weights)[0]


T = TypeVar("T")

_LOOK = 0.1
"""Seconds between checks for a signal."""

_TRUNCATION = "HandleDivergingEpoch"

FIRST_THAT_DELETES = (0, 11)
"""The release since which clients can delete records (KIP-107)."""


def listed(system: TransitionSystem[Any, Any], state: State) -> list[int | None]:
    """Return each replica's answer to ListOffsets as a leader; None for not available yet."""
    system.layout.load(state)
    s, k = system.record, system.constants
    may_list = k.rules.may_list_offsets
    return [one.hw if may_list(s, k, number) else None for number, one in enumerate(s.replica)]


def forced_behavior(
    system: TransitionSystem[Any, Any], trace: Trace, *, lists: bool = True
) -> ForcedBehavior:
    """Return a trace as a behavior to force on real brokers.

    Parameters
    ----------
    lists
        Whether to compare the leaders' answers to ListOffsets, too.
    """
    states = [system.layout.describe(state) for state in trace.states]
    if lists:
        described = zip(states, trace.states, strict=True)
        states = [{**state, LISTED: listed(system, packed)} for state, packed in described]
    steps = tuple(
        ForcedStep(step.action, dict(zip(step.parameters, step.arguments, strict=True)), after)
        for step, after in zip(trace.steps, states[1:], strict=True)
    )
    truncates_on_fetch = any(action.name == _TRUNCATION for action in system.actions)
    return ForcedBehavior(states[0], steps, dict(system.bounds), truncates_on_fetch)


def cluster_for(distribution: Distribution, behavior: ForcedBehavior) -> Cluster:
    """Return a cluster that is configured as the bounds of a behavior say.

    Raises
    ------
    KafkaError
        If the distribution lacks what they need.
    """
    version, bounds = distribution.version, behavior.bounds
    kraft = bounds["isr_propagation"] in WITH_KRAFT
    deletions = bounds["deletions"]
    if deletions != "0" and distribution.release < FIRST_THAT_DELETES:
        raise KafkaError(
            f"deletions is {deletions}, but Kafka {version} has no DeleteRecords; 0.11 has"
        )
    if bounds["elr"] == "true" and distribution.has_zookeeper and not kraft:
        raise KafkaError(
            f"elr is true, but Kafka {version} with ZooKeeper has no eligible leader replicas; "
            "set isr_propagation=kraft or records"
        )
    # Its controller imports kazoo, which nothing else needs.
    from ..brokers.cluster import Cluster

    return Cluster(
        distribution,
        int(bounds["replicas"]),
        fetch_size=int(bounds["fetch_size"]),
        min_isr=int(bounds["min_isr"]),
        unclean_election=bounds["unclean_election"] == "true",
        kraft=kraft,
        truncates_on_fetch=behavior.truncates_on_fetch,
    )


class OutOfTimeError(KafkaError):
    """The time was up before brokers had done everything."""


def run_brokers(work: Coroutine[Any, Any, T], until: float = inf) -> T:
    """Run a coroutine that drives brokers; what cancels it once lets it end its processes.

    Parameters
    ----------
    until
        When it is cancelled, as :func:`time.perf_counter` says it.

    Raises
    ------
    KeyboardInterrupt
        If a signal ended it.
    OutOfTimeError
        If the time was up.
    """
    with noted() as signals:

        async def watched() -> T:
            task = asyncio.ensure_future(work)
            while not task.done():
                await asyncio.wait({task}, timeout=_LOOK)
                if (signals or perf_counter() >= until) and not task.cancelling():
                    task.cancel()
            return await task

        try:
            return asyncio.run(watched())
        except asyncio.CancelledError:
            if signals:
                raise KeyboardInterrupt from None
            raise OutOfTimeError("the time is up") from None


@dataclass(frozen=True)
class Departure:
    """A walk in which brokers differ from the model.

    Parameters
    ----------
    walk
        Its number, from 1.
    trace
        The walk, shortened as far as it still differs.
    report
        What the brokers did in it.
    again
        Whether they differ a second time; if not, the trace is the walk up to the difference.
    """

    walk: int
    trace: Trace
    report: Report
    again: bool


@dataclass
class Conformance:
    """The results of walks on real brokers so far.

    Attributes
    ----------
    complete
        Whether all requested walks were taken.
    """

    version: str
    complete: bool = False
    walks: int = 0
    steps: int = 0
    taken: Counter[Pair] = field(default_factory=Counter)
    departures: list[Departure] = field(default_factory=list)

    @property
    def actions(self) -> Counter[str]:
        """How often each action was forced."""
        return by_action(self.taken)


class Conforming:
    """Walks on brokers, which serve one walk after another until they differ from the model.

    Parameters
    ----------
    walks
        The walks to take.
    say
        Shows what is going on.
    forced
        Takes each walk, and how many of its steps the brokers did as the model says.

    Attributes
    ----------
    done
        The results so far; each is added at once.
    """

    def __init__(
        self,
        distribution: Distribution,
        system: TransitionSystem[Any, Any],
        walks: CoveringWalks,
        say: Callable[[str], None],
        forced: Callable[[Trace, int], None] = lambda trace, steps: None,
    ) -> None:
        self._distribution = distribution
        self._system = system
        self._walks = walks
        self.done = Conformance(distribution.version)
        self._say = say
        self._forced = forced
        self._topics = 0
        self._cluster: Cluster | None = None

    def take(self, count: int, until: float = inf) -> None:
        """Take walks, and shorten those in which brokers differ; see :func:`run_brokers`."""
        self._say("looking for ways to rare actions")
        self._walks.guide(count)
        self._say(f"starting Kafka {self._distribution.version}")
        run_brokers(self._take(count), until)

    async def _take(self, count: int) -> None:
        try:
            for number, trace in enumerate(islice(self._walks, count), 1):
                self._say(f"Kafka {self._distribution.version}: walk {number} of {count}")
                report = await self._replayed(trace)
                self.done.walks = number
                self._count_steps(trace, report)
                self._forced(trace, len(report.steps) - bool(report.differs))
                if report.differs:
                    # Record it before shortening, so that an interrupt does not lose it.
                    unshortened = Departure(number, _up_to_difference(trace, report), report, False)
                    self.done.departures.append(unshortened)
                    self.done.departures[-1] = await self._shortened(number, trace, report)
            self.done.complete = True
        finally:
            await self._stop()

    async def _replayed(self, trace: Trace) -> Report:
        """Replay a trace; if brokers that had served earlier walks fail, once more on new ones."""
        served = self._cluster is not None
        try:
            return await self._replay(trace)
        except KafkaError:
            await self._stop()
            if not served:
                raise
            return await self._replay(trace)

    async def _replay(self, trace: Trace) -> Report:
        """Replay a trace.

        Brokers that differ are in a state that the model does not know, so they are replaced.
        """
        from ..brokers.replay import replay

        behavior = forced_behavior(self._system, trace)
        if self._cluster is None:
            # It is noted before it starts, so that an interrupt ends what has started of it.
            self._cluster = cluster_for(self._distribution, behavior)
            await self._cluster.__aenter__()
        self._topics += 1
        topic = f"walk-{self._topics}"
        report = await replay(self._cluster, behavior, lambda observed: None, topic)
        if report.differs:
            await self._stop()
        else:
            await self._cluster.renew(topic)
        return report

    async def _stop(self) -> None:
        if self._cluster is not None:
            await self._cluster.stop()
            self._cluster = None

    def _count_steps(self, trace: Trace, report: Report) -> None:
        before = ""
        for step, _ in zip(trace.steps, report.steps, strict=False):
            self.done.taken[before, step.action] += 1
            self.done.steps += 1
            before = step.action

    async def _shortened(self, number: int, trace: Trace, report: Report) -> Departure:
        """Drop steps for as long as the brokers still differ."""
        best = _up_to_difference(trace, report)
        seen = await self._replayed(best)
        if not seen.differs:
            return Departure(number, best, report, again=False)
        best, report = _up_to_difference(best, seen), seen
        size = max(1, len(best.steps) // 2)
        while size:
            for shorter in self._shorter(best, size):
                self._say(f"walk {number} differs; shortening its {len(best.steps)} steps")
                seen = await self._replayed(shorter)
                if seen.differs:
                    best, report = _up_to_difference(shorter, seen), seen
                    break
            else:
                size //= 2
        return Departure(number, best, report, again=True)

    def _shorter(self, trace: Trace, size: int) -> Iterator[Trace]:
        """Yield behaviors with fewer steps that end with the same action."""
        for start in range(len(trace.steps) - 1 - size, -1, -1):
            shorter = without(self._system, trace, start, size)
            if shorter.steps and shorter.steps[-1].action == trace.steps[-1].action:
                yield shorter


def _up_to_difference(trace: Trace, report: Report) -> Trace:
    """Return the part of a trace that ends with the step in which brokers differ."""
    differs = report.differs
    steps = differs.number if differs is not None else len(trace.steps)
    return Trace(trace.states[: steps + 1], trace.steps[:steps])

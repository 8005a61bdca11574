"""The published family: Kafka's replication as its designers specified it, in hachikuji's TLA+.

A fetch is one atomic step, and replicas do not crash: a failed replica leaves the ISR and takes no
step for a while.  The initial state, the steps and their guards are those of the
specification, so that distinct states and depth are those that TLC counts.

Source: hachikuji/kafka-specification, commit d68782b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product

from ...core.spec import Action, Fairness, TransitionSystem
from ..broker.presentation.view import LEGEND
from ..protocol import Family, Protocol, assemble
from . import actions
from .bounds import Constants, PublishedBounds
from .scenes import view_of
from .state import PublishedState
from .survivors import SURVIVORS
from .view import columns


def initialise(s: PublishedState, k: Constants) -> Iterator[None]:
    """Put all replicas into the ISR, with no leader, no epoch and empty logs."""
    s.partition.isr = (1 << k.replicas) - 1
    yield


def build(
    protocol: Protocol, bounds: PublishedBounds, needs: frozenset[str]
) -> TransitionSystem[PublishedState, Constants]:
    """Make the transition system of a protocol of this family."""
    return assemble(
        protocol,
        bounds,
        needs,
        initialise=initialise,
        columns=columns,
        legend=LEGEND,
        view=view_of(protocol.actions),
    )


def replicas(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each replica."""
    return ((replica,) for replica in range(k.replicas))


def pairs(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each leader with each other replica as its follower."""
    return permutations(range(k.replicas), 2)


def announced(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each replica with each leader epoch that LeaderAndIsr may announce to it."""
    return product(range(k.replicas), range(k.max_leader_epoch + 1))


def _action(
    name: str,
    apply: Callable[..., bool],
    who: str,
    arguments: Callable[[Constants], Iterator[tuple[int, ...]]],
    fairness: Fairness = Fairness.NONE,
    source: str = "KafkaReplication.tla",
) -> Action:
    """Make an action of the specification, which asks for fairness of the action as a whole."""
    return Action(name, apply, who, arguments, source, fairness, fair_per=())


WEAK, STRONG = Fairness.WEAK, Fairness.STRONG

ACTIONS = (
    _action("ControllerElectLeader", actions.elect_leader, "controller", replicas),
    _action("ControllerShrinkIsr", actions.controller_shrink_isr, "controller", replicas),
    _action("BecomeLeader", actions.become_leader, "leader", announced, WEAK),
    _action("LeaderExpandIsr", actions.leader_expand_isr, "leader", pairs, STRONG),
    _action("LeaderShrinkIsr", actions.leader_shrink_isr, "leader", pairs),
    _action("LeaderWrite", actions.leader_write, "leader", replicas, STRONG),
    _action("LeaderIncHighWatermark", actions.increase_high_watermark, "leader", replicas, STRONG),
    _action("BecomeFollower", actions.become_follower, "follower", announced, WEAK),
    _action("FollowerFetch", actions.follower_fetch, "follower", pairs),
)
"""The actions of every protocol, in the order of the originals' Next, with their fairness."""

FOLLOWER_TRUNCATE = _action(
    "FollowerTruncate", actions.follower_truncate, "follower", pairs, source="Kip320FirstTry.tla"
)

MUTATION_BOUNDS = (
    "records=1",
    "log_size=1",
    "max_leader_epoch=2",
    "records=3 max_leader_epoch=2",
    "replicas=3 records=1",
    "replicas=3 records=1 max_leader_epoch=2",
)

FAULTS_AND_ELECTIONS = {
    "ControllerElectLeader": "election",
    "ControllerShrinkIsr": "ISR shrink by the controller",
    "LeaderShrinkIsr": "ISR shrink by the leader",
}

PUBLISHED = Family(
    name="published",
    bounds=PublishedBounds,
    build=build,
    scenarios=(),
    mutation_bounds=MUTATION_BOUNDS,
    survivors=SURVIVORS,
    faults_and_elections=FAULTS_AND_ELECTIONS,
    state=PublishedState,
    constants=Constants,
)

DEFAULT_PROPERTIES = (
    "TypeOk",
    "WeakIsr",
    "StrongIsr",
    "KnownLeaderInIsr",
    "AtMostOneLeaderPerEpoch",
)

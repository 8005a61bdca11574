"""The async-isr family: a fixed leader, and a controller that may also change the ISR.

A log is its length here, and there are no elections; this leaves the race between the leader's
requests and the controller's own changes.  It is unbounded, so its system has a constraint.

Source: hachikuji/kafka-specification, commit d68782b, AsyncIsr.tla; later KIP-497.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from ...core.spec import Action, Fairness, TransitionSystem
from ..protocol import Family, Protocol, assemble
from . import actions
from .bounds import AsyncIsrBounds, Constants
from .scenes import view_of
from .state import AsyncIsrState
from .view import LEGEND, columns


def initialise(s: AsyncIsrState, k: Constants) -> Iterator[None]:
    """Put all replicas into version 0 of the ISR, which the leader knows; all logs are empty."""
    s.controller.isr = (1 << k.replicas) - 1
    s.leader.isr = s.controller.isr
    s.update[0] = s.controller.isr
    yield


def build(
    protocol: Protocol, bounds: AsyncIsrBounds, needs: frozenset[str]
) -> TransitionSystem[AsyncIsrState, Constants]:
    """Make the transition system of a protocol of this family; there is no history to keep."""
    return assemble(
        protocol,
        bounds,
        needs,
        initialise=initialise,
        columns=columns,
        legend=LEGEND,
        view=view_of(protocol.actions),
        constraint=actions.within,
    )


def nobody(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield one empty tuple: there is only one leader."""
    return iter([()])


def followers(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each follower: every replica but the leader, which is the first."""
    return ((replica,) for replica in range(1, k.replicas))


def requests(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each version with each follower that a request made in it may be about."""
    return product(range(k.max_version + 1), range(1, k.replicas))


def versions(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each version that an update may have within the constraint."""
    return ((version,) for version in range(1, k.max_version + 1))


def _action(
    name: str,
    apply: Callable[..., bool],
    who: str,
    arguments: Callable[[Constants], Iterator[tuple[int, ...]]],
) -> Action:
    """Make an action of the specification, which asks for no fairness."""
    return Action(name, apply, who, arguments, "AsyncIsr.tla", Fairness.NONE)


ACTIONS = (
    _action("ControllerShrinkIsr", actions.controller_shrink_isr, "controller", followers),
    _action("ControllerHandleRequest", actions.controller_handle_request, "controller", requests),
    _action("LeaderRequestShrinkIsr", actions.leader_request_shrink_isr, "leader", followers),
    _action("LeaderRequestExpandIsr", actions.leader_request_expand_isr, "leader", followers),
    _action("LeaderWrite", actions.leader_write, "leader", nobody),
    _action("LeaderHandleUpdate", actions.leader_handle_update, "leader", versions),
    _action("FollowerReplicate", actions.follower_replicate, "follower", followers),
)
"""In the order of the original's Next."""

MUTATION_BOUNDS = ("replicas=2", "replicas=3", "replicas=3 max_offset=2 max_version=3")

_GOES_BACK = (
    "a requested replica counts for the high watermark at once, which therefore goes back to its "
    "log end; a property that it never goes back would kill this"
)

SURVIVORS = {
    "ControllerShrinkIsr: not s.controller.isr >> replica & 1": "the ISR stays as it is, in a new "
    "version; that only outdates requests of the old one",
    "LeaderRequestShrinkIsr: not s.leader.isr >> replica & 1": "requests to add a follower without "
    f"checking its log end: {_GOES_BACK}",
    "LeaderRequestExpandIsr: s.leader.isr >> replica & 1": "requests to remove a member, as "
    "LeaderRequestShrinkIsr may at any time",
    "LeaderRequestExpandIsr: s.leader.offset[replica] < high_watermark(s, k)": _GOES_BACK,
}

FAULTS_AND_ELECTIONS = {
    "ControllerShrinkIsr": "ISR shrink by the controller",
    "LeaderRequestShrinkIsr": "ISR shrink requested by the leader",
}

ASYNC_ISR_FAMILY = Family(
    name="async-isr",
    bounds=AsyncIsrBounds,
    build=build,
    scenarios=(),
    mutation_bounds=MUTATION_BOUNDS,
    survivors=SURVIVORS,
    faults_and_elections=FAULTS_AND_ELECTIONS,
    state=AsyncIsrState,
    constants=Constants,
)

DEFAULT_PROPERTIES = ("TypeOk", "ValidHighWatermark")

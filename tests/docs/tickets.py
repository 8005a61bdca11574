"""Protocols for docs/tickets.md: what a ticket reports, in a few lines of one's own each.

``tidegate check tests/docs/tickets.py:NAME`` searches one; its parent is the protocol without it.
"""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, array, boolean
from tidegate.library.names import find_protocol
from tidegate.model import BrokerState, Constants, brokers
from tidegate.model.broker.actions.faults import restart
from tidegate.model.broker.actions.follower import handle_fetch_response
from tidegate.model.broker.actions.leader import answer_fetch, handle_fetch, receive_fetch
from tidegate.model.broker.actions.metadata import become_follower
from tidegate.model.broker.messages import FETCH, OUT_OF_RANGE


def _changed(name, of="kip-595", added=(), state=None, rules=None, **actions):
    """Return a protocol with other actions, more of them, or other rules."""
    base = find_protocol(of)
    kept = tuple(
        replace(one, apply=actions[one.name]) if one.name in actions else one
        for one in base.actions
    )
    return replace(
        base,
        name=name,
        parent=base,
        summary=f"{of} for docs/tickets.md: {name}.",
        story="",
        expected=(),
        state=state,
        rules=replace(base.rules, **(rules or {})),
        actions=(*kept, *added),
    )


def replace_current_log(s: BrokerState, k: Constants, broker: int) -> bool:
    """Replace the log by the future log, whose cache has the epochs of its records only."""
    replica, end, changed = s.replica[broker], s.replica[broker].leo, False
    if not replica.alive:
        return False
    for back in range(k.elections + 1):
        epoch = k.elections - back
        starts = replica.epoch_cache[epoch]
        if starts == NONE:
            continue
        if starts == end:
            replica.epoch_cache[epoch] = NONE
            changed = True
        end = starts
    return changed


FUTURE_LOG = _changed(
    "future-log",
    added=(
        Action(
            "ReplaceCurrentLog", replace_current_log, "broker", brokers, "KAFKA-15608",
            Fairness.NONE,
        ),
    ),
)  # fmt: skip


def restart_without_cache(s: BrokerState, k: Constants, broker: int) -> bool:
    """Restart after the corrupt leader-epoch-checkpoint was dropped."""
    if not restart(s, k, broker):
        return False
    for epoch in range(k.elections + 1):
        s.replica[broker].epoch_cache[epoch] = NONE
    return True


EMPTY_CACHE = _changed("empty-cache", Restart=restart_without_cache)

EMPTY_CACHE_2_1 = _changed("empty-cache-2.1", "kip-320", Restart=restart_without_cache)


def keep_everybody(s: BrokerState, k: Constants, broker: int) -> int:
    """Leave the ELR as it is when a broker registers, however it was shut down."""
    return s.partition.elr


KEEPS_UNCLEAN = _changed("keeps-unclean", rules={"eligible_at_registration": keep_everybody})


class State(BrokerState):
    """Followers that may send no last fetched epoch."""

    forgot: list[bool] = array(lambda k: k.replicas, boolean("sends no epoch"), by_replica=True)


def handle_response(s: State, k: Constants, leader: int, follower: int) -> bool:
    """Handle a fetch response; without a record the follower forgets its last fetched epoch."""
    empty = s.message[follower].records[0].record == NONE
    if not handle_fetch_response(s, k, leader, follower):
        return False
    s.forgot[follower] = empty
    return True


def follow(s: State, k: Constants, follower: int, epoch: int) -> bool:
    """Follow in a new epoch, from the last epoch in the log."""
    if not become_follower(s, k, follower, epoch):
        return False
    s.forgot[follower] = False
    return True


def serve_without_epoch(s: State, k: Constants, leader: int, follower: int) -> bool:
    """Serve a fetch; without a last fetched epoch nothing diverges."""
    if not s.forgot[follower]:
        return handle_fetch(s, k, leader, follower)
    replica, offset = s.replica[leader], s.replica[follower].leo
    if s.message[follower].kind != FETCH or s.replica[follower].leader != leader:
        return False
    if replica.leader != leader or replica.epoch != s.replica[follower].epoch:
        return False
    if offset < replica.start or offset > replica.leo:
        s.message[follower].kind = OUT_OF_RANGE
        return True
    receive_fetch(s, k, leader, follower, offset)
    answer_fetch(s, k, leader, follower, replica.hw)
    return True


NO_LAST_EPOCH = _changed(
    "no-last-epoch",
    state=State,
    HandleFetch=serve_without_epoch,
    HandleFetchResponse=handle_response,
    BecomeFollower=follow,
)


def restart_without_hw(s: BrokerState, k: Constants, broker: int) -> bool:
    """Restart with a high watermark of 0, below the log start: the checkpoint was corrupt."""
    if not restart(s, k, broker):
        return False
    s.replica[broker].hw = 0
    return True


HW_BELOW_START = _changed("hw-below-start", Restart=restart_without_hw)

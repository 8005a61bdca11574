"""Follower reads: KIP-595 with a consumer that fetches from any replica, as KIP-392 allows.

A follower answers up to its own high watermark.  A record read there must never be lost: with clean
elections, whoever leads still has it at its offset.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from tidegate import NONE, Action, Fairness, Property, array, integer
from tidegate.model import KIP_595, BrokerState, Constants, acting_leader, leads


class State(BrokerState):
    consumed: list[int] = array(
        lambda k: k.log_size,
        integer(NONE, lambda k: k.records - 1, "record that the consumer read at this offset"),
    )


def read_from_follower(s: State, k: Constants, broker: int, offset: int) -> bool:
    """The consumer reads what is below a follower's high watermark."""
    replica = s.replica[broker]
    if not replica.alive or leads(s, broker) or offset >= replica.hw:
        return False
    if s.consumed[offset] != NONE:
        return False
    s.consumed[offset] = replica.log[offset].record
    return True


def offsets(k: Constants) -> Iterator[tuple[int, ...]]:
    return product(range(k.replicas), range(k.log_size))


def lost(s: State, k: Constants) -> tuple[int, int] | None:
    """Return (leader, offset) of a record that was read and that the leader lacks."""
    leader = acting_leader(s)
    if leader == NONE:
        return None
    for offset in range(k.log_size):
        read = s.consumed[offset]
        if read != NONE and s.replica[leader].log[offset].record != read:
            return leader, offset
    return None


def explain(s: State, k: Constants, leader: int, offset: int) -> str:
    return (
        f"A consumer read m{s.consumed[offset]} at offset {offset} from a follower; broker "
        f"{leader} leads now, without it."
    )


FOLLOWER_READS = replace(
    KIP_595,
    name="follower-reads",
    summary="KIP-595 with a consumer that reads from followers, too.",
    parent=KIP_595,
    story=__doc__,
    expected=(),
    state=State,
    actions=(
        *KIP_595.actions,
        Action("ReadFromFollower", read_from_follower, "client", offsets, "KIP-392", Fairness.NONE),
    ),
    properties=(
        Property(
            name="NoFollowerReadLost",
            statement="What a consumer read from a follower is in the log of whoever leads.",
            source="KIP-392",
            witness=lost,
            explain=explain,
        ),
    ),
    default_properties=("NoFollowerReadLost",),
)

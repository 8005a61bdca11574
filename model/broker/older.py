"""Rules that Kafka once had, and that were wrong: a protocol names those that its own replaced.

Each is a mutant of a protocol that lists it in ``older_rules``, so that what the ticket is about
can be shown (``tidegate check 'kip-320~begin_following = ask_a_new_leader_only'``) and gated.
"""

from __future__ import annotations

from .bounds import Constants
from .messages import EPOCH_REQUEST, FETCH
from .protocols.kip101 import ask_before_fetching
from .rules import clear_message
from .state import BrokerState


def ask_a_new_leader_only(
    s: BrokerState, k: Constants, follower: int, previous_leader: int
) -> None:
    """Skip truncation where the leader stays the same (KAFKA-7164).

    A follower that missed an epoch of another leader has records that nobody else has.
    """
    if s.replica[follower].leader != previous_leader:
        ask_before_fetching(s, k, follower, previous_leader)


def at_any_offset(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR below the start of the leader's epoch (KAFKA-7128).

    It had to reach the leader's high watermark only, which lags behind after an election.
    """
    return True


def leads_in_any_epoch(s: BrokerState, k: Constants, broker: int) -> bool:
    """Change the ISR without comparing versions: whoever believes that it leads may.

    The version of the partition state in ZooKeeper, and since KIP-497 the partition epoch, refuse
    a leader that does not know the present ISR.
    """
    return s.replica[broker].leader == broker


def also_if_diverging(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Count the fetch offset of a follower whose log diverges (KAFKA-13141).

    The records below that offset are others than the leader's, and it commits its own by them.
    """
    return True


def drop_requests_only(s: BrokerState, k: Constants, follower: int) -> None:
    """Let an answer under way outlive the epoch that it was asked in (KAFKA-18991).

    What it tells to cut, or brings, is that of a leader which the follower does not follow now.
    """
    if s.message[follower].kind in (FETCH, EPOCH_REQUEST):
        clear_message(s, k, follower)

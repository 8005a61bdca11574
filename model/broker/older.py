"""Rules that Kafka once had, and that were wrong: a protocol names those that its own replaced.

Each is a mutant of a protocol that lists it in ``older_rules``, so that what the ticket is about
can be shown (``tidegate check 'kip-320~begin_following = ask_a_new_leader_only'``) and gated.
"""

from __future__ import annotations

from .bounds import ZOOKEEPER, Constants
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


def cached_isr(s: BrokerState, k: Constants) -> int:
    """Elect from the ISR in the controller's cache, which notifications refresh late.

    What the controller and the brokers knew of the ISR was stale before there were notifications
    (KAFKA-1367); with them it is for a while.
    """
    return s.controller.isr if k.isr_propagation == ZOOKEEPER else s.partition.isr


def current_isr(s: BrokerState, k: Constants, leader: int) -> int:
    """Count the ISR that the leader knows, while a proposed one may be in force (KIP-497)."""
    return s.replica[leader].isr


def nothing_proposed(s: BrokerState, k: Constants, leader: int) -> bool:
    """Propose in a new epoch while an older request is under way (KAFKA-12686).

    The request is queued behind that one, and the response to that one clears the queue.
    """
    return s.replica[leader].proposed == 0


def in_any_epoch(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept a change of the ISR without comparing epochs, also that of a deposed leader."""
    return True


def anybody(s: BrokerState, k: Constants, isr: int) -> bool:
    """Let fenced brokers, and such as are about to stop, into the ISR (before KIP-841)."""
    return True


def whatever_it_was(s: BrokerState, k: Constants, leader: int) -> bool:
    """Let a broker into the ISR for what it had before it restarted (before KIP-903)."""
    return True


def drop_requests_only(s: BrokerState, k: Constants, follower: int) -> None:
    """Let an answer under way outlive the epoch that it was asked in (KAFKA-18991).

    What it tells to cut, or brings, is that of a leader which the follower does not follow now.
    """
    if s.message[follower].kind in (FETCH, EPOCH_REQUEST):
        clear_message(s, k, follower)


OF_ISR_CHANGES = (
    ("isr_for_election", cached_isr),
    ("isr_for_hw", current_isr),
    ("may_propose", nothing_proposed),
    ("may_alter_partition", in_any_epoch),
    ("may_be_members", anybody),
    ("may_still_be_members", whatever_it_was),
)
"""Those that matter where a change of the ISR does not get about at once."""

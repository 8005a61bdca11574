"""Whether one failure takes a partition offline: nobody is left that can be elected."""

import pytest

from tidegate.library.names import find_protocol
from tidegate.library.properties import all_of

NAME = "OneFailureLeavesCandidate"


@pytest.mark.parametrize(
    ("protocol", "settings", "steps"),
    [
        ("kip-595", "records=0 isr_propagation=kraft", 4),
        ("kip-595", "records=0 crashes=1 isr_propagation=kraft", None),
        ("kip-320", "records=0 crashes=2", 4),
        # A lagging follower leaves the ISR, and then the leader dies.
        ("kip-595", "records=1 crashes=1 isr_propagation=kraft", 4),
        # With the ELR the follower that left may still be elected.
        ("kip-595", "records=1 crashes=1 isr_propagation=kraft min_isr=2 elr", None),
    ],
)
def test_a_partition_goes_offline_where_nobody_can_be_elected(search, protocol, settings, steps):
    verdict = one(search, protocol, settings)
    assert (verdict.steps if verdict.trace else None) == steps


def test_where_it_holds_the_only_member_dies_in_no_other_way(search):
    """LeaderElected asks for nothing there: its ISR has dead members only."""
    settings = "records=1 crashes=1 isr_propagation=kraft"
    assert not one(search, "kip-595", settings, "LeaderElected").trace


def test_all_does_not_ask_for_it():
    assert NAME not in {prop.name for prop in all_of(find_protocol("kip-595"))}


def one(search, protocol, settings, name=NAME):
    """Return the verdict on one property."""
    [verdict] = search(protocol, settings, [name]).verdicts
    return verdict

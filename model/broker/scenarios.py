"""The bounds at which the broker family is searched: for the page of verdicts, and for mutants."""

from __future__ import annotations

from ..protocol import Scenario

_TWO = {"records": 3, "crashes": 2, "elections": 3}
_TWO_POWER = {"records": 2, "crashes": 1, "power_losses": 1, "elections": 2}
_THREE = {"records": 2, "crashes": 1, "elections": 2}
_THREE_LARGE = {"records": 2, "crashes": 2, "elections": 3}
_TWO_EVENTUALLY = {"records": 2, "crashes": 2, "elections": 2}
_THREE_EVENTUALLY = {"records": 1, "crashes": 1, "elections": 2}

SCENARIOS = (
    Scenario("Clean elections", "replicas=2", _TWO),
    Scenario("Clean elections, 3 replicas", "replicas=3", _THREE_LARGE),
    Scenario("Moves: a live leader may be replaced or fenced", "replicas=2 moves", _TWO),
    Scenario("Moves, 3 replicas", "replicas=3 moves", _THREE),
    Scenario(
        "Moves, 3 replicas, 3 elections",
        "replicas=3 moves",
        {"records": 1, "crashes": 0, "elections": 3},
    ),
    Scenario("Every bounce is noticed", "replicas=2 bounce_noticed", _TWO),
    Scenario("Every bounce is noticed, 3 replicas", "replicas=3 bounce_noticed", _THREE),
    Scenario("Unclean election", "replicas=2 unclean_election", _TWO),
    Scenario("Unclean election, 3 replicas", "replicas=3 unclean_election", _THREE),
    Scenario("Power loss", "replicas=2", _TWO_POWER),
    Scenario("acks=1", "replicas=2 acks=1", _TWO),
    Scenario("min.insync.replicas=2", "replicas=2 min_isr=2", _TWO),
    Scenario("min.insync.replicas=2, 3 replicas", "replicas=3 min_isr=2", _THREE),
    Scenario("What must eventually happen", "replicas=2", _TWO_EVENTUALLY, eventually=True),
    Scenario(
        "What must eventually happen, 3 replicas", "replicas=3", _THREE_EVENTUALLY, eventually=True
    ),
    Scenario(
        "What must eventually happen: moves", "replicas=2 moves", _TWO_EVENTUALLY, eventually=True
    ),
)

MUTATION_BOUNDS = (
    "records=1",
    "crashes=0 acks=1",
    "elections=2",
    "records=1 elections=2 crashes=1 power_losses=1 lost_messages=1 hw_checkpoint=step",
    "records=1 elections=3",
    "records=1 elections=3 bounce_noticed late_request",
    "records=2 elections=2 crashes=1 moves",
    "records=1 elections=2 bounce_noticed late_request power_losses=1",
    "records=2 elections=3 crashes=0 moves",
    "records=2 elections=3",
    "replicas=3 records=1 elections=2 crashes=1",
    "records=1 elections=2 crashes=1 purgatory",
    "records=1 elections=2 crashes=1 power_losses=1 min_isr=2 elr",
    "records=0 elections=3 elr last_known_leader",
    "records=1 elections=3 crashes=0 power_losses=1 min_isr=2 elr last_known_leader moves",
    "records=1 elections=1 crashes=1 isr_propagation=zookeeper controller_crashes=1",
    "records=1 elections=2 crashes=1 isr_propagation=kraft moves",
    "records=1 elections=1 crashes=1 power_losses=1 isr_propagation=kraft",
    "records=1 elections=1 crashes=1 isr_propagation=records",
    "records=1 elections=1 crashes=0 isr_propagation=records reassignments=2 spare_broker",
    "records=2 elections=0 crashes=0 deletions=2",
    "records=1 elections=1 crashes=1 deletions=1 moves",
    "replicas=3 records=2 log_size=1 elections=2 crashes=0 moves",
)

"""The settings in which the page of verdicts compares the protocols of the broker family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    """A setting in which protocols are compared, over a range of bounds.

    ``settings`` is written as on the command line, separated by spaces; ``largest`` names the
    bounds that are varied, with the largest value of each.  ``eventually`` says that the protocols
    are compared by what must eventually happen, not by what must never happen.
    """

    title: str
    settings: str
    largest: Mapping[str, int]
    eventually: bool = False


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

"""What the published KIP-320 rests on: with one rule weakened, it fails, and in so many steps.

Origin of the steps: a throw-away port of hachikuji/kafka-specification d68782b, which agrees with
TLC.
"""

from dataclasses import replace

import pytest

from tidegate.bounds import parse
from tidegate.checker.check import check
from tidegate.invariants import INVARIANTS
from tidegate.model.published.protocols.kip320 import KIP_320
from tidegate.model.published.protocols.kip320_first_try import keep_log
from tidegate.model.published.rules import (
    any_leader,
    follows_up_to,
    high_watermark,
    in_any_epoch,
)

LOSS, DIVERGENCE = "NoCommittedRecordLost", "LogMatchingEverywhere"


def in_same_epoch(s, k, leader, follower, end):
    """Count on a follower in the leader's epoch, however short its log is."""
    mine, theirs = s.replica[leader], s.replica[follower]
    return theirs.leader == leader and theirs.epoch == mine.epoch


TWO, THREE = "max_leader_epoch=2", "replicas=3 records=1 max_leader_epoch=2"

MUTANTS = [
    ("reached_hw", in_same_epoch, "records=1 max_leader_epoch=2", LOSS, 9),
    ("truncation_offset", keep_log, TWO, LOSS, 10),
    ("truncation_offset", keep_log, TWO, DIVERGENCE, 12),
    ("truncation_offset", high_watermark, "records=1 max_leader_epoch=3", LOSS, 12),
    pytest.param("may_expand_isr", in_any_epoch, THREE, LOSS, 13, marks=pytest.mark.slow),
    pytest.param("acknowledges", follows_up_to, THREE, "StrongIsr", 12, marks=pytest.mark.slow),
    pytest.param("reached_hw", follows_up_to, THREE, "StrongIsr", 14, marks=pytest.mark.slow),
    # Fetching across epochs, alone, breaks nothing that was found: a mutant that survives.
    pytest.param("may_fetch", follows_up_to, THREE, "StrongIsr", None, marks=pytest.mark.slow),
    pytest.param(
        "may_follow", any_leader, "replicas=3 max_leader_epoch=2", "StrongIsr", 13,
        marks=pytest.mark.slow,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "weaker", "settings", "name", "steps"), MUTANTS)
def test_a_weaker_rule_fails_in_so_many_steps(rule, weaker, settings, name, steps):
    mutant = replace(KIP_320, rules=replace(KIP_320.rules, **{rule: weaker}))
    [prop] = [prop for prop in INVARIANTS["published"] if prop.name == name]
    system = mutant.system(parse(mutant.family.bounds, settings.split()), prop.needs)
    result = check(system, [prop])
    assert (len(result.first.trace.steps) if result.first else None) == steps

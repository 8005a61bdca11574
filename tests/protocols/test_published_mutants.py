"""What the published KIP-320 rests on: with one rule weakened, it fails, and in so many steps.

Origin of the steps: a throw-away port of hachikuji/kafka-specification d68782b, which agrees with
TLC.
"""

from dataclasses import replace

import pytest

from tidegate.checker.check import check
from tidegate.core.bounds import parse
from tidegate.core.fields import NONE
from tidegate.examples.published import (
    _begin_epoch,
    any_leader,
    follows_up_to,
    high_watermark,
    in_any_epoch,
    keep_log,
    kip_320,
)
from tidegate.library.histories import histories
from tidegate.library.properties import invariants_of

LOSS, DIVERGENCE = "NoCommittedRecordLost", "LogMatchingEverywhere"


def in_same_epoch(s, k, leader, follower, end):
    """Count on a follower in the leader's epoch, however short its log is."""
    mine, theirs = s.replica[leader], s.replica[follower]
    return theirs.leader == leader and theirs.epoch == mine.epoch


WEAK, STRONG = "WeakIsr", "StrongIsr"

TWO, THREE = "max_leader_epoch=2", "replicas=3 records=1 max_leader_epoch=2"

LARGE = "replicas=3 max_leader_epoch=2"

FAST = [
    ("reached_hw", in_same_epoch, "records=1 max_leader_epoch=0", LOSS, None),
    ("reached_hw", in_same_epoch, "records=1 max_leader_epoch=1", LOSS, 9),
    ("reached_hw", in_same_epoch, "records=1 max_leader_epoch=2", LOSS, 9),
    ("truncation_offset", keep_log, "records=1 max_leader_epoch=2", LOSS, None),
    ("truncation_offset", keep_log, "max_leader_epoch=1", LOSS, None),
    ("truncation_offset", keep_log, TWO, LOSS, 10),
    ("truncation_offset", keep_log, TWO, DIVERGENCE, 12),
    ("truncation_offset", high_watermark, "records=1 max_leader_epoch=3", LOSS, 12),
    ("may_expand_isr", in_any_epoch, TWO, LOSS, None),
    ("may_expand_isr", in_any_epoch, "replicas=3 records=1", LOSS, None),
    ("may_expand_isr", in_any_epoch, "replicas=3 records=1", STRONG, 11),
    ("may_follow", any_leader, TWO, STRONG, None),
    ("acknowledges", follows_up_to, TWO, STRONG, None),
    ("acknowledges", follows_up_to, "replicas=3 records=1", STRONG, None),
]

SLOW = [
    ("may_expand_isr", in_any_epoch, THREE, LOSS, 13),
    ("acknowledges", follows_up_to, THREE, STRONG, 12),
    ("reached_hw", follows_up_to, THREE, STRONG, 14),
    ("may_follow", any_leader, THREE, STRONG, None),
    ("may_follow", any_leader, LARGE, STRONG, 13),
]


def steps_to(mutant, settings, name):
    """Return the steps of the shortest trace in which a mutant violates a property, or None."""
    [prop] = [prop for prop in invariants_of(kip_320) if prop.name == name]
    system = mutant.system(parse(mutant.model.bounds, settings.split()), histories(prop, mutant))
    first = check(system, [prop]).first
    return len(first.trace.steps) if first else None


@pytest.mark.parametrize(
    ("rule", "weaker", "settings", "name", "steps"),
    [*FAST, *(pytest.param(*row, marks=pytest.mark.slow) for row in SLOW)],
)
def test_a_weaker_rule_fails_in_so_many_steps(rule, weaker, settings, name, steps):
    mutant = replace(kip_320, rules=replace(kip_320.rules, **{rule: weaker}))
    assert steps_to(mutant, settings, name) == steps


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "name", "steps"),
    [
        (THREE, WEAK, 12),
        (LARGE, STRONG, None),
        (LARGE, LOSS, None),
        (LARGE, DIVERGENCE, None),
    ],
)
def test_without_the_fence_on_fetches_only_a_leaders_own_isr_is_wrong(settings, name, steps):
    """Nothing is lost: in the broker family, where fetches take time, it is (test_mutants).

    A stale leader's high watermark reaches a replica that will lead, with a smaller ISR in mind
    than the one that it will believe in.  Origin of the 12 steps: TLC on Kip320.tla with
    FollowerReplicate in the place of FencedFollowerFetch.
    """
    mutant = replace(kip_320, rules=replace(kip_320.rules, may_fetch=follows_up_to))
    assert steps_to(mutant, settings, name) == steps


def elect_anybody(s, k, replica):
    """Elect a replica that is not in the ISR, and is all of the ISR then."""
    if s.partition.epoch == k.max_leader_epoch:
        return False
    if s.partition.isr >> replica & 1:
        return False
    _begin_epoch(s, replica, 1 << replica)
    return True


def elect_anybody_where_nobody_leads(s, k, replica):
    """Elect a replica that is not in the ISR, while nobody leads."""
    if s.partition.leader != NONE:
        return False
    return elect_anybody(s, k, replica)


@pytest.mark.parametrize(
    ("unclean", "settings", "steps"),
    [
        (elect_anybody_where_nobody_leads, "records=1 max_leader_epoch=1", None),
        (elect_anybody_where_nobody_leads, "records=1 max_leader_epoch=2", 8),
        (elect_anybody, "records=1 max_leader_epoch=0", None),
        (elect_anybody, "records=1 max_leader_epoch=1", 7),
    ],
)
def test_an_unclean_election_loses_under_kip_320_too(unclean, settings, steps):
    """The originals know no unclean election; this is a step beside their clean one."""
    [clean] = [action for action in kip_320.actions if action.name == "ControllerElectLeader"]
    action = replace(clean, name="ElectUncleanly", apply=unclean)
    mutant = replace(kip_320, actions=(*kip_320.actions, action))
    assert steps_to(mutant, settings, LOSS) == steps

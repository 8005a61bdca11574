"""Every rule that kip-320's safety rests on is needed: broken, kip-320 loses or diverges.

A mutant is kip-320 with one rule replaced by a weaker one.  With any of the bounds lowered by one
it still holds everything.  docs/model.md and docs/catalogue.md
show the same.
"""

from dataclasses import replace

import pytest

from tidegate.checker.check import check
from tidegate.core.spec import Outcome
from tidegate.invariants.broker import INVARIANTS
from tidegate.library.properties import system_for
from tidegate.model.broker.older import OF_ISR_CHANGES, leads_in_any_epoch
from tidegate.model.broker.protocols.kip320 import KIP_320
from tidegate.model.broker.rules import at_any_offset, cache_with_first_record, serve_anyone


def always(s, k, *arguments):
    return True


def keep(s, k, *arguments):
    return None


def never(s, k, *arguments):
    return False


def keep_up_to_the_answer(s, k, follower, end):
    """Truncate to the answered offset instead of emptying a log without a common epoch."""
    return min(s.replica[follower].leo, end)


def never_emptied(s, k, isr, members):
    """Keep who left the ISR eligible, also of an ISR that commits without it (KIP-966)."""
    return (s.partition.elr | s.partition.isr) & ~isr


def the_unclean_too(s, k, broker):
    """Keep a broker eligible that went down uncleanly (KIP-966)."""
    return s.partition.elr


LOST, DIVERGED = "NoAckedRecordLost", "LogMatching"

MUTANTS = [
    ("has_committed", always, "replicas=2", "R1 C1 E1", LOST, 7),
    ("has_committed", always, "replicas=2 moves", "R1 C0 E1", LOST, 6),
    ("may_change_isr", leads_in_any_epoch, "replicas=2 moves", "R1 C0 E1", LOST, 4),
    ("begin_following", keep, "replicas=2", "R2 C1 E1", DIVERGED, 10),
    ("begin_following", keep, "replicas=2 moves", "R2 C0 E1", DIVERGED, 8),
    (
        "offset_without_common_epoch", keep_up_to_the_answer,
        "replicas=2 moves", "R2 C0 E2", DIVERGED, 13,
    ),
    ("may_serve_fetch", serve_anyone, "replicas=2 moves", "R1 C0 E3", LOST, 16),
    ("may_serve_epoch_request", serve_anyone, "replicas=2 moves", "R1 C0 E3", LOST, 15),
    ("begin_leading", cache_with_first_record, "replicas=2 moves", "R2 C0 E3", LOST, 17),
    ("fails_produces", never, "replicas=2 moves", "R2 C0 E2", LOST, 11),
    ("has_epoch_start", at_any_offset, "replicas=3 moves", "R1 C0 E2", LOST, 14),
    ("eligible_leaders", never_emptied, "replicas=3 min_isr=2 elr", "R1 C2 E1", LOST, 11),
    (
        "eligible_at_registration", the_unclean_too,
        "replicas=2 min_isr=2 elr power_losses=1", "R1 C1 E2", LOST, 12,
    ),
]  # fmt: skip


def mutated(rule, weaker, settings):
    """Search kip-320 with one rule replaced."""
    mutant = replace(
        KIP_320, name=f"kip-320 without {rule}", rules=replace(KIP_320.rules, **{rule: weaker})
    )
    properties = [p for p in INVARIANTS if p.name in KIP_320.default_properties]
    system = system_for(mutant, settings.split(), properties)
    return check(system, properties)


def bounds(rung):
    """Return the settings that a rung such as "R1 C0 E3" stands for."""
    names = {"R": "records", "C": "crashes", "E": "elections"}
    return {names[letter[0]]: int(letter[1:]) for letter in rung.split()}


def at(rule, weaker, scenario, values):
    """Search with one rule replaced, within such bounds."""
    given = " ".join(f"{name}={value}" for name, value in values.items())
    return mutated(rule, weaker, f"{scenario} {given}")


def whole(*mutant):
    """Return the mutant; some are searched for seconds."""
    takes_long = mutant[2].startswith("replicas=3 moves")
    return pytest.param(*mutant, marks=[pytest.mark.slow] * takes_long)


@pytest.mark.parametrize(
    ("rule", "weaker", "scenario", "rung", "violated", "steps"),
    [whole(*mutant) for mutant in MUTANTS],
)
def test_a_broken_rule_loses_or_diverges(rule, weaker, scenario, rung, violated, steps):
    result = at(rule, weaker, scenario, bounds(rung))
    names = {v.property.name for v in result.verdicts if v.outcome is Outcome.VIOLATED}
    assert violated in names
    assert len(result.first.trace.steps) == steps


def below(*mutant):
    """Return the mutant; with three replicas all is searched for seconds."""
    return pytest.param(*mutant[:4], marks=[pytest.mark.slow] * ("replicas=3" in mutant[2]))


@pytest.mark.parametrize(
    ("rule", "weaker", "scenario", "rung"), [below(*mutant) for mutant in MUTANTS]
)
def test_a_broken_rule_does_no_harm_one_rung_below(rule, weaker, scenario, rung):
    for name, value in bounds(rung).items():
        if value:
            values = {**bounds(rung), name: value - 1}
            assert at(rule, weaker, scenario, values).outcome is Outcome.HOLDS


def test_every_rule_that_may_be_broken_is_among_the_mutants():
    """Two that remain decide what an answer says: kip-101 and kip-279 are their mutants.

    test_older_rules.py has those that differ from release to release.
    The others are kip-595's, or matter where a change of the ISR is made known by and by; see
    test_kip595.py, test_isr_changes.py, test_change_records.py, test_last_known_leader.py,
    test_deletions.py and test_reassignments.py.
    """
    tried = {mutant[0] for mutant in MUTANTS}
    untried = set(vars(KIP_320.rules)) - tried
    assert untried == {
        "epoch_cache", "end_offset_for_epoch", "truncate_by_answer",
        "truncation_on_fetch", "diverges", "where_logs_diverge", "counts_diverging_fetch",
        "may_list_offsets", "applies_diverging_hw", "drop_in_flight",
        "has_new_leader", "truncates_cache", "forgets_remote_leos", "may_restart", "without_leader",
        "assign_epoch", "hw_with_records", "fetch_advances_hw",
        "keeps_rejected_change", "exits_if_longer", "may_lag",
        "elects_last_known_leader",
        *(rule for rule, _ in OF_ISR_CHANGES),
        "knows_partition_epoch", "applies_known_record",
        "may_delete", "follows_log_start", "raises_hw", "finds_low_hw", "diverges_below_start",
        "may_complete", "removed_are_eligible",
    }  # fmt: skip

"""Every rule that kip-320's safety rests on is needed: broken, kip-320 loses or diverges.

A mutant is kip-320 with one rule replaced by a weaker one.  The bounds are the smallest at which it
was found to die; one rung below, each of them still holds everything.
"""

from dataclasses import replace

import pytest

from tidegate.bounds import parse
from tidegate.checker.check import check
from tidegate.invariants import INVARIANTS
from tidegate.model.broker.messages import EPOCH_REQUEST, FETCH
from tidegate.model.broker.protocols.kip101 import ask_before_fetching
from tidegate.model.broker.protocols.kip320 import KIP_320
from tidegate.model.broker.rules import (
    cache_with_first_record,
    clear_message,
    serve_anyone,
)
from tidegate.spec import Outcome

slow = pytest.mark.slow


def always(s, k, *arguments):
    return True


def keep(s, k, *arguments):
    return None


def keep_up_to_the_answer(s, k, follower, end):
    """Cut to the answered offset instead of emptying a log that has no common epoch."""
    return min(s.replica[follower].leo, end)


def drop_requests_only(s, k, follower):
    """Let an answer under way outlive the epoch that it was asked in."""
    if s.message[follower].kind in (FETCH, EPOCH_REQUEST):
        clear_message(s, k, follower)


def ask_a_new_leader_only(s, k, follower, previous_leader):
    """Skip truncation where the leader stays the same (KAFKA-7164)."""
    if s.replica[follower].leader != previous_leader:
        ask_before_fetching(s, k, follower, previous_leader)


def leads_in_any_epoch(s, k, broker):
    """Change the ISR without comparing versions."""
    return s.replica[broker].leader == broker


THREE = "replicas=3 records=1 elections=3 crashes=0 moves"

MUTANTS = [
    ("has_committed", always, "records=1 elections=1 crashes=1", "NoCommittedRecordLost", 7),
    ("may_change_isr", leads_in_any_epoch, "records=2 elections=2", "NoCommittedRecordLost", 8),
    ("begin_following", keep, "records=2 elections=1", "LogMatching", 10),
    ("begin_following", ask_a_new_leader_only, "records=2 elections=2", "LogMatching", 14),
    ("drop_in_flight", drop_requests_only, "records=2 elections=2 moves", "LogMatching", 16),
    ("offset_without_common_epoch", keep_up_to_the_answer, "elections=2", "LogMatching", 17),
    ("may_serve_fetch", serve_anyone, "records=1 elections=3", "NoCommittedRecordLost", 24),
    pytest.param(
        "begin_leading", cache_with_first_record, "elections=3", "NoCommittedRecordLost", 21,
        marks=slow,
    ),
    pytest.param("has_epoch_start", always, THREE, "NoCommittedRecordLost", 14, marks=slow),
    pytest.param("forget_followers", keep, THREE, "NoCommittedRecordLost", 17, marks=slow),
    pytest.param(
        "may_serve_epoch_request", serve_anyone, THREE, "NoCommittedRecordLost", 22, marks=slow
    ),
]  # fmt: skip


def mutated(rule, weaker, settings):
    """Search kip-320 with one rule replaced."""
    mutant = replace(
        KIP_320, name=f"kip-320 without {rule}", rules=replace(KIP_320.rules, **{rule: weaker})
    )
    properties = [p for p in INVARIANTS["broker"] if p.name in KIP_320.default_properties]
    needs = frozenset(need for p in properties for need in p.needs)
    system = mutant.system(parse(mutant.family.bounds, settings.split()), needs)
    return check(system, properties)


@pytest.mark.parametrize(("rule", "weaker", "settings", "violated", "steps"), MUTANTS)
def test_a_broken_rule_loses_or_diverges(rule, weaker, settings, violated, steps):
    result = mutated(rule, weaker, settings)
    names = {v.property.name for v in result.verdicts if v.outcome is Outcome.VIOLATED}
    assert violated in names
    assert len(result.first.trace.steps) == steps


def test_every_rule_that_may_be_broken_is_among_the_mutants():
    """The two that remain decide what an answer says: kip-101 and kip-279 are their mutants."""
    tried = {(m.values if hasattr(m, "values") else m)[0] for m in MUTANTS}
    untried = set(vars(KIP_320.rules)) - tried
    assert untried == {"epoch_cache", "end_offset_for_epoch", "truncate_by_answer"}

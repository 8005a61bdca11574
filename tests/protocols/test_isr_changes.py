"""ISR changes propagate with a delay: which rules make that safe, and which older ones do not."""

from dataclasses import replace

import pytest

from tidegate.core.result import Resources
from tidegate.core.spec import Outcome
from tidegate.invariants.broker import INVARIANTS
from tidegate.model import KIP_595
from tidegate.model.broker.older import OF_ISR_CHANGES
from tidegate.model.broker.rules import at_any_time

LOST, STUCK, ELIGIBLE = "NoCommittedRecordLost", "Stuck", "EligibleIsr"

NAMES = [prop.name for prop in INVARIANTS]

KRAFT, ZOOKEEPER = "isr_propagation=kraft", "isr_propagation=zookeeper"

BUGS = [
    ("isr_for_election = cached_isr", ZOOKEEPER, "R1 C1 E1", LOST, 5),
    ("isr_for_election = cached_isr", f"{ZOOKEEPER} moves", "R1 C0 E1", LOST, 4),
    ("may_change_isr = leads_in_any_epoch", f"{ZOOKEEPER} moves", "R1 C0 E1", LOST, 4),
    ("isr_for_hw = current_isr", KRAFT, "R2 C1 E1", LOST, 14),
    ("isr_for_hw = current_isr", f"{KRAFT} moves", "R2 C0 E1", LOST, 13),
    ("may_alter_partition = in_any_epoch", KRAFT, "R2 C2 E2", LOST, 13),
    ("may_alter_partition = in_any_epoch", f"{KRAFT} moves", "R1 C0 E1", LOST, 6),
    ("may_propose = nothing_proposed", KRAFT, "R1 C1 E1", STUCK, 12),
    ("may_propose = nothing_proposed", f"{KRAFT} moves", "R1 C0 E1", STUCK, 10),
    ("may_be_members = anybody", KRAFT, "R1 C1 E0", ELIGIBLE, 12),
    ("may_be_members = anybody", KRAFT, "R0 C1 E1", ELIGIBLE, 8),
    ("may_be_members = anybody", f"{KRAFT} moves", "R0 C0 E1", ELIGIBLE, 6),
    (
        "may_still_be_members = whatever_it_was",
        f"{KRAFT} moves power_losses=1", "R1 C0 E1", LOST, 16,
    ),
    ("may_still_be_members = whatever_it_was", f"{KRAFT} power_losses=1", "R1 C1 E1", LOST, 17),
    (
        "keeps_broker_epoch = of_the_latest_fetch",
        f"{KRAFT} moves power_losses=1 late_request", "R1 C0 E1", LOST, 18,
    ),
    ("may_register_unfenced = before_its_fence", f"{KRAFT} power_losses=1", "R1 C0 E0", LOST, 7),
]  # fmt: skip


def slow(protocol):
    """Leave a protocol to the slow tests."""
    return pytest.param(protocol, marks=pytest.mark.slow)


def bounds(rung):
    """Return the settings that a rung such as "R1 C0 E3" stands for."""
    names = {"R": "records", "C": "crashes", "E": "elections"}
    return {names[letter[0]]: int(letter[1:]) for letter in rung.split()}


def decide(search, protocol, settings, values, name):
    given = " ".join(f"{bound}={value}" for bound, value in values.items())
    [verdict] = search(protocol, f"{settings} {given}", [name]).verdicts
    return verdict


@pytest.mark.parametrize("fixed", [slow("kip-320"), "kip-595"])
@pytest.mark.parametrize(("older", "settings", "rung", "name", "steps"), BUGS)
def test_an_older_rule_goes_wrong_and_the_newer_one_does_not(
    search, fixed, older, settings, rung, name, steps
):
    wrong = decide(search, f"{fixed}~{older}", settings, bounds(rung), name)
    assert wrong.outcome is Outcome.VIOLATED
    assert len(wrong.trace.steps) == steps
    assert decide(search, fixed, settings, bounds(rung), name).outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    "settings", [f"{KRAFT} records=1 crashes=1", slow(f"{KRAFT} crashes=2 elections=2")]
)
def test_a_broker_that_registers_before_its_fence_loses_nothing_without_a_power_loss(
    search, settings
):
    result = search("kip-595~may_register_unfenced = before_its_fence", settings)
    assert result.outcome is Outcome.HOLDS


@pytest.mark.parametrize(("older", "settings", "rung", "name", "steps"), BUGS)
def test_it_does_not_go_wrong_one_rung_below(search, older, settings, rung, name, steps):
    for bound, value in bounds(rung).items():
        if value:
            below = {**bounds(rung), bound: value - 1}
            verdict = decide(search, f"kip-320~{older}", settings, below, name)
            assert verdict.outcome is Outcome.HOLDS, below


def test_every_older_rule_of_isr_changes_is_among_them():
    tried = {older for older, *_ in BUGS}
    assert {f"{rule} = {before.__name__}" for rule, before in OF_ISR_CHANGES} <= tried


@pytest.mark.parametrize(
    "settings",
    [
        slow(f"{ZOOKEEPER} records=1 elections=1 crashes=1 controller_crashes=1"),
        slow(f"{KRAFT} records=1 elections=2 crashes=1 moves"),
        f"{KRAFT} records=1 elections=1 crashes=1 power_losses=1 late_request",
    ],
)
@pytest.mark.parametrize(
    "protocol", [slow("hw"), slow("kip-101"), slow("kip-279"), "kip-320", slow("kip-595")]
)
def test_both_engines_find_the_same(search, protocol, settings):
    found = [
        search(protocol, settings, NAMES, keep_going=True, resources=Resources(engine=engine))
        for engine in ("interpreted", "compiled")
    ]
    one, other = (
        (
            it.distinct_states,
            it.depth,
            [(v.property.name, v.outcome, v.trace and v.trace.steps) for v in it.verdicts],
        )
        for it in found
    )
    assert one == other


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        f"{KRAFT} records=2 elections=3 crashes=2",
        f"{KRAFT} records=2 elections=3 crashes=1 moves",
        f"{KRAFT} replicas=3 records=1 elections=2 crashes=1 moves",
        f"{ZOOKEEPER} records=2 elections=2 crashes=1 controller_crashes=1",
        f"{ZOOKEEPER} records=1 elections=2 crashes=1 moves controller_crashes=1",
    ],
)
@pytest.mark.parametrize("protocol", ["kip-320", "kip-595"])
def test_the_newest_rules_hold_at_larger_bounds(search, protocol, settings):
    assert search(protocol, settings).outcome is Outcome.HOLDS


@pytest.mark.parametrize("propagation", ["instant", "zookeeper", "kraft", "records"])
def test_who_lags_is_decided_by_the_rule_however_isr_changes_propagate(propagation):
    """Partition.getOutOfSyncReplicas is one path for ZooKeeper and KRaft."""

    def may_shrink(may_lag):
        protocol = replace(KIP_595, rules=replace(KIP_595.rules, may_lag=may_lag))
        settings = [f"isr_propagation={propagation}", "records=1"]
        system = protocol.system(protocol.within(settings))
        [at_log_end] = system.initial_states()
        shrinks = {"ShrinkIsr", "ProposeShrink"}

        def taken(state):
            actions = (system.instances[index].action.name for index, _ in system.successors(state))
            return not shrinks.isdisjoint(actions)

        [produced] = [
            state
            for index, state in system.successors(at_log_end)
            if system.instances[index].action.name == "Produce"
        ]
        return taken(at_log_end), taken(produced)

    assert may_shrink(KIP_595.rules.may_lag) == (False, True)
    assert may_shrink(lambda s, k, leader, follower: False) == (False, False)
    assert may_shrink(at_any_time) == (True, True)

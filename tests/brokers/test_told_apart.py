"""The comparison can fail: real brokers tell a model with a wrong rule from the right one.

For each rule that decides anything on a walk of 25 steps, a walk is looked for in the model with
another rule in its place that the right model cannot take, or that leads it elsewhere.  The brokers
must leave it there, or soon after: a file that they write late still has what the wrong model says.
"""

import asyncio
from contextlib import suppress
from dataclasses import fields, replace
from itertools import islice

import pytest

from tidegate.brokers.distribution import find_distribution
from tidegate.brokers.replay import replay
from tidegate.brokers.steps import STEPS
from tidegate.conform.forced import cluster_for, forced_behavior, listed
from tidegate.conform.walks import CoveringWalks
from tidegate.core.spec import ModelError, Trace
from tidegate.library.names import find_protocol
from tidegate.library.properties import with_every_history
from tidegate.model import PROTOCOLS
from tidegate.model.broker.bounds import WITH_KRAFT

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

BOUNDS = ("replicas=3", "records=2", "elections=3", "crashes=1", "moves", "hw_waits")
WITH_DELETIONS = (
    "replicas=2", "records=3", "elections=1", "crashes=0", "hw_waits", "deletions=2",
)  # fmt: skip
WALKS, STEPS_OF_A_WALK, MORE, TRIES = 50, 25, 3, 30


CONTROLLERS = {
    "may_restart", "isr_for_election", "may_alter_partition", "may_be_members",
    "may_still_be_members", "eligible_leaders", "eligible_at_registration",
    "elects_last_known_leader", "may_complete", "removed_are_eligible",
}  # fmt: skip
"""Rules of the controller, which is scripted: it does what the model says."""

OF_LOG_START = {
    "may_delete", "follows_log_start", "raises_hw", "finds_low_hw", "diverges_below_start",
}  # fmt: skip

OF_KRAFT = ("isr_propagation=kraft", "min_isr=2", "hw_needs_min_isr")


def other_rules(protocol):
    """Return the protocol with one rule that another protocol has in its place, by name."""
    family = [one for one in PROTOCOLS if one.model is protocol.model]
    known = {}
    for field in fields(protocol.rules):
        if field.name in CONTROLLERS:
            continue
        mine = getattr(protocol.rules, field.name)
        theirs = [getattr(one.rules, field.name) for one in family]
        older = [rule for one in family for name, rule in one.older_rules if name == field.name]
        for rule in {*theirs, *older} - {mine}:
            if callable(rule):
                rules = replace(protocol.rules, **{field.name: rule})
                known[f"{field.name} = {rule.__name__}"] = replace(protocol, rules=rules)
    return known


def compared(system, packed, kraft):
    """Return what of a state is compared with real brokers."""
    shown, state, answers = [], system.layout.describe(packed), listed(system, packed)
    for number, replica in enumerate(state["replica"]):
        row = {name: replica[name] for name in ("alive", "log", "hw", "start")}
        if replica["alive"] and replica["leader"] != -1:
            row |= {name: replica[name] for name in ("epoch", "epoch_cache")}
            row["leads"] = replica["leader"] == number
        if replica["leader"] == number:
            row |= {name: replica[name] for name in ("isr", "remote_leo")}
            row["listed"] = answers[number]
            row |= {"proposed": replica["proposed"]} if kraft else {}
        shown.append(row)
    return shown, state["partition"], state["alter_partition"], state["aux_acked"]


def system_of(protocol, bounds):
    actions = tuple(action for action in protocol.actions if action.name in STEPS)
    return with_every_history(replace(protocol, actions=actions), bounds)


def divergences(right, wrong):
    """Yield walks of the wrong system up to where the right one is elsewhere, and a bit further."""
    kraft = right.bounds["isr_propagation"] in WITH_KRAFT
    for trace in islice(CoveringWalks(wrong, 3, STEPS_OF_A_WALK), WALKS):
        # A wrong rule may need variables that the right model does not have.
        here = next(iter(right.initial_states()))
        for number, step in enumerate(trace.steps, 1):
            here = right.take(here, step)
            shown = here is not None and compared(right, here, kraft)
            if shown != compared(wrong, trace.states[number], kraft):
                end = number + MORE
                yield Trace(trace.states[: end + 1], trace.steps[:end])
                break


def effort(trace):
    """Return how much brokers have to do: above all, a process takes long to start."""
    return sum(step.action == "Restart" for step in trace.steps), len(trace.steps)


async def is_told(distribution, right, wrong):
    """Whether brokers leave one of a few walks; None if the walks do not depend on the rule.

    A walk may differ in what the harness does itself: it cuts a connection where the wrong model
    drops a message.
    """
    told = None
    for trace in sorted(divergences(right, wrong), key=effort)[:TRIES]:
        behavior = forced_behavior(wrong, trace)
        async with cluster_for(distribution, behavior) as cluster:
            report = await replay(cluster, behavior, lambda observed: None, empty_caches=True)
        told = report.differs is not None
        if told:
            break
    return told


async def told_by(distribution, protocol, bounds, names):
    """Return which wrong rules brokers tell from the right ones, of those that matter."""
    right, told = system_of(protocol, bounds), {}
    for name, other in other_rules(protocol).items():
        if not names or name.partition(" ")[0] in names:
            with suppress(ModelError):  # A rule of another protocol may not fit at all.
                told[name] = await is_told(distribution, right, system_of(other, bounds))
    return {name: answer for name, answer in told.items() if answer is not None}


@pytest.mark.parametrize(
    ("version", "kind", "more"), [("2.6.0", "zookeeper", ()), ("4.4.0", "kraft", OF_KRAFT)]
)
def test_brokers_tell_a_wrong_rule_of_the_log_start(version, kind, more, kafka):
    protocol = find_protocol(f"kafka-{version}-{kind}")
    bounds = (*WITH_DELETIONS, *more)
    distribution = find_distribution(kafka(version))
    decided = asyncio.run(told_by(distribution, protocol, bounds, OF_LOG_START))
    assert {name.partition(" ")[0] for name in decided} >= {"follows_log_start", "may_delete"}
    assert all(decided.values()), decided


@pytest.mark.parametrize(
    ("version", "kind", "bounds"),
    [
        ("1.1.1", "zookeeper", BOUNDS),
        ("2.6.0", "zookeeper", BOUNDS),
        ("4.4.0", "kraft", BOUNDS + OF_KRAFT),
    ],
)
def test_brokers_tell_a_wrong_rule_from_the_right_one(version, kind, bounds, kafka):
    protocol = find_protocol(f"kafka-{version}-{kind}")
    distribution = find_distribution(kafka(version))
    decided = asyncio.run(told_by(distribution, protocol, bounds, ()))
    assert len(decided) >= 8, decided
    assert all(decided.values()), decided

"""What the published AsyncIsr says, and what its two decisions prevent."""

from dataclasses import replace

import pytest

from tidegate.checker.check import check
from tidegate.core.bounds import parse
from tidegate.core.result import Limits
from tidegate.examples.async_isr import any_version, async_isr, isr_alone
from tidegate.library.properties import invariants_of

NAME = "tidegate.examples.async_isr:async_isr"


def test_a_request_of_an_older_version_is_void(begin):
    behavior = begin(NAME, "replicas=3").follow("LeaderRequestShrinkIsr 1")
    assert behavior.can("ControllerHandleRequest", 0, 1)
    behavior.take("ControllerShrinkIsr", 2)
    assert not behavior.can("ControllerHandleRequest", 0, 1)
    assert behavior.record.controller.isr == 0b011


def test_the_high_watermark_waits_for_whom_the_leader_has_asked_for(begin):
    behavior = begin(NAME, "max_offset=2").follow("ControllerShrinkIsr 1\nLeaderHandleUpdate 1")
    behavior.take("LeaderRequestExpandIsr", 1).take("LeaderWrite")
    assert "HW 0" in behavior.system.scenes([behavior.state])[0].columns["replica 0"]
    behavior.take("FollowerReplicate", 1)
    assert "HW 1" in behavior.system.scenes([behavior.state])[0].columns["replica 0"]


def test_the_leader_requests_no_follower_below_the_high_watermark(begin):
    behavior = begin(NAME).follow("ControllerShrinkIsr 1\nLeaderHandleUpdate 1\nLeaderWrite")
    assert not behavior.can("LeaderRequestExpandIsr", 1)
    assert behavior.take("FollowerReplicate", 1).can("LeaderRequestExpandIsr", 1)


def test_an_update_clears_the_pending_request_of_the_leader(begin):
    behavior = begin(NAME).follow("LeaderRequestShrinkIsr 1")
    assert behavior.system.scenes([behavior.state])[0].columns == {
        "controller": "v0 isr {0,1}\nv0: isr {0}",
        "replica 0": "v0 isr {0,1}\nrequested {0}\nHW 0\nLEO 0",
        "replica 1": "LEO 0",
    }
    behavior.take("ControllerHandleRequest", 0, 1).take("LeaderHandleUpdate", 1)
    assert behavior.system.scenes([behavior.state])[0].columns == {
        "controller": "v1 isr {0}\nv0: isr {0}",
        "replica 0": "v1 isr {0}\nHW 0\nLEO 0",
        "replica 1": "LEO 0",
    }
    assert not behavior.can("LeaderHandleUpdate", 1)


@pytest.mark.parametrize("settings", ["replicas=1", "replicas=2 max_version=0", "replicas=4"])
def test_no_action_is_impure_and_every_variable_stays_in_range(system, settings):
    """States outside the constraint are in range too, by one."""
    watched = system(NAME, settings)
    watched.debug = True
    result = check(watched, invariants_of(async_isr), limits=Limits(max_states=700))
    assert not result.first


def test_a_property_tells_a_state_that_violates_it(begin):
    [prop] = [prop for prop in invariants_of(async_isr) if prop.name == "ValidHighWatermark"]
    behavior = begin(NAME).follow("ControllerShrinkIsr 1\nLeaderHandleUpdate 1\nLeaderWrite")
    assert not behavior.system.violates(prop, behavior.state)
    behavior.system.layout.load(behavior.state)
    behavior.system.record.controller.isr = 0b11
    wrong = behavior.system.layout.dump()
    assert behavior.system.violates(prop, wrong)
    assert "high watermark is 1, but replica 1 is" in behavior.system.explain(prop, wrong)


MUTANTS = [
    ("waits_for", isr_alone, "replicas=2 max_version=1", 5),
    ("waits_for", isr_alone, "replicas=2 max_version=2", 5),
    ("waits_for", isr_alone, "replicas=2 max_version=0", None),
    ("may_apply", any_version, "replicas=3 max_version=1", 6),
    ("may_apply", any_version, "replicas=3 max_version=2", 6),
    ("may_apply", any_version, "replicas=2 max_version=1", None),
    ("may_apply", any_version, "replicas=2 max_version=2", 8),
]


@pytest.mark.parametrize(("rule", "weaker", "settings", "steps"), MUTANTS)
def test_a_weaker_rule_fails_in_so_many_steps(rule, weaker, settings, steps):
    """Origin of the steps: TLC on AsyncIsr.tla, weakened in the same place.

    The violating state may be the first one with a newer version than the bounds have.
    """
    mutant = replace(async_isr, rules=replace(async_isr.rules, **{rule: weaker}))
    system = mutant.system(parse(mutant.model.bounds, settings.split()))
    result = check(system, invariants_of(async_isr))
    assert (len(result.first.trace.steps) if result.first else None) == steps
    if result.first:
        assert result.first.property.name == "ValidHighWatermark"

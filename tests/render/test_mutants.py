"""Whatever a mutant does is told: an action that lacks a guard may do what nobody had in mind."""

import pytest

from tidegate.checker.check import check
from tidegate.checker.replay import retaken
from tidegate.core.behavior import Behavior
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import ModelError
from tidegate.library.mutants import mutants
from tidegate.library.properties import find_properties, system_for, with_every_history
from tidegate.model import PROTOCOLS
from tidegate.render.forms import FORMS
from tidegate.render.narrative import narrate

NAMES = [protocol.name for protocol in PROTOCOLS]


def told(protocol, properties):
    """Return the counterexample of a mutant in every form; nothing if it has none."""
    system = with_every_history(protocol, [])
    limits, resources = Limits(max_states=20_000), Resources(engine="interpreted")
    try:
        searched = system_for(protocol, [], properties)
        first = check(searched, properties, limits=limits, resources=resources).first
    except ModelError:
        # It wrote a value out of range: there is no behavior to tell.
        return {}
    if first is None or first.trace is None:
        return {}
    trace = retaken(system, 0, first.trace.steps)
    narrative = narrate(Behavior(system, trace, first.property, protocol.summary))
    return {name: form(narrative, False) for name, form in FORMS.items()}


def test_an_answer_that_is_handled_before_there_is_one():
    [kip_595] = [protocol for protocol in PROTOCOLS if protocol.name == "kip-595"]
    [early] = [
        mutant.protocol
        for mutant in mutants(kip_595)
        if mutant.name == "HandleDivergingEpoch: s.message[follower].kind != DIVERGING"
    ]
    forms = told(early, find_properties(kip_595, []))
    assert "HandleDivergingEpoch(leader=0, follower=1)." in forms["html"]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=NAMES)
def test_every_counterexample_of_a_mutant_can_be_told(protocol):
    properties = find_properties(protocol, [])
    found = [told(mutant.protocol, properties) for mutant in mutants(protocol)]
    assert sum(bool(forms) for forms in found) > 3

"""Why logs were cut, caches changed and leaders elected: rules and numbers, read off a trace."""

import inspect
import re
from types import SimpleNamespace

import pytest

from tidegate.checker.check import check
from tidegate.checker.replay import retaken
from tidegate.core.behavior import Behavior
from tidegate.core.fields import NONE
from tidegate.core.scene import Entry, Log
from tidegate.core.spec import Step
from tidegate.library.full_history import with_histories
from tidegate.library.names import find_protocol
from tidegate.library.properties import with_every_history
from tidegate.library.selection import assemble
from tidegate.model.broker import rules
from tidegate.model.broker.presentation.explanations import cache_changed, why_answer
from tidegate.model.broker.presentation.pictures import Answer, Broker
from tidegate.model.broker.protocols import kip101, kip279
from tidegate.model.broker.protocols.kip101 import KIP_101
from tidegate.model.broker.protocols.kip279 import KIP_279
from tidegate.model.broker.rules import explained
from tidegate.render.narrative import narrate


@pytest.fixture(scope="module")
def unclean():
    """The loss after an unclean election, in the intermediate form."""
    settings = ["unclean_election"]
    system, properties = assemble("kip-320", settings, [])
    first = check(system, properties).first
    behavior = Behavior(system, first.trace, first.property)
    return narrate(with_histories(behavior, find_protocol("kip-320"), settings))


def sentence(told, action, epoch=None):
    """Return what is said of the one step with this action, and this epoch if one is named."""
    [moment] = [
        moment
        for moment in told.moments[1:]
        if moment.step.action == action and epoch in (None, moment.step.arguments[-1])
    ]
    return moment.event.sentence


def test_the_cause_of_a_loss_is_the_truncation_and_its_rule(loss):
    assert loss.cause == (
        "Step 9 removed m0 (e0) from the log of broker 1: a new follower keeps only the records "
        "below its own high watermark, 0. Step 11 then elected broker 1, which is in the ISR {0,1}."
    )


def test_the_cause_of_a_loss_by_an_unclean_election_is_that_election(unclean):
    assert unclean.cause == (
        "m0 was never replicated to broker 1: only broker 0 had it when step 4 elected broker 1, "
        "which is NOT in the ISR {0} (unclean election)."
    )
    assert unclean.moments[4].event.sign == "unclean"


def test_the_cause_of_a_divergence_names_both_records_and_the_truncation(trace):
    told = trace("divergence under hw")
    assert "Step 2 put m0 (e0) at offset 0 of broker 0, step 15 put m1 (e1) there" in told.cause
    assert "whose log had held m0 (e0) until step 10 truncated it" in told.cause


def test_the_cause_of_a_divergence_names_the_step_that_did_not_repair_it(trace):
    told = trace("what KIP-279 repairs")
    assert told.cause == (
        "Step 3 put m0 (e0) at offset 0 of broker 0, step 5 put m1 (e1) there on broker 1. Step 11 "
        "did not repair that: it keeps the records below the answered offset, 1."
    )


def test_under_kip_279_an_epoch_that_the_leader_does_not_know_is_explained(trace):
    told = trace("what KIP-320 repairs")
    assert sentence(told, "BecomeLeader", 1).endswith(
        "Broker 1 adds e1 from offset 1 to its epoch cache."
    )
    assert sentence(told, "HandleEpochRequest").endswith(
        "its epoch cache has e0 from offset 0, no epoch from e1 on, so it does not know."
    )
    answered = sentence(told, "HandleEpochResponse")
    assert "it falls back to its own high watermark, 0" in answered
    assert "which removes m0 (e0)" in answered
    assert " removed m0 (e0) from the log of broker 1: the leader does not know, so" in told.cause


def test_a_changed_cache_and_the_truncation_that_it_causes_are_explained(trace):
    told = trace("what the fence of fetches averts")
    assert sentence(told, "BecomeLeader", 1).endswith(
        "Broker 1 adds e1 from offset 1 to its epoch cache, which drops e2 from offset 0 (later "
        "than e1); its log still holds m0 (e2)."
    )
    answer = sentence(told, "HandleEpochRequest")
    assert "no epoch up to e1, so it answers with the start of its first epoch, e2" in answer
    truncated = sentence(told, "HandleEpochResponse")
    assert "both know e1: it ends at offset 1 here and at 0 at the leader" in truncated
    assert "Its epoch cache had dropped e2 from" not in told.cause
    assert "Its epoch cache had dropped e2 in step 10." in told.cause


@pytest.mark.parametrize(
    ("protocol", "elections", "continues"),
    [("hw", (1,), True), ("hw", (1, 0), True), ("kip-279", (1,), True), ("kip-279", (1, 0), False)],
)
def test_an_epoch_may_change_nothing_for_a_follower(system, protocol, elections, continues):
    """Broker 2 leaves the ISR, or another broker leads for a while; then broker 0 leads on."""
    behaviors = system(protocol, "replicas=3 moves elections=3")
    steps = [Step("Fence", ("broker",), (2,))]
    if len(elections) > 1:
        steps = [Step("Elect", ("broker",), (broker,)) for broker in elections]
    last = len(elections)
    steps.append(Step("BecomeFollower", ("follower", "epoch"), (1, last)))
    event = narrate(Behavior(behaviors, retaken(behaviors, 0, steps))).moments[-1].event
    assert ("Its leader stays the same, so it continues as before." in event.sentence) is continues


def test_an_epoch_in_flight_is_one_message_whatever_its_broker_applies_before(system):
    behaviors = system("hw", "replicas=3 moves elections=3")
    steps = [Step("Elect", ("broker",), (broker,)) for broker in (1, 0)]
    steps += [Step("BecomeFollower", ("follower", "epoch"), (2, epoch)) for epoch in (1, 2)]
    told = narrate(Behavior(behaviors, retaken(behaviors, 0, steps)))
    arrows = [it for it in told.arrows if (it.receiver, it.text) == ("broker 2", "e2: 0 leads")]
    assert [(arrow.sent, arrow.ended) for arrow in arrows] == [(2, 4)]


def test_a_change_of_the_isr_by_a_leader_goes_to_the_controller(unclean):
    arrows = {(it.sender, it.receiver, it.sent): it.text for it in unclean.arrows}
    assert arrows["broker 0", "controller", 2] == "isr {0}"


def test_a_record_that_is_written_after_the_election_of_the_one_that_lacks_it():
    settings = ["records=1", "elections=2", "stale_leader_and_isr"]
    system, properties = assemble("kip-320", settings, [])
    first = check(system, properties).first
    behavior = Behavior(system, first.trace, first.property)
    told = narrate(with_histories(behavior, find_protocol("kip-320"), settings))
    assert told.cause == (
        "m0 was never replicated to broker 1: step 13 wrote it to broker 0 after step 9 had "
        "elected broker 1, which is in the ISR {0,1}."
    )


def renamed(module):
    """Return the source of a module whose own functions have other names, to lie anywhere."""
    source, package = inspect.getsource(module), module.__package__.split(".")
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ == module.__name__:
            source = re.sub(rf"\b{name}\b", f"other_{name}", source)

    def absolute(dots):
        home = ".".join(package[: len(package) + 1 - len(dots[1])])
        return f"from {home} import" if dots[2] else f"from {home}."

    return re.sub(r"from (\.+)( import)?", absolute, source)


RENAMED = {
    "loss under hw": (rules, "HW", "begin_following=other_truncate_to_hw"),
    "what KIP-279 repairs": (kip101, "KIP_101", ""),
    "what KIP-320 repairs": (kip279, "KIP_279", ""),
    "what the fence of fetches averts": (kip279, "KIP_279", ""),
}
"""Traces that rules explain, each with a module of theirs and the protocol to copy."""


@pytest.mark.parametrize("name", RENAMED)
def test_a_rule_of_another_name_is_explained_as_before(trace, tmp_path, name):
    module, protocol, replaced = RENAMED[name]
    source = renamed(module)
    if replaced:
        source += f"""
from dataclasses import replace
from tidegate.model.broker.protocols.hw import HW
COPY = replace(HW, name="copy", rules=replace(HW.rules, {replaced}))
"""
        protocol = "COPY"
    (tmp_path / "copied.py").write_text(source)
    told = trace(name)
    copied = find_protocol(f"{tmp_path / 'copied.py'}:{protocol}")
    system = with_every_history(copied, [f"{k}={v}" for k, v in told.bounds.items()])
    steps = [moment.step for moment in told.moments[1:]]
    again = narrate(Behavior(system, retaken(system, 0, steps)))
    assert [moment.event for moment in again.moments] == [moment.event for moment in told.moments]


def a_broker(cache, epochs, hw, protocol=KIP_279):
    """Return a broker whose log has records of these epochs."""
    log = Log(tuple(Entry(f"m{n}", epoch) for n, epoch in enumerate(epochs)), hw)
    return Broker("broker 1", log=log, replica=1, cache=cache, rules=protocol.rules)


def why_truncated(follower, answer):
    """Return the explanation of a truncation by the follower's own rule."""
    return explained(follower.rules.truncate_by_answer, follower, answer)


def an_answer(of, end):
    return Answer("1", "broker 0", "broker 1", "", of=of, end=end)


@pytest.mark.parametrize(
    ("protocol", "answer", "words"),
    [
        (KIP_279, (NONE, NONE), "falls back to its own high watermark, 1"),
        (KIP_279, (2, 3), "both know e2: it ends at offset 2 here and at 3 at the leader"),
        (KIP_279, (1, 3), "below offset 1, the end of e0, its largest smaller epoch"),
        (KIP_101, (NONE, 1), "below the answered offset, 1"),
    ],
)
def test_a_truncation_is_explained_by_its_rule(protocol, answer, words):
    follower = a_broker(((0, 0), (2, 1)), (0, 2), 1, protocol)
    assert words in why_truncated(follower, an_answer(*answer))


def test_a_follower_that_knows_larger_epochs_only_truncates_to_the_start_of_its_first():
    why = why_truncated(a_broker(((2, 1), (3, 2)), (0, 2, 3), 0), an_answer(1, 2))
    assert "so it knows no epoch up to e1: it keeps the records below offset 1, where" in why


@pytest.mark.parametrize(
    ("protocol", "requested", "words"),
    [
        (KIP_279, 2, "in its log e2 ends at offset 2"),
        (KIP_279, 3, "no epoch from e3 on"),
        (KIP_279, 1, "not e1; its largest smaller epoch is e0, which ends at offset 1"),
        (KIP_101, 2, "its newest epoch, so it answers with its log end"),
        (KIP_101, 1, "the start of its first epoch above e1, which is e2"),
        (KIP_101, 3, "does not show where e3 ends"),
    ],
)
def test_an_answer_is_explained_by_its_rule(protocol, requested, words):
    assert words in why_answer(a_broker(((0, 0), (2, 1)), (0, 2), 1, protocol), requested)


def test_a_leader_that_knows_larger_epochs_only_answers_with_the_start_of_the_first():
    assert "the start of its first epoch, e2" in why_answer(a_broker(((2, 1),), (2, 2), 1), 1)


def test_an_unknown_rule_is_explained_only_by_its_result():
    other = SimpleNamespace(truncate_by_answer=lambda: None, end_offset_for_epoch=lambda: None)
    who = Broker("broker 1", log=Log((), 0), cache=((1, 0),), rules=other)
    assert why_truncated(who, an_answer(1, 1)) == ""
    assert why_answer(who, 1) == "its epoch cache has e1 from offset 0"


def test_epochs_that_start_at_the_log_end_are_dropped():
    change = cache_changed(a_broker(((0, 0), (1, 1)), (0,), 0), a_broker(((0, 0),), (0,), 0))
    assert change.startswith("The epoch cache of broker 1 drops e1 from offset 1: ")
    assert "log end, 1," in change

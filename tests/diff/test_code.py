"""The code of protocols as data, and what differs between two of them."""

import pytest

from tidegate.core.guards import guards
from tidegate.diff.code import code
from tidegate.diff.code_changes import changed_constants, differences
from tidegate.library.names import find_protocol
from tidegate.model import PROTOCOLS


def between(old, new):
    """Return what differs between two protocols, by name."""
    return differences(code(find_protocol(old)), code(find_protocol(new)))


@pytest.mark.parametrize("protocol", PROTOCOLS[::4], ids=lambda protocol: protocol.name)
def test_a_protocol_does_not_differ_from_itself(protocol):
    assert not differences(code(protocol), code(protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_what_every_rule_decides_is_said_where_the_rules_are_declared(protocol):
    assert [rule.name for rule in code(protocol).rules.values() if not rule.decides] == []


def test_what_kip_101_brought_are_epochs_three_steps_to_ask_for_their_end_and_a_log_start():
    found = between("hw", "kip-101")
    assert [change.name for change in found.rules] == [
        "epoch_cache",
        "begin_following",
        "end_offset_for_epoch",
        "truncate_by_answer",
        # The releases that have them also brought DeleteRecords.
        "may_delete",
        "follows_log_start",
    ]
    says = found.rules[1].new.function.says
    assert says.startswith("Ask for the end of the newest cached epoch before fetching")
    assert [(change.name, change.old) for change in found.actions] == [
        ("SendEpochRequest", None),
        ("HandleEpochRequest", None),
        ("HandleEpochResponse", None),
    ]
    assert found.helpers == ()
    assert [change.new for change in between("kip-101", "hw").actions] == [None] * 3


def test_what_kip_320_brought_is_a_fence_for_both_kinds_of_request_and_four_more_rules():
    found = between("kip-279", "kip-320")
    rules = {change.name: change.new.function.source for change in found.rules}
    fences = ["may_serve_fetch", "may_serve_epoch_request"]
    # The last two belong to releases that have it: KAFKA-9491.
    assert list(rules) == ["has_new_leader", *fences, "may_lag", "raises_hw", "finds_low_hw"]
    fence = "(s, k, leader, epoch)\nreturn s.replica[leader].epoch == epoch"
    assert [rules[name] for name in fences] == [fence, fence]
    assert rules["has_new_leader"] == "(s, k, follower, epoch)\nreturn True"
    assert (found.actions, found.helpers) == ((), ())


def test_a_mutant_lacks_one_guard():
    [change] = between("kip-320", "kip-320~HandleFetch: not leads(s, leader)").actions
    assert change.removed == ("not leads(s, leader)",)
    assert (change.added, change.changed, change.effect) == ((), (), False)
    assert between("kip-320~HandleFetch: not leads(s, leader)", "kip-320").actions[0].added


def test_an_action_asks_rules_through_the_functions_that_it_calls():
    told = code(find_protocol("kip-320"))
    assert told.rules_asked("SendFetch") == set()
    assert "has_epoch_start" in told.rules_asked("HandleFetch"), "asked by receive_fetch"
    assert "offset_without_common_epoch" in told.rules_asked("HandleEpochResponse"), "by a rule"


def test_the_guards_of_the_code_are_those_of_the_action():
    for protocol in PROTOCOLS:
        told = code(protocol)
        for action in protocol.actions:
            tests = tuple(guard.test for guard in guards(action.apply))
            assert told.actions[action.name].function.guards == tests


LOAD = '''
LIMIT = {limit}


def helper(s):
    """Count."""
    return s.value {operator} 1


def act(s, k, broker):
    if s.value >= LIMIT:
        return False
    {guard}
    s.value = helper(s)
    return True
'''
"""An action in a file of its own, with a constant, a helper and a second guard."""


def loaded(path, **changes):
    """Return the code of a protocol with one action, which is in a file."""
    import dataclasses
    import importlib.util

    values = {"limit": 3, "operator": "+", "guard": "pass"} | changes
    path.write_text(LOAD.format(**values))
    spec = importlib.util.spec_from_file_location("protocol_in_a_file", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    original = find_protocol("hw")
    action = dataclasses.replace(original.actions[0], apply=module.act)
    return code(dataclasses.replace(original, actions=(action,)))


def test_a_constant_a_helper_and_a_guard_that_changed_are_told(tmp_path):
    old = loaded(tmp_path / "old.py")
    assert not differences(old, loaded(tmp_path / "same.py"))
    [changed] = differences(old, loaded(tmp_path / "limit.py", limit=4)).actions
    assert (changed.effect, changed.removed, changed.added) == (False, (), ())
    constants = changed_constants(changed.old.function, changed.new.function)
    assert list(constants) == [("LIMIT", "3", "4")]
    found = differences(old, loaded(tmp_path / "helper.py", operator="-"))
    assert (found.actions, [it.used_by for it in found.helpers]) == ((), [("Produce",)])
    guard = "if s.value == 2:\n        return False"
    [changed] = differences(old, loaded(tmp_path / "guard.py", guard=guard)).actions
    assert changed.added == ("s.value == 2",)
    one = loaded(tmp_path / "one.py", guard=guard)
    two = loaded(tmp_path / "two.py", guard=guard.replace("2", "1"))
    [changed] = differences(one, two).actions
    assert changed.changed == (("s.value == 2", "s.value == 1"),)

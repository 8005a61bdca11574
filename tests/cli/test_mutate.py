"""``tidegate mutate``: every guard and rule is left out in turn."""

import json
from dataclasses import fields, replace

import pytest
from click.testing import CliRunner

from tests.published import ASYNC_ISR, PUBLISHED
from tidegate.cli import main
from tidegate.core.guards import guards, without
from tidegate.core.spec import Step
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol
from tidegate.library.properties import invariants_of
from tidegate.model import PROTOCOLS
from tidegate.model.broker.actions.leader import produce
from tidegate.mutate.decide import Killing


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_there_is_a_mutant_for_every_guard_and_every_replaced_rule(protocol):
    names = [mutant.name for mutant in mutants(protocol)]
    assert len(set(names)) == len(names)
    for action in protocol.actions:
        for guard in guards(action.apply):
            assert f"{action.name}: {guard.test}" in names
    first = type(protocol.rules)()
    replaced = {
        field.name
        for field in fields(protocol.rules)
        if getattr(protocol.rules, field.name) is not getattr(first, field.name)
        and callable(getattr(first, field.name))
    }
    older = {rule for rule, _ in protocol.older_rules}
    assert {name.split(" = ")[0] for name in names if " = " in name} == replaced | older


def test_an_older_rule_of_no_ancestor_is_a_mutant_once():
    """KAFKA-10706 is no ancestor's rule; what an ancestor has is not named a second time."""
    [kip_320] = [protocol for protocol in PROTOCOLS if protocol.name == "kip-320"]
    again = ("may_serve_fetch", kip_320.parent.rules.may_serve_fetch)
    own = replace(kip_320, older_rules=(*kip_320.older_rules, again, *kip_320.older_rules))
    names = [mutant.name for mutant in mutants(own)]
    assert names == [mutant.name for mutant in mutants(kip_320)]
    assert "truncates_cache = only_if_log_shrinks" in names


def test_an_own_protocol_that_has_an_older_rule_is_not_its_own_mutant():
    [kip_320] = [protocol for protocol in PROTOCOLS if protocol.name == "kip-320"]
    rule, older = "truncates_cache", dict(kip_320.older_rules)["truncates_cache"]
    own = replace(kip_320, parent=kip_320, rules=replace(kip_320.rules, **{rule: older}))
    names = [mutant.name for mutant in mutants(own) if mutant.name.startswith(f"{rule} = ")]
    assert names == [f"{rule} = also_if_log_stays"]


def test_an_older_rule_of_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match=r"no rule 'may_fetsch'.*may_serve_fetch"):
        replace(PROTOCOLS[0], older_rules=(("may_fetsch", print),))


def test_a_mutant_differs_in_one_place(system):
    """Without its second guard, Produce writes more records than there are."""
    small = system("hw", "records=1", frozenset())
    written = small.take(next(small.initial_states()), Step("Produce", ("leader",), (0,)))
    small.layout.load(written)
    record, constants = small.record, small.constants
    assert not produce(record, constants, 0)
    record.replica[0].leo = 0
    assert without(produce, 1)(record, constants, 0)
    assert record.written == 2


WEAKER = "kip-320~HandleFetch: not leads(s, leader)"


def test_a_mutant_is_checked_shown_and_replayed_by_its_name(tmp_path):
    run, trace = CliRunner().invoke, str(tmp_path / "trace.json")
    bounds = ["-b", "records=1", "-b", "elections=2"]
    assert run(main, ["check", WEAKER, *bounds, "-q", "--json", trace]).exit_code == 12
    assert run(main, ["replay", trace]).exit_code == 0
    stopped = run(main, ["replay", trace, "--protocol", "kip-320"])
    assert "refuses it: not leads(s, leader)" in " ".join(stopped.output.split())
    [shown] = [
        action
        for action in json.loads(run(main, ["show", WEAKER, "--json"]).output)["actions"]
        if action["name"] == "HandleFetch"
    ]
    assert len(shown["not_enabled_if"]) == 4
    assert "not leads(s, leader)" not in shown["not_enabled_if"]


def test_the_guards_of_a_copy_keep_their_places():
    """A copy has no file of its own; what is left is where it is in the original's."""
    kept = [(guard.file, guard.line, guard.test) for guard in guards(produce)]
    del kept[1]
    assert [(it.file, it.line, it.test) for it in guards(without(produce, 1))] == kept


def test_a_mutant_that_there_is_not_gets_one_clear_error():
    result = CliRunner().invoke(main, ["check", "kip-320~HandleFetch: nothing"])
    assert result.exit_code == 2
    assert "kip-320 has no mutant 'HandleFetch: nothing'" in result.output


def test_mutants_die_or_are_listed_as_survivors():
    bounds = ["--within", "records=0", "--within", "records=1"]
    result = CliRunner().invoke(main, ["mutate", "tidegate.examples.published:kip_101", *bounds])
    assert result.exit_code == 0
    output = " ".join(result.output.split())
    assert "killed BecomeFollower: fairness -- LastEpochIsApplied in 3 steps at records=0" in output
    assert "killed truncation_offset = high_watermark -- WeakIsr in 8 steps at records=1" in output
    assert "SURVIVED FollowerFetch: not leads(s, leader)" in output
    assert "- FollowerFetch: not leads(s, leader): copies from a former leader" in output
    protocol = find_protocol("tidegate.examples.published:kip_101")
    assert f"of {len(list(mutants(protocol)))} mutants killed" in output


def test_mutants_of_what_never_happens_are_not_tried():
    result = CliRunner().invoke(main, ["mutate", "hw", "--within", "records=0 crashes=1"])
    assert result.exit_code == 0
    output = " ".join(result.output.split())
    assert "killed Elect: s.partition.epoch == k.elections -- fails: Elect(broker=1)" in output
    assert "- Unfence: not s.replica[broker].alive: not tried: within these bounds" in output


def test_every_note_on_a_survivor_is_about_a_mutant_that_there_is():
    """A note whose guard or rule was changed since would explain another mutant, or none."""
    for protocols in (PROTOCOLS, PUBLISHED, [find_protocol(ASYNC_ISR)]):
        known = set()
        for protocol in protocols:
            for mutant in mutants(protocol):
                known |= {mutant.name, f"{protocol.declared or protocol.name}: {mutant.name}"}
        assert set(protocols[0].model.survivors) <= known


QUICK = ASYNC_ISR
"""Its mutants take seconds; those of the others minutes."""


def whole_ladder(protocol):
    """Return a parameter set for a protocol."""
    marks = [] if protocol.name == QUICK else [pytest.mark.slow]
    return pytest.param(protocol, id=protocol.name, marks=marks)


@pytest.mark.parametrize(
    "protocol", [*map(whole_ladder, [*PROTOCOLS, *PUBLISHED, find_protocol(ASYNC_ISR)])]
)
def test_every_survivor_is_explained_and_every_explanation_is_of_a_survivor(protocol):
    wanted = [prop for prop in invariants_of(protocol) if prop.name in protocol.default_properties]
    killing = Killing(protocol, wanted, protocol.model.mutation_bounds)
    killed = {fate.mutant for fate in killing.run(None, 2)}
    assert [fate.mutant for fate in killing.others()["survived"] if not fate.note] == []
    own = {key.partition(": ")[2] for key in own_notes(protocol)}
    assert killed & own == set()


def own_notes(protocol):
    """Return the keys of the notes that are a protocol's own."""
    begins = f"{protocol.declared or protocol.name}: "
    return {key for key in protocol.model.survivors if key.startswith(begins)}


def test_wrong_bounds_are_found_before_the_search():
    result = CliRunner().invoke(main, ["mutate", "hw", "--within", "records=1 nonsense=2"])
    assert result.exit_code == 2
    assert "no bound 'nonsense'" in result.output


def test_what_the_protocol_violates_by_itself_kills_no_mutant():
    """The original violates WeakIsr in 8 steps; a guard it does not need must not seem needed."""
    result = CliRunner().invoke(
        main, ["mutate", "tidegate.examples.published:hw", "-b", "records=1"]
    )
    output = " ".join(result.output.split())
    assert "SURVIVED LeaderExpandIsr: not k.rules.may_expand_isr(s, k, leader)" in output
    assert "s.replica[leader].hw) -- WeakIsr in 6 steps" in output


def test_the_json_of_mutants_has_every_mutant_once(tmp_path):
    arguments = [
        "mutate",
        "tidegate.examples.async_isr:async_isr",
        "-b",
        "max_offset=1",
        "-b",
        "max_version=1",
    ]
    result = CliRunner().invoke(main, [*arguments, "--json", str(tmp_path / "mutants.json")])
    assert result.exit_code == 0
    document = json.loads((tmp_path / "mutants.json").read_text())
    protocol = find_protocol(ASYNC_ISR)
    names = [fate["mutant"] for fate in (*document["killed"], *document["survived"])]
    assert sorted(names) == sorted(mutant.name for mutant in mutants(protocol))
    assert document["mutants"] == len(names)
    assert document["bounds"] == ["max_offset=1 max_version=1"]
    assert document["unfinished"] == []
    assert f"{len(document['killed'])} of {len(names)} mutants killed" in result.output


def test_a_time_limit_leaves_mutants_undecided_and_says_where():
    result = CliRunner().invoke(
        main, ["mutate", "tidegate.examples.published:hw", "--time-limit", "0.01"]
    )
    output = " ".join(result.output.split())
    assert result.exit_code == 3
    assert "SURVIVED" not in output
    assert "INCOMPLETE stopped by a limit: not every mutant was decided at" in output
    assert "undecided: not searched at" in output

"""The explorer, driven as its users drive it: by keys, in its own driver and in a real terminal."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.checker.explore import Exploration
from tidegate.cli import main
from tidegate.commands.explore import saved
from tidegate.invariants.broker import INVARIANTS
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for
from tidegate.model.broker.family import DEFAULT_PROPERTIES

textual = pytest.importorskip("textual")


@pytest.fixture
def exploration(system):
    """Begin to explore a protocol with its own properties."""
    properties = [p for p in INVARIANTS if p.name in DEFAULT_PROPERTIES]
    return lambda protocol, settings="": Exploration(system(protocol, settings), properties)


def test_every_step_is_either_enabled_or_not(exploration):
    it = exploration("kip-320")
    enabled, disabled = it.enabled(), [d.step for d in it.disabled()]
    assert set(enabled).isdisjoint(disabled)
    assert len(enabled) + len(disabled) == len(it.system.instances)


def test_what_is_not_enabled_says_which_guard_refuses(exploration):
    it = exploration("hw")
    [restart] = [d for d in it.disabled() if str(d.step) == "Restart(broker=0)"]
    assert restart.why.startswith("s.replica[broker].alive (s.replica[broker].alive = True; ")
    assert "model/broker/actions/faults.py:" in restart.why


def test_going_back_undoes_a_step(exploration):
    it = exploration("hw")
    start = it.state
    assert it.take(it.enabled()[0])
    assert it.state != start
    assert it.back()
    assert it.state == start
    assert not it.back()


def test_a_step_that_is_not_enabled_is_not_taken(exploration):
    it = exploration("hw")
    assert not it.take(it.disabled()[0].step)
    assert len(it.trace.steps) == 0


def test_a_jump_leads_to_the_nearest_violation(exploration):
    it = exploration("hw")
    assert "NoCommittedRecordLost" in it.jump(50_000)
    assert len(it.trace.steps) == 12
    assert "NoCommittedRecordLost" in {p.name for p in it.violated()}


def test_a_jump_that_finds_nothing_stays_where_it_is(exploration):
    it = exploration("kip-320", "records=1 crashes=0")
    assert "violates anything else" in it.jump(50_000)
    assert exploration("kip-320").jump(100) == "nothing found among 100 states"
    assert len(it.trace.steps) == 0


def driven(exploration, path, keys):
    """Press keys in the explorer; return the lines that it shows and what it notified."""
    from tidegate.render.explorer import Explorer

    seen = {}

    async def drive():
        app = Explorer(exploration, lambda: saved(exploration, str(path)), 50_000)
        async with app.run_test(size=(120, 40)) as pilot:
            for key in keys:
                await pilot.press(key)
                await pilot.pause()
            seen["steps"] = [str(step) for step in exploration.trace.steps]
            seen["why"] = str(app.query_one("#why").render())
            seen["title"] = f"{app.title} {app.sub_title}"
            seen["notes"] = [note.message for note in app._notifications]

    asyncio.run(drive())
    return seen


def test_enter_takes_the_chosen_step(exploration, tmp_path):
    it = exploration("hw")
    first = [str(step) for step in it.enabled()]
    seen = driven(it, tmp_path / "x.json", ["down", "enter"])
    assert seen["steps"] == [first[1]]
    assert "1 step" in seen["title"]


def test_keys_go_back_jump_and_save(exploration, tmp_path):
    it, path = exploration("hw"), tmp_path / "saved.json"
    seen = driven(it, path, ["enter", "b", "v", "s"])
    assert len(seen["steps"]) == 12
    assert any("saved" in note for note in seen["notes"])
    document = json.loads(path.read_text())
    assert document["#meta"]["property"] == "NoCommittedRecordLost"
    assert CliRunner().invoke(main, ["replay", str(path)]).exit_code == 0
    page = tmp_path / "page.html"
    assert CliRunner().invoke(main, ["replay", str(path), "--html", str(page)]).exit_code == 0


def test_the_chosen_step_is_explained(exploration, tmp_path):
    seen = driven(exploration("hw"), tmp_path / "x.json", ["down", "up"])
    assert "A producer writes m0 to broker 0" in seen["why"]
    assert "Enabled, since" in seen["why"]


def test_the_other_list_says_why_not(exploration, tmp_path):
    seen = driven(exploration("hw"), tmp_path / "x.json", ["tab", "down", "down"])
    assert "is not enabled. Its guard refuses it" in seen["why"]
    assert seen["steps"] == []


def test_it_runs_in_a_real_terminal(tmp_path):
    pexpect = pytest.importorskip("pexpect")
    path = tmp_path / "saved.json"
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tidegate", "explore", "hw", "--save", str(path)],
        dimensions=(40, 140),
        encoding="utf-8",
        timeout=30,
        env={"TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    )
    child.expect("Produce")
    child.send("\rv")  # At once: the jump begins where the step has led.
    child.expect("VIOLATED")
    child.send("s")
    child.expect("saved")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert len(json.loads(path.read_text())["states"]) == 13


EWD840 = str(Path(__file__).parents[2] / "examples" / "ewd840.py")


def test_a_key_goes_to_the_next_initial_state(tmp_path):
    system = system_for(find_protocol(EWD840), ["nodes=2"], [])
    initial = list(system.initial_states())
    it = Exploration(system, [])
    seen = driven(it, tmp_path / "x.json", ["i"])
    assert f"0 steps from initial state 2 of {len(initial)}" in seen["title"]
    assert it.state == initial[1]
    seen = driven(it, tmp_path / "x.json", ["enter", "s"] + ["i"] * (len(initial) - 1))
    assert it.state == initial[0]
    assert seen["steps"] == []
    assert (
        CliRunner()
        .invoke(main, ["replay", str(tmp_path / "x.json"), "--protocol", EWD840])
        .exit_code
        == 0
    )


def test_where_there_is_one_initial_state_the_key_says_so(exploration, tmp_path):
    seen = driven(exploration("hw"), tmp_path / "x.json", ["enter", "i"])
    assert len(seen["steps"]) == 1
    assert seen["notes"] == ["there is one initial state"]


def test_without_a_terminal_it_says_so():
    result = CliRunner().invoke(main, ["explore", "hw"])
    assert result.exit_code == 2
    assert "needs a terminal" in result.output


def test_without_textual_it_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "tidegate.render.explorer", raising=False)
    monkeypatch.setitem(sys.modules, "textual.app", None)
    result = CliRunner().invoke(main, ["explore", "hw"])
    assert result.exit_code == 2
    assert "pip install textual" in result.output


@pytest.mark.parametrize("arguments", [["hv"], ["hw", "-p", "Nonsense"], ["hw", "-b", "records=x"]])
def test_wrong_names_are_one_clear_error(arguments):
    result = CliRunner().invoke(main, ["explore", *arguments])
    assert result.exit_code == 2
    assert result.output.startswith("Error: ")

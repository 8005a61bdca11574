"""Liveness of custom models: the four forms, fairness by argument, and what is refused."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tidegate import Fairness, Kind, Model, Property, Record, check, integer, number
from tidegate.cli import main

LIVENESS = [Kind.EVENTUALLY, Kind.ALWAYS_EVENTUALLY, Kind.EVENTUALLY_ALWAYS, Kind.LEADS_TO]


@dataclass(frozen=True)
class Bounds:
    """How many lamps there are."""

    lamps: int = number(2, 1, 4, "lamps")


class State(Record):
    """Which lamp is on; 0 for none."""

    on: int = integer(0, lambda k: k.lamps, "the lamp that is on")


def lamps(fairness=Fairness.WEAK, fair_per=None, off=Fairness.NONE, constraint=None):
    """Return a model in which one lamp at a time is on, and none at first."""
    model = Model(Bounds, State, name="lamps", deadlock=False, constraint=constraint)

    @model.action(fairness=fairness, fair_per=fair_per, lamp=lambda k: range(1, k.lamps + 1))
    def switch_on(s, k, lamp):
        if s.on:
            return False
        s.on = lamp
        return True

    @model.action(fairness=off)
    def switch_off(s, k):
        if not s.on:
            return False
        s.on = 0
        return True

    @model.liveness(Kind.EVENTUALLY, "Some lamp is on.")
    def once(s, k):
        return s.on > 0

    @model.liveness(Kind.ALWAYS_EVENTUALLY, "Lamp 2 is on again and again.")
    def second_again(s, k):
        return s.on == 2

    @model.liveness(Kind.EVENTUALLY_ALWAYS, "Some lamp stays on.")
    def stays(s, k):
        return s.on > 0

    @model.liveness(Kind.LEADS_TO, "Light ends the dark.", premise=lambda s, k: s.on == 0)
    def light(s, k):
        return s.on > 0

    return model


def violated(model, name):
    """Return the actions of the cycle that violates a property; None if it holds."""
    checked = check(model, properties=[name])
    lasso = [str(step) for step in checked.trace]
    return None if checked.holds else lasso


def test_what_a_weakly_fair_action_does_happens():
    assert violated(lamps(), "Once") is None
    assert violated(lamps(), "Light") is None


def test_the_library_says_where_the_cycle_begins():
    checked = check(lamps(off=Fairness.WEAK), properties=["SecondAgain"])
    assert (checked.loop, len(checked.trace)) == (0, 3)
    assert check(lamps(), properties=["Once"]).loop is None


def test_without_fairness_nothing_need_happen():
    dark = lamps(Fairness.NONE)
    assert violated(dark, "Once") == ["initial state"]
    assert violated(dark, "Light") == ["initial state"]


def test_weak_fairness_lets_a_step_out_that_is_disabled_again_and_again():
    assert violated(lamps(off=Fairness.WEAK), "SecondAgain") == [
        "initial state",
        "SwitchOn(lamp=1)",
        "SwitchOff()",
    ]


def test_strong_fairness_for_each_argument_takes_every_lamp_in_turn():
    assert violated(lamps(Fairness.STRONG, off=Fairness.WEAK), "SecondAgain") is None


def test_strong_fairness_as_a_whole_is_met_by_any_lamp():
    model = lamps(Fairness.STRONG, (), off=Fairness.WEAK)
    assert violated(model, "SecondAgain") is not None
    text = str(check(model, properties=["SecondAgain"]))
    assert "Fairness: the cycle takes SwitchOn, SwitchOff." in text


def test_what_is_undone_for_ever_does_not_stay():
    text = str(check(lamps(), properties=["Stays"]))
    assert "Stays is violated: stem of 0 steps, cycle of 2." in text
    assert "From here on, steps 1 and 2 repeat for ever." in text


def test_a_behavior_that_stops_for_ever_is_told_so():
    text = str(check(lamps(Fairness.NONE), properties=["Once"]))
    assert "From here on, nothing happens any more." in text
    assert "Once is violated: stem of 0 steps, then nothing happens." in text


@pytest.mark.parametrize("names", [(), ("all",)])
def test_liveness_is_decided_without_being_named(names):
    checked = check(lamps(Fairness.NONE), properties=names)
    assert set(checked.violated) == {"Once", "SecondAgain", "Stays", "Light"}


def test_a_constraint_leaves_liveness_undecided_unless_it_is_named():
    checked = check(lamps(constraint=lambda s, k: s.on < 2))
    assert not checked.holds
    assert checked.complete
    assert set(checked.undecided) == {"Once", "SecondAgain", "Stays", "Light"}


def test_a_constraint_is_refused():
    with pytest.raises(tidegate.TidegateError, match="-p Once: lamps has a constraint"):
        check(lamps(constraint=lambda s, k: s.on < 2), properties=["Once"])


def test_fairness_for_a_parameter_that_there_is_not_is_refused():
    with pytest.raises(tidegate.TidegateError, match="SwitchOn: there is no parameter 'bulb'"):
        check(lamps(fair_per=("bulb",)), properties=["Once"])


@pytest.mark.parametrize("kind", LIVENESS)
def test_a_premise_belongs_to_leads_to_alone(kind):
    premise = None if kind is Kind.LEADS_TO else lambda s, k: True
    prop = Property(
        "Wrong", "Wrong.", "", lambda s, k: True, lambda s, k: "", kind, premise=premise
    )
    expected = "needs a premise" if kind is Kind.LEADS_TO else "cannot have a premise"
    with pytest.raises(tidegate.TidegateError, match=f"property Wrong of kind .*{expected}"):
        check(lamps(), properties=[prop])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "hw", "-p", "Converges", "--symmetry"), "--symmetry cannot be combined with"),
        (("check", "hw", "-p", "Converges", "--store", "fingerprint"), "use --store exact"),
        (("simulate", "hw", "-p", "Converges"), "use 'tidegate check' for it"),
        (("graph", "hw", "-p", "Converges"), "use 'tidegate check' for it"),
        (("explore", "hw", "-p", "Converges"), "use 'tidegate check' for it"),
    ],
)
def test_what_cannot_decide_liveness_says_so_in_one_line(arguments, said):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert len(result.output.splitlines()) == 1


def test_the_page_shows_what_is_printed_with_fingerprints(tmp_path, monkeypatch):
    model = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    monkeypatch.chdir(tmp_path)
    Path("lock.py").write_text(model)
    result = CliRunner().invoke(main, ["check", "lock.py", "--store", "fingerprint", "-q"])
    shown = next(
        block for block in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL) if "lock.py" in block
    )
    assert result.output.split() == shown.split()
    assert result.exit_code == 3


PAGE = (Path(__file__).parents[2] / "docs" / "eventually.md").read_text()


@pytest.mark.parametrize(
    ("fairness", "prop", "outcome"),
    [
        ("", "LockIsTaken", "HOLDS"),
        ("", "Client0IsServed", "From here on, steps 2 to 4 repeat for ever."),
        (", fairness=Fairness.STRONG", "Client0IsServed", "HOLDS"),
    ],
)
def test_the_model_of_the_page_does_what_the_page_says(tmp_path, fairness, prop, outcome):
    model = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    before, take = model.split('@model.action("client")\ndef take')
    text = f'{before}@model.action("client"{fairness})\ndef take{take}'
    path = tmp_path / "lock.py"
    path.write_text(text)
    result = CliRunner().invoke(main, ["check", str(path), "-p", prop])
    assert outcome in result.output

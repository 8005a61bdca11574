"""Fairness of several actions together: WF and SF of a disjunction, and of Next."""

from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random

import pytest
from click.testing import CliRunner

from tidegate import Fairness, Kind, Model, Record, array, boolean, check, number
from tidegate.checker.check import check as search
from tidegate.cli import main
from tidegate.core.result import Resources
from tidegate.core.spec import JointFairness, ModelError, Property
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of, system_for
from tidegate.mutate.decide import Killing

WEAK, STRONG, NONE = Fairness.WEAK, Fairness.STRONG, Fairness.NONE


@dataclass(frozen=True)
class Bounds:
    """How many workers there are."""

    workers: int = number(2, 1, 4, "workers")


class State(Record):
    """A light that is toggled, and who is at work."""

    up: bool = boolean("whether the light is on")
    done: bool = boolean("whether it is finished")
    works: list[bool] = array(lambda k: k.workers, boolean("whether it works"))


def lights(alone=None):
    """Return a model with two actions that are always enabled, or enabled until one is taken."""
    model = Model(Bounds, State, name="lights", deadlock=False)

    @model.action(fairness=alone)
    def toggle(s, k):
        s.up = not s.up
        return True

    @model.action(fairness=alone)
    def finish(s, k):
        if s.done:
            return False
        s.done = True
        return True

    @model.action(fairness=alone)
    def finish_in_the_light(s, k):
        if s.done or not s.up:
            return False
        s.done = True
        return True

    @model.liveness(Kind.EVENTUALLY, "It is finished.")
    def finished(s, k):
        return s.done

    @model.liveness(Kind.EVENTUALLY, "Something happens.")
    def something(s, k):
        return s.done or s.up

    return model, {"toggle": toggle, "finish": finish, "in_the_light": finish_in_the_light}


def verdicts(model):
    """Return whether each property holds, as both engines say."""
    answers = []
    for engine in ("interpreted", "compiled"):
        system = system_for(model.protocol, [], [])
        live = [prop for prop in model.protocol.properties if prop.kind.is_liveness]
        found = search(system, live, keep_going=True, resources=Resources(engine=engine))
        answers.append({verdict.property.name: verdict.trace is None for verdict in found.verdicts})
    assert answers[0] == answers[1]
    return answers[0]


def expected(alone, joints):
    """Return the verdicts of `lights`, from what each condition means there.

    The light may toggle for ever: while it does, `finish` is always enabled, and the action in the
    light again and again.  So "finished" holds if a condition is about actions among these alone.
    """
    names = {"toggle", "finish", "in_the_light"}
    conditions = [(alone, {name}) for name in names] if alone else []
    conditions += [(fairness, chosen or names) for fairness, chosen in joints]
    fair = [(fairness, chosen) for fairness, chosen in conditions if fairness is not NONE]
    finished = any(
        "toggle" not in chosen and ("finish" in chosen or fairness is STRONG)
        for fairness, chosen in fair
    )
    # WF of the action in the light alone forbids that the light stays on, and with toggle stops.
    moved = any({"toggle", "finish"} & chosen for _, chosen in fair)
    return {"Finished": finished, "Something": moved}


def test_every_group_means_what_its_disjunction_means():
    groups = [None, *combinations(("toggle", "finish", "in_the_light"), 2)]
    cases = [(f, g) for f, g in product((WEAK, STRONG), groups)]
    for alone, joint in product((NONE, WEAK), cases):
        if alone is WEAK and joint[1] is None:
            continue
        model, actions = lights(alone)
        fairness, names = joint
        model.fairness(fairness, *(actions[name] for name in names or ()))
        assert verdicts(model) == expected(alone, [(fairness, set(names or ()))]), (alone, joint)


def test_random_groups_together():
    dice = Random(4)
    for _ in range(6):
        model, actions = lights(NONE)
        joints = {}
        for _ in range(dice.randint(1, 2)):
            names = tuple(sorted(dice.sample(sorted(actions), 2)))
            joints[names] = dice.choice((WEAK, STRONG))
        for names, fairness in joints.items():
            model.fairness(fairness, *(actions[name] for name in names))
        meant = [(fairness, set(names)) for names, fairness in joints.items()]
        assert verdicts(model) == expected(NONE, meant), joints


def test_an_action_that_is_fair_with_others_is_not_fair_alone_unless_it_says_so():
    model, actions = lights()
    assert verdicts(model)["Finished"], "each is weakly fair by default"
    model.fairness(WEAK)
    assert not verdicts(model)["Finished"], "WF_vars(Next) is met by toggling"
    assert {action.fairness for action in model.protocol.actions} == {NONE}
    model, actions = lights(WEAK)
    model.fairness(WEAK)
    assert verdicts(model)["Finished"]
    model, actions = lights()
    model.fairness(WEAK, actions["toggle"], actions["finish"])
    fair = {action.name: action.fairness for action in model.protocol.actions}
    assert fair == {"Toggle": NONE, "Finish": NONE, "FinishInTheLight": WEAK}


def shifts(**declared):
    """Return a model in which each worker begins and stops for ever: a fair process of PlusCal."""
    model = Model(Bounds, State, participants={"worker": lambda k: k.workers}, name="shifts")

    @model.action("worker")
    def begin(s, k, worker):
        if s.works[worker]:
            return False
        s.works[worker] = True
        return True

    @model.action("worker")
    def stop(s, k, worker):
        if not s.works[worker]:
            return False
        s.works[worker] = False
        return True

    @model.liveness(Kind.ALWAYS_EVENTUALLY, "Worker 1 works again and again.")
    def second_works(s, k):
        return s.works[1]

    model.fairness(WEAK, begin, stop, **declared)
    return model


def test_a_group_is_fair_as_a_whole_or_for_each_choice_of_a_parameter():
    assert not verdicts(shifts())["SecondWorks"]
    assert verdicts(shifts(fair_per=("worker",)))["SecondWorks"]


def test_a_lasso_says_which_condition_it_meets():
    text = str(check(shifts(), properties=["SecondWorks"]))
    assert "Fairness: the cycle takes one of Begin and Stop." in text


def another(s, k):
    return True


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda m, a: m.fairness(a["toggle"]), "it takes Fairness.WEAK or Fairness.STRONG"),
        (lambda m, a: m.fairness(NONE, a["toggle"], a["finish"]), "got <Fairness.NONE"),
        (lambda m, a: m.fairness("weak"), "got 'weak'"),
        (lambda m, a: m.fairness(WEAK, a["toggle"]), "names one action, Toggle"),
        (lambda m, a: m.fairness(WEAK, a["toggle"], another), "another, which is not an action"),
        (lambda m, a: m.fairness(WEAK, "toggle", "finish"), "it has toggle, finish"),
        (lambda m, a: m.fairness(WEAK, fair_per="worker"), "must be a tuple of names"),
        (lambda m, a: m.fairness(WEAK, fair_per=("worker",)), "parameters of Toggle are none"),
        (lambda m, a: (m.fairness(WEAK), m.fairness(STRONG)), "declared twice for all actions"),
    ],
)
def test_what_is_no_fairness_of_actions_is_refused(declare, message):
    model, actions = lights()

    def declared():
        declare(model, actions)
        return model.protocol

    with pytest.raises(ModelError) as error:
        declared()
    assert message in str(error.value)


FILE = """
from dataclasses import dataclass
from tidegate import Fairness, Kind, Model, Record, boolean, Property

@dataclass(frozen=True)
class Bounds:
    pass

class State(Record):
    up: bool = boolean("whether the light is on")
    done: bool = boolean("whether it is finished")

model = Model(Bounds, State, deadlock=False)

@model.action()
def toggle(s, k):
    s.up = not s.up
    return True

@model.action()
def finish(s, k):
    if s.done or not s.up:
        return False
    s.done = True
    return True

@model.liveness(Kind.EVENTUALLY, "Something happens.")
def something(s, k):
    return s.up

@model.liveness(Kind.EVENTUALLY, "It is finished.")
def finished(s, k):
    return s.done
"""


@pytest.fixture
def file(tmp_path):
    """Write the model with a declaration of fairness, and return the file's name."""

    def write(name, declared):
        path = tmp_path / f"{name}.py"
        path.write_text(f"{FILE}\n{declared}\n")
        return str(path)

    return write


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, list(arguments))


NEXT, BOTH = "model.fairness(Fairness.WEAK)", "model.fairness(Fairness.STRONG, toggle, finish)"


def test_the_commands_say_what_is_fair_together(file):
    joint, whole = file("joint", BOTH), file("whole", NEXT)
    assert "Fairness of Toggle and Finish: strong, together." in run("show", joint).output
    assert "Fairness of all actions: weak, together." in run("show", whole).output
    listed = run("list", "fairness", joint).output
    assert "strong, together  Toggle and Finish" in listed
    full = run("check", joint, "-p", "Finished", "--full")
    assert full.exit_code == 13
    assert "SF(Toggle \\/ Finish): taken in step 1" in full.output
    full = run("check", whole, "-p", "Finished", "--full")
    assert "WF(Next): taken in step 1" in full.output
    explained = run("explain", joint, "-p", "Finished")
    assert explained.exit_code == 0, explained.output
    differ = run("diff", joint, whole, "-p", "Finished").output
    assert "The fairness of Toggle and Finish was strong, together and is none." in differ
    assert "The fairness of all actions was none and is weak, together." in differ


def test_a_mutant_lacks_a_fairness_of_several_actions_together(file):
    for declared, mutant in ((NEXT, "all actions"), (BOTH, "Toggle and Finish")):
        protocol = find_protocol(file("lights", declared))
        live = [prop for prop in properties_of(protocol) if prop.name == "Something"]
        fates = {fate.mutant: fate for fate in Killing(protocol, live, [""]).run(None, 1)}
        assert list(fates) == [f"{mutant}: fairness"]
        live = [prop for prop in properties_of(protocol) if prop.name == "Finished"]
        assert not list(Killing(protocol, live, [""]).run(None, 1)), "violated before"


def test_steps_that_are_fair_together_are_steps_by_which_a_state_recovers():
    """An action without fairness is no step of recovery."""
    model, _ = lights(NONE)
    prop = Property("Recovers", "", "", lambda s, k: s.done, kind=Kind.STUCK)
    for joints, recovers in (((), False), ((JointFairness(WEAK),), True)):
        system = system_for(replace(model.protocol, fairness=joints), [], [])
        assert (search(system, [prop]).first is None) is recovers
        first = next(iter(system.initial_states()))
        assert system.violates(prop, first) is not recovers


@pytest.mark.parametrize(("declared", "status"), [("", 0), (NEXT, 13)])
def test_all_actions_together_are_less_fair_than_each_by_itself(declared, status, tmp_path):
    path = tmp_path / "lights.py"
    path.write_text(f"{FILE.replace('s.done or not s.up', 's.done')}\n{declared}\n")
    assert run("check", str(path), "-p", "Finished").exit_code == status

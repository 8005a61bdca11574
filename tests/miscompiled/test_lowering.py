"""A node of the typed form that is changed is found before it answers, whichever it is."""

from functools import cache
from random import Random

import pytest

from tests.miscompiled.cases import HERE, LOWERED, OTHERS, Case
from tests.miscompiled.laboratory import changing, of_lowering, prepare, tried
from tests.miscompiled.nodes import Defect, Lowered, functions_of
from tidegate.checker.compiled import verification
from tidegate.checker.compiled.comparison import Comparison
from tidegate.language import form
from tidegate.language.lowering.rules import rules_of
from tidegate.library.selection import assemble

EVERY = f"{HERE}/every.py", ("jobs=2", "most=2")
"""A model that has every kind of node."""

prepared = cache(prepare)


@cache
def every():
    """Return the typed form of that model."""
    system, properties = assemble(EVERY[0], EVERY[1], [])
    rules = rules_of(system)
    roots = [rules.lowered(rule) for rule in (*rules.properties(properties), *rules.actions())]
    return Lowered(rules.lowering.schema, functions_of(roots))


def defects():
    """Yield the changes of all nodes."""
    chance = Random(0)
    for spot in every().spots:
        yield from every().defects(spot, chance)


NODES = [
    one
    for one in vars(form).values()
    if isinstance(one, type)
    and issubclass(one, (form.Expression, form.Statement, form.Clause))
    and one not in (form.Expression, form.Statement)
]


def test_each_class_of_nodes_has_a_change():
    changed = {type(one.spot.node) for one in defects()}
    assert [one.__name__ for one in NODES if one not in changed] == []
    assert len(NODES) > 40


def test_there_are_many_kinds_of_change():
    kinds = {one.kind for one in defects()}
    assert len(kinds) >= 30, kinds


def nodes(part):
    """Yield the nodes of a part of a function, with the functions that it calls as they are."""
    if isinstance(part, tuple):
        for one in part:
            yield from nodes(one)
    elif isinstance(part, (form.Expression, form.Statement, form.Clause)):
        yield part
        for name, value in form.fields_of(part):
            if name != "type":
                yield from nodes(value)


def test_all_other_nodes_are_as_they_were():
    for one in defects():
        function = one.spot.function
        before = function.body
        body = one.body()
        assert function.body is before
        assert body != before, str(one)
        kept = {id(node) for node in nodes(body)}
        # What lies on the way to the node is made again, and so is nothing else.
        apart = [node for node in nodes(before) if id(node) not in kept]
        within = [*nodes(one.spot.node)]
        assert len(apart) <= len(one.spot.path) + len(within), str(one)


def test_a_function_has_its_body_back():
    one = next(defects())
    before, after = one.spot.function.body, one.body()
    with changing(one):
        assert one.spot.function.body == after != before
    assert one.spot.function.body is before


@pytest.fixture
def unconfirmed(monkeypatch):
    """Have no search made again in Python, as if it were a large one."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/none")
    monkeypatch.setattr(verification, "SMALL", 0)
    monkeypatch.setattr(verification, "BEGUN", 0.0)


QUICK = Case("every", EVERY[0], " ".join(EVERY[1]), keep_going=True)


@pytest.mark.usefixtures("unconfirmed")
def test_no_changed_node_ends_in_a_wrong_answer():
    ends = [of_lowering(prepared(QUICK), seed) for seed in (1, 2, 3, 4)]
    assert [end for end in ends if end["end"].startswith("wrong")] == []
    assert "found" in {end["end"] for end in ends}, ends


@pytest.mark.long
@pytest.mark.usefixtures("unconfirmed")
@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case.name)
def test_no_changed_node_of_another_model_ends_in_a_wrong_answer(case):
    ends = [of_lowering(prepared(case), seed) for seed in (1, 2)]
    assert [end for end in ends if end["end"].startswith("wrong")] == []


@pytest.mark.usefixtures("unconfirmed")
def test_without_a_comparison_a_changed_node_would_end_in_a_wrong_answer(monkeypatch):
    """So the laboratory notices one, and says which."""
    for name in ("level_begins", "level_ended", "end", "code"):
        monkeypatch.setattr(verification.Verification, name, lambda self: None)
    monkeypatch.setattr(Comparison, "_compare_in_one_state", lambda self, samples: None)
    subject = prepared(LOWERED[0])
    [*_, guard] = [
        spot
        for spot in subject.lowered.spots
        if spot.function.name == "lose" and isinstance(spot.node, form.If)
    ]
    never = Defect(guard, "one branch alone", guard.node.body)
    end, answer = tried(subject, altered=lambda: changing(never))
    assert end == "wrong HOLDS", answer
    monkeypatch.undo()
    assert tried(subject, altered=lambda: changing(never))[0] == "found"

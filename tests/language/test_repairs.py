"""What is refused, since the language lacks it, is accepted once it is repaired as it says."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.checker.diagnosis import reasons
from tidegate import TidegateError
from tidegate.language import forms, table
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

from .repairs import OF_FORMS, OF_FUNCTIONS, OF_VALUES
from .test_page import EXAMPLES, model_with, refusal

EVERY = {**forms.REPAIRS, **table.REPAIRS, "": table.ELSEWHERE}

STATES = [
    {"x": x, "role": x % 2, "leader": x % 4 - 1, "term": x % 3, "q": q}
    for x, q in enumerate([(), (1,), (2, 1), (1, 2, 3), (3,), (0, 1), (5, 3), (1, 1, 1)])
]


@pytest.fixture(
    params=[*OF_FORMS, *OF_FUNCTIONS, *OF_VALUES], ids=lambda one: one.what or "any other"
)
def repair(request):
    return request.param


@pytest.fixture
def files(tmp_path, repair):
    """Write the model with the refused rule, and the one with the repaired one."""
    made = []
    for way in ("refused", "repaired"):
        folder = tmp_path / way
        folder.mkdir()
        file = model_with(folder, getattr(repair, way))
        above = f"{repair.above}\n\n\n{getattr(repair, f'{way}_above')}\n\n\nmodel ="
        file.write_text(file.read_text("utf-8").replace("\nmodel =", f"\n{above}", 1), "utf-8")
        made.append(file)
    return made


def outcomes(file: Path, beside: tuple[str, ...]) -> list[object]:
    """Return what Python makes of some states by the action of a model, without any search.

    It is None where the state itself refuses the step.
    """
    protocol = find_protocol(str(file))
    system = protocol.system(protocol.within([]))
    [act] = (action.apply for action in protocol.actions)
    compared = [n for n, one in enumerate(system.layout.variables) if one.path not in beside]
    begin, s, made = next(iter(system.initial_states())), system.record, []
    entry = vars(sys.modules[system.layout.declaration.__module__])["Entry"]
    for state in STATES:
        system.layout.load(begin)
        s.x, s.role, s.leader, s.q[:] = state["x"], state["role"], state["leader"], state["q"]
        s.entry.term = state["term"]
        s.log[:] = [entry(term=state["term"])] * (state["x"] % 3)
        try:
            enabled = act(s, system.constants)
        except TidegateError:
            made.append(None)
            continue
        values = system.layout.values()
        made.append((enabled, [values[n] for n in compared]))
    return made


def test_the_refusal_says_what_to_write(files, repair):
    error = refusal(files[0])
    assert error is not None
    said = [error.args[0], *error.details]
    end = f"{forms.NOT_IN_IT}; {EVERY[repair.what]}" if repair.what in EVERY else repair.what
    assert [one for one in said if repair.what in one and one.endswith(end)], said


def test_the_repaired_rule_is_accepted(files):
    assert refusal(files[1]) is None


def test_the_repaired_rule_means_what_the_refused_one_means(files, repair):
    before, after = (outcomes(file, repair.beside) for file in files)
    assert None not in after
    same = [now == then for then, now in zip(before, after, strict=True) if then is not None]
    assert len(same) > 1
    assert all(same) is not repair.is_trap
    assert len({str(one) for one in after}) > 1


def test_machine_code_has_all_repaired_rules(files, repair):
    system = system_for(find_protocol(str(files[1])), [], [])
    assert reasons(system, []) == ()


def test_no_repair_is_left_out():
    assert {one.what for one in (*OF_FORMS, *OF_FUNCTIONS)} == EVERY.keys()


def test_no_form_is_left_out():
    """The refused rules have each kind of node that lies outside of the language."""
    refused = [f"{one.refused_above}\n{one.refused}" for one in OF_FORMS]
    nodes = {type(node) for rule in refused for node in ast.walk(ast.parse(wrapped(rule)))}
    assert set(forms.NODES) <= nodes


@pytest.mark.parametrize("code", [code for code, accepted in EXAMPLES.items() if not accepted])
def test_no_refusal_of_the_page_is_left_out(tmp_path, code):
    error = refusal(model_with(tmp_path, code))
    assert error is not None
    repaired = [f"{forms.NOT_IN_IT}; {text}" for text in EVERY.values()]
    repaired += [one.what for one in OF_VALUES if code in one.refused]
    assert error.args[0].endswith(tuple(repaired))


def wrapped(rule: str) -> str:
    """Return a function that has some lines."""
    lines = "\n".join(f"    {line}" for line in rule.splitlines())
    return f"def act(s, k):\n{lines}\n"

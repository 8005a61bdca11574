"""Every stored mutant still changes the present sources, and its test is there."""

import ast

import pytest

from tests.mutants.run import ROOT, Laboratory, copied, stored

MUTANTS = stored()


def functions(text):
    """Return the texts of the functions of a file, by their names."""
    lines = text.splitlines(keepends=True)
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(
                "".join(lines[node.lineno - 1 : node.end_lineno])
            )
    return found


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_changes_one_place_of_its_function(mutant):
    text = (ROOT / mutant.file).read_text()
    assert text.count(mutant.before) == 1, "change the text before, or replace the mutant"
    assert mutant.before != mutant.after
    if mutant.function:
        assert any(mutant.before in body for body in functions(text).get(mutant.function, ()))
    ast.parse(text.replace(mutant.before, mutant.after))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_test_that_kills_a_mutant_is_there(mutant):
    file, _, test = mutant.killed_by.partition("::")
    text = (ROOT / file).read_text()
    assert test.partition("[")[0] in ["", *functions(text)]


def test_mutants_have_different_names_and_differ():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert len({(mutant.file, mutant.before, mutant.after) for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.slow
def test_every_mutant_dies():
    with copied() as copy:
        laboratory = Laboratory(copy)
        assert [one.name for one in MUTANTS if laboratory.fate(one) != "killed"] == []

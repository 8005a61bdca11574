"""A mistake in a custom file is one line that begins with the file and the line."""

import pytest
from click.testing import CliRunner

from tidegate.cli import main

OWN = '''"""A custom protocol."""

from dataclasses import replace

from tidegate.model import KIP_320


def serve(s, k, leader, epoch):
    BODY


OWN = replace(KIP_320, name="own", rules=replace(KIP_320.rules, may_serve_fetch=serve))
'''


def error_of(shell, text, *changed):
    """Return what ``check`` prints for a file, in one line, and its exit status."""
    for before, after in changed:
        assert before in text
        text = text.replace(before, after)
    shell.write("my.py", text)
    result = CliRunner().invoke(main, ["check", "my.py"])
    assert len(result.output.splitlines()) == 1, result.output
    return result.output.rstrip("\n"), result.exit_code


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "return s.replica[leader].highwatermark",
            "Replica has no 'highwatermark'; did you mean hw?",
        ),
        ("r = s.replica[leader]\n    return r.epok", "Replica has no 'epok'; did you mean epoch?"),
        ("return s.replicas", "BrokerState has no 'replicas'; did you mean replica?"),
        ("return k.recrds", "Constants has no 'recrds'; did you mean records?"),
        ("return lieder", "nothing defines 'lieder'; did you mean leader?"),
        ("return all(x for x in xs)", "nothing defines 'xs'"),
    ],
)
def test_a_wrong_name_in_a_rule_is_found_at_load(shell, body, said):
    line = 8 + len(body.splitlines())
    text, status = error_of(shell, OWN, ("BODY", body))
    assert text.startswith(f"Error: my.py:{line}: {said}")
    assert status == 2


def test_a_wrong_number_of_arguments_is_found_at_load(shell):
    text, status = error_of(shell, OWN, ("BODY", "return True"), ("leader, epoch", "leader"))
    assert text == (
        "Error: my.py:8: serve(s, k, leader) cannot be the rule may_serve_fetch, which is called "
        "with (s, k, leader, epoch)"
    )
    assert status == 2


def test_a_rule_that_does_not_exist_is_corrected(shell):
    text, _ = error_of(shell, OWN, ("BODY", "return True"), ("may_serve_fetch", "may_serve_fetsch"))
    assert "Rules has no 'may_serve_fetsch'; did you mean may_serve_fetch? (my.py:12)" in text


def test_a_wrong_name_of_what_is_computed_is_found_at_load_too(shell):
    body = "one = sorted(s.replica, key=lambda r: r.hw)[0]\n    return one.highwatermark"
    text, status = error_of(shell, OWN, ("BODY", body))
    assert text == "Error: my.py:10: Replica has no 'highwatermark'; did you mean hw?"
    assert status == 70


def test_names_of_every_kind_that_there_are_load(shell):
    body = (
        "import math\n    top = max(r.hw for r in s.replica)\n"
        "    def inner():\n        return top + math.floor(1)\n"
        "    replica = s.replica[leader]\n    return replica.hw <= inner() + len(__name__)"
    )
    shell.write("my.py", OWN.replace("BODY", body))
    assert CliRunner().invoke(main, ["show", "my.py"]).exit_code == 0

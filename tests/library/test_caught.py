"""An initial state catches the errors that Python's containers have, and no others.

A rule of a model catches none: try is not in its language.
"""

import pytest

import tidegate
from tidegate.core.errors import TidegateError

MODEL = """\
from contextlib import suppress
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    n: int = number(1, 1, 2, "n")

class Note(Record):
    n: int = integer(0, 2, "n")

class State(Record):
    q: Seq[int] = sequence_of(3, 2, "q")
    some: Set = set_of(3, "some")
    notes: RecordSet[Note] = set_of(Note, 2, "notes")
    row: list[int] = array(2, integer(0, 2, "row"))
    missed: bool = boolean("missed")

ERRORS = (KeyError, Exception)
model = Model(Bounds, State, deadlock=False)

def fill(s, v):
    BODY

@model.initial
def begin(s: State, k: Bounds):
    for v in range(3):
        fill(s, v)
    yield

@model.action()
def rest(s: State, k: Bounds) -> bool:
    return False

@model.invariant("No error is caught.")
def right(s: State, k: Bounds) -> bool:
    return not s.missed
"""


def checked(tmp_path, body):
    """Search a model whose initial states are filled so, and return the report."""
    file = tmp_path / "model.py"
    file.write_text(MODEL.replace("BODY", body.replace("\n", "\n    ")), "utf-8")
    return tidegate.check(str(file), engine="interpreted")


CAUGHT = {
    "s.q.remove(v)": "ValueError",
    "s.q.index(v)": "ValueError",
    "s.q.pop()": "IndexError",
    "s.q.popleft()": "IndexError",
    "s.q.pop(v)": "LookupError",
    "s.q[v]": "IndexError",
    "s.row[v]": "IndexError",
    "s.some.remove(v)": "KeyError",
    "s.notes.remove(Note(n=v))": "(KeyError, IndexError)",
    "del {}[v]": "KeyError",
}


@pytest.mark.parametrize("line", CAUGHT)
def test_what_python_catches_is_caught(tmp_path, line):
    report = checked(tmp_path, f"try:\n    {line}\nexcept {CAUGHT[line]}:\n    s.missed = True")
    assert not report.holds


ANOTHER = {
    "s.some.remove(v)": "(IndexError, ValueError)",
    "s.q.remove(v)": "LookupError",
    "s.q.pop()": "(KeyError, ValueError)",
    "s.q.append(v)": "(LookupError, ValueError)",
    "s.q += [v]": "IndexError",
    "s.q.insert(0, v)": "IndexError",
    "s.notes.add(Note(n=v))": "(LookupError, ValueError)",
    "s.some.add(v - 1)": "(LookupError, ValueError)",
}


@pytest.mark.parametrize("line", ANOTHER)
def test_what_python_would_not_catch_is_not_caught(tmp_path, line):
    with pytest.raises(TidegateError, match=r"in fill\(\) \(.*model\.py:24"):
        checked(tmp_path, f"try:\n    {line}\nexcept {ANOTHER[line]}:\n    return False")


@pytest.mark.parametrize(
    "body",
    [
        "try:\n    s.q.append(v)\nexcept Exception:\n    return False",
        "try:\n    s.q.append(v)\nexcept:\n    return False",
        "try:\n    s.q.append(v)\nexcept ERRORS:\n    return False",
        "try:\n    s.q.append(v)\nexcept (KeyError, BaseException):\n    return False",
        "try:\n    s.q.append(v)\nfinally:\n    return True",
        "with suppress(Exception):\n    s.q.append(v)",
        "with suppress(*[Exception]):\n    s.q.append(v)",
        "with suppress(*ERRORS):\n    s.q.append(v)",
        "for i in range(2):\n    try:\n        s.q.append(v)\n    finally:\n        break",
        "for i in range(2):\n    try:\n        s.q.append(v)\n    finally:\n        continue",
        "def add():\n    try:\n        s.q.append(v)\n    except Exception:\n        pass\nadd()",
    ],
)
def test_a_handler_that_catches_everything_is_refused(tmp_path, body):
    with pytest.raises(TidegateError, match="catches every error"):
        checked(tmp_path, body)


@pytest.mark.parametrize(
    "body",
    [
        "if v in s.some:\n    return False\ntry:\n    s.some.add(v)\nexcept Exception:\n    raise",
        "with suppress(KeyError):\n    s.some.remove(v)",
        "try:\n    s.some.remove(v)\nexcept KeyError:\n    pass\nfinally:\n    s.row[0] = 0",
    ],
)
def test_a_handler_that_raises_again_or_names_errors_is_not(tmp_path, body):
    assert checked(tmp_path, body).holds

"""What docstrings refer to is there: modules, and what they define."""

import re
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, files

REFERENCE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`~?([\w.]+)`")


def home_of(file, reference):
    """Return the module that a reference in a file begins with, else the file; and the names."""
    parts = reference.removeprefix("tidegate.").lstrip(".").split(".")
    for end in range(len(parts), 0, -1):
        for folder in Path(file).parents:
            path = folder.joinpath(*parts[:end])
            for module in (path.with_suffix(".py").as_posix(), (path / "__init__.py").as_posix()):
                if module in files():
                    return module, parts[end:]
    return file, parts


def defines(file, name):
    """Whether a module defines a name, or imports it."""
    return re.search(
        rf"^ *(?:class|def) {name}\b|^ *(?:self\.)?{name}\b[^=\n]*[:=]|import .*\b{name}\b"
        rf"|^    {name},$",
        (ROOT / file).read_text("utf-8"),
        re.MULTILINE,
    )


def wrong_in(file, text):
    """Return the references that lead nowhere, Python's own left out."""
    for reference in REFERENCE.findall(text):
        home, names = home_of(file, reference)
        if reference.partition(".")[0] not in sys.stdlib_module_names:
            yield from (f"{file}: {reference}" for name in names if not defines(home, name))


def test_what_docstrings_refer_to_is_there():
    python = [file for file in files() if file.endswith(".py") and file not in __file__]
    wrong = [one for file in python for one in wrong_in(file, (ROOT / file).read_text("utf-8"))]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        (":func:`seen.mix`, :func:`judgment`, :class:`~tidegate.core.spec.Trace`", True),
        (":meth:`tidegate.core.spec.TransitionSystem.judge`, :mod:`..counterexample`", True),
        (":func:`kernel.examines`", False),
        (":func:`judge`", False),
        (":class:`tidegate.core.spec.Trance`", False),
        (":mod:`tidegate.core.successor`", False),
    ],
)
def test_a_reference_that_leads_nowhere_is_noticed(text, leads):
    assert (list(wrong_in("checker/compiled/sampling.py", text)) == []) is leads

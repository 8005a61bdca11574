"""What is known while a model is translated: its source is what runs, its values do not change."""

import pytest

from tidegate.checker.compiled.generate import Generator
from tidegate.core.fields import Record, integer
from tidegate.language.lowering.frame import LoweringError


class Line(Record):
    at: int = integer(0, 1000, "place")


def at_nothing(s, k):
    yield


class Source:
    """A file with a protocol in it, imported as a user's is."""

    def __init__(self, file, text):
        self.file = file
        self.space = self.imported(text)

    def imported(self, text):
        self.file.write_text(text)
        space = {"__name__": self.file.stem, "__file__": str(self.file)}
        exec(compile(text, str(self.file), "exec"), space)
        return space

    def change(self, statements):
        exec(statements, self.space)


RIGHT = """

def right(s, k):
    if s.at == {expression}:
        return False
    s.at += 1
    return True
"""


@pytest.fixture
def source(tmp_path):
    """Write and import a protocol whose only action ends at an expression."""
    return lambda setup, expression="0": Source(
        tmp_path / "own.py", f"{setup}\n{RIGHT.format(expression=expression)}"
    )


@pytest.fixture
def toy(make_toy, make_action):
    """Make the system of such a protocol."""

    def make(space, arguments=((),)):
        actions = [make_action("right", space["right"], lambda k: arguments)]
        return make_toy(Line, space.get("K"), actions, at_nothing)

    return make


def translated(system):
    """Return the text of a model's translation, without the search that calls it."""
    return Generator(system, [], True, None).module(())[0]


def test_what_python_does_not_run_is_not_translated(source, toy):
    own = source("LIMIT = 3", "LIMIT")
    text = own.file.read_text()
    for changed in (text.replace("== LIMIT", "== LIMIT + 1"), "", f"\n{text}", text[:-20]):
        space = own.imported(text)
        own.file.write_text(changed)
        with pytest.raises(LoweringError, match=r"not what Python runs|source is not at hand"):
            translated(toy(space))
    own.file.write_text(text)
    assert "add i64" in translated(toy(space))


def test_a_value_that_changes_by_itself_is_not_translated(source, toy):
    own = source(
        "COUNT = []\nclass Limit:\n    @property\n    def limit(self):\n"
        "        COUNT.append(0)\n        return len(COUNT)\nK = Limit()",
        "k.limit",
    )
    with pytest.raises(LoweringError, match="outlives the step"):
        translated(toy(own.space))


OWN_NUMBERS = {
    "arithmetic": "class Own(int):\n    def __add__(self, other):\n        return 0",
    "reflected arithmetic": "class Own(int):\n    def __rsub__(self, other):\n        return 0",
    "a comparison": "class Own(int):\n    def __eq__(self, other):\n        return True",
    "an index": "class Own(int):\n    def __index__(self):\n        return 0",
    "a base's": "class Base(int):\n    def __lt__(self, other):\n        return True\n"
    "class Own(Base):\n    pass",
    "a method that shows it": "class Own(int):\n    def __repr__(self):\n        return 'own'",
    "an enumeration's": "import enum\nclass Own(enum.IntEnum):\n    A = 3\n"
    "    def __and__(self, other):\n        return 0",
    "flags that drop bits": "import enum\nclass Own(enum.IntFlag, boundary=enum.CONFORM):\n"
    "    A = 3",
}


@pytest.mark.parametrize("which", OWN_NUMBERS)
def test_a_class_that_overrides_arithmetic_is_no_number(source, toy, which):
    own = source(f"{OWN_NUMBERS[which]}\nK = Own(3)", "k + s.at")
    with pytest.raises(LoweringError, match=r"overrides arithmetic|no such operator"):
        translated(toy(own.space))


def test_a_number_of_a_class_that_leaves_arithmetic_alone_is_one(source, toy):
    for setup in (
        "import enum\nclass Own(enum.IntEnum):\n    A = 3\n    def far(self):\n        return 1",
        "import enum\nclass Own(enum.IntFlag):\n    A = 3",
    ):
        assert "add i64" in translated(toy(source(f"{setup}\nK = Own(3)", "k + s.at").space))

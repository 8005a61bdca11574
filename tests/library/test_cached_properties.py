"""What a ``cached_property`` of an object keeps is no change of that object; anything else is."""

import random

import pytest

import tidegate
from tidegate import TidegateError

HEAD = """\
from dataclasses import dataclass
from functools import cached_property

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "the most", main=True)


class State(Record):
    x: int = integer(0, 3, "a number")


"""

CLASSES = {
    "plain": """class Ring:
    def __init__(self, size):
        self.size = size

    {getter}
""",
    "frozen": "@dataclass(frozen=True)\nclass Ring:\n    size: int\n\n    {getter}\n",
    "inherited": """class Base:
    {getter}


class Ring(Base):
    def __init__(self, size):
        self.size = size
""",
}

VALUES = {
    "tuple(range(self.size))": "ring.table[s.x]",
    "frozenset(range(self.size))": "max(ring.table)",
    "{n: n + 1 for n in range(self.size)}": "ring.table[s.x]",
    "[n * n for n in range(self.size)]": "ring.table[s.x]",
    "self.size * 2": "ring.table",
    "sum(self.others) + self.size": "ring.table",
}

NAMES = {
    "module": "ring = RING\n\n\ndef look(s):\n    return {used}\n",
    "closure": "def looking(ring):\n    return lambda s: {used}\n\n\nlook = looking(RING)\n",
    "default": "def look(s, ring=RING):\n    return {used}\n",
}

TAIL = """

model = Model(Bounds, State)


@model.action("somebody")
def step(s: State, k: Bounds) -> bool:
    if s.x == k.most or look(s) < 0:
        return False
    {change}
    s.x += 1
    return True
"""


def source(kind, value, name, early, change):
    """Return a model with an object whose property is used, before the search too if `early`."""
    getter = f"@cached_property\n    def table(self):\n        return {value}"
    others = "\n\n    @cached_property\n    def others(self):\n        return (1, 2)"
    text = CLASSES[kind].format(getter=getter + others)
    first = "RING.table\n" if early else ""
    looking = NAMES[name].format(used=VALUES[value])
    return f"{HEAD}{text}\n\nRING = Ring(4)\n{first}\n\n{looking}{TAIL.format(change=change)}"


def drawn(seed):
    draw = random.Random(seed)
    return [
        (draw.choice(list(CLASSES)), value, draw.choice(list(NAMES)), draw.random() < 0.4)
        for value in VALUES
    ]


@pytest.mark.parametrize("seed", range(3))
def test_a_model_may_use_them(tmp_path, seed):
    for number, drawing in enumerate(drawn(seed)):
        file = tmp_path / f"own{number}.py"
        file.write_text(source(*drawing, "pass"))
        assert tidegate.check(str(file), properties=["TypeOk"]).distinct_states == 4, drawing


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "change",
    [
        'object.__setattr__(RING, "table", 77)',
        'object.__setattr__(RING, "size", 7)',
        'object.__setattr__(RING, "more", 1)',
    ],
)
def test_another_value_in_their_place_is_refused(tmp_path, seed, change):
    for number, (kind, value, name, early) in enumerate(drawn(seed)):
        if "table" in change and VALUES[value] != "ring.table":
            # A number in place of a table fails before the change is looked for.
            continue
        file = tmp_path / f"own{number}.py"
        file.write_text(source(kind, value, name, early, change))
        with pytest.raises(TidegateError) as caught:
            tidegate.check(str(file), properties=["TypeOk"], engine="interpreted")
        assert "ring" in str(caught.value).lower() or "a default of look" in str(caught.value)
        assert caught.value.place is not None

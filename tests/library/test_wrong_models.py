"""A model that is wrong gets one clear line with file and line, and is never searched silently."""

import pytest

import tidegate
from tidegate.core.errors import TidegateError

HEAD = """\
import random
from dataclasses import dataclass
from tidegate import *
@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 9, "n")
class State(Record):
    x: int = integer(0, 3, "x")
    seen: Set = set_of(lambda k: k.n, "seen")
    queue: Seq = sequence_of(integer(0, 3, "e"), 2, "queue")
model = Model(Bounds, State, participants={"node": lambda k: k.n}, deadlock=False)
"""

GO = '@model.action("node")\ndef go(s, k, node):\n'

WRONG = {
    "writes before a guard": (
        GO + "    s.x += 1\n    if s.x > 2:\n        return False\n    return True",
        "answered 'not enabled' after writing x",
        14,
    ),
    "out of range": (GO + "    s.x += 1\n    return True", "x is 4, declared 0..3", 14),
    "chance": (
        GO + "    s.x = random.randint(0, 3)\n    return True",
        "did something else when it was taken again",
        12,
    ),
    "no answer": (GO + "    s.x = 1", "returned None; it must return True or False", 12),
    "a float": (GO + "    s.x = 1.5\n    return True", "x is 1.5 (float)", 14),
    "no such variable": (GO + "    s.y = 1\n    return True", "has no 'y'", 14),
    "a set replaced": (
        GO + "    s.seen = {1}\n    return True",
        "seen is another object than the declared one",
        14,
    ),
    "beyond a set": (
        GO + "    s.seen.add(node + 1)\n    return True", "seen.mask is 8, declared 0..7", 14
    ),
    "below a set": (GO + "    s.seen.add(node - 1)\n    return True", "negative shift", 14),
    "a full sequence": (GO + "    s.queue.append(1)\n    return True", "index out of range", 14),
    "an empty sequence": (GO + "    s.queue.pop()\n    return True", "index out of range", 14),
    "records compared": (GO + "    return s == s", "records of the state are not compared", 14),
    "a predicate that writes": (
        GO + "    return False\n@model.invariant('fine')\ndef fine(s, k):\n    s.seen.add(0)\n"
        "    return True",
        "the predicate of property Fine wrote seen.mask",
        15,
    ),
    "no values": (
        GO.replace("node)", "item)") + "    return False",
        "its parameter item has no values",
        12,
    ),
    "no such kind": (
        GO.replace('"node"', '"node", node="nodes"') + "    return False",
        "its parameter node has no values",
        12,
    ),
    "no such parameter": (
        GO.replace('"node"', '"node", item=lambda k: range(2)') + "    return False",
        "has no parameter item; it has node",
        12,
    ),
    "an action twice": (
        GO + "    return False\n" + GO + "    return False", "an action go already", 15
    ),
    "a property twice": (
        GO + "    return False\n" + "@model.invariant('x')\ndef fine(s, k):\n    return True\n" * 2,
        "a property Fine already",
        18,
    ),
    "a property of every model": (
        GO + "    return False\n@model.invariant('x')\ndef deadlock(s, k):\n    return True\n",
        "its property Deadlock has the name of another one",
        None,
    ),
    "no yield": (
        "@model.initial\ndef begin(s, k):\n    s.x = 1\n" + GO + "    return False",
        "begin does not yield",
        12,
    ),
    "an invariant without parentheses": (
        GO + "    return False\n@model.invariant\ndef never(s, k):\n    return False",
        "never: write @model.invariant('What must hold.') above it",
        15,
    ),
    "an action without parentheses": (
        GO + "    return False\n@model.action\ndef other(s, k):\n    return False",
        "other: write @model.action('who') above it",
        15,
    ),
    "initial states twice": (
        "@model.initial\ndef one(s, k):\n    yield\n" * 2 + GO + "    return False",
        "there are initial states already",
        15,
    ),
    "a global that changes": (
        "crashes = 0\n" + GO + "    global crashes\n    crashes += 1\n    return False",
        "crashes changed while the model was searched",
        13,
    ),
    "a list of the module that changes": (
        "seen = []\n" + GO + "    if s.x == 3 or seen:\n        return False\n    s.x += 1\n"
        "    return True\n@model.invariant('x')\ndef fine(s, k):\n    if s.x == 3:\n"
        "        seen.append(3)\n    return True",
        "seen changed while the model was searched",
        13,
    ),
    "a predicate by chance": (
        GO + "    if s.x == 3:\n        return False\n    s.x += 1\n    return True\n"
        "@model.invariant('x')\ndef fine(s, k):\n    return random.random() < 0.5",
        "the predicate of property Fine answered something else",
        18,
    ),
    "nothing to check": (
        GO + "    return False", "has no property that is checked by default", None
    ),
    "an unknown kind of participant": (
        "class Other(Record):\n    x: list = array(2, integer(0, 1, 'x'), by='noed')\n"
        "model = Model(Bounds, Other, participants={'node': lambda k: 2})",
        "there is no kind of participant 'noed'; did you mean node",
        None,
    ),
    "a default out of its range": (
        "@dataclass(frozen=True)\nclass Other:\n    n: int = number(30, 1, 6, 'n')",
        "the default 30 of 'n' is not within 1..6",
        14,
    ),
    "no action": ("", "declares no action", None),
    "an attribute that declares nothing": (
        "class Other(Record):\n    x: int = 3\nmodel = Model(Bounds, Other)",
        "Other.x is 3, which declares no variable",
        None,
    ),
    "a name without a value": (
        "class Other(Record):\n    x: int\nmodel = Model(Bounds, Other)",
        "Other.x has no value, which declares no variable",
        None,
    ),
    "bounds that are no dataclass": (
        "class Loose:\n    n = 3\nmodel = Model(Loose, State)", "is no frozen dataclass", None,
    ),
    "a state that is no record": (
        "model = Model(Bounds, dict)", "derive the state's class from Record", None,
    ),
    "a set that is too large": (
        "class Large(Record):\n    seen: Set = set_of(70, 'seen')\nmodel = Model(Bounds, Large)\n"
        + GO.replace('"node"', '"node", node=lambda k: range(2)') + "    return False",
        "a set of 70 numbers; it can be of 63 at most",
        None,
    ),
}  # fmt: skip


PROPERTIES = {
    what: [] for what in WRONG if "predicate" in what or "list" in what or "nothing" in what
}
"""What is checked; the rest has no property of its own."""


def test_a_constraint_that_nothing_satisfies_is_refused(tmp_path):
    file = tmp_path / "wrong.py"
    head = HEAD.replace("deadlock=False)", "constraint=lambda s, k: False)")
    file.write_text(head + GO + "    return False\n", "utf-8")
    with pytest.raises(TidegateError, match="satisfies its constraint; nothing is searched"):
        tidegate.check(str(file))


def test_helpers_of_one_name_in_two_folders_are_two(tmp_path):
    for folder, limit in (("a", 2), ("b", 3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "helpers.py").write_text(f"LIMIT = {limit}\n", "utf-8")
        (tmp_path / folder / "mine.py").write_text(
            HEAD + "from helpers import LIMIT\n" + GO + "    if s.x == 3:\n        return False\n"
            "    s.x += 1\n    return True\n@model.invariant('x')\ndef small(s, k):\n"
            "    return s.x <= LIMIT\n",
            "utf-8",
        )
    for folder, holds in (("b", True), ("a", False)):
        assert tidegate.check(str(tmp_path / folder / "mine.py")).holds is holds


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("engine", ["auto", "compiled"])
def test_it_gets_one_clear_line(what, engine, tmp_path):
    body, says, line = WRONG[what]
    file = tmp_path / "wrong.py"
    file.write_text(HEAD + body + "\n", "utf-8")
    with pytest.raises(TidegateError) as caught:
        tidegate.check(str(file), properties=PROPERTIES.get(what, ["TypeOk"]), engine=engine)
    if engine == "auto":
        assert says in str(caught.value)
        assert caught.value.place == (line and (str(file), line))
        assert "\n" not in str(caught.value)

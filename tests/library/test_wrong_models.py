"""A model that is wrong gets one clear line with file and line, and is never searched silently."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.commands.status import EXIT_INTERNAL, EXIT_USAGE
from tidegate.core.errors import TidegateError

HEAD = """\
import random; from dataclasses import dataclass
from tidegate import *
@dataclass(frozen=True)
class Bounds: n: int = number(3, 1, 9, "n")
class Entry(Record): term: int = integer(0, 3, "term"); value: int = integer(0, 3, "value")
class State(Record):
    x: int = integer(0, 3, "x")
    seen: Set = set_of(lambda k: k.n, "seen")
    queue: Seq = sequence_of(integer(0, 3, "e"), 2, "queue")
    log: Seq[Entry] = sequence_of(Entry, 2, "log")
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
        "random.randint is random; what a model does may depend on the state",
        14,
    ),
    "no answer": (GO + "    s.x = 1", "returned None; it must return True or False", 12),
    "a float": (
        GO + "    s.x = 1.5\n    return True", "a fraction, is not in the language of models", 14
    ),
    "an initial state with a float": (
        "@model.initial\ndef begin(s, k):\n    s.x = 1.5\n    yield\n" + GO + "    return False",
        "begin wrote a value out of range: x is 1.5 (float)",
        14,
    ),
    "no such variable": (GO + "    s.y = 1\n    return True", "has no 'y'", 14),
    "a set assigned that does not fit": (
        GO + "    s.seen = {node + 1}\n    return True",
        "wrote a value out of range: seen has",
        14,
    ),
    "a number assigned to a set": (
        GO + "    s.seen = 1\n    return True",
        "s.seen is a set, and gets a number",
        14,
    ),
    "beyond a set": (
        GO + "    s.seen.add(node + 1)\n    return True",
        "seen has 3, declared for the numbers below 3",
        14,
    ),
    "below a set": (
        GO + "    s.seen.add(node - 1)\n    return True", "s.seen.add(-1): a set has numbers", 14
    ),
    "too many elements, of an action with choices by the state": (
        '@model.action("node", v=lambda s, k: s.seen)\ndef go(s, k, node, v):\n'
        "    s.queue.append(v)\n    s.queue.append(1)\n    return True\n"
        + GO.replace("go", "see") + "    s.seen.add(node)\n    return True",
        "the sequence holds",
        14,
    ),
    "a full sequence": (
        GO + "    s.queue.append(1)\n    return True", "the sequence holds", 14
    ),
    "an empty sequence": (
        GO + "    s.queue.pop()\n    return True", "the sequence is empty", 14
    ),
    "records of two declarations compared": (
        GO + "    return s == s.seen",
        "s == s.seen compares a part of the state with a part of the state",
        14,
    ),
    "too long a sequence assigned": (
        GO + "    s.queue = [0] * 9\n    return True",
        "what does not fit: queue is [0, 0, 0, 0, 0, 0, 0, 0, 0]: the sequence holds 2 at most",
        14,
    ),
    "a slice with a step": (
        GO + "    s.queue[::2] = []\n    return True",
        "a slice with a step is not in the language of models",
        14,
    ),
    "an initial state by a slice with a step": (
        "@model.initial\ndef begin(s, k):\n    s.queue[::2] = []\n    yield\n"
        + GO + "    return False",
        "a slice that is written to has no step",
        14,
    ),
    "too long a slice": (
        GO + "    s.queue[:] = [0, 1, 2, 3, 4, 5]\n    return True", "6 do not fit", 14
    ),
    "an element removed that there is not": (
        GO + "    del s.queue[0]\n    return True", "index out of range", 14
    ),
    "a record with another variable": (
        GO + "    s.log.append(Entry(term=1, kind=2))\n    return True",
        "Entry(term=1, kind=2): write Entry(term=..., value=...)",
        14,
    ),
    "a remembered record that is written": (
        "from functools import cache\n@cache\ndef blank(): return Entry()\n"
        + GO + "    e = blank()\n    e.term = (e.term + 1) % 4\n    s.x = e.term\n    return True",
        "blank(), a function with a cache, is not in the language of models; leave out the cache",
        17,
    ),
    "a record without names": (
        GO + "    s.log.append(Entry(1, 2))\n    return True",
        "Entry(1, 2): write Entry(term=..., value=...)",
        14,
    ),
    "a variable of an element without a declaration": (
        "class Part(Record):\n    x: int\nclass Other(Record):\n"
        "    log: Seq[Part] = sequence_of(Part, 2, 'log')\nmodel = Model(Bounds, Other)",
        "Part.x has no value, which declares no variable",
        13,
    ),
    "survivors without reasons": (
        "model = Model(Bounds, State, survivors='none')", "write a dictionary, mutant: reason", 12,
    ),
    "a record in place of another": (
        GO + "    s.log.append(s.seen)\n    return True",
        "s.log.append(s.seen) puts a part of the state among records; make a record: Entry(...)",
        14,
    ),
    "a number in place of a record": (
        GO + "    s.log.append(3)\n    return True", "puts a number among records", 14
    ),
    "a record out of range": (
        GO + "    s.log.append(Entry(term=1, value=4))\n    return True",
        "log[0].value is 4, declared 0..3",
        14,
    ),
    "a predicate that writes": (
        GO + "    return False\n@model.invariant('fine')\ndef fine(s, k):\n    s.seen.add(0)\n"
        "    return True",
        "the predicate of property Fine wrote seen; it may only read the state",
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
        "a property fine already",
        18,
    ),
    "an initial state that is returned": (
        "@model.initial\ndef begin(s, k):\n    return True\n" + GO + "    return False",
        "begin returns True; write an initial state into s, and yield where there are several",
        12,
    ),
    "a record with other parts": (
        "import dataclasses\n" + GO + "    s.x = dataclasses.replace(s, x=2).x\n    return True",
        "records are not dataclasses: write new = copy.copy(old), and assign what differs",
        15,
    ),
    "two kinds that act": (
        "@model.action('node', 'client')\ndef go(s, k, node):\n    return False",
        "@model.action: 'client' after 'node'; one kind acts",
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
    "an initial state that is not a number": (
        "class Three:\n    def __index__(self):\n        return 3\n"
        "    __le__ = __ge__ = lambda self, other: True\n"
        "@model.initial\ndef begin(s, k):\n    s.x = Three()\n    yield\n" + GO
        + "    return False",
        "begin wrote a value out of range: x is",
        18,
    ),
    "a constraint of one parameter": (
        "model = Model(Bounds, State, constraint=lambda s: True)",
        "the constraint takes (s), and is called with (s, k)",
        12,
    ),
    "a constraint that is text": (
        "model = Model(Bounds, State, constraint='x < 3')", "it must be a function of (s, k)", 12,
    ),
    "participants without the bounds": (
        "model = Model(Bounds, State, participants={'node': lambda: 3})",
        "the participant node takes (), and is called with (k)",
        12,
    ),
    "initial states of one parameter": (
        "@model.initial\ndef begin(s):\n    yield\n" + GO + "    return False",
        "begin takes (s), and is called with (s, k)",
        12,
    ),
    "an invariant of one parameter": (
        GO + "    return False\n@model.invariant('x')\ndef fine(s):\n    return True",
        "invariant Fine takes (s), and is called with (s, k)",
        15,
    ),
    "an invariant that yields": (
        GO + "    return False\n@model.invariant('x')\ndef fine(s, k):\n    yield True",
        "an invariant yields; it must return True or False",
        15,
    ),
    "an action of one parameter": (
        "@model.action('node')\ndef go(s):\n    return False",
        "action Go takes (s), and is called with (s, k)",
        12,
    ),
    "an action that forgets the state": (
        "@model.action('node')\ndef go(k: Bounds) -> bool:\n    return False",
        "action Go takes (k: Bounds) -> bool, and is called with (s, k)",
        12,
    ),
    "an action that forgets the bounds": (
        "model = Model(Bounds, State, participants={'node': lambda k: k.n})\n"
        "@model.action('node')\ndef go(s, node):\n    s.x = 1\n    return True",
        "action Go takes (s, node), and is called with (s, k, node); write it so",
        13,
    ),
    "an action that forgets the bounds before a choice": (
        "@model.action('node', item=lambda k: range(2), to=lambda k: range(2))\n"
        "def go(s, item, to):\n    s.x = 1\n    return True",
        "action Go takes (s, item, to), and is called with (s, k, item, to); write it so",
        12,
    ),
    "an action that forgets the state and the bounds": (
        "@model.action('node', item=lambda k: range(2))\n"
        "def go(item):\n    return True",
        "action Go takes (item), and is called with (s, k, item); write it so",
        12,
    ),
    "an action that begins with its choice": (
        "@model.action('node', item=lambda k: range(2))\n"
        "def go(item, s, k):\n    return True",
        "action Go takes (item, s, k), and is called with (s, k, item); write it so",
        12,
    ),
    "an action that exchanges the state and the bounds": (
        "@model.action('node')\ndef go(k, s):\n    return True",
        "action Go takes (k, s), and is called with (s, k); write it so",
        12,
    ),
    "an invariant of a participant": (
        "model = Model(Bounds, State, participants={'node': lambda k: k.n})\n"
        + GO + "    return False\n@model.invariant('x')\ndef fine(s, node):\n    return True",
        "invariant Fine takes (s, node), and is called with (s, k); write it so",
        16,
    ),
    "liveness that forgets the bounds": (
        GO + "    return False\n@model.liveness(Kind.EVENTUALLY, 'x', item=lambda k: range(2))\n"
        "def served(s, item):\n    return True",
        "property Served takes (s, item), and is called with (s, k, item); write it so",
        15,
    ),
    "a premise that forgets the bounds": (
        GO + "    return False\n@model.liveness(Kind.LEADS_TO, 'x', item=lambda k: range(2),\n"
        "    premise=lambda s, item: s.x == item)\n"
        "def served(s, k, item):\n    return True",
        "premise of Served takes (s, item), and is called with (s, k, item); write it so",
        16,
    ),
    "initial states by a participant": (
        "model = Model(Bounds, State, participants={'node': lambda k: k.n})\n"
        "@model.initial\ndef begin(s, node):\n    yield\n" + GO + "    return False",
        "begin takes (s, node), and is called with (s, k); write it so",
        13,
    ),
    "a constraint of a participant": (
        "model = Model(Bounds, State, participants={'node': lambda k: k.n},\n"
        "    constraint=lambda s, node: s.x < node)",
        "the constraint takes (s, node), and is called with (s, k); write it so",
        13,
    ),
    "choices that forget the bounds": (
        "@model.action('node', item=lambda k: range(2), to=lambda item: [item])\n"
        "def go(s, k, item, to):\n    return True",
        "to of action Go takes (item). A function of the bounds takes k",
        12,
    ),
    "choices by the state that forget the bounds": (
        "@model.action('node', item=lambda k: range(2), to=lambda s, item: s.seen)\n"
        "def go(s, k, item, to):\n    return True",
        "to of action Go takes (s, item). A function of the bounds takes k",
        12,
    ),
    "choices by the state alone": (
        "@model.action('node', item=lambda s: s.seen)\ndef go(s, k, item):\n    return True",
        "item of action Go takes (s). A function of the bounds takes k",
        12,
    ),
    "a number of participants that is a class": (
        "class Few: pass\nmodel = Model(Bounds, State, participants={'node': Few()})",
        "participant node is <Few object at",
        13,
    ),
    "an action with a keyword": (
        "@model.action('node')\ndef go(s, k, *, node):\n    return False",
        "action Go takes (s, k, *, node), and is called with (s, k, node)",
        12,
    ),
    "an asynchronous action": (
        "@model.action()\nasync def go(s, k):\n    return False", "an action is asynchronous", 12,
    ),
    "an action that is no function": (
        "class Go:\n    def __call__(self, s, k):\n        return False\nmodel.action()(Go())",
        "write it by def",
        15,
    ),
    "choices that are a dictionary": (
        GO.replace('"node"', '"node", node={0: 1}') + "    return False",
        "node of action Go is {0: 1}; write its values, node=range(3), or a function of the bounds",
        12,
    ),
    "choices that are an empty list": (
        GO.replace('"node"', '"node", node=[]') + "    return False",
        "node of action Go has no values within any bounds; write some: range(1, 4) are",
        12,
    ),
    "choices of an empty range": (
        GO.replace('"node"', '"node", node=lambda k: range(4, 1)') + "    return False",
        "node of action Go has no values within any bounds; write some: range(1, 4) are",
        12,
    ),
    "choices of an empty constant": (
        "PAIRS = []\n" + GO.replace('"node"', '"node", node=lambda k: range(len(PAIRS))')
        + "    return False",
        "node of action Go has no values within any bounds",
        13,
    ),
    "too many tuples": (
        GO.replace('"node"', '"node", node=[(0, 1)] * 100_001') + "    return False",
        "node of action Go has more than 100,000 values",
        12,
    ),
    "choices that are a number": (
        GO.replace('"node"', '"node", node=3') + "    return False",
        "node of action Go is 3; write its values, node=range(3), or a function of the bounds",
        12,
    ),
    "choices that are an enumeration of texts": (
        "from enum import Enum\nclass Code(Enum): A = 0; B = 1\n"
        + GO.replace('"node"', '"node", node=Code') + "    return False",
        "node of action Go is Code, an Enum; derive it from IntEnum",
        14,
    ),
    "choices of sets": (
        GO.replace('"node"', '"node", crew=lambda k: [frozenset({1})]').replace("node)", "crew)")
        + "    return False",
        "crew of action Go has the value frozenset({1}); it must be a whole number, such as an "
        "index into a constant list: write crew=lambda k: range(len(CREWS)), and CREWS[crew] in",
        12,
    ),
    "choices without end": (
        "from itertools import count\n"
        + GO.replace('"node"', '"node", node=lambda k: count()') + "    return False",
        "node of action Go has more than 100,000 values",
        13,
    ),
    "choices of text": (
        GO.replace('"node"', '"node", node=lambda k: "ab"') + "    return False",
        "node of action Go has the value 'a'; it must be a whole number",
        12,
    ),
    "a limit without the bounds": (
        "class Other(Record):\n    x: int = integer(0, lambda: 3, 'x')\n"
        "model = Model(Bounds, Other)\n@model.action()\ndef go(s, k):\n    return False",
        "a limit of the state is called with the bounds",
        13,
    ),
    "a limit that is no whole number": (
        "class Other(Record):\n    x: int = integer(0, lambda k: k.n / 2, 'x')\n"
        "model = Model(Bounds, Other)\n@model.action()\ndef go(s, k):\n    return False",
        "a limit of the state is 1.5; it must be a whole number",
        13,
    ),
    "an array of less than nothing": (
        "class Other(Record):\n    x: list = array(lambda k: k.n - 9, integer(0, 1, 'x'))\n"
        "model = Model(Bounds, Other)\n@model.action()\ndef go(s, k):\n    return False",
        "x: an array of -6 elements; it can have 0 to 10,000",
        13,
    ),
    "an array that is too long": (
        "class Other(Record):\n    x: list = array(10**9, integer(0, 1, 'x'))\n"
        "model = Model(Bounds, Other)\n@model.action()\ndef go(s, k):\n    return False",
        "x: an array of 1000000000 elements; it can have 0 to 10,000",
        13,
    ),
    "a range that is empty": (
        "class Other(Record):\n    x: int = integer(4, 3, 'x')\n"
        "model = Model(Bounds, Other)\n@model.action()\ndef go(s, k):\n    return False",
        "x: its range 4..3 is empty; the lower limit comes first",
        13,
    ),
    "a variable that shadows": (
        "class Other(State):\n    x: int = integer(0, 9, 'x')\nmodel = Model(Bounds, Other)",
        "Other.x is declared in a base class, too; rename one",
        13,
    ),
    "a cached property of the state": (
        "from functools import cached_property\n"
        "class Other(Record):\n    x: int = integer(0, 9, 'x')\n    @cached_property\n"
        "    def y(self):\n        return self.x\nmodel = Model(Bounds, Other)",
        "Other.y is a cached property",
        16,
    ),
    "a sequence of a class": (
        "class Other(Record):\n    x: Seq = sequence_of(int, 2, 'x')\n",
        "x: a sequence of int; declare one element",
        13,
    ),
    "a bound that declares nothing": (
        "@dataclass(frozen=True)\nclass Other:\n    n: int = 3\nmodel = Model(Other, State)",
        "Other.n declares no bound; write n: int = number(",
        14,
    ),
    "bounds that are an object": (
        "model = Model(Bounds(), State)", "is not a frozen dataclass", 12,
    ),
    "initial states by chance": (
        "@model.initial\ndef begin(s, k):\n    s.x = random.randint(1, 3)\n    yield\n"
        + GO + "    return False",
        "random.randint is random",
        14,
    ),
    "an object of the module that changes": (
        "class Seen:\n    steps = 0\n" + GO + "    if s.x == 3:\n        return False\n"
        "    Seen.steps += 1\n    s.x += 1\n    return True",
        "Seen.steps is assigned, and ",
        18,
    ),
    "a bag of a number below 0": (
        "class Other(Record):\n    bag: Bag = bag_of(3, 1, 'bag')\n"
        "model = Model(Bounds, Other)\n@model.action()\ndef go(s, k):\n"
        "    s.bag.add(NONE)\n    return True",
        "index out of range",
        17,
    ),
    "initial states twice": (
        "@model.initial\ndef one(s, k):\n    yield\n" * 2 + GO + "    return False",
        "there are initial states already",
        15,
    ),
    "a global that changes": (
        "crashes = 0\n" + GO + "    global crashes\n    crashes += 1\n    return False",
        "global is not in the language of models; make what the model remembers a variable of its",
        15,
    ),
    "initial states by a global that changes": (
        "crashes = 0\n@model.initial\ndef begin(s, k):\n    global crashes\n    crashes += 1\n"
        "    yield\n" + GO + "    return False",
        "crashes is a global that is written",
        15,
    ),
    "a list of the module that changes": (
        "seen = []\n" + GO + "    if s.x == 3 or seen:\n        return False\n    s.x += 1\n"
        "    return True\n@model.invariant('x')\ndef fine(s, k):\n    if s.x == 3:\n"
        "        seen.append(3)\n    return True",
        "seen.append(3) was made when the file was loaded, and outlives the step",
        22,
    ),
    "a predicate by chance": (
        GO + "    if s.x == 3:\n        return False\n    s.x += 1\n    return True\n"
        "@model.invariant('x')\ndef fine(s, k):\n    return random.random() < k.n",
        "random.random is random",
        20,
    ),
    "nothing to check": (
        GO + "    return False", "has no property that is checked by default", None
    ),
    "an unknown kind of participant": (
        "class Other(Record):\n    x: list = array(2, integer(0, 1, 'x'), by='noed')\n"
        "model = Model(Bounds, Other, participants={'node': lambda k: 2})",
        "there is no kind of participant 'noed'; did you mean node",
        13,
    ),
    "a misspelt kind of participant": (
        "model = Model(Bounds, State, participants={'client': lambda k: 2})\n"
        "@model.action('clint')\ndef go(s, k):\n    return False",
        "action Go: there is no kind of participant 'clint'; did you mean client",
        13,
    ),
    "a default out of its range": (
        "@dataclass(frozen=True)\nclass Other:\n    n: int = number(30, 1, 6, 'n')",
        "the default 30 of 'n' is not within 1..6",
        14,
    ),
    "no action": ("", "declares no action", 11),
    "an attribute that declares nothing": (
        "class Other(Record):\n    x: int = 3\nmodel = Model(Bounds, Other)",
        "Other.x is 3, which declares no variable",
        13,
    ),
    "a set of Python's that declares nothing": (
        "class Other(Record):\n    x = set()\nmodel = Model(Bounds, Other)",
        "Other.x is set(), which declares no variable of the state; write x: Set = set_of(5,",
        13,
    ),
    "a truth value that declares nothing": (
        "class Other(Record):\n    x: bool = False\nmodel = Model(Bounds, Other)",
        "Other.x is False, which declares no variable of the state; write x: bool = boolean(",
        13,
    ),
    "a list without a value": (
        "class Other(Record):\n    x: list[int]\nmodel = Model(Bounds, Other)",
        "Other.x has no value, which declares no variable of the state; write x: Seq = sequence_",
        13,
    ),
    "a variable with the name of a method of every record": (
        "class Other(Record):\n    assign: int = integer(0, 3, 'x')\nmodel = Model(Bounds, Other)",
        "Other.assign: every record has something of this name; call the variable otherwise",
        13,
    ),
    "a name without a value": (
        "class Other(Record):\n    x: int\nmodel = Model(Bounds, Other)",
        "Other.x has no value, which declares no variable",
        13,
    ),
    "bounds that are no dataclass": (
        "class Loose:\n    n = 3\nmodel = Model(Loose, State)", "is not a frozen dataclass", 14,
    ),
    "a state that is no record": (
        "model = Model(Bounds, dict)", "derive the state's class from Record", 12,
    ),
    "a set that is too large": (
        "class Large(Record):\n    seen: Set = set_of(70, 'seen')\nmodel = Model(Bounds, Large)\n"
        + GO.replace('"node"', '"node", node=lambda k: range(2)') + "    return False",
        "a set of 70 numbers; it can have 63 at most, so declare an array of booleans",
        13,
    ),
}  # fmt: skip

OTHER = "class Other(Record):\n    {}\nmodel = Model(Bounds, Other)"
MORE = "model = Model(Bounds, State, {})"
PHASE = "from enum import Enum, IntEnum\nclass Phase({}):\n    {}\n"
BOUNDS = "@dataclass(frozen=True)\nclass Other:\n    n: int = {}\nmodel = Model(Other, State)"
IDLE = "@model.action()\ndef idle(s, k):\n    return False\n"
BEGIN = IDLE + "@model.initial\ndef begin(s, k):\n"
INV = IDLE + "@model.invariant('x')\n"
LIMIT = "it must be a whole number, or a function of the bounds: lambda k: k.nodes"

WRONG |= {
    "a limit that is not a number": (
        OTHER.format("x: int = integer(0, 2.5, 'x')"), f"integer: high is 2.5; {LIMIT}", 13
    ),
    "a limit that is missing": (
        OTHER.format("x: int = optional(None, 'x')"), f"optional: high is None; {LIMIT}", 13
    ),
    "a limit that fails": (
        OTHER.format("x: int = integer(0, lambda k: 3 // (k.n - 3), 'x')") + "\n" + IDLE,
        "failed with ZeroDivisionError",
        13,
    ),
    "a limit by an unknown bound": (
        OTHER.format("x: int = integer(0, lambda k: k.nn, 'x')") + "\n" + IDLE,
        "Bounds has no 'nn'; did you mean n?",
        13,
    ),
    "a text that is a number": (
        OTHER.format("x: int = integer(0, 3, 5)"), "doc is 5; it must be a text that says", 13
    ),
    "an initial value out of its range": (
        OTHER.format("x: int = integer(0, 3, 'x', initial=7)") + "\n" + IDLE,
        "x: its initial value 7 is not within 0..3; change one of them",
        13,
    ),
    "an array of too few initial values": (
        OTHER.format("x: list = array(3, integer(0, 3, 'x'), initial=[1])") + "\n" + IDLE,
        "x: 1 initial values; it needs 3 whole numbers",
        13,
    ),
    "an array of a class": (
        OTHER.format("x: list = array(3, int)"),
        "array: int declares neither a variable nor a record nor an array; declare an element",
        13,
    ),
    "an array whose arguments are exchanged": (
        OTHER.format("x: list = array(integer(0, 3, 'x'), 3)"),
        "array: length is a declaration; it must be",
        13,
    ),
    "a set of records without their number": (
        OTHER.format("x: Set = set_of(Entry, 'x')"),
        "a set of records has a limit: write set_of(Entry, 3, 'x')",
        13,
    ),
    "a set of an enumeration": (
        PHASE.format("IntEnum", "A = 0") + OTHER.format("x: Set = set_of(Phase, 'x')"),
        "set_of: size is Phase; write len(Phase)",
        16,
    ),
    "a set of less than nothing": (
        OTHER.format("x: Set = set_of(-1, 'x')") + "\n" + IDLE,
        "x: a set of -1 numbers; it needs 0 or more",
        13,
    ),
    "a sequence of less than nothing": (
        OTHER.format("x: Seq = sequence_of(Entry, -2, 'x')") + "\n" + IDLE,
        "x: a container of -2 elements; it can have 0 to 10,000",
        13,
    ),
    "a sequence whose arguments are exchanged": (
        OTHER.format("x: Seq = sequence_of(2, Entry, 'x')"),
        "sequence_of: most is Entry; for records write sequence_of(Entry, 3, 'what they are')",
        13,
    ),
    "an enumeration with a gap": (
        PHASE.format("IntEnum", "A = 0; B = 2")
        + OTHER.format("x: Phase = enumeration(Phase, 'x')"),
        "Phase: its values must be consecutive numbers, and 1 is none; number its members 0 to 1",
        16,
    ),
    "an enumeration of texts": (
        PHASE.format("Enum", "A = 'a'") + OTHER.format("x: Phase = enumeration(Phase, 'x')"),
        "enumeration: Phase is not an enumeration of numbers; write one, class Phase(IntEnum)",
        16,
    ),
    "an enumeration that is a list": (
        OTHER.format("x: int = enumeration(['a', 'b'], 'x')"),
        "enumeration: ['a', 'b'] is not an enumeration of numbers",
        13,
    ),
    "an enumeration without members": (
        PHASE.format("IntEnum", "pass") + OTHER.format("x: Phase = enumeration(Phase, 'x')"),
        "enumeration: Phase has no members; give it some",
        16,
    ),
    "names that are a text": (
        OTHER.format("x: int = one_of('slow', 'x')"),
        """one_of: its names are 'slow'; write a list, ["slow", "fast"]""",
        13,
    ),
    "an initial name that there is not": (
        OTHER.format("x: int = one_of(['slow', 'fast'], 'x', initial='fats')"),
        "one_of: initial is 'fats', which is none of its names; did you mean fast",
        13,
    ),
    "a record in a record by an object": (
        OTHER.format("x: Entry = nested(Entry(term=1, value=2))"),
        "nested: Entry(term=1, value=2) does not derive from Record; name one",
        13,
    ),
    "a record that is a part of itself": (
        "class Part(Record):\n    pass\nPart.other = nested(Part)\n"
        + OTHER.format("x: Part = nested(Part)") + "\n" + IDLE,
        "x.other: a Part is a part of itself, so the state has no end; write the number of",
        12,
    ),
    "a variable twice": (
        OTHER.format("x: int = integer(0, 3, 'x')\n    x: int = integer(0, 9, 'x')"),
        "x is declared twice in one record; rename one of them",
        14,
    ),
    "a variable with the name of a method": (
        OTHER.format("x: int = integer(0, 3, 'x')\n    def x(self):\n        return 3"),
        "x is declared twice in one record; rename one of them",
        14,
    ),
    "a variable with a name that every record has": (
        OTHER.format("_key: int = integer(0, 3, 'x')"),
        "Other._key: every record has something of this name; call the variable otherwise",
        13,
    ),
    "participants that are a list": (
        MORE.format("participants=['node']"), "participants is ['node']; write a dictionary", 12
    ),
    "participants that are no number": (
        MORE.format("participants={'node': '2'}"), "it must be a function of (k)", 12
    ),
    "participants that are half": (
        MORE.format("participants={'node': lambda k: k.n / 2}") + "\n" + IDLE,
        "there are 1.5 of the participant node; its function must return a whole number",
        12,
    ),
    "an array by participants that there are not": (
        "class Other(Record):\n    x: list = array(2, integer(0, 1, 'x'), by='node')\n"
        "model = Model(Bounds, Other)",
        "there is no kind of participant 'node', and no other one; Model(..., participants=",
        13,
    ),
    "a switch that is a text": (
        MORE.format("deadlock='no'"), "deadlock of Model: 'no', where True or False belongs", 12
    ),
    "default properties that are a text": (
        MORE.format("default_properties='Fine'"), "a tuple belongs: ('Fine',)", 12
    ),
    "a default property that there is not": (
        MORE.format("default_properties=('Fin',)") + "\n" + INV + "def fine(s, k): return True",
        "default_properties: there is no property 'Fin'; did you mean Fine?",
        12,
    ),
    "the largest value of an unknown bound": (
        MORE.format("largest_bounds={'m': 3}"), "there is no bound 'm'; known: n", 12
    ),
    "a bound that is not a number": (
        BOUNDS.format("number('two', 1, 3, 'n')"), "number: default is 'two'; it must be", 14
    ),
    "a bound of an empty range": (
        BOUNDS.format("number(2, 3, 1, 'n')"), "the default 2 of 'n' is not within 3..1", 14
    ),
    "a bound that follows nothing": (
        BOUNDS.format("number(2, 1, 3, 'n', follows='m')"), "there is no bound 'm'; known: n", 14
    ),
    "choices that are a list": (
        BOUNDS.format("choice('a', ['a', 'b'], 'n')"), "write a dictionary, {\"none\": 0", 14
    ),
    "a choice that there is not": (
        BOUNDS.format("choice('c', {'a': 0, 'b': 1}, 'n')"), "default 'c' is none of a, b", 14
    ),
    "two actions of one name in reports": (
        "@model.action()\ndef go_up(s, k):\n    return False\n"
        "@model.action()\ndef goUp(s, k):\n    return False",
        "go_up and goUp are one action in reports, GoUp; rename one of them",
        15,
    ),
    "two properties of one name in reports": (
        INV + "def go_up(s, k): return True\n@model.invariant('x')\ndef goup(s, k): return True",
        "go_up and goup are one property in reports, Goup; rename one of them",
        17,
    ),
    "two properties that differ in underscores alone": (
        INV + "def ac_3(s, k): return True\n@model.invariant('x')\ndef ac3(s, k): return True",
        "ac_3 and ac3 are one property in reports, Ac3; rename one of them",
        17,
    ),
    "a property called none": (
        INV + "def none(s, k): return True", "no property can be called none: -p none checks", 15
    ),
    "a property called all": (
        INV + "def all(s, k): return True", "no property can be called all: -p all checks", 15
    ),
    "a property that is a lambda": (
        IDLE + "model.invariant('x')(lambda s, k: True)", "has no name; write it by def", 15
    ),
    "a property whose statement is a number": (
        IDLE + "@model.invariant(5)\ndef fine(s, k): return True", "5, where a text belongs", 15
    ),
    "a predicate that returns nothing": (
        INV + "def fine(s, k):\n    s.x > 2", "returned None; it must return True or False", 15
    ),
    "a predicate that returns a generator": (
        INV + "def fine(s, k): return (x for x in s.seen)",
        "fine returns a generator or an iterator, which can be read once",
        16,
    ),
    "an action that returns a number": (
        GO + "    if s.x == 3:\n        return 0\n    s.x += 1\n    return 1",
        "Go(node=0) returned 1; it must return True or False; write a comparison, as len(s.q",
        12,
    ),
    "a guard that returns a number": (
        GO + "    if s.x == 0:\n        return len(s.queue)\n    return False",
        "Go(node=0) returned 0; it must return True or False; write a comparison, as len(s.q",
        12,
    ),
    "a predicate that returns a number": (
        INV + "def fine(s, k):\n    return len(s.queue)",
        "the predicate of property Fine returned 0; it must return True or False; write a c",
        15,
    ),
    "a constraint that returns a number": (
        MORE.format("constraint=lambda s, k: s.x - 5") + "\n" + IDLE,
        "the constraint returned -5; it must return True or False",
        12,
    ),
    "a predicate that fails": (
        INV + "def fine(s, k):\n    return s.queue[s.x] < 3",
        "no element has the index s.x = 0; there are none, so check it before, in fine()",
        17,
    ),
    "a predicate of an unknown variable": (
        INV + "def fine(s, k):\n    return s.quee == []", "State has no 'quee'; did you mean", 17
    ),
    "liveness that is a text": (
        IDLE + "@model.liveness('eventually', 'x')\ndef ends(s, k): return True",
        "liveness: 'eventually' is not a kind of liveness; write Kind.EVENTUALLY",
        15,
    ),
    "liveness that is an invariant": (
        IDLE + "@model.liveness(Kind.INVARIANT, 'x')\ndef ends(s, k): return True",
        "is not a kind of liveness; write Kind.EVENTUALLY",
        15,
    ),
    "liveness without its premise": (
        IDLE + "@model.liveness(Kind.LEADS_TO, 'x')\ndef ends(s, k): return True",
        "only Kind.LEADS_TO has a premise, and needs one; give premise=lambda s, k: ...",
        15,
    ),
    "fairness that is a text": (
        "@model.action(fairness='weak')\ndef go(s, k): return False",
        "fairness of action go: 'weak', where a Fairness belongs",
        12,
    ),
    "fairness for an unknown parameter": (
        "@model.action(fair_per=('nod',))\ndef go(s, k, node): return False",
        "fair_per of action Go: there is no parameter 'nod'; did you mean node",
        12,
    ),
    "somebody who is a number": (
        "@model.action(3)\ndef go(s, k): return False", "who of action go: 3, where a text", 12
    ),
    "initial states of which there are none": (
        BEGIN + "    for _ in range(0):\n        yield",
        "begin of wrong.py yields no initial state, and where there is none every property holds",
        15,
    ),
    "initial states that fail": (
        BEGIN + "    s.x = 1 // 0\n    yield", "begin failed with ZeroDivisionError", 17
    ),
    "initial states of an unknown variable": (
        BEGIN + "    s.y = 1\n    yield", "State has no 'y'", 17
    ),
    "an index that is too large": (
        GO + "    s.queue[node] = 1\n    return True",
        "no element has the index node = 0; there are none, so check it before",
        14,
    ),
    "an unknown member": (
        PHASE.format("IntEnum", "A = 0; B = 1")
        + OTHER.format("x: Phase = enumeration(Phase, 'x')")
        + "\n@model.action()\ndef go(s, k):\n    s.x = Phase.C\n    return True",
        "Phase has no 'C'",
        20,
    ),
    "a member by its name": (
        PHASE.format("IntEnum", "A = 0; B = 1")
        + OTHER.format("x: Phase = enumeration(Phase, 'x')")
        + "\n@model.action()\ndef go(s, k):\n    s.x = 'B'\n    return True",
        "s.x is a number, and gets a text",
        20,
    ),
    "an optional that is None": (
        OTHER.format("x: int = optional(3, 'x')")
        + "\n@model.action()\ndef go(s, k):\n    s.x = None\n    return True",
        "s.x is a number, and gets None; write NONE",
        17,
    ),
    "an unhashable key": (
        GO + "    return {s.queue: 1} == {}", "failed with TypeError: unhashable type: 'Seq'", 14
    ),
    "an unknown variable of an element of a sequence": (
        GO + "    return bool(s.log) and s.log[0].trem > 1", "Entry has no 'trem'; did you mean", 14
    ),
    "an unknown variable of each element of a sequence": (
        GO + "    return any(e.trem > 1 for e in s.log)", "Entry has no 'trem'; did you mean", 14
    ),
    "an unknown variable of an element by a name": (
        GO + "    for e in s.log:\n        last = e\n        if last.vlue:\n"
        "            return False\n    return False",
        "Entry has no 'vlue'; did you mean value?",
        16,
    ),
    "a sequence that is taken for a set": (
        GO + "    s.queue.add(1)\n    return True", "a sequence has no 'add'; write append", 14
    ),
    "a sequence of records that is taken for a set": (
        GO + "    s.log.add(Entry())\n    return True",
        "a sequence of records has no 'add'; write append",
        14,
    ),
    "a set that is taken for a sequence": (
        GO + "    s.seen.append(1)\n    return True", "a set has no 'append'; write add", 14
    ),
    "a misspelt class that is like a name of Python's": (
        PHASE.format("IntEnum", "A = 0") + GO + "    return s.x == Fase.A",
        "nothing defines 'Fase'; did you mean Phase?",
        17,
    ),
    "an exception": (
        GO + "    raise RuntimeError('boom')", "Go(node=0) failed with RuntimeError: boom", 14
    ),
    "a module that there is not": (
        "import nowhere", "ModuleNotFoundError: No module named 'nowhere'", 12
    ),
    "a name that Tidegate has not": (
        "from tidegate import intger", "from 'tidegate'; did you mean integer?", 12
    ),
    "a colon that is missing": ("def go(s, k)\n    return False", "expected ':'", 12),
    "a failure at the top": ("1 / 0", "ZeroDivisionError: division by zero", 12),
}  # fmt: skip


PROPERTIES = {
    what: [] for what in WRONG if "predicate" in what or "list" in what or "nothing to" in what
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


@pytest.fixture
def wrong(tmp_path, monkeypatch):
    """Return a function that writes a wrong model, and returns the properties to check."""
    monkeypatch.chdir(tmp_path)

    def write(what):
        (tmp_path / "wrong.py").write_text(HEAD + WRONG[what][0] + "\n", "utf-8")
        return PROPERTIES.get(what, ["TypeOk"])

    return write


@pytest.mark.parametrize("what", WRONG)
def test_it_gets_one_clear_line_with_file_and_line(what, wrong):
    names = [part for name in wrong(what) for part in ("-p", name)]
    result = CliRunner().invoke(main, ["check", "wrong.py", *names])
    assert result.exit_code in (EXIT_USAGE, EXIT_INTERNAL), result.output
    first, *details = result.stderr.splitlines()
    _, says, line = WRONG[what]
    assert says in first
    assert first.startswith("Error: wrong.py")
    assert line is None or f"wrong.py:{line}: " in first or f"(wrong.py:{line})" in first
    assert not details or "SyntaxError" in first
    for word in (
        "Traceback",
        "internal error",
        "engine",
        "tidegate_own",
        str(Path(tidegate.__file__).parent),
    ):
        assert word not in result.output


@pytest.mark.parametrize("kind", ["Entry", "helper.Aside"])
@pytest.mark.parametrize("told", ["an assertion", "an explanation"])
def test_a_class_is_named_as_in_its_file(told, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("helper.py").write_text("class Aside: pass\n", "utf-8")
    fails, low = f"assert s.x < 1, {kind}", "True"
    if told == "an explanation":
        fails, low = "pass", "s.x < 1"
    explain = f"explain=lambda s, k: f'no {{{kind}}}'"
    Path("named.py").write_text(
        f"import helper\n{HEAD}{GO}    if s.x == 3:\n        return False\n    {fails}\n"
        f"    s.x += 1\n    return True\n@model.invariant('x', {explain})\n"
        f"def low(s, k):\n    return {low}\n",
        "utf-8",
    )
    result = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["check", "named.py", "--json", "t"])
    assert f"<class '{kind}'>" in result.output
    assert "tidegate_own" not in result.output + Path("t").read_text("utf-8")


@pytest.mark.parametrize("what", WRONG)
def test_machine_code_refuses_it_too(what, wrong):
    names = wrong(what)
    with pytest.raises(TidegateError) as refused:
        tidegate.check("wrong.py", properties=names, engine="compiled")
    assert WRONG[what][1] in str(refused.value)


def test_a_name_that_means_other_things_too_is_not_refused(tmp_path):
    file = tmp_path / "right.py"
    file.write_text(
        f"class Kept:\n    trem = 1\n{HEAD}{GO}"
        "    here = s.log\n    for e in here:\n        e = Kept\n        if e.trem == 2:\n"
        "            return False\n    some = [e.trem for e in (Kept, Kept)]\n"
        "    first = lambda m: m.trem\n    m = s.log[:1]\n    return len(some) == 3 or s.x == 7\n"
        "@model.invariant('x')\ndef fine(s, k):\n    return not any(e.term > 3 for e in s.log)\n",
        "utf-8",
    )
    assert tidegate.check(str(file)).holds


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("max_states", 0),
        ("max_states", "9"),
        ("max_depth", 1.5),
        ("workers", True),
        ("workers", -1),
    ],
)
def test_a_limit_that_is_no_whole_number_is_refused(limit, value):
    with pytest.raises(TidegateError, match=f"{limit}={value!r}: give a whole number"):
        tidegate.check("kip-101", {"records": 1}, **{limit: value})


@pytest.mark.parametrize("value", [0, -1.0, "soon", float("nan"), float("inf"), 1e15])
def test_a_time_limit_that_is_none_is_refused(value):
    with pytest.raises(TidegateError, match="give seconds from"):
        tidegate.check("kip-101", {"records": 1}, time_limit=value)


def test_initial_states_without_end_are_ended_by_the_time_limit(tmp_path):
    file = tmp_path / "endless.py"
    file.write_text(
        HEAD + "@model.initial\ndef begin(s, k):\n    while True:\n        yield\n" + GO
        + "    return False\n",
        "utf-8",
    )  # fmt: skip
    checked = tidegate.check(str(file), properties=["TypeOk"], time_limit=0.2)
    assert (checked.holds, checked.complete, checked.violated) == (False, False, ())


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("    while s.x >= 0:\n        pass\n", "cannot translate"),
        ("    if s.x == 2:\n        s.queue[0] = 1\n", "no element has the index 0"),
    ],
)
def test_what_is_translated_in_vain_is_searched_a_little_for_a_mistake(
    more, says, tmp_path, monkeypatch
):
    monkeypatch.setattr("tidegate.checker.engines.MISTAKE_SECONDS", 0.2)
    file = tmp_path / "slow.py"
    file.write_text(
        f"{HEAD}import tidegate\n\n@tidegate.pure\ndef first(values):\n"
        f"    return next(iter(values))\n\n{GO}    if s.x == 3:\n        return False\n{more}"
        "    s.x = first([s.x]) + 1\n    return True\n",
        "utf-8",
    )
    with pytest.raises(TidegateError, match=says):
        tidegate.check(str(file), properties=["TypeOk"], engine="compiled")


def test_names_that_differ_in_an_underscore_between_digits_are_two(tmp_path):
    file = tmp_path / "two.py"
    invariants = "".join(
        f"@model.invariant('x')\ndef {name}(s, k):\n    return s.x < {limit}\n"
        for name, limit in (("ac3_1", 2), ("ac31", 4))
    )
    go = GO + "    if s.x == 3:\n        return False\n    s.x += 1\n    return True\n"
    file.write_text(HEAD + go + invariants, "utf-8")
    answers = {name: tidegate.check(str(file), [], [name]).holds for name in ("Ac3_1", "ac31")}
    assert answers == {"Ac3_1": False, "ac31": True}

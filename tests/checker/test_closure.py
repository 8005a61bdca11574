"""A translation that is kept on disk is used again only where translating would give the same."""

import builtins
import contextlib
import dataclasses
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tidegate import checker
from tidegate.analysis.histories import histories
from tidegate.analysis.mutants import mutants
from tidegate.checker import calls, interrupts, liveness, stop
from tidegate.checker.check import check
from tidegate.checker.compiled import closure, generate
from tidegate.checker.compiled.cache import cached_translation
from tidegate.checker.compiled.generate import Generator
from tidegate.checker.compiled.reads import Reads, answers_are_same
from tidegate.checker.compiled.sources import described, plain_tree
from tidegate.checker.compiled.tiers import Tiers
from tidegate.checker.compiled.values import UnsupportedError
from tidegate.checker.request import SearchRequest
from tidegate.checker.result import Resources
from tidegate.core.bounds import parse
from tidegate.core.layout import Record, array, integer, replica_id
from tidegate.core.spec import Kind
from tidegate.core.symmetry import Symmetry
from tidegate.invariants import PROPERTIES
from tidegate.model import PROTOCOLS

NAMES = [protocol.name for protocol in PROTOCOLS]


@pytest.fixture(autouse=True)
def temporary_cache(tmp_path, monkeypatch):
    """Keep translations in a directory of the test's own."""
    for variable in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.delenv("TIDEGATE_CACHE_KEY", raising=False)


@pytest.fixture
def model_alone(monkeypatch):
    """Translate the model without the search that calls it, which takes most of the time."""
    monkeypatch.setattr(generate, "EXPORTED", ())


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


def translated(system, properties=(), exact=True, symmetry=None):
    """Return the digest of a translation, and whether it had to be made."""
    resources = Resources(store="exact" if exact else "fingerprint")
    request = SearchRequest(system, list(properties), symmetry=symmetry, resources=resources)
    module, text = cached_translation(request)
    return module.digest, bool(text)


COUNTED = """
class Limit:
    def __init__(self, number):
        self.number = number
{methods}
K = Limit(3)
"""

# By what is changed: what there is, what the action reads, and the change.
CHANGES = {
    "a global": ("LIMIT = 3", "LIMIT", "LIMIT = 4"),
    "a global that was a number and is text now": ("LIMIT = 3", "LIMIT", "LIMIT = True"),
    "the attribute of a function": (
        "def far():\n    pass\nfar.limit = 3",
        "far.limit",
        "far.limit = 4",
    ),
    "the function behind a global": (
        "def near() -> int:\n    return 3\ndef far() -> int:\n    return 4",
        "near()",
        "near = far",
    ),
    "a function of the same code that reads another global": (
        "import types\nLIMIT = 3\ndef near() -> int:\n    return LIMIT",
        "near()",
        "near = types.FunctionType(near.__code__, {'LIMIT': 4})",
    ),
    "the code of a function": (
        "def near() -> int:\n    return 3\ndef far() -> int:\n    return 4",
        "near()",
        "near.__code__ = far.__code__",
    ),
    "a default": ("def near(n=3) -> int:\n    return n", "near()", "near.__defaults__ = (4,)"),
    "what a function is said to return": (
        "def near(s) -> bool:\n    return s.at > 3",
        "near(s)",
        "near.__annotations__['return'] = int",
    ),
    "the arithmetic of a module, by which the search's own code is known": (
        "from tidegate.checker.compiled.values import MACHINE\n"
        "def near(s) -> int:\n    return s.at * (1 << 60)",
        "near(s)",
        "near.__globals__['ARITHMETIC'] = MACHINE",
    ),
    "a closure's cell": (
        "def make(n):\n    def near() -> int:\n        return n\n    return near\nnear = make(3)",
        "near()",
        "near.__closure__[0].cell_contents = 4",
    ),
    "a field of the constants": (
        "import dataclasses\n@dataclasses.dataclass\nclass Constants:\n    limit: int\n"
        "K = Constants(3)",
        "k.limit",
        "K.limit = 4",
    ),
    "what is no field of a dataclass": (
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Constants:\n"
        "    size: int\n    def __post_init__(self):\n"
        "        object.__setattr__(self, 'limit', SIZES[self.size])\nSIZES = [3, 4]\n"
        "K = Constants(0)",
        "k.limit",
        "SIZES.reverse(); K = Constants(0)",
    ),
    "a reflected dunder method": (
        COUNTED.format(methods="    def __rsub__(self, other):\n        return 9 - self.number"),
        "9 - k",
        "Limit.__rsub__ = lambda self, other: 8 - self.number",
    ),
    "a membership": (
        COUNTED.format(methods="    def __contains__(self, other):\n        return True"),
        "(4 if 1 in k else 3)",
        "Limit.__contains__ = lambda self, other: False",
    ),
    "a truth value": (
        COUNTED.format(methods="    def __bool__(self):\n        return True"),
        "(4 if k else 3)",
        "Limit.__bool__ = lambda self: False",
    ),
    "a truth value in an and": (
        COUNTED.format(methods="    def __bool__(self):\n        return True"),
        "(4 if s.at > 1 and k else 3)",
        "Limit.__bool__ = lambda self: False",
    ),
    "a length": (
        COUNTED.format(methods="    def __len__(self):\n        return self.number"),
        "len(k)",
        "K.number = 4",
    ),
    "a conversion": (
        COUNTED.format(methods="    def __int__(self):\n        return self.number"),
        "int(k)",
        "K.number = 4",
    ),
    "an element by a method": (
        COUNTED.format(methods="    def __getitem__(self, n):\n        return self.number + n"),
        "k[1]",
        "K.number = 4",
    ),
    "an attribute by a method": (
        COUNTED.format(methods="    def __getattr__(self, n):\n        return self.number + 1"),
        "k.limit",
        "K.number = 4",
    ),
    "an attribute that hides that of the class": (
        COUNTED.format(methods="    limit = 3"),
        "k.limit",
        "K.limit = 4",
    ),
    "an attribute of the class": (
        COUNTED.format(methods="    limit = 3"),
        "k.limit",
        "Limit.limit = 4",
    ),
    "an attribute of a base": (
        "class Base:\n    limit = 3\nclass Limit(Base):\n    pass\nK = Limit()",
        "k.limit",
        "Base.limit = 4",
    ),
    "the class of the constants": (
        "class Near:\n    limit = 3\nclass Far:\n    limit = 4\nK = Near()",
        "k.limit",
        "K.__class__ = Far",
    ),
    "an attribute of the metaclass": (
        "class Meta(type):\n    limit = 3\nclass Limit(metaclass=Meta):\n    pass",
        "Limit.limit",
        "Meta.limit = 4",
    ),
    "what a property reads": (
        COUNTED.format(methods="    @property\n    def limit(self):\n        return self.number"),
        "k.limit",
        "K.number = 4",
    ),
    "a property": (
        COUNTED.format(methods="    @property\n    def limit(self):\n        return self.number"),
        "k.limit",
        "Limit.limit = property(lambda self: self.number + 1)",
    ),
    "a descriptor": (
        "class By:\n    number = 3\n    def __get__(self, owner, kind=None):\n"
        "        return self.number\nclass Limit:\n    limit = By()\nK = Limit()",
        "k.limit",
        "By.number = 4",
    ),
    "a slot": (
        "class Limit:\n    __slots__ = ('limit',)\nK = Limit()\nK.limit = 3",
        "k.limit",
        "K.limit = 4",
    ),
    "an attribute of a class of an enumeration": (
        "import enum\nclass Kind(enum.Enum):\n    ONE = 1\nKind.limit = 3",
        "Kind.limit",
        "type.__setattr__(Kind, 'limit', 4)",
    ),
    "an attribute of a member": (
        "import enum\nclass Kind(enum.Enum):\n    ONE = 1\nKind.ONE.limit = 3",
        "Kind.ONE.limit",
        "Kind.ONE.limit = 4",
    ),
    "the number of a member": (
        "import enum\nKind = enum.IntEnum('Kind', {'ONE': 3})",
        "Kind.ONE",
        "Kind = enum.IntEnum('Kind', {'ONE': 4})",
    ),
    "the value of a member": (
        "import enum\nKind = enum.Enum('Kind', {'ONE': 3})",
        "Kind.ONE.value",
        "Kind = enum.Enum('Kind', {'ONE': 4})",
    ),
    "flags that are united": (
        "import enum\nFlag = enum.IntFlag('Flag', {'A': 1, 'B': 2})",
        "(Flag.A | Flag.B)",
        "Flag = enum.IntFlag('Flag', {'A': 1, 'B': 4})",
    ),
    "a field of a named tuple": (
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    one: int\n    two: int\n"
        "K = Pair(1, 3)",
        "k.two",
        "K = Pair(1, 4)",
    ),
    "an element of a tuple": ("K = (1, (2, 3))", "k[1][1]", "K = (1, (2, 4))"),
    "an element of a list": ("K = [1, 3]", "k[-1]", "K[1] = 4"),
    "the length of a list": ("K = [1, 3]", "len(k)", "K.append(4)"),
    "an entry of a dictionary": ("K = {'limit': 3}", "k['limit']", "K['limit'] = 4"),
    "the type of a key": ("K = {1: 3}", "k[1]", "K = {True: 4}"),
    "what a loop goes through": (
        "K = [3]\ndef near(k) -> int:\n    n = 0\n    for i in k:\n        n += i\n    return n",
        "near(k)",
        "K[0] = 4",
    ),
    "how far a loop goes through it": (
        "K = [3]\ndef near(k) -> int:\n    n = 0\n    for i in k:\n        n += i\n    return n",
        "near(k)",
        "K.append(0)",
    ),
    "the elements of a set": ("K = {3}", "(s.at in k)", "K = {3, 4}"),
    "which object it is": (
        "class Part:\n    def __init__(self, limit):\n        self.limit = limit\nclass Limit:\n"
        "    pass\nK = Limit()\nK.one = K.two = Part(3)",
        "k.one.limit + k.two.limit",
        "K.two = Part(4)",
    ),
    "what an object is called by that is a function too": (
        "K = [3]\ndef near() -> int:\n    return 4",
        "(4 if k[0] == near else 3)",
        "K[0] = near",
    ),
    "a module's attribute": (
        "import types\nouter = types.ModuleType('outer')\nouter.limit = 3",
        "outer.limit",
        "outer.limit = 4",
    ),
    "a module within a module": (
        "import types\nouter = types.ModuleType('outer')\nouter.inner = types.ModuleType('inner')\n"
        "outer.inner.limit = 3",
        "outer.inner.limit",
        "outer.inner.limit = 4",
    ),
    "a module's __getattr__": (
        "import types\nouter = types.ModuleType('outer')\nouter.__getattr__ = lambda name: 3",
        "outer.limit",
        "outer.__getattr__ = lambda name: 4",
    ),
    "a name that hides a builtin": (
        "def far(a, b) -> int:\n    return a + b",
        "min(3, 4)",
        "min = far",
    ),
    "a builtin": ("", "min(3, 4)", "import builtins; builtins.min = max"),
    "the builtins of a function": (
        "import types\ndef near() -> int:\n    return min(3, 4)",
        "near()",
        "near = types.FunctionType(near.__code__, {'__builtins__': {'min': max}})",
    ),
}


OPERATORS = {
    "add": "k + 1", "sub": "k - 1", "mul": "k * 1", "and": "k & 1", "or": "k | 1", "xor": "k ^ 1",
    "lshift": "k << 1", "rshift": "k >> 1", "neg": "-k", "pos": "+k", "invert": "~k",
    "eq": "int(k == 1)", "ne": "int(k != 1)", "lt": "int(k < 1)", "le": "int(k <= 1)",
    "gt": "int(k > 1)", "ge": "int(k >= 1)",
}  # fmt: skip
CHANGES |= {
    f"the operator {name}": (
        COUNTED.format(
            methods=f"    def __{name}__(self, *other):\n        return self.number - 3"
        ),
        expression,
        f"Limit.__{name}__ = lambda self, *other: self.number - 2",
    )
    for name, expression in OPERATORS.items()
}
EXTREMES = "    def __lt__(self, other):\n        return True\n    __gt__ = __lt__"
CHANGES |= {
    f"the {name} of two": (
        COUNTED.format(methods=EXTREMES) + "ONE, OTHER = Limit(3), Limit(4)",
        f"{name}(ONE, OTHER).number",
        "Limit.__lt__ = Limit.__gt__ = lambda self, other: False",
    )
    for name in ("min", "max")
}


@pytest.mark.usefixtures("model_alone")
@pytest.mark.parametrize("change", CHANGES)
def test_what_steers_a_translation_is_translated_anew_when_it_changes(
    source, toy, change, monkeypatch
):
    monkeypatch.setattr(builtins, "min", min)
    setup, expression, statements = CHANGES[change]
    own = source(setup, expression)
    before, made = translated(toy(own.space))
    assert made
    assert translated(toy(own.space)) == (before, False)
    own.change(statements)
    after, made = translated(toy(own.space))
    assert made, "translated anew"
    assert after != before, "and what came of it is another"
    assert translated(toy(own.space)) == (after, False)


def recorded(system, properties=()):
    """Translate a model alone; return the recording of that, and the text."""
    generator = Generator(system, list(properties), True, None)
    text, module = generator.module(())
    assert generator.reads.keepable
    reads = generator.reads
    content = closure.written([closure.Recording(module, reads.roots, reads.questions)])
    [recording] = closure.read(content)
    return recording, text


def is_known(recording, system, properties=()):
    """Whether a recording would be used for this system."""
    roots = closure.roots_of(system, list(properties))
    return answers_are_same(recording.roots, recording.questions, roots)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=NAMES)
def test_no_mutant_and_no_property_uses_the_translation_of_another(protocol):
    small = parse(protocol.family.bounds, [])
    recording, text = recorded(protocol.system(small, frozenset()))
    assert is_known(recording, protocol.system(small, frozenset()))
    systems = [mutant.protocol.system(small, frozenset()) for mutant in mutants(protocol)]
    known = [system for system in systems if is_known(recording, system)]
    assert len(known) < len(systems) - 10
    # Within small bounds some rules are asked by nobody.
    for system in random.Random(0).sample(known, min(1, len(known))):
        assert recorded(system)[1] == text
    for prop in PROPERTIES[protocol.family.name]:
        system = protocol.system(small, histories(prop, protocol))
        if prop.kind is Kind.INVARIANT:
            assert not is_known(recording, system, [prop])


class Wider(Record):
    at: int = integer(0, 1001, "place")


class Renamed(Record):
    to: int = integer(0, 1000, "place")


class Named(Record):
    at: int = replica_id(1000, "place", low=0)


class Rowed(Record):
    at: int = integer(0, 1000, "place")
    row: list[int] = array(0, integer(0, 1, "nothing"))


def test_all_that_is_known_beforehand_is_part_of_the_key(
    make_toy, make_action, make_invariant, system, monkeypatch
):
    def right(s, k, n=1):
        return False

    def key(declaration=Line, name="right", properties=(), exact=True):
        actions = [make_action(name, right, lambda k: [(1,)])]
        toy = make_toy(declaration, None, actions, at_nothing)
        return closure.key_of(toy, properties, exact, None)

    keys = [key(), key(exact=False), key(name="left")]
    keys += [key(declaration=other) for other in (Wider, Renamed, Named, Rowed)]
    always = make_invariant("Always", lambda s, k: True)
    keys += [key(properties=[always])]
    keys += [key(properties=[dataclasses.replace(always, kind=Kind.DEADLOCK)])]
    symmetric = system("published/kip-320", "")
    keys += [closure.key_of(symmetric, [], True, it) for it in (None, Symmetry(symmetric))]
    monkeypatch.setattr(closure, "translator", lambda: "another one")
    keys += [key()]
    assert len(set(keys)) == len(keys) == 12


@pytest.mark.usefixtures("model_alone")
def test_arguments_constraint_and_predicates_are_roots(toy, source, make_invariant):
    own = source("class Limit:\n    n = 3\ndef few(s, k):\n    return s.at < Limit.n")
    few = [make_invariant("Few", own.space["few"])]
    for properties, constrained in ((few, False), ([], True)):
        made = []
        for number in (3, 4):
            own.change(f"Limit.n = {number}")
            system = toy(own.space)
            system.constraint = own.space["few"] if constrained else None
            made.append(translated(system, properties))
        assert made[0][0] != made[1][0]
        assert made[0][1]
        assert made[1][1]


@pytest.mark.usefixtures("model_alone")
def test_what_was_translated_earlier_is_found_again(source, toy):
    own = source("LIMIT = 0", "LIMIT")
    for round_ in range(2):
        for number in range(closure.MOST):
            own.change(f"LIMIT = {number}")
            assert translated(toy(own.space))[1] == (round_ == 0)
    own.change("LIMIT = -1")
    assert translated(toy(own.space))[1]
    own.change("LIMIT = 0")
    assert translated(toy(own.space))[1], "so many are kept, and no more"


@pytest.mark.usefixtures("model_alone")
def test_two_protocols_of_one_name_in_two_files_are_told_apart(toy, tmp_path):
    made = []
    for folder, number in (("one", 3), ("other", 4)):
        (tmp_path / folder).mkdir()
        text = f"LIMIT = {number}\n{RIGHT.format(expression='LIMIT')}"
        made.append(translated(toy(Source(tmp_path / folder / "own.py", text).space)))
    assert made[0][0] != made[1][0]
    assert all(anew for _, anew in made)


@pytest.mark.usefixtures("model_alone")
def test_the_order_in_which_modules_are_looked_for_counts(toy, source, tmp_path, monkeypatch):
    own = source("import importlib", "limits.LIMIT")
    made = []
    for folder, number in (("one", 3), ("other", 4)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "limits.py").write_text(f"LIMIT = {number}\n")
        monkeypatch.syspath_prepend(tmp_path / folder)
        monkeypatch.delitem(sys.modules, "limits", raising=False)
        own.change("limits = importlib.import_module('limits')")
        made.append(translated(toy(own.space)))
    assert made[0][0] != made[1][0]
    assert all(anew for _, anew in made)


def test_what_python_does_not_run_is_not_translated(source, toy):
    own = source("LIMIT = 3", "LIMIT")
    text = own.file.read_text()
    assert translated(toy(own.space))[1]
    for changed in (text.replace("== LIMIT", "== LIMIT + 1"), "", f"\n{text}", text[:-20]):
        space = own.imported(text)
        own.file.write_text(changed)
        with pytest.raises(UnsupportedError, match=r"not what Python runs|source is not at hand"):
            recorded(toy(space))
        assert not translated(toy(space))[1], "what Python runs was translated before"
    own.file.write_text(text)
    recorded(toy(space))


def test_every_function_is_what_its_source_compiles_to(tmp_path):
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    space = {}
    exec(compile(ODD, str(file), "exec"), space)
    names = ("plain", "annotated", "recursive", "comprehending", "calling")
    functions = [space[name] for name in names]
    functions += [space["make"](3), space["Class"].method, space["Class"]().private, space["again"]]
    for function in functions:
        function = getattr(function, "__func__", function)
        assert plain_tree(function).name == function.__name__
    assert described(space["plain"].__code__) == described(space["twin"]["plain"].__code__)
    assert described(space["make"](3).__code__, True) != described(space["plain"].__code__, True)


ODD = '''
from __future__ import annotations
import os.path as paths, sys
from json import decoder
if sys:
    from math import *
    import operator

def calling(s, operator):
    """Of what is imported, attributes are called in another way; also of its namesakes."""
    return paths.join(s) or decoder.scanner(s) or operator.add(s) or s.x() or sys.path.append(s)

def plain(s, k):
    """What it does,
  in lines of its own."""
    return s.x in (1, 2.0, "a", None, True) or s.y in {1, 2, "b"}

twin = {}
exec(compile("""
def plain(s, k):
    \'\'\'What it does,
  in lines of its own.\'\'\'
    return s.x in (1, 2.0, "a", None, True) or s.y in {1, 2, "b"}
""", "elsewhere", "exec"), twin)

def annotated(s: State, k: Konst = None, /, n: int = len("abc")) -> bool:
    x: int = s.x
    return x > 0

def recursive(n):
    return recursive(n - 1)

def comprehending(s):
    return any(part.low for part in s.part if all(i for i in range(part.low)))

def make(limit):
    def inner(s, k):
        """A text
        of two lines."""
        return s.x < limit and inner
    return inner

class Class:
    def method(self, s):
        """Another text
that begins where the class does."""
        return s.x

    def private(self):
        return self.shown

again = lambda: None
def again(s):
    return s
'''


def test_a_value_that_changes_by_itself_is_not_translated(source, toy):
    for reads in ("COUNT.append(0)\n        return len(COUNT)", "raise RuntimeError('no')"):
        own = source(
            "COUNT = []\nclass Limit:\n    @property\n    def limit(self):\n"
            f"        {reads}\nK = Limit()",
            "k.limit",
        )
        with pytest.raises(UnsupportedError, match=r"changes by itself|RuntimeError: no"):
            translated(toy(own.space))


@pytest.mark.usefixtures("model_alone")
def test_what_fails_when_it_is_compared_is_translated_anew(source, toy):
    own = source(
        "class Limit:\n    @property\n    def limit(self):\n        return ANSWERS[0]()\n"
        "ANSWERS = [lambda: 3]\nK = Limit()",
        "k.limit",
    )
    before, _ = translated(toy(own.space))
    for raised in ("SystemExit(0)", "ValueError()"):
        own.change(f"def fail():\n    raise {raised}\nANSWERS[0] = fail")
        with pytest.raises(UnsupportedError, match="cannot be computed while translating"):
            translated(toy(own.space))
    own.change("ANSWERS[0] = lambda: 3")
    assert translated(toy(own.space)) == (before, False)


OWN_NUMBERS = {
    "arithmetic": "class Own(int):\n    def __add__(self, other):\n        return 0",
    "reflected arithmetic": "class Own(int):\n    def __rsub__(self, other):\n        return 0",
    "a comparison": "class Own(int):\n    def __eq__(self, other):\n        return True",
    "an index": "class Own(int):\n    def __index__(self):\n        return 0",
    "a base's": "class Base(int):\n    def __lt__(self, other):\n        return True\n"
    "class Own(Base):\n    pass",
    "an enumeration's": "import enum\nclass Own(enum.IntEnum):\n    A = 3\n"
    "    def __and__(self, other):\n        return 0",
    "flags that drop bits": "import enum\nclass Own(enum.IntFlag, boundary=enum.CONFORM):\n"
    "    A = 3",
}


@pytest.mark.parametrize("which", OWN_NUMBERS)
def test_a_class_that_overrides_arithmetic_is_no_number(source, toy, which):
    own = source(f"{OWN_NUMBERS[which]}\nK = Own(3)", "k + s.at")
    with pytest.raises(UnsupportedError, match="overrides arithmetic"):
        translated(toy(own.space))


def test_a_number_of_a_class_that_leaves_arithmetic_alone_is_one(source, toy):
    for setup in (
        "import enum\nclass Own(enum.IntEnum):\n    A = 3\n    def far(self):\n        return 1",
        "import enum\nclass Own(enum.IntFlag):\n    A = 3",
        "class Own(int):\n    def __repr__(self):\n        return 'own'",
    ):
        assert "add i64" in recorded(toy(source(f"{setup}\nK = Own(3)", "k + s.at").space))[1]


def test_an_object_from_nowhere_is_never_kept():
    reads = Reads([[1]])
    assert reads.keepable
    assert reads.ask("getitem", (1, 2), 0) == 1
    assert not reads.keepable


def asked_of(root, *names):
    """Ask for elements of an object by name; return the answers as they are kept."""
    reads = Reads([root])
    for name in names:
        with contextlib.suppress(LookupError):
            reads.ask("getitem", root, name)
    return json.loads(json.dumps([reads.roots, reads.questions]))


def test_answers_differ_by_type_and_by_which_object_it_is():
    one, other = [1], [1]
    kept = asked_of({"a": one, "b": one, "c": 1}, "a", "b", "c")
    assert answers_are_same(*kept, [{"a": other, "b": other, "c": 1, "d": 2}])
    for changed in ({"b": other}, {"c": True}, {"c": 1.0}, {"a": (1,), "b": min}, {"b": 1}):
        assert not answers_are_same(*kept, [{"a": one, "b": one, "c": 1, **changed}]), changed
    assert not answers_are_same(*kept, [{"a": one, "b": one}])
    assert not answers_are_same(*kept, [3])


def test_an_error_is_an_answer():
    kept = asked_of({"a": 1}, "a", "b")
    assert answers_are_same(*kept, [{"a": 1}])
    assert answers_are_same(*kept, [{"a": 1, "c": 1}])
    assert not answers_are_same(*kept, [{"a": 1, "b": 1}])
    assert not answers_are_same(*kept, [[1, 2]])


def test_a_translation_is_not_kept_where_the_translator_changes_meanwhile(source, toy, monkeypatch):
    own = source("LIMIT = 3", "LIMIT")
    closure.translator()
    with monkeypatch.context() as patched:
        patched.setattr(closure, "source_of_translator", lambda: "another one")
        assert translated(toy(own.space))[1]
    assert translated(toy(own.space))[1]
    assert not translated(toy(own.space))[1]


def test_the_source_of_the_translator_is_all_that_it_imports():
    """Beside what runs a search: those modules decide nothing of what is translated."""
    script = "import sys, tidegate.checker.compiled.generate; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    files = {Path(sys.modules[name].__file__) for name in names if name.startswith("tidegate.")}
    runs = {checker.__file__, liveness.__file__, *(it.__file__ for it in (calls, interrupts))}
    runs |= {stop.__file__}
    assert files - set(closure.files_of_translator()) == set(map(Path, runs))


def test_machine_code_follows_what_a_function_carries(source, toy, make_invariant):
    """A search with code from the disk finds what one without it finds."""
    own = source("def far():\n    pass\nfar.limit = 3", "far.limit")
    few = make_invariant("Few", few_places)
    verdicts, codes = [], []
    for limit in (3, 3, 4):
        own.change(f"far.limit = {limit}")
        system = toy(own.space)
        result = check(system, [few], resources=Resources(engine="compiled"))
        assert result.engine == "compiled"
        verdicts.append((result.outcome.value, result.distinct_states))
        codes.append(Tiers(SearchRequest(system, [few])).begin(""))
    assert verdicts == [("holds", 4), ("holds", 4), ("violated", 5)]
    assert codes[0] == codes[1] != codes[2]


def few_places(s, k):
    return s.at < 4


class World:
    """A random protocol: what it reads, and how each part of that can be changed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["import dataclasses, enum, types"]
        self.changes = []
        self.count = 0
        parts = [self.part(3) for _ in range(self.random.randint(1, 4))]
        self.expression = " + ".join(parts)

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def number(self):
        return self.random.randint(1, 9)

    def part(self, depth):
        """Add something to read, and return the expression that reads it."""
        kinds = [self.plain, self.attribute, self.default, self.cell, self.chosen]
        kinds += [self.element, self.by_property, self.of_class, self.computed, self.member]
        return (self.random.choice(kinds) if depth else self.plain)(depth - 1)

    def plain(self, depth):
        name = self.name("G")
        self.lines.append(f"{name} = {self.number()}")
        self.changes.append(f"{name} = {self.number()}")
        return name

    def attribute(self, depth):
        name, inner = self.name("f"), self.part(depth)
        self.lines.append(f"def {name}(s):\n    return s.at\n{name}.a = {self.number()}")
        self.changes.append(f"{name}.a = {self.number()}")
        return f"({name}.a + {inner})"

    def default(self, depth):
        name, inner = self.name("f"), self.part(depth)
        self.lines.append(f"def {name}(n={self.number()}) -> int:\n    return n + {inner}")
        self.changes.append(f"{name}.__defaults__ = ({self.number()},)")
        return f"{name}({self.random.choice(['', '2'])})"

    def cell(self, depth):
        name, inner = self.name("f"), self.part(depth)
        self.lines.append(
            f"def make(n):\n    def near() -> int:\n        return n + {inner}\n    return near\n"
            f"{name} = make({self.number()})"
        )
        self.changes.append(f"{name}.__closure__[0].cell_contents = {self.number()}")
        return f"{name}()"

    def chosen(self, depth):
        """Only one of two parts is read."""
        test, one, other = self.part(depth), self.part(depth), self.part(depth)
        return f"({one} if {test} > {self.number()} else {other})"

    def element(self, depth):
        name = self.name("L")
        row = [self.number() for _ in range(3)]
        index = self.random.randrange(3)
        self.lines.append(
            self.random.choice([f"{name} = {row}", f"{name} = dict(enumerate({row}))"])
        )
        self.changes += [f"{name}[{n}] = {self.number()}" for n in range(3)]
        return f"{name}[{index}]"

    def by_property(self, depth):
        name, inner = self.name("C"), self.part(depth)
        self.lines.append(
            f"class {name}:\n    @property\n    def a(self):\n        return {inner.split('(')[0]} "
            f"if isinstance({inner.split('(')[0]}, int) else {self.number()}\nO{name} = {name}()"
            if inner.isidentifier()
            else f"class {name}:\n    a = {self.number()}\nO{name} = {name}()"
        )
        self.changes.append(f"{name}.a = {self.number()}")
        self.changes.append(f"object.__setattr__(O{name}, 'b', {self.number()})")
        return f"O{name}.a"

    def of_class(self, depth):
        name = self.name("C")
        self.lines.append(
            f"@dataclasses.dataclass\nclass {name}:\n    a: int = {self.number()}\n"
            f"    def __post_init__(self):\n        self.b = {self.number()}\nO{name} = {name}()"
        )
        self.changes += [f"O{name}.{part} = {self.number()}" for part in "ab"]
        self.changes.append(f"{name}.c = {self.number()}")
        return f"O{name}.{self.random.choice('ab')}"

    def computed(self, depth):
        name = self.name("C")
        self.lines.append(
            f"class {name}:\n    n = {self.number()}\n    def __add__(self, other):\n"
            f"        return self.n * other\n    def __bool__(self):\n        return self.n > 4"
        )
        self.lines.append(f"O{name} = {name}()")
        self.changes.append(f"O{name}.n = {self.number()}")
        self.changes.append(f"{name}.__add__ = lambda self, other: {self.number()}")
        return self.random.choice([f"(O{name} + 2)", f"(3 if O{name} else 4)"])

    def member(self, depth):
        name = self.name("E")
        self.lines.append(f"class {name}(enum.IntEnum):\n    A = {self.number()}\n    B = 20")
        self.lines.append(f"{name}.A.a = {self.number()}\n{name}.b = {self.number()}")
        self.changes.append(f"{name}.A.a = {self.number()}")
        self.changes.append(f"type.__setattr__({name}, 'b', {self.number()})")
        self.changes.append(f"{name} = enum.IntEnum('{name}', dict(A={self.number()}, B=20))")
        return f"{name}.{self.random.choice(['A', 'A.a', 'b', 'A.value'])}"


@pytest.mark.parametrize("seed", range(40))
def test_after_random_changes_only_what_translates_alike_is_used_again(source, toy, seed):
    world = World(seed)
    own = source("\n".join(world.lines), world.expression)
    recording, text = recorded(toy(own.space))
    assert is_known(recording, toy(own.space))
    for change in world.random.choices(world.changes, k=6):
        own.change(change)
        known = is_known(recording, toy(own.space))
        try:
            recording, after = recorded(toy(own.space))
        except UnsupportedError:
            assert not known
            break
        assert not known or after == text, change
        text = after

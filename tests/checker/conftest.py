"""Toy systems whose answers are known without a checker."""

import ast
import ctypes
import textwrap
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from tidegate.checker.check import check
from tidegate.checker.compiled import tiers
from tidegate.checker.compiled.build import Code, object_code
from tidegate.checker.compiled.generate import generator_of
from tidegate.checker.compiled.intrinsics import DECLARATIONS
from tidegate.checker.compiled.state_refs import StateRefs
from tidegate.checker.compiled.unit import Unit
from tidegate.checker.compiled.values import Constant, StateRef
from tidegate.core.fields import Record, array, boolean, integer, members, size, subset
from tidegate.core.layout import Layout
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import Action, Property, TransitionSystem
from tidegate.language.lowering.frame import LoweringError
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of, system_for
from tidegate.render.report import report


def assemble(declaration, constants, actions, initialise):
    """Make a transition system out of a declared state and actions, with nothing to render."""
    return TransitionSystem(
        name="toy",
        bounds={},
        headline="",
        constants=constants,
        layout=Layout(declaration, constants),
        actions=actions,
        initialise=initialise,
    )


def invariant(name, predicate):
    """Make an invariant that explains nothing."""
    return Property(name, name, "toy", predicate, lambda s, k: f"{name} is false")


def action(name, apply, arguments=lambda k: [()]):
    """Make an action of a toy."""
    return Action(name, apply, "toy", arguments, "toy")


class Jugs(Record):
    """Die Hard 3: a jug of 3 gallons and one of 5."""

    small: int = integer(0, 3, "gallons in the small jug")
    big: int = integer(0, 5, "gallons in the big jug")


def fill_small(s, k):
    s.small = 3
    return True


def fill_big(s, k):
    s.big = 5
    return True


def empty_small(s, k):
    s.small = 0
    return True


def empty_big(s, k):
    s.big = 0
    return True


def small_to_big(s, k):
    poured = min(s.small, 5 - s.big)
    s.small -= poured
    s.big += poured
    return True


def big_to_small(s, k):
    poured = min(s.big, 3 - s.small)
    s.big -= poured
    s.small += poured
    return True


def empty_jugs(s, k):
    s.small = s.big = 0
    yield


@pytest.fixture
def jugs():
    """Die Hard 3, as in Lamport's TLA+ course: 16 distinct states; 4 gallons take 6 steps."""
    steps = (fill_small, fill_big, empty_small, empty_big, small_to_big, big_to_small)
    return assemble(Jugs, None, [action(step.__name__, step) for step in steps], empty_jugs)


@dataclass(frozen=True)
class Edges:
    """A directed graph as the constants of a toy."""

    nodes: int
    edges: frozenset[tuple[int, int]]


class Node(Record):
    """Where a walk through a graph is."""

    at: int = integer(0, lambda k: k.nodes - 1, "the node")


def go(s, k, target):
    if (s.at, target) not in k.edges:
        return False
    s.at = target
    return True


def at_node_0(s, k):
    s.at = 0
    yield


@pytest.fixture(scope="session")
def walk():
    """Make a system that walks through a given graph from node 0."""

    def make(nodes, edges):
        moves = action("go", go, lambda k: [(node,) for node in range(k.nodes)])
        return assemble(Node, Edges(nodes, frozenset(edges)), [moves], at_node_0)

    return make


class Cells(Record):
    """A row of counters modulo 3."""

    cell: list[int] = array(lambda k: k, integer(0, 2, "a counter"))


@pytest.fixture
def make_system():
    """Make a system of counters with the given actions."""

    def zeros(s, k):
        yield

    return lambda *actions: assemble(Cells, 3, actions, zeros)


@pytest.fixture
def make_action():
    return action


@pytest.fixture(scope="session")
def make_invariant():
    return invariant


class Part(Record):
    """An element of an array of records."""

    low: int = integer(-1, 5, "may be nothing")
    fixed: int = integer(4, 4, "always 4")


class Scratch(Record):
    """A state for functions that are translated by themselves: some of every kind of variable."""

    a: int = integer(-1, 5, "may be nothing")
    b: int = integer(0, 200, "eight bits")
    flag: bool = boolean("a flag")
    cell: list[int] = array(3, integer(0, 2, "a counter"))
    part: list[Part] = array(2, Part)
    some: int = subset(3, "a set")
    wide: int = integer(-(1 << 40), 1 << 40, "many bits")
    dozen: int = integer(0, 3000, "twelve bits")
    more: list[int] = array(2, integer(-5, 100_000, "seventeen bits"))


@dataclass(frozen=True)
class Meanings:
    """A function as Python runs it and as it was translated, on any state of ``layout``."""

    layout: Layout
    function: Callable
    code: Code
    constants: object

    def python(self, state):
        """Return what the function returns and the state after it; None if it fails."""
        self.layout.load(state)
        try:
            result = self.function(self.layout.record, self.constants)
        except Exception:  # noqa: BLE001 - whatever a random function does
            return None
        if not self.layout.in_range():
            return None
        return result, self.layout.dump()

    def compiled(self, state):
        """Return the same of the translated function."""
        words = (ctypes.c_uint64 * (self.layout.words + 2))(*self.layout.pack(state))
        result = self.code.function("whole", 1)(ctypes.addressof(words))
        if words[self.layout.words]:
            return None
        return result, self.layout.unpack(words[:-2])


@pytest.fixture(scope="session")
def translated():
    """Translate a function ``f(s, k)`` over `Scratch`, given itself or as source text."""
    return translator(Layout(Scratch, None))


def translator(layout):
    """Return what translates a function ``f(s, k)`` over a layout, for comparison with Python."""

    def make(function, constants=None):
        if isinstance(function, str):
            function = from_source(function)
        unit = Unit(StateRefs(layout))
        given = [StateRef("%s"), Constant(constants)]
        whole = unit.rule(function, given)
        call = f'call {whole.returns} @"{whole.name}"({", ".join(whole.passed(given))})'
        end = {
            "i64": f"  %r = {call}\n  ret i64 %r",
            "i1": f"  %r = {call}\n  %n = zext i1 %r to i64\n  ret i64 %n",
            "void": f"  {call}\n  ret i64 0",
        }[whole.returns]
        exported = (
            "define i64 @tidegate_whole(i64 %address) nounwind {\n"
            "  %s = inttoptr i64 %address to ptr\n"
            f"  %failure = getelementptr i64, ptr %s, i64 {layout.words}\n"
            f"  %marks = alloca [{max(unit.points.elements, 1)} x i64]\n{end}\n}}"
        )
        code = Code(object_code("\n".join([DECLARATIONS, *unit.bodies, exported])))
        return Meanings(layout, function, code, constants)

    return make


def from_source(source, names=()):
    """Return the last function of a source text, all of them with their syntax trees."""
    space = {"__name__": "toy", "members": members, "size": size, **dict(names)}
    tree = ast.parse(source)
    exec(compile(tree, "<toy>", "exec"), space)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            space[node.name].syntax_tree = node
    return space[tree.body[-1].name]


def action_from(body, helpers, names):
    """Return an action ``act(s, k)`` with this body, below functions that it calls."""
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return from_source(f"{textwrap.dedent(helpers)}\n\ndef act(s, k):\n{body}\n", names)


def agreeing(meanings, states):
    """Check that machine code and Python mean the same; return in how many states none fails.

    There is nothing to check of a function that is refused.
    """
    if meanings is None:
        return len(states)
    compared = 0
    for state in states:
        found, expected = meanings.compiled(state), meanings.python(state)
        # Where machine code gives up, Python takes over; it must not do so where Python goes on.
        assert found == expected
        compared += expected is not None
    return compared


OUTSIDE = {
    row["what"]: row["said"]
    for rows in tomllib.loads((Path(__file__).parent / "outside.toml").read_text("utf-8")).values()
    for row in rows
}
"""By a body or the name of a case, why it is not in the language."""


def unless_outside(what, translate, function):
    """Return the meanings of a function; None if it is refused, as a list says it must be."""
    if what not in OUTSIDE:
        return translate(function)
    with pytest.raises(LoweringError) as refused:
        translate(function)
    assert OUTSIDE[what] in str(refused.value)
    return None


def refused_or_agreeing(translate, function, states):
    """Check that a function has no machine code, or some that means the same as Python.

    Returns
    -------
    str
        Why it is refused; empty if it has machine code.
    """
    try:
        meanings = translate(function)
    except LoweringError as error:
        return str(error)
    agreeing(meanings, states)
    return ""


def failing_alike(meanings, states):
    """Check that both fail in the same states, in some of them; return in how many."""
    assert agreeing(meanings, states) >= 5
    if meanings is None:
        return len(states)
    failed = [state for state in states if meanings.python(state) is None]
    assert all(meanings.compiled(state) is None for state in failed)
    return len(failed)


@pytest.fixture(scope="session")
def make_toy():
    """Make a transition system out of a declared state, constants, actions and initial states."""
    return assemble


class Grid(Record):
    """Three counters."""

    x: int = integer(0, lambda k: k - 1, "a counter")
    y: int = integer(0, lambda k: k - 1, "a counter")
    z: int = integer(0, lambda k: k - 1, "a counter")


def count_x(s, k):
    if s.x == k - 1:
        return False
    s.x += 1
    return True


def count_y(s, k):
    if s.y == k - 1:
        return False
    s.y += 1
    return True


def count_z(s, k):
    if s.z == k - 1:
        return False
    s.z += 1
    return True


def at_zero(s, k):
    yield


@pytest.fixture(scope="session")
def grid():
    """Make a system of k * k * k states, in 3 * k - 2 levels."""

    def make(k):
        steps = (count_x, count_y, count_z)
        return assemble(Grid, k, [action(step.__name__, step) for step in steps], at_zero)

    return make


@cache
def system_and_properties(protocol, settings, names):
    """Return the system of a protocol, and its properties of these names, or its own."""
    chosen = find_protocol(protocol)
    properties = [
        p for p in properties_of(chosen) if p.name in (names or chosen.default_properties)
    ]
    return system_for(chosen, settings.split(), properties), properties


@pytest.fixture(scope="session")
def translated_once():
    """Return a stand-in for ``generator_of`` that translates a system once for all its searches."""
    modules = {}

    def generator(request, compared=frozenset()):
        names = tuple(prop.name for prop in request.properties)
        how = request.symmetry is None, request.resources.store, compared
        key = request.system, names, how
        if key not in modules:
            modules[key] = generator_of(request, compared).module()
        return SimpleNamespace(module=lambda tick: modules[key])

    return generator


@pytest.fixture
def searched(translated_once, monkeypatch):
    """Search one model again and again; returns its report but for what may differ."""
    monkeypatch.setattr(tiers, "generator_of", translated_once)

    def run(model, limits=Limits(), resume=False, progress=lambda progress: None, **how):  # noqa: B008
        protocol, settings, options, *names = model
        toy, properties = system_and_properties(protocol, settings, tuple(*names))
        resources = Resources(engine="compiled", resume=resume, checkpoint_every=0, **how)
        result = check(
            toy, properties, limits=limits, report=progress, resources=resources, **options
        )
        whole = report(toy, result)
        del whole["seconds"], whole["symmetry"]
        return whole

    return run

"""Wide actions, whose choices share their machine code: the answers are those of Python."""

from random import Random

import pytest

from tidegate.checker import engines
from tidegate.checker.check import check
from tidegate.checker.compiled import choices, expansion, tiers
from tidegate.checker.compiled.choices import SHARED_FROM
from tidegate.checker.engines import EngineChoiceError
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Limits, Resources
from tidegate.library.selection import assemble

HEAD = """
from dataclasses import dataclass
from enum import IntEnum
from itertools import product
from tidegate import Model, NONE, Record, array, integer, number, optional, set_of

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(9, 1, 300, "nodes", main=True)
    most: int = number(9, 1, 300, "the highest number")

class State(Record):
    x: int = integer(-20, 400, "a number")
    y: int = integer(0, 400, "another one")
    last: int = optional(400, "the last choice")
    cell: list[int] = array(9, integer(0, 6, "the content of a cell"))
    seen: set[int] = set_of(40, "choices")

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)
"""

GUARDS = [
    "s.x > a or s.y > b", "a != s.x + {n}", "(a + b) % {m} != s.y % {m}", "a == b", "b - a < {n}",
    "s.cell[a % 9] > {m}", "a + 3 in s.seen", "s.last == b", "a * b > {n} * {m}", "s.x + {n} > 12",
    "not any(s.cell[i] <= b for i in range(a % 9))",
]  # fmt: skip

WRITES = [
    "s.x = (a + {n}) % 13", "s.y = max(b, 0)", "s.y = max(a, b, 0)", "s.last = max(a, NONE)",
    "s.last = NONE",
    "s.cell[b % 9] = a % {m}", "s.cell[a % 9] = 6 if b > {n} else 0", "s.seen.add(a % 5)",
    "s.seen.discard(b % 5)", "s.x = a if b % 2 else -b", "s.x -= 1 if s.x > 0 else 0",
    "for i in range(b % 3):\n        s.cell[i] = a % {m}",
]  # fmt: skip


def written(random):
    """Return the text of a model with wide actions."""
    text = [HEAD]
    for name in ("first", "second"):
        low = random.choice((0, 0, -3, 7))
        chosen = {"a": f"range({low}, {low} + 9)", "b": random.choice(("range(8)", "(0, 5) * 4"))}
        if random.randrange(4) == 0:
            chosen["b"] = "(12, 3, 1, 0, -1, 6, 8, 9)"
        declared = ", ".join(f"{name}=lambda k: {values}" for name, values in chosen.items())
        text.append(f'\n@model.action("user", {declared})')
        text.append(f"def {name}(s: State, k: Bounds, a: int, b: int) -> bool:")
        numbers = {"n": random.randrange(6), "m": random.randint(2, 6)}
        for guard in random.sample(GUARDS, random.randint(1, 3)):
            text += [f"    if {guard.format(**numbers)}:", "        return False"]
        for write in random.sample(WRITES, random.randint(1, 3)):
            text += ["    " + write.format(**numbers)]
        text.append("    return True")
    text.append('\n@model.invariant("It is small.")\ndef small(s: State, k: Bounds) -> bool:')
    text.append(f"    return s.x + s.y < {random.randint(8, 60)}")
    return "\n".join(text) + "\n"


def answers(result):
    """Return what a search says."""
    verdicts = [(verdict.property.name, str(verdict.outcome)) for verdict in result.verdicts]
    traces = [verdict.trace and verdict.trace.steps for verdict in result.verdicts]
    return result.distinct_states, result.depth, result.taken, verdicts, traces


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def model(tmp_path):
    """Return a function that assembles a model with a text."""

    def make(text, name="wide"):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        return assemble(str(file), (), ())

    return make


def shared(system, properties=()):
    """Return the parts of a system's code: how many instances each is for."""
    generator = tiers.generator_of(SearchRequest(system, list(properties)))
    made = expansion.Expansion(system, generator.unit, generator.program.stride)
    made.functions(lambda: None)
    return [len(part.instances) for part in made._parts]


@pytest.mark.parametrize("seed", range(2))
def test_a_wide_action_takes_the_steps_that_python_takes(model, monkeypatch, seed):
    monkeypatch.setattr(tiers, "PATIENCE", 60.0)
    monkeypatch.setattr(tiers, "WORTH", 0.0)
    system, properties = model(written(Random(seed)), f"wide{seed}")
    assert max(shared(system)) > SHARED_FROM
    options = {"keep_going": True, "limits": Limits(max_depth=4)}
    python = check(system, properties, resources=Resources(engine="interpreted"), **options)
    # The second tier takes long to make, so that one of them has it.
    for optimise_from in (1 << 60, 1)[: 1 + (seed == 0)]:
        resources = Resources(engine="compiled", optimise_from=optimise_from)
        result = check(system, properties, resources=resources, **options)
        assert answers(result) == answers(python)
        assert result.engine == "compiled"


WIDE = """
@model.action("user", a=lambda k: range({a}), b=lambda k: range({b}))
def put(s: State, k: Bounds, a: int, b: int) -> bool:
    if s.x > a or s.y > b:
        return False
    {body}
    s.y = b
    return True

@model.invariant("It is small.")
def small(s: State, k: Bounds) -> bool:
    return s.x < 400
"""


def code_size(model, **values):
    """Return how many lines of code a model has."""
    system, properties = model(HEAD + WIDE.format(**{"a": 9, "b": 9, "body": "s.x = a"} | values))
    text, _ = tiers.generator_of(SearchRequest(system, properties)).module()
    return text.count("\n")


def test_code_does_not_grow_with_the_choices_that_share_it(model):
    assert code_size(model, a=90, b=90) < 1.1 * code_size(model, a=30, b=30)


@pytest.mark.parametrize(
    ("body", "is_shared"),
    [
        ("s.x = a", True),
        ("s.x = (1 << a) % 300", True),
        # Only code that knows the argument knows how many tuples there are.
        ("s.x = len(list(product((0, 1), repeat=a % 3)))", False),
    ],
)
def test_what_needs_its_arguments_has_code_for_each_choice(model, body, is_shared):
    system, properties = model(HEAD + WIDE.format(a=10, b=9, body=body))
    assert shared(system) == ([90] if is_shared else [1] * 90)
    expected = answers(check(system, properties, resources=Resources(engine="interpreted")))
    result = check(system, properties, resources=Resources(engine="compiled"))
    assert (answers(result), result.engine) == (expected, "compiled")


@pytest.mark.parametrize("engine", ["compiled", "auto"])
def test_too_many_choices_with_code_of_their_own_stay_in_python(model, monkeypatch, engine):
    system, properties = model(
        HEAD + WIDE.format(a=10, b=9, body="s.x = len(list(product((0, 1), repeat=a % 3)))")
    )
    monkeypatch.setattr(expansion, "MOST_INSTANCES", 80)
    for least in ("SMALL", "INTERPRETED_SECONDS", "LEVEL_SECONDS"):
        monkeypatch.setattr(engines, least, 0)
    resources = Resources(engine=engine)
    if engine == "compiled":
        with pytest.raises(EngineChoiceError, match="90 choices of arguments that each need code"):
            check(system, properties, resources=resources)
    else:
        assert check(system, properties, resources=resources).engine == "interpreted"


def test_an_action_of_wide_choices_is_compiled_as_soon_as_a_small_one(model):
    """It counts as many choices as have code of their own at most."""
    system, _ = model(HEAD + WIDE.format(a=300, b=300, body="s.x = a"))
    assert len(system.instances) == 90_000
    assert choices.pieces(system.instances) == SHARED_FROM

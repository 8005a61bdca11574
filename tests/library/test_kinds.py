"""Enumerations read as members and booleans as bool, in every engine and wherever they lie.

A seeded generator writes small models over such variables.  Each is searched by both engines, and
judged by an oracle that knows nothing of Tidegate: its states are tuples of numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest

import tidegate

State = tuple[int, ...]
Condition = tuple[str, Callable[[State], bool]]
"""The text of a condition, and what it means for numbers."""

HEAD = '''
"""A model that a test has written."""

from dataclasses import dataclass
from enum import IntEnum
from math import isqrt

from tidegate import (
    Fairness, Kind, Model, Record, Seq, array, boolean, enumeration, integer, nested, number,
    sequence_of,
)


class Color(IntEnum):
    RED = 0
    GREEN = 1
    BLUE = 2


@dataclass(frozen=True)
class Bounds:
    most: int = number(1, 1, 2, "not used", main=True)


class Message(Record):
    kind: KIND = DECLARED
    size: int = integer(0, 1, "size")


class State(Record):
    one: KIND = DECLARED
    row: list[KIND] = array(2, DECLARED)
    inner: Message = nested(Message)
    queue: Seq[KIND] = sequence_of(DECLARED, 2, "a sequence of them")
    inbox: Seq[Message] = sequence_of(Message, 2, "a sequence of records")
'''

PLACES = (
    "s.one",
    "s.row[0]",
    "s.row[1]",
    "s.inner.kind",
    "s.queue[0]",
    "s.queue[1]",
    "s.inbox[0].kind",
)

START: State = (0, 0, 0, 0, 0, 1, 1)
"""The initial state."""


@dataclass
class Draft:
    """A model as it is made: its texts, and what its parts mean."""

    chance: Random
    kind: str
    freely: bool
    forms: set[str] = field(default_factory=set)
    helpers: list[str] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """The members, by number."""
        if self.kind == "bool":
            return "False", "True"
        return "Color.RED", "Color.GREEN", "Color.BLUE"

    def place(self) -> int:
        """Return the number of a place."""
        return self.chance.randrange(len(PLACES))

    def value(self) -> int:
        """Return a number that a place can have."""
        return self.chance.randrange(len(self.names))

    def simple(self) -> Condition:
        """Return a condition on one place."""
        place, value = self.place(), self.value()
        at, name = PLACES[place], self.names[value]
        forms = ["is", "is not", "==", "isinstance"]
        forms += ["value"] if self.kind == "Color" else []
        forms += ["match"]
        forms += ["root"] if self.freely else []
        forms += ["name"] if self.freely and self.kind == "Color" else []
        form = self.chance.choice(forms)
        self.forms.add(form.replace(" not", ""))
        if form == "isinstance":
            other = self.chance.choice(["Color", "bool", "int"])
            answer = other in (self.kind, "int")
            return f"isinstance({at}, {other})", lambda state: answer
        if form == "match":
            self.helpers.append(
                f"def match{len(self.helpers)}(s: State) -> bool:\n    match {at}:\n"
                f"        case {name}:\n            return True\n    return False\n"
            )
            return f"match{len(self.helpers) - 1}(s)", lambda state: state[place] == value
        if form == "is not":
            return f"{at} is not {name}", lambda state: state[place] != value
        number = {"name": f'"{name[6:]}"', "value": str(value), "root": str(value)}
        left = {"name": f"{at}.name", "value": f"{at}.value", "root": f"isqrt({at} ** 2)"}
        sign = "is" if form == "is" else "=="
        text = f"{left.get(form, at)} {sign} {number.get(form, name)}"
        return text, lambda state: state[place] == value

    def condition(self) -> Condition:
        """Return a condition on one place, or on two."""
        one, holds = self.simple()
        if self.chance.random() < 0.5:
            return one, holds
        other, also = self.simple()
        if self.chance.random() < 0.5:
            return f"({one} and {other})", lambda state: holds(state) and also(state)
        return f"({one} or not {other})", lambda state: holds(state) or not also(state)

    def written(self) -> tuple[str, Callable[[State], int]]:
        """Return what is written: a member, a number, or an expression."""
        place, value, count = self.place(), self.value(), len(self.names)
        at = PLACES[place]
        ways = [
            (self.names[value], lambda state: value),
            (str(value), lambda state: value),
            (at, lambda state: state[place]),
            (f"({at} + 1) % {count}", lambda state: (state[place] + 1) % count),
            (f"{at} == {value}", lambda state: int(state[place] == value)),
            (f"{count - 1} - {at}", lambda state: count - 1 - state[place]),
        ]
        if self.kind == "bool":
            ways.append((f"not {at}", lambda state: 1 - state[place]))
        return self.chance.choice(ways)

    def write(self) -> tuple[str, Callable[[State], State]]:
        """Return a statement that writes, and what it does."""
        place = self.place()
        text, value = self.written()

        def put(state: State) -> State:
            return (*state[:place], value(state), *state[place + 1 :])

        way = self.chance.random()
        if place == 6 and way < 0.4:
            return f"s.inbox[0] = Message(kind={text}, size=0)", put
        if way > 0.8:
            # What was the second element comes first.
            def rotate(state: State) -> State:
                # The value is computed before the first element goes.
                return (*state[:4], state[5], value(state), state[6])

            return f"last = {text}; s.queue.popleft(); s.queue.append(last)", rotate
        if way > 0.7:
            arrived = f"Message(kind={text}, size=0)"
            taken = f"new = {arrived}; old = s.inbox.popleft(); s.inbox.append(new)"
            return f"{taken}; s.one = old.kind", lambda s: (s[6], *s[1:6], value(s))
        return f"{PLACES[place]} = {text}", put


@dataclass
class Written:
    """A model: its source, and its meaning in numbers."""

    source: str
    steps: list[Callable[[State], State | None]]
    invariant: Callable[[State], bool]
    constraint: Callable[[State], bool] | None
    leads: tuple[Callable[[State], bool], Callable[[State], bool]] | None
    forms: set[str]


def step_of(
    guard: Callable[[State], bool],
    first: Callable[[State], State],
    test: Callable[[State], bool],
    then: Callable[[State], State],
) -> Callable[[State], State | None]:
    """Return a step: a guard, a write, and another one if a condition holds after the first."""

    def step(state: State) -> State | None:
        if not guard(state):
            return None
        state = first(state)
        return then(state) if test(state) else state

    return step


def written(seed: int) -> Written:
    """Write a model."""
    chance = Random(seed)
    draft = Draft(chance, chance.choice(["Color", "bool"]), freely=seed % 2 == 0)
    actions, steps = [], []
    for number in range(4):
        (guard, may), (test, holds) = draft.condition(), draft.condition()
        (one, first), (other, then) = draft.write(), draft.write()
        actions.append(
            f'@model.action("it", fairness=Fairness.NONE)\ndef act{number}(s, k) -> bool:\n'
            f"    if not ({guard}):\n        return False\n    {one}\n"
            f"    if {test}:\n        more{number}(s)\n    return True\n"
        )
        draft.helpers.append(f"def more{number}(s: State) -> None:\n    {other}\n")
        steps.append(step_of(may, first, holds, then))
    (bad, is_bad), (inside, is_inside) = draft.condition(), draft.condition()
    (premise, before), (goal, after) = draft.condition(), draft.condition()
    constrained = chance.random() < 0.6 and is_inside(START)
    declared = 'enumeration(Color, "c")' if draft.kind == "Color" else 'boolean("b")'
    lines = [
        HEAD.replace("DECLARED", declared).replace("KIND", draft.kind),
        "def inside(s, k) -> bool:\n    return INSIDE\n".replace("INSIDE", inside),
        f"model = Model(Bounds, State, deadlock=False{', constraint=inside' * constrained})\n",
        "@model.initial\ndef start(s, k):\n    s.queue.append(0)\n    s.queue.append(1)\n"
        "    s.inbox.append(Message(kind=1, size=0))\n    yield\n",
        *draft.helpers,
        *actions,
        f'@model.invariant("Never so.")\ndef small(s, k) -> bool:\n    return not ({bad})\n',
        f"def premise(s, k) -> bool:\n    return {premise}\n",
        '@model.liveness(Kind.LEADS_TO, "It follows.", premise=premise)\n'
        f"def follows(s, k) -> bool:\n    return {goal}\n",
    ]
    return Written(
        "\n\n".join(lines),
        steps,
        lambda state: not is_bad(state),
        is_inside if constrained else None,
        None if constrained else (before, after),
        draft.forms,
    )


@dataclass
class Judged:
    """What the oracle finds: distinct states, depth, and the steps to the first violation."""

    states: int
    depth: int
    small: int | None
    follows: bool


def judged(model: Written) -> Judged:
    """Search a model breadth first."""
    met, level, depth, small = {START}, [START], 0, None
    inside: set[State] = set()
    while level:
        if small is None and not all(map(model.invariant, level)):
            small = depth
        within = [s for s in level if model.constraint is None or model.constraint(s)]
        inside.update(within)
        new = {n for s in within for step in model.steps if (n := step(s)) is not None} - met
        met |= new
        depth += bool(within)
        level = sorted(new)
    # Nothing must ever happen, so that every state may be the last.
    follows = model.leads is None or all(
        not model.leads[0](state) or model.leads[1](state) for state in inside
    )
    return Judged(len(inside), depth, small, follows)


SEEDS = range(16)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_engine_reads_members_where_numbers_are_stored(seed, tmp_path):
    model = written(seed)
    file = tmp_path / "written.py"
    file.write_text(model.source)
    expected = judged(model)
    names = ["Small", *(["Follows"] if model.leads else [])]
    broken = {"Small"} if expected.small is not None else set()
    broken |= set() if expected.follows else {"Follows"}
    traces = []
    engines = [("interpreted", False), ("interpreted", True), ("compiled", False)]
    for engine, debug in engines:
        found = tidegate.check(str(file), {}, names, engine=engine, debug=debug, keep_going=True)
        assert (found.distinct_states, found.depth) == (expected.states, expected.depth), engine
        assert set(found.violated) == broken, engine
        trace = found.trace_of("Small")
        assert len(trace) == (0 if expected.small is None else expected.small + 1)
        traces.append([(str(step), step.state) for step in trace])
    assert all(trace == traces[0] for trace in traces)


def test_the_models_use_every_form_in_both_verdicts():
    models = [written(seed) for seed in SEEDS]
    assert {form for model in models for form in model.forms} >= {
        "is", "==", "isinstance", "match", "name", "value", "root",
    }  # fmt: skip
    found = [judged(model) for model in models]
    assert {one.small is None for one in found} == {True, False}
    assert {one.follows for one in found} == {True, False}
    assert max(one.states for one in found) > 50

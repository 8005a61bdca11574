"""A model that is not a function of its state is refused before it runs, at its line."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tidegate import TidegateError, check

from .by_strangers import ACCEPTED, REFUSED
from .impure import IMPURE, IN_RULES, ONCE, OUTSIDE, PURE

Ways = dict[str, tuple[str, str]]


def stripped(ways: Ways) -> Ways:
    """Return ways without the line breaks at their ends."""
    return {name: (setup.strip(), body.strip()) for name, (setup, body) in ways.items()}


REFUSABLE = IMPURE | stripped(REFUSED)
ACCEPTABLE = PURE | stripped(ACCEPTED)

HEAD = '''"""A model that a test made."""
from dataclasses import dataclass
from tidegate import Kind, Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    top: int = number(4, 1, 9, "the largest value")
'''

PLACES = {
    "a guard": "action",
    "a write": "write",
    "an invariant": "invariant",
    "a helper of a helper": "deep",
    "the constraint": "constraint",
    "an initial state": "initial",
    "a liveness property": "liveness",
    "a premise": "premise",
    "a method": "method",
    "a reachable state": "sometimes",
    "the values of a parameter": "domain",
    "the values of a property's parameter": "family",
}


def model_of(setup: str, body: str, place: str, rare: bool) -> str:
    """Return a model in which a function ``probe`` is called at a place, perhaps on a rare path."""
    probe = f"def probe(s, k):\n{textwrap.indent(body, '    ')}\n"
    call = "probe(s, k)"
    if rare:
        probe += (
            "\n\ndef seldom(s, k):\n    if s.x == k.top and s.y == k.top - 1:\n        if s.z == 1:\n"
            "            return probe(s, k)\n    return 0\n"
        )
        call = "seldom(s, k)"
    # With a constraint no liveness property is decided.
    limit = "None" if place in ("liveness", "premise", "family") else "within"
    used = dict.fromkeys(PLACES.values(), "0") | {place: call}
    if place in ("domain", "family"):
        # There is no state yet.
        used[place] = f"range(1 + {call.replace('(s, ', '(Blank, ')} % 1)"
    return f"""{HEAD}
{setup}

{probe}

class Blank:
    x = y = z = 0


class State(Record):
    x: int = integer(0, lambda k: k.top, "x")
    y: int = integer(0, lambda k: k.top, "y")
    z: int = integer(0, 1, "z")

    def seen(self, k) -> int:
        s = self
        return {used["method"]}


def within(s, k) -> bool:
    return {used["constraint"]} >= 0


def outer(s, k) -> int:
    return inner(s, k)


def inner(s, k) -> int:
    return {used["deep"]}


model = Model(Bounds, State, deadlock=False, constraint={limit})


@model.initial
def begin(s, k):
    s.z = {used["initial"]} % 2
    yield


@model.action("counter", by=lambda k: {used["domain"] if place == "domain" else "(1,)"})
def up(s, k, by) -> bool:
    if s.x == k.top or {used["action"]} > 9 or outer(s, k) > 9 or s.seen(k) > 9:
        return False
    s.x += 1
    return True


@model.action("counter")
def across(s, k) -> bool:
    if s.y == k.top:
        return False
    s.y += 1
    s.z = {used["write"]} % 2
    return True


@model.invariant("Small.")
def small(s, k) -> bool:
    return s.x <= k.top and {used["invariant"]} < 9


@model.sometimes("Large.")
def large(s, k) -> bool:
    return s.x == k.top or {used["sometimes"]} > 9


@model.liveness(
    Kind.LEADS_TO, "Ends.", premise=lambda s, k: {used["premise"]} > 9,
    by=lambda k: {used["family"] if place == "family" else "(1,)"},
)
def ends(s, k, by) -> bool:
    return s.x == k.top or {used["liveness"]} > 9
"""


def asked(place: str) -> list[str]:
    """Return the properties to decide if something is at a place."""
    return ["Small", "Ends" if PLACES[place] in ("liveness", "premise", "family") else "Large"]


def cases() -> list[tuple[str, str, bool]]:
    """Return every way with a place and whether it is rare; a third of them are.

    What the language of models does not have is at the one place that may have it.
    """
    chances = random.Random(39)
    places = [place for place in PLACES if PLACES[place] not in ("domain", "family")]
    chosen = {name: chances.choice(places) for name in REFUSABLE}
    chosen |= dict.fromkeys(OUTSIDE & REFUSABLE.keys(), "an initial state")
    chosen |= dict.fromkeys(IN_RULES, "a guard")
    return [
        # What no initial state leads to is no part of the model.
        (name, chosen[name], number % 3 == 0 and chosen[name] != "an initial state")
        for number, name in enumerate(REFUSABLE)
        if name not in ONCE
    ]


def line_of(source: str, setup: str, body: str) -> int:
    """Return the line of a model that is at fault."""
    lines = source.split("\n")
    marked = [number for number, line in enumerate(lines, 1) if line.endswith("# here")]
    if marked:
        return marked[0]
    last = body.split("\n")[-1]
    return next(number for number, line in enumerate(lines, 1) if line.strip() == last)


@pytest.mark.parametrize(("name", "place", "rare"), cases())
def test_an_impure_model_is_refused_at_its_line(
    tmp_path: Path, name: str, place: str, rare: bool
) -> None:
    refuse(tmp_path, REFUSABLE[name], place, rare)


def refuse(folder: Path, way: tuple[str, str], place: str, rare: bool) -> None:
    """Fail unless a model is refused at its line, twice."""
    setup, body = way
    file = folder / "impure.py"
    file.write_text(source := model_of(setup, body, PLACES[place], rare))
    for _ in range(2):
        with pytest.raises(TidegateError) as refused:
            check(str(file), properties=asked(place))
    assert refused.value.place is not None
    assert refused.value.place[0] == str(file)
    if place != "an initial state":
        # What runs before the search is named by the function that gives something else, too.
        assert refused.value.place[1] == line_of(source, setup, body), refused.value


@pytest.mark.parametrize("place", PLACES)
def test_a_clock_is_refused_wherever_it_is_read(tmp_path: Path, place: str) -> None:
    setup, body = IMPURE["a clock"]
    file = tmp_path / "impure.py"
    # A way that no state leads to is no part of the model.
    rare = PLACES[place] not in ("domain", "family")
    file.write_text(source := model_of(setup, body, PLACES[place], rare))
    with pytest.raises(TidegateError, match="reads a clock") as refused:
        check(str(file), properties=asked(place))
    assert refused.value.place == (str(file), line_of(source, setup, body))


@pytest.mark.parametrize(("number", "name"), list(enumerate(ACCEPTABLE)))
def test_a_pure_model_is_not_refused(tmp_path: Path, number: int, name: str) -> None:
    place = "initial" if name in OUTSIDE else [*PLACES.values()][number % 9]
    accept(tmp_path, ACCEPTABLE[name], place)


@pytest.mark.parametrize("name", sorted(OUTSIDE))
def test_a_rule_that_is_not_in_the_language_is_refused(tmp_path: Path, name: str) -> None:
    way = (REFUSABLE | ACCEPTABLE)[name]
    file = tmp_path / "outside.py"
    file.write_text(model_of(*way, "action", rare=False))
    with pytest.raises(TidegateError) as refused:
        check(str(file), properties=["Small"])
    errors = str(refused.value), *refused.value.details
    assert any("is not in the language of models; " in text for text in errors)


def accept(folder: Path, way: tuple[str, str], place: str) -> None:
    """Fail unless a model is searched."""
    file = folder / "pure.py"
    file.write_text(model_of(*way, place, rare=False))
    assert check(str(file), properties=["Small"]).complete


def test_the_answer_is_the_same_with_every_hash_seed(tmp_path: Path) -> None:
    ways = ["a loop over a set", "the hash of a string", "chance", "a list that grows"]
    for name in ways:
        setup, body = IMPURE[name]
        (tmp_path / f"{name.replace(' ', '_')}.py").write_text(
            model_of(setup, body, "action", rare=True)
        )
    files = sorted(map(str, tmp_path.glob("*.py")))
    program = (
        "import sys, tidegate\nfor file in sys.argv[1:]:\n    try:\n        tidegate.check(file)\n"
        "        print('checked')\n    except tidegate.TidegateError as error:\n"
        "        print(error.place[1])\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program, *files],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1
    assert "checked" not in printed.pop()

"""Whatever a function of the subset does, its translation does the same, or says that it cannot."""

import textwrap

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tidegate.checker.compiled.values import UnsupportedError

HELPERS = """
def double(n: int, by: int = 2) -> int:
    return n * by

def is_large(s, n: int) -> bool:
    if n > s.a:
        return True
    return s.flag and n > 3

def bump(s, by: int) -> int:
    s.b = (s.b + by) & 127
    return s.b

def both(s, n: int) -> tuple[int, int]:
    return n + 1, s.cell[1]

def maybe(s, n: int):
    if n > 2:
        return None
    return n

def set_flag(s, value: int) -> None:
    s.flag = value > 0

def counted(s, n: int) -> int:
    found = 0
    while found < s.a and found != n:
        found += 1
    return found
"""

INTEGERS = (
    "s.a", "s.b", "s.flag", "s.cell[0]", "s.cell[s.a]", "s.part[1].low", "s.part[0].fixed",
    "s.part[s.flag].low", "s.some", "s.wide", "s.dozen", "s.more[0]", "s.more[s.flag]", "x", "y",
    "z", "i", "True", "k",
)  # fmt: skip
TARGETS = (
    ("s.a", -1, 5), ("s.b", 0, 200), ("s.cell[2]", 0, 2), ("s.cell[s.a]", 0, 2), ("s.flag", 0, 1),
    ("s.part[0].low", -1, 5), ("s.part[s.flag].low", -1, 5), ("s.some", 0, 7),
    ("s.wide", -(1 << 40), 1 << 40), ("s.dozen", 0, 3000), ("s.more[s.flag]", -5, 100_000),
)  # fmt: skip


@st.composite
def expressions(draw, depth=3):
    """Draw the text of an expression whose value is a number."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        numbers = st.integers(-3, 9).map(str)
        return draw(st.one_of(st.sampled_from(INTEGERS), numbers))
    one, other = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    small = draw(st.sampled_from(("2", "s.a", "s.cell[0]", "-1", "s.flag")))
    test = draw(conditions(depth - 1))
    forms = (
        f"({one} + {other})", f"({one} - {other})", f"({one} & {other})", f"({one} | {other})",
        f"({one} ^ {other})", f"({one} * {small})", f"({one} << {small})", f"({one} >> {small})",
        f"({one} >> (x & 70))", f"-{one}", f"~{one}", f"+{one}", f"min({one}, {other})",
        f"max({one}, {other}, {small})", f"({one} if {test} else {other})", f"int({test})",
        f"double({one})", f"double(by={small}, n={one})", f"bump(s, {one})", "len(s.cell)",
        f"({one} or {other})", f"({one} and {other})", f"({test} and {test})", f"both(s, {one})[0]",
        f"is_large(s, {one})", f"(1 << {small})", f"counted(s, {one})",
    )  # fmt: skip
    return draw(st.sampled_from(forms))


@st.composite
def conditions(draw, depth=2):
    """Draw the text of an expression of which the truth matters."""
    if depth == 0:
        return draw(st.sampled_from(("s.flag", "x", "s.a == 2", "s.b > 100", "s.some >> 1 & 1")))
    one, other = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    test, second = draw(conditions(depth - 1)), draw(conditions(depth - 1))
    compare = st.sampled_from(("<", "<=", "==", "!=", ">", ">="))
    span = draw(st.sampled_from(("range(3)", "s.cell", "range(2, -1, -1)", "members(s.some)")))
    forms = (
        f"{one} {draw(compare)} {other}", f"{one} {draw(compare)} {other} {draw(compare)} s.a",
        f"({test} and {second})", f"({test} or {second})", f"not {test}", one,
        f"is_large(s, {one})", "counted(s, 2) == 1",
        f"{one} in (1, 2, s.a)", f"{one} not in (0, {other})", f"maybe(s, {one}) is None",
        f"maybe(s, {one}) is not None", f"bool({one})",
        f"any(i > {one} for i in {span})", f"all(i < x or {test} for i in {span} if i != 1)",
        f"0 <= s.a < 3 and s.cell[s.a] {draw(compare)} 1",
    )  # fmt: skip
    return draw(st.sampled_from(forms))


@st.composite
def blocks(draw, depth=2, inside=False):
    """Draw the text of a few statements."""
    return "\n".join(draw(statements(depth, inside)) for _ in range(draw(st.integers(1, 3))))


@st.composite
def statements(draw, depth, inside):
    """Draw the text of one statement, or of a loop or branch with what is in it."""
    one = draw(expressions(2))
    target, low, high = draw(st.sampled_from(TARGETS))
    name = draw(st.sampled_from("xyz"))
    kinds = ["local", "write", "clamped", "changed", "pair", "call"]
    if depth:
        kinds += ["if", "if", "for", "for", "while"]
    kinds += ["leave"] if inside else []
    kind = draw(st.sampled_from(kinds))
    operator = draw(st.sampled_from(("+", "-", "|", "&", "^")))
    if kind in SIMPLE:
        return SIMPLE[kind].format(
            target=target, low=low, high=high, one=one, name=name, operator=operator
        )
    if kind == "leave":
        jump = draw(st.sampled_from(("break", "continue", "return x", "return False")))
        return f"if {draw(conditions(1))}:\n    {jump}"
    within = textwrap.indent(draw(blocks(depth - 1, inside or kind != "if")), "    ")
    if kind == "if":
        other = textwrap.indent(draw(blocks(depth - 1, inside)), "    ")
        last = f"\nelse:\n{other}" if draw(st.booleans()) else ""
        return f"if {draw(conditions())}:\n{within}{last}"
    if kind == "while":
        round_of = f"w{depth}"
        test = f"{round_of} < 4 and {draw(conditions(1))}"
        return f"{round_of} = 0\nwhile {test}:\n    {round_of} += 1\n{within}"
    spans = ("range(3)", "range(s.a)", "range(s.flag, 7, 3)", "range(s.a, -1, -2)", "s.cell",
             "members(s.some)", "range(x & 3)", "(3, 1)", "range(5, 5)")  # fmt: skip
    return f"for {draw(st.sampled_from('ixy'))} in {draw(st.sampled_from(spans))}:\n{within}"


SIMPLE = {
    "local": "{name} = {one}",
    "write": "{target} = {one}",
    "clamped": "{target} = min(max({one}, {low}), {high})",
    "changed": "{name} {operator}= {one}",
    "pair": "{name}, i = both(s, {one})",
    "call": "set_flag(s, {one})",
}


@st.composite
def actions(draw):
    """Draw the source of an action: guards with what they need, then the rest."""
    lines = [f"{name} = {draw(st.integers(-2, 4))}" for name in "xyzi"]
    for number in range(draw(st.integers(1, 3))):
        lines.append(f"g{number} = {draw(expressions(1))}")
        lines.append(f"if {draw(conditions())} and g{number} != 1:\n    return False")
    body = textwrap.indent("\n".join([*lines, draw(blocks()), "return True"]), "    ")
    return f"{HELPERS}\ndef f(s, k) -> bool:\n{body}\n"


@st.composite
def functions(draw):
    """Draw the source of a function, with those that it calls."""
    body = textwrap.indent(draw(blocks()), "    ")
    begin = "".join(f"    {name} = {draw(st.integers(-2, 4))}\n" for name in "xyzi")
    returns = draw(st.sampled_from((" -> bool", " -> int", "")))
    return f"{HELPERS}\ndef f(s, k){returns}:\n{begin}{body}\n    return {draw(expressions())}\n"


STATES = st.tuples(
    st.integers(0, 6), st.integers(0, 200), st.integers(0, 1), *[st.integers(0, 2)] * 3,
    st.integers(0, 6), st.integers(0, 6), st.integers(0, 7), st.integers(0, 1 << 41),
    st.integers(0, 3000), *[st.integers(0, 100_005)] * 2,
)  # fmt: skip


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(source=functions(), states=st.lists(STATES, min_size=6, max_size=12), k=st.integers(0, 3))
def test_what_is_translated_means_the_same(translated, source, states, k):
    try:
        meanings = translated(source, k)
    except UnsupportedError as error:
        event(f"refused: {str(error).split(' (in')[0][:30]}")
        return
    exact = "-> bool" not in source.rpartition("def f")[2]
    for state in states:
        found, expected = meanings.compiled(state), meanings.python(state)
        event("failed" if found is None else "compared")
        if found is not None:
            assert expected is not None, "Python fails, and the translation does not say so"
            assert found[1] == expected[1]
            # Of what is said to be a truth value, nobody looks at more than the truth.
            assert found[0] == expected[0] if exact else bool(found[0]) == bool(expected[0])


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(source=actions(), states=st.lists(STATES, min_size=6, max_size=12), k=st.integers(0, 3))
def test_an_action_taken_apart_means_the_same(translated, source, states, k):
    """Its guards alone decide first, and its effect is computed without them."""
    try:
        meanings = translated(source, k, ("guards", "effect"))
    except UnsupportedError as error:
        event(f"refused: {str(error).split(' (in')[0][:30]}")
        return
    for state in states:
        found, expected = meanings.stepped(state), meanings.python(state)
        event("failed" if found is None else f"enabled: {bool(found[0])}")
        if found is not None:
            assert expected is not None, "Python fails, and the translation does not say so"
            assert bool(found[0]) == bool(expected[0])
            assert found[1] == expected[1]

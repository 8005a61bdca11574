"""What the compiled engine makes of Python's finer points: the same, or a refusal that says why."""

import dataclasses
import functools
import textwrap
from enum import IntEnum

import pytest

from tidegate.language.lowering.frame import LoweringError

STATES = [
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 40, 0, 5, 5),
    (3, 7, 1, 2, 1, 0, 6, 3, 5, 1 << 41, 3000, 100_005, 0),
    (6, 200, 1, 1, 2, 2, 1, 4, 7, 0, 1, 0, 100_000),
    (1, 99, 0, 0, 2, 1, 3, 0, 2, (1 << 40) + 77, 511, 6, 70_000),
]
"""Stored states of the fixture's record; some variables count from below 0."""

ALIKE = {
    "a loop's variable behind a break": """
        for i in range(3):
            if s.cell[i] == 2:
                break
        return i
    """,
    "a name that is given a value in a loop only": """
        for i in range(3):
            last = s.cell[i]
            if last == 1:
                break
        return last
    """,
    "a name that one branch gives a value, and the other leaves": """
        if s.flag:
            x = 5
        else:
            return 3
        return x
    """,
    "a name from the round before": """
        before = 7
        total = 0
        for i in range(3):
            total += before
            before = s.cell[i]
        return total
    """,
    "a generator's variable is its own": """
        i = 7
        found = any(s.cell[i] == 2 for i in range(3))
        return i if found else -i
    """,
    "a generator's variable beside one that changes": """
        i = 7
        i += s.b
        return i if any(i == 2 for i in s.cell) else 0
    """,
    "a loop over an array sees what was written meanwhile": """
        total = 0
        for x in s.cell:
            s.cell[2] = 0
            total = total * 3 + x
        return total
    """,
    "steps from a beginning that is not known": """
        total = 0
        for i in range(s.flag, 8, 3):
            total = total * 10 + i
        return total
    """,
    "steps backwards": """
        total = 0
        for i in range(s.b, -1, -2):
            total += i
        return total
    """,
    "a range is what it was when the loop began": """
        n = 2
        total = 0
        for i in range(n):
            n += 5
            i += 1
            total += i
        return total + n
    """,
    "a loop without an end but a return": """
        n = 0
        while True:
            n += 3
            if n > s.b:
                return n
    """,
    "plus": "return +s.a + 1",
    "minus and not, of truth values": "return -s.flag + ~(s.a == 2) + -(s.b > 3)",
    "shifts of negative numbers": "return (-s.b >> 3) + (s.a << 2) + (s.wide >> s.flag)",
    "comparisons are chained": "return 0 < s.a < 3 < s.b",
    "a chain ends where it is false": """
        return 5 > s.a + 1 > bump(s) > 100
    """,
    "or, and of truth values": "s.flag = s.a == 2 or s.flag and not s.b\nreturn s.flag",
    "the operand that decides": "s.b = s.b and 7\nreturn (s.cell[1] or s.b or 9) + s.b",
    "an operand that is None": "return ((s.b and None) is None) + 2 * (maybe(s) is None)",
    "known operands are themselves": "return (k and s.b) + (0 or s.a) + (not k or 4)",
    "an element for a target is found once": """
        s.cell[bump(s) & 1] += 1
        return s.b
    """,
    "a target is found before its value": "s.cell[s.cell[0]] -= s.cell[0] * 0\nreturn s.cell[1]",
    "targets one after the other": "s.flag, s.cell[s.flag] = s.cell[0] > 0, 2\nreturn s.cell[1]",
    "an exchange": "s.cell[0], s.cell[1] = s.cell[1], s.cell[0]\nreturn s.cell[0]",
    "two targets": "x = y = s.a\nx += 1\nreturn x * 100 + y",
    "a list of targets": "x = 1\n[x, y] = s.a, s.b\nreturn x * 1000 + y",
    "defaults and names": "return late(s, 1) + late(by=s.a, s=s) + late(s, 1, 3)",
    "a call is done once though its result is looked into": "return both(s)[0] * 1000 + s.b",
    "a result that may be missing": "return 1 if maybe(s) is None else 2",
    "a function of its own name called by another": "return same(s)",
    "an index from the end of something known": "return (4, 5, 6)[-1] + s.a",
    "a constant member behind a variable one": "return (k in (s.a, 3)) + 2 * (k in (s.a, s.b, 4))",
    "a variable member behind a constant one": "return (k in (4, s.a)) + 2 * (k not in (3, s.a))",
    "truth values by identity": """
        return (
            (s.flag is True) + 2 * (s.flag is not (s.a == 3)) + 4 * ((s.flag and s.a > 0) is False)
            + 8 * (bool(s.b) is s.flag) + 16 * (True is not False) + 32 * ((not s.b) is s.flag)
        )
    """,
    "a choice between truth values, by identity": """
        chosen = s.flag if s.a > 1 else s.b > 3
        return (chosen is True) + 2 * (chosen is not s.flag)
    """,
    "a match on values": """
        match s.a:
            case 0 | -1:
                x = 1
            case 2 if s.flag:
                x = 2
            case _ if s.b > 3:
                x = 3
            case 5:
                x = 4
            case _:
                x = 5
        match s.flag:
            case True:
                return x
        match s.cell[0]:
            case 2:
                return x + 10
            case 1:
                pass
        return x + 20
    """,
    "types that are known": """
        return (
            isinstance(s.flag, bool) + 2 * isinstance(s.flag, (str, int)) + 4 * isinstance(s.a, int)
            + 8 * isinstance(s.a > 1, bool) + 16 * isinstance(3, bool) + 32 * isinstance(True, int)
        )
    """,
    "members are counted": """
        n, set = 3, s.some
        while set:
            n += 2
            set &= set - 1
            n += 1
        return n * 10 + set
    """,
    "a sum that is small on every way": """
        total = 0
        for x in s.cell:
            total += x << 20
        return total * 3 if s.flag else -total
    """,
    "a range that is empty, with steps from anywhere": """
        n = 0
        for i in range(s.a, -3, 2):
            n += i
        return n
    """,
    "a counter that ends beside 2**63": """
        n = 0
        for i in range(s.wide + (1 << 62), (1 << 63) - 1, 1 << 62):
            n += 1
        return n
    """,
}

HELPERS = textwrap.dedent("""
    def bump(s) -> int:
        s.b = s.b + 1 & 127
        return s.b

    def late(s, by: int, more: int = 10) -> int:
        return s.b * by + more

    def both(s) -> tuple[int, int]:
        return bump(s), 2

    def nothing(s) -> None:
        s.flag = True

    def maybe(s):
        if s.flag:
            return s.a
        return None

    def perhaps(s) -> bool:
        if s.flag:
            return s.b > 3

    def later(s, n: int) -> int:
        if s.flag:
            n = 1 + s.a
        return n

    def passed_on(n: int) -> int:
        return n + 1

    def number(s, k) -> bool:
        return s.b

    def loop(s) -> int:
        return loop(s)

    def falls(s):
        if s.flag:
            return 3

    def liar(s) -> None:
        return s.b
""")


def source(body):
    """Return the source of a function over the fixture's record, with some that it may call."""
    return f"{HELPERS}\ndef f(s, k):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


def same(s):
    return s.a + 1


def calls_same(s, k):
    return same(s)


calls_same.__name__ = "same"


@pytest.mark.parametrize("body", ALIKE.values(), ids=ALIKE)
def test_it_means_what_python_means(translated, body):
    function = calls_same if "same(s)" in body else source(body)
    meanings = translated(function, 3)
    compared = 0
    for state in STATES:
        found, expected = meanings.compiled(state), meanings.python(state)
        if found is not None:
            assert found == expected
            compared += 1
    assert compared >= 2


FAILS = {
    "s.cell[s.a]": "beyond an array, or its last element",
    "s.cell[s.cell[0] - 1]": "before an array, where Python takes its last element",
    "1 << s.a - 3": "a shift by a negative number",
    "s.b >> s.a - 3": "a shift by a negative number",
    "s.wide * s.wide": "more than 64 bits",
    "s.b << 30 << s.b": "more than 64 bits",
    "(s.a if s.flag else (1 << 63) - 1) + 1": "a sum of more than 64 bits",
    "-(-(1 << 63) if s.flag else s.a)": "a negated number of more than 64 bits",
    "later(s, (1 << 63) - 1) - s.a + 2": "a sum in a function that knows no state",
    "later(s, -(1 << 63)) - 1": "a difference of more than 64 bits",
    "s.b if s.flag else 1 << -1": "a shift by a negative number that is known",
}


@pytest.mark.parametrize("expression", FAILS, ids=FAILS.get)
def test_what_does_not_fit_fails_instead_of_meaning_something_else(translated, expression):
    meanings = translated(source(f"return {expression}"))
    failed = 0
    for state in STATES:
        found = meanings.compiled(state)
        failed += found is None
        if found is not None:
            assert found == meanings.python(state)
    assert 0 < failed < len(STATES)


AT_THE_END = {
    "the last round of a loop": """
        last = 0
        for i in range(20):
            last = i * 485440633518672411
        return last
    """,
    "the last number that a test allows": """
        x, last = (1 << 62) - 2, 0
        while x >= 0 and x <= 1 << 62:
            last = x * 2
            x += 1
        return last
    """,
    "the first bit that is shifted out": "return s.wide << 22 << s.flag",
}


@pytest.mark.parametrize("body", AT_THE_END.values(), ids=AT_THE_END)
def test_what_goes_wrong_with_the_last_number_of_a_range_alone_fails(translated, body):
    meanings = translated(source(body), 3)
    answers = [(meanings.compiled(state), meanings.python(state)) for state in STATES]
    assert None in [found for found, _ in answers]
    assert all(found in (None, expected) for found, expected in answers)


UNKNOWN = """
q = {start}
if s.flag:
    q = 0
if s.b == 7:
    q = s.a
return {result}
"""


@pytest.mark.parametrize(
    ("start", "result"),
    [
        ("(1 << 63) - 1", "q + 1 < 0"),
        ("-(1 << 63)", "-q < 0"),
        ("-(1 << 63)", "q - 2 > 0"),
        ("(1 << 62) - 1", "q + q + s.a > 0"),
        ("(1 << 63) - 1", "passed_on(q) < 0"),
    ],
)
def test_a_sum_beyond_64_bits_of_a_number_of_any_size_fails(translated, start, result):
    meanings = translated(source(UNKNOWN.format(start=start, result=result)))
    for state in STATES:
        found = meanings.compiled(state)
        if state[2] == 1:
            assert found is not None
        if found is not None:
            assert found == meanings.python(state)


def test_a_sum_that_grows_in_a_loop_fails_beyond_64_bits(translated):
    body = """
    n = 1
    i = 0
    while s.flag and i < s.b:
        n += n
        i += 1
    return n
    """
    meanings = translated(source(body))
    answers = [meanings.compiled(state) for state in STATES]
    assert [found is None for found in answers] == [False, False, True, False]
    assert all(
        found == meanings.python(s) for found, s in zip(answers, STATES, strict=True) if found
    )


class Light(IntEnum):
    ONE = 1
    weight = property(lambda self: 5)


class Heavy(IntEnum):
    ONE = 1
    weight = property(lambda self: 70)


def weighed(s, what) -> int:
    return s.a * what.weight


def weighs(s, k):
    return weighed(s, Light.ONE) * 100 + weighed(s, Heavy.ONE)


def test_members_of_two_enums_with_one_value_are_not_taken_for_each_other(translated):
    meanings = translated(weighs)
    for state in STATES:
        assert meanings.compiled(state) == meanings.python(state)


def test_what_is_not_reached_does_not_fail(translated):
    meanings = translated(source("return s.a != -1 and s.a < 3 and s.cell[s.a] == 2"))
    for state in STATES:
        assert meanings.compiled(state) == meanings.python(state)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return loop(s)", "loop, which calls itself, is not in the language of models"),
        ("return late(s, **k)", "late(s, **k): arguments by **"),
        ("return late(s)", "late(s): the function takes s, by, more"),
        ("return late(s, 1, 2, 3)", "late(s, 1, 2, 3): the function takes s, by, more"),
        ("return late(s, 1, s=s)", "late(s, 1, s=s): the function takes s, by, more"),
        ("return max(s.a, 2, key=k)", "max(s.a, 2, key=k): the function is chosen in the call"),
        ("return int('7', s.a)", "int('7', s.a): so many arguments are not in the language"),
        ("k.a = 3\nreturn 1", "k.a: None has no a"),
        (
            "s.part[0] = s.part[1]\nreturn 1",
            "s.part[0] would be another name for an element of its array",
        ),
        ("return s.b @ 2", "s.b @ 2 is not in the language of models"),
        ("return s.b + (1 << 64)", "takes more than 64 bits"),
        ("del s.a\nreturn 1", "del s.a is not in the language of models"),
        ("return s.missing", "Scratch has no 'missing'"),
        ("return missing", "missing is not known here"),
        (
            "return print(s.a)",
            "print(s.a) is not in the language of models",
        ),
        ("return s.a is s.b", "s.a is s.b: whether two numbers are one object depends on Python"),
        (
            "return (s.flag and s.some) is True",
            "(s.flag and s.some) is True: whether two numbers are one object depends on Python",
        ),
        (
            "return (s.some and False) is False",
            "(s.some and False) is False: whether two numbers are one object depends on Python",
        ),
        (
            "return (s.flag if s.a > 0 else s.b & 1) is True",
            "whether two numbers are one object depends on Python",
        ),
        (
            "x = s.flag\nif s.a > 0:\n    x = s.b & 1\nreturn x is True",
            "x is True: whether two numbers are one object depends on Python",
        ),
        (
            "return any((i for i in s.cell), k=1)",
            "any((i for i in s.cell), k=1): so many arguments are not in the language",
        ),
        ("return s.a in 'abc'", "s.a in 'abc': a text has no members"),
        (
            "for i in range(1, 2, 3, 4):\n    pass\nreturn 1",
            "range(1, 2, 3, 4): so many arguments are not in the language",
        ),
        (
            "for i in range(s.wide << 9, 5, 0):\n    pass\nreturn 1",
            "a range whose step another state may say; write a while loop",
        ),
        (
            "for i in range(1, 5, 0):\n    pass\nreturn 1",
            "has what Python cannot compute: ValueError: range() arg 3 must not be zero",
        ),
    ],
)
def test_what_it_does_not_translate_it_refuses_by_name_and_line(translated, body, why):
    with pytest.raises(LoweringError) as refused:
        translated(source(body))
    assert why in str(refused.value)
    assert "(<toy>:" in str(refused.value)


TAKEN = [
    "if s.flag:\n    x = 1\nreturn x",
    "if s.flag:\n    x = 1\nelse:\n    y = 1\nreturn x",
    "for i in range(s.a):\n    pass\nreturn i",
    "for i in range(s.b):\n    if i:\n        s.b = x\n    x = 1\nreturn 1",
    "return falls(s)",
    "match s.a:\n    case int():\n        return 1\nreturn 1",
    "match s.a:\n    case True:\n        return 1\nreturn 1",
    "return s.a is True",
    "return (s.flag + 0) is s.flag",
    "return (s.flag & s.flag) is True",
    "return max(s.flag, s.a > 1) is True",
    "return int(s.flag) is True",
    "return s.part[0] is not None",
    "return isinstance(s.a, bool)",
    "return isinstance(s.a + s.b, bool)",
    "for i in members(s.wide):\n    pass\nreturn 1",
]


@pytest.mark.parametrize("body", TAKEN)
def test_what_is_odd_means_what_python_means(translated, body):
    """A name may have no value, and a function may give another kind than it says."""
    meanings = translated(source(body))
    for state in STATES:
        found = meanings.compiled(state)
        assert found is None or found == meanings.python(state)


def decorate(function):
    @functools.wraps(function)
    def wrapper(s, k):
        return not function(s, k)

    return wrapper


def plain(s, k):
    return s.flag


@decorate
def decorated(s, k):
    return s.flag


@dataclasses.dataclass
class Callable:
    def __call__(self, s, k):
        return True


@pytest.mark.parametrize("function", [functools.partial(plain, k=1), Callable(), max])
def test_what_is_no_plain_function_is_refused(translated, function):
    with pytest.raises(LoweringError, match="not a plain function"):
        translated(function)


@pytest.mark.parametrize("function", [decorate(plain), decorated])
def test_what_is_decorated_is_what_python_calls(translated, function):
    meanings = translated(function)
    for state in STATES:
        assert meanings.compiled(state) == meanings.python(state)


def test_a_function_whose_source_is_lost_is_refused(translated):
    space = {}
    exec("def lost(s, k):\n    return s.flag\n", space)
    with pytest.raises(LoweringError, match="lost, whose source is not at hand"):
        translated(space["lost"])


def test_the_line_that_is_refused_is_named(translated):
    def wrong(s, k):
        if s.flag:
            return 1
        return s.b @ 2

    with pytest.raises(LoweringError) as refused:
        translated(wrong)
    line = wrong.__code__.co_firstlineno + 3
    assert refused.value.function == "wrong"
    assert refused.value.place == (__file__, line)

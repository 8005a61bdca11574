"""What is derived from a state's declaration."""

from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.core.fields import Record, array, boolean, integer, nested, subset
from tidegate.core.layout import WORD_BITS, Layout
from tidegate.model import PROTOCOLS


class Inner(Record):
    low: int = integer(-1, 5, "may be nothing")
    fixed: int = integer(4, 4, "always 4")


class Outer(Record):
    inner: Inner = nested(Inner)
    many: list[Inner] = array(2, Inner)
    flags: list[bool] = array(3, boolean("a flag"))
    wide: int = integer(0, 200, "eight bits")
    some: int = subset(lambda k: k, "a subset")


class Wide(Record):
    big: int = integer(-1000, 1_000_000, "more than a byte")
    bit: bool = boolean("a bit")


LAYOUT = Layout(Outer, 5)


def values(layout):
    """Draw a stored state: every variable anywhere in its range."""
    numbers = st.tuples(*(st.integers(0, v.high - v.low) for v in layout.stored))
    narrow = isinstance(layout.dump(), bytes)
    return numbers.map(bytes) if narrow else numbers


def test_a_range_of_one_value_takes_no_room_and_is_not_stored():
    paths = [v.path for v in LAYOUT.stored]
    assert "inner.fixed" not in paths
    assert {"inner.low", "many[1].low", "flags[2]", "wide", "some"} <= set(paths)
    assert LAYOUT.bits == 3 * 3 + 3 + 8 + 5


@given(state=values(LAYOUT))
def test_load_and_dump_are_inverse(state):
    LAYOUT.load(state)
    assert LAYOUT.dump() == state
    assert LAYOUT.in_range()


@given(state=values(LAYOUT))
def test_pack_and_unpack_are_inverse(state):
    assert LAYOUT.unpack(LAYOUT.pack(state)) == state


WIDE = Layout(Wide, None)


@given(state=values(WIDE))
def test_variables_wider_than_a_byte_are_stored_too(state):
    WIDE.load(state)
    assert WIDE.dump() == state
    assert WIDE.unpack(WIDE.pack(state)) == state


LARGE = {"replicas": 5, "records": 6, "log_size": 6, "elections": 4}
"""Bounds under which a state takes several words."""


def test_no_variable_straddles_a_word():
    for protocol in PROTOCOLS:
        bounds = protocol.model.bounds(**LARGE)
        layout = protocol.system(bounds, frozenset({"committed", "acked"})).layout
        assert layout.words > 1
        used: dict[int, int] = {}
        for variable in layout.stored:
            assert variable.shift + variable.width <= WORD_BITS
            mask = (1 << variable.width) - 1 << variable.shift
            assert not used.get(variable.word, 0) & mask, "two variables overlap"
            used[variable.word] = used.get(variable.word, 0) | mask


def test_fingerprints_are_fixed_for_good():
    """Engines on other machines must find the same ones, so the function may never change.

    Origin: SplitMix64 over the packed words, computed apart from this code: with one word w the
    fingerprint is mix(1 ^ w), and mix(0) is the first output of the published generator at seed 0.
    """
    single = Layout(Wide, None)
    zero = single.unpack((1,))
    assert single.fingerprint(zero) == 0xE220A8397B1DCDAF


def test_values_out_of_range_are_named():
    LAYOUT.load(LAYOUT.unpack((0,)))
    LAYOUT.record.many[1].low = 6
    LAYOUT.record.wide = 1.5
    assert not LAYOUT.in_range()
    assert LAYOUT.range_errors() == [
        "many[1].low is 6, declared -1..5",
        "wide is 1.5 (float), declared 0..200",
    ]
    LAYOUT.reset()


@given(
    written=st.lists(st.integers(-9, 300), min_size=9, max_size=9),
    near=st.lists(st.booleans(), min_size=9, max_size=9),
)
def test_sound_is_what_is_in_range(written, near):
    LAYOUT.reset()
    record = LAYOUT.record
    numbers = [value % 2 if close else value for value, close in zip(written, near, strict=True)]
    record.inner.low, record.wide, record.some, *flags = numbers[:6]
    record.flags[:] = flags
    for inner, value in zip(record.many, numbers[6:8], strict=True):
        inner.low = value
    errors = LAYOUT.range_errors()
    assert LAYOUT.sound() == LAYOUT.in_range() == (not errors)
    assert LAYOUT.within(LAYOUT.values()) == (not errors)
    record.wide = float(numbers[8])
    assert not LAYOUT.sound()
    LAYOUT.reset()


class Odd(IntEnum):
    """An enumeration whose ``|`` says nothing about its bits."""

    FEW = 1
    MANY = 2

    def __or__(self, other):
        return 0


@pytest.mark.parametrize(("odd", "sound"), [(Odd.FEW, True), (Odd.MANY, False)])
def test_an_enumeration_with_its_own_operators_is_judged_by_its_range(odd, sound):
    LAYOUT.reset()
    LAYOUT.record.flags[0] = odd
    assert LAYOUT.sound() is sound
    LAYOUT.reset()


def test_description_shows_sets_and_truth_values():
    LAYOUT.reset()
    LAYOUT.record.some = 0b10101
    LAYOUT.record.flags[1] = True
    shown = LAYOUT.describe(LAYOUT.dump())
    assert shown["some"] == {0, 2, 4}
    assert shown["flags"] == [False, True, False]
    assert shown["inner"] == {"low": -1, "fixed": 4}


def test_options_that_are_off_take_no_room():
    """A counter or a variable that no bound needs is not in the state."""
    for protocol in PROTOCOLS:
        bounds = protocol.model.bounds(replicas=2, records=1, log_size=1, crashes=0, elections=0)
        stored = {v.path.split("[")[0].split(".")[0] for v in protocol.system(bounds).layout.stored}
        assert not stored & {"crashed", "lost_power", "lost", "late_fetch"}
        assert not {name for name in stored if name.startswith("aux_")}

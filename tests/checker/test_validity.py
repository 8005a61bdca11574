"""What tells whether words are a state agrees with the declaration, in Python and machine code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.checker.compiled.build import Code, object_code
from tidegate.checker.compiled.generate import Generator
from tidegate.checker.compiled.memory import Region
from tidegate.checker.compiled.program import Program
from tidegate.checker.manifest import is_state
from tidegate.core.fields import Record, integer
from tidegate.core.layout import Layout
from tidegate.core.spec import TransitionSystem

WORDS = 3


def layout_of(spans):
    """Return a layout of variables of these spans, one after the other."""
    space = {f"v{n}": integer(-1, span - 1, "a number") for n, span in enumerate(spans)}
    return Layout(type("Numbers", (Record,), space), None)


def valid_states(p: Program, states: int, count: int) -> int:
    """Return how many consecutive states are valid, up to the first that is not."""
    for number in range(count):
        if not p.valid(states + number * p.words * 8):
            return number
    return count


def code_of(layout):
    """Return code that knows whether states of a layout are valid."""
    toy = TransitionSystem(
        "toy", {}, "", None, layout, [], lambda s, k: iter([None]), lambda s, k: {}
    )
    text, _ = Generator(toy, [], True, None).module([valid_states])
    return Code(object_code(text, optimised=False))


spans = st.lists(
    st.one_of(st.integers(1, 9), st.integers(1, 300), st.sampled_from([2**31, 2**62, 2**63 - 1])),
    min_size=1,
    max_size=40,
).filter(lambda spans: layout_of(spans).words <= WORDS)


def allowed(layout, words):
    """Say of each variable and of what is between them whether it may be so."""
    rest = list(words)
    for v in layout.stored:
        if words[v.word] >> v.shift & (1 << v.width) - 1 > v.high - v.low:
            return False
        rest[v.word] &= ~((1 << v.width) - 1 << v.shift)
    return not any(rest)


@settings(deadline=None, max_examples=50)
@given(data=st.data(), spans=spans)
def test_exactly_the_words_of_states_are_valid(data, spans):
    layout = layout_of(spans)
    values = [
        data.draw(st.sampled_from([0, most - 1, most, min(most + 1, (1 << width) - 1)]))
        for most, width in ((v.high - v.low, v.width) for v in layout.stored)
    ]
    words = [0] * layout.words
    for v, value in zip(layout.stored, values, strict=True):
        words[v.word] |= max(value, 0) << v.shift
    if data.draw(st.booleans()):
        words[data.draw(st.integers(0, layout.words - 1))] ^= 1 << data.draw(st.integers(0, 63))
    expected = allowed(layout, words)
    assert is_state(layout, words) is expected
    region = Region(8 * layout.words * 3)
    good = [v.high - v.low for v in layout.stored]
    for number, state in enumerate([layout.pack(good), words, layout.pack(good)]):
        for index, word in enumerate(state):
            region[8 * (number * layout.words + index)] = word
    code = code_of(layout)
    valid = code.function("valid_states", 2)
    assert valid(region.address, 3) == (3 if expected else 1)
    region.close()


@pytest.mark.parametrize("words", [[], [1], [1, 2, 3], [-1, 0], [1 << 64, 0]])
def test_words_of_another_number_or_size_are_no_state(words):
    assert not is_state(layout_of([2**62, 2**62]), words)


def test_memory_that_an_error_still_looks_at_is_given_back_later():
    region = Region(8)
    view = region.view(0, 8)
    region.close()
    assert bytes(view) == bytes(8)

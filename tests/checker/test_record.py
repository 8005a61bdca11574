"""Only variables of a state may be written: its parts stay, and values are integers that fit.

What a rule writes elsewhere would be lost, and the checker would say that everything holds.
"""

import pytest

from tidegate.checker.check import check
from tidegate.checker.engines import EngineChoiceError
from tidegate.core.fields import Record, array, integer, nested
from tidegate.core.layout import Layout
from tidegate.core.result import Resources
from tidegate.core.spec import ModelError, Outcome


class Entry(Record):
    """An entry of a log."""

    epoch: int = integer(-1, 3, "leader epoch")


class Replica(Record):
    """A replica with a log."""

    hw: int = integer(0, 3, "high watermark")
    log: list[Entry] = array(2, Entry)


class Narrow(Record):
    """A state of which each variable fits into a byte."""

    x: int = integer(0, 3, "a counter")
    left: Entry = nested(Entry)
    right: Entry = nested(Entry)
    replica: list[Replica] = array(2, Replica, by_replica=True)
    cell: list[int] = array(3, integer(0, 3, "a counter"))
    other: list[int] = array(3, integer(0, 3, "a counter"))
    fixed: int = integer(2, 2, "has but one value")


class Wide(Narrow):
    """A state with a variable that takes more than a byte."""

    large: int = integer(-5, 100_000, "seventeen bits")


class Holder:
    """Something that a rule keeps a part of the state in."""


def replace_record(s):
    s.replica[1] = s.replica[0]


def swap_records(s):
    s.replica[0], s.replica[1] = s.replica[1], s.replica[0]


def swap_entries(s):
    log = s.replica[1].log
    log[0], log[1] = log[1], log[0]


def swap_nested(s):
    s.left, s.right = s.right, s.left


def reverse_records(s):
    s.replica = s.replica[::-1]


def sort_records(s):
    s.replica.sort(key=lambda replica: replica.hw)


def append_record(s):
    s.replica.append(s.replica[0])


def replace_log(s):
    s.replica[0].log = s.replica[1].log


def foreign_record(s):
    s.left = Holder()


def delete_part(s):
    del s.left


def reverse_array(s):
    s.cell = s.cell[::-1]


def same_content(s):
    s.cell = list(s.cell)


def take_another_array(s):
    s.cell = s.other


def append(s):
    s.cell.append(1)


def pop(s):
    s.cell.pop()


def insert(s):
    s.cell.insert(0, 1)


def delete_element(s):
    del s.cell[0]


def slice_longer(s):
    s.cell[1:2] = [1, 1]


def slice_shorter(s):
    s.cell[:] = []


def add_in_place(s):
    s.cell += [1]


def multiply_in_place(s):
    s.cell *= 2


def clear(s):
    s.cell.clear()


REPLACES = {
    replace_record: "an element of this array would be another name for an element of it",
    swap_records: "an element of this array would be another name for an element of it",
    swap_entries: "an element of this array would be another name for an element of it",
    sort_records: "'tuple' object has no attribute 'sort'",
    append_record: "'tuple' object has no attribute 'append'",
    foreign_record: "left is <tests.checker.test_record.Holder object",
    delete_part: "left is gone",
    append: "cell has 4 elements, declared 3",
    pop: "cell has 2 elements, declared 3",
    insert: "cell has 4 elements, declared 3",
    delete_element: "cell has 2 elements, declared 3",
    slice_longer: "cell has 4 elements, declared 3",
    slice_shorter: "cell has 0 elements, declared 3",
    add_in_place: "cell has 4 elements, declared 3",
    multiply_in_place: "cell has 6 elements, declared 3",
    clear: "cell has 0 elements, declared 3",
}


FILLED = {
    "left": {"epoch": 1}, "right": {"epoch": 2}, "cell": [1, 2, 3], "other": [3, 0, 0],
    "replica": [
        {"hw": 1, "log": [{"epoch": 0}, {"epoch": 1}]},
        {"hw": 2, "log": [{"epoch": 2}, {"epoch": 3}]},
    ],
}  # fmt: skip
"""A state whose parts differ."""

ASSIGNS = {
    swap_nested: lambda s: (s["left"], s["right"]) == (FILLED["right"], FILLED["left"]),
    reverse_records: lambda s: s["replica"] == FILLED["replica"][::-1],
    replace_log: lambda s: s["replica"][0]["log"] == FILLED["replica"][1]["log"],
    reverse_array: lambda s: s["cell"] == FILLED["cell"][::-1],
    same_content: lambda s: s["cell"] == FILLED["cell"],
    take_another_array: lambda s: s["cell"] == FILLED["other"],
}
"""What is assigned to a part within a step is copied into the state."""


def at_zero(s, k):
    for entry in (s.left, s.right, *s.replica[0].log, *s.replica[1].log):
        entry.epoch = 0
    yield


def count(s, k):
    if s.x == 3:
        return False
    s.x += 1
    return True


def doing(write):
    """Return an action that writes when the counter is at 2, after a rule of its own."""

    def act(s, k):
        if s.x != 2:
            return False
        s.x = 1
        write(s)
        return True

    return act


@pytest.fixture
def ask(make_toy, make_action):
    """Return what a search says of a toy in which something is written at some point."""

    def ask(write, declaration=Narrow, **how):
        actions = [make_action("count", count), make_action("act", doing(write))]
        toy = make_toy(declaration, None, actions, at_zero)
        toy.debug = how.pop("debug", False)
        return check(toy, [], resources=Resources(**{"engine": "interpreted", **how}))

    return ask


def refused(ask, write, expected, **how):
    """Check that what is written is refused, with its step, its function and its line."""
    with pytest.raises(ModelError) as caught:
        ask(write, **how)
    text = str(caught.value)
    assert text.startswith(("act() ", expected))
    assert expected in text
    assert f"in {write.__name__}()" in text
    assert caught.value.place == (__file__, write.__code__.co_firstlineno + lines(write))


def lines(write):
    """Return how many lines below its head a function writes."""
    return len({line for _, _, line in write.__code__.co_lines() if line}) - 1


@pytest.mark.parametrize("declaration", [Narrow, Wide])
@pytest.mark.parametrize("write", REPLACES)
def test_a_part_of_the_state_is_neither_replaced_nor_resized(ask, write, declaration):
    refused(ask, write, REPLACES[write], declaration=declaration)
    refused(ask, write, REPLACES[write], declaration=declaration, debug=True)


def filled(s, k):
    s.left.epoch, s.right.epoch, s.other[0] = 1, 2, 3
    s.cell[:] = [1, 2, 3]
    for number, replica in enumerate(s.replica):
        replica.hw = number + 1
        replica.log[0].epoch, replica.log[1].epoch = 2 * number, 2 * number + 1
    yield


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("declaration", [Narrow, Wide])
@pytest.mark.parametrize("write", ASSIGNS)
def test_what_is_assigned_to_a_part_is_copied_into_the_state(
    make_toy, make_action, write, declaration, debug
):
    def act(s, k):
        write(s)
        return True

    toy = make_toy(declaration, None, [make_action("act", act)], filled)
    toy.debug = debug
    [first] = list(toy.initial_states())
    [(_, after)] = list(toy.successors(first))
    before, state = toy.layout.describe(first), toy.layout.describe(after)
    assert before.items() >= FILLED.items()
    assert ASSIGNS[write](state)
    # What comes next sees the declared parts again.
    [(_, again)] = list(toy.successors(first))
    assert again == after


@pytest.mark.parametrize("write", REPLACES)
def test_auto_and_compiled_refuse_it_with_the_same_words_and_do_not_translate_it(
    ask, write, monkeypatch
):
    monkeypatch.setattr("tidegate.checker.engines.SMALL", 0)
    refused(ask, write, REPLACES[write], engine="auto")
    refused(ask, write, REPLACES[write], engine="compiled")
    if write in (slice_longer, slice_shorter):
        # It may have the length, so machine code tries, and Python says that it has not.
        return
    monkeypatch.setattr("tidegate.checker.engines._refuse_mistakes", lambda request: None)
    with pytest.raises(EngineChoiceError, match="cannot translate"):
        ask(write, engine="compiled")


def test_a_queue_that_one_action_appends_to_and_another_pops_from_is_refused(make_toy, make_action):
    """After both the array has its length again; what was appended would be lost."""

    def send(s, k):
        s.cell.append(3)
        return True

    def receive(s, k):
        s.cell.pop(0)
        return True

    toy = make_toy(
        Narrow, None, [make_action("send", send), make_action("receive", receive)], at_zero
    )
    with pytest.raises(ModelError, match=r"send\(\) resized a .* cell has 4 elements"):
        list(toy.successors(next(toy.initial_states())))


def test_it_is_refused_of_an_action_too_that_is_not_enabled(make_toy, make_action):
    def spoil(s, k):
        s.cell.append(3)
        return False

    actions = [make_action("spoil", spoil), make_action("count", count)]
    toy = make_toy(Narrow, None, actions, at_zero)
    with pytest.raises(ModelError, match=r"^spoil\(\) resized a part of the state") as caught:
        check(toy, [], resources=Resources(engine="interpreted"))
    assert caught.value.place == (__file__, spoil.__code__.co_firstlineno + 1)


def test_what_keeps_the_length_of_an_array_is_a_write_like_others(ask, make_toy, make_action):
    """Sorting and slices of equal length write variables; nothing is lost."""

    def turn(s):
        s.cell[:] = [2, 1, 0]
        s.cell.reverse()
        s.cell[0:2] = s.cell[1:3]
        s.cell.sort(reverse=True)

    assert ask(turn).outcome is Outcome.HOLDS
    toy = make_toy(Narrow, None, [make_action("act", doing(turn))], at_zero)
    toy.layout.load(next(toy.initial_states()))
    toy.record.x = 2
    [(_, state)] = toy.successors(toy.layout.dump())
    assert toy.layout.describe(state)["cell"] == [2, 2, 1]


class Truthy:
    """Something that counts as a truth value, and is none."""

    def __bool__(self):
        return True

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


VALUES = {
    "1.5": "1.5 (float)",
    "1.0": "1.0 (float)",
    "'one'": "'one' (str)",
    "None": "None (NoneType)",
    "[1]": "[1] (list)",
    "s.left": "(Entry)",
    "s.other": "[0, 0, 0] (list)",
    "Truthy()": "(Truthy)",
    "10**40": "is 10000000000000000000000000000000000000000, declared 0..3",
    "-(10**40)": "is -10000000000000000000000000000000000000000, declared 0..3",
    "float('nan')": "nan (float)",
}


@pytest.mark.parametrize("declaration", [Narrow, Wide])
@pytest.mark.parametrize("target", ["s.x", "s.cell[1]", "s.replica[1].hw"])
@pytest.mark.parametrize("value", VALUES)
def test_what_is_no_integer_or_does_not_fit_is_refused_wherever_it_is_written(
    ask, declaration, target, value
):
    space = {"Truthy": Truthy}
    exec(compile(f"def write(s):\n    {target} = {value}\n", "rule.py", "exec"), space)
    for debug in (False, True):
        with pytest.raises(ModelError) as caught:
            ask(space["write"], declaration=declaration, debug=debug)
        text = str(caught.value)
        assert text.startswith("act() wrote a value out of range: ")
        path = target.removeprefix("s.")
        assert f"{path} is " in text
        assert VALUES[value] in text
        assert "declared 0..3, in write()" in text
        assert caught.value.place == ("rule.py", 2)


@pytest.mark.parametrize("declaration", [Narrow, Wide])
def test_a_variable_that_is_deleted_is_missed(ask, declaration):
    def delete(s):
        del s.x

    with pytest.raises(ModelError, match=r"^act\(\) wrote .* x is gone, declared 0..3"):
        ask(delete, declaration=declaration)


@pytest.mark.parametrize("debug", [False, True])
def test_a_variable_of_one_value_is_not_written_in_vain(ask, debug):
    """It is not stored: another value would be lost, and yet be there for the steps that follow."""

    def write(s):
        s.fixed = 1

    refused(ask, write, "wrote a value out of range: fixed is 1, declared 2..2", debug=debug)


def test_a_wide_state_holds_plain_integers(ask, make_toy):
    toy = make_toy(Wide, None, [], at_zero)
    toy.layout.load(next(toy.initial_states()))
    toy.record.x = True
    assert {type(value) for value in toy.layout.dump()} == {int}


def test_truth_values_and_subclasses_of_int_are_integers(ask):
    from enum import IntEnum

    class Kind(IntEnum):
        NOTHING = 0
        FETCH = 1

    def write(s):
        s.cell[0] = True
        s.cell[1] = Kind.FETCH

    assert ask(write, debug=True).outcome is Outcome.HOLDS


def test_a_range_of_more_than_a_word_is_refused():
    class Enormous(Record):
        number: int = integer(0, 1 << 64, "a bit too many")

    with pytest.raises(ModelError, match=r"number: .* takes more than 64 bits"):
        Layout(Enormous, None)


def assign_what_does_not_fit(s):
    s.cell = 5


def assign_and_fail(s):
    s.left = s.right
    s.cell[s.x + 7] = 1


def assign_and_misuse(s):
    s.left = s.right
    s.cell[-s.x] = 1


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize(
    "write", [assign_what_does_not_fit, assign_and_fail, assign_and_misuse, append]
)
def test_a_step_that_fails_leaves_nothing_for_the_next_state(make_toy, make_action, write, debug):
    """Who verifies machine code goes on after a step that fails in a state that is made up."""

    def act(s, k):
        if s.x == 3:
            return False
        s.x = 1
        write(s)
        return True

    def read(s, k):
        s.fixed, s.x = 2, (len(s.cell) + s.left.epoch) % 4
        return True

    toy = make_toy(Narrow, None, [make_action("act", act), make_action("read", read)], filled)
    toy.debug = debug
    [first] = list(toy.initial_states())
    right = toy.attempt([1], first)
    with pytest.raises(ModelError):
        toy.attempt([0], first)
    assert toy.attempt([1], first) == right

"""Sets, sequences and bags do what Python's do, in Python and in machine code."""

from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tidegate
from tidegate import (
    Bag,
    Model,
    Record,
    Seq,
    Set,
    array,
    bag_of,
    integer,
    nested,
    number,
    sequence_of,
    set_of,
)
from tidegate.core.errors import TidegateError
from tidegate.core.layout import Layout
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

SIZE, MOST = 4, 3


class Node(Record):
    seen: Set = set_of(SIZE, "numbers that were seen")
    queue: Seq = sequence_of(integer(-1, 3, "a number"), MOST, "numbers that wait")
    held: Bag = bag_of(SIZE, MOST, "numbers that are held")


class State(Record):
    node: list[Node] = array(2, Node, by="node")


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "add",
                "discard",
                "clear",
                "append",
                "popleft",
                "pop",
                "set",
                "truncate",
                "slice",
                "cut",
                "put",
                "take",
            ]
        ),
        st.integers(0, 3),
    ),
    max_size=12,
)


def _apply(node, seen, queue, held, operation, number):
    """Do the same to containers of a record and to Python's, where it is allowed."""
    if operation in ("add", "discard"):
        getattr(node.seen, operation)(number)
        getattr(seen, operation)(number)
    elif operation == "clear":
        node.seen.clear()
        seen.clear()
    elif operation == "append" and len(queue) < MOST:
        node.queue.append(number - 1)
        queue.append(number - 1)
    elif operation == "popleft" and queue:
        assert node.queue.popleft() == queue.pop(0)
    elif operation == "pop" and queue:
        assert node.queue.pop() == queue.pop()
    elif operation == "set" and queue:
        node.queue[len(queue) - 1] = number - 1
        queue[-1] = number - 1
    elif operation == "truncate":
        node.queue.truncate(number)
        del queue[number:]
    elif operation == "slice" and len(queue) < MOST:
        node.queue[number : number + 1] = [number, *node.queue[:1]][: MOST - len(queue)]
        queue[number : number + 1] = [number, *queue[:1]][: MOST - len(queue)]
    elif operation == "cut":
        del node.queue[number : max(2 * number - 1, 0)]
        del queue[number : max(2 * number - 1, 0)]
    elif operation == "put" and held[number] < MOST:
        node.held.add(number)
        held[number] += 1
    elif operation == "take" and held[number]:
        node.held.remove(number)
        held[number] -= 1


@settings(deadline=None)
@given(OPERATIONS)
def test_they_do_what_those_of_python_do(operations):
    layout = Layout(State, None)
    node, other = layout.record.node
    seen, queue, held = set(), [], Counter()
    for operation, value in operations:
        _apply(node, seen, queue, held, operation, value)
        assert set(node.seen) == seen
        assert list(node.queue) == queue
        assert (len(node.seen), len(node.queue), len(node.held)) == (
            len(seen), len(queue), held.total(),
        )  # fmt: skip
        assert (bool(node.seen), bool(node.queue), bool(node.held)) == (
            bool(seen), bool(queue), held.total() > 0,
        )  # fmt: skip
        for candidate in range(SIZE):
            assert (candidate in node.seen) == (candidate in seen)
            assert (candidate in node.queue) == (candidate in queue)
            assert node.held[candidate] == held[candidate]
        assert (node.seen <= other.seen) == (not seen)
    # One content is one state: what was removed leaves nothing behind.
    again = Layout(State, None)
    for value in seen:
        again.record.node[0].seen.add(value)
    for value in queue:
        again.record.node[0].queue.append(value)
    for value in held.elements():
        again.record.node[0].held.add(value)
    assert again.dump() == layout.dump()
    shown = layout.describe(layout.dump())["node"][0]
    assert (shown["seen"], shown["queue"]) == (seen, queue)


@settings(deadline=None)
@given(
    st.lists(st.integers(-1, 3), max_size=MOST),
    st.one_of(st.none(), st.integers(0, 5)),
    st.one_of(st.none(), st.integers(0, 5)),
)
def test_a_slice_has_the_elements_that_one_of_a_list_has(elements, first, last):
    queue = Layout(Node, None).record.queue
    for element in elements:
        queue.append(element)
    assert list(queue[first:last]) == elements[first:last]
    assert len(queue[first:last]) == len(elements[first:last])
    assert (queue[first:last] == queue[:]) is (elements[first:last] == elements)


def test_a_slice_is_a_list():
    queue = Layout(Node, None).record.queue
    queue.extend([1, 2, 3])
    assert queue[1:] == [2, 3]
    assert queue + queue[:1] == [1, 2, 3, 1]
    assert queue == queue[:]


@pytest.mark.parametrize("index", [0, 1])
def test_an_index_beyond_a_sequence_is_refused(index):
    layout = Layout(State, None)
    with pytest.raises(IndexError):
        layout.record.node[0].queue[index]


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 2, 2, "nodes")


def _model(predicate):
    """Return a model whose actions use every method and operator."""
    model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)

    @model.action("node", value=lambda k: range(SIZE - 1))
    def send(s: State, k: Bounds, node: int, value: int) -> bool:
        mine = s.node[node]
        if len(mine.queue) >= MOST or value in mine.queue or value in mine.seen:
            return False
        mine.queue.append(value)
        return True

    @model.action("node")
    def take(s: State, k: Bounds, node: int) -> bool:
        mine = s.node[node]
        if not mine.queue or mine.queue[0] in mine.seen:
            return False
        value = mine.queue.popleft()
        mine.seen.add(value)
        if mine.held[value] < MOST:
            mine.held.add(value)
        return True

    @model.action("node")
    def forget(s: State, k: Bounds, node: int) -> bool:
        mine = s.node[node]
        if len(mine.seen) < 2 or mine.seen == s.node[1 - node].seen:
            return False
        total = sum(value for value in mine.seen) + sum(value for value in mine.queue)
        if mine.queue:
            mine.queue[0] = max(value for value in mine.queue)
        mine.queue.truncate(total & 1)
        mine.seen.discard(min(value for value in mine.seen))
        return True

    model.invariant("The predicate of the test.")(predicate)
    return model


def holds_everywhere(s: State, k: Bounds) -> bool:
    return all(len(node.held) <= SIZE * MOST for node in s.node)


def fails_somewhere(s: State, k: Bounds) -> bool:
    one, other = s.node[0], s.node[1]
    most = max((value for value in one.queue), default=-1)
    return not (other.seen <= one.seen and other.seen != one.seen and other.queue and most > 1)


@pytest.mark.parametrize("predicate", [holds_everywhere, fails_somewhere])
def test_machine_code_finds_the_same(predicate):
    one, other = (
        tidegate.check(_model(predicate), engine=engine, keep_going=True)
        for engine in ("interpreted", "compiled")
    )
    assert one == other
    assert one.distinct_states > 10_000
    assert one.holds is (predicate is holds_everywhere)


TWO_PHASE = str(Path(__file__).parents[2] / "examples" / "two_phase_commit.py")


@pytest.mark.parametrize(("managers", "orbits"), [(2, 34), (3, 80), (4, 166)])
def test_sets_of_replicas_are_renamed_by_symmetry(managers, orbits):
    """The orbits are counted apart from the search, from its plain states."""
    system = system_for(find_protocol(TWO_PHASE), [f"managers={managers}"], [])
    states, todo = set(system.initial_states()), list(system.initial_states())
    while todo:
        new = {successor for _, successor in system.successors(todo.pop())} - states
        states |= new
        todo += new
    shown = [system.layout.describe(state) for state in states]
    assert len({_least(state, managers) for state in shown}) == orbits
    for engine in ("interpreted", "compiled"):
        checked = tidegate.check(TWO_PHASE, {"managers": managers}, symmetry=True, engine=engine)
        assert (checked.holds, checked.distinct_states) == (True, orbits)


def _least(state, managers):
    """Return the least of a state's renamings, as text."""
    return min(
        str(
            [state["manager"][old] for old in order]
            + [
                sorted(order.index(m) for m in state[name])
                for name in ("prepared", "sent_prepared")
            ]
            + [state["decided"], state["sent_commit"], state["sent_abort"]]
        )
        for order in permutations(range(managers))
    )


def test_a_model_that_tells_replicas_apart_is_refused(tmp_path):
    file = tmp_path / "apart.py"
    text = Path(TWO_PHASE).read_text("utf-8")
    guard = "if s.manager[manager] != Phase.WORKING:"
    file.write_text(text.replace(guard, guard.replace("if ", "if 0 in s.prepared or "), 1), "utf-8")
    with pytest.raises(TidegateError, match=r"Prepare: .*\(prepare, "):
        tidegate.check(str(file), symmetry=True)


def test_a_model_without_replicas_is_refused():
    with pytest.raises(TidegateError, match="declares no replicas that could change places"):
        tidegate.check(_model(holds_everywhere), symmetry=True)


class Line(Record):
    queue: Seq = sequence_of(integer(0, 3, "a number"), 4, "numbers that wait")
    total: int = integer(0, 60, "a sum")


def _sliced():
    """Return a model that goes over slices, also of a sequence that changes meanwhile."""
    model = Model(Bounds, Line, name="sliced", deadlock=False)

    @model.action(value=lambda k: range(3))
    def put(s: Line, k: Bounds, value: int) -> bool:
        if len(s.queue) == 4:
            return False
        s.queue.append(value)
        return True

    @model.action(first=lambda k: range(6), last=lambda k: range(6))
    def go(s: Line, k: Bounds, first: int, last: int) -> bool:
        if len(s.queue) < 3 or any(value == 2 for value in s.queue[first:last]):
            return False
        s.total = sum(2 * value for value in s.queue[first:])
        for value in s.queue[:last]:
            s.queue[len(s.queue) - 1] = 0
            s.total += value
        for value in s.queue:
            s.queue[2] = 3
            s.total += value
        return True

    return model


def test_machine_code_goes_over_the_same_slices():
    python, machine = (
        tidegate.check(_sliced(), {}, ["TypeOk"], engine=engine)
        for engine in ("interpreted", "compiled")
    )
    assert python.holds
    assert machine._result.engine == "compiled"
    assert python.distinct_states == machine.distinct_states
    assert python._result.taken == machine._result.taken


class Entry(Record):
    term: int = integer(1, 3, "term")
    value: int = integer(-1, 2, "value")

    def is_late(self) -> bool:
        return self.term > 1


class Server(Record):
    log: Seq[Entry] = sequence_of(Entry, 3, "entries")
    last: Entry = nested(Entry)
    values: Seq = sequence_of(integer(-1, 2, "a value"), 3, "values")


class Servers(Record):
    server: list[Server] = array(2, Server, by="node")


def _logs():
    """Return a model whose actions use records in sequences in every way."""
    model = Model(Bounds, Servers, participants={"node": lambda k: 2}, deadlock=False)

    @model.action("node", term=lambda k: range(1, 3))
    def add(s: Servers, k: Bounds, node: int, term: int) -> bool:
        me = s.server[node]
        entry = Entry(term=term, value=len(me.values) - 1)
        if len(me.log) == 3 or entry in me.log:
            return False
        me.log.append(entry)
        return True

    @model.action("node", start=lambda k: range(3))
    def replicate(s: Servers, k: Bounds, node: int, start: int) -> bool:
        me, other = s.server[node], s.server[1 - node]
        if start > len(me.log) or me.log[start:] == other.log[start:]:
            return False
        me.log[start:] = other.log[start:]
        if me.log:
            me.last.assign(me.log[len(me.log) - 1])
        return True

    @model.action("node")
    def take(s: Servers, k: Bounds, node: int) -> bool:
        me = s.server[node]
        if not any(entry.is_late() for entry in me.log):
            return False
        entry = me.log.popleft()
        me.values[:] = me.values[1:]
        if entry != me.last:
            me.values.extend([entry.value])
        me.log[len(me.log) :] = [entry]
        me.log[0].value = min(2, me.log[0].value + 1)
        return True

    @model.action("node")
    def drop(s: Servers, k: Bounds, node: int) -> bool:
        me = s.server[node]
        if len(me.log) < 3:
            return False
        del me.log[1:2]
        me.log[0] = Entry(term=3, value=me.log.pop().value)
        del me.log[0]
        return True

    return model


def test_machine_code_does_the_same_to_records_in_sequences():
    python, machine = (
        tidegate.check(_logs(), {}, ["TypeOk"], engine=engine, max_depth=9)
        for engine in ("interpreted", "compiled")
    )
    assert machine._result.engine == "compiled"
    assert python.distinct_states == machine.distinct_states > 1000
    assert python._result.taken == machine._result.taken


def test_records_are_packed_as_tightly_in_a_sequence_as_in_an_array():
    """An entry takes 2 + 2 bits, the length 2, the record beside it 4, and values 2 + 3 * 2."""
    assert Layout(Server, None).bits == (3 * 4 + 2) + 4 + (2 + 3 * 2)


def test_what_is_taken_out_of_a_sequence_stays_as_it_was():
    server = Layout(Server, None).record
    server.log.extend([Entry(term=1, value=2), Entry(term=2, value=0)])
    taken = server.log.popleft()
    server.log[0] = Entry(term=3, value=1)
    assert (taken.term, taken.value) == (1, 2)
    assert server.log[0] == Entry(term=3, value=1) != taken
    assert not taken.is_late()
    server.log[1:] = server.log[:]
    assert [entry.term for entry in server.log] == [3, 3]
    server.log[0].term = 2
    assert [entry.term for entry in server.log] == [2, 3]


def test_records_in_a_sequence_are_shown_by_their_variables():
    layout = Layout(Server, None)
    layout.record.log.append(Entry(term=2, value=1))
    assert layout.describe(layout.dump())["log"] == [{"term": 2, "value": 1}]


NAMED = """\
from dataclasses import dataclass
from tidegate import *
@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 4, "nodes")
class Entry(Record):
    who: int = replica_id(lambda k: k.nodes - 1, "who")
class State(Record):
    flag: list[int] = array(lambda k: k.nodes, integer(0, 1, "x"), by="node", by_replica=True)
    log: Seq[Entry] = sequence_of(Entry, 2, "log")
model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)
@model.action("node")
def go(s: State, k: Bounds, node: int) -> bool:
    if len(s.log) == 2:
        return False
    WRITE
    return True
"""


@pytest.mark.parametrize(
    "write",
    [
        "s.log.append(Entry(who=0))",
        "s.log.insert(node, Entry(who=node))",
        "s.log.truncate(node + s.flag[node])",
    ],
)
def test_symmetry_is_refused_where_a_sequence_tells_replicas_apart(write, tmp_path):
    file = tmp_path / "named.py"
    file.write_text(NAMED.replace("WRITE", write), "utf-8")
    with pytest.raises(TidegateError, match=r"named\.py:16"):
        tidegate.check(str(file), {}, ["TypeOk"], symmetry=True)


def _short():
    """Return a model with an action that names an entry which there is not at these bounds."""
    model = Model(Bounds, Servers, participants={"node": lambda k: 2}, deadlock=False)

    @model.action("node", index=lambda k: range(5))
    def copy(s: Servers, k: Bounds, node: int, index: int) -> bool:
        me, other = s.server[node], s.server[1 - node]
        if len(me.log) == 3 or (index < len(other.log) and other.log[index] == me.last):
            return False
        if index < len(other.log):
            me.log.append(other.log[index])
            me.last.assign(other.log[index])
        else:
            me.log[len(me.log) :] = [Entry(term=1, value=len(me.log))]
        return True

    return model


def test_an_entry_that_there_never_is_keeps_no_model_from_being_compiled():
    python, machine = (
        tidegate.check(_short(), {}, ["TypeOk"], engine=engine)
        for engine in ("interpreted", "compiled")
    )
    assert machine._result.engine == "compiled"
    assert python.distinct_states == machine.distinct_states > 30
    assert python._result.taken == machine._result.taken


@pytest.mark.parametrize("size", [3, lambda k: k.size])
def test_a_sequence_of_the_numbers_below_a_size(size):
    class Held(Record):
        queue: Seq = sequence_of(size, 2, "numbers that wait")

    layout = Layout(Held, SimpleNamespace(size=3))
    for element, fits in ((0, True), (2, True), (3, False), (-1, False)):
        layout.record.queue[:] = [element]
        assert bool(layout.range_errors()) is not fits

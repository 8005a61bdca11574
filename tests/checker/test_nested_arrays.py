"""An array of arrays means in every engine what lists of lists mean in Python."""

from enum import IntEnum
from itertools import permutations
from random import Random

import pytest
from click.testing import CliRunner

import tidegate
from tidegate import Record, Seq, array, enumeration, integer, sequence_of
from tidegate.checker.distributed.columns import Items, columns_of
from tidegate.cli import main
from tidegate.core.errors import TidegateError
from tidegate.core.layout import Layout

from .conftest import from_source, translator, unless_outside


class Color(IntEnum):
    RED = 1
    BLUE = 2


class Pair(Record):
    x: int = integer(-1, 3, "x")
    row: list[list[int]] = array(2, array(2, integer(0, 5, "cell")))


class Scratch(Record):
    grid: list[list[int]] = array(3, array(lambda k: k, integer(-2, 9, "cell")))
    cube: list[list[list[int]]] = array(2, array(2, array(2, integer(0, 3, "cell"))))
    colors: list[list[Color]] = array(2, array(2, enumeration(Color, "color")))
    pairs: list[list[Pair]] = array(2, array(2, Pair))
    queue: Seq[Pair] = sequence_of(Pair, 3, "queue")
    queues: list[list[Seq[int]]] = array(2, array(2, sequence_of(integer(0, 3, "n"), 2, "few")))
    one: int = integer(3, 3, "always 3")
    fixed: list[list[int]] = array(2, array(2, integer(1, 1, "always 1")))
    i: int = integer(0, 2, "an index")
    j: int = integer(-1, 4, "an index that may be wrong")
    n: int = integer(-50, 100, "a number")


LAYOUT = Layout(Scratch, 4)


def scratches():
    random, states = Random(7), []
    for _ in range(40):
        LAYOUT.reset()
        s = LAYOUT.record
        for row in s.grid:
            for i in range(4):
                row[i] = random.choice([-2, 0, 1, 9])
        for i in (0, 1):
            for j in (0, 1):
                s.cube[i][j][:] = [random.randint(0, 3) for _ in range(2)]
                s.colors[i][j] = random.randint(1, 2)
                s.pairs[i][j].x = random.randint(-1, 3)
                s.pairs[i][j].row[i][j] = random.randint(0, 5)
                s.queues[i][j].extend([random.randint(0, 3) for _ in range(random.randint(0, 2))])
        for _ in range(random.randint(0, 3)):
            s.queue.append(s.pairs[random.randint(0, 1)][random.randint(0, 1)])
        s.i, s.j = random.randint(0, 2), random.choice([-1, 0, 1, 2, 3, 3, 4])
        states.append(LAYOUT.dump())
    return states


STATES = scratches()

BODIES = [
    "s.grid[s.i][s.j] = 7",
    "s.grid[s.i][s.j] += 1",
    "s.grid[2][-1] = s.grid[-1][0]",
    "row = s.grid[s.i]\n row[1] = 3\n s.n = row[1] + s.grid[s.i][1]",
    "s.n = s.grid[s.j][s.i]",
    "s.n = len(s.grid) * 10 + len(s.grid[s.i])",
    "s.n = sum(s.grid[s.i])",
    "s.n = sum(sum(row) for row in s.grid)",
    "s.n = sum(cell for row in s.grid for cell in row if cell > 0)",
    "s.n = max(max(row) for row in s.grid) - min(map(min, s.grid))",
    "s.n = sum(i * len(row) for i, row in enumerate(s.grid))",
    "for i, row in enumerate(s.grid):\n  for j, cell in enumerate(row):\n   if cell == 9:\n"
    "    s.grid[i][j] = 0\n    s.n += i + j",
    "for row in s.grid:\n  row[s.i] = 5",
    "for row, other in zip(s.grid, reversed(s.grid)):\n  row[0] = other[1]",
    "cells = [row[s.i] for row in s.grid]\n s.n = cells[2]",
    "cells = [cell for row in s.grid for cell in row if cell == 9]\n s.n = len(cells)",
    "rows = [sum(row) for row in s.grid]\n s.n = max(rows)",
    "s.n = s.grid[0] == s.grid[s.i]",
    "s.n = s.cube[0] == s.cube[1]",
    "s.n = s.cube[0] != s.cube[1]",
    "s.n = 9 in s.grid[s.i]",
    "s.n = any(9 in row for row in s.grid)",
    "s.cube[s.i][1][0] = 3 - s.cube[1][s.i][1]",
    "s.cube[0][0][1], s.cube[1][1][0] = s.cube[1][1][0], s.cube[0][0][1]",
    "s.n = sum(cell for plane in s.cube for row in plane for cell in row)",
    "s.colors[0][s.i] = 1\n s.n = s.colors[0][s.i] is Color.RED",
    "s.n = sum(c is Color.BLUE for row in s.colors for c in row)",
    "s.pairs[s.i][0].x = s.pairs[1][s.i].row[0][1]",
    "s.pairs[s.i][0].assign(s.pairs[0][s.i])",
    "s.pairs[0][0].assign(Pair(x=2, row=[[1, 2], s.cube[0][1]]))",
    "s.pairs[0][1].assign(Pair(x=2, row=s.cube[1]))",
    "s.pairs[0][1].assign(Pair(row=s.pairs[1][0].row))",
    "s.queue.append(Pair(x=2))",
    "s.queue[0].row[1][1] = 4",
    "s.queue[s.i].row[0][s.i] += 1",
    "p = s.queue[0]\n s.queue.popleft()\n s.n = p.row[1][1] + 10 * sum(map(sum, p.row))",
    "s.n = s.pairs[0][0] in s.queue",
    "s.n = s.pairs[0][0] == s.pairs[1][s.i]",
    "s.queues[s.i][1].append(2)",
    "s.n = sum(len(q) for row in s.queues for q in row)",
    "s.queues[0][s.i][:] = s.queues[1][0]",
    "s.n = s.fixed[s.i][1]",
]


@pytest.mark.parametrize("body", BODIES)
def test_machine_code_reads_and_writes_an_array_of_arrays_as_python_does(body):
    function = from_source(f"def f(s, k):\n {body}", {"Pair": Pair, "Color": Color})
    meanings = unless_outside(body, translator(LAYOUT), function)
    outcomes = []
    for state in STATES if meanings else ():
        expected = meanings.python(state)
        got = meanings.compiled(state)
        assert (got and got[1]) == (expected and expected[1])
        outcomes.append(got)
    assert any(outcomes) or not meanings


CLOCKS = """
from dataclasses import dataclass

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes", main=True)
    top: int = number(2, 1, 9, "steps of a node", main=True)


class State(Record):
    knows: list[list[int]] = array(
        lambda k: k.nodes,
        array(lambda k: k.nodes, integer(0, lambda k: k.top, "steps"), by_replica=True),
        by="node",
        by_replica=True,
    )


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node")
def step(s: State, k: Bounds, node: int) -> bool:
    if s.knows[node][node] == k.top:
        return False
    s.knows[node][node] += 1
    return True


@model.action("node", other="node", distinct=True)
def tell(s: State, k: Bounds, node: int, other: int) -> bool:
    for i in range(k.nodes):
        s.knows[other][i] = max(s.knows[other][i], s.knows[node][i])
    return True


@model.invariant("Nobody knows more of a node than itself.")
def behind(s: State, k: Bounds) -> bool:
    return all(all(cell <= k.top for cell in row) for row in s.knows)


@model.invariant("Something is not known to all.")
def unknown(s: State, k: Bounds) -> bool:
    return not all(all(cell == 2 for cell in row) for row in s.knows)
"""


@pytest.fixture
def clocks(tmp_path):
    def make(source=CLOCKS):
        file = tmp_path / "clocks.py"
        file.write_text(source)
        return str(file)

    return make


def reachable(nodes, top):
    """Return the states, with Python's own tuples."""
    todo = [((0,) * nodes,) * nodes]
    seen = {*todo}
    while todo:
        state = todo.pop()
        for node in range(nodes):
            ticked = [list(row) for row in state]
            ticked[node][node] = min(top, ticked[node][node] + 1)
            told = [ticked]
            for other in range(nodes):
                rows = [*state]
                rows[other] = tuple(map(max, state[node], state[other]))
                told.append(rows)
            for rows in told:
                new = tuple(map(tuple, rows))
                if new not in seen:
                    seen.add(new)
                    todo.append(new)
    return seen


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_model_with_an_array_of_arrays_has_the_states_of_pythons_lists(clocks, engine):
    states, nodes = reachable(3, 2), range(3)
    answer = tidegate.check(clocks(), {}, ["Behind"], engine=engine)
    assert answer.distinct_states == len(states)
    orbits = {
        min(tuple(tuple(s[p[i]][p[j]] for j in nodes) for i in nodes) for p in permutations(nodes))
        for s in states
    }
    few = tidegate.check(clocks(), {}, ["Behind"], engine=engine, symmetry=True)
    assert few.distinct_states == len(orbits) < len(states)


def test_an_index_of_a_row_that_is_a_replica_is_declared_for_symmetry(clocks):
    source = CLOCKS.replace('"steps"), by_replica=True)', '"steps"))')
    with pytest.raises(TidegateError, match=r"knows\[\]\[\]|knows\[\], which is not declared"):
        tidegate.check(clocks(source), {}, ["Behind"], symmetry=True)


def test_a_trace_with_an_array_of_arrays_is_shown_and_replayed(clocks, tmp_path):
    saved, itf = tmp_path / "clocks.json", tmp_path / "clocks.itf.json"
    command = ["check", clocks(), "-p", "Unknown", "--json", str(saved), "--itf", str(itf)]
    checked = CliRunner().invoke(main, command)
    assert checked.exit_code == 12
    assert "knows[1] 1" in checked.output
    assert '"knows": [[{"#bigint": "0"}, {"#bigint": "0"},' in itf.read_text()
    assert CliRunner().invoke(main, ["replay", str(saved), "--trust"]).exit_code == 0


def test_a_table_has_a_list_of_lists():
    fields = dict(columns_of(LAYOUT).fields)
    grid, cube = fields["grid"], fields["cube"]
    assert isinstance(grid, Items)
    assert isinstance(grid.element, Items)
    assert (grid.length, grid.element.length) == (3, 4)
    assert len(grid.element.element.places) == 12
    assert cube.element.element.length == 2


class Begun(Record):
    grid: list[list[int]] = array(2, array(2, integer(0, 5, "cell"), initial=[1, 2]))


def test_a_row_has_the_initial_values_that_it_declares():
    layout = Layout(Begun, None)
    assert layout.describe(layout.dump()) == {"grid": [[1, 2], [1, 2]]}
    with pytest.raises(TidegateError, match="its elements are not variables"):
        array(2, array(2, integer(0, 5, "cell")), initial=[1, 2])


MISTAKES = {
    "s.grid[0].append(1)": "grid[0] has 5 elements, declared 4",
    "del s.cube[1][0][0]": "cube[1][0] has 1 elements, declared 2",
    "s.fixed[1][0] = 2": "fixed[1][0] is 2, declared 1..1",
    "s.grid[2][3] = 10": "grid[2][3] is 10, declared -2..9",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_row_that_is_resized_or_out_of_range_is_an_error(line):
    LAYOUT.reset()
    from_source(f"def f(s, k):\n {line}")(LAYOUT.record, None)
    assert not LAYOUT.sound()
    assert MISTAKES[line] in LAYOUT.mistake()
    LAYOUT.reset()
    assert LAYOUT.sound()


@pytest.mark.parametrize("line", ["s.grid[0] = [1, 2]", "s.grid[0] = 3", "s.pairs[0][0] = 4"])
def test_what_replaces_a_row_or_a_record_must_be_one(line):
    function = from_source(f"def f(s, k):\n {line}", {"Pair": Pair})
    with pytest.raises(TypeError):
        function(LAYOUT.record, None)
    LAYOUT.reset()

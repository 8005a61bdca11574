"""Which choices of a wide action to try: those that some state of a group chooses.

An action may have 100,000 choices of its arguments, of which a state enables two.  A function that
is written for the action goes over what a state chooses, as Python does (``core/narrowing.py``),
and sets a bit for each choice.  Those of a group of states are then tried in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.generated import run
from ...core.narrowing import Tree, trees
from ...core.spec import Action, Instance
from ...language.types import NOTHING
from ...language.types import Number as Whole
from .emitter import Emitter
from .intrinsics import Intrinsic
from .unit import Unit
from .values import Argument, Constant, Number, StateRef, UnsupportedError, Value

SPARSE = 16
"""The numbers that a table of choices may have for each of them."""


def child(node: int, value: int) -> int:
    """Return what is below a node of the table for a value; 0 if nothing is."""
    raise NotImplementedError


def note(bits: int, leaf: int) -> None:
    """Set the bit of a choice; that of number 0 is nobody's."""
    raise NotImplementedError


def _note(out: Emitter, arguments: list[Value]) -> Value:
    bits, leaf = (out.number(argument) for argument in arguments)
    word = out.value(f"lshr i64 {leaf}, 6")
    bit = out.value(f"shl i64 1, {out.value(f'and i64 {leaf}, 63')}")
    address = out.value(f"add i64 {bits}, {out.value(f'shl i64 {word}, 3')}")
    place = out.value(f"inttoptr i64 {address} to ptr")
    noted = out.value(f"or i64 {out.value(f'load i64, ptr {place}')}, {bit}")
    out.emit(f"store i64 {noted}, ptr {place}")
    return Constant(None)


def _child_of(table: str) -> Intrinsic:
    """Return the emitter of :func:`child` for a table."""

    def emit(out: Emitter, arguments: list[Value]) -> Value:
        node, value = (out.number(argument) for argument in arguments)
        address = out.value(f"getelementptr i64, ptr {table}, i64 {node}")
        lowest = out.value(f"load i64, ptr {address}")
        count = out.value(f"load i64, ptr {out.element(address, 1)}")
        offset = out.value(f"sub i64 {value}, {lowest}")
        within = out.value(f"icmp ult i64 {offset}, {count}")
        place = out.value(f"select i1 {within}, i64 {offset}, i64 0")
        entry = out.value(f"add i64 {place}, 2")
        below = out.value(f"load i64, ptr {out.element(address, entry)}")
        return Number(out.value(f"select i1 {within}, i64 {below}, i64 0"))

    return emit


class Table:
    """The numbers by which the values of selected parameters lead to a choice.

    A node has its lowest value, how many there are from that on, and for each what is below: a
    node, or the number of a choice from 1 on.  The first node has nothing below it.
    """

    def __init__(self, instances: tuple[Instance, ...]) -> None:
        self.numbers, self._most = [0, 1, 0], SPARSE * (len(instances) + SPARSE)
        self.rows: list[tuple[int, ...]] = []
        for action, row, tree in trees(instances).values():
            selected = {each.place for each in action.selections}
            rest = (value for place, value in enumerate(row) if place not in selected)
            self.rows.append((self._add(tree), *rest))

    def _add(self, tree: Tree) -> int:
        """Add a node, and return where it is."""
        lowest, count = min(tree), max(tree) - min(tree) + 1
        node = len(self.numbers)
        if node + count > self._most:
            raise UnsupportedError("values that are far apart")
        self.numbers += [lowest, count, *[0] * count]
        for value, below in tree.items():
            number = self._add(below) if isinstance(below, dict) else below + 1
            self.numbers[node + 2 + value - lowest] = number
        return node


def chooser(action: Action, number: int) -> Callable[..., None]:
    """Return the function that sets the bits of what a state chooses of an action.

    Raises
    ------
    UnsupportedError
        If a choice depends on one that comes after it.
    """
    count, selections = len(action.parameters), action.selections
    selected = [each.place for each in selections]
    rest = [f"a{place}" for place in range(count) if place not in selected]
    space: dict[str, Any] = {"child": child, "note": note}
    lines = [f"def chosen({', '.join(['s', 'k', 'bits', 'node0', *rest])}) -> None:"]
    for level, each in enumerate(selections):
        if {*selected[level:]} & {*each.others}:
            raise UnsupportedError(f"a choice of {action.name} that depends on a later one")
        space[f"values{level}"] = each.values
        others = (f"a{place}" for place in each.others)
        values = f"values{level}({', '.join(['s', 'k', *others])})"
        if each.by_index:
            values = f"range(len({values}))"
        margin = "    " * (level + 1)
        lines.append(f"{margin}for a{each.place} in {values}:")
        lines.append(f"{margin}    node{level + 1} = child(node{level}, a{each.place})")
    lines.append(f"{'    ' * (len(selections) + 1)}note(bits, node{len(selections)})")
    run("\n".join([*lines, ""]), f"chosen_{number}.py", space)
    made: Callable[..., None] = space["chosen"]
    return made


def marker(
    unit: Unit,
    instances: tuple[Instance, ...],
    first: int,
    constants: Constant,
    words: int,
) -> str:
    """Return ``mark.N(states, count, bits)``: it sets the bits of what some states choose.

    If a choice cannot be computed in a state, all bits are set, so that everything is tried.
    """
    table, action = Table(instances), instances[0].action
    own = Unit(unit.places, None, unit.sizes, f"chosen.{first}.", lowering=unit.lowering)
    name = f"@numbers.{first}"
    own.operations |= {child: _child_of(name), note: _note}
    own.lowering.operations |= {child: Whole(0, len(table.numbers)), note: NOTHING}
    columns = list(zip(*table.rows, strict=True))
    numbers = [Number(f"%q{n}", (min(one), max(one))) for n, one in enumerate(columns)]
    operands: list[Argument] = [StateRef("%state"), constants, Number("%bits"), *numbers]
    compiled = own.rule(chooser(action, first), operands)
    out = Emitter()
    out.prologue += [
        "  %errors = alloca [2 x i64]",
        f"  %marks = alloca [{max(own.points.elements, 1)} x i64]",
        "  %at = alloca i64",
        "  %line = alloca i64",
    ]
    out.emit("store i64 0, ptr %at")
    out.place_label("each")
    at = out.value("load i64, ptr %at")
    place = out.value(f"add i64 %states, {out.value(f'mul i64 {at}, {8 * words}')}")
    out.emit(f"%state = inttoptr i64 {place} to ptr")
    passed = ", ".join(compiled.passed(operands, "%errors"))
    rows = [value for row in table.rows for value in row]
    _for_each_row(out, numbers, f"@rows.{first}", len(table.rows), f'@"{compiled.name}"({passed})')
    out.again("%at", at, "%count", "each", "finished")
    out.jump("done")
    out.place_label("all")
    size = 8 * bit_words(len(instances))
    bits = out.value("inttoptr i64 %bits to ptr")
    out.emit(f"call void @llvm.memset.p0.i64(ptr {bits}, i8 -1, i64 {size}, i1 false)")
    out.place_label("done")
    out.emit("ret void")
    head = f"void @mark.{first}(i64 %states, i64 %count, i64 %bits)"
    tables = [_table(name, table.numbers), _table(f"@rows.{first}", rows)]
    return "\n".join([*tables, *own.bodies, out.definition(head, "noinline")])


def _table(name: str, numbers: Sequence[int]) -> str:
    """Return the definition of a constant array of numbers."""
    items = ", ".join(f"i64 {number}" for number in numbers)
    return f"{name} = private unnamed_addr constant [{len(numbers)} x i64] [{items}]"


def _for_each_row(
    out: Emitter, numbers: Sequence[Number], rows: str, count: int, call: str
) -> None:
    """Emit a call for each choice of what is not selected; a jump to "all" if one fails."""
    out.emit("store i64 0, ptr %line")
    out.place_label("row")
    line = out.value("load i64, ptr %line")
    base = out.value(f"mul i64 {line}, {len(numbers)}")
    for number, value in enumerate(numbers):
        entry = out.value(f"add i64 {base}, {number}")
        out.emit(f"{value.register} = load i64, ptr {out.element(rows, entry)}")
    out.emit("store i64 0, ptr %errors")
    out.emit(f"store i64 0, ptr {out.element('%errors', 1)}")
    out.emit(f"call void {call}")
    wrong = out.value(f"icmp ne i64 {out.value('load i64, ptr %errors')}, 0")
    out.emit(f"br i1 {wrong}, label %all, label %well")
    out.terminated = True
    out.place_label("well")
    out.again("%line", line, str(count), "row", "next")


def bit_words(choices: int) -> int:
    """Return how many words have a bit for each choice, and that of number 0."""
    return choices // 64 + 1

"""Tables of functions declared pure and of the file's containers, and what reads them.

A row has a number that is 1 where the function gives no answer, and then those of its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import pack
from typing import Any

from ....language import form
from ....language.tabulated import Row, Table, count_of, is_value, table_of
from ....language.types import (
    Mapping,
    Members,
    Nothing,
    Number,
    OneOf,
    Optional,
    Sequence,
    Text,
    Tuple,
    Type,
)
from ..values import Constant, Truth, integer_of
from ..values import Number as Register
from .changes import Changes
from .layouts import Leaf, is_flat, shape, size
from .memory import ZERO, Value
from .streams import Indexed


def definition_of(name: str, table: Table, text: Callable[[str], int]) -> str:
    """Return the definition of a constant with the numbers of a table, row after row.

    Parameters
    ----------
    text
        Returns the number that stands for a text.
    """
    none, numbers = [1, *[0] * size(table.type)], list[int]()
    for row in table.rows:
        numbers += none if row is Row.FAILS else [0, *_numbers(row, table.type, text)]
    # LLVM reads bytes several times as fast as numbers in decimal.
    content = pack(f"<{len(numbers)}q", *numbers).hex("\\")
    return f'{name} = internal constant [{8 * len(numbers)} x i8] c"\\{content}", align 8'


def _numbers(value: Any, kind: Type, text: Callable[[str], int]) -> Iterator[int]:
    """Yield the numbers of a value in memory."""
    if isinstance(kind, Optional):
        yield int(value is None)
        yield from [0] * size(kind.of) if value is None else _numbers(value, kind.of, text)
    elif isinstance(kind, Tuple):
        for part, inner in zip(value, kind.items, strict=True):
            yield from _numbers(part, inner, text)
    elif isinstance(kind, Members):
        mask = sum(1 << (int(one) & 63) for one in value)
        yield mask - (1 << 64) if mask >> 63 else mask
    elif isinstance(kind, Text):
        yield text(value)
    elif isinstance(kind, Number):
        number = integer_of(value)
        assert number is not None
        yield number


class Tables(Changes):
    """Emits what a function gives that has a table, and what a container of the file has."""

    def _apply_table(self, one: form.Apply) -> Value:
        which, *arguments = one.arguments
        assert isinstance(which, form.Constant)
        table, beyond = which.value, list[Leaf]()
        row: Leaf = ZERO
        for part in arguments:
            if isinstance(part, form.Constant) and not isinstance(part.type, Number):
                # There is no other one.
                continue
            value = self.convert(self.value(part), part.type)
            index, outside = self._index(iter(value.leaves), part.type)
            row = self._further(row, part.type, index)
            beyond.append(outside)
        self.out.fail_if(self.out.truth(self.either(beyond)))
        fails, answer = self._row(table, row)
        self.out.fail_if(self.out.truth(fails))
        return answer

    def _row(self, table: Table, index: Leaf) -> tuple[Leaf, Value]:
        """Return whether a row has no answer, and the answer that it has."""
        row = self.within(index, len(table.rows))
        first = self.out.value(f"mul i64 {self.out.number(row)}, {1 + size(table.type)}")
        address = self.out.element(self.module.table(table), first)
        fails = self.load_leaf(Number(0, 1, bool), address)
        return fails, self.load(table.type, self.at(address, 1))

    # --- containers of the file

    def rows_of(self, one: form.Expression) -> Indexed | None:
        """Return the elements of a list of the file, or the keys of a dictionary."""
        if not isinstance(one, form.Constant):
            return None
        if isinstance(one.type, Mapping):
            return self.listed(one, "keys", list(one.value), one.type.key)
        if isinstance(one.type, Sequence):
            return self.listed(one, "", list(one.value), one.type.element)
        return None

    def listed(
        self, one: form.Constant, which: str, values: list[Any], kind: Type
    ) -> Indexed | None:
        """Return some values of a container of the file as a table; None if they have no rows."""
        if not values or not is_value(kind):
            return None
        table = self.module.constant_table((which, id(one.value)), one, lambda: Table(values, kind))
        assert table is not None
        count = len(values)
        return Indexed(lambda: Constant(count), lambda index: self._row(table, index)[1], count)

    def found(self, one: form.Constant, key: Value) -> tuple[Leaf, Value] | None:
        """Return whether a container of the file has a key or a member, and what lies there.

        It is None if there is no table of it, or another kind of values is asked for.
        """
        kind: Any = one.type
        is_mapping = isinstance(kind, Mapping)
        of_keys = kind.key if is_mapping else kind.element
        entries = one.value if is_mapping else dict.fromkeys(one.value, True)
        here: Leaf = Constant(True)
        if isinstance(key.type, Optional) and not isinstance(of_keys, Optional):
            here = self.opposite(self.is_none(key))
            key = self.certain(key, check=False)
        elif isinstance(of_keys, Optional) and isinstance(key.type, (Number, Nothing)):
            key = self.convert(key, of_keys)
        if shape(key.type) != shape(of_keys) or not is_flat(key.type):
            return None
        table = self.module.constant_table(
            ("entries", id(one.value)),
            one,
            lambda: table_of(entries, of_keys),
        )
        if table is None:
            return None
        index, outside = self._index(iter(key.leaves), of_keys)
        fails, value = self._row(table, index)
        return self.both([here, self.opposite(outside), self.opposite(fails)]), value

    def _further(self, row: Leaf, kind: Type, index: Leaf) -> Leaf:
        """Return the index of a row, of which another argument has this index."""
        scaled = self.out.arithmetic("mul", row, Constant(count_of(kind)))
        return self.out.arithmetic("add", scaled, index)

    def _index(self, leaves: Iterator[Leaf], kind: Type) -> tuple[Leaf, Leaf]:
        """Return the index of a value among those of its type, and whether it is none of them."""
        if isinstance(kind, Optional):
            none = self.out.compare("ne", next(leaves), ZERO)
            index, outside = self._index(leaves, kind.of)
            above = self.out.arithmetic("add", index, Constant(1))
            return self.out.select(none, ZERO, above, None), self.both(
                [self.opposite(none), outside]
            )
        if isinstance(kind, Tuple):
            beyond = list[Leaf]()
            row: Leaf = ZERO
            for item in kind.items:
                index, outside = self._index(leaves, item)
                row = self._further(row, item, index)
                beyond.append(outside)
            return row, self.either(beyond)
        if not isinstance(kind, (Number, OneOf)):
            return ZERO, Constant(False)
        low = kind.low if isinstance(kind, Number) else 0
        distance = self.out.value(f"sub i64 {self.out.number(next(leaves))}, {low}")
        none_of_them = self.out.value(f"icmp uge i64 {distance}, {count_of(kind)}")
        return Register(distance), Truth(none_of_them)

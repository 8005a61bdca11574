"""From a plain Python function to LLVM: known values that are chosen by what is not known.

``ROW[s.x]`` is one of a few numbers, by an index in a register; ``MOVES[s.x]`` is one of a few
tuples.  A mapping is a table whose keys are looked for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

from ...core.errors import printed
from .arithmetic import from_beginning
from .emitter import Emitter
from .slots import is_leaf
from .values import (
    NOWHERE,
    Choice,
    Constant,
    Items,
    Number,
    Perhaps,
    Truth,
    UnsupportedError,
    Value,
    as_constant,
    ask,
    common,
    integer_of,
    span,
    union,
)

if TYPE_CHECKING:
    from .unit import Unit

SELECTED = 4
"""The most numbers of a table that are chosen by comparisons, not read from memory."""

MOST_KEYS = 10_000
"""The most entries of a table."""


UNROLLED = 16
"""The most iterations of a loop that is unrolled."""


@dataclass(frozen=True)
class Indexed:
    """The elements of an iterable, by their index.

    Parameters
    ----------
    most
        The most elements that there may be; None for no limit.
    length, at
        Emit how many there are now, and one of them.
    """

    most: int | None
    length: Callable[[], Value]
    at: Callable[[Value], Value]


def known_elements(value: object) -> list[Any]:
    """Return the elements of a value that is known while translating, in Python's order."""
    if isinstance(value, type) and issubclass(value, Enum):
        return list(value)
    if not issubclass(type(value), (tuple, list, range, dict, str)):
        raise UnsupportedError(f"a loop over {printed(value)}")
    return ask(list, value)  # type: ignore[no-any-return]


class Tables:
    """The tables that one function reads."""

    def __init__(self, unit: Unit, out: Emitter) -> None:
        self.unit, self.out = unit, out

    def looked_up(self, table: Any, index: Value, default: Value | None = None) -> Value:
        """Return an element of a known tuple or mapping; without a default it must be there."""
        if len(table) > MOST_KEYS:
            raise UnsupportedError(f"a table of more than {MOST_KEYS} entries")
        if isinstance(table, Mapping):
            keys, values = ask(list, table), [ask(getitem, table, key) for key in table]
            return self._by_key(keys, values, index, default)
        if not isinstance(table, (tuple, list, range)):
            raise UnsupportedError(f"an element of {printed(table)}")
        values = ask(list, table)
        index = from_beginning(self.out, index, Constant(len(values)))
        return self._by_key(list(range(len(values))), values, index, None)

    def _by_key(
        self, keys: list[Any], values: list[Any], index: Value, default: Value | None
    ) -> Value:
        out = self.out
        if not keys:
            if default is None:
                out.fail_if("true")
            return NOWHERE if default is None else default
        if isinstance(index, Items) and all(map(_is_known, index.items)):
            index = Constant(tuple(getattr(part, "value", None) for part in index.items))
        if isinstance(index, Constant):
            pairs = zip(keys, values, strict=True)
            there = [value for key, value in pairs if key == index.value]
            if not there and default is None:
                out.fail_if("true")
            if there:
                return Constant(there[0])
            return NOWHERE if default is None else default
        number, is_there = self._position(keys, index)
        chosen = self.chosen(Choice(Number(number, (0, len(keys) - 1)), tuple(values)))
        if default is None:
            if is_there != "true":
                out.fail_unless(is_there)
            return chosen
        return self._or_default(Choice(Number(number), tuple(values)), is_there, chosen, default)

    def _or_default(self, choice: Choice, is_there: str, chosen: Value, default: Value) -> Value:
        """Return the value of a key, or a default if the key is not there."""
        out = self.out
        default = as_constant(default)
        if is_leaf(chosen) and is_leaf(default):
            return out.select(Truth(is_there), chosen, default, union(span(chosen), span(default)))
        if not isinstance(default, Constant):
            raise UnsupportedError("a default of another kind than the values of its table")
        last = len(choice.options)
        number = out.value(f"select i1 {is_there}, i64 {choice.number.register}, i64 {last}")
        return self.chosen(Choice(Number(number, (0, last)), (*choice.options, default.value)))

    def _position(self, keys: list[Any], index: Value) -> tuple[str, str]:
        """Return the number of a key, within their count, and whether it is there."""
        out = self.out
        numbers = [integer_of(key) if issubclass(type(key), int) else None for key in keys]
        if not isinstance(index, Items) and numbers == list(range(len(keys))):
            register = out.number(index)
            known = span(index)
            if known and known[0] >= 0 and known[1] < len(keys):
                return register, "true"
            there = out.value(f"icmp ult i64 {register}, {len(keys)}")
            return out.value(f"select i1 {there}, i64 {register}, i64 0"), there
        position, is_there = "0", "false"
        for number, key in enumerate(keys):
            same = self._is_key(index, key)
            if same is None:
                continue
            is_there = out.value(f"or i1 {is_there}, {same}")
            position = out.value(f"select i1 {same}, i64 {number}, i64 {position}")
        return position, is_there

    def _is_key(self, index: Value, key: Any) -> str | None:
        """Return whether an index is a key; None if it cannot be."""
        out = self.out
        if isinstance(index, Items):
            if type(key) is not tuple or len(key) != len(index.items):
                return None
            all_same = "true"
            for part, wanted in zip(index.items, key, strict=True):
                same = self._is_key(part, wanted)
                if same is None:
                    return None
                all_same = out.value(f"and i1 {all_same}, {same}")
            return all_same
        if isinstance(index, Constant):
            return "true" if index.value == key else None
        number = integer_of(key) if issubclass(type(key), int) else None
        if number is None:
            return None
        return out.value(f"icmp eq i64 {out.number(index)}, {number}")

    def chosen(self, choice: Choice) -> Value:
        """Return what a choice is: one number, if all options are numbers, or perhaps None."""
        options = choice.options
        if all(option is options[0] for option in options):
            return Constant(options[0])
        if any(option is None for option in options):
            # Where None is chosen, nothing depends on the rest.
            other = next(option for option in options if option is not None)
            none = self._number(choice.number.register, [int(o is None) for o in options])
            some = tuple(other if option is None else option for option in options)
            value = self.chosen(Choice(choice.number, some))
            return Perhaps(value, self.out.truth(Number(none)))
        if not all(issubclass(type(option), int) for option in options):
            return choice
        numbers = [integer_of(option) for option in options]
        kinds: list[type | None] = [type(option) for option in options]
        kind = reduce(common, kinds)
        low, high = min(map(int, options)), max(map(int, options))
        register = self._number(choice.number.register, [number or 0 for number in numbers])
        if kind is bool:
            return Truth(self.out.truth(Number(register)))
        return Number(register, (low, high), kind)

    def _number(self, index: str, numbers: list[int]) -> str:
        """Emit the choice of one of several numbers."""
        out = self.out
        if any(not -(1 << 63) <= number < 1 << 63 for number in numbers):
            raise UnsupportedError("a number in a table, which takes more than 64 bits,")
        if len(numbers) <= SELECTED:
            result = str(numbers[0])
            for position, number in enumerate(numbers[1:], 1):
                here = out.value(f"icmp eq i64 {index}, {position}")
                result = out.value(f"select i1 {here}, i64 {number}, i64 {result}")
            return result
        table = self.unit.table(numbers)
        kind = f"[{len(numbers)} x i64]"
        address = out.value(f"getelementptr {kind}, ptr {table}, i64 0, i64 {index}")
        return out.value(f"load i64, ptr {address}")

    def mapped(self, choice: Choice, operation: Callable[[Any], Any]) -> Value:
        """Return the result of an operation on whichever value is chosen."""
        results = tuple(ask(operation, option) for option in choice.options)
        return self.chosen(Choice(choice.number, results))

    def chosen_element(self, choice: Choice, index: Value) -> Value:
        """Return an element of whichever tuple or mapping is chosen."""
        if isinstance(index, Constant):
            key = index.value
            return self.mapped(choice, lambda option: option[key])
        out = self.out
        widths = [len(option) for option in choice.options]
        if not all(isinstance(option, (tuple, list)) for option in choice.options):
            raise UnsupportedError("an element of one of several mappings")
        count = self._number(choice.number.register, widths)
        number = out.number(from_beginning(out, index, Number(count)))
        there = out.value(f"icmp ult i64 {number}, {count}")
        out.fail_unless(there)
        within = out.value(f"select i1 {there}, i64 {number}, i64 0")
        return self._flat(choice, within, max(widths))

    def _flat(self, choice: Choice, index: str, width: int) -> Value:
        """Return an element of the chosen tuple, whose index is within it."""
        out = self.out
        flat: list[Any] = []
        filler = next(option[0] for option in choice.options if len(option))
        for option in choice.options:
            flat += [*option, *[filler] * (width - len(option))]
        row = out.value(f"mul i64 {choice.number.register}, {width}")
        place = Number(out.value(f"add i64 {row}, {index}"), (0, len(flat) - 1))
        return self.chosen(Choice(place, tuple(flat)))

    def indexed(self, choice: Choice) -> Indexed:
        """Return the elements of whichever tuple is chosen."""
        rows = tuple(tuple(known_elements(option)) for option in choice.options)
        widths = [len(row) for row in rows]
        listed = Choice(choice.number, rows)
        length = self.chosen(Choice(choice.number, tuple(widths)))
        return Indexed(
            max(widths),
            lambda: length,
            lambda index: self._flat(listed, self.out.number(index), max(widths)),
        )

    def among(self, value: Value, choice: Choice, same: Callable[[Value, Value], Value]) -> Value:
        """Return whether a value is in whichever collection is chosen."""
        out, result = self.out, "false"
        for number, option in enumerate(choice.options):
            here = out.value(f"icmp eq i64 {choice.number.register}, {number}")
            inside = "false"
            for element in _elements(option):
                equal = out.truth(same(value, Constant(element)))
                inside = out.value(f"or i1 {inside}, {equal}")
            result = out.value(f"or i1 {result}, {out.value(f'and i1 {here}, {inside}')}")
        return Truth(result)


def _elements(option: Any) -> Iterable[Any]:
    if not isinstance(option, (tuple, list, range, set, frozenset, dict)):
        raise UnsupportedError(f"membership in {printed(option)}")
    return option


def _is_known(value: Value) -> bool:
    return isinstance(value, Constant)


def known_values(node: ast.expr, values: list[Value]) -> list[Any]:
    """Return the values of operands that must all be known."""
    if not all(map(_is_known, values)):
        raise UnsupportedError(
            f"{ast.unparse(node)}, a slice of a tuple that the state decides (read its elements)"
        )
    return [value.value for value in values if isinstance(value, Constant)]

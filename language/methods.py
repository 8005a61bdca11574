"""What methods do, and which methods and functions of Python's stand for operators."""

import ast
import operator

from ..core.containers import Seq
from ..core.fields import Record

OPERATIONS: dict[str, type[ast.operator]] = {
    "union": ast.BitOr, "intersection": ast.BitAnd, "difference": ast.Sub,
    "symmetric_difference": ast.BitXor,
}  # fmt: skip
"""Those that return a set."""

UPDATES: dict[str, type[ast.operator]] = {
    "update": ast.BitOr, "intersection_update": ast.BitAnd, "difference_update": ast.Sub,
    "symmetric_difference_update": ast.BitXor,
}  # fmt: skip
"""Those that change the set."""

COMPARISONS: dict[str, type[ast.cmpop]] = {"issubset": ast.LtE, "issuperset": ast.GtE}

METHODS = frozenset({*OPERATIONS, *UPDATES, *COMPARISONS, "isdisjoint", "copy"})
"""All that take other sets, or return sets."""

MUTATING = frozenset({
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft",
    "insert", "intersection_update", "pop", "popitem", "popleft", "remove", "reverse", "rotate",
    "setdefault", "sort", "subtract", "symmetric_difference_update", "update", "move_to_end",
    "__setitem__", "__delitem__", "__setattr__", "__delattr__", "__iadd__", "__ior__", "__next__",
    "cache_clear", "write", "send", "throw",
})  # fmt: skip
"""Methods that change their owner."""

WRITING = MUTATING | {Record.assign.__name__, Seq.truncate.__name__}
"""Methods of records and containers that write to their owner."""

KEEPING_NOTHING = frozenset({
    "all", "any", "bool", "frozenset", "len", "list", "max", "min", "set", "sorted", "sum", "tuple",
})  # fmt: skip
"""Functions of Python's that keep nothing of what they get."""

FUNCTIONS: dict[object, ast.operator] = {
    operator.add: ast.Add(), operator.sub: ast.Sub(), operator.mul: ast.Mult(),
    operator.or_: ast.BitOr(), operator.and_: ast.BitAnd(), operator.xor: ast.BitXor(),
    operator.floordiv: ast.FloorDiv(), operator.mod: ast.Mod(), operator.pow: ast.Pow(),
    operator.lshift: ast.LShift(), operator.rshift: ast.RShift(),
}  # fmt: skip
"""The functions of the module operator for two operands."""

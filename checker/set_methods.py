"""The methods of sets, and the functions of Python's, that stand for operators."""

import ast
import operator

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

FUNCTIONS: dict[object, ast.operator] = {
    operator.add: ast.Add(), operator.sub: ast.Sub(), operator.mul: ast.Mult(),
    operator.or_: ast.BitOr(), operator.and_: ast.BitAnd(), operator.xor: ast.BitXor(),
    operator.floordiv: ast.FloorDiv(), operator.mod: ast.Mod(), operator.pow: ast.Pow(),
    operator.lshift: ast.LShift(), operator.rshift: ast.RShift(),
}  # fmt: skip
"""The functions of the module operator for two operands."""

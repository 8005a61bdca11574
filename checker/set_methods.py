"""The methods of sets, and the operators that they stand for."""

import ast

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

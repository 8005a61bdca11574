"""What methods do: those of Python's containers, of a state's, and of the model's own classes."""

from __future__ import annotations

import ast
from types import FunctionType

from ...core.sources import source_of

MUTATING = frozenset({
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft",
    "insert", "intersection_update", "pop", "popitem", "popleft", "remove", "reverse", "rotate",
    "setdefault", "sort", "subtract", "symmetric_difference_update", "update", "move_to_end",
    "__setitem__", "__delitem__", "__setattr__", "__delattr__", "__iadd__", "__ior__", "__next__",
    "cache_clear", "write", "send", "throw",
})  # fmt: skip
"""Methods that change their owner."""

OF_PLACES = {
    "at": "element", "pop": "taken", "popleft": "taken", "copied": "element",
    "index": "number", "count": "number", "__len__": "number", "__getitem__": "element",
    "issubset": "truth", "issuperset": "truth", "isdisjoint": "truth", "__contains__": "truth",
    "__eq__": "truth", "__le__": "truth", "union": "set", "intersection": "set",
    "difference": "set", "copy": "set",
}  # fmt: skip
"""What the methods of the state's containers return; whatever is not here writes."""

NUMBERS = frozenset({"int", "ord", "len", "hash", "bit_length", "bit_count", "countOf", "index"})
TRUTHS = frozenset({
    "bool", "callable", "contains", "eq", "ge", "gt", "hasattr", "is_", "is_not", "issubclass",
    "isclose", "le", "lt", "ne", "not_", "truth",
})  # fmt: skip
TEXTS = frozenset({"bin", "chr", "hex", "oct", "str", "repr", "ascii", "format", "dumps"})
"""Functions of the list, by what they return."""


def changes_itself(kind: type) -> bool:
    """Whether a method of a class, other than those that make an instance, writes to its owner."""
    for name, function in vars(kind).items():
        if not isinstance(function, FunctionType) or name in ("__init__", "__new__"):
            continue
        source = source_of(function)
        parts = ast.walk(source.node) if source else ()
        if any(map(_writes_to_owner, parts)):
            return True
    return False


def _writes_to_owner(node: ast.AST) -> bool:
    """Whether a part of a method assigns an attribute of an object, or changes what one holds."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, (ast.Store, ast.Del)) and isinstance(node.value, ast.Name)
    if isinstance(node, ast.Subscript):
        stored = isinstance(node.ctx, (ast.Store, ast.Del))
        return stored and isinstance(node.value, ast.Attribute)
    called = node.func if isinstance(node, ast.Call) else None
    held = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Attribute)
    return held and isinstance(called, ast.Attribute) and called.attr in MUTATING

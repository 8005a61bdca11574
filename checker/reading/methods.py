"""What the methods of Python's containers, and of those of a state, do."""

from __future__ import annotations

MUTATING = frozenset({
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft",
    "insert", "intersection_update", "pop", "popitem", "popleft", "remove", "reverse", "rotate",
    "setdefault", "sort", "subtract", "symmetric_difference_update", "update", "move_to_end",
    "__setitem__", "__delitem__", "__iadd__", "__ior__", "cache_clear", "write", "send", "throw",
    "__next__",
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

"""The forms of Python that the language of models does not have, each with its repair.

What a form says is true of every engine: none of them runs a function that has it.  The page on the
language has an example of each, and a test compares the two.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..core.sources import Node

NOT_IN_IT = "is not in the language of models"
"""What every refusal of something outside of the language says."""

COMPARED = "compare numbers, tuples or members of an enumeration"
"""The repair of what builds a text."""


@dataclass(frozen=True)
class Outside:
    """A part of a function that lies outside of the language.

    Parameters
    ----------
    node
        The part.
    what
        What it is.
    repair
        What to write instead.
    """

    node: ast.AST
    what: str
    repair: str

    @property
    def text(self) -> str:
        """What it is, and what to write instead."""
        return f"{self.what} {NOT_IN_IT}; {self.repair}"


REPAIRS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "test first: if x in s.queue, or TABLE.get(x)"),
    ast.TryStar: ("try", "test first: if x in s.queue, or TABLE.get(x)"),
    ast.With: ("with", "write its block alone"),
    ast.AsyncWith: ("with", "write its block alone"),
    ast.AsyncFor: ("async for", "write for"),
    ast.AsyncFunctionDef: ("async def", "write def"),
    ast.Await: ("await", "call the function"),
    ast.Yield: ("yield", "return a list"),
    ast.YieldFrom: ("yield", "return a list"),
    ast.Global: ("global", "make what the model remembers a variable of its state"),
    ast.Nonlocal: ("nonlocal", "return the new value, and assign it where the function is called"),
    ast.ClassDef: ("a class within a function", "define it above, in the file"),
    ast.Import: ("an import within a function", "import at the top of the file"),
    ast.ImportFrom: ("an import within a function", "import at the top of the file"),
    ast.MatchStar: ("a star in a pattern", "match the length, or take a slice"),
    ast.MatchMapping: ("a pattern of a dictionary", "match TABLE.get(key)"),
    ast.JoinedStr: ("a text that is built", COMPARED),
}
"""The forms, by their nodes: what each is called, and what to write instead."""

_ELSE = ("the else of a loop", "return from the loop, or set a flag in it")
_FRACTION = (
    "a fraction",
    "compare whole numbers: a * d < c * b for a / b < c / d, or divide by //",
)
FRACTION = f"{_FRACTION[0]}, {NOT_IN_IT}; {_FRACTION[1]}"
"""The refusal of a fraction that has a name."""
_STEP = ("a slice with a step", "write [::-1], or [values[i] for i in range(first, last, step)]")
_DELETED = ("del of a name", "leave it out; del removes elements")


@cache
def outside(function: Node) -> tuple[Outside, ...]:
    """Return the parts of a function that lie outside of the language, in the order of its lines.

    Parameters
    ----------
    function
        The function, as its file has it.
    """
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    first = [function] if isinstance(function, ast.AsyncFunctionDef) else []
    parts = [*first, *(part for statement in body for part in _evaluated(statement))]
    found = [Outside(part, what, repair) for part in parts for what, repair in _form(part)]
    return tuple(sorted(found, key=lambda one: getattr(one.node, "lineno", 0)))


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement but those that only show something when a step fails."""
    yield node
    if isinstance(node, ast.Raise):
        return
    shown = node.msg if isinstance(node, ast.Assert) else None
    for part in ast.iter_child_nodes(node):
        if part is not shown:
            yield from _evaluated(part)


def _form(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what a part is, and its repair, if the language does not have it."""
    if type(node) in REPAIRS:
        yield REPAIRS[type(node)]
    elif isinstance(node, (ast.For, ast.While)) and node.orelse:
        yield _ELSE
    elif _is_fraction(node):
        yield _FRACTION
    elif isinstance(node, ast.Slice) and not _is_plain(node.step):
        yield _STEP
    elif isinstance(node, ast.Delete):
        yield from [_DELETED for target in node.targets if isinstance(target, ast.Name)]


def _is_fraction(node: ast.AST) -> bool:
    """Whether a part is, or gives, a number that is not whole."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return isinstance(node.op, ast.Div)
    return isinstance(node, ast.Constant) and isinstance(node.value, (float, complex))


def _is_plain(step: ast.expr | None) -> bool:
    """Whether a slice has every element from its first to its last, or all of them backwards."""
    return step is None or ast.unparse(step) in ("1", "-1", "None")

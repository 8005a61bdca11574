"""What of Python the language of models does not have, each with its repair.

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


REPAIRS = {
    "try": "test first: if x in s.queue, or TABLE.get(x)",
    "with": "write its block alone; instead of suppress(...) test first: if x in s.queue",
    "async for": "write for",
    "async def": "write def",
    "await": "call the function",
    "yield": "return a list",
    "global": "make what the model remembers a variable of its state",
    "nonlocal": "return the new value, and assign it where the function is called",
    "a class within a function": "define it above, in the file",
    "an import within a function": "import at the top of the file",
    "a star in a pattern": "match the length, or take a slice",
    "a pattern of a dictionary": "match TABLE.get(key)",
    "the else of a loop": "return from the loop, or set a flag in it",
    "a fraction": "compare whole numbers: a * d < c * b for a / b < c / d, or divide by //",
    "an infinite number": "write a whole number beyond the range of the others",
    "a slice with a step": "write [::-1], or [values[i] for i in range(first, last, step)]",
    "del of a name": "leave it out; del removes elements",
    "a text that is built": COMPARED,
    "a method of a text": COMPARED,
    "a function with a cache": "leave out the cache, or declare it with @tidegate.pure",
    "a number of a class of the model": "use a plain number",
    "an object of a class of the model": "declare the class as a Record, or use a tuple",
    "which calls itself": "write a loop, with a list of the rest",
}
"""What lies outside of the language, in words, and what to write instead.

A test applies each repair to a rule that is refused.
"""

NODES: dict[type[ast.AST], str] = {
    ast.Try: "try",
    ast.TryStar: "try",
    ast.With: "with",
    ast.AsyncWith: "with",
    ast.AsyncFor: "async for",
    ast.AsyncFunctionDef: "async def",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.ClassDef: "a class within a function",
    ast.Import: "an import within a function",
    ast.ImportFrom: "an import within a function",
    ast.MatchStar: "a star in a pattern",
    ast.MatchMapping: "a pattern of a dictionary",
    ast.JoinedStr: "a text that is built",
}
"""The forms that lie outside wherever they stand, by their nodes."""


def refusal(code: str, what: str) -> str:
    """Return the refusal of some code of which its meaning alone shows what it is."""
    return f"{code}, {what}, {NOT_IN_IT}; {REPAIRS[what]}"


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
    listed = [Outside(part, what, REPAIRS[what]) for part in parts for what in _forms(part)]
    return tuple(sorted(listed, key=lambda one: getattr(one.node, "lineno", 0)))


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement but those that only show something when a step fails."""
    yield node
    if isinstance(node, ast.Raise):
        return
    shown = node.msg if isinstance(node, ast.Assert) else None
    for part in ast.iter_child_nodes(node):
        if part is not shown:
            yield from _evaluated(part)


def _forms(node: ast.AST) -> Iterator[str]:
    """Yield what a part is, if the language does not have it."""
    if type(node) in NODES:
        yield NODES[type(node)]
    elif isinstance(node, (ast.For, ast.While)) and node.orelse:
        yield "the else of a loop"
    elif isinstance(node, ast.Slice) and not _is_plain(node.step):
        yield "a slice with a step"
    elif isinstance(node, ast.Delete):
        yield from ["del of a name" for target in node.targets if isinstance(target, ast.Name)]


def _is_plain(step: ast.expr | None) -> bool:
    """Whether a slice has every element from its first to its last, or all of them backwards."""
    return step is None or ast.unparse(step) in ("1", "-1", "None")

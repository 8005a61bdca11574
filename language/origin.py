"""The source of a lowered node: the expression or statement of the file that it stands for."""

from __future__ import annotations

import ast

from .form import Expression, Statement

_KEPT = "_source"
"""Where a node keeps it, beside what the node means."""


def note_source(node: Expression | Statement, source: ast.AST) -> None:
    """Note what a node stands for, unless it is known to stand for something smaller."""
    vars(node).setdefault(_KEPT, source)


def source_of(node: Expression | Statement) -> str:
    """Return the first line of what a node stands for; empty if that is not known."""
    source = vars(node).get(_KEPT)
    return "" if source is None else ast.unparse(source).partition("\n")[0].removesuffix(":")

"""The syntax tree of a function as the proof of symmetry reads it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from types import CodeType
from typing import Any

from ...core.errors import TidegateError
from ...core.sources import nodes_of
from ...language.forms import Outside, outside
from ...language.source import UnreadableError, verified
from .own_records import with_replaced_records
from .sets_within import with_sets_replaced


class UnreadError(TidegateError):
    """A function has what the analysis does not read."""


class OutsideError(UnreadError):
    """A part of a function lies outside of the language of models."""

    part: Outside


_READ = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)
"""What a subject consists of that can be read again for each pattern."""


def without_matches(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Return a function with ``if``, ``elif`` and ``else`` in place of each ``match``.

    One stays if a pattern takes its subject apart or names it, or if its subject is computed.
    """
    if not any(isinstance(node, ast.Match) for node in nodes_of(tree)):
        return tree
    changed = _Matches().visit(deepcopy(tree))
    assert isinstance(changed, ast.FunctionDef)
    return ast.fix_missing_locations(changed)


class _Matches(ast.NodeTransformer):
    """Replaces statements from the inside to the outside."""

    def visit_Match(self, node: ast.Match) -> ast.stmt:
        """Return the statement that stands for a match."""
        self.generic_visit(node)
        parts = ast.walk(node.subject)
        plain = all(isinstance(part, (*_READ, ast.expr_context)) for part in parts)
        # A guard that calls a function may change what the subject was.
        plain &= not any(case.guard and may_act(case.guard) for case in node.cases)
        if plain and all(_is_value(case.pattern) for case in node.cases):
            return self._chain(node, node.cases)
        return node

    def _chain(self, node: ast.Match, cases: Sequence[ast.match_case]) -> ast.stmt:
        """Return the statement for the cases from one on."""
        if not cases:
            return ast.copy_location(ast.Pass(), node)
        [case, *others] = cases
        test = _test(node.subject, case.pattern)
        if case.guard is not None:
            test = ast.BoolOp(ast.And(), [test, case.guard])
        chosen = ast.If(test, case.body, [self._chain(node, others)] if others else [])
        return ast.copy_location(chosen, case.pattern)


def may_act(node: ast.AST) -> bool:
    """Whether an expression may change a name, a list or the state, or ask what others change."""
    return any(isinstance(part, (ast.Call, ast.NamedExpr)) for part in ast.walk(node))


def _is_value(pattern: ast.pattern) -> bool:
    """Whether a pattern is a value, or one of several, or anything."""
    if isinstance(pattern, ast.MatchOr):
        return all(map(_is_value, pattern.patterns))
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None and pattern.name is None
    return isinstance(pattern, (ast.MatchValue, ast.MatchSingleton))


def _test(subject: ast.expr, pattern: ast.pattern) -> ast.expr:
    """Return the condition that a pattern stands for."""
    if isinstance(pattern, ast.MatchValue):
        test: ast.expr = ast.Compare(_again(subject), [ast.Eq()], [pattern.value])
    elif isinstance(pattern, ast.MatchSingleton):
        test = ast.Compare(_again(subject), [ast.Is()], [ast.Constant(pattern.value)])
    elif isinstance(pattern, ast.MatchOr):
        test = ast.BoolOp(ast.Or(), [_test(subject, part) for part in pattern.patterns])
    else:
        test = ast.Constant(True)
    return ast.copy_location(test, pattern)


def _again(subject: ast.expr) -> ast.expr:
    """Return a subject as an expression of its own."""
    again = ast.parse(ast.unparse(subject), mode="eval").body
    for part in ast.walk(again):
        if isinstance(part, (ast.expr, ast.expr_context)):
            ast.copy_location(part, subject)
    return again


def plain_tree(function: Callable[..., Any], keywords: bool = False) -> ast.FunctionDef:
    """Return the syntax tree of a plain function.

    Parameters
    ----------
    keywords
        Whether it may have parameters that only keywords give, or ``*values`` and ``**fields``.

    Raises
    ------
    UnreadError
        If its source is not available, is not what the function was compiled from, or lies outside
        of the language of models.
    """
    # For a wrapper, Python shows the source of the wrapped function.
    wraps = hasattr(function, "__wrapped__")
    tree = None if wraps else _tree(function, function.__code__)
    if tree is None:
        raise UnreadError(f"{function.__name__}, which is decorated,")
    if not keywords and (tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs):
        raise UnreadError(
            f"{function.__name__}, which takes arguments by * or ** (name the parameters, with "
            "defaults),"
        )
    return tree


@cache
def _tree(function: Callable[..., Any], code: CodeType) -> ast.FunctionDef:
    """Return the syntax tree of a function; `code` tells versions apart."""
    try:
        tree = verified(function)
    except UnreadableError as error:
        raise UnreadError(f"{function.__name__}, whose source {error},") from None
    for part in outside(tree):
        refused = OutsideError(f"{function.__name__}: {part.text}")
        refused.part = part
        raise refused
    tree = with_sets_replaced(tree, function.__globals__)
    return without_matches(with_replaced_records(tree, function.__globals__))


_LISTS = frozenset({"deque", "list", "set", "sorted"})


def makes_list(node: ast.expr) -> bool:
    """Whether an expression makes a new list or a new set."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in _LISTS
    if isinstance(node, ast.BinOp):
        return makes_list(node.left) or makes_list(node.right)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice)
    return isinstance(node, (ast.List, ast.ListComp, ast.Set, ast.SetComp))

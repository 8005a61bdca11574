"""``match`` as the ``if`` that it stands for, where every pattern is a value."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy

_READ = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)
"""What a subject consists of that can be read again for each pattern."""


def without_matches(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Return a function with ``if``, ``elif`` and ``else`` in place of each ``match``.

    One stays if a pattern takes its subject apart or names it, or if its subject is computed.
    """
    if not any(isinstance(node, ast.Match) for node in ast.walk(tree)):
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

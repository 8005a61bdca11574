"""Reads comprehensions and generator expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .comparisons import shortened
from .notes import ORDER
from .values import ANYTHING, Group, Unknown, is_array, is_unordered, marked

if TYPE_CHECKING:
    from .expressions import Expressions

KINDS: dict[type[ast.expr], str] = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.GeneratorExp: "iter",
    ast.DictComp: "dict",
}


class Comprehensions:
    """Reads the comprehensions of one function."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions, self.body = expressions, expressions.body

    def read(self, node: ast.expr) -> Group:
        """Return what a comprehension makes."""
        assert isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp))
        body, group = self.body, self.expressions.site(node, KINDS[type(node)])
        # Its names are its own.
        outer, body.variables = body.variables, dict(body.variables)
        depends = False
        for clause in node.generators:
            depends = self._clause(clause, group) or depends
        written = body.written
        if isinstance(node, ast.DictComp):
            key, value = self.expressions.value(node.key), self.expressions.value(node.value)
        else:
            key, value = None, self.expressions.value(node.elt)
        group.add(marked(value, depends), key)
        group.blur(Unknown(depends))
        if group.unordered and any(isinstance(part, ast.NamedExpr) for part in ast.walk(node)):
            body.find(node, f"{shortened(node)} keeps the last of a set: {ORDER}")
        if group.unordered and body.written > written:
            body.find(node, f"{shortened(node)} writes: {ORDER}")
        body.variables = outer
        return group

    def _clause(self, clause: ast.comprehension, group: Group) -> bool:
        """Read a clause, and return whether the number of its rounds depends on history."""
        source = self.expressions.value(clause.iter)
        element = self.expressions.elements(source, clause.iter, ordered=False)
        group.blur(Group("iter", unordered=is_unordered(source)))
        self.body.assign(clause.target, ANYTHING if element is None else element)
        tests = [self.expressions.condition(test).history for test in clause.ifs]
        return any(tests) or (source.history and not is_array(source))

"""What the syntax tree of a function tells before it is translated."""

from __future__ import annotations

import ast

from ...guards import refuses


def assignments(tree: ast.FunctionDef) -> dict[str, set[int]]:
    """Return for each local name the statements that assign to it."""
    found: dict[str, set[int]] = {argument.arg: {0} for argument in tree.args.args}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
            targets = [node.target]
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    found.setdefault(name.id, set()).add(id(node))
    return found


def first_effect(body: list[ast.stmt]) -> int:
    """Return how many statements at the beginning only decide whether the rest is reached."""
    last = 0
    for number, node in enumerate(body):
        documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        names = isinstance(node, ast.Assign) and all(
            isinstance(part, ast.Name)
            for target in node.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
        )
        if refuses(node):
            last = number + 1
        elif not (documents or names):
            break
    return last

"""What the syntax tree of a function tells before it is translated."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from ...guards import refuses


def parameter_names(tree: ast.FunctionDef) -> list[str]:
    """Return the names of a function's parameters, in the order of its arguments."""
    return [argument.arg for argument in (*tree.args.posonlyargs, *tree.args.args)]


@cache
def assignments(tree: ast.FunctionDef) -> dict[str, set[int]]:
    """Return for each local name the statements that assign to it."""
    found: dict[str, set[int]] = {name: {0} for name in parameter_names(tree)}
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


@cache
def held(tree: ast.FunctionDef) -> set[str]:
    """Return the local names that one statement gives a value, and only what follows it reads.

    What they stand for is known wherever they are read; any other name may stand for this or that,
    depending on the way that was taken.
    """
    once = {name for name, where in assignments(tree).items() if len(where) == 1}
    reads = Counter(_reads(tree.body))
    following = Counter({name: reads[name] for name in parameter_names(tree)})
    for block in _blocks(tree):
        for number, node in enumerate(block):
            if isinstance(node, ast.For):
                names, behind = stored([node.target]), node.body
            elif isinstance(node, ast.Assign):
                names, behind = stored(node.targets), block[number + 1 :]
            elif isinstance(node, ast.AnnAssign):
                names, behind = stored([node.target]), block[number + 1 :]
            else:
                continue
            later = Counter(_reads(behind))
            following.update({name: later[name] for name in names})
    return {name for name in once if following[name] == reads[name]}


def stored(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the local names that are assigned to in parts of a function."""
    return {
        part.id
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield every list of statements in a function."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _reads(nodes: Iterable[ast.AST], hidden: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the names that are read, those of a generator expression's own left out."""
    for node in nodes:
        if isinstance(node, ast.Name):
            if node.id not in hidden and isinstance(node.ctx, ast.Load):
                yield node.id
        elif isinstance(node, ast.GeneratorExp):
            own = hidden | stored(clause.target for clause in node.generators)
            yield from _reads([node.generators[0].iter], hidden)
            yield from _reads([node.elt, *(i for c in node.generators for i in c.ifs)], own)
            yield from _reads([clause.iter for clause in node.generators[1:]], own)
        else:
            if isinstance(node, ast.AugAssign):
                yield from stored([node.target])
            yield from _reads(ast.iter_child_nodes(node), hidden)


def counts_members(node: ast.While) -> tuple[str, list[ast.AugAssign]] | None:
    """Return the set and the sums, if a loop does nothing but count the members of a set.

    It takes out one member after the other (``isr &= isr - 1``), and adds a constant to some names
    for each.
    """
    if not isinstance(node.test, ast.Name):
        return None
    name = node.test.id
    taken_out = ast.dump(ast.parse(f"{name} &= {name} - 1").body[0])
    sums = [part for part in node.body if ast.dump(part) != taken_out]
    adding = [part for part in sums if isinstance(part, ast.AugAssign) and _adds(part, name)]
    once = len(sums) == len(node.body) - 1
    return (name, adding) if once and len(adding) == len(sums) else None


def _adds(node: ast.AugAssign, mask: str) -> bool:
    """Whether a statement adds a constant to a name that is not that of a set."""
    return (
        isinstance(node.target, ast.Name)
        and node.target.id != mask
        and isinstance(node.op, ast.Add)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, int)
    )


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

"""Analyses of a function's syntax tree before it is translated."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from ...core.guards import refuses

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def parameter_names(tree: ast.FunctionDef) -> list[str]:
    """Return the names of a function's parameters, in the order of its arguments."""
    return [argument.arg for argument in (*tree.args.posonlyargs, *tree.args.args)]


@cache
def assignments(tree: ast.FunctionDef) -> dict[str, set[int]]:
    """Return for each local name the statements that assign to it."""
    nodes: dict[str, set[int]] = {name: {0} for name in parameter_names(tree)}
    for node in _statements(tree.body):
        for name in stored(_targets(node)):
            nodes.setdefault(name, set()).add(id(node))
    return nodes


def _statements(block: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block, with those within them."""
    for node in block:
        yield node
        for part in blocks_of(node):
            yield from _statements(part)


def _targets(node: ast.stmt) -> list[ast.expr]:
    """Return what a statement assigns to."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)) else []


@cache
def held(tree: ast.FunctionDef) -> set[str]:
    """Return the local names that one statement assigns, and that are read only after it.

    Their value is known wherever they are read; the value of any other name depends on the path.
    """
    once = {name for name, where in assignments(tree).items() if len(where) == 1}
    following = Counter[str]()
    everywhere = _count_block(tree.body, following)
    following.update({name: everywhere[name] for name in parameter_names(tree)})
    return {name for name in once if following[name] == everywhere[name]}


def _count_block(block: list[ast.stmt], following: Counter[str]) -> Counter[str]:
    """Return how often names are read in a block; add the reads after an assignment to `following`.

    Each part of a function is visited once, since a large model has many functions.
    """
    after = Counter[str]()
    for node in reversed(block):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            following.update({name: after[name] for name in stored(_targets(node))})
        for number, part in enumerate(blocks_of(node)):
            inside = _count_block(part, following)
            after.update(inside)
            if isinstance(node, ast.For) and number == 0:
                following.update({name: inside[name] for name in stored([node.target])})
        for child in parts_of(node):
            _count_reads(child, after)
        if isinstance(node, ast.AugAssign):
            after.update(stored([node.target]))
    return after


def _count_reads(node: ast.AST, reads: Counter[str], hidden: frozenset[str] = frozenset()) -> None:
    """Count the names that an expression reads, except a generator expression's own."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in hidden:
            reads[node.id] += 1
    elif isinstance(node, ast.GeneratorExp):
        first, *others = node.generators
        own = hidden | stored(clause.target for clause in node.generators)
        _count_reads(first.iter, reads, hidden)
        for part in (node.elt, *first.ifs, *(p for c in others for p in (c.iter, *c.ifs))):
            _count_reads(part, reads, own)
    elif not isinstance(node, ast.Constant):
        for child in ast.iter_child_nodes(node):
            _count_reads(child, reads, hidden)


def stored(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the local names that are assigned to in parts of a function."""
    return {
        part.id
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds otherwise than by an assignment."""
    names: set[str | None] = set()
    for node in ast.walk(statement):
        if isinstance(node, (*DEFINITIONS, ast.MatchAs, ast.MatchStar, ast.ExceptHandler)):
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping):
            names.add(node.rest)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
    return {name for name in names if name}


def parts_of(node: ast.stmt) -> list[ast.AST]:
    """Return the parts of a statement besides the statements in it."""
    inner = (ast.stmt, ast.ExceptHandler, ast.match_case)
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, inner)]


def blocks_of(node: ast.stmt) -> list[list[ast.stmt]]:
    """Return the lists of statements in a statement."""
    names = ("body", "orelse", "finalbody")
    blocks = [part for name in names if (part := getattr(node, name, None))]
    others = (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))
    return [*blocks, *(part.body for part in others)]


def counts_members(node: ast.While) -> tuple[str, list[ast.AugAssign]] | None:
    """Return the set and the sums, if a loop only counts the members of a set.

    It removes one member after the other (``isr &= isr - 1``), and adds a constant to some names
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
    """Return how many statements at the beginning are guards, or names for them."""
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

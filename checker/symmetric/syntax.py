"""The syntax tree of a function as the translator reads it, and what its names are used for."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from types import CodeType
from typing import Any

from ...core.errors import TidegateError
from ...core.guards import refuses
from ...core.sources import nodes_of, parents_of
from ...language.forms import Outside, outside
from ...language.methods import KEEPING_NOTHING, MUTATING, OPERATIONS
from ...language.scopes import (
    assignments,
    blocks_of,
    own_returns,
    parameter_names,
    parts_of,
    statements,
    stored,
    targets,
)
from ...language.source import UnreadableError, verified
from .name_uses import FUNCTION_KINDS
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


@cache
def held(tree: ast.FunctionDef) -> set[str]:
    """Return the local names that one statement assigns, and that are read only after it.

    Their value is known wherever they are read; the value of any other name depends on the path.
    """
    once = {name for name, where in assignments(tree).items() if len(where) == 1}
    following = Counter[str]()
    everywhere = _count_block(tree.body, following)
    following.update({name: everywhere[name] for name in parameter_names(tree)})
    in_order = {name for name in once if following[name] == everywhere[name]}
    return in_order | _of_loops(tree, everywhere)


def _of_loops(tree: ast.FunctionDef, everywhere: Counter[str]) -> set[str]:
    """Return the names that only loops assign, one after the other, and that only these read.

    They may stand for something else in each of the loops.
    """
    functions = (ast.Lambda, ast.FunctionDef)
    if any(isinstance(node, functions) for node in nodes_of(tree) if node is not tree):
        # A function may read the name after the loop.
        return set()
    loops = {id(node): node for node in statements(tree.body) if isinstance(node, ast.For)}
    inside = {at: _count_block(node.body, Counter()) for at, node in loops.items()}
    nested = {
        name
        for node in loops.values()
        for inner in statements(node.body)
        if isinstance(inner, ast.For)
        for name in stored([inner.target]) & stored([node.target])
    }
    return {
        name
        for name, where in assignments(tree).items()
        if where <= loops.keys()
        and name not in nested
        and sum(inside[at][name] for at in where) == everywhere[name]
    }


def _count_block(block: list[ast.stmt], following: Counter[str]) -> Counter[str]:
    """Return how often names are read in a block; add the reads after an assignment to `following`.

    Each part of a function is visited once, since a large model has many functions.
    """
    after = Counter[str]()
    for node in reversed(block):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            following.update({name: after[name] for name in stored(targets(node))})
        if isinstance(node, ast.FunctionDef):
            following.update({node.name: after[node.name]})
        for number, part in enumerate(blocks_of(node)):
            inside = _count_block(part, following)
            after.update(inside)
            if isinstance(node, ast.For) and number == 0:
                following.update({name: inside[name] for name in stored([node.target])})
        for child in parts_of(node):
            _count_reads(child, after)
        for case in node.cases if isinstance(node, ast.Match) else ():
            _count_reads(case.pattern, after)
            if case.guard is not None:
                _count_reads(case.guard, after)
        if isinstance(node, ast.AugAssign):
            after.update(stored([node.target]))
    return after


def _count_reads(node: ast.AST, reads: Counter[str], hidden: frozenset[str] = frozenset()) -> None:
    """Count the names that an expression reads, except a generator expression's own."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in hidden:
            reads[node.id] += 1
    elif isinstance(node, (ast.GeneratorExp, ast.ListComp, ast.SetComp)):
        first, *others = node.generators
        own = hidden | stored(clause.target for clause in node.generators)
        _count_reads(first.iter, reads, hidden)
        for part in (node.elt, *first.ifs, *(p for c in others for p in (c.iter, *c.ifs))):
            _count_reads(part, reads, own)
    elif not isinstance(node, ast.Constant):
        for child in ast.iter_child_nodes(node):
            _count_reads(child, reads, hidden)


def renamed(
    tree: ast.FunctionDef, suffix: str, more: Iterable[str] = ()
) -> tuple[ast.FunctionDef, dict[str, str]]:
    """Return a function whose own names end in a suffix that no name has, and the new names.

    Parameters
    ----------
    more
        Other names that get this suffix, too.
    """
    new = {name: f"{name}?{suffix}" for name in (*assignments(tree), *more)}
    changed = _Renamed(new).visit(deepcopy(tree))
    assert isinstance(changed, ast.FunctionDef)
    return changed, new


class _Renamed(ast.NodeTransformer):
    """Gives names other ones."""

    def __init__(self, new: Mapping[str, str]) -> None:
        self._new = new

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Rename what reads or assigns."""
        node.id = self._new.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Rename a parameter."""
        node.arg = self._new.get(node.arg, node.arg)
        return node

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.MatchAs:
        """Rename what a pattern binds."""
        self.generic_visit(node)
        node.name = self._new.get(node.name, node.name) if node.name else None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Rename a function within the function."""
        self.generic_visit(node)
        node.name = self._new.get(node.name, node.name)
        return node


def returns_once(tree: ast.FunctionDef) -> bool:
    """Whether a function returns at its end only."""
    return len(own_returns(tree)) == (1 if isinstance(tree.body[-1], ast.Return) else 0)


COPYING = frozenset({"copy", *OPERATIONS})
"""The methods that return a new list, set or dictionary."""

_KEEPING = (ast.Return, ast.Compare, ast.For, ast.comprehension, ast.If, ast.While, ast.BinOp)
"""What a name lies in that a function may use for a list without another name for it."""


@cache
def returns_new(tree: ast.FunctionDef) -> bool:
    """Whether a function returns a list, a set or a dictionary that it makes, and keeps nowhere."""
    parents = parents_of(tree)
    functions = [one for one in parents if isinstance(one, FUNCTION_KINDS)]
    # A function in it may keep what it has a name for.
    within = {
        one.id for function in functions for one in ast.walk(function) if isinstance(one, ast.Name)
    }
    parameters = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}

    def is_fit(name: ast.Name) -> bool:
        parent = parents[name]
        if isinstance(name.ctx, ast.Store):
            if isinstance(parent, (ast.Assign, ast.AnnAssign)) and parent.value is not None:
                return _is_made(parent.value)
            return isinstance(parent, ast.AugAssign)
        if isinstance(parent, ast.Call):
            return isinstance(parent.func, ast.Name) and parent.func.id in KEEPING_NOTHING
        return isinstance(parent, (*_KEEPING, ast.Attribute, ast.Subscript, ast.AugAssign))

    def is_new(value: ast.expr | None) -> bool:
        if not isinstance(value, ast.Name):
            return value is not None and _is_made(value)
        uses = [one for one in parents if isinstance(one, ast.Name) and one.id == value.id]
        is_own = any(isinstance(one.ctx, ast.Store) for one in uses)
        return is_own and value.id not in parameters | within and all(map(is_fit, uses))

    return all(is_new(one.value) for one in own_returns(tree))


def _is_made(node: ast.expr) -> bool:
    """Whether an expression makes a new list, set or dictionary."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("dict", "defaultdict", "Counter"):
        return True
    return makes_list(node) or isinstance(node, (ast.Dict, ast.DictComp))


def may_return_none(tree: ast.FunctionDef) -> bool:
    """Whether a function returns None on some way, as far as its returns show."""
    returns = own_returns(tree)
    valued = any(node.value is not None for node in returns)
    ends = isinstance(tree.body[-1], (ast.Return, ast.Raise, ast.If, ast.Match))
    some = any(node.value is None or has_none(node.value) for node in returns)
    return valued and (some or not ends)


def has_none(node: ast.expr) -> bool:
    """Whether an expression may be the None that is written in it."""
    if isinstance(node, ast.IfExp):
        return has_none(node.body) or has_none(node.orelse)
    if isinstance(node, ast.BoolOp):
        return any(map(has_none, node.values))
    if isinstance(node, ast.Call):
        return any(map(has_none, node.args))
    return isinstance(node, ast.Constant) and node.value is None


@cache
def nullable(tree: ast.FunctionDef) -> set[str]:
    """Return the names to which None is assigned."""
    return {
        name
        for node in statements(tree.body)
        for target, value in _pairs(node)
        if has_none(value)
        for name in stored([target])
    }


@cache
def changed_in_place(tree: ast.FunctionDef) -> set[str]:
    """Return the names of lists and sets that a function may change, and not only assign."""
    names = set()
    for node in nodes_of(tree):
        where: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            where = node.func.value if node.func.attr in MUTATING else None
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            where = node.value
        elif isinstance(node, ast.AugAssign):
            where = node.target
        if isinstance(where, ast.Name):
            names.add(where.id)
    return names


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


RESULT = ""
"""What stands for the result of a function among its names."""


def _pairs(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a statement assigns to, with the expression for it."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
        return
    for target in targets(node):
        parts = target.elts if isinstance(target, ast.Tuple) else []
        values = node.value.elts if isinstance(node.value, ast.Tuple) else []
        if parts and len(parts) == len(values):
            yield from zip(parts, values, strict=True)
        else:
            yield target, node.value


@cache
def lists_of(tree: ast.FunctionDef) -> set[str]:
    """Return the names of lists that are made in several places, with ``RESULT`` if one is."""
    names = {
        name
        for node in statements(tree.body)
        for target, value in _pairs(node)
        if makes_list(value)
        for name in stored([target])
    }
    returned = [node.value for node in own_returns(tree) if node.value]
    return names | ({RESULT} if any(map(makes_list, returned)) else set())


def _names_read_after(body: list[ast.stmt], number: int) -> bool:
    """Whether a statement gives names within an expression that later ones read."""
    named = {node.target.id for node in ast.walk(body[number]) if isinstance(node, ast.NamedExpr)}
    if not named:
        return False
    return any(
        isinstance(node, ast.Name) and node.id in named
        for later in body[number + 1 :]
        for node in ast.walk(later)
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
            if _names_read_after(body, number):
                break
            last = number + 1
        elif not (documents or names):
            break
    return last

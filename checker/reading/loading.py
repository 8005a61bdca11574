"""Reads what a module of the model's does while it is loaded.

What it makes there, such as a constant, a limit or a default, must be the same in the next run.  A
file or the environment may be read: that is how a model is set up.
"""

from __future__ import annotations

import ast
import linecache
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...core.sources import Source, tree_of
from .body import Body
from .comparisons import is_set, shortened
from .notes import LOST, ORDER, VARIES, Objection
from .values import ANYTHING, Group, Known, Value, is_unordered, options

if TYPE_CHECKING:
    from .reader import Reader


class Loading(Body):
    """The reading of the statements of a module; names stand for what they are in the end.

    Attributes
    ----------
    unordered
        The names of dictionaries that have the order of a set.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.unordered: set[str] = set()
        self._in_class = False

    def load(self, statement: ast.stmt) -> None:
        """Read a statement, unless only a script runs it."""
        self.assigned = set()
        if not _is_of_script(statement):
            self.block([statement])

    def assign(self, target: ast.expr, value: Value) -> None:
        """Refuse what has the order of a set, but is none."""
        self._refuse_order(target, value)
        super().assign(target, value)

    def _refuse_order(self, node: ast.AST, value: Value) -> None:
        if not is_unordered(value):
            return
        replaces = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
        if replaces or not is_set(value) or (self._in_class and _is_dictionary(value)):
            self.find(node, f"{shortened(node)}: {ORDER}")
        elif isinstance(node, ast.Name) and _is_dictionary(value):
            self.unordered.add(node.id)

    def _defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        made = self._known(node.name)
        for decorator in reversed(node.decorator_list):
            self.expressions.calls.invoke(self.value(decorator), [made], {}, decorator)
        self.bind(node.name, node, made)

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for default in (*node.args.defaults, *(one for one in node.args.kw_defaults if one)):
            self._refuse_order(default, self.value(default))
        self._defined(node)

    _asyncfunctiondef = _functiondef

    def _classdef(self, node: ast.ClassDef) -> None:
        before, self._in_class = dict(self.variables), True
        self.block(node.body)
        self.variables, self._in_class = before, False
        self._defined(node)

    def _known(self, name: str) -> Value:
        space: dict[str, Any] = self.function.__globals__ if self.function else {}
        return Known(space[name]) if name in space else ANYTHING


class Statements:
    """The statements of a module, and what makes each another one in the next run.

    Parameters
    ----------
    reader
        One of its own: a search does not make the calls that loading a module makes.
    space
        The variables of the module.
    """

    def __init__(self, reader: Reader, file: str, space: dict[str, Any]) -> None:
        tree = tree_of("".join(linecache.getlines(file, space)))
        stub = FunctionType((lambda: None).__code__.replace(co_filename=file), space)
        nothing = ast.arguments([], [], None, [], [], None, [])
        module = ast.FunctionDef("module", nothing, tree.body, [], lineno=1, col_offset=0)
        body = Loading(reader, Source(module, file), stub, {})
        self.unordered = body.unordered
        self._read: list[tuple[set[str], set[str], list[Objection]]] = []
        for statement in tree.body:
            before = len(body.objections)
            body.load(statement)
            varying = [one for one in body.objections[before:] if _varies(one)]
            self._read.append((_makes(statement), _names(statement), varying))

    def varying(self, name: str) -> list[Objection]:
        """Return why what has a name may be another one in the next run."""
        todo, made_of = [name], {name}
        while todo:
            one = todo.pop()
            for makes, names, _ in self._read:
                if one in makes:
                    todo += names - made_of
                    made_of |= names
        return [one for makes, _, each in self._read if makes & made_of for one in each]


def _varies(objection: Objection) -> bool:
    # A set that is stored somewhere is refused where the model depends on its order.
    text = objection.text
    return any(way in text for way in VARIES) and LOST not in text


def _names(statement: ast.stmt) -> set[str]:
    """Return the names in a statement, but for those in functions that it defines."""
    todo: list[ast.AST] = [statement]
    names: set[str] = set()
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Name):
            names.add(part.id)
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo += (
                *part.decorator_list,
                *part.args.defaults,
                *filter(None, part.args.kw_defaults),
            )
        else:
            todo += ast.iter_child_nodes(part)
    return names


def _makes(statement: ast.stmt) -> set[str]:
    """Return the names of what a statement defines or may change."""
    parts = list(ast.walk(statement))
    names = _names(statement)
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        written = set[str]().union(*map(_written, targets))
        names = {part.id for part in parts if isinstance(part, ast.Name) and _is_stored(part)}
        names |= written
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names = set()
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return names | {part.name for part in parts if isinstance(part, defined)}


def _is_dictionary(value: Value) -> bool:
    return any(isinstance(one, Group) and one.kind == "dict" for one in options(value))


def _written(target: ast.expr) -> set[str]:
    """Return the names of the objects that an assignment changes a part of."""
    inside = [part for part in ast.walk(target) if isinstance(part, (ast.Attribute, ast.Subscript))]
    return {part.value.id for part in inside if isinstance(part.value, ast.Name)}


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_of_script(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).startswith("__name__ ==")

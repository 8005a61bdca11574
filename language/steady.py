"""Whether code that runs before the search gives the same in every run.

Such code is Python: it makes the initial states and lists the values of parameters, and it makes
the constants of a file while that is loaded.  What of it is not in the language of models is looked
through, with the functions that it names, for what Python's library reads from outside of the
model.  Whether it depends on the order of a set, other processes show.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import auto
from functools import partial
from inspect import getattr_static
from random import Random
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ..core.errors import Line
from ..core.imports import Folder
from ..core.origins import is_written
from ..core.purity import DeclaredPure, declaration_of
from ..core.sources import is_own, source_of, tree_of
from .impure import ADDRESS, ANEW, CHANCE, CLOCK, ONLY, is_users, of_module, why_impure
from .names import MISSING, looked_up
from .scopes import local_names

_VARIES = CLOCK, CHANCE, ADDRESS, ANEW
"""What makes a constant of a file another one in the next run.

A file or the environment may be read while a file is loaded: that is how a model is set up.
"""

_WRITTEN = "is a global that is written"

_EVERYTHING = (
    "catches every error, also those that Python would not have, as that of a full sequence; name "
    "the errors that you expect, IndexError, KeyError, ValueError"
)

Refusal = tuple[Line, str]


class Steady:
    """Looks through what runs before the search.

    Parameters
    ----------
    is_in_language
        Whether an expression of a file, with the variables of its module, is in the language of
        models, so that it gives the same in every run.

    Attributes
    ----------
    refusals
        What it found.
    declared
        The functions declared pure that were met; they are not looked through.
    unsure
        The constants, each with its module, that were made by what is not in the language.
    """

    def __init__(self, is_in_language: Callable[[dict[str, Any], str, ast.expr], bool]) -> None:
        self.is_in_language = is_in_language
        self.refusals: dict[Refusal, None] = {}
        self.declared: set[DeclaredPure] = set()
        self.unsure: dict[tuple[str, str], Line] = {}
        self._seen: set[tuple[object, bool]] = set()
        self._files: dict[str, _Statements] = {}

    def function(self, function: FunctionType, loads: bool = False) -> None:
        """Look through a function, and whatever it names; `loads` if a file is loaded then."""
        declaration = declaration_of(function)
        if declaration is not None:
            self.declared |= set() if loads else {declaration}
            return
        if (function, loads) in self._seen or not is_written(function.__code__.co_filename):
            return
        self._seen.add((function, loads))
        source = source_of(function)
        if source is not None:
            own = frozenset(local_names(source.node))
            within = _Within(self, function, source.file, own, loads)
            for part in ast.iter_child_nodes(source.node):
                within.visit(part)

    def constant(self, module: str, name: str) -> None:
        """Look through the statements of a file by which one of its names got its value."""
        space = vars(sys.modules.get(module, builtins))
        file = str(space.get("__file__"))
        if is_written(file):
            if file not in self._files:
                self._files[file] = _Statements(file, space)
            line = self._files[file].look(self, name)
            if line is not None:
                self.unsure[module, name] = line

    def refuse(self, place: Line, text: str) -> None:
        """Note something that is wrong."""
        self.refusals[place, text] = None


class _Within(ast.NodeVisitor):
    """Looks through one function, or one statement of a file.

    Parameters
    ----------
    function
        Where names are looked up.
    own
        The names that are local to it.
    loads
        Whether it runs while a file is loaded.
    """

    def __init__(
        self, steady: Steady, function: Any, file: str, own: frozenset[str], loads: bool
    ) -> None:
        self.steady, self.looked_in, self.file = steady, function, file
        self.own, self.loads = own, loads

    def resolved(self, node: ast.AST) -> Any:
        """Return what a name or an attribute stands for, as far as that exists already."""
        if isinstance(node, ast.Name):
            return MISSING if node.id in self.own else looked_up(self.looked_in, node.id)
        if isinstance(node, ast.Attribute):
            owner = self.resolved(node.value)
            if isinstance(owner, (ModuleType, type)):
                return getattr(owner, node.attr, MISSING)
        return MISSING

    def visit_Name(self, node: ast.Name) -> None:
        """Look at what a name stands for."""
        self._meet(self.resolved(node), node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Look at an attribute of a module; of anything else at what has it."""
        owner = self.resolved(node.value)
        if isinstance(owner, ModuleType):
            names = () if is_users(owner) else (owner.__name__, node.attr)
            self._meet(getattr(owner, node.attr, MISSING), node, *names)
        else:
            self.visit(node.value)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Look at what a function imports."""
        names = [one.name for one in node.names]
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        importing = getattr(self.looked_in, "__builtins__", {}).get("__import__")
        folder = getattr(importing, "__self__", None)
        for name in names:
            if not isinstance(folder, Folder) or folder.resolved(name) == name:
                self._refuse(node, name, of_module(name))

    visit_ImportFrom = visit_Import  # noqa: N815 - as ast calls it

    def _meet(self, value: Any, node: ast.AST, module: str = "", name: str = "") -> None:
        if value is MISSING:
            return
        if isinstance(value, ModuleType):
            what = "" if is_users(value) else of_module(value.__name__)
            self._refuse(node, value.__name__, what)
            return
        if self.loads and (isinstance(value, Random) or value is Random):
            # A number that is given to it makes it the same in every run.
            return
        what = why_impure(value, module, name)
        self._refuse(node, ast.unparse(node), what)
        for function in _functions(value):
            self.steady.function(function, self.loads)

    def _refuse(self, node: ast.AST, text: str, what: str) -> None:
        if what and (not self.loads or any(way in what for way in _VARIES)):
            self.steady.refuse((self.file, getattr(node, "lineno", 1)), f"{text} {what}; {ONLY}")

    def visit_Global(self, node: ast.Global) -> None:
        """Refuse a name of the file that a function assigns."""
        for name in node.names:
            self._refuse(node, name, _WRITTEN)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Look through a function within it; a file only defines it."""
        for one in (*node.decorator_list, *node.args.defaults):
            self.visit(one)
        if not self.loads and node.name != "__hash__":
            for part in node.body:
                self.visit(part)

    # --- errors

    def visit_Try(self, node: ast.Try) -> None:
        """Refuse a handler of all errors: it takes those that Tidegate has for the model's."""
        for handler in node.handlers:
            kinds = [BaseException] if handler.type is None else self._kinds(handler.type)
            again = any(isinstance(one, ast.Raise) for one in handler.body)
            self._refuse_all(handler, [] if again else kinds)
        inside = [part for one in node.finalbody for part in ast.walk(one)]
        if any(isinstance(one, (ast.Return, ast.Break, ast.Continue)) for one in inside):
            self._refuse_all(node.finalbody[0], [BaseException])
        self.generic_visit(node)

    def _kinds(self, node: ast.expr) -> list[Any]:
        """Return the errors that an expression names."""
        if isinstance(node, (ast.Tuple, ast.List)):
            return [kind for one in node.elts for kind in self._kinds(one)]
        if isinstance(node, ast.Starred):
            return self._kinds(node.value)
        value = self.resolved(node)
        return [*value] if isinstance(value, (tuple, list)) else [value]

    def _refuse_all(self, node: ast.AST, kinds: list[Any]) -> None:
        if not self.loads and any(kind in (Exception, BaseException) for kind in kinds):
            self.steady.refuse((self.file, getattr(node, "lineno", 1)), _EVERYTHING)

    # --- calls

    def visit_Call(self, node: ast.Call) -> None:
        """Refuse the hash of a text, and numbers by chance whose seed differs."""
        function = self.resolved(node.func)
        if function is suppress:
            self._refuse_all(node, [kind for one in node.args for kind in self._kinds(one)])
        if function is hash and any(_is_text(one) for one in ast.walk(node)):
            self._refuse(node, ast.unparse(node), ANEW)
        if function is Random and not node.args and self.loads:
            self._refuse(node, ast.unparse(node), CHANCE)
        self.generic_visit(node)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _functions(value: Any) -> Iterator[FunctionType]:
    """Yield the functions that somebody who has a value may call."""
    wrapped = getattr_static(value, "__wrapped__", None)
    if isinstance(wrapped, FunctionType):
        yield wrapped
    elif isinstance(value, FunctionType):
        yield value
    elif isinstance(value, MethodType):
        yield from _functions(value.__func__)
    elif isinstance(value, partial):
        yield from _functions(value.func)
        for one in value.args:
            yield from _functions(one)
    elif isinstance(value, (list, tuple, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            if callable(one):
                yield from _functions(one)
    else:
        yield from _methods(value if isinstance(value, type) else type(value))


def _methods(kind: type) -> Iterator[FunctionType]:
    """Yield the methods and the properties of a class that is the model's."""
    file = str(getattr(sys.modules.get(kind.__module__), "__file__", ""))
    if file and is_written(file):
        for one in vars(kind).values():
            inner = getattr(one, "fget", None) or getattr(one, "func", None)
            inner = getattr(one, "__func__", inner) or one
            if isinstance(inner, FunctionType) and inner.__name__ != "__hash__":
                yield inner


class _Statements:
    """The statements of a file, and what makes each of its names another one in the next run."""

    def __init__(self, file: str, space: dict[str, Any]) -> None:
        self.file = file
        self.looked_in = FunctionType((lambda: None).__code__, space)
        self.statements = [
            (_makes(one), _names(one), one)
            for one in tree_of("".join(linecache.getlines(file, space))).body
            if not _is_of_script(one)
        ]
        self._looked_at: set[str] = set()

    def look(self, steady: Steady, name: str) -> Line | None:
        """Look through what makes a name what it is, and return what is not in the language."""
        todo, lines = {name} - self._looked_at, list[int]()
        while todo:
            one = todo.pop()
            self._looked_at.add(one)
            for makes, names, statement in self.statements:
                if one in makes and not self._is_sure(steady, statement):
                    lines.append(statement.lineno)
                    todo |= names - self._looked_at
                    _Within(steady, self.looked_in, self.file, frozenset(), loads=True).visit(
                        statement
                    )
        return (self.file, min(lines)) if lines else None

    def _is_sure(self, steady: Steady, statement: ast.stmt) -> bool:
        """Whether a statement makes the same in every run, as a function or an import does."""
        values: list[ast.expr | None] = []
        if isinstance(statement, ast.FunctionDef):
            values = [*statement.args.defaults, *statement.args.kw_defaults]
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            plain = (ast.Name, ast.Tuple) if isinstance(statement.value, ast.Tuple) else ast.Name
            if not all(isinstance(one, plain) for one in targets):
                return False
            values = [] if self._declares(statement.value) else [statement.value]
        elif isinstance(statement, ast.ClassDef):
            if not all(isinstance(one, _PLAIN) for one in statement.body):
                return False
            values = [one for one in map(_assigned, statement.body) if not self._declares(one)]
        elif not isinstance(statement, (ast.Import, ast.ImportFrom)):
            return False
        space = self.looked_in.__globals__
        return all(one is None or steady.is_in_language(space, self.file, one) for one in values)

    def _declares(self, value: ast.expr | None) -> bool:
        """Whether a value is what Tidegate declares, as a variable, or auto() of an enumeration."""
        if not isinstance(value, ast.Call):
            return value is None
        name = value.func.value if isinstance(value.func, ast.Attribute) else value.func
        made_by = looked_up(self.looked_in, name.id) if isinstance(name, ast.Name) else None
        kind = made_by if isinstance(made_by, (FunctionType, type)) else type(made_by)
        return kind is auto or not is_own(kind)


_PLAIN = (ast.FunctionDef, ast.Assign, ast.AnnAssign, ast.Pass, ast.Expr)
"""Statements of a class that only define, or assign."""


def _assigned(statement: ast.stmt) -> ast.expr | None:
    return statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None


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
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if isinstance(statement, defined):
        return {statement.name}
    parts = list(ast.walk(statement))
    inner = {part.name for part in parts if isinstance(part, defined)}
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return inner | _names(statement)
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    changed = {
        one.value.id
        for target in targets
        for one in ast.walk(target)
        if isinstance(one, (ast.Attribute, ast.Subscript)) and isinstance(one.value, ast.Name)
    }
    stored = (one for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return inner | changed | {one.id for one in stored}


def _is_of_script(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).startswith("__name__ ==")

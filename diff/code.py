"""The code of a protocol as data.

It is read from the source, like guards, so that no second description is needed.  Being plain
data, it can come from another process, which has loaded another revision of the same protocol.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property, partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..core.fields import Record
from ..core.guards import names_of, place, read_node, refuses, syntax_tree
from ..core.imports import PREFIX
from ..core.sources import LAMBDA, as_function, is_own, source_of
from ..core.spec import JointFairness
from ..model.protocol import Protocol, decisions


@dataclass(frozen=True)
class Function:
    """The documentation and the code of a function.

    Parameters
    ----------
    name
        Its name in the source.
    place
        File and line.
    says
        The first line of its docstring.
    source
        Its parameters and its statements, without the docstring and without comments.
    guards
        The conditions under which an action is not enabled.
    effect
        Its statements without these guards.
    rules
        Rules of the protocol that it calls.
    helpers
        Functions that it calls, by module and name.
    constants
        Names and values of the constants that it uses.
    """

    name: str
    place: str
    says: str
    source: str
    guards: tuple[str, ...]
    effect: str
    rules: frozenset[str]
    helpers: frozenset[str]
    constants: tuple[tuple[str, str], ...]

    @property
    def does(self) -> tuple[object, ...]:
        """What has to be equal for two functions to be equivalent, apart from what they call."""
        return self.source, self.constants


@dataclass(frozen=True)
class Rule:
    """A decision of a protocol: its description, and the function or value that makes it."""

    name: str
    decides: str
    function: Function | None
    value: str


@dataclass(frozen=True)
class ActionCode:
    """An action: who takes it, its fairness, and its function."""

    name: str
    who: str
    fairness: str
    function: Function


@dataclass(frozen=True)
class Code:
    """The code of a protocol.

    Parameters
    ----------
    helpers
        The functions that rules and actions call, directly or indirectly, by module and name.
    fairness
        The fairness of several actions together, by what they are.
    """

    name: str
    summary: str
    rules: dict[str, Rule]
    actions: dict[str, ActionCode]
    helpers: dict[str, Function]
    fairness: dict[str, str]

    def rules_asked(self, action: str) -> set[str]:
        """Return the rules that an action calls, directly or indirectly."""
        rules: set[str] = set()
        todo = [self.actions[action].function]
        seen = set()
        while todo:
            function = todo.pop()
            seen.add(function.place)
            rules |= function.rules & set(self.rules)
            called = [self.helpers[name] for name in function.helpers]
            rules_called = (self.rules[name] for name in function.rules if name in self.rules)
            called += [rule.function for rule in rules_called if rule.function]
            todo += [other for other in called if other.place not in seen]
        return rules


def code(protocol: Protocol) -> Code:
    """Return the code of a protocol."""
    decides = decisions(type(protocol.rules))
    roots: list[Callable[..., Any]] = [action.apply for action in protocol.actions]
    rules = {}
    for field in fields(protocol.rules):
        rule = getattr(protocol.rules, field.name)
        function = _function(rule) if isinstance(rule, FunctionType) else None
        if isinstance(rule, FunctionType):
            roots.append(rule)
        value = function.name if function else str(rule)
        rules[field.name] = Rule(field.name, decides.get(field.name, ""), function, value)
    helpers = _helpers(roots)
    everything = Code(
        name=protocol.name,
        summary=protocol.summary,
        rules=rules,
        actions={
            action.name: ActionCode(action.name, action.who, action.owed, _function(action.apply))
            for action in protocol.actions
        },
        helpers=helpers,
        fairness={joint.named: _together(joint, protocol) for joint in protocol.fairness},
    )
    own = next((_module(root) for root in roots if root.__module__.startswith(PREFIX)), None)
    return everything if own is None else _without_module(everything, own)


def _without_module(code: Code, module: str) -> Code:
    """Return the code of a protocol in whose helpers' names this module is left out.

    So the functions of two files are compared by their names, whatever the files are called.
    """

    def short(name: str) -> str:
        return name.removeprefix(f"{module}.")

    def changed(function: Function) -> Function:
        return replace(function, helpers=frozenset(map(short, function.helpers)))

    return replace(
        code,
        rules={
            name: replace(rule, function=rule.function and changed(rule.function))
            for name, rule in code.rules.items()
        },
        actions={
            name: replace(action, function=changed(action.function))
            for name, action in code.actions.items()
        },
        helpers={short(name): changed(function) for name, function in code.helpers.items()},
    )


def _together(one: JointFairness, protocol: Protocol) -> str:
    """Return every fairness of the actions of `one` together, in words."""
    return "; ".join(joint.owed for joint in protocol.fairness if joint.named == one.named)


def _helpers(roots: Iterable[Callable[..., Any]]) -> dict[str, Function]:
    """Return the functions that others call, directly or indirectly."""
    helpers: dict[str, Function] = {}
    todo = list(roots)
    while todo:
        for name, called in functions_called(todo.pop()).items():
            if name not in helpers:
                helpers[name] = _function(called)
                todo.append(called)
    return dict(sorted(helpers.items()))


def _tree_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function without its list of decorators.

    What such a decorator returns instead of it has a tree of its own.
    """
    plain = getattr(function, "__func__", function)
    source = source_of(plain) if isinstance(plain, FunctionType) else None
    tree = as_function(deepcopy(source.node)) if source else syntax_tree(function)
    tree.decorator_list.clear()
    return tree


def _function(function: Callable[..., Any]) -> Function:
    """Return the documentation and the code of a function."""
    tree = _tree_of(function)
    if ast.get_docstring(tree) is not None:
        del tree.body[0]
    guards = [node.test for node in tree.body if isinstance(node, ast.If) and refuses(node)]
    effect = [node for node in tree.body if not refuses(node)]
    body = "\n".join(ast.unparse(node) for node in tree.body)
    names = ", ".join(argument.arg for argument in tree.args.args)
    return Function(
        name=tree.name,
        place=place(function),
        says=(inspect.getdoc(function) or "").split("\n")[0],
        source=f"({names})\n{body or 'pass'}",
        guards=tuple(ast.unparse(test) for test in guards),
        effect="\n".join(ast.unparse(node) for node in effect),
        rules=frozenset(_asked(tree)),
        helpers=frozenset(functions_called(function)),
        constants=tuple(_constants(function, tree)),
    )


def _asked(tree: ast.FunctionDef) -> Iterable[str]:
    """Yield the names of rules that a function calls, as in ``k.rules.may_serve_fetch``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Attribute):
            continue
        if node.value.attr == "rules":
            yield node.attr


def functions_called(function: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return the plain functions that a function names, except the standard library's.

    They are those of its module, of modules that it names, of tables, and methods of the model's
    own classes.
    """
    functions: dict[str, Callable[..., Any]] = {}
    for name, value in _named(function, _tree_of(function)):
        for one in _functions_in(value):
            called = name if one.__name__ == LAMBDA else one.__qualname__
            if one is not function and one.__module__.split(".")[0] not in sys.stdlib_module_names:
                functions[f"{_module(one)}.{called}"] = one
    return functions


def _named(function: Callable[..., Any], tree: ast.FunctionDef) -> Iterator[tuple[str, Any]]:
    """Yield the objects outside of a function that it names, with their names."""
    space = names_of(function)
    kinds = [one for one in space.values() if isinstance(one, type) and is_own(one)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in space:
            yield node.id, space[node.id]
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and isinstance(
                space.get(node.value.id), ModuleType
            ):
                yield node.attr, getattr(space[node.value.id], node.attr, None)
            yield from (
                (node.attr, vars(one)[node.attr]) for one in kinds if node.attr in vars(one)
            )


_METHODS = (property, staticmethod, classmethod, cached_property)


def _functions_in(value: Any) -> Iterator[FunctionType]:
    """Yield a function, those that a table has, and what a method or a property calls.

    A lambda in a table has no name: it is told with the table.
    """
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, property):
        yield from _functions_in(value.fget)
    elif isinstance(value, (partial, *_METHODS)):
        yield from _functions_in(getattr(value, "func", None) or getattr(value, "__func__", None))
    elif isinstance(value, (dict, list, tuple, set, frozenset)):
        parts = value.values() if isinstance(value, dict) else value
        yield from (one for part in parts for one in _functions_in(part) if one.__name__ != LAMBDA)


def _module(function: Callable[..., Any]) -> str:
    """Return the name of a function's module; for a user's file, the name of the file."""
    return re.sub(rf"^{PREFIX}[0-9a-f]+[._]", "", function.__module__)


def _constants(function: Callable[..., Any], tree: ast.FunctionDef) -> Iterable[tuple[str, str]]:
    """Yield the constants that a function uses, with their values."""
    for name, value in sorted(dict(_named(function, tree)).items(), key=lambda pair: pair[0]):
        if not isinstance(value, (FunctionType, type, *_METHODS)):
            text = _text_of(value)
            if text is not None:
                yield name, text


def _text_of(value: Any) -> str | None:
    """Return a constant as text that is equal for equal ones; None for any other object."""
    if isinstance(value, FunctionType):
        lambda_ = value.__name__ == LAMBDA
        return ast.unparse(read_node(value)) if lambda_ else value.__name__
    if isinstance(value, partial):
        parts = [value.func, *value.args, value.keywords]
        return _listed("partial({})", map(_text_of, parts))
    if isinstance(value, dict):
        pairs = (_listed("{}", map(_text_of, pair), ": ") for pair in value.items())
        return _listed("{{{}}}", pairs)
    if isinstance(value, (list, tuple)):
        return _listed("[{}]" if isinstance(value, list) else "({})", map(_text_of, value))
    if isinstance(value, (set, frozenset)):
        texts = [_text_of(one) for one in value]
        return None if None in texts else _listed("{{{}}}", sorted(one for one in texts if one))
    if isinstance(value, (type, BuiltinFunctionType)):
        return value.__name__
    if is_dataclass(value):
        parts = [_text_of(getattr(value, field.name)) for field in fields(value)]
        return _listed(f"{type(value).__name__}({{}})", parts)
    plain = isinstance(value, (int, float, str, bytes, Record)) or value is None
    return repr(value) if plain else None


def _listed(form: str, parts: Iterable[str | None], between: str = ", ") -> str | None:
    """Return texts in one; None if one of them is missing."""
    texts = [*parts]
    return None if None in texts else form.format(between.join(text for text in texts if text))

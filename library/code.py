"""The code of protocols as data, and how two of them differ.

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
from difflib import SequenceMatcher
from functools import cached_property, partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..core.fields import Record
from ..core.guards import names_of, place, read_node, refuses, syntax_tree
from ..core.imports import PREFIX
from ..core.sources import LAMBDA, as_function, is_own, source_of
from ..core.spec import JointFairness
from ..model.protocol import Protocol


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


def decisions(rules: type) -> dict[str, str]:
    """Return the description of each rule, from the docstring of the class that declares them.

    It is a numpydoc docstring, whose section ``Parameters`` describes each field; one description
    may be for several.
    """
    _, _, section = (inspect.getdoc(rules) or "").partition("Parameters\n----------\n")
    said = {}
    for block in re.split(r"\n(?=\S)", section):
        names, _, text = block.partition("\n")
        for name in names.split(","):
            said[name.strip()] = " ".join(text.split())
    return said


@dataclass(frozen=True)
class RuleChange:
    """A rule that differs; one of the two is None if only one model has it."""

    name: str
    old: Rule | None
    new: Rule | None

    @property
    def decides(self) -> str:
        """The description of the rule."""
        rule = self.new or self.old
        return rule.decides if rule else ""


@dataclass(frozen=True)
class ActionChange:
    """An action that differs.

    Parameters
    ----------
    old, new
        The action; None if there is none of that name.
    removed, added
        Guards that only the old, or only the new one has.
    changed
        Guards that replaced each other: the old and the new condition.
    moved
        Guards that both have, in another order.
    effect
        Whether its code after the guards differs.
    fairness
        The old and the new fairness, if they differ.
    wraps
        Whether the ``"new"`` function calls the ``"old"`` one, or the reverse; then guards are not
        compared, since it has those of the function that it calls, too.  Empty if neither.
    """

    name: str
    old: ActionCode | None
    new: ActionCode | None
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    moved: tuple[str, ...] = ()
    effect: bool = False
    fairness: tuple[str, str] | None = None
    wraps: str = ""


@dataclass(frozen=True)
class HelperChange:
    """A function that both call and that differs, with the actions and rules that use it."""

    name: str
    old: Function
    new: Function
    used_by: tuple[str, ...]


@dataclass(frozen=True)
class CodeDiff:
    """Everything that differs between the code of two protocols.

    ``fairness`` has each fairness of several actions together that differs: of which actions, and
    the old and the new one; "none" if only one protocol has it.
    """

    rules: tuple[RuleChange, ...]
    actions: tuple[ActionChange, ...]
    helpers: tuple[HelperChange, ...]
    fairness: tuple[tuple[str, str, str], ...]

    def __bool__(self) -> bool:
        return bool(self.rules or self.actions or self.helpers or self.fairness)


def differences(old: Code, new: Code) -> CodeDiff:
    """Return what differs between the code of two protocols."""
    return CodeDiff(
        tuple(_rules(old, new)),
        tuple(_actions(old, new)),
        tuple(_changed_helpers(old, new)),
        tuple(_fairness(old, new)),
    )


def _fairness(old: Code, new: Code) -> Iterator[tuple[str, str, str]]:
    for name in {**old.fairness, **new.fairness}:
        before, after = (code.fairness.get(name, "none") for code in (old, new))
        if before != after:
            yield name, before, after


def _rules(old: Code, new: Code) -> Iterator[RuleChange]:
    for name in [*old.rules, *(name for name in new.rules if name not in old.rules)]:
        before, after = old.rules.get(name), new.rules.get(name)
        if before is None or after is None or _decision(before) != _decision(after):
            yield RuleChange(name, before, after)


def _decision(rule: Rule) -> object:
    """Return the code or the value of a rule; renaming a function changes nothing."""
    return rule.function.does if rule.function else rule.value


def _actions(old: Code, new: Code) -> Iterator[ActionChange]:
    for name in [*old.actions, *(name for name in new.actions if name not in old.actions)]:
        before, after = old.actions.get(name), new.actions.get(name)
        if before is None or after is None:
            yield ActionChange(name, before, after)
        elif before.function.does != after.function.does or before.fairness != after.fairness:
            if _calls(new, after, before):
                yield replace(_change(before, before), old=before, new=after, wraps="new")
            elif _calls(old, before, after):
                yield replace(_change(after, after), old=before, new=after, wraps="old")
            else:
                yield _change(before, after)


def _calls(code: Code, action: ActionCode, other: ActionCode) -> bool:
    """Whether the function of an action calls that of another protocol's."""
    called = (code.helpers[name] for name in action.function.helpers if name in code.helpers)
    return any(function.place == other.function.place for function in called)


def _change(old: ActionCode, new: ActionCode) -> ActionChange:
    """Return the differences of an action that both have."""
    before, after = old.function.guards, new.function.guards
    removed: list[str] = []
    added: list[str] = []
    changed: list[tuple[str, str]] = []
    for tag, i, j, m, n in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == n - m:
            changed += zip(before[i:j], after[m:n], strict=True)
        elif tag != "equal":
            removed += before[i:j]
            added += after[m:n]
    fairness = (old.fairness, new.fairness) if old.fairness != new.fairness else None
    effect = old.function.effect != new.function.effect
    moved = tuple(guard for guard in removed if guard in added)
    return ActionChange(
        old.name,
        old,
        new,
        tuple(guard for guard in removed if guard not in moved),
        tuple(guard for guard in added if guard not in moved),
        tuple(changed),
        moved,
        effect,
        fairness,
    )


def changed_constants(old: Function, new: Function) -> Iterator[tuple[str, str, str]]:
    """Yield the constants whose values differ in two versions of a function, with the values."""
    before, after = dict(old.constants), dict(new.constants)
    for name in before:
        if name in after and before[name] != after[name]:
            yield name, before[name], after[name]


def _changed_helpers(old: Code, new: Code) -> Iterator[HelperChange]:
    """Yield the helpers that differ; if only one has a helper, its caller differs anyway."""
    for name in old.helpers:
        if name in new.helpers and old.helpers[name].does != new.helpers[name].does:
            yield HelperChange(name, old.helpers[name], new.helpers[name], tuple(_users(new, name)))


def _users(code: Code, helper: str) -> Iterator[str]:
    """Yield the actions and rules that call a helper, directly or through other helpers."""
    calling = {helper}
    while True:
        more = {name for name, helper in code.helpers.items() if helper.helpers & calling} - calling
        if not more:
            break
        calling |= more
    for action in code.actions.values():
        if action.function.helpers & calling:
            yield action.name
    for rule in code.rules.values():
        if rule.function and rule.function.helpers & calling:
            yield rule.name

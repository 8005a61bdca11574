"""The source lines that a verdict is about: a protocol's changes, or its declaration."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import CodeType
from typing import Any

from ..analysis.named import custom_file, find_protocol, is_custom
from ..core.errors import Line, is_users
from ..core.guards import guards
from ..core.spec import Trace, TransitionSystem
from ..model import Protocol

SourceLocation = tuple[Line, str]
"""A line, and what stands there."""

Build = Callable[[Protocol], TransitionSystem[Any, Any]]
"""Makes a protocol's system within the bounds that are talked about."""


@dataclass(frozen=True)
class Change:
    """A rule or an action of a protocol that is in a file of the user.

    ``undone`` is the protocol without it: with what its parent has there, if that has anything.
    """

    name: str
    code: CodeType
    undone: Protocol

    @property
    def place(self) -> SourceLocation:
        """Where it is, and what it is."""
        return (self.code.co_filename, self.code.co_firstlineno), self.name


def changes(protocol: Protocol) -> Iterator[Change]:
    """Yield what is in files of the user, in the order of the rules, then of the actions."""
    before = protocol.parent.rules if protocol.parent else type(protocol.rules)()
    for field in fields(protocol.rules):
        rule = getattr(protocol.rules, field.name)
        if callable(rule) and _in_users_file(rule):
            rules = replace(protocol.rules, **{field.name: getattr(before, field.name)})
            name = f"{field.name} = {rule.__name__}"
            yield Change(name, rule.__code__, replace(protocol, rules=rules))
    known = {action.name: action for action in protocol.parent.actions} if protocol.parent else {}
    for action in protocol.actions:
        if _in_users_file(action.apply):
            actions = tuple(
                known.get(one.name) if one is action else one for one in protocol.actions
            )
            undone = replace(protocol, actions=tuple(one for one in actions if one is not None))
            yield Change(f"action {action.name}", action.apply.__code__, undone)


def _in_users_file(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and is_users(code.co_filename)


def places(
    protocol: Protocol, build: Build | None = None, trace: Trace | None = None
) -> tuple[SourceLocation, ...]:
    """Return the source lines of a verdict, the most relevant one first.

    Those of the user's own rules and actions; first the one without which the counterexample ends
    earliest.  For a protocol without any, what a mutant lacks, then the line that declares it.
    """
    own = list(changes(protocol))
    if build is not None and trace is not None:
        ends = {change.name: _end(build(change.undone), trace) for change in own}
        own.sort(key=lambda change: ends[change.name])
    changed = [change.place for change in own]
    if is_custom(protocol.name):
        path = custom_file(protocol.name)
        return tuple(changed) or ((((str(path.resolve()), 1), protocol.name),) if path else ())
    base, _, mutant = protocol.name.partition("~")
    original = find_protocol(base)
    return (*changed, *_mutated(original, mutant), *_declared(original))


def _end(system: TransitionSystem[Any, Any], trace: Trace) -> int:
    """Return how many steps of a trace can be taken and lead to its states."""
    for number, step in enumerate(trace.steps):
        following = None
        # The parent's rule may not fit the other changes.
        with suppress(Exception):
            following = system.take(trace.states[number], step)
        if following != trace.states[number + 1]:
            return number
    return len(trace.steps)


def _mutated(original: Protocol, mutant: str) -> Iterator[SourceLocation]:
    """Yield the line of the guard or of the rule that a mutant lacks."""
    for action in original.actions:
        for guard in guards(action.apply):
            if mutant == f"{action.name}: {guard.test}":
                yield (action.apply.__code__.co_filename, guard.line), f"guard of {action.name}"
    name, replaced, _ = mutant.partition(" = ")
    if replaced:
        rule = getattr(original.rules, name)
        yield (rule.__code__.co_filename, rule.__code__.co_firstlineno), f"{name} = {rule.__name__}"


def _declared(protocol: Protocol) -> Iterator[SourceLocation]:
    """Yield the line that declares a built-in protocol."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        held = list(vars(module).items()) if file else []
        for name in [name for name, value in held if value is protocol]:
            # The first module that holds it may be one that imports it.
            line = _assignment(file, name)
            if line is not None:
                yield (file, line), name
                return


def _assignment(file: str, name: str) -> int | None:
    """Return the line on which a module gives a name its value, if it does."""
    for node in ast.parse(Path(file).read_text("utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return node.lineno
    return None

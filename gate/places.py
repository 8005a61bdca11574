"""The source lines that a verdict is about: the changes of a protocol without which it differs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from typing import Any

from ..core.errors import Line
from ..core.guards import read_tree
from ..core.origins import is_users
from ..core.spec import Property, Trace, TransitionSystem
from ..library.known_bugs import has_trace
from ..model import Protocol

SourceLocation = tuple[Line, str]
"""A line, and what stands there."""

Build = Callable[[Protocol], TransitionSystem[Any, Any]]
"""Makes a protocol's system within the bounds that are talked about."""


@dataclass(frozen=True)
class Change:
    """A rule or an action of a protocol that is in a file of the user.

    ``before`` is what its parent has there, if anything; ``undone`` is the protocol with that.
    """

    name: str
    function: Callable[..., Any]
    before: object
    undone: Protocol

    @property
    def place(self) -> SourceLocation:
        """The first line that is not its parent's, and what it is."""
        code = self.function.__code__
        line = code.co_firstlineno
        if callable(self.before):
            with suppress(Exception):
                line += _first_change(self.before, self.function)
        return (code.co_filename, line), self.name


def _first_change(before: Callable[..., Any], after: Callable[..., Any]) -> int:
    """Return how many lines below its beginning a function first differs from an older one."""
    old, new = _statements(before), _statements(after)
    matcher = SequenceMatcher(None, [text for _, text in old], [text for _, text in new], False)
    differing = (first for tag, *_, first, _ in matcher.get_opcodes() if tag != "equal")
    # What follows a statement that is gone stands for it.
    return new[min(next(differing, 0), len(new) - 1)][0]


def _statements(function: Callable[..., Any]) -> list[tuple[int, str]]:
    """Return the statements of a function, each with its line, counted from the function's first.

    A compound statement is its first line; what is in it follows.
    """
    tree = read_tree(function)
    first = min([tree.lineno, *(one.lineno for one in tree.decorator_list)])
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    nodes = [node for one in body for node in ast.walk(one) if isinstance(node, ast.stmt)]
    nodes.sort(key=lambda node: node.lineno)
    return [(node.lineno - first, ast.unparse(node).split("\n")[0]) for node in nodes]


def changes(protocol: Protocol) -> Iterator[Change]:
    """Yield what is in files of the user, in the order of the rules, then of the actions."""
    before = protocol.parent.rules if protocol.parent else type(protocol.rules)()
    for field in fields(protocol.rules):
        rule = getattr(protocol.rules, field.name)
        former = getattr(before, field.name)
        if callable(rule) and rule is not former and _in_users_file(rule):
            rules = replace(protocol.rules, **{field.name: former})
            own = rule.__name__
            name = field.name if own == field.name else f"{field.name} = {own}"
            yield Change(name, rule, former, replace(protocol, rules=rules))
    known = {action.name: action for action in protocol.parent.actions} if protocol.parent else {}
    for action in protocol.actions:
        if action is not known.get(action.name) and _in_users_file(action.apply):
            actions = tuple(
                known.get(one.name) if one is action else one for one in protocol.actions
            )
            undone = replace(protocol, actions=tuple(one for one in actions if one is not None))
            former = known[action.name].apply if action.name in known else None
            yield Change(f"action {action.name}", action.apply, former, undone)


def _in_users_file(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and is_users(code.co_filename)


def to_blame(
    protocol: Protocol, build: Build, trace: Trace, prop: Property
) -> tuple[list[Change], Protocol | None]:
    """Return the changes without which a counterexample is impossible, or who has it as well.

    First the change without which it ends earliest.  The other is the protocol's parent, if it has
    the counterexample with none of the changes; then there is nothing to blame.
    """
    own = list(changes(protocol))
    systems = {change.name: build(change.undone) for change in own}
    own.sort(key=lambda change: _end(systems[change.name], trace))
    # Of a lasso it would have to be known whether it is fair without the change.
    needed = [one for one in own if trace.loop or not _has(systems[one.name], prop, trace)]
    parent = protocol.parent
    if needed or parent is None or trace.loop:
        return needed, None
    unchanged = replace(protocol, rules=parent.rules, actions=parent.actions)
    if _has(build(unchanged), prop, trace):
        return [], parent
    # Any one of them is enough.
    return own, None


def _has(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> bool:
    # The parent's rule may not fit the other changes.
    with suppress(Exception):
        return has_trace(system, prop, trace)
    return False


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

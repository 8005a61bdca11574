"""The source lines that a verdict is about: a protocol's changes, or its declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from types import CodeType
from typing import Any

from ..core.errors import Line, is_users
from ..core.spec import Trace, TransitionSystem
from ..library.names import custom_file, is_custom
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
    earliest.  For a custom protocol without any, the file that declares it.
    """
    own = list(changes(protocol))
    if build is not None and trace is not None:
        ends = {change.name: _end(build(change.undone), trace) for change in own}
        own.sort(key=lambda change: ends[change.name])
    changed = [change.place for change in own]
    path = custom_file(protocol.name) if is_custom(protocol.name) and not changed else None
    return tuple(changed) or ((((str(path.resolve()), 1), protocol.name),) if path else ())


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

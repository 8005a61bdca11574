"""Which lines of the source a verdict is about: what a protocol changes, or its declaration."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from ..errors import Line, is_users
from ..guards import guards
from ..model import Protocol
from ..model.named import find_protocol, is_own, own_file
from ..spec import Trace, TransitionSystem

Place = tuple[Line, str]
"""A line, and what stands there."""


def changed(protocol: Protocol) -> dict[CodeType, str]:
    """Return the rules and actions of a protocol that are in the user's files, with their names."""
    found: dict[CodeType, str] = {}
    for field in fields(protocol.rules):
        rule = getattr(protocol.rules, field.name)
        if callable(rule) and _in_users_file(rule):
            found.setdefault(rule.__code__, f"{field.name} = {rule.__name__}")
    for action in protocol.actions:
        if _in_users_file(action.apply):
            found.setdefault(action.apply.__code__, f"action {action.name}")
    return found


def _in_users_file(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and is_users(code.co_filename)


def places(
    protocol: Protocol, system: TransitionSystem[Any, Any] | None = None, trace: Trace | None = None
) -> tuple[Place, ...]:
    """Return the lines that a verdict is about, the most telling one first.

    Those of the user's own rules and actions: of a counterexample, the last one that ran in it
    first.  For a protocol without any, what a mutant lacks, then the line that declares it.
    """
    own = changed(protocol)
    ran = _last_runs(system, trace, set(own)) if system is not None and trace is not None else {}
    ordered = sorted(own, key=lambda code: -ran.get(code, -1))
    found = [((code.co_filename, code.co_firstlineno), own[code]) for code in ordered]
    if is_own(protocol.name):
        path = own_file(protocol.name)
        return tuple(found) or ((((str(path.resolve()), 1), protocol.name),) if path else ())
    base, _, mutant = protocol.name.partition("~")
    original = find_protocol(base)
    return (*found, *_mutated(original, mutant), *_declared(original))


def _mutated(original: Protocol, mutant: str) -> Iterator[Place]:
    """Yield the line of the guard or of the rule that a mutant lacks."""
    for action in original.actions:
        for guard in guards(action.apply):
            if mutant == f"{action.name}: {guard.test}":
                yield (action.apply.__code__.co_filename, guard.line), f"guard of {action.name}"
    name, replaced, _ = mutant.partition(" = ")
    if replaced:
        rule = getattr(original.rules, name)
        yield (rule.__code__.co_filename, rule.__code__.co_firstlineno), f"{name} = {rule.__name__}"


def _declared(protocol: Protocol) -> Iterator[Place]:
    """Yield the line that declares a built-in protocol."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and ".protocols." in module.__name__:
            for name, value in vars(module).items():
                # The first module that holds it may be one that imports it.
                line = _assignment(file, name) if value is protocol else None
                if line is not None:
                    yield (file, line), name


def _assignment(file: str, name: str) -> int | None:
    """Return the line on which a module gives a name its value, if it does."""
    for node in ast.parse(Path(file).read_text("utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(it, ast.Name) and it.id == name for it in targets):
            return node.lineno
    return None


def _last_runs(
    system: TransitionSystem[Any, Any], trace: Trace, codes: set[CodeType]
) -> dict[CodeType, int]:
    """Return for each of `codes` that runs in a trace the number of its last step there."""
    last: dict[CodeType, int] = {}
    number = -1

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code in codes:
            last[frame.f_code] = number

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        for state, step in zip(trace.states, trace.steps, strict=False):
            number += 1
            system.take(state, step)
    finally:
        sys.setprofile(before)
    return last

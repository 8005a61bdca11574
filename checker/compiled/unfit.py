"""What machine code cannot compute: the step that failed, found again among the last states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...core.errors import Reason
from ...core.sources import original_of
from .sampler import TOGETHER, Words

if TYPE_CHECKING:
    from .search import CompiledSearch

SECONDS = 1.0
"""Seconds after which the step that failed is no longer looked for."""

BEYOND = (
    "goes beyond an array, a range or 64 bits, divides by a variable that is not positive, or "
    "loops for long"
)


def why_unfit(search: CompiledSearch) -> Reason:
    """Return what failed in machine code, with its action or property if that is found in time."""
    sampler, system = search.machine.sampler, search.system
    until = perf_counter() + SECONDS
    for states in _groups(search):
        for number in sorted(sampler.failing(states)):
            instance = system.instances[number]
            name = str(instance.step).removesuffix("()")
            return _about(instance.action.apply, f"a step of {name} {BEYOND}")
        if len(search.properties) == 1 and any(sampler.judgment(state) < 0 for state in states):
            [prop] = search.properties
            return _about(prop.predicate, f"the property {prop.name} {BEYOND}")
        if perf_counter() > until:
            break
    return Reason(f"a step of {system.name} {BEYOND}")


def _about(function: Callable[..., Any], text: str) -> Reason:
    """Return a reason about a function of the model."""
    code = getattr(original_of(function), "__code__", None)
    if code is None:
        return Reason(text)
    return Reason(text, code.co_name, (code.co_filename, code.co_firstlineno))


def _groups(search: CompiledSearch) -> Iterator[list[Words]]:
    """Yield the states of a search in groups, the deepest first."""
    if search.machine.stuck:
        return
    levels = (search.levels[number] for number in reversed(range(len(search.levels))))
    for first, count in chain.from_iterable(levels):
        for start in range(first, first + count, TOGETHER):
            yield search.words(start, min(TOGETHER, first + count - start))
    for start in range(0, len(search.begun_from), TOGETHER):
        yield search.begun_from[start : start + TOGETHER]

"""Refuses what runs before the search if it may give something else in the next run.

That makes the initial states, lists the values of parameters, gives the limits of variables, and
made the constants of the model's files.  What is in the language of models gives the same; all else
is looked through, and asked twice.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from enum import EnumMeta
from functools import partial
from inspect import unwrap
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from ..core.errors import ImpureError, TidegateError
from ..core.fault_location import impure
from ..core.fields import Array, Field, Record, declared_parts
from ..core.purity import Unproven
from ..core.result import Load
from ..core.sources import is_own, line_of
from ..core.spec import Property, TransitionSystem
from ..language.impure import computes_attributes
from ..language.lowering.frame import MISTAKES, SeveralError
from ..language.lowering.lower import Lowering
from ..language.lowering.rules import Rules
from ..language.steady import Refusal, Steady
from ..language.types import Known, NoJoinError, Type
from .reevaluation import Elsewhere, Job, identity, initial, is_serving


def look_through(rules: Rules, properties: Sequence[Property]) -> Collection[Refusal]:
    """Note in a system what may give something else in the next run; return what surely may.

    Parameters
    ----------
    rules
        Those of the system, once they are lowered: they say which constants the model has.

    Raises
    ------
    ModelError
        If something gives another result when it is asked again.
    """
    system, lowering = rules.system, rules.lowering
    steady = Steady(lambda *of_file: _lowers(lowering, partial(lowering.expression, *of_file)))
    unproven: list[FunctionType] = []
    for function, kinds in _before(rules, system, properties):
        if kinds is None or not _is_in_language(rules, function, kinds):
            steady.function(function)
            unproven += [] if kinds is None else [function]
    todo, done = {*lowering.constants}, set[tuple[str, str]]()
    while todo:
        for module, name in sorted(todo):
            steady.constant(module, name)
        done |= todo
        todo = lowering.constants - done
    lowering.declared |= steady.declared
    if steady.refusals:
        return steady.refusals
    # A report on standard output has nothing that the model prints.
    with redirect_stdout(sys.stderr):
        for function in unproven:
            _ask_again(system, function)
    system.unproven = (
        *(Unproven(one.__name__, line_of(one)) for one in unproven),
        *(
            Unproven(name, line, described(vars(sys.modules[module])[name]))
            for (module, name), line in sorted(steady.unsure.items())
        ),
    )
    return ()


def described(value: object, depth: int = 8) -> str:
    """Return a text that is the same for equal values in every run, whatever order a set has.

    Examples
    --------
    >>> described([1, {"b", "a"}, None]), described(described)
    ("[1, {'a', 'b'}, None]", "['described', 8]")
    """
    if isinstance(value, (int, str, float, bytes, type(None))) or depth == 0:
        return repr(value) if depth else type(value).__name__
    parts: Iterable[object] = ()
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(described(one, depth - 1) for one in value))}}}"
    if isinstance(value, dict):
        parts = (part for pair in value.items() for part in pair)
    elif isinstance(value, (list, tuple, deque)):
        parts = value
    elif isinstance(value, EnumMeta):
        parts = ((one.name, one.value) for one in value)  # type: ignore[var-annotated]
    elif isinstance(value, type):
        own = sorted(vars(value).items())
        parts = [pair for pair in own if not pair[0].startswith("_") and not callable(pair[1])]
    elif isinstance(value, FunctionType):
        parts = (value.__qualname__, *(value.__defaults__ or ()))
    elif isinstance(value, (BuiltinFunctionType, MethodType)):
        return value.__qualname__
    else:
        space = {} if computes_attributes(value) else getattr(value, "__dict__", {})
        parts = (type(value).__name__, *sorted(space.items()))
    return f"[{', '.join(described(one, depth - 1) for one in parts)}]"


def compare_runs(system: TransitionSystem[Any, Any], load: Load | None) -> None:
    """Refuse what is unproven if it differs in other processes, where texts have other hashes.

    Raises
    ------
    ImpureError
        If a constant is another one there, or the initial states or the steps are others.
    """
    if is_serving():
        return
    with redirect_stdout(sys.stderr):
        job = Job(load, identity(system), initial(system), [], system.unproven)
    with Elsewhere(job, _PROCESSES) as elsewhere:
        while not elsewhere.ended:
            difference = elsewhere.wait(_LOOK)
            if difference is not None:
                what = difference.what or difference.text or "there are other initial states"
                error = ImpureError(
                    f"{what} when the model is loaded {difference.again}; sort a set before you go "
                    "over it, and use nothing that differs from run to run"
                )
                error.place = difference.place or system.unproven[0].line
                raise error


_PROCESSES = 4
"""Other processes.  Of two texts in a set each has the other order in half of all cases."""

_LOOK = 0.05
"""Seconds between two looks at what other processes have answered."""


def _is_in_language(rules: Rules, function: FunctionType, kinds: Sequence[Type]) -> bool:
    """Whether a function that may yield is in the language of models."""
    rules.lowering.yielding.add(function)
    try:
        return _lowers(rules.lowering, lambda: rules.called(function, kinds))
    finally:
        # A rule that calls it has a generator.
        rules.lowering.yielding.clear()


def _lowers(lowering: Lowering, lower: Callable[[], object]) -> bool:
    """Whether something is in the language of models, so that it gives the same in every run."""
    with lowering.ending_at_first():
        try:
            lower()
        except (TidegateError, SeveralError, NoJoinError, *MISTAKES):
            return False
    return True


def _ask_again(system: TransitionSystem[Any, Any], function: FunctionType) -> None:
    """Refuse a function that gives something else when it is asked again."""
    if function is unwrap(system.initialise):
        before, after = initial(system), initial(system)
        what = "other initial states"
    else:
        before, after = (_given(function, system.constants) for _ in range(2))
        what = "something else"
    if before != after:
        raise impure(
            function,
            f"{function.__name__} gives {what} when it is called again; a model may depend on the "
            "bounds only",
        )


def _given(function: Callable[[Any], Any], constants: Any) -> Any:
    """Return what a function of the bounds gives, so that two answers can be compared."""
    answer: Any = None
    with suppress(Exception):
        answer = function(constants)
    return list(answer) if hasattr(answer, "__next__") else answer


def _before(
    rules: Rules, system: TransitionSystem[Any, Any], properties: Sequence[Property]
) -> Iterator[tuple[FunctionType, tuple[Type, ...] | None]]:
    """Yield the user's functions that run before the search, with what they are called with."""
    k = Known(system.constants)
    yield from _users(system.initialise, (rules.lowering.schema.root, k))
    for limit in limits_of(system.layout.declaration):
        yield from _users(limit, (k,))
    for action in system.declared_actions:
        for made in (action.arguments, action.available):
            for function, kinds in _users(made, (k,)):
                # What a model's own action is made from holds that action, too.
                if function is not unwrap(action.apply):
                    yield function, kinds
    for prop in properties:
        if prop.each is not None:
            yield from _users(prop.each.arguments, (k,))


def records_of(declaration: type[Record]) -> Iterator[type[Record]]:
    """Yield a class of records, and those of its parts."""
    yield declaration
    for part in declared_parts(declaration).values():
        element = part
        while isinstance(element, Array):
            element = element.element
        if not isinstance(element, Field):
            yield from records_of(element)


def limits_of(declaration: type[Record]) -> Iterator[Any]:
    """Yield the limits and lengths that a state declares; some are functions of the bounds."""
    for kind in records_of(declaration):
        for part in declared_parts(kind).values():
            element = part
            while isinstance(element, Array):
                yield from (element.length, element.initial)
                element = element.element
            if isinstance(element, Field):
                yield from (element.low, element.high, element.initial)


def _users(
    function: Any, kinds: tuple[Type, ...]
) -> Iterator[tuple[FunctionType, tuple[Type, ...] | None]]:
    """Yield a function, or the user's that a function of this package was made from."""
    plain = unwrap(function) if function is not None else None
    if not isinstance(plain, FunctionType):
        return
    if is_own(plain):
        yield plain, kinds
        return
    held = [cell.cell_contents for cell in plain.__closure__ or ()]
    for value in (*held, *getattr(plain, "made_from", ())):
        for one in _inside(value):
            # Such a function is one of the bounds.
            yield one, kinds[-1:] if one.__code__.co_argcount == 1 else None


def _inside(value: Any) -> Iterator[FunctionType]:
    """Yield the user's functions that a function of this package holds."""
    for one in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(one, FunctionType) and is_own(one):
            yield one
        elif isinstance(one, FunctionType):
            for cell in one.__closure__ or ():
                yield from _inside(cell.cell_contents)

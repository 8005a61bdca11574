"""Find the step, the function and the line that did to the state what no model may do.

The error is noticed when a state is stored.  The line is found by repeating the attempted steps,
line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from .errors import (
    ImpureError,
    ModelError,
    about,
    failure,
    line_that_makes,
    placed,
    printed,
    spot_of,
)
from .layout import Layout, State
from .values import ConstantError

Attempt = tuple[object, Callable[[], object]]
"""A step, or another function by name, and its call on the layout's record."""


def blamed(
    layout: Layout[Any],
    state: State | None,
    attempts: Sequence[Attempt],
    what: str,
    wrong: Callable[[], bool],
) -> ModelError:
    """Return the error that names the attempt that broke a rule, with its function and line.

    Parameters
    ----------
    state
        The state before the attempts; None for the initial value of every variable.
    attempts
        The attempts that may be at fault, the likeliest first; each is repeated.
    what
        What the attempt did, as the predicate of a sentence.
    wrong
        Whether ``record`` shows the damage; false in `state` itself.
    """
    for step, call in attempts:
        layout.reset()
        if state is not None:
            layout.load(state)
        spot = line_that_makes(wrong, call)
        if spot is not None:
            return placed(f"{step} {what}", spot)
    tried = attempts[0][0]
    return ModelError(
        f"{tried} {what}; no step does so when it is repeated, so a property, the constraint or a "
        "function that shows states may have done it"
    )


def mistake(
    layout: Layout[Any],
    state: State | None,
    attempts: Sequence[Attempt],
    error: BaseException | None = None,
) -> ModelError:
    """Return the error for an attempt that failed or corrupted the record.

    Parameters
    ----------
    error
        The exception of the attempt, or of storing its result; None if there was none.
    """
    who = attempts[0][0]
    what = layout.mistake(error)
    if isinstance(error, ConstantError):
        layout.reset()
        return placed(f"{who} {what}", spot_of(error))
    if what:
        if error is not None and spot_of(error) is not None:
            what += f", and failed with {type(error).__name__}"
        return blamed(layout, state, attempts, what, lambda: not layout.sound())
    layout.reset()
    if error is None:
        return ModelError(f"{who} left a record that cannot be stored as a state")
    return failure(who, error, None if state is None else lambda: layout.describe(state))


def wrong_initial_state(
    layout: Layout[Any], who: str, initialise: Callable[[], Iterator[None]]
) -> ModelError:
    """Return the error for a function that writes initial states, and wrote a wrong one."""

    def again() -> None:
        for _ in initialise():
            if layout.sound():
                layout.reset()

    return mistake(layout, None, [(who, again)])


def truth(answer: object, who: object, function: Callable[..., Any]) -> bool:
    """Return the truth value that `function`, a function of the model, returned.

    Raises
    ------
    ModelError
        If it returned something else, such as the None of a function that lacks a return, or a
        number or a generator, which would count as true.
    """
    if isinstance(answer, bool):
        return answer
    repair = "; write a comparison, as len(s.queue) > 0" if isinstance(answer, int) else ""
    text = f"{who} returned {printed(answer)}; it must return True or False{repair}"
    raise about(function, text)


def as_witness(answer: object, who: object, function: Callable[..., Any]) -> tuple[int, ...] | None:
    """Return what `function`, the witness of a property, returned.

    Raises
    ------
    ModelError
        If it returned something else than a tuple or None: what violates the property is not known.
    """
    if answer is None or isinstance(answer, tuple):
        return answer
    raise about(function, f"{who} returned {printed(answer)}; it must return a tuple or None")


def predicate_of(prop: Any) -> str:
    """Return the name of a property's predicate in errors."""
    return f"the predicate of property {prop.name}"


def impure(function: Callable[..., Any], what: str) -> ImpureError:
    """Return the error for a function of the model that depends on more than it may.

    Parameters
    ----------
    what
        What it did, as a sentence.
    """
    error = ImpureError(what)
    error.place = about(function, "").place
    return error


def nondeterministic(function: Callable[..., Any], who: str, again: str = "again") -> ImpureError:
    """Return the error for a predicate or a constraint that is not deterministic.

    Parameters
    ----------
    again
        How it was called once more.
    """
    return impure(
        function,
        f"{who} returned another value when it was called {again} in the same state; it may depend "
        "on the state and the bounds only",
    )


def did_otherwise(function: Callable[..., Any], step: object, again: str = "again") -> ImpureError:
    """Return the error for a step that is not deterministic; see :func:`nondeterministic`."""
    return impure(
        function,
        f"{step} did something else when it was taken {again} in the same state; an action may "
        "depend on the state, the bounds and its arguments only",
    )


def refuse_writing(
    layout: Layout[Any],
    before: tuple[int, ...],
    who: str,
    call: partial[Any],
    answer: object,
) -> None:
    """Refuse a predicate or a constraint that wrote into the record or is not deterministic.

    Parameters
    ----------
    before
        What ``layout.values`` returned before the call.
    call, answer
        The call and what it returned; a second call must return the same.
    """
    intact = layout.intact()
    if intact and layout.values() == before:
        if isinstance(answer, int) and call() != answer:
            raise nondeterministic(call.func, who)
        return
    names = layout.changed(before) if intact else layout.assigned()
    written = (not intact and layout.mistake()) or f"wrote {', '.join(names)}"
    layout.reset()
    raise about(call.func, f"{who} {written}; it may only read the state")


def wrote_too_early(
    layout: Layout[Any], state: State, attempts: Sequence[Attempt], before: tuple[int, ...]
) -> ModelError:
    """Return the error for a step that corrupted the record, or wrote although it is not enabled.

    Parameters
    ----------
    before
        What ``layout.values`` returned before the step.
    """
    if not layout.sound():
        return mistake(layout, state, attempts)
    written = ", ".join(layout.changed(before))
    what = f"answered 'not enabled' after writing {written}; put every guard before the first write"
    return blamed(layout, state, attempts, what, lambda: layout.values() != before)


def refuse_nondeterminism(
    layout: Layout[Any],
    state: State,
    step: object,
    again: partial[Any],
    answer: object,
) -> None:
    """Refuse a step that has another effect when it is repeated.

    Parameters
    ----------
    state
        The state before the step; ``record`` holds the state after it.
    again, answer
        The call of the action, and what it returned.

    Raises
    ------
    ModelError
        If the action reads a clock, a random number, or what it wrote outside of the state.
    """
    if not layout.sound():
        return
    after = layout.values()
    layout.load(state)
    # An assertion that fails the second time only is another effect.
    with suppress(AssertionError):
        if again() == answer:
            layout.adopt()
            if layout.values() == after:
                return
    layout.reset()
    raise did_otherwise(again.func, step)

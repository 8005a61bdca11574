"""Whose fault it is: which step, function or line did to the state what nothing may do.

What is wrong is noticed when a state is stored.  Who did it is found by taking the steps that were
tried once more, line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .errors import ModelError, about, failure, line_that_makes, placed, printed, spot_of
from .layout import Layout, State
from .record import ConstantError

Attempt = tuple[object, Callable[[], object]]
"""A step, or what else was called, and the call of it on the layout's record."""


def blamed(
    layout: Layout[Any],
    state: State | None,
    attempts: Sequence[Attempt],
    what: str,
    wrong: Callable[[], bool],
) -> ModelError:
    """Return the error that says which attempt did what it must not, and in which function.

    Parameters
    ----------
    state
        What the attempts began in; None for the lowest value of every variable.
    attempts
        What may have done it, the likeliest first; each is made once more.
    what
        What was done, as the rest of a sentence.
    wrong
        Whether it has been done to ``record``; false in `state` itself.
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
        f"{tried} {what}; or a property, the constraint or a function that shows states did: no "
        "step does so when it is taken once more"
    )


def mistake(
    layout: Layout[Any],
    state: State | None,
    attempts: Sequence[Attempt],
    error: BaseException | None = None,
) -> ModelError:
    """Return the error that says what became of an attempt that failed, or spoilt the record.

    Parameters
    ----------
    error
        What was raised by the attempt, or by storing what it left; None if nothing was.
    """
    who = attempts[0][0]
    what = layout.mistake(error)
    if isinstance(error, ConstantError):
        layout.reset()
        return placed(f"{who} {what}", spot_of(error))
    if what:
        if error is not None and not _while_storing(error):
            what += f", and failed with {type(error).__name__}"
        return blamed(layout, state, attempts, what, lambda: not layout.sound())
    layout.reset()
    if error is None:
        return ModelError(f"{who} left a record that no state can be stored from")
    return failure(who, error, None if state is None else lambda: layout.describe(state))


def _while_storing(error: BaseException) -> bool:
    """Whether an exception was raised by the functions that store a state, not by the model."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_code.co_filename.startswith("<layout of")


def truth(answer: object, who: object, function: Callable[..., Any]) -> bool:
    """Return the truth value that `function`, a part of the model, has answered.

    An integer counts as Python has it, in every engine.

    Raises
    ------
    ModelError
        If it is something else, such as the None of a function that lacks a return, or a generator,
        which would count as true.
    """
    if isinstance(answer, int):
        return bool(answer)
    raise about(function, f"{who} returned {printed(answer)}; it must return True or False")


def predicate_of(prop: Any) -> str:
    """Return how a property's predicate is called in errors."""
    return f"the predicate of property {prop.name}"


def by_chance(function: Callable[..., Any], who: str) -> ModelError:
    """Return the error of a predicate or a constraint that says what it likes."""
    return about(
        function,
        f"{who} answered something else when it was asked again in the same state; it may depend "
        "on the state and the bounds only",
    )


def refuse_writing(
    layout: Layout[Any],
    before: tuple[int, ...],
    who: str,
    call: partial[Any],
    answer: object,
) -> None:
    """Refuse that a predicate or a constraint has written into the record, or says what it likes.

    Parameters
    ----------
    before
        What ``layout.values`` returned before it was called.
    asked, answer
        The call of it, and what it answered; it must answer so again.
    """
    intact = layout.intact()
    if intact and layout.values() == before:
        if isinstance(answer, int) and call() != answer:
            raise by_chance(call.func, who)
        return
    written = f"wrote {', '.join(layout.changed(before))}" if intact else layout.mistake()
    layout.reset()
    raise about(call.func, f"{who} {written}; it may only read the state")


def wrote_too_early(
    layout: Layout[Any], state: State, attempts: Sequence[Attempt], before: tuple[int, ...]
) -> ModelError:
    """Return the error of a step that spoilt the record, or wrote where it is not enabled.

    Parameters
    ----------
    before
        What ``layout.values`` returned before it.
    """
    if not layout.sound():
        return mistake(layout, state, attempts)
    written = ", ".join(layout.changed(before))
    what = f"answered 'not enabled' after writing {written}; put every guard before the first write"
    return blamed(layout, state, attempts, what, lambda: layout.values() != before)


def refuse_chance(
    layout: Layout[Any],
    state: State,
    step: object,
    function: Callable[..., Any],
    attempt: tuple[Callable[[], object], object],
) -> None:
    """Refuse a step that does something else when it is taken once more.

    Parameters
    ----------
    state
        What it was taken in; ``record`` holds what it made of that.
    attempt
        The call of it, and what it answered.

    Raises
    ------
    ModelError
        If it does: it reads a clock, a random number, or what it wrote elsewhere.
    """
    if not layout.sound():
        return
    again, answer = attempt
    after = layout.values()
    layout.load(state)
    if again() == answer and layout.values() == after:
        return
    layout.reset()
    raise about(
        function,
        f"{step} did something else when it was taken again in the same state; an action may "
        "depend on the state, the bounds and its arguments only",
    )

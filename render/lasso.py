"""A lasso in words: how long it is, what repeats for ever, and why it is fair."""

from __future__ import annotations

from ..checker.liveness.lasso import Answer, answers
from ..core.behavior import Behavior
from ..core.spec import Trace


def length(steps: int, loop: int | None) -> str:
    """Return how long a trace is: in steps, or as stem and cycle.

    >>> length(2, None), length(13, 10), length(2, 2)
    ('2 steps', 'stem of 10 steps, cycle of 3', 'stem of 2 steps, then nothing happens')
    """
    if loop is None:
        return _steps(steps)
    if loop == steps:
        return f"stem of {_steps(steps)}, then nothing happens"
    return f"stem of {_steps(loop)}, cycle of {steps - loop}"


def violated_after(steps: int, loop: int | None) -> str:
    """Return what follows "is violated": `` after 12 steps``, or ``: stem of ...`` of a lasso."""
    return f" after {_steps(steps)}" if loop is None else f": {length(steps, loop)}"


def repeats(trace: Trace) -> str:
    """Say what happens for ever after the steps of a lasso; empty for a finite trace."""
    if trace.loop is None:
        return ""
    if trace.loop == len(trace.steps):
        return "From here on, nothing happens any more."
    to = "and" if trace.loop + 2 == len(trace.steps) else "to"
    return f"From here on, steps {trace.loop + 1} {to} {len(trace.steps)} repeat for ever."


def marks(trace: Trace) -> dict[int, str]:
    """Return what marks the cycle of a lasso in its steps, by their numbers."""
    if trace.loop is None:
        return {}
    last = len(trace.steps)
    if trace.loop == last:
        return {last: "stops for ever"}
    return {trace.loop + 1: "the cycle begins", last: f"back to state {trace.loop}"}


def fairness(behavior: Behavior) -> str:
    """Say in a sentence why a lasso is fair; empty for a finite trace."""
    trace = behavior.trace
    if trace.loop is None:
        return ""
    listed = answers(behavior.system, trace)
    if not listed:
        return "Fairness: no action is fair."
    if trace.loop == len(trace.steps):
        return "Fairness: no fair step is enabled there."
    grouped: dict[str, list[str]] = {}
    for step in (answer.demand.step for answer in listed if answer.step is not None):
        pairs = zip(step.parameters, step.arguments, strict=True)
        chosen = ", ".join(f"{name}={value}" for name, value in pairs)
        grouped.setdefault(f" ({chosen})" if chosen else "", []).append(step.action)
    taken = [", ".join(names) + arguments for arguments, names in grouped.items()]
    if not taken:
        return "Fairness: every fair step is disabled in some state of the cycle."
    others = any(answer.step is None for answer in listed)
    rest = "; every other fair step is disabled in some state of it" if others else ""
    return f"Fairness: the cycle takes {'; '.join(taken)}{rest}."


def demands(behavior: Behavior) -> list[str]:
    """Return a line for each demand of fairness, with how a lasso answers it."""
    return [_answered(answer) for answer in answers(behavior.system, behavior.trace)]


def _answered(answer: Answer) -> str:
    if answer.step is not None:
        return f"{answer.demand}: taken in step {answer.step}"
    if answer.idle is None:
        return f"{answer.demand}: not met"
    if answer.demand.strong:
        return f"{answer.demand}: not enabled in any state of the cycle"
    return f"{answer.demand}: not enabled in state {answer.idle}"


def _steps(number: int) -> str:
    return f"{number:,} step{'' if number == 1 else 's'}"

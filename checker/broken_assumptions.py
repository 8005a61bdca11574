"""What the code takes for granted: a state that breaks it ends a search, or a walk.

The model does not say what the real system does after that state.  A violation before it, or as
many steps from the start, is a verdict.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..core.assumptions import PREFIX
from ..core.interrupts import Stop, Stopped
from ..core.result import Result, Verdict
from ..core.spec import Outcome, TransitionSystem
from .verdicts import overall


def settle(result: Result, system: TransitionSystem[Any, Any]) -> None:
    """Take the verdicts on what the code assumes out of a result, but for a broken assumption."""
    assumed = [one for one in result.verdicts if one.property in system.assumptions]
    result.verdicts = [one for one in result.verdicts if one not in assumed]
    broken = [one for one in assumed if one.outcome is Outcome.VIOLATED]
    if broken:
        _end_at(min(broken, key=_steps), result)
    result.outcome = overall(result.verdicts, result.complete)


def _end_at(broken: Verdict, result: Result) -> None:
    """Note a broken assumption, and drop the violations after it.

    A checkpoint of an older version may hold such: there a search with ``--continue`` went on.
    """
    result.broken_assumption = broken
    result.stopped_by = result.stopped_by or stopped_by(broken)
    result.verdicts = [
        replace(one, outcome=Outcome.INCOMPLETE, trace=None, steps=None, untraced=None)
        if one.is_found() and _steps(one) > _steps(broken)
        else one
        for one in result.verdicts
    ]
    if result.first not in result.verdicts:
        result.first = None


def stopped_by(broken: Verdict) -> Stopped:
    """Return a broken assumption as what stopped a search, or walks."""
    return Stopped(Stop.ASSUMPTION, note=f": {broken_by(broken)}")


def broken_by(broken: Verdict) -> str:
    """Say which assumption is broken, and by which step.

    The text continues a sentence: ``handle_alter_partition assumes that the leader is in the ISR,
    which step 2, HandleAlterPartition(leader=0), breaks``.
    """
    steps = _steps(broken)
    step = f"step {steps}" if steps else "the initial state"
    if steps and broken.trace is not None:
        step += f", {broken.trace.steps[-1]},"
    return f"{assuming(broken)} assumes that {broken.property.statement}, which {step} breaks"


def assuming(broken: Verdict) -> str:
    """Return the name of the function whose assumption is broken."""
    return broken.property.name.removeprefix(PREFIX)


def _steps(verdict: Verdict) -> int:
    return verdict.steps or 0

"""Which call of the model runs: its action, predicate or other function, and the line it is in."""

from __future__ import annotations

from pathlib import Path
from types import FrameType

from ..core import spec
from ..core.errors import Line, is_users, shown
from . import recovery

CALLERS = (spec.__file__, recovery.__file__)
"""Files of the functions that call the model."""


def model_call(frame: FrameType | None, callers: tuple[str, ...] = CALLERS) -> FrameType | None:
    """Return the innermost call that leads from the checker into the model, if there is one."""
    inner: FrameType | None = None
    while frame is not None:
        if frame.f_code.co_filename in callers:
            return inner
        inner, frame = frame, frame.f_back
    return None


def described(call: FrameType) -> str:
    """Return what a call of the model is: a step, or the function."""
    caller = call.f_back
    while caller is not None and caller.f_code.co_filename == spec.__file__:
        here = caller.f_locals
        if "index" in here and "self" in here and here["index"] >= 0:
            return str(here["self"].instances[here["index"]].step)
        if "step" in here:
            return str(here["step"])
        caller = caller.f_back
    if call.f_code.co_name == "<module>":
        return "the import of the file"
    return call.f_code.co_name


def innermost(frame: FrameType | None) -> tuple[str, Line] | None:
    """Return the function that runs with its line: the user's own one where there is any."""
    running: list[tuple[str, Line]] = []
    while frame is not None:
        code = frame.f_code
        running.append((code.co_name, (code.co_filename, frame.f_lineno)))
        frame = frame.f_back
    own = (call for call in running if is_users(call[1][0]))
    return next(own, running[0] if running else None)


def where(frame: FrameType | None) -> str:
    """Return the call of the model that a frame belongs to, in words; nothing if it is none.

    The words go on a sentence: ``in Produce(leader=0), which has not returned (rule, fence.py:9)``.
    """
    call = model_call(frame)
    if call is None:
        return ""
    at = innermost(frame)
    assert at is not None
    function, line = at
    place = shown((str(Path(line[0])), line[1]))
    return f"in {described(call)}, which has not returned ({function}, {place})"

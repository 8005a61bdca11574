"""Find the call of the model that is running: its action, predicate or other function."""

from __future__ import annotations

from types import FrameType

from ..core.errors import Line, is_users, shown


def _calls_model(frame: FrameType) -> bool:
    """Whether a frame is of a module that calls the model, and says so by ``_CALLS_MODEL``."""
    return "_CALLS_MODEL" in frame.f_globals


def model_call(frame: FrameType | None) -> FrameType | None:
    """Return the innermost call that leads from Tidegate into the model, if there is one."""
    inner: FrameType | None = None
    while frame is not None:
        if _calls_model(frame):
            return inner
        inner, frame = frame, frame.f_back
    return None


def described(call: FrameType) -> str:
    """Return the name of a call of the model: the step, or the function."""
    caller = call.f_back
    while caller is not None and _calls_model(caller):
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
    """Return the running function with its line: the user's own function if there is one."""
    running: list[tuple[str, Line]] = []
    while frame is not None:
        code = frame.f_code
        running.append((code.co_name, (code.co_filename, frame.f_lineno)))
        frame = frame.f_back
    own = (call for call in running if is_users(call[1][0]))
    return next(own, running[0] if running else None)


def where(frame: FrameType | None) -> str:
    """Return the call of the model that a frame belongs to, in words; empty if there is none.

    The words continue a sentence: ``in Produce(leader=0), which has not returned (rule,
    fence.py:9)``.
    """
    call = model_call(frame)
    if call is None:
        return ""
    at = innermost(frame)
    assert at is not None
    function, line = at
    return f"in {described(call)}, which has not returned ({function}, {shown(line)})"

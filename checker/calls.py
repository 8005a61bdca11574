"""Find the call of the model that is running: its action, predicate or other function."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from types import FrameType

from ..core.errors import Line, acts_for_caller, is_library, is_users, shown

_PACKAGE = Path(__file__).parents[1]
_MODELS = (_PACKAGE / "model", _PACKAGE / "invariants")


def model_call(frame: FrameType | None) -> FrameType | None:
    """Return the outermost call of the model that is on a stack, if there is one.

    It is called by what models are written in, which is in ``core``, or it is an import.
    """
    call: FrameType | None = None
    of_model: FrameType | None = None
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if acts_for_caller(frame.f_code):
            call = of_model
        elif file.is_relative_to(_PACKAGE) and not any(map(file.is_relative_to, _MODELS)):
            break
        elif not is_library(str(file)) and not str(file).startswith("<frozen"):
            of_model = frame
            call = frame if frame.f_code.co_name == "<module>" else call
        frame = frame.f_back
    return call


def described(call: FrameType) -> str:
    """Return a call of the model with its arguments, but for the state and the constants."""
    code = call.f_code
    if code.co_name == "<module>":
        return "the import of the file"
    names = islice(code.co_varnames, 2, max(code.co_argcount, 2))
    return f"{code.co_name}({', '.join(f'{name}={call.f_locals.get(name)}' for name in names)})"


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

    The words continue a sentence: ``in produce(leader=0), which has not returned (rule,
    fence.py:9)``.
    """
    call, at = model_call(frame), innermost(frame)
    if call is None or at is None:
        return ""
    function, line = at
    return f"in {described(call)}, which has not returned ({function}, {shown(line)})"

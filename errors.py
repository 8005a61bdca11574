"""What can go wrong, and where in the source it did: the file and the line to look at."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

Line = tuple[str, int]
"""A file, and a line in it from 1."""

_PACKAGE = Path(__file__).parent
_LIBRARIES = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib"))


class TidegateError(Exception):
    """Something the user can repair; its text says what, where and how.

    ``place`` is the line of the source that it is about, where there is one; ``details`` are the
    lines of a list that follows the text.
    """

    place: Line | None = None
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return super().__str__() + (f" ({shown(self.place)})" if self.place else "")


class ModelError(TidegateError):
    """The model itself is ill-formed: an impure action, or a value out of its declared range."""


class ReplayError(TidegateError):
    """A step of a given behavior cannot be taken in this transition system."""


class EngineError(TidegateError):
    """An engine reported what the semantics do not confirm; its answer cannot be believed."""


class DisagreementError(EngineError):
    """Machine code and Python do not agree about a state."""


def is_users(file: str) -> bool:
    """Whether a file is neither Tidegate's nor one of Python and its libraries."""
    path = Path(file)
    known = any(path.is_relative_to(folder) for folder in (_PACKAGE, *_LIBRARIES))
    return not known and path.is_file()


def place_of(error: BaseException) -> Line | None:
    """Return the line that raised `error`: the last one of the user's own, where there is one."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return error.filename, error.lineno
    passed: list[Line] = []
    traceback = error.__traceback__
    while traceback is not None:
        passed.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    own = [line for line in passed if is_users(line[0])]
    found = own or passed
    return found[-1] if found else None


def line_that_makes(wrong: Callable[[], bool], call: Callable[[], object]) -> Line | None:
    """Return the first line in a call after which `wrong` is true; None if it never is.

    The call is made once more, line by line; `wrong` must be false before it.
    """
    found: Line | None = None
    last: Line | None = None

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal found, last
        if found is None and wrong():
            found = last
        if event == "line":
            last = frame.f_code.co_filename, frame.f_lineno
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return found if found is not None or not wrong() else last


def shown(line: Line) -> str:
    """Return a line as people write it, the file relative to the present directory if below it."""
    path = Path(line[0])
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{line[1]}"

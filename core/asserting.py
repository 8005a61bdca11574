"""An assertion in a user's action that fails: what TLC's Assert and SPIN's assert are.

One in this package or in a library is a mistake of that code, and not a verdict on a model.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import Any

from .errors import Line, one_line, shown
from .origins import is_library
from .sources import tree_of


@dataclass(frozen=True)
class Assertion:
    """An assertion that fails: its line, its condition, and what it says."""

    place: Line
    condition: str
    message: str

    def __str__(self) -> str:
        condition = f" {self.condition}" if self.condition else ""
        message = f": {self.message}" if self.message else ""
        return f"the assertion{condition} ({shown(self.place)}){message}"


def _raised_at(error: AssertionError) -> TracebackType:
    """Return where an exception was raised: the innermost frame that it came through."""
    traceback = error.__traceback__
    assert traceback is not None
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def is_verdict(error: AssertionError) -> bool:
    """Whether an exception is a verdict on a model: code of a user's raised it."""
    frame = _raised_at(error).tb_frame
    return is_users_code(frame.f_code, frame.f_globals)


def is_users_code(code: CodeType, space: Mapping[str, Any]) -> bool:
    """Whether code is a user's, of neither this package nor a library.

    Parameters
    ----------
    space
        The variables of its module.
    """
    ours = str(space.get("__name__")).partition(".")[0] == __name__.partition(".")[0]
    return not ours and not is_library(code.co_filename)


def assertion_of(error: AssertionError) -> Assertion:
    """Return the assertion that raised an exception."""
    raised = _raised_at(error)
    file, line = raised.tb_frame.f_code.co_filename, raised.tb_lineno
    text = "".join(linecache.getlines(file, raised.tb_frame.f_globals))
    around = [
        node
        for node in ast.walk(tree_of(text))
        if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or line)
    ]
    try:
        message = one_line(str(error))
    except Exception:  # noqa: BLE001 - it is the model's code
        message = ""
    if not around:
        return Assertion((file, line), "", message)
    node = around[-1]
    # pytest writes a message of its own where there is none.
    said = message if node.msg is not None else ""
    return Assertion((file, node.lineno), one_line(ast.unparse(node.test)), said)

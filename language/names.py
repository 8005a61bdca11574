"""What a name stands for that is not local to a function."""

from __future__ import annotations

import builtins
from enum import Enum
from typing import Any

MISSING: Any = object()
"""What a name stands for that is nowhere."""


class Where(Enum):
    """Where Python finds what a name stands for."""

    OUTER = "a function around"
    MODULE = "the module"
    BUILTINS = "Python"
    NOWHERE = "nowhere"


def found(function: Any, name: str) -> tuple[Where, Any]:
    """Return where Python finds what a name in a function stands for, and what that is now.

    Parameters
    ----------
    function
        A function; of anything else only what Python has built in is known.

    Examples
    --------
    >>> found(found, "MISSING")[0], found(found, "len"), found(found, "lenn")[0]
    (<Where.MODULE: 'the module'>, (<Where.BUILTINS: 'Python'>, <built-in function len>), \
<Where.NOWHERE: 'nowhere'>)
    """
    code, space = getattr(function, "__code__", None), getattr(function, "__globals__", {})
    if code is not None and name in code.co_freevars:
        cells = function.__closure__ or ()
        try:
            return Where.OUTER, cells[code.co_freevars.index(name)].cell_contents
        except (IndexError, ValueError):
            # The function around has not assigned it yet.
            return Where.OUTER, MISSING
    if name in space:
        return Where.MODULE, space[name]
    built_in = getattr(function, "__builtins__", vars(builtins))
    return (Where.BUILTINS, built_in[name]) if name in built_in else (Where.NOWHERE, MISSING)


def looked_up(function: Any, name: str) -> Any:
    """Return what a name in a function stands for now; ``MISSING`` if nothing."""
    return found(function, name)[1]

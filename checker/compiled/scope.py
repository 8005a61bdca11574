"""What the parts of a function's translation share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .emitter import Emitter
from .function import Compiled, Functions
from .marking import Marking
from .values import Value


@dataclass
class Scope:
    """The function that is translated, its names, and where its instructions go.

    Parameters
    ----------
    unit
        The functions of the model that are translated.
    function, compiled
        The function, and what it is translated to.
    out, marks
        Its instructions, and the points of its branches.
    pure
        Whether it must leave the state as it is, since a guard asks it.
    local
        What each local name stands for that is given a value once.
    assigned
        All local names of the function.
    variables
        Addresses of the local names that are given several.
    """

    unit: Functions
    function: Callable[..., Any]
    compiled: Compiled
    out: Emitter
    marks: Marking
    pure: bool
    local: dict[str, Value]
    assigned: Mapping[str, object]
    variables: dict[str, str] = field(default_factory=dict)

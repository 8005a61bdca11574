"""The order in which the arguments of a function are evaluated."""

from __future__ import annotations

import ast
from collections.abc import Mapping as Named
from collections.abc import Sequence as Parts
from typing import Any

from ..form import Constant, Expression, Local, Statement
from ..types import Stream
from .effects import acts
from .frame import Frame


def in_turn(
    frame: Frame, positional: Parts[Expression], names: Named[str, Expression], node: ast.AST
) -> tuple[list[Statement], list[Expression], dict[str, Expression]]:
    """Return the arguments of a function of Python's, and what evaluates them in their order.

    Where none of them changes anything, it does not matter when each is evaluated.
    """
    every: dict[Any, Expression] = {**dict(enumerate(positional)), **names}
    if len(every) < 2 or not any(map(acts, every.values())):
        return [], list(positional), dict(names)
    before: list[Statement] = []
    again: dict[Any, Expression] = {}
    for key, value in every.items():
        if isinstance(value.type, Stream):
            what = f"{frame.text(node)} changes something before its generator is used up"
            raise frame.refusal(node, what, "write two lines")
        if isinstance(value, (Constant, Local)):
            again[key] = value
        else:
            bind, again[key] = frame.temporary(value, node)
            before.append(bind)
    return before, [again[n] for n in range(len(positional))], {name: again[name] for name in names}

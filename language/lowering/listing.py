"""The values that a function of the state may list, known before any state is."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

from ...core.layout import Layout
from ..schema import Schema
from ..tabulated import Row, count_of, values_of
from ..types import Known, Number, Ref, type_of
from .access import yielded_type
from .lower import Lowering
from .rules import bound


def listed(
    function: FunctionType, layout: Layout[Any], k: object, others: Sequence[int], most: int
) -> list[int] | None:
    """Return all numbers that a function of the state may list, by the types of what it computes.

    Parameters
    ----------
    function
        ``function(s, k, *others)``.
    most
        The most numbers.

    Returns
    -------
    list of int, or None
        Numbers and members of enumerations; None if it lists other values, or too many.

    Raises
    ------
    LoweringError
        If a line of it is not in the language.
    """
    lowering = Lowering(Schema(layout))
    # What it returns is read once, where it is called.
    lowering.yielding.add(function)
    supplied = [Ref(""), Known(k), *map(type_of, others)]
    lowered = lowering.function(function, bound(function, supplied))
    element = yielded_type(lowering.schema, lowered.result)
    if not isinstance(element, Number) or element.kind is None or count_of(element) > most:
        return None
    return [one for one in values_of(element) if one is not Row.FAILS]

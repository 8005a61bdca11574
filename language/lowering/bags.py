"""What a bag of the state, or a bag as a part of a record, can be replaced by."""

from __future__ import annotations

from collections import Counter

from ...core.containers import Bag
from ..types import Mapping, Members, Never, Number, Record, Ref, Sequence, Type
from .access import element_type
from .frame import Frame

OF_BAGS = (
    "a bag of numbers gets one of the same numbers, and a bag of records another one, a list or a "
    "Counter"
)
"""What can be put in place of a bag."""


def fits_bag(frame: Frame, bag: Type, supplied: Type) -> bool:
    """Whether a part of the state or of a record can have a value, if it is a bag.

    A record outside of the state does not know which numbers its bag may have.
    """
    if not isinstance(bag, Mapping):
        return True
    of_state = isinstance(supplied, Ref)
    value = frame.schema.value(supplied) if isinstance(supplied, Ref) else supplied
    if isinstance(value, Never):
        return not isinstance(bag.key, Number)
    if isinstance(bag.key, Number):
        if not isinstance(value, Mapping) or value.kind is not Bag:
            return False
        return isinstance(value.key, Never) or bag.key in (value.key, Number())
    if isinstance(value, Mapping):
        return value.kind in (Bag, Counter) and isinstance(value.key, (Record, Never))
    listed = isinstance(value, (Sequence, Members)) and not of_state
    return listed and isinstance(element_type(frame, value), (Record, Ref, Never))

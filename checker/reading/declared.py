"""What functions declare that they return, and the returns that answer something else."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from types import FunctionType, GenericAlias
from typing import Any

from ...core.errors import Line
from ...language.names import looked_up
from .notes import Answer, Objection
from .values import (
    ANYTHING,
    NOTHING,
    Element,
    Group,
    Items,
    Known,
    Made,
    Number,
    Object,
    Place,
    Text,
    Unknown,
    Value,
    is_text,
    kind_of,
    options,
)


def annotation(function: Any) -> str:
    """Return the name of the class that a function declares to return; empty for another text."""
    declared = getattr(function, "__annotations__", {}).get("return", "")
    if declared is None:
        return "None"
    if isinstance(declared, (str, GenericAlias)):
        return str(declared)
    return str(getattr(declared, "__name__", ""))


def declared_result(function: Any) -> Value:
    """Return what a function returns by its annotation."""
    kind = _class_named(function, annotation(function))
    if kind is not None and issubclass(kind, int):
        return Number(kind)
    if kind is str:
        return Text()
    return NOTHING if annotation(function) == "None" else ANYTHING


def _class_named(function: Any, name: str) -> type | None:
    kind = looked_up(function, name)
    return kind if isinstance(kind, type) else None


def wrong_answers(
    function: FunctionType, expected: str, answers: Sequence[Answer], yields_at: Line | None
) -> list[Objection]:
    """Return the returns of a function that answer something else than it declares.

    Parameters
    ----------
    expected
        What it must return if it declares nothing.
    yields_at
        Where it yields, if it is a generator.
    """
    declared = annotation(function) or expected
    kind = _class_named(function, declared)
    plain = declared in ("None", "bool", "int", "str", WITNESS) or _of_tuple(declared)
    if not plain and not (kind and issubclass(kind, (int, Enum))):
        return []
    says = "declares that it returns" if annotation(function) else "must return"
    who = f"{function.__name__}() {says} {declared}"
    if yields_at is not None:
        return [Objection(yields_at, f"{who}, and yields here, so that it returns a generator")]
    objections: list[Objection] = []
    # What declares nothing may answer a number: whoever asks takes its truth.
    of_truth = annotation(function) == "bool"
    for answer in answers:
        each = options(answer.value)
        wrong = next((one for one in each if _is_wrong(one, declared)), None)
        if wrong is None and of_truth:
            wrong = next((one for one in each if kind_of(one) not in (None, bool)), None)
        if wrong is None:
            continue
        if answer.falls:
            text = f"{who}, and ends here without a return, so it returns None; write return"
        else:
            text = f"{who}, and returns {_spoken(wrong)} here"
        objections.append(Objection(answer.line, text))
    return objections


WITNESS = "a tuple or None"
"""What the witness of a property returns."""


def _is_wrong(value: Value, declared: str) -> bool:
    """Whether a value is surely not of a declared class."""
    if isinstance(value, Object):
        return value.kind is float and declared in ("bool", "int")
    if isinstance(value, Unknown) or value == _NOT_IMPLEMENTED:
        return False
    nothing = isinstance(value, Known) and value.value is None
    if declared in ("None", WITNESS):
        return not nothing and not (declared == WITNESS and _is_tuple(value))
    if declared == "str":
        return not is_text(value)
    if _of_tuple(declared):
        if not isinstance(value, Items):
            return not _is_tuple(value) and not isinstance(value, Group)
        kinds = declared[6:-1].split(", ")
        if "..." in kinds or len(kinds) != len(value.items):
            return "..." not in kinds
        parts = (
            (one, kind)
            for item, kind in zip(value.items, kinds, strict=True)
            for one in options(item)
        )
        return any(kind in ("int", "bool") and _is_wrong(one, kind) for one, kind in parts)
    return kind_of(value) is None


_NOT_IMPLEMENTED = Known(NotImplemented)


def _of_tuple(declared: str) -> bool:
    """Whether a text is that of a tuple of plain classes."""
    return declared.startswith("tuple[") and declared.endswith("]") and "|" not in declared


def _is_tuple(value: Value) -> bool:
    if isinstance(value, Group):
        return value.kind == "tuple"
    return isinstance(value, Items) or (isinstance(value, Known) and isinstance(value.value, tuple))


def _spoken(value: Value) -> str:
    """Return what a value is, in words."""
    if isinstance(value, Known):
        is_short = isinstance(value.value, (str, int, type(None)))
        return repr(value.value) if is_short else "an object"
    words: dict[type, str] = {
        Number: "a number", Text: "a text", Items: "a tuple", Group: "a collection",
        Place: "a part of the state", Element: "a part of the state", Made: "a record",
        Object: "a fraction",
    }  # fmt: skip
    return words.get(type(value), "something else")

"""What functions declare that they return, and the returns that answer something else."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from enum import Enum
from types import FunctionType
from typing import Any

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
    return declared if isinstance(declared, str) else str(getattr(declared, "__name__", ""))


def declared_result(function: Any) -> Value:
    """Return what a function returns by its annotation."""
    kind = _class_named(function, annotation(function))
    if kind is not None and issubclass(kind, int):
        return Number(kind)
    if kind is str:
        return Text()
    return NOTHING if annotation(function) == "None" else ANYTHING


def _class_named(function: Any, name: str) -> type | None:
    space = getattr(function, "__globals__", {})
    kind = space.get(name, getattr(builtins, name, None))
    return kind if isinstance(kind, type) else None


def wrong_answers(
    function: FunctionType, declared: str, answers: Sequence[Answer]
) -> list[Objection]:
    """Return the returns of a function that answer something else than it declares."""
    kind = _class_named(function, declared)
    objections: list[Objection] = []
    if declared not in ("None", "bool", "int", "str") and not (
        kind and issubclass(kind, (int, Enum))
    ):
        return objections
    for answer in answers:
        wrong = next((one for one in options(answer.value) if _is_wrong(one, declared)), None)
        if wrong is None:
            continue
        who = f"{function.__name__}() declares that it returns {declared}"
        if answer.falls:
            text = f"{who}, and ends here without a return, so it returns None; write return"
        else:
            text = f"{who}, and returns {_spoken(wrong)} here"
        objections.append(Objection(answer.line, text))
    return objections


def _is_wrong(value: Value, declared: str) -> bool:
    """Whether a value is surely not of a declared class."""
    if isinstance(value, Unknown):
        return False
    if declared == "None":
        return not (isinstance(value, Known) and value.value is None)
    if declared == "str":
        return not is_text(value) and not isinstance(value, Object)
    return kind_of(value) is None and not isinstance(value, Object)


def _spoken(value: Value) -> str:
    """Return what a value is, in words."""
    if isinstance(value, Known):
        return repr(value.value) if isinstance(value.value, (str, type(None))) else "an object"
    words: dict[type, str] = {
        Number: "a number", Text: "a text", Items: "a tuple", Group: "a collection",
        Place: "a part of the state", Element: "a part of the state", Made: "a record",
    }  # fmt: skip
    return words.get(type(value), "something else")

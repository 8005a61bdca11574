"""What Python runs, and says something else than its reader takes it to say.

A number of the state is never None, also where it is empty: that is NONE, a number.  A function
whose annotation names a plain kind of values returns that kind on every way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Sequence as Parts
from enum import Enum
from typing import TYPE_CHECKING

from ...core.sources import Node
from ..form import Call, Constant, Expression
from ..names import looked_up
from ..types import (
    CONTAINERS,
    Closure,
    Known,
    Never,
    Nothing,
    Number,
    OneOf,
    Optional,
    Ref,
    Sequence,
    Stream,
    Text,
    Tuple,
    Type,
    named,
    type_of,
)
from .objects import refuse_computed

if TYPE_CHECKING:
    from .frame import Frame

WITNESS = "a tuple or None"
"""What the witness of a property returns."""

_NEVER_NONE = "is a number, never None; an empty optional is NONE: write == NONE"


# --- comparisons


def refuse_never(
    frame: Frame,
    sign: ast.cmpop,
    left: tuple[ast.AST, Expression],
    right: tuple[ast.AST, Expression],
    node: ast.AST,
) -> None:
    """Refuse the comparison of a number with what no number equals: None, a text, a collection."""
    if not frame.names_lines:
        return
    if isinstance(sign, (ast.In, ast.NotIn)):
        _refuse_member(frame, left, right[1], node)
    elif isinstance(sign, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
        for (at, value), (other_at, other) in ((left, right), (right, left)):
            names = isinstance(at, ast.Name) and isinstance(other_at, ast.Name)
            lacking = names or _may_lack(frame, at, value)
            what = _never(value, other.type)
            if what and not (isinstance(other.type, Nothing) and lacking):
                subject = frame.text(at) if isinstance(at, ast.expr) else "the subject of match"
                raise frame.refusal(node, f"{subject} {what}")


def _refuse_member(
    frame: Frame, item: tuple[ast.AST, Expression], of: Expression, node: ast.AST
) -> None:
    at, value = item
    kinds = list(_member_kinds(frame, of))
    what = next(filter(None, (_never(value, kind) for kind in kinds)), "")
    is_written = isinstance(getattr(node, "comparators", [None])[-1], _WRITTEN)
    if what and not _may_lack(frame, at, value) and (is_written or what != _NEVER_NONE):
        raise frame.refusal(node, f"{frame.text(at)} {what}")
    what = _never_equal(value.type)
    if what and kinds and all(isinstance(kind, Number) for kind in kinds):
        raise frame.refusal(node, f"a member {what}")


_WRITTEN = (ast.Tuple, ast.List, ast.Set)
"""A collection that stands in the comparison; a table may have None for something else."""


def _member_kinds(frame: Frame, of: Expression) -> Iterator[Type]:
    """Yield the kinds of what a value has as elements, where its type tells them apart."""
    if isinstance(of.type, Ref) and frame.is_listed(of.type):
        yield frame.schema.element(of.type)
    if isinstance(of.type, Tuple):
        yield from of.type.items
    elif isinstance(of.type, CONTAINERS) and not isinstance(of, Constant):
        yield of.type.key if hasattr(of.type, "key") else of.type.element


def _never(value: Expression, other: Type) -> str:
    """Say that a number is never what it is compared with; empty if it may be, or is known."""
    if not isinstance(value.type, Number) or isinstance(value, Constant):
        return ""
    return _never_equal(other)


def _never_equal(kind: Type) -> str:
    """Say that a number is never of another kind; empty if it may be."""
    if isinstance(kind, Nothing):
        return _NEVER_NONE
    if isinstance(kind, Text):
        return "is a number, never a text; write the number, or the member of an enumeration"
    return "is a number, never a collection" if isinstance(kind, (Tuple, *CONTAINERS)) else ""


def _may_lack(frame: Frame, at: ast.AST, value: Expression) -> bool:
    """Whether a name or a function may have None in another call, or on another way to here."""
    if isinstance(value, Call):
        return True
    if not isinstance(at, ast.Name):
        return False
    if at.id in optional_parameters(frame.tree):
        return True
    stores = sum(
        isinstance(one, ast.Name) and one.id == at.id and isinstance(one.ctx, ast.Store)
        for one in ast.walk(frame.tree)
    )
    return stores > 1 or at.id in frame.sometimes_none


def optional_parameters(tree: Node) -> frozenset[str]:
    """Return the parameters of a function that a call may give None, as they are declared."""
    its = tree.args
    plain, named = [*its.posonlyargs, *its.args], its.kwonlyargs
    pairs = [*zip(reversed(plain), reversed(its.defaults), strict=False)]
    pairs += [(one, value) for one, value in zip(named, its.kw_defaults, strict=True) if value]
    lacking = {one.arg for one, value in pairs if ast.unparse(value) == "None"}
    declared = {one.arg for one in (*plain, *named) if one.annotation and _names_none(one)}
    return frozenset(lacking | declared)


def _names_none(parameter: ast.arg) -> bool:
    written = ast.unparse(parameter.annotation) if parameter.annotation else ""
    return "None" in written or "Optional" in written


# --- truth


def refuse_truth(frame: Frame, value: Expression, node: ast.AST) -> None:
    """Refuse the truth of what is always true or false, and of a variable that may be NONE."""
    refuse_computed(frame, value, ("__bool__", "__len__"), node)
    if not frame.names_lines or (isinstance(value, Constant) and not _is_function(value.type)):
        return
    kind = value.type
    if isinstance(node, ast.Call) and isinstance(kind, Nothing):
        text = f"{frame.text(node)} returns None, which counts as false; write return"
        raise frame.refusal(node, text)
    what = "a function that is not called" if _is_function(kind) else ""
    what = "a tuple" if isinstance(kind, Tuple) and kind.items else what
    if what:
        raise frame.refusal(node, f"{frame.text(node)} is {what}, which is always true")
    if isinstance(kind, Number) and kind.optional:
        raise frame.refusal(
            node,
            f"the truth of {frame.text(node)}: it may be NONE, which counts as true, while 0 "
            "counts as false; write != NONE",
        )


def _is_function(kind: Type) -> bool:
    return isinstance(kind, Closure) or (isinstance(kind, Known) and callable(kind.value))


# --- what a function answers


def refuse_answer(frame: Frame, kind: Type, node: ast.AST, falls: bool = False) -> None:
    """Refuse an answer of another kind than the function declares.

    Parameters
    ----------
    falls
        Whether the function ends there without a return.
    """
    declared = _declared(frame)
    if not declared or not frame.names_lines:
        return
    wrong = next((one for one in _options(kind) if _is_wrong(frame, one, declared)), None)
    if wrong is None:
        return
    says = "declares that it returns" if _annotation(frame.tree) else "must return"
    text = f"{frame.made.name}() {says} {declared}, and "
    if falls:
        text += "ends here without a return, so it returns None; write return"
    else:
        text += f"returns {named(wrong)} here"
    raise frame.refusal(node, text)


def _declared(frame: Frame) -> str:
    """Return what a function declares that it returns, if that is a plain kind of values."""
    text = _annotation(frame.tree) or frame.expected
    if text in ("None", "bool", "int", "str", WITNESS) or _of_tuple(text):
        return text
    kind = looked_up(frame.function, text)
    return text if isinstance(kind, type) and issubclass(kind, (int, Enum)) else ""


def _annotation(tree: Node) -> str:
    returns = getattr(tree, "returns", None)
    if isinstance(returns, ast.Constant) and isinstance(returns.value, str):
        return returns.value
    return ast.unparse(returns) if returns is not None else ""


def _of_tuple(text: str) -> bool:
    """Whether a text is that of a tuple of plain classes."""
    return text.startswith("tuple[") and text.endswith("]") and "|" not in text


def _options(kind: Type) -> Parts[Type]:
    """Return the kinds of values of which a value has one."""
    if isinstance(kind, Optional):
        return (Nothing(), *_options(kind.of))
    return [type_of(one) for one in kind.options] if isinstance(kind, OneOf) else (kind,)


def _is_wrong(frame: Frame, kind: Type, declared: str) -> bool:
    if isinstance(kind, Never) or (isinstance(kind, Known) and kind.value is NotImplemented):
        return False
    if declared in ("None", WITNESS):
        is_tuple = isinstance(kind, Tuple) or (isinstance(kind, Sequence) and kind.kind is tuple)
        return not isinstance(kind, Nothing) and not (declared == WITNESS and is_tuple)
    if declared == "str":
        return not isinstance(kind, Text)
    if _of_tuple(declared):
        return _is_wrong_tuple(frame, kind, declared[6:-1].split(", "))
    if not isinstance(kind, Number):
        return True
    # What declares nothing may answer a number: whoever asks takes its truth.
    return declared == "bool" and kind.kind is not bool and bool(_annotation(frame.tree))


def _is_wrong_tuple(frame: Frame, kind: Type, kinds: list[str]) -> bool:
    if not isinstance(kind, Tuple):
        return not isinstance(kind, (Sequence, Stream))
    if "..." in kinds or len(kinds) != len(kind.items):
        return "..." not in kinds
    pairs = zip(kind.items, kinds, strict=True)
    return any(
        _is_wrong(frame, one, each) and each in ("int", "bool")
        for item, each in pairs
        for one in _options(item)
    )


def falling(body: Parts[ast.stmt]) -> ast.AST:
    """Return the last statement of a block that ends without a return, on the first such way."""
    last = body[-1]
    if isinstance(last, ast.If):
        if not _ends(last.body):
            return falling(last.body)
        return falling(last.orelse) if last.orelse else last
    if isinstance(last, ast.Match):
        return next((falling(c.body) for c in last.cases if not _ends(c.body)), last)
    return last


def _ends(body: Parts[ast.stmt]) -> bool:
    """Whether every way through a block surely jumps out of it."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue))

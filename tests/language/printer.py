"""The text of a lowered function, as tests compare it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tidegate.language.form import (
    After,
    AnyOf,
    Arithmetic,
    Bind,
    Block,
    Call,
    Change,
    Clause,
    Compare,
    Comprehension,
    Constant,
    Do,
    Element,
    Expression,
    Fail,
    For,
    Function,
    If,
    Item,
    Leave,
    Local,
    Lookup,
    Part,
    Return,
    Statement,
    Store,
    While,
    fields_of,
)
from tidegate.language.form import All as AllOf
from tidegate.language.types import (
    WORD,
    Mapping,
    Members,
    Number,
    Optional,
    Record,
    Ref,
    Sequence,
    Stream,
    Tuple,
    Type,
)


def printed(function: Function) -> str:
    """Return a function with a line for each slot and for each statement."""
    parameters = ", ".join(function.parameters)
    lines = [f"{function.name}({parameters}) -> {type_text(function.result)}"]
    lines += [f"  {slot}: {type_text(kind)}" for slot, kind in function.slots.items()]
    return "\n".join([*lines, *_indented(_block(function.body))])


def type_text(kind: Type) -> str:
    """Return a type in a few words."""
    if isinstance(kind, Number):
        name = kind.kind.__name__ if kind.kind is not None else "number"
        return name if name == "bool" else f"{name} {_end(kind.low)}..{_end(kind.high)}"
    if isinstance(kind, Ref):
        return f"place s.{kind.form}" if kind.form else "state"
    if isinstance(kind, Tuple):
        return f"({', '.join(map(type_text, kind.items))})"
    if isinstance(kind, Record):
        return f"{kind.declaration.__name__}{'' if kind.own else ' (a value)'}"
    if isinstance(kind, Sequence):
        return f"{kind.kind.__name__} of {type_text(kind.element)}"
    if isinstance(kind, (Members, Stream)):
        return f"{type(kind).__name__.lower()} of {type_text(kind.element)}"
    if isinstance(kind, Mapping):
        return f"{kind.kind.__name__} of {type_text(kind.key)} to {type_text(kind.value)}"
    if isinstance(kind, Optional):
        return f"{type_text(kind.of)} or None"
    return type(kind).__name__.lower()


def _end(limit: int) -> str:
    return "" if limit in WORD else str(limit)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _block(statements: Iterable[Statement]) -> Iterator[str]:
    for statement in statements:
        yield from _statement(statement)


def _statement(one: Statement) -> Iterator[str]:
    """Yield the lines of a statement."""
    if isinstance(one, Bind):
        yield f"{one.name} = {text(one.value)}"
    elif isinstance(one, Store):
        yield f"{text(one.target)} := {text(one.value)}"
    elif isinstance(one, (Do, Return)):
        yield f"{type(one).__name__.lower()} {text(one.value)}"
    elif isinstance(one, Fail):
        yield "fail, a verdict" if one.verdict else "fail"
    elif isinstance(one, Leave):
        yield f"{'continue' if one.again else 'leave'} {one.label}"
    elif isinstance(one, If):
        yield f"if {text(one.test)}"
        yield from _indented(_block(one.body))
        if one.orelse:
            yield "else"
            yield from _indented(_block(one.orelse))
    elif isinstance(one, (For, While, Block)):
        yield f"{one.label}: {_head(one)}"
        yield from _indented(_block(one.body))


def _head(one: For | While | Block) -> str:
    if isinstance(one, For):
        return f"for {one.slot} in {text(one.over)}"
    return f"while {text(one.test)}" if isinstance(one, While) else "block"


def text(one: Expression) -> str:
    """Return an expression in one line."""
    if isinstance(one, Constant):
        value = one.value
        return getattr(value, "__qualname__", None) or repr(value)
    if isinstance(one, Local):
        return one.name if one.sure else f"{one.name}?"
    if isinstance(one, Part):
        return f"{text(one.of)}.{one.name}"
    if isinstance(one, Element):
        return f"{text(one.of)}[{text(one.index)}{' from the end' if one.from_end else ''}]"
    if isinstance(one, Item):
        return f"{text(one.of)}.{one.number}"
    if isinstance(one, Lookup):
        default = "" if one.default is None else f" else {text(one.default)}"
        return f"{text(one.of)}{{{text(one.key)}{default}}}"
    if isinstance(one, (Arithmetic, Compare)):
        return f"{one.operator}({text(one.left)}, {text(one.right)})"
    if isinstance(one, (AllOf, AnyOf)):
        sign = " and " if isinstance(one, AllOf) else " or "
        return f"({sign.join(map(text, one.parts))})"
    if isinstance(one, After):
        return f"({'; '.join(_block(one.body))}; {text(one.value)})"
    if isinstance(one, Change):
        return f"{text(one.of)}.{one.method}!({', '.join(map(text, one.arguments))})"
    if isinstance(one, Call):
        back = "".join(f"; {name} to {text(where)}" for name, where in one.back)
        return f"{one.function.name}({', '.join(map(text, one.arguments))}{back})"
    if isinstance(one, Comprehension):
        return f"{text(one.result)}{''.join(map(_clause, one.clauses))}"
    return f"{type(one).__name__.lower()}({', '.join(_parts(one))})"


def _clause(clause: Clause) -> str:
    conditions = "".join(f" if {text(test)}" for test in clause.conditions)
    body = "".join(f"; {line}" for line in _block(clause.body))
    return f" for {clause.slot} in {text(clause.over)}{body}{conditions}"


def _parts(one: Expression) -> Iterator[str]:
    """Yield what a node is made of, in the order of its fields."""
    for name, part in fields_of(one):
        for inner in part if isinstance(part, tuple) else (part,):
            if isinstance(inner, Expression):
                yield text(inner)
            elif isinstance(inner, Function):
                yield inner.name
            elif name != "type" and isinstance(inner, (str, bool)):
                yield str(inner)

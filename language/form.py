"""The typed form that rules are lowered into: expressions, statements and functions.

An expression is evaluated from left to right, and has the type of its value.  What has no value is
a statement.  A name stands for a slot of its function.  A place of the state is a value: it says
where to read and where to write; whatever else changes has one owner, as ADR 40 says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from .types import BOOL, NOTHING, Type


@dataclass(frozen=True)
class Expression:
    """What has a value, of this type."""

    type: Type


@dataclass(frozen=True)
class Constant(Expression):
    """A value that exists when the file is loaded."""

    value: Any


@dataclass(frozen=True)
class Local(Expression):
    """What a slot of the function has.

    ``sure`` is whether every way to here has assigned it; else reading it may fail.
    """

    name: str
    sure: bool = True


@dataclass(frozen=True)
class Part(Expression):
    """A variable, a record, an array or a container within a record."""

    of: Expression
    name: str


@dataclass(frozen=True)
class Element(Expression):
    """What an array, a sequence, a list or a tuple has at an index; beyond it, it fails.

    ``from_end`` is whether an index below 0 counts from the end, as in a list of Python's; in the
    state it fails.
    """

    of: Expression
    index: Expression
    from_end: bool = False


@dataclass(frozen=True)
class Item(Expression):
    """The item of a tuple with a number."""

    of: Expression
    number: int


@dataclass(frozen=True)
class Lookup(Expression):
    """What a dictionary has for a key; without a default it fails where there is none."""

    of: Expression
    key: Expression
    default: Expression | None = None


@dataclass(frozen=True)
class Arithmetic(Expression):
    """A number that is computed of two, by an operator's name; min and max are two of these."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Compare(Expression):
    """Whether two values compare so: ``eq``, ``ne``, ``lt``, ``le``, ``gt`` or ``ge``."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Not(Expression):
    """Whether a truth value is false."""

    of: Expression


@dataclass(frozen=True)
class All(Expression):
    """Whether some truth values are all true; it asks none after a false one."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class AnyOf(Expression):
    """Whether any of some truth values is true; it asks none after a true one."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Choose(Expression):
    """One of two values, of which only that is evaluated."""

    test: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True)
class IsNone(Expression):
    """Whether a value is None."""

    of: Expression


@dataclass(frozen=True)
class Which(Expression):
    """The number of the place that a name stands for, of those that it may stand for.

    What has found it out reads the name as that place.
    """

    of: Expression


@dataclass(frozen=True)
class Certain(Expression):
    """A value that must not be None; it fails if it is."""

    of: Expression


@dataclass(frozen=True)
class After(Expression):
    """A value after some statements."""

    body: tuple[Statement, ...]
    value: Expression


@dataclass(frozen=True)
class Make(Expression):
    """A tuple, a list, a set, a dictionary or a record of parts.

    A dictionary has its keys and values in turn, a record the fields that its type has.
    """

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Gather(Expression):
    """A list, a tuple, a set, a dictionary or a deque of all that something yields."""

    of: Expression


@dataclass(frozen=True)
class Copy(Expression):
    """A value of one's own, with the present values of what it is made of.

    Of a place it is what the place has; a place within it stays a place.  Unless it is `deep`,
    Python has the same objects in it as in the one that it copies.
    """

    of: Expression
    deep: bool = False


@dataclass(frozen=True)
class Contains(Expression):
    """Whether something has an element, a member or a key."""

    item: Expression
    of: Expression


@dataclass(frozen=True)
class Length(Expression):
    """How many elements, members or keys something has."""

    of: Expression


@dataclass(frozen=True)
class Slice(Expression):
    """The elements from one index on up to another one, as a list or a tuple."""

    of: Expression
    first: Expression | None
    last: Expression | None


@dataclass(frozen=True)
class Combine(Expression):
    """Two sets or two lists as one; the operator is ``add``, ``or_``, ``and_``, ``sub`` or ``xor``.

    With ``mul`` it is a list, repeated.
    """

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Range(Expression):
    """The numbers from one on up to another one, in steps."""

    start: Expression
    stop: Expression
    step: Expression


@dataclass(frozen=True)
class Clause:
    """Part of a comprehension: for each value, in this slot, what follows.

    ``body`` takes the value apart; ``conditions`` say which count.
    """

    slot: str
    type: Type
    over: Expression
    body: tuple[Statement, ...]
    conditions: tuple[Expression, ...]


@dataclass(frozen=True)
class Comprehension(Expression):
    """What a generator yields."""

    clauses: tuple[Clause, ...]
    result: Expression


@dataclass(frozen=True)
class Quantify(Expression):
    """Whether all that something yields is true, or any of it."""

    every: bool
    of: Expression


@dataclass(frozen=True)
class First(Expression):
    """The first value that something yields; without a default it fails where there is none."""

    of: Expression
    default: Expression | None


@dataclass(frozen=True)
class Apply(Expression):
    """What a function of Python's library gives: ``sorted``, ``zip``, ``itertools.product``.

    ``named`` are the arguments that have names.
    """

    name: str
    arguments: tuple[Expression, ...]
    named: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class Given(Expression):
    """A function as an argument of such a function: ``key``, what ``map`` calls."""

    function: Function
    captured: tuple[Expression, ...]


@dataclass(frozen=True)
class Call(Expression):
    """What a function of the model gives.

    ``back`` are the parameters that it changes, each with the name or the part of a name here that
    has the changed value afterwards.
    """

    function: Function
    arguments: tuple[Expression, ...]
    back: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class Change(Expression):
    """What a method gives that changes a container: of the state, or one's own.

    The arguments are evaluated first.  An index in its path is a constant or a slot, if one of them
    calls or changes anything.
    """

    of: Expression
    method: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Statement:
    """What has no value; ``line`` is that of the file."""

    line: int


@dataclass(frozen=True)
class Bind(Statement):
    """A slot gets a value."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Store(Statement):
    """A variable, an element or the value of a key is replaced; a place gets a copy."""

    target: Expression
    value: Expression


@dataclass(frozen=True)
class Do(Statement):
    """An expression is evaluated for what it does."""

    value: Expression


@dataclass(frozen=True)
class If(Statement):
    """One of two blocks runs."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True)
class For(Statement):
    """A block runs for each value that something yields.

    A list that changes meanwhile is followed: index against length, both as of the round.  Where a
    set or a dictionary has another size, or a deque was changed, the next round fails.
    """

    label: int
    slot: str
    over: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class While(Statement):
    """A block runs again as long as something is true."""

    label: int
    test: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Block(Statement):
    """A block that can be left."""

    label: int
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Leave(Statement):
    """A block or a loop ends; or, of a loop, its round."""

    label: int
    again: bool = False


@dataclass(frozen=True)
class Return(Statement):
    """The function ends with a value."""

    value: Expression


@dataclass(frozen=True)
class Fail(Statement):
    """The step fails; ``verdict`` is whether that is an assertion of the model."""

    verdict: bool = False


@dataclass
class Function:
    """A function that was lowered for arguments of some types.

    Attributes
    ----------
    parameters
        The slots that get the arguments.
    slots
        The type of each slot, of all that it has at some time.
    result
        The type of what it returns.
    changes
        The parameters whose values it changes where they are.
    shares
        The parameters of which what it returns is another name, or has a part.
    repeats
        Whether what it returns may hold one object in two places.
    replaces
        The places of the state to which it assigns other objects.
    aliases
        The places for which Python has one object after it.
    stored
        The parameters that it stores in the state, each with the part that has it; without a part
        if it lies in a container there.
    doc
        Its docstring.
    """

    name: str
    file: str
    line: int
    parameters: tuple[str, ...]
    slots: dict[str, Type] = field(default_factory=dict)
    body: tuple[Statement, ...] = ()
    result: Type = NOTHING
    changes: frozenset[str] = frozenset()
    shares: frozenset[str] = frozenset()
    repeats: bool = False
    replaces: frozenset[str] = frozenset()
    aliases: frozenset[tuple[str, str]] = frozenset()
    stored: frozenset[tuple[str, str]] = frozenset()
    doc: str = ""


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def fields_of(node: Expression | Statement | Clause) -> Iterator[tuple[str, Any]]:
    """Yield what a node has, with its name there."""
    kind: Any = type(node)
    for name in _names(kind):
        yield name, getattr(node, name)


def truth(value: bool) -> Constant:
    """Return a truth value that is known."""
    return Constant(type(BOOL)(int(value), int(value), bool), value)

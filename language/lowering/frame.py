"""One function while it is lowered: what its names stand for at a place of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from collections.abc import Sequence as Parts
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from math import isinf
from types import FunctionType
from typing import Any, Protocol, TypeVar

from ...core.asserting import is_users_code
from ...core.errors import TidegateError
from ...core.fields import Record as Declaration
from ...core.fields import declared_parts
from ...core.origins import is_written
from ...core.purity import DeclaredPure
from ...core.sources import Node
from ..form import (
    After,
    All,
    AnyOf,
    Bind,
    Certain,
    Compare,
    Constant,
    Expression,
    Function,
    If,
    IsNone,
    Length,
    Local,
    Make,
    Not,
    Statement,
    Which,
    truth,
)
from ..forms import refusal
from ..impure import ONLY
from ..lifetimes import is_read_later, is_read_once
from ..names import MISSING, looked_up
from ..origin import note_source
from ..schema import Schema
from ..scopes import blocks_of, local_names, stored
from ..scopes import bound as names_bound
from ..scopes import parts_of as parts_of_statement
from ..tabulated import Table, UntabulatedError
from ..types import (
    BOOL,
    CONTAINERS,
    NEVER,
    Closure,
    Known,
    Members,
    Never,
    NoJoinError,
    Nothing,
    Number,
    OneOf,
    Optional,
    Places,
    Record,
    Ref,
    Sequence,
    Span,
    Stream,
    Text,
    Tuple,
    Type,
    either,
    is_changeable,
    named,
    parts_of,
    type_of,
    widened,
)
from ..types import Mapping as MappingType
from .effects import acts, children, is_in, overlaps
from .meaning import refuse_answer, refuse_truth
from .owners import FILE, STATE, VALUE, Origin, Sharing, origin_of, repeats


class LoweringError(TidegateError):
    """A line of a rule is not in the language; `function` is the name of the one it is in."""

    function = ""


E = TypeVar("E", bound=LoweringError)


class ByPythonAloneError(LoweringError):
    """A line calls a function with ``@pure`` that has neither code nor a table."""

    def __init__(self, declared: DeclaredPure, why: str) -> None:
        super().__init__(f"{declared.function} is declared pure, and Python alone calls it: {why}")
        self.declared = declared


class SeveralError(Exception):
    """A line does something with one of several places of the state, or kinds of values.

    Parameters
    ----------
    node
        The name, the call or the conditional expression that gives it.
    value
        What gives it; of a conditional expression its condition.
    what
        What it is, in words.
    """

    def __init__(
        self, node: ast.expr, value: Expression, what: str = "one of several parts of the state"
    ) -> None:
        super().__init__(what)
        self.node, self.value = node, value


class FollowingError(LoweringError):
    """A line needs what could not be lowered, for which there is a refusal already."""


@dataclass(frozen=True)
class Read:
    """How a name for an element of the state's sequence was read.

    ``of`` is the sequence; the slots have the index and the length as they were.
    """

    of: Expression
    index: str
    length: str


@dataclass(frozen=True)
class Variable:
    """What a name stands for at one place of a function.

    Parameters
    ----------
    slot
        Where its value is.
    sure
        Whether every way to here has assigned it.
    read
        How it was read, if it may be written through.
    """

    slot: str
    type: Type
    sure: bool = True
    read: Read | None = None


@dataclass(frozen=True)
class Scope:
    """The names of a function at one place of it.

    ``mixed`` are those that are of different kinds on different ways to here; ``aliases`` are pairs
    of places of the state, or a place and the slot of a name, that Python has one object for.
    ``lost`` are names whose assignment was refused; ``known`` says of some slots which of several
    places they have here.
    """

    names: Mapping[str, Variable] = field(default_factory=dict)
    sharing: Sharing = field(default_factory=Sharing)
    mixed: frozenset[str] = frozenset()
    aliases: frozenset[tuple[str, str]] = frozenset()
    lost: frozenset[str] = frozenset()
    known: frozenset[tuple[str, Ref]] = frozenset()

    def between_rounds(self, start: Scope) -> Scope:
        """Return the scope without what only the round of a loop had, whose temporaries end."""
        kept = {variable.slot for variable in self.names.values()} | start.sharing.names()
        return replace(self, sharing=self.sharing.among(kept | {FILE, STATE, VALUE}))

    def given(self, name: str, variable: Variable, origin: Origin, twice: bool = False) -> Scope:
        """Return the scope after an assignment."""
        return Scope(
            {**self.names, name: variable},
            self.sharing.given(variable.slot, origin, twice),
            self.mixed - {name},
            self.aliases,
            self.lost - {name},
            frozenset(pair for pair in self.known if pair[0] != variable.slot),
        )

    def without(self, names: Set[str]) -> Scope:
        """Return the scope after an assignment to names of which nothing is known."""
        kept = {name: known for name, known in self.names.items() if name not in names}
        return replace(self, names=kept, mixed=self.mixed - names, lost=self.lost | names)


def met(scopes: Iterable[Scope], combine: Callable[[Type, Type], Type] = either) -> Scope:
    """Return the scope where several ways meet."""
    [first, *others] = scopes
    for other in others:
        first = _met(first, other, combine)
    return first


def _met(one: Scope, other: Scope, combine: Callable[[Type, Type], Type]) -> Scope:
    names: dict[str, Variable] = {}
    mixed = set(one.mixed | other.mixed)
    for name in dict.fromkeys((*one.names, *other.names)):
        a, b = one.names.get(name), other.names.get(name)
        if a is None or b is None:
            [known] = [variable for variable in (a, b) if variable is not None]
            names[name] = replace(known, sure=False)
            continue
        try:
            both = combine(a.type, b.type)
        except NoJoinError:
            mixed.add(name)
            continue
        if a.slot != b.slot:
            mixed.add(name)
            continue
        read = a.read if a.read == b.read else None
        names[name] = Variable(a.slot, both, a.sure and b.sure, read)
    lost = one.lost | other.lost
    for name in mixed | lost:
        names.pop(name, None)
    aliases = one.aliases | other.aliases
    mixed -= lost
    places = one.known & other.known
    return Scope(names, one.sharing | other.sharing, frozenset(mixed), aliases, lost, places)


@dataclass
class Loop:
    """A loop, or a round of one that is written out, while its body is lowered."""

    label: int
    round: int
    breaks: list[Scope] = field(default_factory=list)
    continues: list[Scope] = field(default_factory=list)


Body = TypeVar("Body")
"""What a loop's body is lowered to."""


class Lowerer(Protocol):
    """What lowers whole functions and every kind of statement and expression.

    A module of this package imports those below it.  What is above it, such as the call of a
    function while an attribute is lowered, it asks of this.
    """

    schema: Schema
    refusals: list[LoweringError] | None
    expected: dict[Any, str]
    switches: Set[str]
    constants: set[tuple[str, str]]
    declared: set[DeclaredPure]
    tabulates: bool
    tables: dict[Any, Table | UntabulatedError]
    yielding: set[FunctionType]
    expression_rules: Mapping[type[ast.AST], Callable[[Frame, Any], Expression]]
    statement_rules: Mapping[type[ast.stmt], Callable[[Frame, Any], list[Statement]]]

    def function(
        self,
        function: FunctionType,
        kinds: Mapping[str, Type],
        node: ast.AST | None = None,
        caller: Frame | None = None,
    ) -> Function:
        """Return a function of the model, lowered for arguments of these types."""

    def closure(
        self,
        code: Any,
        tree: ast.FunctionDef | ast.Lambda,
        kinds: Mapping[str, Type],
        node: ast.AST,
    ) -> Function:
        """Return a function within a function, lowered for arguments of these types."""

    def call(
        self,
        frame: Frame,
        function: FunctionType,
        positional: Parts[Expression],
        names: Mapping[str, Expression],
        node: ast.AST,
    ) -> Expression:
        """Return the call of a function of the model."""

    def library(self, function: Any) -> Callable[..., Expression] | None:
        """Return how a function of Python's is lowered; None if the language lacks it."""

    def container_method(
        self, frame: Frame, owner: Expression, name: str, node: ast.Call
    ) -> Expression:
        """Return what a method of a container gives."""

    def known_method(
        self, frame: Frame, owner: Constant, name: str, node: ast.Call
    ) -> Expression | None:
        """Return what a method of a table of the file gives; None if it has none of this name."""

    def assigned(self, frame: Frame, target: ast.expr, value: Expression) -> list[Statement]:
        """Return the assignment of a value to a target."""

    def method(
        self, frame: Frame, owner: Expression, name: str, supplied: Parts[Expression], node: ast.AST
    ) -> Expression | None:
        """Return what a record's own method gives; None if it has none of this name."""

    def asked(
        self,
        frame: Frame,
        value: Expression,
        names: Parts[str],
        node: ast.AST,
        arguments: Parts[ast.expr] = (),
    ) -> Expression | None:
        """Return what a record's own method gives, the first of these that it has."""

    def asked_with(
        self, frame: Frame, name: str, left: Expression, right: Expression, node: ast.AST
    ) -> Expression | None:
        """Return what a record's own method for an operator gives; None if it has none."""


class Frame:
    """A function while it is lowered.

    Parameters
    ----------
    lowering
        What lowers the functions that it calls.
    function
        The function of Python in whose module free names are looked up.
    tree
        Its syntax tree.
    made
        What it becomes.

    Attributes
    ----------
    scope
        What its names stand for at the place that is lowered.
    alive
        Whether that place is reached.
    loops
        The loops around it.
    returned
        The types of what it has returned so far.
    versions
        The slots of each name, one for each kind of values that it has at some time.
    kept
        The slots that functions within the function have, of their defaults.
    chosen
        What some expressions of the statement in work give, by their identity.
    names_lines
        Whether a refusal is about a line of it; else about the line that calls it.
    failed
        Whether a statement was refused, and the rest is lowered to find more.
    line
        The line of the statement that is lowered.
    sometimes_none
        The names that have None in some rounds of a loop that is written out.
    expected
        What it has to return, if it declares nothing.
    """

    def __init__(
        self, lowering: Lowerer, function: Any, tree: ast.FunctionDef | ast.Lambda, made: Function
    ) -> None:
        self.lowering, self.function, self.tree, self.made = lowering, function, tree, made
        self.schema = lowering.schema
        own = tree.name == function.__name__ if isinstance(tree, ast.FunctionDef) else False
        self.shown = function.__qualname__.rpartition("<locals>.")[2] if own else made.name
        # Nobody could change a line of a library.
        self.names_lines = is_written(made.file)
        self.is_users = is_users_code(function.__code__, function.__globals__)
        self.scope = Scope()
        self.alive = True
        self.loops: list[Loop] = []
        self.lazy: dict[str, ast.expr] = {}
        self.returned: list[Type] = []
        self.versions: dict[str, list[str]] = {}
        self.kept: set[str] = set()
        self.failed = False
        self.chosen: dict[int, Expression] = {}
        self._told: set[str] = set()
        self._fresh = 0
        self.line = made.line
        self.sometimes_none: set[str] = set()
        self.expected = lowering.expected.get(function, "")

    # --- refusals

    def refusal(self, node: ast.AST | None, what: str, repair: str = "") -> LoweringError:
        """Return the refusal of a part of the function, for the caller to raise.

        Parameters
        ----------
        what
            What is wrong with it.
        repair
            What to write instead.
        """
        return self.placed(LoweringError(f"{what}; {repair}" if repair else what), node)

    def placed(self, error: E, node: ast.AST | None) -> E:
        """Return an error about a part of the function, with its line."""
        line = getattr(node, "lineno", self.line)
        error.place, error.function = (self.made.file, line), self.shown
        return error

    def text(self, node: ast.AST) -> str:
        """Return the source of a part, in one short line."""
        written = ast.unparse(node).partition("\n")[0]
        return written if len(written) <= 60 else f"{written[:57]}..."

    # --- names

    def label(self) -> int:
        """Return a number that no other block of the function has."""
        self._fresh += 1
        return self._fresh

    def fresh(self, hint: str) -> str:
        """Return a slot that no name of the function has."""
        self._fresh += 1
        return f"{hint}'{self._fresh}"

    def local(self, name: str, node: ast.AST) -> Expression | None:
        """Return what a local name has; None if it is not assigned anywhere before."""
        if name in self.scope.lost or name in self._told:
            raise FollowingError
        if name in self.scope.mixed:
            self._told |= {name} if self.lowering.refusals is not None else set()
            raise self.refusal(
                node,
                f"{name} is of another kind on another way to here",
                "write if and else, or give each kind a name of its own",
            )
        variable = self.scope.names.get(name)
        if variable is None:
            return None
        kind = variable.type
        if isinstance(kind, Places):
            for slot, place in self.scope.known:
                if slot == variable.slot:
                    return Local(place, slot, variable.sure)
            assert isinstance(node, ast.expr)
            raise SeveralError(node, Local(kind, variable.slot, variable.sure))
        if variable.sure and isinstance(kind, Known):
            return Constant(kind, kind.value)
        if variable.sure and isinstance(kind, Number) and kind.low == kind.high and kind.kind:
            return Constant(kind, kind.kind(kind.low))
        return Local(kind, variable.slot, variable.sure)

    def free(self, name: str, node: ast.AST) -> Expression:
        """Return what a name stands for that is not local to the function."""
        value = looked_up(self.function, name)
        if name in ("__debug__", "__file__", "__name__"):
            raise self.refusal(node, f"{name} differs from run to run", ONLY)
        if value is MISSING:
            raise self.refusal(node, f"{name} is not known here", "define it above, or import it")
        self.refuse_fraction(value, node)
        if name in self.function.__globals__:
            self.lowering.constants.add((str(self.function.__module__), name))
        if isinstance(value, Declaration):
            return self._record_of_the_file(value)
        return constant(value)

    def _record_of_the_file(self, value: Declaration) -> Expression:
        """Return a record of the file, which is a value if all of its parts are numbers."""
        parts = {name: getattr(value, name, None) for name in declared_parts(type(value))}
        if not all(isinstance(part, int) for part in parts.values()):
            return constant(value)
        made = tuple(map(constant, parts.values()))
        types = tuple((name, one.type) for name, one in zip(parts, made, strict=True))
        return Make(Record(type(value), types, own=False), made)

    def refuse_fraction(self, value: object, node: ast.AST) -> None:
        """Refuse a number that is not whole."""
        if isinstance(value, (float, complex)):
            endless = isinstance(value, float) and isinf(value)
            what = "an infinite number" if endless else "a fraction"
            raise self.refusal(node, refusal(self.text(node), what))

    def slot_for(self, name: str, kind: Type) -> str:
        """Return the slot of a name for a value of a type; of another kind, it gets a new one."""
        versions = self.versions.setdefault(name, [name])
        slots = self.made.slots
        for slot in versions:
            if slot not in slots:
                slots[slot] = kind
                return slot
            try:
                slots[slot] = either(slots[slot], kind)
            except NoJoinError:
                continue
            return slot
        versions.append(f"{name}'{len(versions)}")
        slots[versions[-1]] = kind
        return versions[-1]

    def bind(self, name: str, value: Expression, node: ast.AST, read: Read | None = None) -> Bind:
        """Return the assignment of a value to a name, which stands for it from here on."""
        self.refuse_stream(value, node)
        slot = self.slot_for(name, value.type)
        origin, twice = origin_of(value, self.scope.sharing), repeats(value, self.scope.sharing)
        variable = Variable(slot, value.type, True, read)
        self.scope = self.scope.given(name, variable, origin, twice)
        return Bind(self.line_of(node), slot, value)

    def temporary(self, value: Expression, node: ast.AST, hint: str = "t") -> tuple[Bind, Local]:
        """Return the assignment of a value to a slot of its own, and how that is read."""
        self.refuse_stream(value, node)
        slot = self.fresh(hint)
        self.made.slots[slot] = value.type
        sharing = self.scope.sharing
        origin, twice = origin_of(value, sharing), repeats(value, sharing)
        self.scope = replace(self.scope, sharing=sharing.given(slot, origin, twice))
        return Bind(self.line_of(node), slot, value), Local(value.type, slot)

    def line_of(self, node: ast.AST) -> int:
        """Return the line of a part of the function."""
        return getattr(node, "lineno", self.line)

    def refuse_stream(self, value: Expression, node: ast.AST) -> None:
        """Refuse a name for what yields values one by one: it would have none the second time."""
        if isinstance(value.type, Stream):
            raise self._refused_stream(node)

    def _refused_stream(self, node: ast.AST) -> LoweringError:
        what = "a generator or an iterator has a name, or is stored"
        return self.refusal(node, what, "write list(...) around it")

    def refuse_unhashable(self, kind: Type, node: ast.AST) -> None:
        """Refuse what cannot be a member of a set, as a list."""
        for part in (kind, *(() if isinstance(kind, Record) else parts_of(kind))):
            listed = isinstance(part, Sequence) and part.kind is not tuple
            own = isinstance(part, Members) and not part.frozen
            if listed or own or isinstance(part, MappingType) or self.is_listed(part):
                raise self.refusal(
                    node,
                    f"{self.text(node)}: {named(part)} cannot be a member of a set",
                    "use a tuple",
                )

    def changed(self, slot: str, deep: bool, node: ast.AST) -> None:
        """Note that what a name stands for changes where it is.

        Parameters
        ----------
        deep
            Whether something that lies in it changes.
        """
        own = plain_name(slot)
        seen = self.scope.sharing.seen_by(slot, deep)
        if deep and slot in self.scope.sharing.twice:
            raise self.refusal(
                node,
                f"{own} may have one value in two places, and it changes here",
                "copy it where it is put in: copy.deepcopy(...)",
            )
        if FILE in seen:
            raise self.refusal(
                node,
                f"{own} was made when the file was loaded, and outlives the step",
                f"copy it first: {own} = {self.copying(slot, '...')}",
            )
        if VALUE in seen:
            raise self.refusal(
                node,
                f"{own} is a part of a value that was read from a sequence, and it changes here",
                "write to the element itself, as in s.queue[i].members.add(x)",
            )
        for other in sorted(seen):
            if other == STATE:
                raise self.refusal(
                    node,
                    f"{own} changes after it was stored in the state",
                    "change it before that, or store a copy",
                )
            if other.startswith("$"):
                if other[1:] != slot:
                    # The caller has the value of the parameter, not that of another name.
                    raise self._two_names(slot, other[1:], node)
                self.made.changes |= {other[1:]}
            elif self.is_needed(other, node):
                raise self._two_names(slot, other, node)

    def _two_names(self, slot: str, other: str, node: ast.AST) -> LoweringError:
        """Return the refusal of a change that is seen by another name."""
        own, second = plain_name(slot), plain_name(other)
        if other in self.scope.sharing.around(slot):
            what = f"{own} lies in {second}, which may be read later, and changes here"
            return self.refusal(node, what, f"change it where it lies, as in {second}[i]")
        if other not in self.scope.sharing.equal(slot):
            what = f"{own} has something in common with {second}, and it changes here"
            return self.refusal(node, what, "copy it first: copy.deepcopy(...)")
        what = f"{own} and {second} are two names for one value, which changes here"
        return self.refusal(node, what, f"copy it: {second} = {self.copying(slot, own)}")

    def copying(self, slot: str, what: str) -> str:
        """Return how a model copies what a slot has, with all that can be changed in it."""
        kind = self.made.slots.get(slot, NEVER)
        maker = "copy.deepcopy"
        if not any(map(is_changeable, parts_of(kind))):
            if isinstance(kind, (Sequence, MappingType)):
                maker = kind.kind.__name__
            elif isinstance(kind, Members):
                maker = "set"
        return f"{maker}({what})"

    def stores(self, form: str, value: Expression) -> None:
        """Note that the state has an object that a value stands for, or holds.

        Parameters
        ----------
        form
            The part that is that object; empty if it lies in a container.
        """
        sharing = self.scope.sharing
        kept = {pair for pair in self.scope.aliases if not form or not is_in(pair[0], form)}
        for held in forms_of(value.type) if form else ():
            kept |= {(form, held), (held, form)}
        for name in origin_of(value, sharing).names:
            for other in (name, *self.scope.sharing.equal(name)):
                if other.startswith("$"):
                    self.made.stored |= {(other[1:], form)}
                kept |= {
                    pair
                    for place, held in kept
                    if form and held == f"={other}"
                    for pair in ((form, place), (place, form))
                }
            kept |= {(form, f"={name}")} if form else set()
            sharing = sharing.put(name, STATE)
        self.scope = replace(self.scope, aliases=frozenset(kept), sharing=sharing)
        self.made.aliases |= {pair for pair in kept if not pair[1].startswith("=")}

    def holds(self, root: str, values: Parts[Expression], node: ast.AST) -> None:
        """Note that an object, or the state, holds what these give."""
        for value in values:
            sharing = self.scope.sharing
            names = origin_of(value, sharing).names
            own = {root, *sharing.equal(root), *sharing.inside(root)}
            twice = root != STATE and (bool(names & own) or repeats(value, sharing))
            for name in names - {root}:
                sharing = sharing.put(name, root)
            if twice:
                sharing = sharing.repeating(root)
                if any(one.startswith("$") for one in sharing.twice):
                    raise self.refusal(
                        node,
                        f"{plain_name(root)} gets one value a second time, and is the caller's",
                        "copy it: copy.deepcopy(...)",
                    )
            self.scope = replace(self.scope, sharing=sharing)

    def written(self, form: str, node: ast.AST) -> None:
        """Note that a place of the state changes.

        Raises
        ------
        LoweringError
            If Python has one object for it and something else, which would change, too.
        """
        for place, other in sorted(self.scope.aliases):
            if not overlaps(form, place):
                continue
            if not other.startswith("="):
                raise self.refusal(
                    node,
                    f"s.{place} and s.{other} are one object since one was assigned to the other, "
                    "and it changes here",
                    f"write s.{place}.assign(s.{other}), which copies the values".replace(
                        "[]", "[i]"
                    ),
                )
            name = other[1:]
            if name == FILE or self.is_needed(name, node):
                raise self.refusal(
                    node,
                    f"{plain_name(name) or 'a value of the file'} was assigned to {place}, which "
                    "changes here",
                    "copy it where it is assigned",
                )

    def replaced(self, form: str, node: ast.AST) -> None:
        """Note that another object is assigned to a place of the state.

        Raises
        ------
        LoweringError
            If a name stands for the one before, which Python still has.
        """
        self.made.replaces |= {form}
        for name, variable in self.scope.names.items():
            read = variable.read
            if read is not None and any(is_in(of, form) for of in forms_of(read.of.type)):
                # It was an element of what Python has no more.
                names = {**self.scope.names, name: replace(variable, read=None)}
                self.scope = replace(self.scope, names=names)
            if any(is_in(held, form) for held in forms_of(variable.type)) and self.is_needed(
                name, node
            ):
                raise self.refusal(
                    node,
                    f"{name} stands for {form}, or a part of it, which is replaced here",
                    f"read it again after that, or write s.{form.replace('[]', '[i]')}.assign(...)",
                )

    def ended(self, value: Expression, node: ast.AST) -> None:
        """Note what the function returns, and of which parameters that is another name."""
        refuse_answer(self, value.type, node)
        if isinstance(value.type, Stream) and self.function not in self.lowering.yielding:
            what = f"{self.made.name} returns a generator or an iterator, which can be read once"
            raise self.refusal(node, what, "return all(...), any(...) or list(...)")
        self.returned.append(value.type)
        sharing = self.scope.sharing
        origin = origin_of(value, sharing)
        self.made.repeats |= repeats(value, sharing)
        for name in origin.names:
            every = {name, *sharing.equal(name), *sharing.around(name)}
            self.made.shares |= {one[1:] for one in every if one.startswith("$")}

    def is_needed(self, slot: str, node: ast.AST) -> bool:
        """Whether the value of a slot may be read after a part of the function."""
        if slot in self.kept:
            return True
        name = plain_name(slot)
        if not isinstance(node, ast.expr) or name not in self.scope.names:
            return name in self.scope.names
        return is_read_later(self.tree, name, node)

    # --- what expressions are

    def expression(self, node: ast.expr) -> Expression:
        """Lower an expression."""
        if id(node) in self.chosen and not isinstance(node, ast.IfExp):
            return self.chosen[id(node)]
        rule = self.lowering.expression_rules.get(type(node))
        if rule is None:
            raise self.refusal(node, f"{self.text(node)} is not in the language of models")
        try:
            result = rule(self, node)
        except NoJoinError:
            raise self.refusal(
                node,
                f"{self.text(node)} gives values of several kinds",
                "use one kind, or a tuple of them",
            ) from None
        note_source(result, node)
        if isinstance(result.type, Places):
            raise SeveralError(node, result)
        return result

    def number(self, value: Expression, node: ast.AST) -> Expression:
        """Return a value that must be a number."""
        value = self.certain(value)
        if isinstance(value.type, Never):
            return replace(value, type=Number())
        if not isinstance(value.type, Number):
            raise self.refusal(
                node, f"{self.text(node)} is {named(value.type)}, where a number is needed"
            )
        return value

    def certain(self, value: Expression) -> Expression:
        """Return a value that must not be None."""
        if isinstance(value.type, Optional):
            return Certain(value.type.of, value)
        return value

    def truth(self, value: Expression, node: ast.AST) -> Expression:
        """Return whether Python takes a value for true."""
        refuse_truth(self, value, node)
        kind = value.type
        if isinstance(value, Constant):
            return truth(bool(value.value))
        own = self.lowering.asked(self, value, ("__bool__", "__len__"), node)
        if own is not None:
            return self.truth(own, node)
        if isinstance(kind, Number):
            return value if kind.kind is bool else self.compared("ne", value, number(0))
        if isinstance(kind, Nothing):
            return self.after(value, truth(False), node)
        if isinstance(kind, Optional):
            bind, again = self.temporary(value, node)
            inner = self.truth(Certain(kind.of, again), node)
            return After(BOOL, (bind,), self.all([Not(BOOL, IsNone(BOOL, again)), inner]))
        if isinstance(kind, Tuple):
            return self.after(value, truth(bool(kind.items)), node)
        if isinstance(kind, (*CONTAINERS, Span, Never)) or self.is_listed(kind):
            return self.compared("ne", Length(Number(0), value), number(0))
        if isinstance(kind, (Record, Ref, OneOf, Closure)):
            return self.after(value, truth(True), node)
        raise self.refusal(
            node, f"{self.text(node)} is {named(kind)}, which is neither true nor false"
        )

    def is_listed(self, kind: Type) -> bool:
        """Whether a place has elements or members."""
        if not isinstance(kind, Ref):
            return False
        return self.schema.is_array(kind) or self.schema.is_container(kind)

    def after(self, value: Expression, result: Expression, node: ast.AST) -> Expression:
        """Return a result after another expression, which is evaluated for what it does."""
        if isinstance(value, (Constant, Local)):
            return result
        bind, _ = self.temporary(value, node)
        return After(result.type, (bind,), result)

    def compared(self, operator: str, left: Expression, right: Expression) -> Expression:
        """Return whether two values compare so."""
        if is_plain(left) and is_plain(right):
            return truth(_COMPARED[operator](left.value, right.value))  # type: ignore[attr-defined]
        return Compare(BOOL, operator, left, right)

    def all(self, parts: list[Expression]) -> Expression:
        """Return whether all truth values are true."""
        kept: list[Expression] = []
        for part in parts:
            if isinstance(part, Constant):
                if part.value:
                    continue
                kept.append(part)
                break
            kept.append(part)
        if not kept:
            return truth(True)
        return kept[0] if len(kept) == 1 else All(BOOL, tuple(kept))

    def any(self, parts: list[Expression]) -> Expression:
        """Return whether any truth value is true."""
        kept: list[Expression] = []
        for part in parts:
            if isinstance(part, Constant):
                if not part.value:
                    continue
                kept.append(part)
                break
            kept.append(part)
        if not kept:
            return truth(False)
        return kept[0] if len(kept) == 1 else AnyOf(BOOL, tuple(kept))

    # --- ways through the function

    def aside(self, lower: Callable[[], Expression]) -> tuple[Expression, Scope]:
        """Lower an expression that may not be evaluated; return it, and the scope after it."""
        before = self.scope
        try:
            value = lower()
            return value, self.scope
        finally:
            self.scope = before

    def block(self, statements: Iterable[ast.stmt]) -> tuple[Statement, ...]:
        """Lower statements, up to one after which nothing runs."""
        out: list[Statement] = []
        around, self.lazy = self.lazy, {}
        for statement in statements:
            if not self.alive:
                break
            self.line = statement.lineno
            loops, scope = len(self.loops), self.scope
            try:
                lowered = self._statement(statement)
                self._end_lazy(statement, lowered)
                out += lowered
            except LoweringError as error:
                if self.lowering.refusals is None or not self.names_lines:
                    raise
                del self.loops[loops:]
                self.lazy = {}
                self._go_on(statement, error, scope)
        for source in self.lazy.values():
            raise self._refused_stream(source)
        self.lazy = around
        return tuple(out)

    def put_off(self, name: str, value: Expression, source: ast.expr) -> bool:
        """Note a name for a generator that the next statement may read; whether that can be."""
        if not isinstance(value.type, Stream) or acts(value):
            return False
        self.lazy = {**self.lazy, name: source}
        return True

    def _end_lazy(self, statement: ast.stmt, lowered: Parts[Statement]) -> None:
        """Refuse a name for a generator that a statement does not read, or reads too late."""
        begun = getattr(statement, "value", None)
        begins = not lowered and any(source is begun for source in self.lazy.values())
        if begins or not self.lazy:
            return
        names, self.lazy = self.lazy, {}
        first = [part for one in lowered for part in children(one) if isinstance(part, Expression)]
        for name, source in names.items():
            if not is_read_once(self.tree, name, statement) or any(map(acts, first)):
                raise self._refused_stream(source)

    def _statement(self, statement: ast.stmt) -> list[Statement]:
        """Lower a statement."""
        rule = self.lowering.statement_rules.get(type(statement))
        if rule is None:
            raise self.refusal(
                statement, f"{self.text(statement)} is not in the language of models"
            )
        scope, loops = self.scope, len(self.loops)
        try:
            result = rule(self, statement)
            for one in result:
                note_source(one, statement)
            return result
        except SeveralError as several:
            self.scope, self.alive = scope, True
            del self.loops[loops:]
            return self._for_each_place(statement, several)
        except NoJoinError:
            raise self.refusal(
                statement,
                f"{self.text(statement)} has values of several kinds",
                "use one kind, or a name for each",
            ) from None
        except MISTAKES as error:
            raise self.refusal(
                statement,
                f"{self.text(statement)} has what Python cannot compute: "
                f"{type(error).__name__}: {error}",
            ) from None

    def _for_each_place(self, statement: ast.stmt, several: SeveralError) -> list[Statement]:
        """Lower a statement once for each place that an expression in it may stand for."""
        node, value = several.node, several.value
        binds: list[Statement] = []
        if isinstance(node, ast.IfExp):
            self._refuse_in_between(statement, node, str(several))
            choices = [partial(self._choose, node, truth(way)) for way in (True, False)]
            return self._in_ways(statement, [value], choices)
        if not isinstance(value, Local):
            self._refuse_in_between(statement, node, str(several))
            bind, value = self.temporary(value, node)
            binds.append(bind)
            choose: Callable[[Local], None] = partial(self._choose, node)
        else:
            choose = self._note_place
        assert isinstance(value.type, Places)
        options = value.type.options
        which = Which(Number(0, len(options) - 1), value)
        tests = [self.compared("eq", which, number(place)) for place in range(len(options) - 1)]
        choices = [partial(choose, Local(option, value.name)) for option in options]
        return binds + self._in_ways(statement, tests, choices)

    def _choose(self, node: ast.expr, value: Expression) -> None:
        self.chosen[id(node)] = value

    def _note_place(self, place: Local) -> None:
        assert isinstance(place.type, Ref)
        self.scope = replace(self.scope, known=self.scope.known | {(place.name, place.type)})

    def _in_ways(
        self, statement: ast.stmt, tests: list[Expression], choices: Parts[Callable[[], None]]
    ) -> list[Statement]:
        """Lower a statement once for each choice; all but the last one have a test."""
        before = dict(self.chosen)

        def lower(choose: Callable[[], None]) -> tuple[Statement, ...]:
            choose()
            result = tuple(self._statement(statement))
            self.chosen = dict(before)
            return result

        *blocks, rest = self.branches(*(partial(lower, choose) for choose in choices))
        for test, block in zip(reversed(tests), reversed(blocks), strict=True):
            rest = (If(statement.lineno, test, block, rest),)
        return list(rest)

    def _refuse_in_between(self, statement: ast.stmt, node: ast.expr, what: str) -> None:
        """Refuse what gives a place, if Python evaluates it after or more often than all else."""
        around = [one for one in ast.walk(statement) if one is not node and _holds(one, node)]
        again = isinstance(statement, ast.While) or any(_repeats(one, node) for one in around)
        start = node.lineno, node.col_offset
        if again or any(
            (part.lineno, part.col_offset) < start and self._acts(part)
            for part in ast.walk(statement)
            if isinstance(part, (ast.Call, ast.NamedExpr)) and part not in around
        ):
            raise self.refusal(
                node,
                f"{self.text(node)} is {what}",
                "give it a name in a line before this one, or write if and else",
            )

    def _acts(self, node: ast.expr) -> bool:
        """Whether an expression that Python evaluates earlier may change anything."""
        try:
            value, _ = self.aside(lambda: self.expression(node))
        except SeveralError as several:
            value = several.value
        return acts(value)

    def _go_on(self, statement: ast.stmt, error: LoweringError, scope: Scope) -> None:
        """Note why a statement is refused, and go on after it, to find what else is.

        Parameters
        ----------
        scope
            That before the statement.
        """
        assert self.lowering.refusals is not None
        if not isinstance(error, FollowingError):
            self.lowering.refusals.append(error)
        self.failed = True
        self.scope = scope
        for part in parts_of_statement(statement):
            self._look_at(part)
        names = stored(parts_of_statement(statement)) | names_bound(statement)
        lost = scope.without(names)
        inside = blocks_of(statement) if not isinstance(statement, ast.FunctionDef) else []
        for block in inside:
            self.scope, self.alive = lost, True
            self.loops.append(Loop(self.label(), 0))
            self.block(block)
            self.loops.pop()
        within = stored(node for block in inside for node in block)
        self.scope = lost.without(within)
        self.alive = not isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue))

    def _look_at(self, part: ast.AST) -> None:
        """Lower the functions that a part of a refused statement calls."""
        for node in ast.walk(part):
            if isinstance(node, ast.Call):
                with suppress(LoweringError, SeveralError):
                    self.aside(partial(self.expression, node))

    def branches(self, *ways: Callable[[], Any]) -> list[Any]:
        """Lower what runs on different ways from here, which then meet."""
        start, results, ends = self.scope, [], []
        for way in ways:
            self.scope, self.alive = start, True
            results.append(way())
            if self.alive:
                ends.append(self.scope)
        self.alive, self.scope = False, start
        self.meet(ends)
        return results

    def meet(self, others: list[Scope]) -> None:
        """Go on where the way to here, if there is one, and others meet."""
        ends = [*([self.scope] if self.alive else []), *others]
        self.alive = bool(ends)
        self.scope = met(ends) if ends else self.scope

    def rounds(self, lower: Callable[[Loop], Body], runs_once: bool = False) -> tuple[Loop, Body]:
        """Lower a loop, again until its names are what they are after each round.

        Parameters
        ----------
        lower
            Lowers a round.
        runs_once
            Whether the loop ends by a break alone.
        """
        label = self.label()
        start = self.scope
        for _ in range(MOST_ROUNDS):
            self.scope, self.alive = start, True
            loop = Loop(label, label)
            self.loops.append(loop)
            result = lower(loop)
            self.loops.pop()
            ends = [*([self.scope] if self.alive else []), *loop.continues]
            after = met([start, *ends], widened).between_rounds(start)
            if after == start:
                break
            start = after
        else:
            raise self.refusal(None, "a name of this loop is of another kind in each round")
        exits = [*([] if runs_once else [start]), *loop.breaks]
        self.alive = bool(exits)
        self.scope = met(exits) if exits else start
        return loop, result


def _holds(part: ast.AST, node: ast.AST) -> bool:
    return any(one is node for one in ast.walk(part))


def _repeats(part: ast.AST, node: ast.AST) -> bool:
    """Whether a part of a line evaluates another one within it several times, or later."""
    if isinstance(part, (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)):
        return not _holds(part.generators[0].iter, node)
    return isinstance(part, ast.Lambda)


MISTAKES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""The errors of Python if a value that is known before a rule runs does not fit its use.

The model may never get there; Python finds out whether it does.
"""

MOST_ROUNDS = 12
"""How often a loop is lowered: each time a name of it may have got another type."""


_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: bool(a == b), "ne": lambda a, b: bool(a != b),
    "lt": lambda a, b: bool(a < b), "le": lambda a, b: bool(a <= b),
    "gt": lambda a, b: bool(a > b), "ge": lambda a, b: bool(a >= b),
}  # fmt: skip


@cache
def locals_of(tree: Node) -> frozenset[str]:
    """Return the names that are local to a function."""
    return frozenset(local_names(tree))


def constant(value: object) -> Constant:
    """Return a value that exists when the file is loaded."""
    return Constant(type_of(value), value)


def number(value: int) -> Constant:
    """Return a whole number that is known."""
    return Constant(Number(value, value), value)


def is_plain(value: Expression) -> bool:
    """Whether a value is known, and a number, a text or None."""
    return isinstance(value, Constant) and isinstance(value.type, (Number, Text, Nothing))


def forms_of(kind: Type) -> Iterator[str]:
    """Yield the places that a value stands for, or holds."""
    if isinstance(kind, Ref):
        yield kind.form
    for part in parts_of(kind):
        yield from forms_of(part)


def plain_name(slot: str) -> str:
    """Return the name that a slot has in the file."""
    return slot.partition("'")[0]

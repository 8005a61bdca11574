"""Reads the functions of a model, each for the kinds of arguments that it is called with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import unwrap
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...core.purity import DeclaredPure, declaration_of
from ...core.sources import Node, Source, is_own, source_of
from ...language.calls import Parameters, defaults_of
from ...language.forms import NOT_IN_IT, outside, refusal
from ...language.source import UnreadableError, verified
from .body import Body
from .declared import declared_result, wrong_answers
from .held import functions_in
from .notes import Answer, Effect, Objection, Part
from .objects import Objects, is_ours
from .values import (
    ANYTHING,
    NOTHING,
    Group,
    Known,
    Local,
    Text,
    Value,
    either,
    is_unordered,
    marked,
    options,
    parts_of,
)

MOST_CONTEXTS = 60
"""A function is read for so many kinds of arguments; after that, for any."""

DEEPEST = 60
"""The deepest nesting of calls that is followed."""


if TYPE_CHECKING:
    from .loading import Statements

_PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True)
class Summary:
    """What a reading of a function found."""

    result: Value
    answers: tuple[Answer, ...] = ()
    objections: tuple[Objection, ...] = ()
    effects: tuple[Effect, ...] = ()
    leaks: bool = False
    touched: bool = False


class Reader:
    """Reads functions.

    Parameters
    ----------
    histories
        The variables that the state holds only if a property needs them, and the constants that say
        which it holds.
    loads
        Whether it reads what modules do while they are loaded.

    Attributes
    ----------
    unresolved
        Names of attributes of values of which nothing is known, and texts that may be such names.
    classes
        The model's own classes that were met.
    declared
        The functions declared pure that were met.
    writes_unseen
        Whether something is written of which it is not known if it outlives the call.
    part
        What the functions that are read now are for.
    """

    def __init__(self, histories: Collection[str], loads: bool = False) -> None:
        self.histories = frozenset(histories)
        self.objects = Objects(self)
        self.unresolved: set[str] = set()
        self.classes: set[type] = set()
        self.declared: set[DeclaredPure] = set()
        self.writes_unseen = False
        self.part = Part.OTHER if loads else Part.RULE
        self._known: dict[object, Summary] = {}
        self._contexts: dict[int, int] = {}
        self._begun: list[int] = []
        self._kept: list[object] = []
        self._later: dict[object, tuple[FunctionType, Sequence[Value] | None]] = {}
        self.loads = loads
        self._loaded: dict[str, Statements] = {}

    @property
    def in_language(self) -> bool:
        """Whether the code that it reads now has to be in the language of models."""
        return self.part is Part.RULE

    @contextmanager
    def reading(self, part: Part) -> Iterator[None]:
        """Read functions that are for something else than those around them."""
        outer, self.part = self.part, part
        try:
            yield
        finally:
            self.part = outer

    def later(self, value: Any, first: Value | None = None) -> None:
        """Read a function that may be called with anything, at the end.

        Parameters
        ----------
        first
            Its first argument, if that is known.
        """
        value = unwrap(value) if not isinstance(value, FunctionType) else value
        if self.objects.is_read(value):
            arguments = None if first is None else (first,)
            self._later.setdefault((id(value), first), (value, arguments))

    def trusts(self, function: object) -> bool:
        """Whether a function is declared pure, so that it is tried and not read."""
        declaration = declaration_of(function)
        if declaration is not None:
            self.declared.add(declaration)
        return declaration is not None

    def rest(self) -> list[Objection]:
        """Read the functions that may be called with anything, and return the objections."""
        objections: list[Objection] = []
        done: set[object] = set()
        self.part = Part.OTHER
        while True:
            for kind in tuple(self.classes):
                for name in self.unresolved & vars(kind).keys():
                    for method in functions_in(vars(kind)[name]):
                        self.later(method)
            todo = self._later.keys() - done
            if not todo:
                return objections
            for key in [key for key in self._later if key in todo]:
                done.add(key)
                function, arguments = self._later[key]
                # What it answers depends on what it is called with.
                summary = self.summary(function, arguments, {}, False, None)
                objections += summary.objections

    def loaded(self, file: str, space: dict[str, Any], name: str) -> list[Objection]:
        """Return why what a module of the model's defines may be another one in the next run."""
        if self.loads or str(space.get("__name__")).partition(".")[0] == _PACKAGE:
            return []
        if file not in self._loaded:
            from .loading import Statements

            self._loaded[file] = Statements(Reader(self.histories, loads=True), file, space)
        return self._loaded[file].varying(name)

    def is_unordered(self, file: str, name: str) -> bool:
        """Whether a module defines a dictionary of that name that has the order of a set."""
        return file in self._loaded and name in self._loaded[file].unordered

    def call(
        self,
        body: Body,
        function: FunctionType,
        arguments: Sequence[Value],
        named: Mapping[str, Value],
    ) -> Value:
        """Return what a call in a body may return, and note there what it does."""
        unread = is_ours(function) or not self.objects.is_read(function)
        if self.trusts(function) or unread or (self.loads and not is_own(function)):
            history = any(value.history for value in (*arguments, *named.values()))
            return marked(declared_result(function), history)
        if self.in_language and id(function) in self._begun:
            line = function.__code__.co_filename, function.__code__.co_firstlineno
            text = refusal(function.__name__, "which calls itself")
            body.objections.append(Objection(line, text))
        summary = self.summary(function, arguments, named, body.depends)
        body.absorb(summary)
        return summary.result

    def answers_of(
        self, function: FunctionType, arguments: Sequence[Value], named: Mapping[str, Value]
    ) -> list[Objection]:
        """Return which answers of a function are not what it declares, and nothing else of it."""
        # What it mentions is noted by a reader of its own.
        answers = Reader(self.histories).summary(function, arguments, named, False).answers
        return wrong_answers(function, "", answers, None)

    def local(
        self,
        body: Body,
        callee: Local,
        arguments: Sequence[Value] | None,
        named: Mapping[str, Value],
    ) -> Value:
        """Return what the call of a function that is defined in another one may return."""
        node, outer = callee.node, callee.body
        if id(node) in self._begun:
            body.refuse_outside(node, getattr(node, "name", "a lambda"), "which calls itself")
        if len(self._begun) > DEEPEST or self._begun.count(id(node)) > 1:
            return ANYTHING
        variables = _bound(node, arguments, named, {})
        source = Source(node, outer.source.file)
        inner = Body(self, source, outer.function, variables, outer, body.depends)
        self._begun.append(id(node))
        inner.read()
        self._begun.pop()
        body.absorb(inner)
        return _result(inner)

    def summary(
        self,
        function: FunctionType,
        arguments: Sequence[Value] | None,
        named: Mapping[str, Value],
        control: bool,
        expected: str | None = "",
    ) -> Summary:
        """Return what a function does with such arguments; None stands for any.

        Parameters
        ----------
        expected
            What it has to return if it declares nothing; None if that is not asked.
        """
        if len(self._begun) > DEEPEST or self._begun.count(id(function)) > 1:
            return Summary(declared_result(function))
        if self._contexts.get(id(function), 0) >= MOST_CONTEXTS:
            arguments, named = None, {}
        values = None if arguments is None else tuple(arguments)
        key = (
            id(function),
            values,
            tuple(sorted(named.items(), key=lambda pair: pair[0])),
            control,
            expected,
            self.part,
        )
        reusable = not any(_changes(value) for value in (*(values or ()), *named.values()))
        if reusable and key in self._known:
            return self._known[key]
        self._kept.append(function)
        self._contexts[id(function)] = self._contexts.get(id(function), 0) + 1
        self._begun.append(id(function))
        summary = self._read(function, values, named, control, expected)
        self._begun.pop()
        if reusable:
            self._known[key] = summary
        return summary

    def _unreadable(self, function: FunctionType, source: Source | None) -> str:
        """Return why a function cannot be read; empty if it can.

        In the language of models, a tree must be what Python runs; what only shows something, or
        is Python's library, may be of another release.
        """
        if source is not None and not (self.in_language and is_own(function)):
            return ""
        try:
            verified(function)
        except UnreadableError as error:
            rewritten = source is not None and _REWRITTEN in function.__code__.co_names
            why = f"{function.__name__} cannot be read, since its source {error}; {error.repair}"
            return "" if rewritten else why
        return ""

    def _read(
        self,
        function: FunctionType,
        arguments: Sequence[Value] | None,
        named: Mapping[str, Value],
        control: bool,
        expected: str | None,
    ) -> Summary:
        source = source_of(function)
        why = self._unreadable(function, source)
        if source is None or why:
            code = function.__code__
            line = code.co_filename, code.co_firstlineno
            return Summary(ANYTHING, objections=(Objection(line, why),))
        variables = _bound(source.node, arguments, named, defaults_of(function))
        body = Body(self, source, function, variables, control=control)
        objections: list[Objection] = []
        if is_own(function):
            # It goes first: deep in a long expression there is little room to read a whole module.
            space, name = function.__globals__, function.__code__.co_name
            objections += self.loaded(source.file, space, name)
        forms = outside(source.node) if self.in_language else ()
        body.read()
        if forms:
            # What else is wrong with it may follow from that.
            lines = [Objection(source.line(part.node), part.text) for part in forms]
            others = [one for one in body.objections if NOT_IN_IT in one.text]
            return Summary(declared_result(function), objections=(*lines, *others))
        objections += body.objections
        if expected or (expected is not None and is_own(function)):
            objections += wrong_answers(function, expected, body.answers, body.yields_at)
        return Summary(
            _result(body),
            tuple(body.answers),
            tuple(objections),
            tuple(body.effects),
            body.leaks,
            body.touched > 0,
        )


_REWRITTEN = "@pytest_ar"
"""The name by which code says that pytest wrote its own text into what asserts say."""


def _result(body: Body) -> Value:
    if body.yields is not None:
        return body.yields
    return either(answer.value for answer in body.answers) or NOTHING


def _changes(value: Value) -> bool:
    """Whether a value may be changed by the function that it is passed to, or is only its own."""
    if isinstance(value, (Group, Local)):
        return True
    return any(map(_changes, (*parts_of(value), *(v for v in options(value) if v is not value))))


def _bound(
    node: Node,
    arguments: Sequence[Value] | None,
    named: Mapping[str, Value],
    defaults: Mapping[str, object],
) -> dict[str, Value]:
    """Return the values of a function's parameters in a call, as far as they are known."""
    parameters = Parameters.of(node.args)
    required = (*parameters.positional, *parameters.named)
    variables: dict[str, Value] = dict.fromkeys(required, ANYTHING)
    variables |= {name: Known(default) for name, default in defaults.items()}
    if arguments is not None:
        variables |= dict(zip(parameters.positional, arguments, strict=False))
        variables |= {name: value for name, value in named.items() if name in variables}
    if parameters.rest is not None:
        beyond = None if arguments is None else arguments[len(parameters.positional) :]
        extra = ANYTHING if beyond is None else either(beyond)
        variables[parameters.rest] = Group("tuple", extra)
    if parameters.more is not None:
        rest = [value for name, value in named.items() if name not in variables]
        passed = named.get("**")
        unordered = passed is not None and is_unordered(passed)
        every = either(rest) or ANYTHING
        variables[parameters.more] = Group("dict", every, Text(), unordered)
    return variables

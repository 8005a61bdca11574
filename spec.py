"""The vocabulary of Tidegate: what a model, a property and an answer are.

Words are TLA+'s.  A *transition system* has initial states and *actions*; an action with its
arguments is a *step*; steps chained from an initial state are a *behavior*, and a behavior that is
printed is a *trace*.  A *property* is what the checker decides.

This module holds no logic about Kafka and none about searching.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Generic, TypeVar

from .errors import (
    DisagreementError,
    EngineError,
    ModelError,
    ReplayError,
    TidegateError,
    line_that_makes,
    place_of,
)
from .layout import Layout, State
from .scene import Place, View

__all__ = [
    "DisagreementError",
    "EngineError",
    "ModelError",
    "ReplayError",
    "TidegateError",
]  # of errors

S = TypeVar("S")
"""The record that actions read and write, as the model declares it."""

K = TypeVar("K")
"""The constants of one run: its bounds and the protocol's rules."""


class Outcome(Enum):
    """What a search found out; ``INCOMPLETE`` is never to be read as ``HOLDS``."""

    HOLDS = "holds"
    VIOLATED = "violated"
    INCOMPLETE = "incomplete"


class Fairness(Enum):
    """Whether a step that stays enabled must be taken at last (TLA+'s WF) or may never be."""

    NONE = "none"
    WEAK = "weak"


class Kind(Enum):
    """What sort of statement a property makes."""

    INVARIANT = "invariant"
    TYPE = "type"
    DEADLOCK = "deadlock"
    STUCK = "stuck"


@dataclass(frozen=True)
class Action:
    """A named kind of step.

    Parameters
    ----------
    name
        As printed, for instance ``HandleFetch``.
    apply
        ``apply(s, k, *arguments) -> bool``: its guards first, then its writes.  ``False`` means
        "not enabled" and leaves ``s`` untouched.
    who
        Who acts: ``leader``, ``follower``, ``broker``, ``controller``, ``client``, ``network``.
    arguments
        From the constants, every tuple of arguments that the action may be taken with, in order.
    source
        The KIP, paper or specification that says so.
    fairness
        Weak for what a correct system does sooner or later, none for what may never happen.
    available
        Whether the constants leave room for this action at all; one that an option switches off
        is left out, so that "never enabled" is only ever said of an action that was tried.
    """

    name: str
    apply: Callable[..., bool]
    who: str
    arguments: Callable[[Any], Iterable[tuple[int, ...]]]
    source: str
    fairness: Fairness = Fairness.WEAK
    available: Callable[[Any], bool] = lambda k: True

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the arguments: those of ``apply`` behind the state and the constants."""
        return tuple(inspect.signature(self.apply).parameters)[2:]


@dataclass(frozen=True)
class Step:
    """An action with its arguments."""

    action: str
    parameters: tuple[str, ...] = ()
    arguments: tuple[int, ...] = ()

    def __str__(self) -> str:
        pairs = zip(self.parameters, self.arguments, strict=True)
        return f"{self.action}({', '.join(f'{name}={value}' for name, value in pairs)})"


@dataclass(frozen=True)
class Property:
    """Something to be decided about a transition system.

    Parameters
    ----------
    name
        As asked for with ``--property``.
    statement
        What it says, in one English sentence.
    source
        Where it is stated: KIP, specification or paper.
    predicate
        ``predicate(s, k) -> bool``, true in a state that satisfies it.  Ignored for the kinds
        ``TYPE`` and ``DEADLOCK``, which the transition system itself decides.  For the kind
        ``STUCK``: true in a state that has recovered; a state violates it from which steps of
        weakly fair actions alone lead to no such state.
    explain
        ``explain(s, k) -> str``: for a state that violates it, what exactly went wrong.
    needs
        Names of the histories (auxiliary variables) that it reads; the state holds them only when
        a requested property needs them.
    places
        ``places(s, k)``: for a state that violates it, the offsets of logs at which it does.
    """

    name: str
    statement: str
    source: str
    predicate: Callable[[Any, Any], bool]
    explain: Callable[[Any, Any], str]
    kind: Kind = Kind.INVARIANT
    needs: frozenset[str] = frozenset()
    places: Callable[[Any, Any], tuple[Place, ...]] = lambda s, k: ()


DEADLOCK = Property(
    name="Deadlock",
    kind=Kind.DEADLOCK,
    statement="In every state some action is enabled.",
    source="TLA+ (Lamport, Specifying Systems, 14.2.2)",
    predicate=lambda s, k: True,
    explain=lambda s, k: "No action is enabled here: nothing can happen any more.",
)


@dataclass(frozen=True)
class Trace:
    """A behavior: ``states[0]`` is initial, and ``steps[i]`` leads from state i to state i + 1."""

    states: tuple[State, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Instance:
    """An action with one choice of its arguments, ready to be tried."""

    action: Action
    arguments: tuple[int, ...]

    @cached_property
    def step(self) -> Step:
        """The step that this instance takes."""
        return Step(self.action.name, self.action.parameters, self.arguments)


class TransitionSystem(Generic[S, K]):
    """Initial states and steps over one declared state, for one choice of constants.

    Parameters
    ----------
    name
        The protocol's name.
    bounds
        Every bound as a user would set it, for reports.
    headline
        The bounds worth naming in one line.
    constants
        Handed to every action and predicate as ``k``.
    layout
        The state's declaration, laid out for these constants.
    actions
        In the order that decides between steps which are equal otherwise.
    initialise
        Writes each initial state into the record it is handed and yields after each.
    columns
        For traces: ``columns(s, k)`` gives a heading and a short text per participant.
    legend
        How to read those texts.
    constraint
        For a system that has more states than a search can see: ``constraint(s, k) -> bool``, plain
        code like a predicate; None where there is none.  What an engine does with a state that
        is outside it, initial or not, is what TLC does: the step there counts as taken, and the
        invariants are decided there, so that a trace may end there; but the state does not
        count as distinct or for the depth, and nothing is expanded from it.  A state all of
        whose steps lead outside is no deadlock.
    view
        For diagrams: how the family shows states and steps.

    Attributes
    ----------
    debug
        Whether every action is watched: that it leaves the state untouched where it is not
        enabled, and that it writes only values within their declared ranges.
    """

    def __init__(
        self,
        name: str,
        bounds: dict[str, str],
        headline: str,
        constants: K,
        layout: Layout[S],
        actions: Sequence[Action],
        initialise: Callable[[S, K], Iterator[None]],
        columns: Callable[[S, K], dict[str, str]],
        legend: str = "",
        constraint: Callable[[S, K], bool] | None = None,
        view: View | None = None,
    ) -> None:
        self.name = name
        self.bounds = bounds
        self.headline = headline
        self.constants = constants
        self.layout = layout
        self.record = layout.record
        self.actions = tuple(action for action in actions if action.available(constants))
        self.instances = tuple(
            Instance(action, arguments)
            for action in self.actions
            for arguments in action.arguments(constants)
        )
        self._initialise = initialise
        self._columns = columns
        self.legend = legend
        self.constraint = constraint
        self.view = view
        self.debug = False
        self._tried = [
            (index, instance.action.apply, instance.arguments)
            for index, instance in enumerate(self.instances)
        ]

    def initial_states(self) -> Iterator[State]:
        """Yield each initial state; while it is yielded, ``record`` holds it."""
        self.layout.reset()
        for _ in self._initialise(self.record, self.constants):
            yield self.layout.dump()

    def inside(self) -> bool:
        """Whether the state that ``record`` holds satisfies the constraint, if there is one."""
        return self.constraint is None or bool(self.constraint(self.record, self.constants))

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        """Yield (index into ``instances``, successor) for every enabled step of `state`.

        While a successor is yielded, ``record`` holds it; whoever is iterating must leave the
        record alone.  This is the only place where steps are taken.

        Raises
        ------
        ModelError
            If an action fails, or writes a value that no stored state can hold.  In debug mode
            also if an action writes a value out of its declared range, or writes anything before
            it answers "not enabled".
        """
        record, constants = self.record, self.constants
        load, dump = self.layout.load, self.layout.dump
        attempt = self._attempt_watched if self.debug else None
        index = -1
        load(state)
        try:
            for index, apply, arguments in self._tried:
                if attempt(index, state) if attempt else apply(record, constants, *arguments):
                    yield index, dump()
                    load(state)
        except ModelError:
            raise
        except Exception as error:
            raise self._failure(index, state, error) from error

    def _attempt_watched(self, index: int, state: State) -> bool:
        """Take a step from `state`, which ``record`` holds, watching what the action does."""
        instance, values = self.instances[index], self.layout.values
        before = values()
        enabled = instance.action.apply(self.record, self.constants, *instance.arguments)
        if not enabled and values() != before:
            written = ", ".join(self.layout.changed(before))
            what = f"answered 'not enabled' after writing {written}; put every guard before the "
            raise self._blamed(index, state, what + "first write", lambda: values() != before)
        if not self.layout.in_range():
            raise self._out_of_range(index, state)
        return enabled

    def _out_of_range(self, index: int, state: State) -> ModelError:
        """Say which step wrote what it must not; the record is as it left it."""
        what = f"wrote a value out of range: {'; '.join(self.layout.range_errors())}"
        return self._blamed(index, state, what, lambda: not self.layout.in_range())

    def _blamed(self, index: int, state: State, what: str, wrong: Callable[[], bool]) -> ModelError:
        """Say what a step does wrong, and in which line: it is taken once more to see that."""
        instance = self.instances[index]
        self.layout.reset()
        self.layout.load(state)
        error = ModelError(f"{instance.step} {what}")
        with suppress(Exception):
            given = (self.record, self.constants, *instance.arguments)
            error.place = line_that_makes(wrong, lambda: instance.action.apply(*given))
        return error

    def _failure(self, index: int, state: State, error: Exception) -> ModelError:
        """Say which step failed; the record is as the failing action left it."""
        if index >= 0 and not self.layout.in_range():
            return self._out_of_range(index, state)
        step = self.instances[index].step if index >= 0 else "a step"
        what = f"{step} failed with {type(error).__name__}: {error}; in the state "
        failure = ModelError(f"{what}{self.layout.describe(state)}")
        failure.place = place_of(error)
        return failure

    def attempt(self, index: int, state: State) -> bool:
        """Try the instance of that number; if it is enabled, ``record`` holds the successor.

        Raises
        ------
        ModelError
            If the action fails.
        """
        instance = self.instances[index]
        self.layout.load(state)
        try:
            return bool(instance.action.apply(self.record, self.constants, *instance.arguments))
        except Exception as error:
            raise self._failure(index, state, error) from error

    def take(self, state: State, step: Step) -> State | None:
        """Return the state that `step` leads to, or None where it is not enabled.

        Raises
        ------
        ReplayError
            If this transition system has no such step at all.
        """
        for instance in self.instances:
            if instance.step == step:
                self.layout.load(state)
                enabled = instance.action.apply(self.record, self.constants, *instance.arguments)
                return self.layout.dump() if enabled else None
        raise ReplayError(f"{self.name} has no step {step} within these bounds")

    def judge(self, properties: Iterable[Property]) -> Callable[[], list[Property]]:
        """Return a function that names those `properties` that ``record`` violates.

        This is the only place where properties are evaluated.
        """
        record, constants = self.record, self.constants
        checks = [
            (prop, self._in_range if prop.kind is Kind.TYPE else prop.predicate)
            for prop in properties
            if prop.kind in (Kind.INVARIANT, Kind.TYPE)
        ]

        def violated() -> list[Property]:
            return [prop for prop, holds in checks if not holds(record, constants)]

        return violated

    def _in_range(self, record: S, constants: K) -> bool:
        """Whether ``record`` is well typed, in the form of a predicate."""
        return self.layout.in_range()

    def violates(self, prop: Property, state: State) -> bool:
        """Whether `state` violates `prop`."""
        if prop.kind is Kind.DEADLOCK:
            return next(self.successors(state), None) is None
        if prop.kind is Kind.STUCK:
            return not self._heals(prop, state)
        self.layout.load(state)
        return bool(self.judge([prop])())

    def _heals(self, prop: Property, state: State) -> bool:
        """Whether weakly fair steps alone can lead from `state` to one that has recovered."""
        seen, todo = {state}, [state]
        while todo:
            here = todo.pop()
            self.layout.load(here)
            if prop.predicate(self.record, self.constants):
                return True
            for index, successor in self.successors(here):
                weak = self.instances[index].action.fairness is Fairness.WEAK
                if weak and successor not in seen and self.inside():
                    seen.add(successor)
                    todo.append(successor)
        return False

    def explain(self, prop: Property, state: State) -> str:
        """Say in words how `state` violates `prop`."""
        self.layout.load(state)
        if prop.kind is Kind.TYPE:
            return "; ".join(self.layout.range_errors())
        return prop.explain(self.record, self.constants)

    def columns(self, state: State) -> dict[str, str]:
        """Return a heading and a short text per participant, for one row of a trace."""
        self.layout.load(state)
        return self._columns(self.record, self.constants)

"""A transition system: the initial states and the steps of a model, for one choice of constants.

It knows nothing about Kafka or about searching; its terms come from :mod:`vocabulary`.

Whether a state can recover by fair steps alone, decided from that state on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, TypeVar

from .asked import AskedRules
from .asserting import Assertion, assertion_of, is_verdict
from .errors import (
    DisagreementError,
    EngineError,
    ModelError,
    Reason,
    ReplayError,
    TidegateError,
    about,
    at_the_yield,
    blaming,
    failure,
    is_ours,
)
from .fault_location import (
    Attempt,
    as_witness,
    mistake,
    predicate_of,
    refuse_nondeterminism,
    refuse_writing,
    truth,
    wrong_initial_state,
    wrote_too_early,
)
from .layout import Layout, State
from .narrowing import Narrowing
from .presentation import Telling
from .purity import DeclaredPure, Unproven
from .scene import View
from .vocabulary import (
    ASSERTION,
    DEADLOCK,
    TYPE_OK,
    Action,
    Fairness,
    Instance,
    JointFairness,
    Kind,
    Outcome,
    Property,
    Step,
    Trace,
    choices,
    is_available,
)


def recovers(system: Any, prop: Property, state: State) -> bool:
    """Whether fair steps alone can lead from `state` to one that has recovered.

    Parameters
    ----------
    system
        A transition system, which is declared above this module.
    """
    seen, todo = {state}, [state]
    while todo:
        here = todo.pop()
        system.layout.load(here)
        if system.satisfies(prop):
            return True
        for index, successor in system.successors(here):
            fair = system.is_fair(system.instances[index].action)
            if fair and successor not in seen and system.admits(successor):
                seen.add(successor)
                todo.append(successor)
    return False


__all__ = [
    "ASSERTION", "DEADLOCK", "TYPE_OK", "Action", "DisagreementError", "EngineError", "Fairness",
    "Instance", "JointFairness", "Kind", "ModelError", "Outcome", "Property", "ReplayError", "Step",
    "TidegateError", "Trace", "TransitionSystem",
]  # fmt: skip

S = TypeVar("S")
"""The record that actions read and write, as the model declares it."""

K = TypeVar("K")
"""The constants of one run: its bounds and the protocol's rules."""

Tried = tuple[int, Callable[..., Any], tuple[int, ...]]
"""An index into ``instances``, with the action's function and the arguments of that instance."""

_END = object()

_REPEATED = 1024
"""A watched search repeats this many first attempts; later, one of this many."""


class TransitionSystem(Telling[S, K]):
    """Initial states and steps over one declared state, for one choice of constants.

    Parameters
    ----------
    name
        The protocol's name.
    bounds
        Every bound as a user would set it, for reports.
    headline
        The main bounds, in one line.
    constants
        Passed to every action and predicate as ``k``.
    layout
        The state's declaration, laid out for these constants.
    actions
        In the order that decides between otherwise equal steps.
    fairness
        What is fair beside the actions themselves: several of them together.
    initialise
        Writes each initial state into the record that it receives and yields after each.
    legend
        How to read the display of states, beside what the view says of that.
    constraint
        For a system with more states than a search can see: ``constraint(s, k) -> bool``, plain
        code like a predicate; None if there is none.  Engines treat a state outside the constraint,
        initial or not, as TLC does: the step to it counts as taken, and the invariants are decided
        there, so that a trace may end there; but the state does not count as distinct or for the
        depth, and it is not expanded.  A state all of whose steps lead outside is not a deadlock.
    view
        How the family shows states and steps; None to show variables.
    assumptions
        What the code takes for granted of every state (``assumptions.py``): invariants without
        which no search has a verdict.
    within_constraint
        Whether liveness is decided for those behaviors alone that never leave the constraint.

    Attributes
    ----------
    debug
        Whether every action is watched: that it leaves the state untouched if it is not enabled,
        and that it writes only values within their declared ranges.
    asserts
        Whether an assertion of a user's that fails in an action is a violation: such a step leads
        nowhere, and is one of ``failed``.  Otherwise it is an error.
    failed
        The steps of the state expanded last whose assertions fail: each index into ``instances``,
        with the exception.
    repeats
        Whether liveness predicates are watched, too, since functions are declared pure.
    declared_pure
        The functions declared pure that its code reaches.
    by_python_alone
        The lines that call one of them that has neither code nor a table.
    unproven
        What runs before the search and may give something else in the next run.
    lowered
        What lowers its rules, kept by ``language.lowering.rules``.
    changed_rules
        Names of the rules in which the protocol differs from its parent.
    asked
        Notes which of them Python calls; None if nobody wants to know.
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
        legend: str = "",
        constraint: Callable[[S, K], bool] | None = None,
        view: View | None = None,
        fairness: Sequence[JointFairness] = (),
        assumptions: Sequence[Property] = (),
        within_constraint: bool = False,
    ) -> None:
        super().__init__()
        self.name = name
        self.bounds = bounds
        self.headline = headline
        self.constants = constants
        self.layout = layout
        self.record = layout.record
        self.declared_actions = tuple(actions)
        self.actions = tuple(action for action in actions if is_available(action, constants))
        self.instances = tuple(
            Instance(action, arguments)
            for action in self.actions
            for arguments in choices(action, constants)
        )
        self.fairness = tuple(fairness)
        self.assumptions = tuple(assumptions)
        self.initialise = initialise
        self.legend = legend
        self.constraint = constraint
        self.within_constraint = constraint is not None and within_constraint
        self.view = view
        self.debug, self.repeats, self._watched = False, False, 0
        self.asserts = False
        self.failed: list[tuple[int, AssertionError]] = []
        self.declared_pure: tuple[DeclaredPure, ...] = ()
        self.by_python_alone: dict[Reason, DeclaredPure] = {}
        self.unproven: tuple[Unproven, ...] = ()
        self.lowered: object = None
        self.changed_rules: tuple[str, ...] = ()
        self.asked: AskedRules[K] | None = None
        self._tried: list[Tried] = [
            (index, instance.action.apply, instance.arguments)
            for index, instance in enumerate(self.instances)
        ]
        self._narrowing = Narrowing(self.instances, self._here)

    @property
    def passed(self) -> K:
        """The constants that actions, predicates and the like are called with."""
        return self.constants if self.asked is None else self.asked.constants

    @contextmanager
    def asked_aside(self) -> Iterator[None]:
        """Note no rules in the block: it calls them in states that no search need reach."""
        noted, self.asked = self.asked, None
        try:
            yield
        finally:
            self.asked = noted

    def initial_states(self) -> Iterator[State]:
        """Yield each initial state, begun afresh; while it is yielded, ``record`` holds it.

        Raises
        ------
        ModelError
            If ``initialise`` fails, writes what it must not, or yields no state at all.
        """
        layout, any_at_all = self.layout, False
        who = getattr(self.initialise, "__name__", "initialise")
        layout.reset()
        begun = layout.dump()
        with blaming(who):
            states = iter(self.initialise(self.record, self.passed))
        blames = blaming(who)
        while True:
            with blames:
                if next(states, _END) is _END:
                    break
            if not layout.sound():
                begin = partial(self.initialise, self.record, self.constants)
                raise wrong_initial_state(layout, who, begin)
            any_at_all = True
            yield layout.dump()
            layout.load(begun)
        if not any_at_all:
            raise about(
                self.initialise,
                f"{who} of {self.name} yields no initial state, and where there is none every "
                "property holds; write one into the state and yield",
            )

    def inside(self) -> bool:
        """Whether the state that ``record`` holds satisfies the constraint, if there is one."""
        return self.constraint is None or self._asked(self.constraint, "the constraint", self.debug)

    def _asked(self, function: Callable[[S, K], bool], who: str, watched: bool) -> bool:
        """Return what a function says of the state that ``record`` holds."""
        before = self.layout.values() if watched else None
        call = partial(function, self.record, self.passed)
        with blaming(who, self._here):
            answer = call()
        if before is not None:
            refuse_writing(self.layout, before, who, call, answer)
        return truth(answer, who, function)

    def admits(self, state: State) -> bool:
        """Whether a stored state satisfies the constraint, if there is one."""
        if self.constraint is None:
            return True
        self.layout.load(state)
        return self.inside()

    def successors(self, state: State, watched: bool = True) -> Iterator[tuple[int, State]]:
        """Yield (index into ``instances``, successor) for every enabled step of `state`.

        While a successor is yielded, ``record`` holds it; the caller must not change the record.
        This is the only place where steps are taken; they are watched in debug mode, if `watched`.

        Raises
        ------
        ModelError
            If an action fails, returns neither True nor False, replaces or resizes a part of the
            state, or writes a value that no stored state can hold.  In debug mode also if an action
            writes a value out of its declared range, or writes anything before it returns "not
            enabled".
        """
        return self._steps(state, None, watched and self.debug)

    def _steps(
        self, state: State, some: Sequence[Tried] | None, watched: bool
    ) -> Iterator[tuple[int, State]]:
        """Yield the enabled ones of some steps of `state`, or of all."""
        record, constants = self.record, self.passed
        load, dump = self.layout.load, self.layout.dump
        attempt, index = self._attempt_watched if watched else None, 0
        load(state)
        # Each step is tried in this state.
        before = self.layout.values() if attempt else ()
        self.failed.clear()
        tried: Sequence[Tried] = self._tried
        if some is not None:
            tried = some
        elif self._narrowing.narrows:
            candidates = self._narrowing.candidates(record, constants)
            tried = [self._tried[index] for index in candidates]
        try:
            for index, apply, arguments in tried:
                try:
                    answer = (
                        attempt(index, state, before)
                        if attempt
                        else apply(record, constants, *arguments)
                    )
                except AssertionError as error:
                    if not (self.asserts and is_verdict(error)):
                        raise
                    self.failed.append((index, error))
                    self.layout.restore()
                    load(state)
                    continue
                if answer is False:
                    continue
                if answer is True or truth(answer, self.instances[index].step, apply):
                    yield index, dump()
                    load(state)
        except BaseException as error:
            if at_the_yield(error):
                raise
            try:
                if is_ours(error):
                    raise
                raise mistake(self.layout, state, self._attempts(tried, index), error) from error
            finally:
                # What failed may have replaced parts of the record, and some callers go on.
                self.layout.reset()

    def _attempt_watched(self, index: int, state: State, before: tuple[int, ...]) -> Any:
        """Take a step from `state`, which ``record`` holds, watching what the action does.

        Parameters
        ----------
        before
            What ``layout.values`` returns of that state.
        """
        layout = self.layout
        _, apply, arguments = self._tried[index]
        answer = apply(self.record, self.passed, *arguments)
        layout.adopt()
        self._watched += 1
        if self._watched <= _REPEATED or not self._watched % _REPEATED:
            again = partial(apply, self.record, self.passed, *arguments)
            refuse_nondeterminism(layout, state, self.instances[index].step, again, answer)
        disabled = answer is False
        if disabled and layout.values() == before:
            return False
        if layout.sound() and not disabled:
            return answer
        tried = self._tried[index : index + 1]
        raise wrote_too_early(layout, state, self._attempts(tried, index), before)

    def _attempts(self, tried: Sequence[Tried], last: int) -> list[Attempt]:
        """Return the steps that were tried, the latest first, so that each can be repeated."""

        def attempt(index: int, apply: Callable[..., Any], arguments: tuple[int, ...]) -> Attempt:
            values = (self.record, self.constants, *arguments)
            return self.instances[index].step, lambda: apply(*values)

        return [attempt(*entry) for entry in reversed(tried) if entry[0] <= last]

    def _here(self) -> object:
        """Return the state that ``record`` holds, for an error."""
        return self.layout.describe(self.layout.dump())

    def attempt(self, indices: Iterable[int], state: State) -> dict[int, State]:
        """Return the successors by some instances, by index; those not enabled are left out."""
        return self.attempting(indices)(state)

    def attempting(
        self, indices: Iterable[int], watched: bool = True
    ) -> Callable[[State], dict[int, State]]:
        """Return :meth:`attempt` for many states; it raises what :meth:`successors` raises."""
        chosen = sorted(indices)
        if len(chosen) == len(self._tried):
            # Those that the state does not choose are not enabled, and may be many.
            return lambda state: dict(self._steps(state, None, watched and self.debug))
        tried = [self._tried[index] for index in chosen]
        return lambda state: dict(self._steps(state, tried, watched and self.debug))

    def take(self, state: State, step: Step) -> State | None:
        """Return the state that `step` leads to, or None where it is not enabled.

        Raises
        ------
        ReplayError
            If this transition system has no such step at all.
        """
        index = self.number_of(step)
        return self.attempt([index], state).get(index)

    def number_of(self, step: Step) -> int:
        """Return the index into ``instances`` of the first that takes `step`.

        Raises
        ------
        ReplayError
            If there is none.
        """
        number = self._numbered.get(step)
        if number is None:
            raise ReplayError(f"{self.name} has no step {step} within these bounds")
        return number

    @cached_property
    def _numbered(self) -> dict[Step, int]:
        """For each step the index into ``instances`` of the first that takes it."""
        numbered: dict[Step, int] = {}
        for index, instance in enumerate(self.instances):
            numbered.setdefault(instance.step, index)
        return numbered

    def judge(self, properties: Iterable[Property]) -> Callable[[], list[Property]]:
        """Return a function that names those `properties` that ``record`` violates.

        Of the kind ``SOMETIMES`` it names those that ``record`` satisfies.  This is the only place
        where properties are evaluated.
        """
        record = self.record
        checks = [
            (prop, self._in_range if prop.kind is Kind.TYPE else prop.predicate)
            for prop in properties
            if prop.kind is Kind.TYPE or prop.kind.is_of_state
        ]

        def violated() -> list[Property]:
            before = self.layout.values() if self.debug else None
            constants = self.passed
            broken = []
            for prop, holds in checks:
                try:
                    answer = holds(record, constants)
                except BaseException as error:
                    if is_ours(error):
                        raise
                    raise failure(predicate_of(prop), error, self._here) from error
                if before is not None:
                    call = partial(holds, record, constants)
                    refuse_writing(self.layout, before, predicate_of(prop), call, answer)
                holding = answer is True or truth(answer, predicate_of(prop), holds)
                if holding is (prop.kind is Kind.SOMETIMES):
                    if prop.witness is not None:
                        who = f"the witness of property {prop.name}"
                        as_witness(prop.witness(record, constants), who, prop.witness)
                    broken.append(prop)
            return broken

        return violated

    def satisfies(self, prop: Property) -> bool:
        """Whether the state that ``record`` holds satisfies the predicate of `prop`."""
        return self._asked(prop.predicate, predicate_of(prop), self.repeats)

    def _in_range(self, record: S, constants: K) -> bool:
        """Whether ``record`` is well typed, in the form of a predicate."""
        return self.layout.in_range()

    def violates(self, prop: Property, state: State) -> bool:
        """Whether `state` violates `prop`, or satisfies it if its kind is ``SOMETIMES``."""
        self.layout.load(state)
        if prop.kind is Kind.DEADLOCK:  # Outside the constraint nothing need be enabled.
            stuck = self.inside() and next(self.successors(state), None) is None
            return stuck and not self.failed
        if prop.kind is Kind.ASSERTION:
            return bool(self.inside() and self.assertions(state))
        if prop.kind is Kind.STUCK:
            return self.inside() and not recovers(self, prop, state)
        return bool(self.judge([prop])())

    def assertions(self, state: State) -> dict[Step, Assertion]:
        """Return the steps whose assertions fail in `state`, each with the assertion."""
        before, self.asserts = self.asserts, True
        try:
            for _ in self.successors(state, watched=False):
                pass
        finally:
            self.asserts = before
        return {self.instances[index].step: assertion_of(error) for index, error in self.failed}

    def explain(self, prop: Property, state: State) -> str:
        """Say in words how `state` violates `prop`; see :class:`Telling`."""
        if prop.kind is not Kind.ASSERTION:
            return super().explain(prop, state)
        failing = next(iter(self.assertions(state).items()), None)
        return "" if failing is None else f"{failing[0]} fails {failing[1]}."

    def is_fair(self, action: Action) -> bool:
        """Whether an action is fair, by itself or together with others."""
        alone = action.fairness is not Fairness.NONE
        return alone or any(joint.includes(action) for joint in self.fairness)

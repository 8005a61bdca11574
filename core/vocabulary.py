"""The vocabulary of Tidegate: what an action, a step, a property and an answer are.

Words are TLA+'s.  A *transition system* has initial states and *actions*; an action with its
arguments is a *step*; steps chained from an initial state are a *behavior*, and a behavior that is
printed is a *trace*.  A *property* is what the checker decides.  Whoever needs one of these imports
it from ``spec``, which has the transition system.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from .layout import State
from .scene import Place


class Outcome(Enum):
    """What a search found out; ``INCOMPLETE`` is never to be read as ``HOLDS``."""

    HOLDS = "holds"
    VIOLATED = "violated"
    INCOMPLETE = "incomplete"


class Fairness(Enum):
    """Whether a step that stays enabled must be taken eventually (TLA+'s WF) or may never be."""

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
        """Names of the arguments: those of ``apply`` after the state and the constants."""
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


TYPE_OK = Property(
    name="TypeOk",
    kind=Kind.TYPE,
    statement="Every variable holds a value within its declared range.",
    source="Lamport, Specifying Systems, 3.1; TypeOk in hachikuji/kafka-specification",
    predicate=lambda s, k: True,
    explain=lambda s, k: "",
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

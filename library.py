"""The engine as a library: what ``tidegate check`` does, as a function that returns an object."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .analysis.loading import named
from .analysis.named import SelectionError, find_protocol
from .analysis.properties import Selection, select, system_for
from .analysis.recognising import known_bug
from .checker import check as engine
from .checker.engines import EngineChoiceError
from .checker.result import Limits, Resources, Result, Search, StateStore, Verdict
from .checker.stop import is_interrupt
from .core.followers import followers
from .core.options import made
from .core.spec import Outcome, Property, Step, TransitionSystem
from .model.custom.model import Model
from .model.protocol import Protocol


@dataclass(frozen=True)
class TraceStep:
    """A state of a trace, and the step that leads to it.

    Parameters
    ----------
    action
        Name of the action that was taken; empty for the initial state.
    arguments
        With which arguments, by name.
    state
        Every variable after it: records as dictionaries, arrays and sequences as lists, sets as
        sets.
    """

    action: str
    arguments: Mapping[str, int]
    state: Mapping[str, Any]

    def __str__(self) -> str:
        step = Step(self.action, tuple(self.arguments), tuple(self.arguments.values()))
        return str(step) if self.action else "initial state"


@dataclass(frozen=True)
class Checked:
    """What a check came to; ``str`` of it is what ``tidegate check`` prints.

    Attributes
    ----------
    holds
        Whether every property holds in every state within the bounds, or is reached if it must be;
        false where that is not known of one, whatever the reason: see :attr:`undecided`.
    complete
        Whether all states within the bounds were seen.
    distinct_states
        How many states were found.
    depth
        States on the longest of the shortest behaviors, the initial one included, as TLC counts.
    violated
        Names of the properties that are violated, the one whose trace is :attr:`trace` first.
    undecided
        For each property that was not decided the reason, by name: a limit, a violation that ended
        the search before, or an option with which it cannot be decided.
    trace
        The shortest behavior that violates a property; empty where none is, or where a limit or
        Ctrl-C ended the search for its steps.
    """

    holds: bool
    complete: bool
    distinct_states: int
    depth: int
    violated: tuple[str, ...]
    undecided: Mapping[str, str]
    trace: tuple[TraceStep, ...]
    _asked: _Asked = field(repr=False, compare=False)
    _result: Result = field(repr=False, compare=False)

    @property
    def declared_pure(self) -> tuple[str, ...]:
        """The functions declared pure that the model reaches: they were tried, not read.

        Each is a name with its file and line.
        """
        tried = self._result.tried
        return tuple(f"{one.function} ({one.place})" for one in tried.functions) if tried else ()

    @property
    def interpreted_because(self) -> tuple[str, ...]:
        """Why a search that was worth compiling went on in Python: function, line and reason.

        Empty if it was compiled, if it was too small for that, or if ``engine="interpreted"`` was
        requested.
        """
        return tuple(map(str, self._result.interpreted_because))

    @property
    def known_bug(self) -> str | None:
        """The known bug that :attr:`trace` shows, by its name for ``--repaired``; None for none."""
        known = known_bug(self._asked.protocol, self._asked.settings, self._result.first)
        return known.name if known else None

    @property
    def loop(self) -> int | None:
        """Of a lasso, the index into :attr:`trace` from which it repeats for ever; else None."""
        first = self._result.first
        return first.trace.loop if first is not None and first.trace is not None else None

    def trace_of(self, name: str) -> tuple[TraceStep, ...]:
        """Return the shortest behavior that violates or reaches a property; empty for none.

        A search stops after the level with the first violation, unless it was asked to keep going.
        """
        return _steps(
            self._asked.system,
            next((v for v in self._result.verdicts if v.property.name == name), None),
        )

    def __str__(self) -> str:
        from .render.printed import Console
        from .render.summary import print_result, print_unrequested

        text = io.StringIO()
        console = Console(file=text, width=100)
        print_result(console, self._asked.system, self._result, False, False)
        print_unrequested(console, self._asked.selection)
        return text.getvalue().rstrip()


def check(
    model: Model[Any, Any] | Protocol | str,
    bounds: Mapping[str, int | bool | str] | None = None,
    properties: Sequence[str | Property] = (),
    **options: Any,
) -> Checked:
    """Search every state of a model within bounds, and decide properties in each.

    Parameters
    ----------
    model
        A model, a protocol, or a name as on the command line: ``"kip-320"``, ``"fence.py"``.
    bounds
        By name; those that are not named have their defaults.
    properties
        Names, or custom properties; empty for the default: of a model all that it declares.
    options
        By name, those of ``tidegate check``: ``engine``, ``store``, ``symmetry``, ``keep_going``,
        ``debug``, ``max_states``, ``max_depth``, ``time_limit``, ``max_memory``, ``workers``.

    Raises
    ------
    TidegateError
        For a wrong name, bound, option or model; its text says what is wrong, and where.
    KeyboardInterrupt
        If Ctrl-C ended the search before it found a violation.

    Examples
    --------
    >>> import tidegate
    >>> tidegate.check("kip-101", {"records": 1, "crashes": 1}).holds
    True
    >>> lost = tidegate.check("hw", properties=["NoCommittedRecordLost"])
    >>> lost.violated, len(lost.trace) - 1, str(lost.trace[1])
    (('NoCommittedRecordLost',), 12, 'SendFetch(leader=0, follower=1)')
    """
    search, limits, resources = made((Search, Limits, Resources), options)
    if search.engine == "spark" or resources.checkpoint:
        raise SelectionError("spark and checkpoints are for the command line")
    asked = _Asked(_protocol(model), _settings(bounds or {}), properties)
    asked.system.debug = search.debug
    result = engine.check(
        asked.system,
        asked.selection.properties,
        named=asked.selection.named,
        limits=limits,
        keep_going=search.keep_going,
        symmetry=search.symmetry,
        resources=replace(
            resources,
            engine=search.engine,
            store=state_store(search.engine, search.store),
            watch=True,
            load=named(model, asked.settings, asked.selection.properties),
        ),
    )
    return _checked(asked, result)


def state_store(engine: str, store: str) -> StateStore:
    """Return how states are stored, by ``--store``; with Spark it may name a directory instead.

    Raises
    ------
    EngineChoiceError
        For a directory with another engine.
    """
    try:
        return StateStore(store)
    except ValueError:
        if engine == "spark":
            return StateStore.EXACT
        raise EngineChoiceError(
            f"--store {store}: is neither {' nor '.join(StateStore)}; a directory is for "
            "--engine spark"
        ) from None


class _Asked:
    """What is asked of which system."""

    def __init__(
        self, protocol: Protocol, settings: tuple[str, ...], properties: Sequence[str | Property]
    ) -> None:
        self.protocol, self.settings = protocol, settings
        self.selection = _selected(protocol, properties)
        self.system = system_for(protocol, settings, self.selection.properties)


def _selected(protocol: Protocol, properties: Sequence[str | Property]) -> Selection:
    """Return the properties to decide."""
    own = tuple(prop for prop in properties if isinstance(prop, Property))
    names = [prop for prop in properties if isinstance(prop, str)]
    selection = select(protocol, names or (["none"] if own else []))
    return replace(
        selection,
        properties=(*selection.properties, *own),
        named=selection.named.union(prop.name for prop in own),
    )


def _protocol(model: Model[Any, Any] | Protocol | str) -> Protocol:
    if isinstance(model, str):
        return find_protocol(model)
    if not isinstance(model, (Model, Protocol)):
        raise SelectionError(f"{model!r} is no Model, no Protocol and no name of one")
    return model.protocol if isinstance(model, Model) else model


def _settings(bounds: Mapping[str, int | bool | str]) -> tuple[str, ...]:
    """Return bounds as they are written on the command line."""
    return tuple(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in bounds.items()
    )


def _checked(asked: _Asked, result: Result) -> Checked:
    # A violation that was found is worth more than the interrupt.
    if is_interrupt(result.stopped_by) and result.outcome is not Outcome.VIOLATED:
        raise KeyboardInterrupt
    violated = [v.property.name for v in result.verdicts if v.outcome is Outcome.VIOLATED]
    first = result.first.property.name if result.first else ""
    checked = Checked(
        holds=result.outcome is Outcome.HOLDS,
        complete=result.complete,
        distinct_states=result.distinct_states,
        depth=result.depth,
        violated=tuple(sorted(violated, key=lambda name: name != first)),
        undecided=result.undecided,
        trace=_steps(asked.system, result.first),
        _asked=asked,
        _result=result,
    )
    for follow in followers:
        follow(checked)
    return checked


def _steps(system: TransitionSystem[Any, Any], verdict: Verdict | None) -> tuple[TraceStep, ...]:
    """Return the trace of a verdict, with its states as people see them."""
    if verdict is None or verdict.trace is None:
        return ()
    states = [system.layout.describe(state) for state in verdict.trace.states]
    steps = [
        TraceStep(step.action, dict(zip(step.parameters, step.arguments, strict=True)), state)
        for step, state in zip(verdict.trace.steps, states[1:], strict=True)
    ]
    return (TraceStep("", {}, states[0]), *steps)

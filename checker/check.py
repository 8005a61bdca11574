"""The one entry point: searches a transition system with an engine and reports the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from ..core.errors import about
from ..core.outside import Outside
from ..core.spec import (
    DisagreementError,
    EngineError,
    Kind,
    Outcome,
    Property,
    TidegateError,
    Trace,
    TransitionSystem,
)
from ..core.symmetry import Symmetry, refuse_unsound
from .counterexample import confirm, itself, least, shortest_traces
from .engines import Finished, finished_search
from .interrupts import alarm, reason, received
from .liveness.decide import lasso_of
from .liveness.lasso import confirm_lasso
from .recovery import stuck_states
from .remaining import states_left
from .request import SearchRequest
from .result import DEFAULT, NO_LIMITS, Grounds, Limits, Progress, Resources, Result, Verdict
from .stop import Stop, Stopped


class ResumeError(TidegateError):
    """A search cannot be resumed from a checkpoint or a store."""


def check(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    *,
    limits: Limits = NO_LIMITS,
    keep_going: bool = False,
    report: Callable[[Progress], None] = lambda progress: None,
    symmetry: bool = False,
    resources: Resources = DEFAULT,
) -> Result:
    """Decide `properties` in all states of `system` within its bounds.

    Parameters
    ----------
    limits
        When to stop; a search that is stopped, also by Ctrl-C, reports what it covered.
    keep_going
        Explore everything and find the first violation of every property; otherwise stop at the
        first, or when every state that must be reachable is reached.
    report
        Called now and then with the progress of the search.
    symmetry
        Explore one representative of each set of states that differ only by a permutation of
        replicas; refused unless the code shows that actions and properties treat replicas alike.
    resources
        The engine, and what it may use; they do not change the answer.

    Examples
    --------
    >>> from tidegate.core.spec import TYPE_OK
    >>> from tidegate.model import PROTOCOLS
    >>> hw = PROTOCOLS[0]
    >>> system = hw.system(hw.family.bounds(records=1, log_size=1, crashes=1))
    >>> check(system, [TYPE_OK]).outcome
    <Outcome.HOLDS: 'holds'>
    """
    request = SearchRequest(
        system, properties, keep_going=keep_going, limits=limits, resources=resources, report=report
    )
    grounds = None
    if symmetry:
        request, grounds = _symmetric(request)
    outside = Outside(_functions(system, properties) if resources.watch else ())
    search = finished_search(request)
    try:
        outside.refuse_writes()
        complete = _is_complete(request, search)
        if complete:
            _refuse_empty(request, search)
        lassos = _judge_graph(request, search) if complete else {}
        complete = complete and search.stopped_by is None
        return _result(request, search, lassos, complete, grounds)
    except EngineError as error:
        if not resources.resume or isinstance(error, DisagreementError):
            raise
        raise _unresumable(resources, error) from None
    finally:
        search.close()


def _functions(
    system: TransitionSystem[Any, Any], properties: Sequence[Property]
) -> list[Callable[..., Any]]:
    """Return the functions of the model that a search calls."""
    actions = [action.apply for action in system.actions]
    constraint = [system.constraint] if system.constraint else []
    premises = [prop.premise for prop in properties if prop.premise is not None]
    predicates = [prop.predicate for prop in properties]
    return [system.initialise, *actions, *constraint, *premises, *predicates]


def _unresumable(resources: Resources, error: EngineError) -> ResumeError:
    """Return the error for a checkpoint or a store that is not as a search wrote it."""
    place = resources.checkpoint or (resources.cluster and resources.cluster.store)
    return ResumeError(
        f"{place}: damaged, no search can have written this ({error}); begin the search anew"
    )


def _symmetric(request: SearchRequest) -> tuple[SearchRequest, Grounds]:
    """Return a search under symmetry, if there is any, and the grounds why it is sound."""
    # Searches without symmetry need not import the proof.
    from .symmetric.proof import show

    refuse_unsound(request.properties)
    group = Symmetry(request.system)
    grounds = show(request.system, group, request.properties)
    return replace(request, symmetry=group if len(group.group) > 1 else None), grounds


def _is_complete(request: SearchRequest, search: Finished) -> bool:
    """Whether a search that has ended has seen all states."""
    if search.stopped_by is None and received() is not None:
        # The model may have swallowed the interrupt, and with it a step.
        search.stopped_by = Stopped(Stop.INTERRUPT)
    return search.stopped_by is None and request.goes_on(search.violations)


def _refuse_empty(request: SearchRequest, search: Finished) -> None:
    """Refuse the result of a watched search without any state: every property would hold.

    Raises
    ------
    ModelError
        If the constraint excludes all initial states.
    """
    system = request.system
    watched = request.resources.watch
    if watched and system.constraint is not None and not search.distinct_states:
        raise about(
            system.constraint,
            f"no initial state of {system.name} satisfies its constraint; nothing is searched",
        )


def _result(
    request: SearchRequest,
    search: Finished,
    lassos: Mapping[str, Trace],
    complete: bool,
    grounds: Grounds | None,
) -> Result:
    """Return the report of a search that has ended."""
    verdicts, first = _verdicts(request, search, lassos, complete)
    if grounds and search.symmetry:
        grounds = replace(grounds, sampled_states=search.symmetry.sampled)
    return Result(
        outcome=_overall(verdicts, complete),
        complete=complete,
        distinct_states=search.distinct_states,
        generated_states=sum(search.taken),
        depth=len(search.level_sizes),
        seconds=perf_counter() - request.started,
        engine=search.name,
        taken=_taken(request.system, search.taken),
        verdicts=verdicts,
        first=first,
        stopped_by=search.stopped_by,
        exact=search.exact,
        collision_probability=search.collision_probability,
        permutations=len(search.symmetry.group) if search.symmetry else 1,
        grounds=grounds,
        spark_levels=getattr(search, "spark_levels", None),
        states_left=_left(search),
    )


def _left(search: Finished) -> int | None:
    """Return about how many states a stopped search has not found; None if unknown."""
    if search.stopped_by is None:
        return None
    # The last level may lack states, unless the limit is its number.
    complete_level = search.stopped_by.by is Stop.MAX_DEPTH
    sizes = search.level_sizes if complete_level else search.level_sizes[:-1]
    left = states_left(sizes)
    return None if left is None else max(sum(sizes) + left - search.distinct_states, 0)


def _judge_graph(request: SearchRequest, search: Finished) -> dict[str, Trace]:
    """Decide the properties that need all states, with the steps between them.

    Returns
    -------
    dict
        For each violated liveness property its lasso.
    """
    system = request.system
    stuck = [prop for prop in request.properties if prop.kind is Kind.STUCK]
    live = [prop for prop in request.properties if prop.kind.is_liveness]
    lassos: dict[str, Trace] = {}
    try:
        with alarm(request.limits.seconds, request.started, at_once=True):
            levels = search.states() if stuck else []
            for prop in stuck:
                if violated := stuck_states(system, prop, levels):
                    search.violations[prop.name] = violated
            if live:
                for name, witness in search.witnesses(live).items():
                    lassos[name] = lasso_of(system, witness, search.least_parents)
    except KeyboardInterrupt as error:
        search.stopped_by = reason(error, perf_counter() - request.started)
    return lassos


def _verdicts(
    request: SearchRequest, search: Finished, lassos: Mapping[str, Trace], complete: bool
) -> tuple[list[Verdict], Verdict | None]:
    """Return the verdict on every property, and the one that is reported first."""
    system, properties = request.system, request.properties
    ends = {
        name: (level, least(system, states)) for name, (level, states) in search.violations.items()
    }
    if search.symmetry:
        for _, state in ends.values():
            search.symmetry.verify(state, properties)
    traces = shortest_traces(
        system,
        search.least_parents,
        ends.values(),
        search.symmetry.canonical if search.symmetry else itself,
    )
    otherwise = Outcome.HOLDS if complete else Outcome.INCOMPLETE
    verdicts = []
    for prop in properties:
        if prop.name in lassos:
            confirm_lasso(system, prop, lassos[prop.name])
            verdicts.append(Verdict(prop, Outcome.VIOLATED, lassos[prop.name]))
        elif prop.name in ends:
            trace = traces[ends[prop.name][1]]
            confirm(system, prop, trace)
            reached = prop.kind is Kind.SOMETIMES
            verdicts.append(Verdict(prop, Outcome.HOLDS if reached else Outcome.VIOLATED, trace))
        elif prop.kind is Kind.SOMETIMES and complete:
            verdicts.append(Verdict(prop, Outcome.VIOLATED))
        else:
            verdicts.append(Verdict(prop, otherwise))

    for name, lasso in lassos.items():
        ends[name] = len(lasso.steps), lasso.states[-1]

    def order(verdict: Verdict) -> tuple[int, int]:
        level, state = ends[verdict.property.name]
        return level, system.layout.fingerprint(state)

    violated = [
        verdict
        for verdict in verdicts
        if verdict.outcome is Outcome.VIOLATED and verdict.trace is not None
    ]
    return verdicts, min(violated, key=order, default=None)


def _overall(verdicts: Sequence[Verdict], complete: bool) -> Outcome:
    """Return the outcome of a search from its verdicts."""
    if any(verdict.outcome is Outcome.VIOLATED for verdict in verdicts):
        return Outcome.VIOLATED
    # If all requested properties hold already, the other states decide nothing.
    decided = bool(verdicts) and all(verdict.outcome is Outcome.HOLDS for verdict in verdicts)
    return Outcome.HOLDS if complete or decided else Outcome.INCOMPLETE


def _taken(system: TransitionSystem[Any, Any], counts: Sequence[int]) -> dict[str, int]:
    """Return how often each action was taken, whatever its arguments."""
    taken = dict.fromkeys((action.name for action in system.actions), 0)
    for instance, count in zip(system.instances, counts, strict=True):
        taken[instance.action.name] += count
    return taken

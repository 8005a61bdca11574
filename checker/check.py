"""The one entry point: searches a transition system with an engine and reports the result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..core.asked import AskedRules
from ..core.errors import ImpureError, about
from ..core.interrupts import Alarm, Stop, Stopped, reason, received
from ..core.purity import Outside
from ..core.result import (
    DEFAULT,
    NO_LIMITS,
    Grounds,
    Limits,
    Progress,
    Resources,
    Result,
    Tried,
    Verdict,
    undecidable,
)
from ..core.spec import (
    DisagreementError,
    EngineError,
    Kind,
    Outcome,
    Property,
    TidegateError,
    TransitionSystem,
)
from ..core.symmetry import Symmetry, refuse_unsound
from .broken_assumptions import settle
from .engines import finished_search
from .families import decided_one_by_one, together
from .liveness.lasso import Decided
from .request import SearchRequest
from .search import LevelSearch
from .verdicts import Judged, overall, verdicts_of

if TYPE_CHECKING:
    from .purity_check import Trial


class ResumeError(TidegateError):
    """A search cannot be resumed from a checkpoint or a store."""


def check(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    *,
    named: Collection[str] | None = None,
    limits: Limits = NO_LIMITS,
    keep_going: bool = False,
    report: Callable[[Progress], None] = lambda progress: None,
    symmetry: bool = False,
    resources: Resources = DEFAULT,
) -> Result:
    """Decide `properties` in all states of `system` within its bounds.

    Parameters
    ----------
    named
        Names of the properties that the search is refused for if the engine or an option cannot
        decide them; others are then left undecided, with the reason.  None for all.
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
    >>> system = hw.system(hw.model.bounds(records=1, log_size=1, crashes=1))
    >>> check(system, [TYPE_OK]).outcome
    <Outcome.HOLDS: 'holds'>
    """
    system.asked = AskedRules(system.constants, names) if (names := system.changed_rules) else None
    undecided = undecidable(system, properties, named, resources, symmetry)
    decidable = [prop for prop in properties if prop.name not in undecided]
    system.asserts = system.asserts or any(one.kind is Kind.ASSERTION for one in properties)
    searched = [*decided_one_by_one(system, decidable), *system.assumptions]
    if system.unproven:
        from .before_search import compare_runs

        compare_runs(system, resources.load)
    request = SearchRequest(
        system, searched, keep_going=keep_going, limits=limits, resources=resources, report=report
    )
    result = _searched(replace(request, trial=_trial(request)), symmetry)
    if system.assumptions:
        settle(result, system)
    together(system, result, decidable)
    if undecided:
        _leave_undecided(result, properties, undecided)
    _note_lacks(system, result)
    return result


def _note_lacks(system: TransitionSystem[Any, Any], result: Result) -> None:
    """Note in each verdict which actions the property needs and the system lacks."""
    lacking = set(result.never_taken) if result.complete else set()
    having = {action.name for action in system.actions} - lacking
    for number, verdict in enumerate(result.verdicts):
        if lacks := tuple(one for one in verdict.property.needs if one not in having):
            replaced = replace(verdict, lacks=lacks)
            result.first = replaced if result.first is verdict else result.first
            result.verdicts[number] = replaced


_LOOKED_AT = 400
"""States all over the levels in which Python takes all steps to see which rules they ask."""


def _never_asked(request: SearchRequest, search: LevelSearch) -> tuple[str, ...] | None:
    """Return the changed rules that nothing asked in a search; None where some may be asked.

    Machine code notes nothing.  But of each way of each branch some states are compared with Python
    (``compiled/emitter.py``), which calls the rules that they ask; what lies behind no branch is
    asked in every state.  A property that needs the graph is not compared in that way, and nobody
    knows what a resumed search has asked before.
    """
    system, rules = request.system, request.system.asked
    if rules is None or not rules.never:
        return ()
    if search.stopped_by is not None or request.resources.resume:
        return None
    if search.name == "interpreted":
        return rules.never
    if any(prop.kind.needs_graph for prop in request.properties):
        return None
    judge = system.judge(request.properties)
    for state in [*system.initial_states(), *search.some(_LOOKED_AT)]:
        system.layout.load(state)
        judge()
        if system.inside():
            for _ in system.successors(state):
                pass
    return rules.never


def _searched(request: SearchRequest, symmetry: bool) -> Result:
    """Search, and report the result."""
    grounds, resources = None, request.resources
    if symmetry:
        request, grounds = _symmetric(request)
    watched = _functions(request.system, request.properties) if resources.watch else ()
    outside = Outside(watched)
    try:
        search = finished_search(request)
        try:
            outside.refuse_writes()
            tried = _tried(request, search)
            if complete := _is_complete(request, search):
                _refuse_empty(request, search)
            judged = _judge_graph(request, search) if complete else Judged()
            never_asked = _never_asked(request, search)
            result = _result(request, search, judged, complete, grounds, tried)
            result.never_asked = never_asked
            return result
        finally:
            search.close()
    except (EngineError, ImpureError) as error:
        _explain(request, error)
        raise


def _trial(request: SearchRequest) -> Trial | None:
    """Return the trial of the functions declared pure that a watched model reaches, if any."""
    system, resources = request.system, request.resources
    if not system.declared_pure or not (resources.watch or system.debug):
        return None
    from .purity_check import Trial
    from .reevaluation import is_serving

    if is_serving():
        return None
    # What the code assumes has no name by which another process finds it.
    named = [prop for prop in request.properties if prop not in system.assumptions]
    system.repeats = True
    return Trial(system, named, resources.load)


def _tried(request: SearchRequest, search: LevelSearch) -> Tried | None:
    """End the trial of functions declared pure, if the model reaches any.

    A search that was stopped claims too little to be worth the seconds.
    """
    if request.trial is None:
        return None
    stopped = search.stopped_by
    if stopped is not None and stopped.by not in (Stop.MAX_STATES, Stop.MAX_DEPTH):
        return Tried(request.trial.declared, not_elsewhere="the search was stopped")
    seconds = perf_counter() - request.started
    doing = "evaluating states again, for functions that are declared pure"
    request.report(Progress(search.distinct_states, search.depth, 0, seconds, doing=doing))
    try:
        return request.trial.end(search.some)
    except KeyboardInterrupt as error:
        search.stopped_by = reason(error)
        return Tried(request.trial.declared, not_elsewhere="the search was stopped")


def _functions(
    system: TransitionSystem[Any, Any], properties: Sequence[Property]
) -> list[Callable[..., Any]]:
    """Return the functions of the model that a search calls."""
    actions = [action.apply for action in system.actions]
    constraint = [system.constraint] if system.constraint else []
    premises = [prop.premise for prop in properties if prop.premise is not None]
    predicates = [prop.predicate for prop in properties]
    return [system.initialise, *actions, *constraint, *premises, *predicates]


def _explain(request: SearchRequest, error: EngineError | ImpureError) -> None:
    """Raise another error if something else than the engine is at fault.

    Raises
    ------
    ModelError
        If the model reaches functions that are declared pure: one of them is not.
    ResumeError
        If a checkpoint or a store is not as a search wrote it.
    """
    resources = request.resources
    if request.trial:
        raise request.trial.doubted(error) from error
    if resources.resume and not isinstance(error, (DisagreementError, ImpureError)):
        place = resources.checkpoint or (resources.cluster and resources.cluster.store)
        raise ResumeError(
            f"{place}: damaged, no search can have written this ({error}); begin the search anew"
        ) from None


def _symmetric(request: SearchRequest) -> tuple[SearchRequest, Grounds]:
    """Return a search under symmetry, if there is any, and the grounds why it is sound."""
    # Searches without symmetry need not import the proof.
    from ..symmetry.proof import show

    refuse_unsound(request.properties)
    group = Symmetry(request.system)
    grounds = show(request.system, group, request.properties)
    group.promised = [f"{one.function} ({one.place})" for one in grounds.declared]
    return replace(request, symmetry=group if len(group.group) > 1 else None), grounds


def _is_complete(request: SearchRequest, search: LevelSearch) -> bool:
    """Whether a search that has ended has seen all states."""
    if search.stopped_by is None and received() is not None:
        # The model may have swallowed the interrupt, and with it a step.
        search.stopped_by = Stopped(Stop.INTERRUPT)
    return search.stopped_by is None and request.goes_on(search.violations)


def _refuse_empty(request: SearchRequest, search: LevelSearch) -> None:
    """Refuse the result of a watched search without any state and any violation: all would hold.

    Raises
    ------
    ModelError
        If the constraint excludes all initial states.
    """
    system = request.system
    watched = request.resources.watch
    is_empty = not search.distinct_states and not search.violations
    if watched and system.constraint is not None and is_empty:
        raise about(
            system.constraint,
            f"no initial state of {system.name} satisfies its constraint; nothing is searched",
        )


def _result(
    request: SearchRequest,
    search: LevelSearch,
    judged: Judged,
    complete: bool,
    grounds: Grounds | None,
    tried: Tried | None,
) -> Result:
    """Return the report of a search that has ended."""
    verdicts, first = verdicts_of(request, search, judged, complete)
    if grounds and search.symmetry:
        grounds = replace(grounds, sampled_states=search.symmetry.sampled)
    return Result(
        outcome=overall(verdicts, complete),
        complete=complete,
        distinct_states=search.distinct_states,
        generated_states=sum(search.taken),
        depth=search.depth,
        levels=[level.found() for level in search.manifest.levels],
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
        tried=tried,
        spark_levels=search.spark_levels,
        interpreted_because=search.because,
        within_constraint=request.system.within_constraint,
    )


def _leave_undecided(
    result: Result, properties: Sequence[Property], undecided: dict[str, str]
) -> None:
    """Add the verdicts on the properties that a search left out, each with the reason."""
    known = {verdict.property.name: verdict for verdict in result.verdicts}
    result.verdicts = [
        Verdict(prop, Outcome.INCOMPLETE, reason=undecided[prop.name])
        if prop.name in undecided
        else known[prop.name]
        for prop in properties
    ]
    result.outcome = overall(result.verdicts, result.complete)


def _judge_graph(request: SearchRequest, search: LevelSearch) -> Judged:
    """Decide the properties that need all states; decisions before a limit count."""
    stuck = [prop for prop in request.properties if prop.kind is Kind.STUCK]
    live = [prop for prop in request.properties if prop.kind.is_liveness]
    judged = Judged()
    if stuck or live:
        # Its BLAS interrupts this process, or never returns, if it is loaded near the limit.
        import_module(".liveness.arrays", __package__)
    try:
        with Alarm(request.limits.seconds, request.started, at_once=True):
            if stuck:
                from .graph import state_graph
                from .stuck import stuck_states

                with request.memory.kept():
                    graph = state_graph(request.system)
                    for prop in stuck:
                        if violated := stuck_states(graph, prop):
                            search.violations[prop.name] = violated
                        judged.decided.add(prop.name)
            for answer in search.decided(live) if live else ():
                _note(answer, judged)
    except (KeyboardInterrupt, MemoryError) as error:
        search.stopped_by = reason(error, perf_counter() - request.started)
    return judged


def _note(answer: Decided, judged: Judged) -> None:
    """Note the decision on a liveness property."""
    name = answer.property.name
    if answer.witness is not None:
        judged.witnesses[name] = answer.witness
    if answer.vacuous:
        judged.vacuous.add(name)
    judged.decided.add(name)


def _taken(system: TransitionSystem[Any, Any], counts: Sequence[int]) -> dict[str, int]:
    """Return how often each action was taken, whatever its arguments."""
    taken = dict.fromkeys((action.name for action in system.actions), 0)
    for instance, count in zip(system.instances, counts, strict=True):
        taken[instance.action.name] += count
    return taken

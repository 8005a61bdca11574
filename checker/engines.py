"""The choice of the engine that searches."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from time import perf_counter

from ..core.errors import Reason
from ..core.interrupts import Alarm, reason
from ..core.result import Progress
from ..core.spec import TidegateError
from ..language.lowering.frame import LoweringError
from .compiled.choices import MOST_INSTANCES, pieces
from .earlier import EarlierSearch
from .interpreted import Pause, Search
from .liveness.decide import refuse_undecidable
from .llvm import unloaded
from .refusals import note_python_alone
from .request import SearchRequest
from .search import LevelSearch

SMALL = 20_000
"""States up to which ``auto`` leaves a model to the interpreted engine: compiling takes longer."""

SMALL_WATCHED = 4_000
"""The same if every action is watched, which takes several times as long."""

INTERPRETED_SECONDS = 0.005
"""Seconds that ``auto`` interprets, for each instance of an action, before it compiles.

Compiling an instance takes up to twice as long.  So ``auto`` takes at most three times the time of
the better engine, however many instances there are, and of a long search it loses little.
"""

LONG_SECONDS = 1.0
"""CPU seconds after which ``auto`` compiles, however few states: so long does compiling take."""

REST_SECONDS = 0.1
"""CPU seconds that the rest of a level must take for ``auto`` to leave it: machine code begins with
the first level anyway, and only what Python has found is compared."""

LEVEL_SECONDS = 0.0002
"""Seconds that a level must take interpreted, on average, to be worth a call of machine code."""

MISTAKES = Pause(1_000, 0.0, 0.0, 0.25, 0.0)
"""How far Python searches for a mistake of a model that cannot be translated and has to be."""

MISTAKE_SECONDS = 2.0
"""The same in seconds by the clock: an action of the model may not return."""

REPORTED_AFTER = 2.0
"""Seconds after which a progress report says that the search is compiling."""


class EngineChoiceError(TidegateError):
    """The requested engine cannot do the requested search."""


def finished_search(request: SearchRequest) -> LevelSearch:
    """Search with the requested engine, and return the search when it has ended.

    Raises
    ------
    EngineChoiceError
        If that engine cannot do it.
    """
    system, resources = request.system, request.resources
    _refuse(request)
    if resources.engine == "spark":
        return _distributed(request)
    search = Search(request)
    alone = resources.engine == "interpreted" or system.debug
    at_once = resources.engine == "compiled" or resources.checkpoint is not None
    small = SMALL_WATCHED if resources.watch else SMALL
    system.debug = system.debug or resources.watch
    if alone:
        _interpreted(search)
        return search
    earlier = None if at_once else EarlierSearch(request)
    seconds = pieces(request.system.instances) * INTERPRETED_SECONDS
    worth_it = Pause(small, seconds, LEVEL_SECONDS, LONG_SECONDS, REST_SECONDS, LONG_SECONDS)
    if earlier is not None and not earlier.was_long and _interpreted(search, worth_it):
        return search
    try:
        compiled = _compiled(request, search)
    except (KeyboardInterrupt, MemoryError) as error:
        # Nothing is compiled yet: the search covered as much as the interpreter did.
        search.stopped_by = reason(error).noting(" while its actions were compiled")
        return search
    if isinstance(compiled, tuple):
        search.because = compiled
        _interpreted(search)
        return search
    if earlier is not None:
        earlier.note_long()
    return compiled


def _interpreted(search: Search, pause: Pause | None = None) -> bool:
    """Search, or continue, with the interpreted engine; return whether the search ended."""
    with Alarm(search.request.limits.seconds, search.request.started) as search.alarm:
        return search.run(pause)


def _ticking(request: SearchRequest, interpreted: Search | None = None) -> SearchRequest:
    """Return a request that reports progress while its actions are compiled.

    Parameters
    ----------
    interpreted
        The interpreted search that was paused, if any.
    """
    began = perf_counter()
    doing = f"compiling {len(request.system.instances):,} instances of actions"

    def tick() -> None:
        now = perf_counter()
        if now - began >= REPORTED_AFTER:
            states = interpreted.distinct_states if interpreted else 0
            depth = len(interpreted.levels) if interpreted else 0
            request.report(Progress(states, depth, 0, now - request.started, doing=doing))

    return replace(request, tick=tick)


def _compiled(request: SearchRequest, interpreted: Search) -> LevelSearch | tuple[Reason, ...]:
    """Search with the compiled engine; return why, if the interpreted engine has to continue.

    Parameters
    ----------
    interpreted
        The interpreted search so far, whose levels are found again and compared.
    """
    resources = request.resources
    must = resources.engine == "compiled" or resources.checkpoint is not None
    option = "--engine compiled" if resources.engine == "compiled" else "--checkpoint"
    if why := _too_many(request):
        if must:
            raise EngineChoiceError(f"{option}: {why}, or use --engine interpreted")
        return (Reason(why),)
    if find_spec("llvmlite") is None:
        why = "llvmlite, which is not installed; install it"
        if must:
            raise EngineChoiceError(f"{option} needs {why}, or use --engine interpreted")
        return (Reason(f"compiling needs {why}"),)
    if why := unloaded():
        if must:
            raise EngineChoiceError(f"{option}: {why}; or use --engine interpreted")
        return (Reason(why),)
    from .compiled.memory import MemoryLimitError
    from .compiled.search import CompiledSearch, UnfitError
    from .compiled.unfit import why_unfit

    try:
        with Alarm(request.limits.seconds, request.started, at_once=True):
            note_python_alone(request.system, request.properties)
            if alone := tuple(request.system.by_python_alone):
                if must:
                    raise _untranslated(option, request, alone)
                return alone
            begun = None if resources.resume else interpreted
            search = CompiledSearch(_ticking(request, interpreted), begun)
    except LoweringError as error:
        if must:
            raise _untranslated(option, request, (_reason(error),)) from None
        return (_reason(error),)
    except (MemoryError, MemoryLimitError) as error:
        options = resources.memory is not None or not request.exact
        if must or (options and isinstance(error, MemoryLimitError)):
            raise
        return (Reason(str(error) or "there is too little memory to compile it (ulimit -v)"),)
    try:
        search.run()
    except UnfitError:
        unfit = why_unfit(search)
        notice = f"{unfit}; the interpreted engine continues"
        seconds = perf_counter() - request.started
        progress = Progress(search.distinct_states, search.depth, 0, seconds, notice=notice)
        request.report(progress)
        search.close()
        return (unfit,)
    except BaseException:
        search.close()
        raise
    return search


def _distributed(request: SearchRequest) -> LevelSearch:
    """Search with Spark.

    Raises
    ------
    EngineChoiceError
        If a package is missing, or the model is not in the subset that can be compiled.
    """
    for package in ("llvmlite", "pyarrow", "pyspark"):
        if find_spec(package) is None:
            raise EngineChoiceError(
                f"--engine spark needs {package}, which is not installed; "
                "pip install pyspark pyarrow (pipx inject tidegate pyspark pyarrow)"
            )
    if why := _too_many(request):
        raise EngineChoiceError(f"--engine spark: {why}, or use --engine interpreted")
    from .distributed.java import require_java
    from .distributed.kernel import KernelError
    from .distributed.search import SparkSearch

    require_java()
    note_python_alone(request.system, request.properties)
    if alone := tuple(request.system.by_python_alone):
        raise _untranslated("--engine spark", request, alone)
    try:
        search = SparkSearch(_ticking(request))
    except LoweringError as error:
        raise _untranslated("--engine spark", request, (_reason(error),)) from None
    try:
        search.run()
    except KernelError:
        search.close()
        raise EngineChoiceError(
            f"--engine spark: a step of {request.system.name} goes beyond an array, a range or 64 "
            "bits, divides by a variable that is not positive, or loops for long; --engine "
            "interpreted says which, or searches it"
        ) from None
    except BaseException:
        search.close()
        raise
    return search


def _too_many(request: SearchRequest) -> str:
    """Return that there are too many instances to compile; empty if there are not."""
    instances = pieces(request.system.instances)
    if instances <= MOST_INSTANCES:
        return ""
    return (
        f"{request.system.name} has {instances:,} instances of actions, and to compile more than "
        f"{MOST_INSTANCES:,} takes too long; choose smaller bounds"
    )


def _reason(error: LoweringError) -> Reason:
    """Return why a model has no machine code that is in the language."""
    if error.place is None:
        return Reason(str(error))
    return Reason(Exception.__str__(error).removesuffix(","), error.function, error.place)


def _untranslated(
    option: str, request: SearchRequest, reasons: tuple[Reason, ...]
) -> EngineChoiceError:
    """Return the refusal of a model that cannot be translated.

    Raises
    ------
    ModelError
        If the model is wrong, which Python says better.
    """
    _refuse_mistakes(request)
    repair = "write that in plain steps on whole numbers, or use --engine interpreted"
    head = f"{option}: cannot translate {request.system.name}"
    if len(reasons) == 1:
        return EngineChoiceError(f"{head}: {reasons[0]}; {repair}")
    refusal = EngineChoiceError(f"{head}, for {len(reasons)} reasons; {repair}")
    refusal.details = tuple(map(str, reasons))
    return refusal


def _refuse_mistakes(request: SearchRequest) -> None:
    """Search a little with the interpreted engine, for a mistake of the model.

    Raises
    ------
    ModelError
        If it makes one.
    """
    request.system.debug = request.system.debug or request.resources.watch
    search = Search(replace(request, trial=None, report=lambda progress: None))
    with Alarm(MISTAKE_SECONDS, perf_counter()) as search.alarm:
        search.run(MISTAKES)


def _refuse(request: SearchRequest) -> None:
    """Refuse a request that the engine cannot do."""
    system, resources = request.system, request.resources
    refuse_undecidable(system, request.properties)
    if resources.engine == "spark":
        _refuse_with_spark(request)
        return
    if system.debug and resources.engine == "compiled":
        raise EngineChoiceError(
            "--debug watches every action, which only the interpreted engine can do; leave out "
            "--engine compiled"
        )
    if resources.checkpoint is not None and (resources.engine == "interpreted" or system.debug):
        which = "--debug" if system.debug else "--engine interpreted"
        raise EngineChoiceError(f"{which} keeps no checkpoints; leave out --checkpoint")
    if not request.exact:
        if resources.engine == "interpreted":
            raise EngineChoiceError(
                "--engine interpreted stores states exactly; leave out --store fingerprint"
            )
        for prop in request.properties:
            if prop.kind.needs_graph:
                raise EngineChoiceError(
                    f"-p {prop.name} needs all states, and --store fingerprint does not keep them; "
                    "use --store exact"
                )


def _refuse_with_spark(request: SearchRequest) -> None:
    """Refuse what the distributed engine cannot do, or takes by another option."""
    resources = request.resources
    refused = {
        "--debug": (request.system.debug, "which only the interpreted engine can do"),
        "--checkpoint": (resources.checkpoint, "since its store is one; name that by --store"),
        "--store fingerprint": (not request.exact, "since it stores states exactly"),
        "--workers": (resources.workers, "which are Spark's; use --master 'local[N]', or --conf"),
        "--max-memory": (resources.memory, "which is Spark's; use --conf spark.executor.memory=4g"),
    }
    for option, (value, why) in refused.items():
        if value:
            raise EngineChoiceError(f"--engine spark takes no {option}, {why}; leave it out")

"""The result of a search in a few lines, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..checker.broken_assumptions import assuming, broken_by
from ..core.behavior import Behavior
from ..core.interrupts import Stop
from ..core.presentation import Undrawn
from ..core.result import FASTER, Result, Verdict
from ..core.spec import Kind, Outcome, TransitionSystem
from ..library.bug_matching import Recognised
from ..library.properties import Selection
from .console import Console, Text
from .grounds import declared_pure, in_vain, relied_on
from .text import length, print_prose, print_trace, violated_after


def print_result(
    console: Console, system: TransitionSystem[Any, Any], result: Result, full: bool, every: bool
) -> None:
    """Print the counterexample (with `every`: that of each violated property), then the verdict.

    The shortest one comes first.  Where nothing is violated, the behaviors are printed that reach
    what must be reached.
    """
    shown = [v for v in result.verdicts if v.trace is not None]
    violated = [v for v in shown if v.outcome is Outcome.VIOLATED]
    if violated and not every:
        violated = [result.first] if result.first else []
    for verdict in sorted(violated or shown, key=_steps):
        assert verdict.trace is not None
        name, trace = verdict.property.name, verdict.trace
        which = "the shortest behavior" if trace.loop is None else "a behavior"
        does = "reaches" if verdict.outcome is Outcome.HOLDS else "violates"
        long = length(len(trace.steps), trace.loop)
        console.print(Text(f"{system.name}: {which} that {does} {name}, {long}", "bold"))
        print_trace(console, Behavior(system, trace, verdict.property), full)
    if not any(_is_shown_by(verdict, result) for verdict in violated or shown):
        print_broken(console, system, result, full)
    print_verdict(console, system, result)
    print_prose(console, Text(covered(result)))
    _print_reasons(console, result)
    if result.stopped_by is not None:
        print_prose(console, Text(what_to_try(result, system)))
    if result.never_taken and result.complete:
        names = ", ".join(result.never_taken)
        print_prose(console, Text(f"Never enabled within these bounds: {names}."))
    for text in in_vain(system.name, result):
        print_prose(console, Text(text))


def _is_shown_by(verdict: Verdict, result: Result) -> bool:
    """Whether the trace of a verdict also shows how an assumption is broken."""
    broken = result.broken_assumption
    return broken is not None and verdict.trace == broken.trace


def print_broken(
    console: Console, system: TransitionSystem[Any, Any], result: Result, full: bool
) -> None:
    """Print the behavior that breaks an assumption, if one does."""
    broken = result.broken_assumption
    if broken is None or broken.trace is None:
        return
    long = length(len(broken.trace.steps), None)
    title = f"{system.name}: a behavior that breaks what {assuming(broken)} assumes, {long}"
    console.print(Text(title, "bold"))
    print_trace(console, Behavior(system, broken.trace), full)


def print_failing(console: Console, behavior: Behavior, full: bool) -> None:
    """Print a behavior with whose next step, or in whose next state, the model fails.

    Nothing is printed if the view fails, too: the error says why, and all variables would hide it.
    """
    if behavior.system.view is not None and isinstance(behavior.scenes[0], Undrawn):
        return
    long = length(len(behavior.trace.steps), None)
    console.print(Text(f"{behavior.system.name}: a shortest behavior to a failure, {long}", "bold"))
    print_trace(console, behavior, full)


def _steps(verdict: Verdict) -> int:
    """Return how long a trace is."""
    return len(verdict.trace.steps) if verdict.trace else 0


def print_unrequested(console: Console, selection: Selection) -> None:
    """Print how many properties of one of Kafka's protocols were left out by default."""
    if selection.listing and selection.others:
        number = len(selection.others)
        others = f"{number} other {'property' if number == 1 else 'properties'}"
        text = f"Not requested: {others}. To list them: {selection.listing}"
        print_prose(console, Text(text))


def print_known(console: Console, known: Recognised) -> None:
    """Print which known bug the violation is or needs, and what holds with its repair."""
    name, without = known.match.known.name, known.without
    said = _is_or_needs(known)
    if without is not None:
        said += f" With its repair (--repaired {name}) the same search {_without(without)}."
    print_prose(console, Text(said))


def _is_or_needs(known: Recognised) -> str:
    """Say which known bug a violation is, or which one's older rule its trace needs."""
    match, prop = known.match, known.property.name
    title = match.known.title
    if match.is_the_bug:
        return f"This is a known bug of Kafka: {title}."
    if match.why:
        return (
            f"The trace needs the older rule of {title}. Not decided: whether that rule by itself "
            f"violates {prop} within these bounds ({match.why})."
        )
    return (
        f"The trace needs the older rule of {title} as well: by itself that rule does not violate "
        f"{prop} within these bounds."
    )


def _without(result: Result) -> str:
    violated = [_with_steps(v) for v in result.verdicts if v.outcome is Outcome.VIOLATED]
    if violated:
        return f"says: {', '.join(violated)}"
    if result.outcome is Outcome.HOLDS:
        return "holds"
    return f"was not finished in {result.seconds:.0f} s"


def print_verdict(console: Console, system: TransitionSystem[Any, Any], result: Result) -> None:
    """Print the verdict line."""
    style = {"holds": "bold green", "violated": "bold red", "incomplete": "bold yellow"}
    line = Text.assemble((result.outcome.value.upper(), style[result.outcome.value]), " ")
    line.append(f"{system.heading}: {_what(result)}")
    if result.grounds is not None:
        line.append(f" --symmetry: {relied_on(result)}.")
    if result.tried is not None:
        said = declared_pure(result)
        line.append(f" {said[0].upper()}{said[1:]}.")
    print_prose(console, line)


def _print_reasons(console: Console, result: Result) -> None:
    """Print why a search, or liveness alone, was left to Python, if compiling was worth it."""
    reasons = result.interpreted_because
    if not reasons:
        return
    if result.engine != "interpreted":
        said = str(reasons[0])
        print_prose(console, Text(f"{said[0].upper()}{said[1:]}. Compiled code is {FASTER}."))
        return
    head = f"Searched in Python; compiled code, once made, is {FASTER}."
    if len(reasons) == 1 and reasons[0].place is None:
        print_prose(console, Text(f"{head} It was not used: {reasons[0]}."))
        return
    print_prose(console, Text(f"{head} This cannot be compiled:"))
    for reason in reasons:
        print_prose(console, Text(f"- {reason}"))


def _what(result: Result) -> str:
    """Return the verdict in words."""
    broken = (v for v in result.verdicts if v.outcome is Outcome.VIOLATED)
    violated = [_with_steps(v) for v in sorted(broken, key=_steps)]
    stopped_early = result.stopped_by is not None and not result.complete
    if violated:
        what = ", ".join(violated)
    elif result.outcome is Outcome.INCOMPLETE and stopped_early:
        what = (
            f"{_so_far(result)}, but not all states were explored (stopped by {result.stopped_by})"
        )
    elif result.verdicts:
        what = "; ".join(_satisfied(result)) or "nothing was decided"
    else:
        what = "no property was checked; all states were explored"
    vacuous = f" But {_vacuous(result)}." if violated and result.vacuous else ""
    said = f"{what}.{vacuous}{_not_decided(result, stopped_early and not violated)}"
    return said + _beside(result, said)


def _beside(result: Result, said: str) -> str:
    """Say which assumption is broken, unless that was said as what stopped the search."""
    if result.broken_assumption is None or broken_by(result.broken_assumption) in said:
        return ""
    return f" Beside that, {broken_by(result.broken_assumption)}."


def _not_decided(result: Result, said: bool) -> str:
    """Name what was not decided, with the reasons.

    Parameters
    ----------
    said
        Whether the verdict has named the limit that stopped the search before its end.
    """
    by = result.stopped_by
    always = by is not None and by.by in (Stop.FAILED, Stop.ASSUMPTION)
    stopped = f"stopped by {by}" if by and (result.complete or always) and not said else ""
    if not by and not result.complete and result.outcome is Outcome.VIOLATED:
        stopped = "without --continue"
    names: dict[str, list[str]] = {}
    for verdict in result.verdicts:
        reason = verdict.reason or stopped
        if verdict.outcome is Outcome.INCOMPLETE and (reason or not said):
            names.setdefault(reason, []).append(verdict.property.name)
    listed = [", ".join(some) + (f" ({why})" if why else "") for why, some in names.items()]
    return f" Not decided: {'; '.join(listed)}." if listed else ""


def _so_far(result: Result) -> str:
    """Return the verdicts of a search that was stopped before it had decided everything."""
    left = [v.property for v in result.verdicts if v.outcome is Outcome.INCOMPLETE and not v.reason]
    known = [_with_steps(verdict) for verdict in result.verdicts if verdict.is_found()]
    names = [prop.name for prop in left if prop.kind is not Kind.SOMETIMES]
    sought = [prop.name for prop in left if prop.kind is Kind.SOMETIMES]
    known += [f"nothing violates {', '.join(names)} so far"] if names else []
    known += [f"no state satisfies {', '.join(sought)} so far"] if sought else []
    return "; ".join(known) or "nothing was checked"


def _satisfied(result: Result) -> Iterator[str]:
    """Yield which properties are reached, hold in every state, or in every fair behavior."""
    kinds = (Kind.SOMETIMES, *(kind for kind in Kind if kind.is_liveness))
    holding = [v.property for v in result.verdicts if v.outcome is Outcome.HOLDS]
    names = [prop.name for prop in holding if prop.kind not in kinds]
    live = [prop.name for prop in holding if prop.kind.is_liveness]
    yield from (_with_steps(verdict) for verdict in result.verdicts if verdict.is_found())
    if names:
        yield f"every state satisfies {', '.join(names)}"
    if live:
        but = f", but {_vacuous(result)}" if result.vacuous else ""
        which = " that never leaves the constraint" if result.within_constraint else ""
        yield f"every fair behavior{which} satisfies {', '.join(live)}{but}"


def _vacuous(result: Result) -> str:
    """Name the properties whose premise held in no state: nothing had to follow it."""
    which = "premise" if len(result.vacuous) == 1 else "premises"
    return f"the {which} of {', '.join(result.vacuous)} never held"


def _with_steps(verdict: Verdict) -> str:
    prop, trace = verdict.property, verdict.trace
    if trace is None and verdict.untraced is None:
        return f"no state satisfies {prop.name}"
    loop = trace.loop if trace else None
    after = "" if verdict.steps is None else violated_after(verdict.steps, loop)
    untraced = f"; its trace was not finished, stopped by {verdict.untraced}"
    return f"{prop.name} is {prop.verb}{after}{untraced if trace is None else ''}"


def covered(result: Result) -> str:
    """Return how much was searched, how exactly, and in what time."""
    states = count(result.distinct_states, "distinct state")
    taken = f"{count(result.generated_states, 'step')} taken"
    if result.complete:
        scope = "all states within the bounds"
    elif result.stopped_by and result.stopped_by.by is Stop.ASSUMPTION:
        scope = "all states up to the broken assumption"
    elif result.stopped_by:
        scope = f"stopped by {result.stopped_by}"
    elif result.outcome is Outcome.HOLDS:
        scope = "all states up to the last that had to be reached"
    else:
        scope = "all states up to the first violation"
    if result.permutations > 1:
        states += f" up to {result.permutations} permutations of the replicas"
    states += f", depth {result.depth}"
    sure = "exact" if result.exact else f"collision probability {result.collision_probability:.1e}"
    how = f"{result.engine} engine"
    if result.spark_levels is not None:
        how += f" ({count(result.spark_levels, 'level')} by Spark)"
    return f"{states}, {taken}: {scope}; {sure}, {how}, {result.seconds:.1f} s."


_REMEDIES = {
    Stop.TIME_LIMIT: "a longer --time-limit",
    Stop.MAX_STATES: "a larger --max-states",
    Stop.MAX_DEPTH: "a larger --max-depth",
    Stop.MAX_MEMORY: "a larger --max-memory, --store fingerprint",
    Stop.OUT_OF_MEMORY: "--store fingerprint",
}
"""What lets a search come further, by what stopped it."""


def what_to_try(result: Result, system: TransitionSystem[Any, Any]) -> str:
    """Say up to which length every behavior was covered, and what lets a search come further."""
    assert result.stopped_by is not None
    by = result.stopped_by.by
    if result.complete:
        more = f"{_REMEDIES[by].partition(',')[0]}, or " if by in _REMEDIES else ""
        return f"Every state was explored. Try {more}smaller bounds."
    # The last level that was found may lack states, unless something else stopped the search.
    steps = result.depth - (1 if by in (Stop.MAX_DEPTH, Stop.ASSUMPTION) else 2)
    known = f"Every behavior of at most {count(steps, 'step')} was covered. " if steps > 0 else ""
    if result.broken_assumption is not None:
        return f"{known}{missing(result.broken_assumption)}"
    if result.states_left:
        left = count(_rounded(result.states_left), "state")
        known += f"Levels are shrinking; if they go on like this, about {left} are left. "
    if by is Stop.FAILED:
        return f"{known}Mend that to see the rest."
    remedies = [_REMEDIES[by]] if by in _REMEDIES else []
    if result.grounds is None and any(one.replicas for one in system.layout.variables):
        remedies.append("--symmetry if replicas are alike")
    if by is not Stop.MAX_DEPTH:
        remedies.append("--checkpoint DIR to resume a search")
    return f"{known}Try {', '.join(remedies)}, or smaller bounds."


def missing(broken: Verdict) -> str:
    """Say what a model lacks that breaks an assumption."""
    function = assuming(broken)
    return (
        f"Kafka does more there than the model says ({broken.property.source}). Write {function} "
        "anew for this protocol, with what Kafka does."
    )


def _rounded(number: int) -> int:
    """Return a number with its first digit only: an estimate is no better."""
    return round(number, 1 - len(str(number)))


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "step"), count(1200, "step"), count(2, "crash")
    ('1 step', '1,200 steps', '2 crashes')
    """
    plural = "es" if noun.endswith(("s", "sh", "ch")) else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"

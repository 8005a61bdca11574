"""The report of a search as JSON, for CI and other programs."""

from __future__ import annotations

from typing import Any

from ..checker.broken_assumptions import assuming
from ..core.behavior import Behavior
from ..core.errors import Reason
from ..core.result import Result, Verdict
from ..core.spec import Outcome, TransitionSystem
from ..core.tracefile import itf, streamed
from ..library.bug_matching import Recognised
from .grounds import declared_pure, relied_on
from .narrative import Narrative
from .terminal import json_text


def report(system: TransitionSystem[Any, Any], result: Result) -> dict[str, Any]:
    """Return everything that is known about a search, ready to be written as JSON.

    ``trace`` is the counterexample that is reported first, in ITF, or None; where nothing is
    violated it is the behavior that reaches what must be reached.  Each property carries its own as
    well.  ``not_decided`` has the reason for each property that was not decided; ``never_enabled``
    is None where not all states were explored.  ``never_asked`` has the rules that the protocol
    changes and that nothing asked, or None where that is not known.  ``seconds`` is wall time;
    ``collision_probability`` is 0 where every state is stored whole (``exact``).  ``symmetry`` is
    None without ``--symmetry``, and ``declared_pure`` where the model reaches no function that is
    declared pure.  ``broken_assumption`` is None unless a state breaks what the code assumes.
    """
    properties = [_verdict(system, verdict) for verdict in result.verdicts]
    shown = result.shown and result.shown.property.name
    return {
        "protocol": system.name,
        "bounds": system.bounds,
        "engine": result.engine,
        "interpreted_because": [_reason(reason) for reason in result.interpreted_because],
        "spark_levels": result.spark_levels,
        "outcome": result.outcome.value,
        "complete": result.complete,
        "stopped_by": result.stopped_by and str(result.stopped_by),
        "broken_assumption": _broken(system, result.broken_assumption),
        "states_left": result.states_left,
        "not_decided": result.undecided,
        "never_enabled": result.never_taken if result.complete else None,
        "never_asked": None if result.never_asked is None else list(result.never_asked),
        "exact": result.exact,
        "collision_probability": result.collision_probability,
        "within_constraint": result.within_constraint,
        "permutations": result.permutations,
        "symmetry": _symmetry(result),
        "declared_pure": _declared_pure(result),
        "distinct_states": result.distinct_states,
        "generated_states": result.generated_states,
        "depth": result.depth,
        "seconds": round(result.seconds, 3),
        "actions": result.taken,
        "properties": properties,
        "trace": next((p["trace"] for p in properties if p["name"] == shown), None),
    }


def recognised(known: Recognised | None) -> dict[str, Any]:
    """Return the members of a report on the known bug that a violation is, or needs.

    ``known_bug`` is the bug; where the older rule alone does not violate the property, or where
    that was not decided, it is None, and ``older_rule`` says whose rule the trace needs.
    """
    if known is None:
        return {"known_bug": None, "older_rule": None}
    match = known.match
    about = {
        "name": match.known.name,
        "title": match.known.title,
        "repaired": known.without and _repaired(known.without),
    }
    if match.is_the_bug:
        return {"known_bug": about, "older_rule": None}
    return {
        "known_bug": None,
        "older_rule": {**about, "alone": match.alone.value, "not_decided": match.why or None},
    }


def _repaired(without: Result) -> dict[str, Any]:
    """Return what a search says with the repair of a bug."""
    return {
        "outcome": without.outcome.value,
        "violated": {
            one.property.name: one.steps
            for one in without.verdicts
            if one.outcome is Outcome.VIOLATED
        },
    }


def _broken(system: TransitionSystem[Any, Any], broken: Verdict | None) -> dict[str, Any] | None:
    """Return which assumption is broken, by which steps, and what Kafka does there."""
    if broken is None:
        return None
    return {
        "function": assuming(broken),
        "assumes": broken.property.statement,
        "kafka": broken.property.source,
        "steps": broken.steps,
        "trace": broken.trace and streamed(Behavior(system, broken.trace)),
        "untraced": broken.untraced and str(broken.untraced),
    }


def _reason(reason: Reason) -> dict[str, Any]:
    """Return a reason why a search was not compiled; file and line are None if it is in no code."""
    file, line = reason.place or (None, None)
    return {"function": reason.function, "file": file, "line": line, "reason": reason.text}


def _symmetry(result: Result) -> dict[str, Any] | None:
    """Return what a search relied on that left out the permutations of states.

    ``relied_on`` says it in a sentence.  ``actions`` and ``properties`` are how many there are: in
    all of them replicas are only names, which the code shows but for the functions in ``declared``.
    ``sampled_states`` is how many states were checked besides.
    """
    grounds = result.grounds
    if grounds is None:
        return None
    return {
        "within_constraint": result.within_constraint,
        "permutations": result.permutations,
        "relied_on": relied_on(result),
        "actions": grounds.actions,
        "properties": grounds.properties,
        "declared": [vars(declared) for declared in grounds.declared],
        "sampled_states": grounds.sampled_states,
    }


def _declared_pure(result: Result) -> dict[str, Any] | None:
    """Return the functions that were tried, not read, since they are declared pure.

    ``relied_on`` says it in a sentence.  ``states`` were evaluated again by other ``processes``;
    ``not_elsewhere`` says why none were.
    """
    tried = result.tried
    if tried is None:
        return None
    return {
        "relied_on": declared_pure(result),
        "functions": [vars(declared) for declared in tried.functions],
        "states": tried.states,
        "processes": tried.processes,
        "not_elsewhere": tried.not_elsewhere,
    }


def _verdict(system: TransitionSystem[Any, Any], verdict: Verdict) -> dict[str, Any]:
    """Return the verdict on one property; ``steps`` is None where it has no trace.

    ``vacuous`` says of one that leads to something that its premise held in no state.
    ``lacks`` has the actions that it needs and that do not exist, or are never enabled.
    ``untraced`` says what stopped the search for the trace of one that is violated.
    """
    trace, prop = verdict.trace, verdict.property
    behavior = Behavior(system, trace, prop) if trace else None
    return {
        "name": verdict.property.name,
        "outcome": verdict.outcome.value,
        "vacuous": verdict.vacuous,
        "lacks": list(verdict.lacks),
        "steps": verdict.steps,
        "explanation": behavior and behavior.explanation,
        "trace": behavior and streamed(behavior),
        "untraced": verdict.untraced and str(verdict.untraced),
    }


def itf_text(narrative: Narrative, full: bool = False) -> str:
    """Return a trace as a file in ITF, which has every variable of every state."""
    return json_text(itf(narrative.behavior))

"""What two protocols differ in, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.compare import Contrast, Followed
from ..core.spec import Step


def document(
    names: tuple[str, str],
    codes: Sequence[Any],
    changed: Any,
    decided: Any,
    counterexamples: Sequence[Any],
    reached: Any,
) -> dict[str, Any]:
    """Return everything that ``tidegate diff`` found, ready to be written as JSON."""
    old, new = (
        {"name": name, "family": code.family, "summary": code.summary}
        for name, code in zip(names, codes, strict=True)
    )
    return {
        "old": old,
        "new": new,
        "rules": [_rule(change) for change in changed.rules],
        "actions": [_action(change) for change in changed.actions],
        "fairness": [
            {"actions": which, "old": before, "new": after}
            for which, before, after in changed.fairness
        ],
        "helpers": [
            {
                "function": change.name,
                "used_by": list(change.used_by),
                "old": change.old.source,
                "new": change.new.source,
            }
            for change in changed.helpers
        ],
        "bounds": " ".join(decided.settings),
        "within": decided.old.headline,
        "verdicts": _verdicts(decided),
        "searched_alike": list(decided.alike),
        "not_searched": list(decided.skipped),
        "counterexamples": [
            {
                "properties": list(one.properties),
                "explanation": one.explanation,
                **_contrast(one.contrast),
            }
            for one in counterexamples
        ],
        "states": _states(reached),
    }


def _rule(change: Any) -> dict[str, Any]:
    sides = {
        side: rule
        and {
            "is": rule.value,
            "says": rule.function.says if rule.function else "",
            "source": rule.function.source if rule.function else None,
            "place": rule.function.place if rule.function else None,
        }
        for side, rule in (("old", change.old), ("new", change.new))
    }
    return {"rule": change.name, "decides": change.decides, **sides}


def _action(change: Any) -> dict[str, Any]:
    action = change.new or change.old
    only = None if change.old and change.new else "new" if change.new else "old"
    return {
        "action": change.name,
        "who": action.who,
        "says": action.function.says,
        "only_in": only,
        "guards_removed": list(change.removed),
        "guards_added": list(change.added),
        "guards_changed": [{"old": old, "new": new} for old, new in change.changed],
        "guards_moved": list(change.moved),
        "effect_differs": change.effect,
        "wraps": change.wraps,
        "fairness": list(change.fairness) if change.fairness else None,
    }


def _verdicts(decided: Any) -> dict[str, Any]:
    sides = {}
    for side, search in (("old", decided.old), ("new", decided.new)):
        sides[side] = {
            "complete": search.stopped_by is None,
            "stopped_by": search.stopped_by and str(search.stopped_by),
            "distinct_states": search.distinct_states,
            "depth": search.depth,
            "properties": [
                {
                    "name": row.name,
                    "outcome": row.outcome,
                    "steps": len(row.steps) if row.steps is not None else None,
                    "loop": row.loop,
                }
                for row in search.rows
            ],
        }
    return {"differ": decided.apart, **sides}


def _contrast(contrast: Contrast) -> dict[str, Any]:
    """Return a behavior of one protocol with what the other makes of it."""
    stopped = contrast.there.stopped
    refused = None
    if stopped is not None:
        refused = {
            "number": len(contrast.there.states),
            "step": _step(stopped.step),
            "needs": stopped.reason.needs if stopped.reason else None,
            "values": dict(stopped.reason.values) if stopped.reason else {},
            "place": stopped.reason.source if stopped.reason else None,
            "rules": list(stopped.rules),
        }
    return {
        "of": ("old", "new")[contrast.of],
        "steps": [
            {**_step(taken.step), "says": taken.sentence}
            for taken in contrast.here.states
            if taken.step is not None
        ],
        "refused": refused,
        "departures": [
            {
                "number": departure.number,
                "old": _values(contrast, 0, departure.number, departure.variables),
                "new": _values(contrast, 1, departure.number, departure.variables),
            }
            for departure in contrast.departures
        ],
        "violated_there": list(contrast.there.violated) if stopped is None else None,
    }


def _step(step: Step) -> dict[str, Any]:
    pairs = zip(step.parameters, step.arguments, strict=True)
    return {"action": step.action, "arguments": dict(pairs)}


def _values(contrast: Contrast, side: int, number: int, variables: Sequence[str]) -> dict[str, Any]:
    """Return the values that some variables have after a step, in the old or the new one."""
    followed: Followed = contrast.here if side == contrast.of else contrast.there
    shown = followed.states[number].variables
    return {name: _plain(shown[name]) for name in variables}


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set) else value


def _states(reached: Any) -> dict[str, Any] | None:
    if reached is None:
        return None
    stopped = [str(counted.stopped_by) for counted in reached.counts if counted.stopped_by]
    compared = reached.alone is not None
    return {
        "compared": compared,
        "stopped_by": stopped[0] if stopped else None,
        "old": reached.counts[0].distinct_states,
        "new": reached.counts[1].distinct_states,
        "only_old": reached.alone[0].count if compared else None,
        "only_new": reached.alone[1].count if compared else None,
        "left_out": {"old": list(reached.left_out[0]), "new": list(reached.left_out[1])},
        "begun_apart": list(reached.begun_apart),
        "taken": {"old": reached.counts[0].taken, "new": reached.counts[1].taken},
        "behaviors": [_contrast(behavior) for behavior in reached.behaviors],
    }

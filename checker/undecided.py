"""What an engine or an option cannot decide, and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..core.spec import Property, TransitionSystem
from .result import Resources, StateStore


def undecidable(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    named: Collection[str] | None,
    resources: Resources,
    symmetry: bool,
) -> dict[str, str]:
    """Return the properties that a search leaves undecided, by name, each with the reason.

    Parameters
    ----------
    named
        Names of properties that are not left undecided: a search that cannot decide one of them is
        refused.  None for all.
    """
    if named is None:
        return {}
    reasons = {
        prop.name: why_undecidable(system, prop, resources, symmetry)
        for prop in properties
        if prop.name not in named
    }
    return {name: reason for name, reason in reasons.items() if reason}


def why_undecidable(
    system: TransitionSystem[Any, Any], prop: Property, resources: Resources, symmetry: bool
) -> str:
    """Return why a search cannot decide a property; empty if it can."""
    if not prop.kind.needs_graph:
        return ""
    if prop.kind.is_liveness and system.constraint is not None:
        return "behaviors that leave the constraint are not followed"
    if symmetry:
        return "--symmetry does not follow the steps of each replica"
    if resources.store == StateStore.FINGERPRINT:
        return "--store fingerprint does not keep the states"
    if resources.engine == "spark":
        return "--engine spark takes all states into one process for it: name it with -p"
    return ""

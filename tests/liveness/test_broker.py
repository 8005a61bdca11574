"""Liveness of Kafka's protocols: known lassos, and the protocols that mend them."""

from __future__ import annotations

import pytest

from tidegate.checker.check import check
from tidegate.core.result import Verdict
from tidegate.core.spec import Outcome
from tidegate.library.selection import assemble


def verdict(protocol: str, settings: str, prop: str) -> Verdict:
    """Decide one liveness property."""
    system, properties = assemble(protocol, tuple(settings.split()), (prop,))
    [decided] = check(system, properties).verdicts
    return decided


LASSOS = [
    (
        "kip-320~truncates_cache = only_if_log_shrinks",
        "records=2 crashes=0 elections=3 moves",
        "TruncationTerminates",
        ["SendEpochRequest", "HandleEpochRequest", "HandleEpochResponse"],
    ),
    (
        "kip-595~may_propose = nothing_proposed",
        "isr_propagation=kraft records=1 crashes=1",
        "IsrChangeResolves",
        ["HandleFetchResponse", "SendFetch", "HandleFetch"],
    ),
    (
        "hw",
        "",
        "Converges",
        ["HandleFetchResponse", "ShrinkIsr", "SendFetch", "HandleFetch"],
    ),
]


@pytest.mark.parametrize(("protocol", "settings", "prop", "repeats"), LASSOS)
def test_a_known_livelock_is_a_lasso_whose_cycle_names_what_repeats(
    protocol: str, settings: str, prop: str, repeats: list[str]
) -> None:
    decided = verdict(protocol, settings, prop)
    assert decided.outcome is Outcome.VIOLATED
    assert decided.trace is not None
    loop = decided.trace.loop
    assert loop is not None
    assert [step.action for step in decided.trace.steps[loop:]] == repeats


@pytest.mark.parametrize(
    ("protocol", "settings", "prop"),
    [
        ("kip-320", "records=2 crashes=0 elections=3 moves", "TruncationTerminates"),
        ("kip-595", "isr_propagation=kraft records=1 crashes=1", "IsrChangeResolves"),
        ("kip-101", "", "Converges"),
    ],
)
def test_the_repair_of_a_livelock_satisfies_the_property(
    protocol: str, settings: str, prop: str
) -> None:
    assert verdict(protocol, settings, prop).outcome is Outcome.HOLDS

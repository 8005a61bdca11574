"""Every fair action of the broker family is needed for some liveness property, or explained."""

from __future__ import annotations

import pytest

from tidegate.library.names import find_protocol
from tidegate.library.properties import find_properties, properties_of
from tidegate.mutate import decide
from tidegate.mutate.decide import Killing
from tidegate.mutate.fates import Fate

NEEDED = [
    ("kip-320", "records=1", {
        "SendFetch": 2, "HandleFetch": 3, "HandleFetchResponse": 4, "BecomeLeader": 4,
        "BecomeFollower": 2, "SendEpochRequest": 6, "HandleEpochRequest": 7,
        "HandleEpochResponse": 8,
    }),
    ("kip-320", "elections=2", {"Elect": 5}),
    ("kip-595", "records=1 elections=1 crashes=1 power_losses=1 isr_propagation=kraft", {
        "ProposeShrink": 12, "HandleAlterPartition": 11, "HandleAlterPartitionResponse": 12,
        "Unfence": 10,
    }),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "bounds", "needed"), NEEDED)
def test_a_liveness_property_fails_where_an_action_that_it_needs_is_unfair(
    name: str, bounds: str, needed: dict[str, int]
) -> None:
    protocol = find_protocol(name)
    live = [prop for prop in properties_of(protocol) if prop.kind.is_liveness]
    fates = {fate.mutant: fate.steps for fate in Killing(protocol, live, [bounds]).run(None, 1)}
    for action, steps in needed.items():
        assert fates[f"{action}: fairness"] == steps


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kip-320", "kip-595"])
def test_every_unfair_action_that_survives_all_bounds_is_explained(name: str) -> None:
    protocol = find_protocol(name)
    live = [prop for prop in properties_of(protocol) if prop.kind.is_liveness]
    killing = Killing(protocol, live, protocol.model.mutation_bounds)
    killed = {fate.mutant for fate in killing.run(None, 1)}
    assert len(killed) > 10
    assert [fate.mutant for fate in killing.others()["survived"] if not fate.note] == []


def test_unfair_mutants_die_as_in_searches_from_scratch(monkeypatch: pytest.MonkeyPatch) -> None:
    kip_320 = find_protocol("kip-320")
    properties = find_properties(kip_320, ["Converges", "TruncationTerminates"])

    def fates() -> list[Fate]:
        killed = Killing(kip_320, properties, ["records=1 crashes=0"])
        return [*killed.run(None, 2), *killed.others()["survived"]]

    known = fates()
    assert {bool(fate.killed_by) for fate in known} == {True, False}
    monkeypatch.setattr(decide, "_original", lambda *names: None)
    assert known == fates()

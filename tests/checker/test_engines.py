"""Every engine gives the same answer, and the compiled one gives it with any number of workers."""

import dataclasses

import pytest

from tidegate.checker.check import check
from tidegate.core.result import Resources
from tidegate.library.names import find_protocol
from tidegate.library.properties import invariants_of, system_for

slow = pytest.mark.slow

CASES = [
    ("hw", "records=1"),
    ("hw", "records=1 unclean_election hw_checkpoint=step"),
    pytest.param("kip-101", "elections=2 lost_messages=1", marks=slow),
    pytest.param("kip-279", "records=1 elections=3", marks=slow),
    ("kip-320", "records=1 crashes=1 elections=1 power_losses=1 late_request"),
    pytest.param("kip-320", "records=1 elections=2 stale_leader_and_isr", marks=slow),
    ("kip-320", "replicas=3 records=1 crashes=0 elections=1 min_isr=2 hw_needs_min_isr acks=1"),
    pytest.param("kip-320", "replicas=3 records=1 crashes=0 elections=2 moves", marks=slow),
    ("tidegate.examples.published:hw", "max_leader_epoch=2"),
    pytest.param("tidegate.examples.published:kip_101", "max_leader_epoch=2", marks=slow),
    pytest.param("tidegate.examples.published:kip_279", "replicas=3 records=1", marks=slow),
    ("tidegate.examples.published:kip_320_first_try", "replicas=2 records=1"),
    ("tidegate.examples.published:kip_320", "replicas=3 records=1 max_leader_epoch=1"),
    ("tidegate.examples.async_isr:async_isr", ""),
]


def answer(protocol, settings, names=None, symmetry=False, keep_going=True, **how):
    """Return all of a report that may not depend on the engine."""
    chosen = find_protocol(protocol)
    wanted = invariants_of(chosen)
    properties = [p for p in wanted if names is None or p.name in names]
    system = system_for(chosen, settings.split(), properties)
    result = check(
        system,
        properties,
        keep_going=keep_going,
        symmetry=symmetry,
        resources=Resources(**how),
    )
    assert result.engine == how["engine"], "another engine had to stand in"
    fields = dataclasses.asdict(result)
    for name in ("seconds", "engine", "exact", "collision_probability", "grounds"):
        del fields[name]
    return fields


@pytest.mark.parametrize(("protocol", "settings"), CASES)
def test_the_compiled_engine_answers_as_the_interpreted_one(protocol, settings):
    expected = answer(protocol, settings, engine="interpreted")
    assert answer(protocol, settings, engine="compiled") == expected
    assert answer(protocol, settings, engine="compiled", workers=3, chunk=8) == expected


@pytest.mark.parametrize(("protocol", "settings"), CASES[:1] + CASES[-2:])
def test_fingerprints_answer_alike(protocol, settings, monkeypatch):
    # A smaller table than that of a gigabyte, which a search of so few states never needs.
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
    expected = answer(protocol, settings, engine="interpreted")
    found = answer(protocol, settings, engine="compiled", store="fingerprint", workers=2)
    assert found == expected


@pytest.mark.parametrize(("protocol", "settings"), CASES[-3:])
@pytest.mark.parametrize("keep_going", [False, True])
def test_symmetry_answers_alike(protocol, settings, keep_going):
    kinds = {"symmetry": True, "keep_going": keep_going}
    expected = answer(protocol, settings, engine="interpreted", **kinds)
    assert answer(protocol, settings, engine="compiled", chunk=8, **kinds) == expected

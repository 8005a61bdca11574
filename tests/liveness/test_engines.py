"""Every engine gives the same verdict and the same lasso, with any number of workers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import numpy as np
import pytest

from tidegate.checker import interpreted
from tidegate.checker.check import check
from tidegate.checker.engines import EngineChoiceError
from tidegate.checker.liveness.arrays import fingerprints
from tidegate.checker.liveness.decide import decided
from tidegate.checker.liveness.lasso import Decided
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import Kind, Outcome, Property, Trace, TransitionSystem
from tidegate.library.selection import assemble

ALL = (
    "LeaderElected",
    "TruncationTerminates",
    "Converges",
    "IsrChangeResolves",
    "HwReachesLogEnd",
    "AckedIsReadable",
)

CASES = [
    ("hw", "records=1"),
    ("kip-595~may_propose = nothing_proposed", "isr_propagation=kraft records=1 crashes=1"),
    ("kip-320", "records=1 crashes=1 isr_propagation=zookeeper"),
]


def lassos(protocol: str, settings: str, resources: Resources) -> dict[str, Trace | None]:
    """Return the lasso of each property that an engine finds violated."""
    system, properties = assemble(protocol, tuple(settings.split()), ALL)
    return {
        it.property.name: it.trace for it in check(system, properties, resources=resources).verdicts
    }


@pytest.mark.parametrize(("protocol", "settings"), CASES)
def test_the_compiled_engine_finds_the_lassos_of_the_reference(
    protocol: str, settings: str
) -> None:
    expected = lassos(protocol, settings, Resources(engine="interpreted"))
    for workers in (1, 3):
        resources = Resources(engine="compiled", workers=workers, chunk=64)
        assert lassos(protocol, settings, resources) == expected


def test_more_predicates_than_a_word_has_bits_for_are_left_to_python() -> None:
    system, [led] = assemble("hw", ("records=1", "crashes=1"), ("LeaderElected",))
    live = [
        replace(led, name=f"Led{number}", kind=Kind.LEADS_TO, premise=led.predicate)
        for number in range(32)
    ]
    with pytest.raises(EngineChoiceError, match="more than 62 predicates of liveness at once"):
        check(system, live, resources=Resources(engine="compiled"))
    assert check(system, live).outcome is Outcome.HOLDS


def random_settings(chances: Random) -> tuple[str, str]:
    """Return a protocol of the broker family, and small bounds with some options."""
    protocol = chances.choice(("hw", "kip-101", "kip-279", "kip-320", "kip-595"))
    bounds = [f"{name}={chances.randint(0, 2)}" for name in ("elections", "crashes")]
    bounds.append(f"records={chances.randint(1, 2)}")
    options = ("moves", "min_isr=2", "purgatory", "hw_waits", "lost_messages=1", "acks=1")
    bounds += [option for option in options if not chances.randrange(4)]
    bounds += chances.choice(([], ["isr_propagation=kraft"], ["isr_propagation=zookeeper"]))
    return protocol, " ".join(bounds)


@pytest.mark.slow
def test_engines_agree_within_random_bounds() -> None:
    """As many as ``TIDEGATE_FUZZ`` says, from ``TIDEGATE_FUZZ_SEED`` on."""
    number = int(os.environ.get("TIDEGATE_FUZZ", "20"))
    compared = 0
    for seed in count(int(os.environ.get("TIDEGATE_FUZZ_SEED", "1"))):
        if compared == number:
            break
        protocol, settings = random_settings(Random(f"liveness {seed}"))
        system, properties = assemble(protocol, tuple(settings.split()), ALL)
        few = Limits(max_states=20_000)
        if not check(system, properties, limits=few, resources=Resources("interpreted")).complete:
            continue
        expected = lassos(protocol, settings, Resources(engine="interpreted"))
        workers = compared % 4 + 1
        resources = Resources(engine="compiled", workers=workers, chunk=64)
        assert lassos(protocol, settings, resources) == expected, (seed, protocol, settings)
        compared += 1


def test_fingerprints_of_arrays_are_those_of_the_layout() -> None:
    system, _ = assemble("kip-595", ("replicas=3",), ())
    states = [next(iter(system.initial_states()))]
    states += [state for _, state in system.successors(states[0])]
    words = np.array([system.layout.pack(state) for state in states], np.uint64)
    expected = [system.layout.fingerprint(state) for state in states]
    assert fingerprints(words).tolist() == expected


def test_a_property_whose_decision_was_interrupted_is_not_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(
        system: TransitionSystem[Any, Any], properties: Sequence[Property]
    ) -> Iterator[Decided]:
        yield from decided(system, properties[:1])
        raise KeyboardInterrupt

    monkeypatch.setattr(interpreted, "decided", interrupted)
    system, properties = assemble("hw", ("records=1", "crashes=1"), ("LeaderElected", "Converges"))
    result = check(system, properties, resources=Resources(engine="interpreted"))
    assert [it.outcome for it in result.verdicts] == [Outcome.HOLDS, Outcome.INCOMPLETE]

"""The tables that a search exports hold what it found: each state, step and violation, once."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from tidegate.checker.check import check
from tidegate.checker.distributed import tables, workers
from tidegate.checker.distributed.columns import ExportError
from tidegate.checker.distributed.manifest import read_manifest
from tidegate.checker.distributed.store import Store, StoreError
from tidegate.checker.graph import state_graph
from tidegate.checker.result import Cluster, Limits, Resources
from tidegate.invariants import PROPERTIES
from tidegate.model import PROTOCOLS
from tidegate.symmetry import Symmetry

pytestmark = pytest.mark.usefixtures("java")

HERE = 10**9
"""Candidates that no level of these has: all are searched in this process, without Spark."""

MODELS = [
    pytest.param("kip-101", "records=1", ("TypeOk", "Deadlock"), False, id="kip-101"),
    pytest.param("published/hw", "", ("WeakIsr", "StrongIsr", "Deadlock"), False, id="violated"),
    pytest.param(
        "published/kip-101", "replicas=3 records=1 log_size=1", ("WeakIsr",), True, id="symmetry"
    ),
    pytest.param(
        "published/async-isr", "max_offset=1 max_version=2", ("TypeOk",), False, id="constraint"
    ),
]


def rows(folder, table):
    """Return the rows of a table, as whoever reads its directory sees them."""
    import pyarrow.parquet as pq

    return pq.read_table(folder / table).to_pylist()


def frozen(value):
    """Return a value of a row in a form that can be compared and put into sets."""
    if isinstance(value, dict):
        return tuple((name, frozen(part)) for name, part in value.items())
    if isinstance(value, set):
        return tuple(sorted(value))
    return tuple(frozen(part) for part in value) if isinstance(value, list) else value


def content(folder):
    """Return the rows of all tables; none is there twice."""
    found = {}
    for table in tables.TABLES:
        every = [frozen(row) for row in rows(folder, table)]
        found[table] = frozenset(every)
        assert len(found[table]) == len(every), f"{table} has rows that are there twice"
    return found


@pytest.fixture
def exported(system, tmp_path):
    """Search a protocol and export; returns its system, the result and the tables' directory."""
    numbers = iter(range(100))

    def run(protocol, settings, names, symmetry=False, folder=None, how=None, limits=None, **on):
        [chosen] = [p for p in PROTOCOLS if p.name == protocol]
        properties = [p for p in PROPERTIES[chosen.family.name] if p.name in names]
        assert len(properties) == len(names), "a property that does not exist"
        needs = frozenset(need for p in properties for need in p.needs)
        searched = system(protocol, settings, needs)
        folder = folder or tmp_path / f"tables-{next(numbers)}"
        cluster = Cluster(**{"local_levels": HERE, "export": str(folder), **on})
        result = check(
            searched,
            properties,
            keep_going=True,
            symmetry=symmetry,
            limits=limits or Limits(),
            resources=Resources(engine="spark", cluster=cluster, **(how or {})),
        )
        return searched, properties, result, folder

    return run


def signed(fingerprint):
    """Return a fingerprint as it is in a table."""
    return fingerprint - (fingerprint >> 63 << 64)


@pytest.mark.parametrize(("protocol", "settings", "names", "symmetry"), MODELS)
def test_tables_hold_what_the_interpreted_search_finds(
    exported, protocol, settings, names, symmetry
):
    searched, properties, result, folder = exported(protocol, settings, names, symmetry)
    assert result.complete
    found = content(folder)
    assert len(found["states"]) == result.distinct_states
    assert len(found["steps"]) == result.generated_states
    if symmetry:
        canonical = Symmetry(searched).canonical
        for row in rows(folder, "states")[::50]:
            assert row["depth"] <= result.depth
        level = {canonical(state) for state in searched.initial_states()}
    else:
        canonical = lambda state: state  # noqa: E731
        level = set(searched.initial_states())
    fingerprint = searched.layout.fingerprint
    states, steps, violations, depth = set(), set(), set(), 1
    seen = set(level)
    while level:
        following = set()
        for state in level:
            row = {"fingerprint": signed(fingerprint(state)), "depth": depth}
            states.add(frozen({**row, **searched.layout.describe(state)}))
            violations |= {
                (("property", p.name), *row.items())
                for p in properties
                if searched.violates(p, state)
            }
            for index, successor in searched.successors(state):
                step = searched.instances[index].step
                outside = not searched.inside()
                target = canonical(successor)
                taken = dict(zip(step.parameters, step.arguments, strict=True))
                steps.add(
                    (
                        signed(fingerprint(state)),
                        signed(fingerprint(target)),
                        depth,
                        step.action,
                        frozenset(taken.items()),
                        outside,
                    )
                )
                if not outside and target not in seen:
                    seen.add(target)
                    following.add(target)
        level, depth = following, depth + 1
    assert found["states"] == states
    assert found["violations"] == violations
    assert {
        (
            row["source"],
            row["target"],
            row["depth"],
            row["action"],
            frozenset((k, v) for k, v in row.get("arguments", {}).items() if v is not None),
            row["outside"],
        )
        for row in rows(folder, "steps")
    } == steps

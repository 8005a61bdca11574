"""The tables that a search exports hold what it found: each state, step and violation, once."""

import resource
import signal
import subprocess
import sys
from contextlib import closing

import pytest
from click.testing import CliRunner

from tidegate.checker.check import check
from tidegate.checker.counterexample import itself
from tidegate.checker.distributed import tables
from tidegate.checker.distributed.columns import ExportError
from tidegate.checker.distributed.search import SparkSearch
from tidegate.checker.request import SearchRequest
from tidegate.cli import main
from tidegate.core.result import Cluster, Limits, Resources
from tidegate.core.spec import Property
from tidegate.core.symmetry import Symmetry
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of, system_for

pytestmark = pytest.mark.usefixtures("java")
slow = pytest.mark.slow

HERE = 10**9
"""Candidates that no level of these has: all are searched in this process, without Spark."""

CLUSTER = ("store", "partitions", "local_levels")

MODELS = [
    pytest.param("kip-101", "records=1", ("TypeOk", "Deadlock"), False, id="kip-101", marks=slow),
    pytest.param(
        "tidegate.examples.published:hw",
        "",
        ("WeakIsr", "StrongIsr", "Deadlock"),
        False,
        id="violated",
    ),
    pytest.param(
        "tidegate.examples.published:kip_101",
        "replicas=3 records=1 log_size=1",
        ("WeakIsr",),
        True,
        id="symmetry",
    ),
    pytest.param(
        "tidegate.examples.async_isr:async_isr",
        "max_offset=1 max_version=2",
        ("TypeOk",),
        False,
        id="constraint",
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
def exported(tmp_path):
    """Search a protocol and export; returns its system, the result and the tables' directory."""
    numbers = iter(range(100))

    def run(protocol, settings, names, symmetry=False, folder=None, how=None, **options):
        chosen = find_protocol(protocol)
        properties = [p for p in properties_of(chosen) if p.name in names]
        assert len(properties) == len(names), "a property that does not exist"
        searched = system_for(chosen, settings.split(), properties)
        folder = folder or tmp_path / f"tables-{next(numbers)}"
        where = {name: options.pop(name) for name in CLUSTER if name in options}
        cluster = Cluster(**{"local_levels": HERE, "export": str(folder), **where})
        result = check(
            searched,
            properties,
            keep_going=True,
            symmetry=symmetry,
            resources=Resources(engine="spark", cluster=cluster, **(how or {})),
            **options,
        )
        return searched, properties, result, folder

    return run


def columns(described):
    """Return what tables have of a described state: no column of an array without elements."""
    if isinstance(described, list):
        return [columns(part) for part in described]
    if not isinstance(described, dict):
        return described
    return {name: columns(part) for name, part in described.items() if part != []}


def signed(fingerprint):
    """Return a fingerprint as it is in a table."""
    return fingerprint - (fingerprint >> 63 << 64)


def walked(searched, properties, canonical):
    """Return the rows that tables should have, from the interpreted steps and predicates."""
    fingerprint = searched.layout.fingerprint
    states, steps, violations, depth = set(), set(), set(), 1
    level = {canonical(state) for state in searched.initial_states()}
    seen = set(level)
    while level:
        following = set()
        for state in level:
            row = {"fingerprint": signed(fingerprint(state)), "depth": depth}
            states.add(frozen({**row, **columns(searched.layout.describe(state))}))
            violated = [p.name for p in properties if searched.violates(p, state)]
            violations |= {(("property", name), *row.items()) for name in violated}
            for index, successor in searched.successors(state):
                step, outside = searched.instances[index].step, not searched.inside()
                target = canonical(successor)
                taken = frozenset(zip(step.parameters, step.arguments, strict=True))
                ends = row["fingerprint"], signed(fingerprint(target))
                steps.add((*ends, depth, step.action, taken, outside))
                if not outside and target not in seen:
                    seen.add(target)
                    following.add(target)
        level, depth = following, depth + 1
    return states, steps, violations


@pytest.mark.parametrize(("protocol", "settings", "names", "symmetry"), MODELS)
def test_tables_hold_what_interpreted_steps_lead_to(exported, protocol, settings, names, symmetry):
    searched, properties, result, folder = exported(protocol, settings, names, symmetry)
    found = content(folder)
    assert result.complete
    assert len(found["states"]) == result.distinct_states
    assert len(found["steps"]) == result.generated_states
    canonical = Symmetry(searched).canonical if symmetry else itself
    states, steps, violations = walked(searched, properties, canonical)
    assert found["states"] == states
    assert found["violations"] == violations
    listed = set()
    for row in rows(folder, "steps"):
        taken = {name: value for name, value in row.pop("arguments").items() if value is not None}
        outside = row.pop("outside")
        listed.add((*row.values(), frozenset(taken.items()), outside))
    assert listed == steps
    assert any(step[-1] for step in steps) is (searched.constraint is not None)


def test_the_models_have_something_to_find(exported):
    """Were there no violation among them, the test above would not show that they are listed."""
    for protocol, settings, names, property_ in (
        ("tidegate.examples.published:hw", "", ("WeakIsr",), "WeakIsr"),
        ("hw", "crashes=1 replicas=1", ("Deadlock",), "Deadlock"),
    ):
        *_, folder = exported(protocol, settings, names)
        assert {row["property"] for row in rows(folder, "violations")} == {property_}


def test_types_and_names_are_those_of_the_declaration(exported):
    import pyarrow as pa
    import pyarrow.parquet as pq

    *_, result, folder = exported("hw", "records=1", ("TypeOk",))
    states = pq.read_table(folder / "states").schema
    assert (states.field("fingerprint").type, states.field("depth").type) == (
        pa.int64(),
        pa.int32(),
    )
    replica = states.field("replica").type.value_type
    assert replica.field("hw").type == pa.int8()
    assert replica.field("alive").type == pa.bool_()
    assert replica.field("isr").type == pa.list_(pa.int8())
    assert replica.field("log").type.value_type.field("epoch").type == pa.int8()
    message = states.field("message").type.value_type
    assert message.field("kind").type == pa.dictionary(pa.int8(), pa.string())
    steps = pq.read_table(folder / "steps").schema
    assert steps.field("source").type == steps.field("target").type == pa.int64()
    assert steps.field("action").type == pa.dictionary(pa.int8(), pa.string())
    assert steps.field("arguments").type.field("leader").type == pa.int8()
    depths = pq.read_table(folder / "states").column("depth").to_pylist()
    assert (min(depths), max(depths)) == (1, result.depth)


SMALL = ("tidegate.examples.published:hw", "records=1 log_size=1", ("TypeOk", "WeakIsr"))


@slow
@pytest.mark.spark
def test_any_division_into_partitions_and_levels_gives_the_same_rows(exported, spark):
    *_, result, folder = exported(*SMALL)
    expected = content(folder)
    states = {dict(row)["fingerprint"] for row in expected["states"]}
    for row in map(dict, expected["steps"]):
        assert row["source"] in states
        assert row["target"] in states
    for partitions, local_levels in ((1, 0), (3, 0), (3, 100)):
        on = {"partitions": partitions, "local_levels": local_levels}
        *_, again, folder = exported(*SMALL, **on)
        assert 0 < again.spark_levels <= result.depth
        assert (again.spark_levels == result.depth) is (local_levels == 0)
        assert content(folder) == expected


CUT = ["tidegate.examples.published:hw", "-p", "WeakIsr", "--continue"]

DYING = """
import os, signal, sys
from tidegate.checker.distributed.{module} import {owner}
from tidegate.cli import main

calls, real = [], {owner}.{name}

def dying(*arguments):
    calls.append(None)
    if {before} or len(calls) < {call}:
        if len(calls) == {call}:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments)
    real(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)

{owner}.{name} = dying
main(sys.argv[1:])
"""
"""Kills itself before or after some call of a function."""


@pytest.mark.parametrize(
    ("module", "owner", "name", "before", "call"),
    [
        pytest.param("manifest", "StoreManifest", "save", True, 7, id="before the manifest"),
        pytest.param(
            "manifest", "StoreManifest", "save", False, 7, id="after the manifest", marks=slow
        ),
        pytest.param(
            "store", "Store", "rename", False, 23, id="between files of a level", marks=slow
        ),
        pytest.param("tables", "Part", "open", False, 21, id="amid a file"),
    ],
)
def test_a_killed_driver_that_is_resumed_leaves_the_same_rows(
    exported, tmp_path, module, owner, name, before, call
):
    *_, folder = exported("tidegate.examples.published:hw", "", ("WeakIsr",))
    expected = content(folder)
    script = DYING.format(module=module, owner=owner, name=name, before=before, call=call)
    store, folder = tmp_path / "store", tmp_path / "cut"
    here = ["--store", str(store), "--local-levels", str(HERE), "--export", str(folder)]
    command = [sys.executable, "-c", script, "check", *CUT, "--engine", "spark", *here]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    cut = content(folder)
    assert all(cut[table] < expected[table] for table in ("states", "steps"))
    result = CliRunner().invoke(
        main, ["check", "--resume", str(store), "--trust", "--local-levels", str(HERE)]
    )
    assert result.exit_code == 12, result.output
    assert content(folder) == expected
    assert sorted(path.name for path in folder.iterdir()) == sorted(tables.TABLES)


def test_a_search_that_is_stopped_has_exported_what_it_reports(exported, tmp_path):
    where = {"folder": tmp_path / "tables", "store": str(tmp_path / "store")}
    for depth in (1, 4, 9, None):
        resources = {"resume": depth != 1}
        *_, result, folder = exported(
            *SMALL, how=resources, limits=Limits(max_depth=depth), **where
        )
        found = content(folder)
        assert len(found["states"]) == result.distinct_states
        assert len(found["steps"]) == result.generated_states
    assert result.complete


def test_a_violation_outside_the_constraint_is_listed_where_it_is_reported(system, tmp_path):
    searched = system("tidegate.examples.async_isr:async_isr", "max_offset=1 max_version=2")
    inside = Property("Inside", "", "", searched.constraint, lambda s, k: "outside")
    cluster = Cluster(local_levels=HERE, export=str(tmp_path / "tables"))
    resources = Resources(engine="spark", cluster=cluster)
    request = SearchRequest(searched, [inside], keep_going=True, resources=resources)
    with closing(SparkSearch(request)) as search:
        search.run()
    [row] = rows(tmp_path / "tables", "violations")
    [(level, [state])] = search.violations.values()
    assert row["fingerprint"] == signed(searched.layout.fingerprint(state))
    assert row["depth"] == level + 1
    states = {it["fingerprint"] for it in rows(tmp_path / "tables", "states")}
    steps = [it for it in rows(tmp_path / "tables", "steps") if it["target"] == row["fingerprint"]]
    assert row["fingerprint"] not in states
    assert steps
    assert all(it["outside"] and it["source"] in states for it in steps)


def test_an_interrupted_search_has_exported_what_it_reports(exported, tmp_path):
    def interrupt(progress):
        if progress.depth == 9:
            raise KeyboardInterrupt

    *_, result, folder = exported(*SMALL, report=interrupt)
    assert (str(result.stopped_by), result.depth) == ("an interrupt", 9)
    found = content(folder)
    assert len(found["states"]) == result.distinct_states
    assert len(found["steps"]) == result.generated_states


def test_what_is_there_already_is_left_alone(exported, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ExportError, match=r"holds something already \(notes.txt\); name a dir"):
        exported(*SMALL, folder=folder)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    *_, folder = exported(*SMALL)
    before = content(folder)
    with pytest.raises(ExportError, match="holds something already"):
        exported(*SMALL, folder=folder)
    assert content(folder) == before


def test_tables_that_lost_a_file_are_not_gone_on_with(exported, tmp_path):
    where = {"folder": tmp_path / "tables", "store": str(tmp_path / "store")}
    exported(*SMALL, limits=Limits(max_depth=4), **where)
    next((where["folder"] / "states").glob("00002-*")).unlink()
    with pytest.raises(ExportError, match=r"holds \d+ files, and the search wrote \d+ there"):
        exported(*SMALL, how={"resume": True}, **where)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "hw", "--export", "new"], "--export needs --engine spark"),
        (
            ["check", "kip-101", "--engine", "spark", "--export", "new", "-p", "Stuck"],
            "--export cannot be combined with -p Stuck",
        ),
        (
            ["check", "hw", "--engine", "spark", "--export", "/proc/nosuch"],
            "--export /proc/nosuch: cannot be written to",
        ),
        (
            ["check", "hw", "--engine", "spark", "--export", "nosuch://host"],
            "--export nosuch://host: cannot be opened",
        ),
    ],
)
def test_bad_input_is_refused(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert not (tmp_path / "new").exists()


@slow
def test_a_full_disk_ends_the_search_and_it_can_be_resumed(exported, tmp_path):
    *_, folder = exported("tidegate.examples.published:hw", "max_leader_epoch=2", ("WeakIsr",))
    expected = content(folder)
    store, folder = str(tmp_path / "store"), tmp_path / "cut"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    larger = ["-b", "max_leader_epoch=2"]
    where = ["--store", store, "--local-levels", str(HERE), "--export", str(folder)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        result = CliRunner().invoke(main, ["check", *CUT, *larger, "--engine", "spark", *where])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    said = " ".join(result.output.split())
    assert f"--export {folder}, which cannot be written to (File too large)" in said
    assert f"Resume with: tidegate check --resume {store}" in said
    assert content(folder)["states"] < expected["states"]
    CliRunner().invoke(main, ["check", "--resume", store, "--trust", "--local-levels", str(HERE)])
    assert content(folder) == expected

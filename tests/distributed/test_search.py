"""The distributed engine reports what the compiled one does, wherever its levels are searched."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from tidegate.checker.check import check
from tidegate.checker.distributed import workers
from tidegate.checker.distributed.manifest import read_manifest, spark_folder
from tidegate.checker.distributed.store import Store
from tidegate.checker.engines import EngineChoiceError
from tidegate.checker.manifest import CheckpointError
from tidegate.core.result import Cluster, Limits, Resources
from tidegate.core.spec import DEADLOCK, Outcome, Property

pytestmark = pytest.mark.usefixtures("java")

HERE = 10**9
"""Candidates that no level of these has: all are searched in this process, without Spark."""

MODELS = [
    ("hw", "", {}),
    ("hw", "", {"keep_going": True}),
    ("hw", "crashes=1 replicas=1", {"names": ["Deadlock"]}),
    ("kip-101", "records=1", {"names": ["TypeOk", "Stuck"], "keep_going": True}),
    (
        "tidegate.examples.published:kip_101",
        "replicas=3 records=1",
        {"symmetry": True, "keep_going": True},
    ),
    ("tidegate.examples.async_isr:async_isr", "replicas=3 max_offset=1 max_version=2", {}),
    ("tidegate.examples.published:hw", "max_leader_epoch=2", {"keep_going": True}),
]


@pytest.mark.parametrize(("protocol", "settings", "options"), MODELS)
def test_the_report_is_that_of_the_compiled_engine(reported, protocol, settings, options):
    expected = reported(protocol, settings, **options)
    assert reported(protocol, settings, cluster=Cluster(local_levels=HERE), **options) == expected


ASSERTING = """\
from dataclasses import dataclass

from tidegate import Model, Record, Set, number, set_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(6, 1, 9, "nodes")


class State(Record):
    owners: Set = set_of(lambda k: k.nodes, "who has it")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node")
def take(s: State, k: Bounds, node: int) -> bool:
    if node in s.owners:
        return False
    s.owners.add(node)
    assert len(s.owners) < 4
    return True


@model.invariant("Few own it.")
def few(s: State, k: Bounds) -> bool:
    return len(s.owners) < 4
"""


@pytest.mark.parametrize("options", [{}, {"keep_going": True}])
def test_a_failing_assertion_is_what_the_compiled_engine_reports(reported, tmp_path, options):
    file = tmp_path / "model.py"
    file.write_text(ASSERTING)
    options = {"names": ["Few", "Assertion"], **options}
    expected = reported(str(file), **options)
    assert expected["properties"][1]["steps"] == 3
    assert reported(str(file), cluster=Cluster(local_levels=HERE), **options) == expected


@pytest.mark.parametrize("options", [{}, {"keep_going": True}, {"symmetry": True}])
@pytest.mark.parametrize("names", [["After"], ["Beside", "Elsewhere", "After", "Four"]])
def test_a_broken_assumption_ends_it_as_it_does_the_compiled_engine(reported, names, options):
    model = str(Path(__file__).parents[1] / "checker" / "counts_to_two.py")
    expected = reported(model, names=names, **options)
    assert expected["broken_assumption"]["steps"] == 3
    assert (expected["outcome"] == "incomplete") is (names == ["After"])
    cluster = Cluster(local_levels=HERE)
    assert reported(model, names=names, cluster=cluster, **options) == expected


def test_a_chain_of_limits_and_resumes_reports_what_one_run_does(reported, tmp_path):
    expected = reported("tidegate.examples.published:hw", "max_leader_epoch=2", keep_going=True)
    cluster = Cluster(local_levels=HERE, store=str(tmp_path / "store"))
    for depth in (1, 2, 5, 6, 13, None):
        found = reported(
            "tidegate.examples.published:hw",
            "max_leader_epoch=2",
            cluster=cluster,
            how={"resume": depth != 1},
            limits=Limits(max_depth=depth),
            keep_going=True,
        )
        assert found["complete"] is (depth is None)
        assert depth is None or found["depth"] == depth
    assert found == expected
    # What is complete is only reported once more.
    assert (
        reported(
            "tidegate.examples.published:hw",
            "max_leader_epoch=2",
            cluster=cluster,
            how={"resume": True},
            keep_going=True,
        )
        == expected
    )


def test_what_a_killed_driver_left_behind_the_manifest_is_found_again(reported, tmp_path):
    expected = reported("tidegate.examples.published:hw", "", keep_going=True)
    cluster = Cluster(local_levels=HERE, store=str(tmp_path / "store"))
    reported(
        "tidegate.examples.published:hw",
        "",
        cluster=cluster,
        limits=Limits(max_depth=5),
        keep_going=True,
    )
    store = Store(cluster.store)
    # The next level is there in part only: a file that is not whole, and a partial one.
    store.write("levels/00005/00000-of-00001.run", [b"half"])
    store.write("levels/00005/00000-of-00001.run.partial", [b"a quarter"])
    found = reported(
        "tidegate.examples.published:hw", "", cluster=cluster, how={"resume": True}, keep_going=True
    )
    assert found == expected


def test_an_interrupt_reports_what_was_covered_and_can_be_resumed(reported, tmp_path):
    cluster = Cluster(local_levels=HERE, store=str(tmp_path / "store"))

    def interrupt(progress):
        if progress.depth == 9:
            raise KeyboardInterrupt

    options = {"keep_going": True, "cluster": cluster}
    found = reported("tidegate.examples.published:hw", "", report=interrupt, **options)
    assert (found["stopped_by"], found["depth"]) == ("an interrupt", 9)
    resumed = reported("tidegate.examples.published:hw", "", how={"resume": True}, **options)
    assert resumed == reported("tidegate.examples.published:hw", "", keep_going=True)


def test_a_store_that_holds_a_search_is_left_alone(reported, tmp_path):
    cluster = Cluster(local_levels=HERE, store=str(tmp_path))
    reported("tidegate.examples.published:hw", "", cluster=cluster)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(
        CheckpointError, match=r"a search was begun there already.*tidegate check --resume"
    ):
        reported("tidegate.examples.published:kip_101", "", cluster=cluster)
    with pytest.raises(CheckpointError, match="made by other code"):
        reported("tidegate.examples.published:kip_101", "", cluster=cluster, how={"resume": True})
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_store_in_use_is_refused(tmp_path, reported):
    cluster = Cluster(local_levels=HERE, store=str(tmp_path))
    refused = []

    def again(progress):
        if not refused:
            with pytest.raises(CheckpointError, match="another run is using it") as caught:
                reported("tidegate.examples.published:hw", "", cluster=cluster)
            refused.append(caught.value)

    reported("tidegate.examples.published:hw", "", cluster=cluster, report=again)
    assert refused


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda content: content[:-1], "damaged"),
        (lambda content: b"", "damaged, and cannot be read"),
        (lambda content: bytes([content[0] ^ 1]) + content[1:], "damaged"),
        (None, "is missing; the store must be one that the driver and all executors share"),
    ],
)
def test_damaged_runs_are_noticed(reported, tmp_path, spoil, said):
    cluster = Cluster(local_levels=HERE, store=str(tmp_path))
    reported(
        "tidegate.examples.published:hw",
        "",
        cluster=cluster,
        limits=Limits(max_depth=6),
        keep_going=True,
    )
    [file] = (tmp_path / "levels" / "00005").iterdir()
    if spoil:
        file.write_bytes(spoil(file.read_bytes()))
    else:
        file.unlink()
    with pytest.raises(CheckpointError, match=rf"{file.name}: {said}"):
        reported(
            "tidegate.examples.published:hw",
            "",
            cluster=cluster,
            how={"resume": True},
            keep_going=True,
        )


def test_a_level_that_lost_states_is_noticed(reported, tmp_path):
    cluster = Cluster(local_levels=HERE, store=str(tmp_path))
    reported(
        "tidegate.examples.published:hw",
        "",
        cluster=cluster,
        limits=Limits(max_depth=6),
        keep_going=True,
    )
    store = Store(str(tmp_path))
    manifest = read_manifest(store)
    last = manifest.levels[-1]
    manifest.levels[-1] = dataclasses.replace(last, states=last.states + 1)
    manifest.save(store)
    with pytest.raises(CheckpointError, match=f"does not hold the {last.states + 1} states"):
        reported(
            "tidegate.examples.published:hw",
            "",
            cluster=cluster,
            how={"resume": True},
            keep_going=True,
        )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace('"states": 1', '"states": 2', 1), "damaged, its checksum"),
        (lambda text: "{}", "damaged, its checksum"),
        (lambda text: text[:20], "damaged, its checksum"),
    ],
)
def test_a_damaged_manifest_is_refused(reported, tmp_path, change, said):
    cluster = Cluster(local_levels=HERE, store=str(tmp_path))
    reported("tidegate.examples.published:hw", "", cluster=cluster, limits=Limits(max_depth=3))
    file = tmp_path / "manifest.json"
    file.write_text(change(file.read_text()))
    with pytest.raises(CheckpointError, match=said):
        reported("tidegate.examples.published:hw", "", cluster=cluster, how={"resume": True})


@pytest.mark.parametrize(
    ("resources", "said"),
    [
        ({"workers": 2}, "takes no --workers"),
        ({"memory": 1 << 30}, "takes no --max-memory"),
        ({"store": "fingerprint"}, "takes no --store fingerprint"),
    ],
)
def test_what_spark_is_told_in_another_way_is_refused(system, resources, said):
    with pytest.raises(EngineChoiceError, match=said):
        check(system("hw"), [DEADLOCK], resources=Resources(engine="spark", **resources))


def test_a_cluster_needs_a_store_that_it_shares(reported):
    with pytest.raises(CheckpointError, match="needs a store that all executors share"):
        reported("hw", "", cluster=Cluster(master="spark://127.0.0.1:7077"))


@pytest.mark.parametrize("location", ["nosuch://host/path", "/proc/nosuch", "/dev/null/below"])
def test_a_store_that_cannot_be_written_is_refused(reported, location):
    with pytest.raises(CheckpointError, match=r"--store .*(cannot be written to|cannot be opened)"):
        reported("hw", "", cluster=Cluster(store=location, local_levels=HERE))


def test_the_hash_of_the_code_covers_what_an_executor_imports():
    text = "import tidegate.checker.distributed.workers, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    imported = {
        name.removeprefix("tidegate.")
        for name in done.stdout.split()
        if name.startswith("tidegate.checker.distributed.")
    }
    assert imported <= set(workers.PARTS)


def test_a_violation_outside_the_constraint_has_its_shortest_trace(system):
    searched = system("tidegate.examples.async_isr:async_isr", "max_offset=1 max_version=2")
    inside = Property("Inside", "", "", searched.constraint, lambda s, k: "outside")
    cluster = Cluster(local_levels=HERE)
    found = check(searched, [inside], resources=Resources(engine="spark", cluster=cluster))
    expected = check(searched, [inside], resources=Resources(engine="interpreted"))
    assert found.first.outcome is Outcome.VIOLATED
    assert found.first.trace == expected.first.trace


def test_it_says_that_spark_is_being_started_and_then_how_far_it_is(reported):
    said = []
    cluster = Cluster(local_levels=0, partitions=1)
    reported(
        "tidegate.examples.published:hw",
        "records=1",
        cluster=cluster,
        report=lambda it: said.append(it.doing),
    )
    assert said.count("starting Spark") == 1
    assert said[-1] == ""


def test_spark_logs_to_the_store_also_where_that_is_no_directory(tmp_path):
    beside = Store("mock:///search")
    beside.make()
    with spark_folder(beside) as folder:
        (folder / "spark.log").write_text("WARN once\n")
    assert not folder.exists()
    assert beside.read("spark.log") == b"WARN once\n"

    with spark_folder(Store(str(tmp_path))) as folder:
        assert folder == tmp_path

"""A search stays within its limit of memory, whichever engine it has, and is reported then."""

import json
import re
import resource
import subprocess
import sys
import tracemalloc

import pytest

from tests.waiting import use_processor
from tidegate.core.behavior import Behavior
from tidegate.core.spec import Trace
from tidegate.core.tracefile import streamed
from tidegate.render.output import Reports
from tidegate.render.terminal import write_json

GRID = """
from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4_000, 1, 100_000, "largest number", main=True)


class State(Record):
    x: int = integer(0, lambda k: k.most, "one")
    y: int = integer(0, lambda k: k.most, "another")


model = Model(Bounds, State, deadlock=False)


@model.action("somebody")
def right(s: State, k: Bounds) -> bool:
    if s.x == k.most:
        return False
    s.x += 1
    return True


@model.action("somebody")
def up(s: State, k: Bounds) -> bool:
    if s.y == k.most:
        return False
    s.y += 1
    return True


@model.invariant("Both are small.")
def small(s: State, k: Bounds) -> bool:
    return s.x + s.y <= 2 * k.most
"""

TIDEGATE = [sys.executable, "-m", "tidegate"]

WITHIN = 64 << 20
"""How far the resident memory may exceed a small limit."""

MEASURE = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""


@pytest.fixture
def grid(tmp_path):
    (tmp_path / "grid.py").write_text(GRID)
    return str(tmp_path / "grid.py")


@pytest.mark.parametrize(
    ("engine", "limit"),
    [("interpreted", 64), ("auto", 100), ("compiled", 200)],
)
def test_the_limit_of_memory_holds(grid, tmp_path, engine, limit):
    report = tmp_path / "report.json"
    command = [*TIDEGATE, "check", grid, "--engine", engine, "--max-memory", f"{limit}M", "-q"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command, "--json", str(report)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    document = json.loads(report.read_text())
    assert (document["outcome"], document["stopped_by"]) == ("incomplete", f"--max-memory {limit}M")
    assert document["distinct_states"] > 50_000
    assert int(done.stdout.splitlines()[-1]) << 10 <= (limit << 20) + max(WITHIN, limit << 20 // 10)


def test_the_limit_of_memory_holds_where_liveness_is_decided(tmp_path):
    """All states are found; the components of their graph take more than is left."""
    report = tmp_path / "report.json"
    named = ["examples/ewd840.py", "-b", "nodes=7", "-p", "AllNodesTerminate"]
    options = ["--engine", "compiled", "--max-memory", "240M", "-q", "--json", str(report)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *TIDEGATE, "check", *named, *options],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    document = json.loads(report.read_text())
    assert (document["outcome"], document["stopped_by"]) == ("incomplete", "--max-memory 240M")
    assert document["distinct_states"] == 172_286
    assert int(done.stdout.splitlines()[-1]) << 10 <= (240 << 20) + WITHIN


def _with_address_space(kilobytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))


def test_memory_that_the_system_refuses_ends_a_search_as_incomplete(grid):
    done = subprocess.run(
        [*TIDEGATE, "check", grid, "-q", "--time-limit", "900"],
        preexec_fn=_with_address_space(130_000), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr[-500:]
    assert "Traceback" not in done.stderr + done.stdout
    assert "stopped by a lack of memory (ulimit -v)" in re.sub(r"\s+", " ", done.stdout)


MUCH = "    held = [0] * 40_000_000\n"
"""Takes 320 MB in a single call, between two looks at the memory."""


@pytest.mark.parametrize("before", ["    s.x += 1\n", "    return s.x + s.y"])
@pytest.mark.parametrize(
    ("space", "why"),
    [(None, "--max-memory 100M"), (300_000, "a lack of memory (ulimit -v); allow more, or")],
)
def test_a_single_call_that_takes_much_memory_is_refused_it(grid, tmp_path, before, space, why):
    (tmp_path / "grid.py").write_text(GRID.replace(before, MUCH + before))
    limit = [] if space else ["--max-memory", "100M"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *TIDEGATE, "check", grid, "-b", "most=5", "-q", *limit],
        preexec_fn=space and _with_address_space(space),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr[-500:]
    *said, most = done.stdout.split()
    assert f"(stopped by {why}" in " ".join(said)
    assert int(most) < 200 << 10


LIVE = """
from tidegate import Kind


@model.liveness(Kind.EVENTUALLY, "It gets to the end.")
def ends(s: State, k: Bounds) -> bool:
    return s.x + s.y == 2 * k.most
"""


def test_liveness_is_decided_within_the_limit_of_memory(grid, tmp_path):
    (tmp_path / "grid.py").write_text(GRID + LIVE)
    how = ["--engine", "interpreted", "--max-memory", "64M", "-q", "-b", "most=400", "-p", "Ends"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *TIDEGATE, "check", grid, *how],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stdout + done.stderr[-500:]
    *said, most = done.stdout.split()
    assert "Not decided: Ends (stopped by --max-memory 64M)" in " ".join(said)
    assert int(most) << 10 <= (64 << 20) + WITHIN


WIDE = """
from dataclasses import dataclass

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(3000, 1, 100_000, "largest number", main=True)


class State(Record):
    cells: list[int] = array(lambda k: 2_500, integer(0, 2**62, "a number"))


model = Model(Bounds, State, deadlock=False)


@model.action("somebody", cell=lambda k: range(2))
def up(s: State, k: Bounds, cell: int) -> bool:
    if s.cells[cell] == 2**62:
        return False
    s.cells[cell] += 1
    return True
"""


def test_wide_states_end_within_the_limit_of_memory(tmp_path):
    (tmp_path / "wide.py").write_text(WIDE)
    how = ["--engine", "interpreted", "--max-memory", "64M", "-q", "-p", "TypeOk"]
    done = subprocess.run(
        [*TIDEGATE, "check", str(tmp_path / "wide.py"), *how],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stdout + done.stderr[-500:]
    assert "(stopped by --max-memory 64M)" in " ".join(done.stdout.split())


def test_a_long_trace_is_never_in_memory_as_json(tmp_path, system):
    hw = system("hw")
    first = next(iter(hw.initial_states()))
    trace = Trace((first,) * 601, (hw.instances[0].step,) * 600)
    report = tmp_path / "report.json"
    with Reports({"--json": str(report)}) as reports:
        tracemalloc.start()
        reports.write(
            "--json", lambda target: write_json(target, {"trace": streamed(Behavior(hw, trace))})
        )
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert len(json.loads(report.read_text())["trace"]["states"]) == 601
    assert report.stat().st_size > 2 << 20
    assert most < 3 << 19


def test_a_signal_is_obeyed_where_memory_is_short(grid):
    process = subprocess.Popen(
        [*TIDEGATE, "check", grid, "-q", "--engine", "interpreted"],
        preexec_fn=_with_address_space(500_000), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    use_processor(process, 2)
    process.terminate()
    output, _ = process.communicate(timeout=20)
    assert process.returncode in (3, 130, 143)
    assert output.startswith("INCOMPLETE")

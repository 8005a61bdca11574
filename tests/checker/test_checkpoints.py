"""A search that was stopped goes on from its checkpoint as if it had never been stopped."""

import errno
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import zlib
from random import Random

import pytest

from tidegate.checker.check import check
from tidegate.checker.compiled import threads
from tidegate.checker.compiled.checkpoint import Checkpoint
from tidegate.checker.compiled.statefile import StateFileError
from tidegate.checker.engines import EngineChoiceError
from tidegate.checker.manifest import CheckpointError
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import Outcome

HW = ("hw", "records=1", {"keep_going": True})
KIP_101 = ("tidegate.examples.published:kip_101", "replicas=3 records=1", {})
KIP_320 = ("tidegate.examples.published:kip_320", "replicas=3 records=1 max_leader_epoch=2", {})
SYMMETRIC = ("tidegate.examples.published:kip_320", "replicas=3 records=1", {"symmetry": True})


@pytest.mark.parametrize(
    ("model", "how"),
    [
        (HW, {}),
        (SYMMETRIC, {"chunk": 8}),
        (KIP_101, {"store": "fingerprint"}),
    ],
)
def test_a_chain_of_limits_and_resumes_reports_what_one_run_does(
    searched, tmp_path, monkeypatch, model, how
):
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
    expected = searched(model, **how)
    keep = {"checkpoint": tmp_path, **how}
    found = searched(model, Limits(max_depth=1), **keep)
    assert found["stopped_by"] == "--max-depth 1"
    for turn in range(2, expected["depth"] // 4):
        limits = Limits(max_depth=4 * turn)
        found = searched(model, limits, resume=True, workers=1 + turn % 3, **keep)
        assert (found["complete"], found["depth"]) == (False, 4 * turn)
    assert searched(model, resume=True, **keep) == expected
    assert searched(model, resume=True, workers=3, **keep) == expected, "a finished one, again"


def test_a_limit_amid_a_level_is_gone_on_from(searched, tmp_path):
    expected = searched(KIP_320)
    found = searched(KIP_320, Limits(max_states=1000), checkpoint=tmp_path)
    assert found["stopped_by"] == "--max-states 1000"
    for states in (3000, 50_000):
        searched(KIP_320, Limits(max_states=states), resume=True, checkpoint=tmp_path, chunk=8)
    assert searched(KIP_320, resume=True, checkpoint=tmp_path) == expected


@pytest.mark.parametrize(("store", "workers"), [("exact", 2), ("fingerprint", 4)])
def test_ctrl_c_amid_a_level_loses_no_state(searched, tmp_path, monkeypatch, store, workers):
    monkeypatch.setattr(threads, "POLL", 1e-4)
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
    expected = searched(KIP_320, store=store)
    interrupted = 0

    def progress(shown):
        if shown.queue and shown.distinct_states > 30_000 * (interrupted + 1):
            raise KeyboardInterrupt

    how = {"store": store, "workers": workers, "chunk": 8}
    for attempt in range(30):
        # Whether anybody looks at a search amid a level is up to the threads.
        how["checkpoint"] = tmp_path / str(attempt)
        found = searched(KIP_320, progress=progress, **how)
        while not found["complete"]:
            assert (found["stopped_by"], found["outcome"]) == ("an interrupt", "incomplete")
            interrupted += 1
            found = searched(KIP_320, resume=True, progress=progress, **how)
        assert found == expected
        if interrupted:
            return
    raise AssertionError("nobody looked amid a level")


@pytest.fixture
def kept(searched, tmp_path):
    """Make a checkpoint of a search that has not ended."""
    searched(HW, Limits(max_depth=6), checkpoint=tmp_path / "run")
    return tmp_path / "run"


def rewritten(folder, **changes):
    """Change what a manifest says, and its checksum with it."""
    whole = json.loads((folder / "manifest.json").read_text())
    document = whole["manifest"] | changes
    text = json.dumps(document, sort_keys=True)
    whole = {"checksum": zlib.crc32(text.encode()), "manifest": document}
    (folder / "manifest.json").write_text(json.dumps(whole))


def flip(path, byte):
    """Flip a bit of a byte of a file."""
    content = bytearray(path.read_bytes())
    content[byte] ^= 4
    path.write_bytes(content)


def shorten(path, count):
    """Cut off the end of a file."""
    os.truncate(path, path.stat().st_size - count)


DAMAGES = {
    "manifest truncated": (lambda d: shorten(d / "manifest.json", 9), "damaged, its checksum"),
    "manifest empty": (lambda d: (d / "manifest.json").write_bytes(b""), "damaged, its checksum"),
    "manifest of something else": (lambda d: (d / "manifest.json").write_text("[1]"), "damaged"),
    "manifest not text": (lambda d: (d / "manifest.json").write_bytes(b"\xff"), "damaged"),
    "number in the manifest": (lambda d: flip(d / "manifest.json", 90), "damaged|checksum"),
    "manifest lost": (lambda d: (d / "manifest.json").unlink(), "no checkpoint there"),
    "other version": (lambda d: rewritten(d, **{"tidegate-checkpoint": 9}), "another version"),
    "other code": (lambda d: rewritten(d, code="0"), "made by other code"),
    "flipped bit of a state": (lambda d: flip(d / "states.bin", 33), "not those written"),
    "flipped bit at the end": (lambda d: flip(d / "states.bin", -3), "not those written"),
    "states too short": (lambda d: shorten(d / "states.bin", 1), "file of states ends at byte"),
    "states lost": (lambda d: (d / "states.bin").unlink(), "file of states ends at byte 0"),
}


@pytest.mark.parametrize(("damage", "reason"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_checkpoint_is_refused_with_a_reason(searched, kept, damage, reason):
    damage(kept)
    with pytest.raises(CheckpointError, match=reason) as refused:
        searched(HW, resume=True, checkpoint=kept)
    assert str(kept) in str(refused.value)


def test_what_lies_behind_the_states_that_count_is_cut_off(searched, kept):
    with open(kept / "states.bin", "ab") as file:
        file.write(b"left by a process that was killed")
    (kept / f"manifest.json.{16 * '0'}.partial").write_text("left likewise")
    assert searched(HW, resume=True, checkpoint=kept) == searched(HW)


def test_other_bounds_are_other_code(searched, kept):
    """Also where they change nothing but the initial states."""
    with pytest.raises(CheckpointError, match="made by other code"):
        searched(("hw", "records=2", {}), resume=True, checkpoint=kept)


def test_a_directory_is_used_by_one_search_at_a_time(searched, kept):
    lock = os.open(kept / "lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        with pytest.raises(CheckpointError, match="another run is using it"):
            searched(HW, resume=True, checkpoint=kept)
    finally:
        os.close(lock)


def test_a_checkpoint_is_not_written_over(searched, kept):
    before = (kept / "manifest.json").read_bytes()
    with pytest.raises(CheckpointError, match=f"tidegate check --resume {re.escape(str(kept))}"):
        searched(HW, checkpoint=kept)
    assert (kept / "manifest.json").read_bytes() == before


def test_a_place_that_cannot_be_written_to_is_refused(searched, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot be written to"):
        searched(HW, checkpoint=tmp_path / "file" / "below")
    searched(HW, Limits(max_depth=3), checkpoint=tmp_path / "run")
    os.rename(tmp_path / "run" / "states.bin", tmp_path / "states.bin")
    (tmp_path / "run" / "states.bin").symlink_to(tmp_path / "states.bin")
    before = (tmp_path / "states.bin").read_bytes()
    with pytest.raises(StateFileError, match="cannot be written there"):
        searched(HW, resume=True, checkpoint=tmp_path / "run")
    assert (tmp_path / "states.bin").read_bytes() == before


def test_states_that_cannot_be_put_aside_are_one_error(searched, tmp_path, monkeypatch):
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    with pytest.raises(StateFileError, match="set TMPDIR to a directory on a disk with space"):
        searched(HW, store="fingerprint")


@pytest.mark.parametrize("how", [{"engine": "interpreted"}, {"debug": True}])
def test_who_keeps_no_checkpoints_says_so(system, tmp_path, how):
    toy = system("hw", "records=1")
    toy.debug = how.pop("debug", False)
    with pytest.raises(EngineChoiceError, match="keeps no checkpoints"):
        check(toy, [], resources=Resources(checkpoint=tmp_path, **how))


@pytest.fixture
def small_disk():
    """Let files grow to a size only, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("store", ["exact", "fingerprint"])
def test_a_full_disk_ends_the_search_and_leaves_the_checkpoint(
    searched, tmp_path, monkeypatch, small_disk, store
):
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
    how = {"checkpoint": tmp_path, "store": store}
    expected = searched(KIP_320, store=store)
    small_disk(300_000)
    found = searched(KIP_320, **how)
    assert found["outcome"] == "incomplete"
    text = f"--checkpoint {tmp_path}, which cannot be written to (File too large)"
    assert found["stopped_by"] == text
    assert 300_000 / 32 < found["distinct_states"] < expected["distinct_states"]
    small_disk(resource.RLIM_INFINITY)
    assert searched(KIP_320, resume=True, **how) == expected


def test_a_manifest_that_cannot_be_written_ends_the_search(searched, tmp_path, monkeypatch):
    saved = Checkpoint.save

    def full(self, manifest):
        if len(manifest.levels) > 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        saved(self, manifest)

    expected = searched(HW)
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "save", full)
        found = searched(HW, checkpoint=tmp_path)
    assert "No space left on device" in found["stopped_by"]
    assert found["outcome"] == "incomplete"
    assert searched(HW, resume=True, checkpoint=tmp_path) == expected


def started(*arguments):
    """Start the command line as its own process."""
    command = [sys.executable, "-m", "tidegate", *map(str, arguments), "--checkpoint-every", "0"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Killer:
    """Kills a process again and again, and counts when it was writing a checkpoint."""

    state_bytes = 16
    """Of the states of tidegate.examples.published:kip_320 with three replicas."""

    def __init__(self, folder, seed):
        self.folder = folder
        self.random = Random(seed)
        self.kills = self.amid_writing = 0

    def watch(self, process, seconds):
        """Kill a process at a random moment after its first checkpoint, or amid writing one."""
        before = self._manifest()
        while process.poll() is None and self._manifest() == before:
            time.sleep(0.001)
        until = time.monotonic() + self.random.uniform(0, seconds)
        amid = self.random.random() < 0.6
        while process.poll() is None and (time.monotonic() < until or amid):
            if amid and time.monotonic() >= until and self._writes():
                break
            time.sleep(0.0002)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            # It may have come to its end meanwhile.
            if process.wait() == -signal.SIGKILL:
                self.kills += 1
                self.amid_writing += self._torn()

    def _manifest(self):
        """Return how many levels the checkpoint has."""
        try:
            document = json.loads((self.folder / "manifest.json").read_text())["manifest"]
        except FileNotFoundError:
            return 0
        return len(document["levels"])

    def _writes(self):
        """Whether a checkpoint is being written now."""
        return any(self.folder.glob("*.partial")) or self._torn()

    def _torn(self):
        """Whether states were written of which the manifest does not know, or half of one."""
        try:
            document = json.loads((self.folder / "manifest.json").read_text())["manifest"]
            known = sum(level["states"] for level in document["levels"]) * self.state_bytes
            size = (self.folder / "states.bin").stat().st_size
        except (OSError, ValueError):
            return True
        return size > known or any(self.folder.glob("*.partial"))


def killed_and_resumed(folder, arguments, kills, seconds, seed):
    """Kill a run and its resumptions, finish it, and return the report and the killer."""
    killer = Killer(folder, seed)
    process = started("check", *arguments, "--checkpoint", folder)
    while killer.kills < kills:
        killer.watch(process, seconds)
        if process.returncode != -signal.SIGKILL:
            shutil.rmtree(folder)
            process = started("check", *arguments, "--checkpoint", folder)
        else:
            process = started("check", "--resume", folder, "--trust")
    process.kill()
    process.wait()
    resumed = [sys.executable, "-m", "tidegate", "check", "--resume", str(folder), "--trust"]
    resumed += ["--json", "-"]
    output = subprocess.run(resumed, capture_output=True, text=True, check=False).stdout
    return json.loads(output), killer


def undisturbed(arguments):
    """Return the report of a run of its own."""
    command = [sys.executable, "-m", "tidegate", "check", *arguments, "--json", "-"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return json.loads(output)


def settings(*bounds):
    """Return bounds as options."""
    return [word for bound in bounds for word in ("-b", bound)]


def test_a_run_that_is_killed_is_gone_on_from(tmp_path):
    arguments = [
        "tidegate.examples.published:kip_320", "--engine", "compiled",
        *settings("replicas=3", "records=1", "max_leader_epoch=2"),
    ]  # fmt: skip
    found, killer = killed_and_resumed(tmp_path / "run", arguments, 2, 0.2, seed=5)
    expected = undisturbed(arguments)
    del found["seconds"], expected["seconds"], found["symmetry"], expected["symmetry"]
    assert killer.kills == 2
    assert found == expected
    assert found["distinct_states"] == 97_531


@pytest.mark.slow
@pytest.mark.parametrize("store", ["exact", "fingerprint"])
def test_ten_kills_of_a_large_run_leave_no_mark(tmp_path, store):
    arguments = [
        "kip-320", "--engine", "compiled", "--store", store, "--max-memory", "4G",
        *settings("replicas=3", "records=1", "crashes=3", "elections=3"),
    ]  # fmt: skip
    found, killer = killed_and_resumed(tmp_path / "run", arguments, 10, 2.0, seed=11)
    expected = undisturbed(arguments)
    del found["seconds"], expected["seconds"], found["symmetry"], expected["symmetry"]
    assert killer.kills == 10
    assert killer.amid_writing >= 3
    assert found == expected
    assert found["distinct_states"] >= 10_000_000
    assert found["outcome"] == Outcome.HOLDS.value

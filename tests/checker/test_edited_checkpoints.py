"""A checkpoint that anybody has edited, and a directory that is somebody else's, harm nobody."""

import json
import os
import shutil
import struct
import subprocess
import sys
import zlib

import pytest
from click.testing import CliRunner

from tidegate.checker.check import ResumeError
from tidegate.checker.compiled.statefile import StateFile, StateFileError
from tidegate.checker.manifest import CheckpointError
from tidegate.cli import main
from tidegate.core.result import Limits
from tidegate.core.spec import TidegateError
from tidegate.core.symmetry import Symmetry, permuted

HW = ("hw", "records=1", {"keep_going": True})
SYMMETRIC = ("tidegate.examples.published:kip_320", "replicas=3", {"symmetry": True})
CONSTRAINED = ("tidegate.examples.async_isr:async_isr", "max_offset=1 max_version=2", {})


WORDS = 2
"""Of a state of each of them."""


@pytest.fixture
def kept(searched, tmp_path):
    """Make a checkpoint of a search that has not ended, and has found violations."""
    searched(HW, Limits(max_depth=14), checkpoint=tmp_path / "run")
    return tmp_path / "run"


def edit(folder, change):
    """Change what a manifest says, and seal it again."""
    document = json.loads((folder / "manifest.json").read_text())["manifest"]
    replaced = change(document)
    document = document if replaced is None else replaced
    text = json.dumps(document, sort_keys=True)
    whole = {"checksum": zlib.crc32(text.encode()), "manifest": document}
    (folder / "manifest.json").write_text(json.dumps(whole))


def put(*path):
    """Return a change that puts the last of some keys and a value where the others lead."""
    *keys, value = path

    def change(document):
        node = document
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = value

    return change


def first_violation(document):
    return next(iter(document["violations"].values()))


def out_of_range(document):
    """Make a variable of the violating state larger than it can be."""
    words = first_violation(document)[1]
    words[-1] |= 1 << 63


def renamed(document):
    document["violations"]["Nonsense"] = document["violations"].popitem()[1]


EDITS = {
    "of something else": (lambda d: [], "its checksum"),
    "without a version": (lambda d: d.pop("tidegate-checkpoint") and None, "another version"),
    "without a field": (lambda d: d.pop("taken") and None, "not an object with the fields"),
    "with another field": (put("more", 1), "not an object with the fields"),
    "about": (put("about", []), "about is [], not an object"),
    "code": (put("code", 7), "code is 7, not a text"),
    "levels": (put("levels", {}), "levels is {}, not an array"),
    "level": (put("levels", 2, [1, 2]), "levels[2] is [1, 2], not an object"),
    "states of a level": (put("levels", 3, "states", -4), "levels[3].states is -4, not a whole"),
    "empty level": (put("levels", 3, "states", 0), "levels[3].states is 0, not a whole number"),
    "many states": (put("levels", 13, "states", 10**9), "the file of states ends at byte"),
    "too many states": (put("levels", 13, "states", 1 << 40), "is 1099511627776, not a whole"),
    "half a state": (put("levels", 3, "states", 0.5), "levels[3].states is 0.5, not a whole"),
    "true states": (put("levels", 0, "states", True), "levels[0].states is True, not a whole"),
    "checksum of a level": (put("levels", 3, "checksum", 1), "the states from number"),
    "checksum out of range": (put("levels", 3, "checksum", 1 << 32), "is 4294967296, not a whole"),
    "steps": (put("taken", 3), "taken is 3, not an array"),
    "steps of fewer instances": (lambda d: d["taken"].pop() and None, "not an array of"),
    "negative steps": (put("taken", 0, -1), "taken[0] is -1, not a whole number from 0"),
    "more steps than states": (put("taken", 0, 1 << 39), "taken[0] is 549755813888, not"),
    "steps as a text": (put("taken", 0, "1"), "taken[0] is '1', not a whole number"),
    "violations": (put("violations", []), "violations is [], not an object"),
    "unknown property": (renamed, "violations is 'Nonsense', not of"),
    "level of a violation": (lambda d: put(0, 40)(first_violation(d)), "is 40, not a whole number"),
    "words of a violation": (lambda d: put(1, [1])(first_violation(d)), "not the words of a state"),
    "no words": (lambda d: put(1, [])(first_violation(d)), "is [], not the words of a state"),
    "word too large": (lambda d: put(1, [1 << 64])(first_violation(d)), "not a whole number from"),
    "value out of range": (out_of_range, "not the words of a state"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "said"), EDITS.values(), ids=EDITS)
def test_a_manifest_that_was_edited_and_sealed_again_is_refused(searched, kept, change, said):
    edit(kept, change)
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    # Code that believed the manifest would end this process; see the next test.
    with pytest.raises(CheckpointError) as refused:
        searched(HW, resume=True, checkpoint=kept)
    assert said in str(refused.value)
    assert str(kept) in str(refused.value)
    assert before == {path.name: path.read_bytes() for path in kept.iterdir()}


ABOUT = {
    "nothing": (put("about", {}), "was started from Python"),
    "a field more": (put("about", "more", 1), "about is ['cluster', 'debug', "),
    "no protocol": (put("about", "protocol", None), "protocol is None, not a text"),
    "settings": (put("about", "settings", "records=1"), "settings is 'records=1', not an array"),
    "a setting": (put("about", "settings", [1]), "settings[0] is 1, not a text"),
    "names": (put("about", "names", {"a": 1}), "names is {'a': 1}, not an array"),
    "engine": (put("about", "engine", "spark"), "engine is 'spark', not a text like auto|comp"),
    "store": (put("about", "store", 5), "store is 5, not a text"),
    "keep going": (put("about", "keep_going", "no"), "keep_going is 'no', not true or false"),
    "symmetry": (put("about", "symmetry", 0), "symmetry is 0, not true or false"),
    "debug": (put("about", "debug", None), "debug is None, not true or false"),
    "cluster": (put("about", "cluster", []), "cluster is [], not an object"),
    "levels": (put("levels", 0, "states", 1 << 50), "levels[0].states is 1125899906842624, not"),
}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """Make a checkpoint by the command line."""
    folder = tmp_path_factory.mktemp("begun") / "run"
    arguments = [
        "tidegate.examples.published:hw",
        "--checkpoint",
        str(folder),
        "--max-depth",
        "4",
        "-q",
    ]
    assert CliRunner().invoke(main, ["check", *arguments]).exit_code == 3
    return folder


@pytest.mark.parametrize(("change", "said"), ABOUT.values(), ids=ABOUT)
def test_the_command_line_says_in_one_line_what_was_edited(begun, tmp_path, change, said):
    folder = shutil.copytree(begun, tmp_path / "run")
    edit(folder, change)
    if change is not ABOUT["levels"][0]:
        done = CliRunner().invoke(main, ["check", "--resume", str(folder)])
        status, text = done.exit_code, done.stderr
    else:
        # In a process of its own, since a wrong number was once an address.
        command = [sys.executable, "-m", "tidegate", "check", "--resume", str(folder)]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        status, text = process.returncode, process.stderr
    assert status == 2, text
    [line] = text.splitlines()
    assert line.startswith(f"Error: {folder}")
    assert said in line


def write_states(folder, first, states):
    """Replace states in the file, and compute the checksums of their levels again."""
    words = [word for state in states for word in state]
    with open(folder / "states.bin", "r+b") as file:
        file.seek(8 * first * WORDS)
        file.write(struct.pack(f"<{len(words)}Q", *words))
    content = (folder / "states.bin").read_bytes()

    def sums(document):
        start = 0
        for level in document["levels"]:
            end = start + 8 * WORDS * level["states"]
            level["checksum"], start = zlib.crc32(content[start:end]), end

    edit(folder, sums)


def read_state(folder, number):
    with open(folder / "states.bin", "rb") as file:
        file.seek(8 * number * WORDS)
        return struct.unpack(f"<{WORDS}Q", file.read(8 * WORDS))


@pytest.mark.parametrize("store", ["exact", "fingerprint"])
def test_states_that_are_none_do_not_reach_machine_code(searched, tmp_path, monkeypatch, store):
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
    how = {"checkpoint": tmp_path, "store": store}
    searched(HW, Limits(max_depth=9), **how)
    write_states(tmp_path, 40, [[(1 << 64) - 1] * WORDS])
    with pytest.raises(CheckpointError, match="are not those written"):
        searched(HW, resume=True, **how)


def test_another_initial_state_is_noticed(searched, kept):
    write_states(kept, 0, [read_state(kept, 1)])
    with pytest.raises(CheckpointError, match="first level is not that of the initial states"):
        searched(HW, resume=True, checkpoint=kept)


def test_a_state_that_stands_for_others_is_none_of_their_search(searched, system, tmp_path):
    searched(SYMMETRIC, Limits(max_depth=5), checkpoint=tmp_path)
    layout = system(*SYMMETRIC[:2]).layout
    # Another state of the same orbit: what replica 0 has is swapped with what replica 2 has.
    group = Symmetry(system(*SYMMETRIC[:2])).group
    for number in range(1, 60):
        state = layout.unpack(read_state(tmp_path, number))
        others = {permuted(layout, one)(state) for one in group} - {state}
        if others:
            write_states(tmp_path, number, [layout.pack(others.pop())])
            break
    with pytest.raises(CheckpointError, match="are not those written"):
        searched(SYMMETRIC, resume=True, checkpoint=tmp_path)


def test_the_same_state_again_and_again_ends_with_an_error(searched, tmp_path):
    """All of them belong into one bucket of the table, and there is no room for so many."""
    searched(HW, Limits(max_depth=9), checkpoint=tmp_path)
    document = json.loads((tmp_path / "manifest.json").read_text())["manifest"]
    total, more = sum(level["states"] for level in document["levels"]), 100_000
    last = len(document["levels"]) - 1
    edit(tmp_path, put("levels", last, "states", document["levels"][last]["states"] + more))
    write_states(tmp_path, total, [read_state(tmp_path, total - 1)] * more)
    taken = [10**5] * len(document["taken"])
    edit(tmp_path, put("taken", taken))
    with pytest.raises(CheckpointError, match="are not those written"):
        searched(HW, resume=True, checkpoint=tmp_path)


def test_a_deadlock_that_is_none_is_an_error_not_a_verdict(searched, tmp_path):
    model = ("hw", "crashes=1", {"keep_going": True}, ["Deadlock"])
    searched(model, Limits(max_depth=3), checkpoint=tmp_path)
    edit(tmp_path, lambda d: put("violations", {"Deadlock": [0, read_state(tmp_path, 0)]})(d))
    with pytest.raises(
        ResumeError,
        match=r"damaged, no search can have written this \(machine code and Python disagree",
    ):
        searched(model, resume=True, checkpoint=tmp_path)


def test_a_violation_that_a_manifest_lacks_is_found_again(searched, kept):
    expected = searched(HW)
    edit(kept, put("violations", {}))
    assert searched(HW, resume=True, checkpoint=kept) == expected


def test_a_violation_outside_the_constraint_survives_a_resume(searched, tmp_path):
    """It is in no level, so that it cannot be found there again."""
    expected = searched(CONSTRAINED)
    for depth in (3, 6, None):
        how = {"resume": depth != 3, "checkpoint": tmp_path}
        found = searched(CONSTRAINED, Limits(max_depth=depth), **how)
    assert found == expected


def test_states_that_change_on_the_disk_meanwhile_are_noticed(searched, tmp_path, monkeypatch):
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
    append = StateFile.append

    def flipping(self, region, first, count, checksum):
        checksum = append(self, region, first, count, checksum)
        if self.states > 100:
            with open(tmp_path / "states.bin", "r+b") as file:
                file.seek(8 * 90)
                byte = file.read(1)[0]
                file.seek(8 * 90)
                file.write(bytes([byte ^ 1]))
            monkeypatch.setattr(StateFile, "append", append)
        return checksum

    monkeypatch.setattr(StateFile, "append", flipping)
    with pytest.raises(StateFileError, match="read back are not those written"):
        searched(HW, store="fingerprint", checkpoint=tmp_path)


def test_a_search_that_was_killed_before_its_first_level_is_resumed(searched, tmp_path):
    def interrupt(progress):
        raise KeyboardInterrupt

    expected = searched(HW)
    searched(HW, Limits(max_depth=4), checkpoint=tmp_path)
    edit(tmp_path, lambda d: d.update(levels=[], taken=[], violations={}))
    assert searched(HW, resume=True, checkpoint=tmp_path) == expected


FOREIGN = {
    "states of somebody": ("states.bin", b"mine"),
    "a manifest of something else": ("manifest.json", b'{"name": "my page"}'),
    "a lock with something in it": ("lock", b"4711"),
    "a partial manifest": ("manifest.json.partial", b"mine"),
    "a file": ("notes.txt", b"mine"),
    "a file whose name is not text": (b"\xff.txt", b"mine"),
}


@pytest.mark.parametrize(("name", "content"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_somebody_elses_is_left_alone(searched, tmp_path, name, content):
    path = os.path.join(os.fsencode(tmp_path), os.fsencode(name))
    with open(path, "wb") as file:
        file.write(content)
    with pytest.raises(CheckpointError, match="is there, and belongs to no search; name a dir"):
        searched(HW, checkpoint=tmp_path)
    with open(path, "rb") as file:
        assert file.read() == content
    assert os.listdir(os.fsencode(tmp_path)) == [os.fsencode(name)]


def test_directories_and_links_of_somebody_else_are_left_alone(searched, tmp_path):
    (tmp_path / "mine").write_text("mine")
    for name in ("lock",):
        run = tmp_path / f"run-{name}"
        run.mkdir()
        (run / name).symlink_to(tmp_path / "mine")
        with pytest.raises(TidegateError, match="is there, and belongs to no search"):
            searched(HW, checkpoint=run)
        (run / name).unlink()
        (run / name).mkdir()
        with pytest.raises(TidegateError, match="is there, and belongs to no search"):
            searched(HW, checkpoint=run)
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_link_in_a_checkpoint_leads_to_no_other_file(searched, kept, tmp_path):
    (tmp_path / "mine").write_text("mine")
    (kept / "states.bin").unlink()
    (kept / "states.bin").symlink_to(tmp_path / "mine")
    edit(kept, lambda d: d.update(levels=[], taken=[], violations={}))
    with pytest.raises(StateFileError):
        searched(HW, resume=True, checkpoint=kept)
    assert (tmp_path / "mine").read_text() == "mine"


def test_what_a_search_leaves_that_is_killed_at_once_is_in_nobodys_way(searched, tmp_path):
    (tmp_path / "lock").touch()
    (tmp_path / f"manifest.json.{16 * '0'}.partial").write_text('{"checksum": 12')
    assert searched(HW, checkpoint=tmp_path) == searched(HW)

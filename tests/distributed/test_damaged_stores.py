"""Whatever becomes of the files of a store, no search takes them for what was written."""

import json
import re
import shutil
import struct
import subprocess
import sys
import zlib

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.checker.check import ResumeError, check
from tidegate.checker.distributed.columns import ExportError
from tidegate.checker.distributed.manifest import read_manifest, spark_folder
from tidegate.checker.distributed.runs import (
    BLOCK,
    RunFile,
    Summing,
    Sums,
    blocks,
    level_name,
    record_of,
    write_run,
)
from tidegate.checker.distributed.store import Store
from tidegate.checker.manifest import CheckpointError
from tidegate.cli import main
from tidegate.core.fields import Record, integer
from tidegate.core.layout import Layout
from tidegate.core.result import Cluster, Limits, Resources
from tidegate.core.spec import Action, Outcome, Property, TransitionSystem

pytestmark = pytest.mark.usefixtures("java")

HERE = 10**9
"""Candidates that no level of these has: all are searched in this process, without Spark."""

MODEL = ("tidegate.examples.published:hw", "")
"""Violated on levels 8 and 9 of 16, from which traces lead back through the levels before."""

WORDS = 1
"""Of its states, and of their records."""


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory):
    return tmp_path_factory.mktemp("undamaged") / "store"


@pytest.fixture
def resumed(reported):
    """Go on with the search in a store, or begin it."""

    def run(store, resume=True, **options):
        cluster = Cluster(local_levels=HERE, store=str(store))
        options = {"keep_going": True, **options}
        return reported(*MODEL, cluster=cluster, how={"resume": resume}, **options)

    return run


@pytest.fixture
def store(undamaged, resumed, tmp_path):
    """Return a store of a search that has violations, and has not ended."""
    if not undamaged.exists():
        resumed(undamaged, resume=False, limits=Limits(max_depth=14))
    shutil.copytree(undamaged, tmp_path / "store")
    return tmp_path / "store"


def run_files(store):
    """Return the files of runs, those of levels first."""
    return sorted(store.rglob("*.run"))


def flipped(content, at):
    return content[:at] + bytes([content[at] ^ 16]) + content[at + 1 :]


DAMAGES = {
    "a record": lambda content: flipped(content, 3),
    "a parent or the last record": lambda content: flipped(content, -50),
    "a checksum": lambda content: flipped(content, -38),
    "the seal": lambda content: flipped(content, -1),
    "the number of records": lambda content: flipped(content, -28),
    "truncated": lambda content: content[:-1],
    "its first half": lambda content: content[: len(content) // 2],
    "its second half": lambda content: content[len(content) // 2 :],
    "extended": lambda content: content + b"\0",
    "empty": lambda content: b"",
    "nothing but zeros": lambda content: bytes(len(content)),
    "missing": None,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_no_damage_to_any_file_goes_unnoticed(resumed, store, damage):
    manifest = read_manifest(Store(str(store)))
    for run in (manifest.runs[4], manifest.runs[-1]):
        path = store / run.file(0)
        content = path.read_bytes()
        if damage:
            path.write_bytes(damage(content))
        else:
            path.unlink()
        with pytest.raises(CheckpointError) as refused:
            resumed(store, limits=Limits(max_depth=15))
        assert f"{path}: " in str(refused.value)
        assert re.search("damaged|is missing", str(refused.value))
        assert len(str(refused.value).splitlines()) == 1
        path.write_bytes(content)
        # The level that follows was found, before that of a trace was read.
        manifest.save(Store(str(store)))


def test_a_flipped_byte_of_an_earlier_level_changes_no_count(resumed, store):
    """States of an earlier level that were not subtracted counted again."""
    manifest = read_manifest(Store(str(store)))
    path = store / manifest.runs[2].file(0)
    content = path.read_bytes()
    for at in range(0, len(content), len(content) // 4):
        path.write_bytes(flipped(content, at))
        with pytest.raises(CheckpointError, match="damaged"):
            resumed(store, limits=Limits(max_depth=15))
    path.write_bytes(content)


def test_files_that_change_places_are_noticed(resumed, store):
    manifest = read_manifest(Store(str(store)))
    files = [store / run.file(0) for run in manifest.runs[7:]]
    for one, other in zip(files, files[1:] + files[:1], strict=True):
        before = one.read_bytes(), other.read_bytes()
        one.write_bytes(before[1])
        other.write_bytes(before[0])
        with pytest.raises(
            CheckpointError, match="damaged; begin the search anew, in another store"
        ):
            resumed(store, limits=Limits(max_depth=15))
        one.write_bytes(before[0])
        other.write_bytes(before[1])
        manifest.save(Store(str(store)))


def test_a_file_of_another_search_is_noticed_also_under_the_same_name(resumed, store, tmp_path):
    """Such as one that was there before, and is put back from a backup."""
    resumed(tmp_path / "other", resume=False, limits=Limits(max_depth=14))
    names = [path.relative_to(store) for path in run_files(store)]
    assert names == [path.relative_to(tmp_path / "other") for path in run_files(tmp_path / "other")]
    name = read_manifest(Store(str(store))).runs[-1].file(0)
    shutil.copy(tmp_path / "other" / name, store / name)
    with pytest.raises(CheckpointError, match=f"{name}: damaged"):
        resumed(store)


def test_an_old_manifest_is_gone_on_from(resumed, tmp_path):
    store = tmp_path / "store"
    resumed(store, resume=False, limits=Limits(max_depth=2))
    old = (store / "manifest.json").read_bytes()
    expected = resumed(store, limits=Limits(max_depth=4))
    (store / "manifest.json").write_bytes(old)
    assert resumed(store, limits=Limits(max_depth=4)) == expected


def test_the_command_line_names_the_damaged_file_in_one_line(tmp_path):
    store = tmp_path / "store"
    where = ["--engine", "spark", "--store", str(store), "--local-levels", str(HERE)]
    command = ["check", MODEL[0], *where, "--max-depth", "8", "--continue"]
    assert CliRunner().invoke(main, command).exit_code == 3
    path = store / "levels" / "00007" / "00000-of-00001.run"
    path.write_bytes(flipped(path.read_bytes(), 20))
    command = [
        sys.executable,
        "-m",
        "tidegate",
        "check",
        "--resume",
        str(store),
        "--trust",
        "--local-levels",
        str(HERE),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: {path}: damaged; begin the search anew, in another store\n"


@settings(deadline=None)
@given(st.lists(st.integers(0, 3 * BLOCK), max_size=6), st.data())
def test_checksums_do_not_depend_on_the_pieces_that_were_written(sizes, data):
    content = bytes(n * 37 % 251 for n in range(997)) * (sum(sizes) // 997 + 1)
    content = content[: sum(sizes)]
    summing, at = Summing(), 0
    for size in sizes:
        summing.add(memoryview(content)[at : at + size])
        at += size
    sums = summing.finish()
    starts = range(0, len(content), BLOCK)
    expected = [zlib.crc32(content[start : start + BLOCK]) for start in starts]
    assert list(struct.unpack(f"<{blocks(len(content))}I", sums)) == expected
    if content:
        number = data.draw(st.integers(0, len(content) - 1))
        damaged = Sums(sums)
        first = number // BLOCK
        part = flipped(content, number)[first * BLOCK :]
        assert not damaged.verify(part, first)
        assert damaged.verify(content, 0)
        # It was verified once.
        assert damaged.verify(part, first)


@pytest.fixture(params=["", "mock:///"])
def long_run(request, tmp_path):
    """Write a run of many blocks, to a local file system and to one that is not."""
    store = Store(request.param or str(tmp_path), search="search")
    store.make()
    records = sorted(record_of((number, 7)) for number in range(40_000))
    content = b"".join(struct.pack("<2Q", *record) for record in records)
    parents = b"".join(struct.pack("<Q", number) for number in range(len(records)))
    write_run(store, "run", 2, [memoryview(content)], [memoryview(parents)])
    return store, records


def rewritten(store, at):
    store.write("run", [flipped(store.read("run"), at)])


def test_a_part_of_a_run_is_verified_without_the_rest(long_run):
    store, records = long_run
    per_block = BLOCK // 16  # Records have two words there.
    rewritten(store, 3 * BLOCK + 5)
    with RunFile(store, "run", 2) as file:
        [(buffer, count)] = file.pieces(0, 3 * per_block)
        assert count == 3 * per_block
        assert buffer.to_pybytes() == b"".join(struct.pack("<2Q", *r) for r in records[:count])
        assert (file.fingerprint(7), file.parent(7)) == (records[7][0], 7)
        for read in (
            lambda: list(file.pieces(2 * per_block, 4 * per_block)),
            lambda: list(file.pieces(4 * per_block - 1, 4 * per_block)),
            lambda: file.words(3 * per_block),
            lambda: file.fingerprint(4 * per_block - 1),
        ):
            with pytest.raises(CheckpointError, match="run: damaged; begin the search anew"):
                read()


def test_a_parent_is_verified(long_run):
    store, _ = long_run
    rewritten(store, 40_000 * 16 + 8 * 39_000)
    with RunFile(store, "run", 2) as file:
        assert file.parent(0) == 0
        with pytest.raises(CheckpointError, match="damaged"):
            file.parent(39_000)


def test_a_file_that_changes_is_verified_again(long_run):
    store, _ = long_run
    for at in (0, 5 * BLOCK):
        with RunFile(store, "run", 2) as file:
            assert sum(count for _, count in file.pieces(0, file.count)) == 40_000
        before = store.read("run")
        rewritten(store, at)
        with RunFile(store, "run", 2) as file, pytest.raises(CheckpointError, match="damaged"):
            list(file.pieces(0, file.count))
        store.write("run", [before])


def test_a_run_of_another_name_search_or_state_size_is_refused(long_run, tmp_path):
    store, _ = long_run
    with pytest.raises(CheckpointError, match="damaged"):
        RunFile(store, "run", 3)
    store.write("another", [store.read("run")])
    with pytest.raises(CheckpointError, match="damaged"):
        RunFile(store, "another", 2)
    store.search = "other"
    with pytest.raises(CheckpointError, match="damaged"):
        RunFile(store, "run", 2)


def forged(store, run, change):
    """Write a run's file again, with other records, and all that belongs to that."""
    opened = Store(str(store))
    opened.search = read_manifest(opened).search
    with RunFile(opened, run.file(0), WORDS) as file:
        pieces = [buffer.to_pybytes() for buffer, _ in file.pieces(0, file.count)]
        counted = range(file.count)
        parents = b"".join(struct.pack("<Q", file.parent(number)) for number in counted)
    records = change(b"".join(pieces))
    parents = parents[-len(records) // WORDS :]
    write_run(opened, run.file(0), WORDS, [memoryview(records)], [memoryview(parents)])


def test_earlier_runs_that_hold_fewer_states_are_noticed(resumed, store):
    manifest = read_manifest(Store(str(store)))
    forged(store, manifest.runs[2], lambda records: records[8 * WORDS :])
    with pytest.raises(
        CheckpointError, match=f"do not hold the {manifest.states} states that were wr"
    ):
        resumed(store)


def test_records_that_stand_for_no_state_do_not_reach_machine_code(resumed, store):
    last = read_manifest(Store(str(store))).runs[-1]
    forged(store, last, lambda records: records[:-8] + b"\xff" * 8)
    with pytest.raises(CheckpointError, match=f"{last.file(0)}: damaged"):
        resumed(store)


def edit(store, change):
    """Change what a manifest says, and seal it again."""
    document = json.loads((store / "manifest.json").read_text())["manifest"]
    change(document)
    text = json.dumps(document, sort_keys=True)
    whole = {"checksum": zlib.crc32(text.encode()), "manifest": document}
    (store / "manifest.json").write_text(json.dumps(whole))


def put(*path):
    """Return a change that puts the last of some keys and a value where the others lead."""
    *keys, value = path

    def change(document):
        node = document
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = value

    return change


EDITS = {
    "without a field": (lambda d: d.pop("search"), "not an object with the fields"),
    "version": (put("tidegate-store", 1), "written by another version"),
    "about": (put("about", None), "about is None, not an object"),
    "code": (put("code", [1]), "code is [1], not a text"),
    "other code": (put("code", "0"), "made by other code"),
    "search": (put("search", "../a"), "search is '../a', not a text like [0-9a-f]{32}"),
    "search of another store": (put("search", "0" * 32), "damaged; begin the search anew"),
    "shares": (put("shares", -1), "shares is -1, not a whole number from 0 to 100000"),
    "many shares": (put("shares", 10**9), "shares is 1000000000, not a whole number"),
    "levels": (put("levels", None), "levels is None, not an array"),
    "level": (put("levels", 0, []), "levels[0] is [], not an object"),
    "shares of a level": (put("levels", 3, "shares", 0), "levels[3].shares is 0, not a whole"),
    "states of a level": (put("levels", 3, "states", -7), "levels[3].states is -7, not a whole"),
    "empty level": (put("levels", 3, "states", 0), "levels[3].states is 0, not a whole number"),
    "more states": (put("levels", 3, "states", 1 << 40), "not a whole number from"),
    "states as a text": (put("levels", 3, "states", "7"), "levels[3].states is '7', not a whole"),
    "taken": (put("taken", 0, -1), "taken[0] is -1, not a whole number"),
    "no steps": (put("taken", []), "taken is [], not an array of"),
    "too many steps": (put("taken", 0, 1 << 39), "taken[0] is 549755813888, not a whole number"),
    "violations": (put("violations", 0), "violations is 0, not an object"),
    "unknown property": (put("violations", "X", [1, [1, 2]]), "violations is 'X', not of"),
    "level of a violation": (put("violations", "WeakIsr", 0, 99), "[0] is 99, not a whole number"),
    "words of a violation": (put("violations", "WeakIsr", 1, [1, 2]), "not the words of a state"),
    "violation out of range": (
        put("violations", "WeakIsr", 1, [(1 << 64) - 1]), "not the words of a state"
    ),
    "spark levels": (put("spark_levels", 99), "spark_levels is 99, not a whole number"),
    "export": (put("export", 5), "export is 5, not a text"),
    "exported": (put("exported", 3), "exported is 3, not a whole number from 0 to 0"),
    "exporting elsewhere": (put("exporting", ["../../x"]), "exporting[0] is '../../x', not a text"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "said"), EDITS.values(), ids=EDITS)
def test_a_manifest_that_was_edited_and_sealed_again_is_refused(resumed, store, change, said):
    (store.parent / "precious").mkdir()
    (store.parent / "precious" / "photo").write_text("mine")
    edit(store, change)
    before = contents(store)
    with pytest.raises(CheckpointError) as refused:
        resumed(store)
    assert said in str(refused.value)
    assert str(store) in str(refused.value)
    assert contents(store) == before
    assert (store.parent / "precious" / "photo").read_text() == "mine"


def contents(folder):
    """Return the content of all files below a directory."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_state_that_violates_nothing_is_an_error_not_a_verdict(resumed, store):
    def swap(document):
        state = read_state(store, 5)
        document["violations"]["WeakIsr"] = [5, list(state)]

    edit(store, swap)
    with pytest.raises(
        ResumeError,
        match=r"damaged, no search can have written this \(WeakIsr is not violated at the end",
    ):
        resumed(store)


def read_state(store, level):
    opened = Store(str(store), search=read_manifest(Store(str(store))).search)
    with RunFile(opened, f"{level_name(level)}/00000-of-00001.run", WORDS) as file:
        return file.words(0)


def test_a_state_on_another_level_is_an_error_not_a_trace(resumed, store):
    level = json.loads((store / "manifest.json").read_text())["manifest"]["violations"]["WeakIsr"]
    edit(store, put("violations", "WeakIsr", 0, level[0] - 2))
    with pytest.raises(ResumeError, match="damaged, no search can have written this"):
        resumed(store)


@pytest.mark.parametrize("content", [b"", b"{}", b"[" * 100_000, b'{"a": ' * 100_000, b"\xff\xfe"])
def test_what_is_no_manifest_is_refused_in_one_line(tmp_path, content):
    """Brackets that are nested deeply are too much for Python's own reader."""
    (tmp_path / "manifest.json").write_bytes(content)
    for command in (
        ["check", "--resume", str(tmp_path)],
        ["check", "--resume", f"file://{tmp_path}"],
    ):
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 2
        [line] = result.output.splitlines()
        assert line.endswith("manifest.json: damaged, its checksum is wrong; begin the search anew")


FOREIGN = {
    "a file": ("notes.txt", b"mine"),
    "a manifest of something else": ("manifest.json", b'{"name": "my page"}'),
    "a lock with something in it": ("lock", b"4711"),
    "levels": ("levels/00000/00000-of-00001.run", b"mine"),
    "a probe": ("probe", b"mine"),
    "a log": ("spark.log", b"mine"),
}


@pytest.mark.parametrize(("name", "content"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_somebody_elses_is_left_alone(resumed, tmp_path, name, content):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    for where in (tmp_path, f"file://{tmp_path}"):
        with pytest.raises(
            CheckpointError, match=r"is there, and belongs to no search; name a direct"
        ):
            resumed(where, resume=False)
    assert contents(tmp_path) == {path: content}


def test_what_a_search_leaves_that_is_killed_at_once_is_in_nobodys_way(resumed, tmp_path):
    expected = resumed(tmp_path / "one", resume=False)
    two = tmp_path / "two"
    two.mkdir()
    (two / "lock").touch()
    (two / f"manifest.json.{'a' * 32}.partial").write_text('{"checksum": 12')
    assert resumed(two, resume=False) == expected


def test_a_search_that_was_killed_before_its_first_level_is_resumed(resumed, store):
    expected = resumed(store)
    nothing = {"levels": [], "taken": [], "violations": {}}
    edit(store, lambda document: document.update(nothing))
    assert resumed(store) == expected


def test_a_link_in_a_store_leads_to_no_other_file(tmp_path):
    (tmp_path / "mine").write_text("mine")
    store = tmp_path / "store"
    store.mkdir()
    for name in ("spark.log", "log4j2.properties"):
        (store / name).symlink_to(tmp_path / "mine")
    with spark_folder(Store(str(store))) as folder:
        assert folder == store
        assert not any(path.is_symlink() for path in store.iterdir())
    assert (tmp_path / "mine").read_text() == "mine"


def exporting(tmp_path, folder, name="store", resume=False, **limits):
    """Search and export to a directory."""
    cluster = Cluster(local_levels=HERE, store=str(tmp_path / name), export=str(folder))
    return {"cluster": cluster, "how": {"resume": resume}, "limits": Limits(**limits)}


@pytest.mark.parametrize(
    "name", ["_pending/notes.txt", "_pending/states/photo.parquet", "states/a"]
)
def test_an_export_writes_over_nobodys_files(reported, tmp_path, name):
    path = tmp_path / "tables" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(ExportError, match="holds something already"):
        reported(*MODEL, **exporting(tmp_path, tmp_path / "tables"))
    assert contents(tmp_path / "tables") == {path: b"mine"}
    # The store was not begun, and another directory can be named.
    assert reported(*MODEL, **exporting(tmp_path, tmp_path / "others"))["complete"] is False


def test_an_export_that_is_gone_on_with_removes_nobodys_files(reported, tmp_path):
    tables = tmp_path / "tables"
    reported(*MODEL, **exporting(tmp_path, tables, max_depth=4))
    (tables / "_pending").mkdir()
    (tables / "_pending" / "notes.txt").write_text("mine")
    before = contents(tables)
    with pytest.raises(ExportError, match=r"holds _pending/notes.txt, which the search has not wr"):
        reported(*MODEL, **exporting(tmp_path, tables, resume=True))
    assert contents(tables) == before


def test_an_export_that_was_begun_at_once_is_begun_again(reported, tmp_path):
    tables = tmp_path / "tables"
    left = tables / "_pending" / "states" / f"schema.parquet.{'0' * 32}.partial"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    reported(*MODEL, **exporting(tmp_path, tables))
    assert {path.name for path in tables.iterdir()} == {"states", "steps", "violations"}


class Number(Record):
    """A counter."""

    x: int = integer(0, 9, "a number")


def count(s, k):
    s.x += 1
    return True


def below_three(s, k):
    return s.x < 3


def test_a_violation_behind_the_last_level_has_its_trace():
    """All that follows from the last level is outside the constraint, so that no run holds it."""
    counting = TransitionSystem(
        "counting", {}, "", None, Layout(Number, None),
        [Action("Count", count, "toy", lambda k: [()], "toy")],
        lambda s, k: iter([None]), lambda s, k: {}, constraint=below_three,
    )  # fmt: skip
    small = Property("Small", "", "toy", below_three, lambda s, k: "three")
    for engine in ("spark", "compiled"):
        resources = Resources(engine=engine, cluster=Cluster(local_levels=HERE))
        found = check(counting, [small], resources=resources)
        assert found.first.outcome is Outcome.VIOLATED
        assert len(found.first.trace.steps) == 3

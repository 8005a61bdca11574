"""Whatever becomes of a checkpoint or a store, to resume it ends as documented, and never wrongly.

Each input is a copy of one that a search has kept, damaged or edited by a random generator.  It is
resumed in a process of its own, since the code that reads it is machine code.

- *Damage* is what disks, copies and backups do: bytes that are flipped or missing, files that are
  empty, lost, exchanged or old.  The answer is that of an undisturbed run, or a line and status 2.
- *Edits* are sealed again, with all checksums right.  They end with a documented status.  Where
  what was edited can be found out again, so are counts and verdicts; see ``BELIEVED``.

More of them:

    TIDEGATE_FUZZ=100000 python -m pytest tests/fuzz/test_kept_searches.py -m slow

Each input comes of the seed (``TIDEGATE_FUZZ_SEED``), the test and its number alone, so that one is
made again by the variables that a failure prints.
"""

import json
import os
import resource
import select
import shutil
import struct
import traceback
import zlib
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from tests.fuzz.conftest import FIRST, LONGEST, MANY, SEED
from tidegate.checker.distributed.manifest import read_manifest
from tidegate.checker.distributed.runs import RunFile, bound, write_run
from tidegate.checker.distributed.store import Store
from tidegate.cli import main

FEW = 1
DOCUMENTED = {0, 2, 3, 11, 12, 13, 130}
"""Statuses with which a resumed search may end; 70 is an internal error or an ill-formed model."""

BELIEVED = {
    "checkpoint": ("about", "taken"),
    "store": ("about", "taken", "violations", "spark_levels"),
}
"""Fields of a manifest that say what only another search would find out; edits can be plausible."""

SEARCHES = {
    "whole": ["tidegate.examples.published:hw", "--continue"],
    "begun": ["tidegate.examples.published:hw", "--continue", "--max-depth", "12"],
    "before the violation": ["tidegate.examples.published:hw", "--max-depth", "6"],
    "symmetric": ["tidegate.examples.published:kip_320", "-b", "replicas=3", "-b", "records=1",
                  "--symmetry",
                  "--max-depth", "8"],
    "constrained": ["tidegate.examples.async_isr:async_isr", "-b", "max_offset=1", "-b",
                    "max_version=2",
                    "--max-depth", "7"],
}  # fmt: skip

JUNK = (
    None, True, False, 0, 1, -1, 7, 2**31, 2**32, 2**40, 2**63, 2**64, -(2**64), 10**50, 1.5, 1e999,
    "", "x", "0", "../precious", "levels/00001", "spark", "\ud800", "x" * 5000,
    [], {}, [[]], [None], [0, 1, 2], {"": ""},
)  # fmt: skip
"""Values to put in place of others."""


def answered(*arguments):
    """Run a command in this process; return its status, its report and what it said."""
    result = CliRunner().invoke(main, [*arguments, "--json", "-"])
    said = f"{arguments}: {result.exit_code} {result.exception!r} {result.output[:2000]!a}"
    assert isinstance(result.exception, SystemExit | None), said
    assert "Traceback" not in result.output, said
    assert result.exit_code in DOCUMENTED, said
    if not result.stdout:
        assert result.exit_code == 2, said
        line, *commands = result.stderr.splitlines()
        assert line.startswith("Error: "), said
        # A command that goes on, where there is one, has a line of its own.
        assert all(command.startswith("  tidegate check --resume ") for command in commands[:1]), (
            said
        )
        assert len(commands) <= 1, said
        return 2, None, line
    report = json.loads(result.stdout)
    del report["seconds"], report["symmetry"]
    return result.exit_code, report, said


class Kept:
    """A checkpoint or a store of a search that was stopped, and what resuming it must answer."""

    def __init__(self, kind, folder, options):
        self.kind, self.folder, self.options = kind, folder, options
        self.manifest = read(folder)
        self.sealed = (folder / "manifest.json").read_bytes()
        copy = folder.parent / "copy"
        shutil.copytree(folder, copy)
        self.expected = self.resumed(copy)[:2]
        shutil.rmtree(copy)
        assert self.expected[1]["complete"] or self.expected[0] == 12

    def resumed(self, folder):
        """Resume a copy of it."""
        return answered("check", "--resume", str(folder), "--trust", *self.options)


def read(folder):
    return json.loads((folder / "manifest.json").read_text())["manifest"]


def seal(folder, document):
    """Write a manifest with its checksum."""
    text = json.dumps(document, sort_keys=True)
    whole = {"checksum": zlib.crc32(text.encode()), "manifest": document}
    (folder / "manifest.json").write_text(json.dumps(whole))


@pytest.fixture(scope="module")
def checkpoints(quick, tmp_path_factory):
    """Keep checkpoints of all searches, with whole states and with fingerprints."""
    kept = []
    for name, arguments in SEARCHES.items():
        for how in ("exact", "fingerprint"):
            folder = tmp_path_factory.mktemp("kept") / "run"
            few = ["--max-memory", "500M", "--workers", "1"]
            begun = ["check", *arguments, "--engine", "compiled", "--store", how]
            assert answered(*begun, "--checkpoint", str(folder), *few)[1], name
            kept.append(Kept("checkpoint", folder, few))
    return kept


@pytest.fixture(scope="module")
def stores(quick, tmp_path_factory):
    """Keep stores of all searches, as one process leaves them and as three partitions do."""
    kept = []
    here = ["--local-levels", str(10**9)]
    for name, arguments in SEARCHES.items():
        folder = tmp_path_factory.mktemp("kept") / "run"
        begun = ["check", *arguments, "--engine", "spark", "--store", str(folder), *here]
        assert answered(*begun)[1], name
        kept.append(Kept("store", folder, here))
        divided = tmp_path_factory.mktemp("kept") / "run"
        shutil.copytree(folder, divided)
        divide(divided, 3)
        kept.append(Kept("store", divided, here))
        assert kept[-1].expected == kept[-2].expected
    return kept


def divide(folder, shares):
    """Write the runs of a store again, as Spark would have: each in several files."""
    store, document = opened(folder), read(folder)
    for whole in read_manifest(store).runs:
        words, records, parents = content(store, whole)
        shutil.rmtree(folder / whole.name)
        for share in range(shares):
            low, high = bound(share, shares), bound(share + 1, shares)
            mine = [n for n, record in enumerate(records) if low <= record[0] < high]
            kept = [parents[n] for n in mine]
            some = [records[n] for n in mine]
            write(store, replace(whole, shares=shares), share, words, some, kept)
    for level in document["levels"]:
        level["shares"] = shares
    seal(folder, document | {"shares": shares})


def opened(folder):
    """Return a store by whose search's name its files can be read."""
    store = Store(str(folder))
    store.search = read_manifest(store).search
    return store


def content(store, run, share=0):
    """Return how many words records have in a file of a run, these, and their parents."""
    footer = store.read(run.file(share))[-28:]
    _, words = struct.unpack("<QI", footer[:12])
    with RunFile(store, run.file(share), words) as file:
        size = 8 * words
        data = b"".join(buffer.to_pybytes() for buffer, _ in file.pieces(0, file.count))
        records = [struct.unpack_from(f"<{words}Q", data, at) for at in range(0, len(data), size)]
        parents = [file.parent(n) for n in range(file.count)]
    return words, records, parents


def write(store, run, share, words, records, parents):
    """Write a file of a run, with all of its checksums."""
    data = b"".join(struct.pack(f"<{words}Q", *record) for record in records)
    more = memoryview(struct.pack(f"<{len(parents)}Q", *parents))
    write_run(store, run.file(share), words, [memoryview(data)], [more])


def damage(random, folder, others):
    """Do to some file what disks, copies and backups do."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = random.choice(files)
    data = bytearray(path.read_bytes())
    at, way = random.randrange(len(data) + 1), random.randrange(10)
    if way == 0:
        path.unlink()
    elif way == 1:
        path.write_bytes(data[:at])
    elif way == 2:
        path.write_bytes(data + random.randbytes(random.choice((1, 8, 32, 4096))))
    elif way == 3:
        path.write_bytes(bytes(len(data)))
    elif way == 4:
        other = random.choice(files)
        path.write_bytes(other.read_bytes())
        other.write_bytes(data)
    elif way == 5:
        # What was there at another time, or in another directory.
        source = random.choice(others).folder / path.relative_to(folder)
        if source.exists():
            shutil.copy(source, path)
    elif way == 6:
        size = random.choice((1, 8, 512))
        data[at : at + size] = random.randbytes(len(data[at : at + size]))
        path.write_bytes(data)
    elif way == 7:
        size, source = random.choice((8, 16, 512)), random.randrange(len(data) + 1)
        data[at : at + size] = data[source : source + size]
        path.write_bytes(data)
    elif data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        path.write_bytes(data)


def edited(random, document):
    """Return a manifest in which something was changed."""
    document = json.loads(json.dumps(document))
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        parents = [document]
        for value in parents:
            parts = value.values() if isinstance(value, dict) else value
            parents += [part for part in parts if isinstance(part, dict | list) and part]
        container = random.choice(parents[: random.choice((1, 3, len(parents)))])
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        if not keys:
            continue
        key, way = random.choice(keys), random.randrange(7)
        if way == 0:
            del container[key]
        elif way == 1:
            container[key] = random.choice(JUNK)
        elif way == 2:
            other = random.choice(keys)
            container[key], container[other] = container[other], container[key]
        elif way == 3:
            source = random.choice(parents)
            values = list(source.values()) if isinstance(source, dict) else source
            container[key] = json.loads(json.dumps(random.choice(values or [None])))
        elif way == 4 and isinstance(container[key], bool):
            container[key] = not container[key]
        elif way == 4 and isinstance(container[key], int):
            container[key] += random.choice((-1, 1, 2, -container[key], container[key]))
        elif way == 5:
            for _ in range(random.choice((1, 3, 400))):
                container[key] = [container[key]]
        elif isinstance(container, list):
            container.insert(key, random.choice(JUNK))
        else:
            container[str(random.choice(JUNK))[:50]] = random.choice(JUNK)
    return document


def edit_states(random, folder):
    """Change states of a checkpoint, and compute all checksums again."""
    document = read(folder)
    data = bytearray((folder / "states.bin").read_bytes())
    size = len(data) // sum(level["states"] for level in document["levels"])
    for _ in range(random.choice((1, 1, 5, 100))):
        at = random.randrange(len(data) // size) * size
        other = random.randrange(len(data) // size) * size
        way = random.randrange(4)
        if way == 0:
            data[at : at + size] = random.randbytes(size)
        elif way == 1:
            data[at + random.randrange(size)] ^= 1 << random.randrange(8)
        elif way == 2:
            data[at : at + size] = data[other : other + size]
        else:
            data[at : at + size] = random.choice((bytes(size), b"\xff" * size))
    (folder / "states.bin").write_bytes(data)
    start = 0
    for level in document["levels"]:
        end = start + size * level["states"]
        level["checksum"], start = zlib.crc32(data[start:end]), end
    if random.randrange(3) == 0:
        document = edited(random, document)
    seal(folder, document)


def edit_runs(random, folder):
    """Change files of a store, and compute all checksums again."""
    store, document = opened(folder), read(folder)
    for _ in range(random.choice((1, 1, 3))):
        run = random.choice(read_manifest(store).runs)
        share = random.randrange(run.shares)
        words, records, parents = content(store, run, share)
        if not records:
            continue
        at, way = random.randrange(len(records)), random.randrange(5)
        if way == 0:
            records[at] = tuple(random.getrandbits(64) for _ in range(words))
        elif way == 1:
            records[at] = random.choice(records)
        elif way == 2:
            records[at] = (0,) * words
        elif way == 3:
            random.shuffle(records)
        elif parents:
            parents[at] = random.choice((0, 1, random.getrandbits(64), random.choice(parents)))
        write(store, run, share, words, records, parents)
    if random.randrange(3) == 0:
        document = edited(random, document)
    seal(folder, document)


@pytest.fixture
def copied(tmp_path):
    """Copy what was kept to where it may be changed, beside a directory that must stay as it is."""

    def copy(kept):
        # This runs in a process of its own; nothing that another one left is there.
        place = tmp_path / str(os.getpid())
        shutil.copytree(kept.folder, place / "run")
        (place / "precious").mkdir()
        (place / "precious" / "photo").write_text("mine")
        return place / "run"

    return copy


def finished(folder):
    """Verify that nothing outside a directory was harmed, and remove it."""
    place = folder.parent
    assert (place / "precious" / "photo").read_text() == "mine"
    assert {path.name for path in place.iterdir()} <= {"run", "precious"}
    shutil.rmtree(place)


@pytest.fixture(
    params=[pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
)
def fuzz(request):
    """Check many inputs of a target, ``target(random)``, each in a process of its own."""
    name = request.node.originalname

    def run(target):
        for number in range(FIRST, FIRST + request.param):
            problem = in_a_process(lambda n=number: target(Random(f"{SEED} {name} {n}")))
            again = f"TIDEGATE_FUZZ=1 TIDEGATE_FUZZ_SEED={SEED} TIDEGATE_FUZZ_FIRST={number}"
            command = f"{again} python -m pytest {Path(__file__).name} -m slow -k {name}"
            assert not problem, f"{problem}\nagain: {command}"

    return run


def in_a_process(check):
    """Call a function in a copy of this process; return how it failed, or nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
            check()
            status = 0
        finally:
            if status:
                os.write(writing, traceback.format_exc()[-4000:].encode("utf-8", "replace"))
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], 10 * LONGEST)
        if not ready:
            os.kill(child, 9)
        said = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"ended by signal {-code}\n{said}"
    return said or ("" if code == 0 else f"ended with {code}")


def same_manifest(kept, folder):
    """Whether the manifest in a directory is one that was kept."""
    name = "manifest.json"
    return (folder / name).exists() and (folder / name).read_bytes() == kept.sealed


@pytest.mark.parametrize("kind", ["checkpoints", "stores"])
def test_a_damaged_search_is_resumed_rightly_or_refused(fuzz, copied, request, kind):
    every = request.getfixturevalue(kind)

    def target(random):
        kept = random.choice(every)
        folder = copied(kept)
        for _ in range(random.choice((1, 1, 1, 2))):
            damage(random, folder, every)
        # The manifest of another search may have come here, and find all that it speaks of.
        searches = [other for other in every if same_manifest(other, folder)] or [kept]
        status, report, said = kept.resumed(folder)
        if report is None:
            assert str(folder) in said, said
        else:
            assert (status, report) in [other.expected for other in searches], said
        finished(folder)

    fuzz(target)


def answer(report):
    """Return what a report says but for steps: one level less in a manifest counts them twice."""
    return {
        name: part for name, part in report.items() if name not in ("generated_states", "actions")
    }


@pytest.mark.parametrize("kind", ["checkpoints", "stores"])
def test_an_edited_manifest_leads_to_no_other_answer(fuzz, copied, request, kind):
    every = request.getfixturevalue(kind)

    def target(random):
        kept = random.choice(every)
        folder = copied(kept)
        document = edited(random, kept.manifest)
        seal(folder, document)
        status, report, said = kept.resumed(folder)
        believed = BELIEVED[kept.kind]
        if all(document.get(field) == kept.manifest[field] for field in believed):
            assert report is None or answer(report) == answer(kept.expected[1]), said
        elif kept.kind == "checkpoint":
            # Violations are found out again.
            assert status != 0 or kept.expected[0] == 0, said
        finished(folder)

    fuzz(target)


def test_edited_states_of_a_checkpoint_end_with_a_documented_status(fuzz, copied, checkpoints):
    def target(random):
        kept = random.choice(checkpoints)
        folder = copied(kept)
        edit_states(random, folder)
        kept.resumed(folder)
        finished(folder)

    fuzz(target)


def test_edited_runs_of_a_store_end_with_a_documented_status(fuzz, copied, stores):
    def target(random):
        kept = random.choice(stores)
        folder = copied(kept)
        edit_runs(random, folder)
        kept.resumed(folder)
        finished(folder)

    fuzz(target)

"""A search that is killed at any moment, and resumed, reports what an undisturbed one does.

Protocols, bounds and options are random.  A process is killed (``kill -9``) at a random time, or
before, behind or amid an operation on a file of its checkpoint.

    TIDEGATE_KILLS=100 python -m pytest tests/fuzz/test_kills.py -m slow

``TIDEGATE_FUZZ_SEED`` decides on the searches and on the operations, not on the random times.
"""

import json
import os
import select
import shutil
import signal
import time
import traceback
from random import Random

import pytest

from tests.fuzz.searches import drawn
from tests.published import PUBLISHED
from tidegate.model import PROTOCOLS

FEW = 2
MANY = int(os.environ.get("TIDEGATE_KILLS", "30"))
SEED = os.environ.get("TIDEGATE_FUZZ_SEED", "1")

MOST_STATES = 60_000

OPERATIONS = ("open", "pwrite", "fsync", "ftruncate", "replace")
"""What a search calls to keep something."""


def kill_at(operation, number, moment):
    """Kill this process at some call of a function of the operating system."""
    real, calls = getattr(os, operation), 0

    def calling(*arguments, **more):
        nonlocal calls
        calls += 1
        if calls < number:
            return real(*arguments, **more)
        if moment == "amid" and operation == "pwrite":
            file, content, offset = arguments
            real(file, content[: len(content) // 2], offset)
        elif moment == "behind":
            real(*arguments, **more)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    setattr(os, operation, calling)


def searched(search, prepare, seconds, **how):
    """Search in a copy of this process, and kill it after some time.

    Returns its report; None if it was killed.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            prepare()
            answer = json.dumps(search.run(**how))
        finally:
            failed = traceback.format_exc() if "answer" not in locals() else ""
            os.write(writing, (failed or answer).encode())
            os._exit(bool(failed))
    os.close(writing)
    with open(reading, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], seconds)
        if not ready:
            os.kill(child, signal.SIGKILL)
        answer = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, -signal.SIGKILL), answer
    return json.loads(answer) if code == 0 else None


@pytest.mark.parametrize(
    "kills",
    [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)],
)
def test_kills_at_any_moment_leave_no_mark(tmp_path, monkeypatch, kills):
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
    random, done, number = Random(f"{SEED} kills"), 0, 0
    # Published protocols are compiled in a moment.
    while done < kills:
        store = random.choice(("exact", "fingerprint"))
        protocols = PUBLISHED if kills == FEW else PROTOCOLS
        search, expected = drawn(random, protocols, MOST_STATES, store=store)
        number += 1
        folder = tmp_path / str(number)
        began = time.monotonic()
        whole = search.run(store=store, checkpoint=tmp_path / "undisturbed", checkpoint_every=0)
        lasts = time.monotonic() - began
        assert whole == expected
        shutil.rmtree(tmp_path / "undisturbed")
        found, turns = None, random.randint(1, 4)
        while found is None:
            workers, chunk = random.randint(1, 3), random.choice((8, 64, 512))
            how = {"store": store, "checkpoint": folder, "checkpoint_every": 0}
            how |= {"workers": workers, "chunk": chunk}
            how["resume"] = (folder / "manifest.json").exists()
            seconds, prepare = None, lambda: None
            if turns and random.random() < 0.5:
                operation = random.choice(OPERATIONS)
                last = 3 * expected["depth"] if operation != "ftruncate" else 2
                at = random.randint(1, last), random.choice(("before", "amid", "behind"))
                prepare = lambda o=operation, at=at: kill_at(o, *at)  # noqa: E731
            elif turns:
                seconds = random.uniform(0, 1.2 * lasts)
            found = searched(search, prepare, seconds, **how)
            killed = found is None
            done, turns = done + killed, max(turns - 1, 0)
        assert found == expected, f"search {number} of seed {SEED}: {search}"
        shutil.rmtree(folder)

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
from dataclasses import dataclass
from random import Random

import pytest

from tidegate.bounds import declared, parse
from tidegate.checker.check import check
from tidegate.checker.render.report import report
from tidegate.checker.result import Limits, Resources
from tidegate.invariants import PROPERTIES
from tidegate.model import PROTOCOLS
from tidegate.spec import EngineError, TidegateError

FEW = 3
MANY = int(os.environ.get("TIDEGATE_KILLS", "30"))
SEED = os.environ.get("TIDEGATE_FUZZ_SEED", "1")

MOST_STATES = 60_000
"""States of a search, about; a larger one is limited to the levels that have so many."""

OPERATIONS = ("open", "pwrite", "fsync", "ftruncate", "replace")
"""What a search calls to keep something."""


@dataclass
class Search:
    """A search, which can be made again and again."""

    protocol: str
    settings: list[str]
    options: dict[str, bool]
    store: str
    limits: Limits

    def run(self, **how):
        """Search; return the report but for what may differ."""
        [chosen] = [p for p in PROTOCOLS if p.name == self.protocol]
        names = chosen.default_properties
        properties = [p for p in PROPERTIES[chosen.family.name] if p.name in names]
        needs = frozenset(need for p in properties for need in p.needs)
        system = chosen.system(parse(chosen.family.bounds, self.settings), needs)
        resources = Resources(
            engine="compiled", store=self.store, memory=1 << 30, checkpoint_every=0, **how
        )
        found = check(system, properties, limits=self.limits, resources=resources, **self.options)
        document = report(system, found)
        del document["seconds"], document["symmetry"]
        return document


def drawn(random, protocols):
    """Draw a search that is neither large nor over at once, and return what it reports."""
    while True:
        chosen = random.choice(protocols)
        search = Search(
            chosen.name,
            random_settings(random, chosen.family.bounds),
            {"keep_going": random.random() < 0.5, "symmetry": random.random() < 0.3},
            random.choice(("exact", "fingerprint")),
            Limits(max_states=MOST_STATES),
        )
        try:
            found = search.run()
        except EngineError:
            raise
        except TidegateError:
            # Bounds that contradict each other, or no symmetry.
            continue
        search.limits = Limits()
        if found["stopped_by"]:
            search.limits = Limits(max_depth=found["depth"] - 1)
            found = search.run()
        if found["depth"] > 4:
            return search, found


def random_settings(random, bounds):
    """Return some small bounds and options."""
    settings = []
    for name, (bound, _) in declared(bounds).items():
        if name == "replicas":
            settings.append(f"replicas={random.choice((2, 2, 3))}")
        elif bound.main and random.random() < 0.7:
            settings.append(f"{name}={random.randint(max(bound.low, 1), min(bound.high, 2))}")
        elif not bound.main and not bound.follows and random.random() < 0.12:
            value = random.randint(bound.low, min(bound.high, bound.low + 1))
            settings.append(f"{name}={bound.show(value)}")
    return settings


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
    monkeypatch.setattr("tidegate.checker.compiled.search.FINGERPRINT_BUCKETS", 1 << 16)
    random, done, number = Random(f"{SEED} kills"), 0, 0
    # Published protocols are compiled in a moment.
    quick = [protocol for protocol in PROTOCOLS if protocol.family.name == "published"]
    while done < kills:
        search, expected = drawn(random, quick if kills == FEW else PROTOCOLS)
        number += 1
        folder = tmp_path / str(number)
        began = time.monotonic()
        whole = search.run(checkpoint=tmp_path / "undisturbed")
        lasts = time.monotonic() - began
        assert whole == expected
        shutil.rmtree(tmp_path / "undisturbed")
        found, turns = None, random.randint(1, 4)
        while found is None:
            workers, chunk = random.randint(1, 3), random.choice((8, 64, 512))
            how = {"checkpoint": folder, "workers": workers, "chunk": chunk}
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

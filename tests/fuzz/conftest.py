"""A small fuzzer: inputs that are made of real ones at random, and what must be true of each.

A test names a target, ``target(source)``: of the random numbers in ``source`` it makes an input,
and does something with it that must not fail.  The fixture ``fuzz`` has it do so many times: a few
by default, and as many as one likes with

    TIDEGATE_FUZZ=100000 python -m pytest tests/fuzz -m slow

An input comes of the seed (``TIDEGATE_FUZZ_SEED``), the test and its number alone, so that the
variables that a failure prints make it again.
"""

import json
import os
import re
import signal
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from tidegate.checker.distributed.java import require_java
from tidegate.cli import main

FEW = 8
MANY = int(os.environ.get("TIDEGATE_FUZZ", "2000"))
SEED = os.environ.get("TIDEGATE_FUZZ_SEED", "1")
FIRST = int(os.environ.get("TIDEGATE_FUZZ_FIRST", "0"))

LONGEST = 60
"""Seconds of processor time after which an input counts as one that does not end."""

DOCUMENTED = {0, 1, 2, 3, 11, 12, 13, 130}
"""Statuses with which a command may end; 70 is an internal error or an ill-formed model."""

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe]")
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)

JUNK = (
    None, True, False, 0, 1, -1, 2**31, 2**63, -(2**64), 10**50, 1.5, 1e999, float("nan"),
    "", " ", "x", "0", "1", "-1", "\n::error::x", "\x1b[2J\u202e\x00", "\ud800", "[red][/x]", "=",
    "x" * 5000, "hw", "kip-320", "KIP-101", "tidegate.examples.raft:model",
    "own.py", "own.py:OWN", "own:OWN",
    "own.py~x", "hw~x", "kip-320~Produce: s.written == k.records", "os:path", "../own.py", "Crash",
    "NoAckedRecordLost", "TypeOk", "Deadlock", [], {}, [[]], [None], {"#bigint": "1"}, {"#set": []},
    {"#meta": {}}, {"": ""},
)  # fmt: skip

TOKENS = tuple(
    b'{ } [ ] : , " \\ \\u0000 \\ud800 null true NaN -Infinity 1e999 99999999999999999999 #meta ::'
    b" [[ ]] = ' # \n \t \r \x00 \x1b \x7f \xff \xed\xa0\x80 \xe2\x80\xae \xef\xbb\xbf".split(b" ")
)
"""Bytes to put between others."""


class Source(Random):
    """Random numbers, and what is made of them."""

    def mutated(self, document):
        """Return a document of JSON with something in it changed, in place."""
        for _ in range(self.choice((1, 1, 1, 2, 4))):
            containers = list(_containers(document))
            if containers:
                # What is near the root is rare, and decides most.
                nearest = containers[: self.choice((2, 5, len(containers)))]
                self._mutate(self.choice(nearest), containers)
        return document

    def _mutate(self, container, others):
        """Change one member of an array or an object."""
        keys = list(range(len(container)) if isinstance(container, list) else container)
        key, way = self.choice(keys), self.randrange(7)
        if way == 0:
            del container[key]
        elif way == 1:
            container[key] = self.junk()
        elif way == 2:
            other = self.choice(keys)
            container[key], container[other] = container[other], container[key]
        elif way == 3:
            source = self.choice(others)
            values = source if isinstance(source, list) else list(source.values())
            container[key] = json.loads(json.dumps(self.choice(values)))
        elif way == 4:
            container[key] = self._near(container[key])
        elif way == 5:
            for _ in range(self.choice((1, 3, 100))):
                container[key] = [container[key]]
        elif isinstance(container, list):
            container.insert(key, self.junk())
        else:
            container[f"{self.junk()}"[:50]] = self.junk()

    def junk(self):
        """Return a value to put in place of another one."""
        return deepcopy(self.choice(JUNK))

    def _near(self, value):
        """Return a value that differs from another one by little."""
        if isinstance(value, bool) or value is None:
            return not value
        if isinstance(value, int):
            return value + self.choice((-1, 1, 2, -value, value))
        if isinstance(value, str):
            at = self.randrange(len(value) + 1)
            return (
                value[:at]
                + self.choice("\n\x00~:.=/ x9A\udc80")
                + value[at + self.choice((0, 1)) :]
            )
        return value

    def mangled(self, data):
        """Return bytes with some of them changed."""
        data = bytearray(data)
        for _ in range(self.choice((1, 1, 2, 5, 20))):
            at, way = self.randrange(len(data) + 1), self.randrange(6)
            if way == 0:
                data[at:at] = self.choice(TOKENS) * self.choice((1, 1, 2, 3000))
            elif way == 1:
                del data[at : at + self.choice((1, 2, 10, 1000))]
            elif way == 2:
                data[at : at + 1] = bytes([self.randrange(256)])
            elif way == 3 and at < len(data):
                data[at] ^= 1 << self.randrange(8)
            elif way == 4:
                other = self.randrange(len(data) + 1)
                data[at:at] = data[other : other + self.choice((1, 5, 50, 500))]
            elif way == 5 and self.randrange(4) == 0:
                del data[at:]
        return bytes(data)

    def json(self, document):
        """Return a document as bytes of JSON, or of what is almost that."""
        text = json.dumps(document, ensure_ascii=self.random() < 0.8)
        data = text.encode("utf-8", "surrogatepass")
        return self.mangled(data) if self.random() < 0.1 else data


def _containers(value):
    """Yield all arrays and objects that are not empty, the outermost first."""
    todo = [value]
    for value in todo:
        if isinstance(value, dict | list) and value:
            yield value
            todo += value.values() if isinstance(value, dict) else value


class Directory:
    """The present directory, in which an input may change nothing but what it is told to write."""

    def __init__(self):
        Path("own.py").write_text('from pathlib import Path\n\nPath("was-run").touch()\n')
        Path("notes.txt").write_text("to be kept\n")
        self._kept = {"own.py", "notes.txt"}

    def write(self, name, data):
        """Write a file of an input."""
        Path(name).write_bytes(data)
        self._kept.add(name)

    def run(self, *arguments, makes=()):
        """Run a command, judge how it ends, and remove the files that it may make.

        What the input makes of standard output is not judged where that is a document: a test of
        its form does that.
        """
        result = CliRunner().invoke(main, arguments)
        said = f"{arguments}: {result.exit_code} {result.exception!r}\n{result.output!a}"
        assert isinstance(result.exception, SystemExit | None), said
        assert result.exit_code in DOCUMENTED, said
        assert "Traceback" not in result.output, said
        self.printed(result.output if "-" not in arguments else result.stderr, said)
        for name in makes:
            if os.path.isfile(name) and name not in self._kept:
                Path(name).read_bytes().decode("utf-8")
                os.unlink(name)
        assert set(os.listdir()) == self._kept, said
        assert Path("notes.txt").read_text() == "to be kept\n", said
        return result

    @staticmethod
    def printed(text, said=""):
        """Judge what is printed."""
        assert not HIDDEN.search(text), said
        assert not COMMAND.search(text), said


@pytest.fixture
def directory(tmp_path, monkeypatch):
    """Make a directory with files in it that nothing may harm, and code that nothing may run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return Directory()


@pytest.fixture(scope="module")
def quick(java):
    """Keep tables small, ask once which Java there is, and keep machine code for all inputs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 16)
        patch.setattr("tidegate.checker.distributed.java.require_java", cache(require_java))
        patch.setenv("COLUMNS", "200")
        yield


@contextmanager
def limited(seconds):
    """Raise where what is done takes more processor time."""

    def stop(*_):
        raise TimeoutError(f"it takes more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(
    params=[pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
)
def fuzz(request):
    """Have a target make many inputs, and say how to make again the one that fails."""
    name = request.node.originalname

    def run(target):
        reporter = request.config.pluginmanager.getplugin("terminalreporter")
        if request.param != FEW:
            numbers = f"{FIRST}..{FIRST + request.param - 1}"
            reporter.write_line(f"\n{name}: inputs {numbers} of seed {SEED}")
        for number in range(FIRST, FIRST + request.param):
            try:
                with limited(LONGEST):
                    target(Source(f"{SEED} {name} {number}"))
            except BaseException as error:
                one = f"TIDEGATE_FUZZ=1 TIDEGATE_FUZZ_SEED={SEED} TIDEGATE_FUZZ_FIRST={number}"
                error.add_note(f"again: {one} python -m pytest tests/fuzz -m slow -k {name}")
                raise

    return run

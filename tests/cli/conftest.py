"""A directory with a protocol of its own in it, and the command line run there as a process."""

import signal
import subprocess
import sys
import time

import pytest

OWN = '''"""A protocol of my own, the smallest there is."""

from dataclasses import replace

from tidegate.examples import async_isr as original


def apply(s, k, version):
    """Apply a request."""
    BODY


OWN = replace(
    original.async_isr,
    name="own",
    parent=original.async_isr,
    rules=replace(original.async_isr.rules, may_apply=apply),
)

from tidegate import pure


@pure
def outside(code):
    exec(code)
'''
"""What a rule does to the world, which no model may, is in a function that is declared pure."""

GOOD = "return version == s.controller.version"
BEGUN = "outside(\"open('begun', 'w').close()\")\n"
"""Leaves a file behind that says that the rule was asked, and so that the search has begun."""

ENDLESS = "while s.controller.version >= 0:\n    pass\nreturn True"

PATIENCE = 120
"""Seconds after which a process is taken to hang, also on a machine that is busy with more."""


class Shell:
    """A directory in which the command line runs."""

    def __init__(self, path):
        self.path = path

    def write(self, name, text):
        """Write a file, and return its path."""
        (self.path / name).write_text(text)
        return self.path / name

    def own(self, body=GOOD, name="own.py"):
        """Write a protocol whose rule has this body, on line 10."""
        return self.write(name, OWN.replace("BODY", body.replace("\n", "\n    ")))

    def start(self, *arguments, **options):
        """Start the command line as its own process."""
        command = [sys.executable, "-m", "tidegate", *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=self.path, **{**pipes, **options})

    def run(self, *arguments, **options):
        """Run it to its end; a line break in what it prints is a space."""
        with self.start(*arguments, **options) as process:
            return self.ended(process)

    def ended(self, process):
        """Wait for the end of a process, and return it with what it printed."""
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            raise
        process.output = " ".join((output or "").split())
        process.errors = " ".join((errors or "").split())
        assert "Traceback" not in process.errors, process.errors
        return process

    def names(self):
        """Return the names of the files that are there, but for what tells that it has begun."""
        return {path.name for path in self.path.iterdir()} - {"__pycache__", ".cache", "begun"}

    def begun(self):
        """Whether a rule that begins with BEGUN was asked."""
        return (self.path / "begun").exists()


def children(pid):
    """Return the process ids of the children of a process, and of theirs."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            found = [int(child) for child in file.read().split()]
    except FileNotFoundError:
        return []
    return [*found, *(one for child in found for one in children(child))]


def wait_until(true, process=None):
    """Wait until something is true, for as long as a process runs."""
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, "it takes too long"
        assert process is None or process.poll() is None, process.stderr.read()
        time.sleep(0.02)


def runs(pid):
    """Whether a process runs; one that has ended and was not asked after yet does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """Return an empty directory, with a cache of machine code that these tests share."""
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "TIDEGATE_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    return Shell(tmp_path)

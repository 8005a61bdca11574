"""Applies stored mutants of the engines to a copy of the sources, and runs what kills them.

``python -m tests.mutants.run`` tries all of ``list.toml``, ``... -k TEXT`` those whose name or file
has a text in it.  It ends with status 1 if one survives, or if a test fails without any mutant.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import time

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

TIME_LIMIT = 600
"""Seconds after which a test that does not end counts as failed: a mutant may never end."""

PLAIN = ("-p", "no:cacheprovider", "--assert", "plain", "-m", "not slow")
"""Options of pytest: rewritten sources of the package would not be those that executors have."""

FAILED = 1
"""The status of pytest if tests have failed; others say that it could not run them."""


@dataclass(frozen=True)
class Mutant:
    """A change of one place that some test must notice.

    Attributes
    ----------
    name
        What is wrong with it, in a sentence.
    file, function
        Where it is; no function if it is outside of any.
    before, after
        The text, which is there once, and what it becomes.
    killed_by
        A test that fails then: a file of tests, with the name of one if the file takes long.
    """

    name: str
    file: str
    function: str
    before: str
    after: str
    killed_by: str


def stored() -> list[Mutant]:
    """Return all mutants, in the order of the list."""
    document = tomllib.loads((HERE / "list.toml").read_text())
    return [Mutant(**entry) for entry in document["mutant"]]


@contextmanager
def copied() -> Iterator[Path]:
    """Yield a copy of the files that git knows, under the name of the package."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tidegate"
        for name in listed.stdout.decode().split("\0"):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        yield copy


class Laboratory:
    """A copy of the sources, in which one mutant after the other is tried."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy
        self._written = time()

    def fate(self, mutant: Mutant) -> str:
        """Return what becomes of a mutant: ``killed``, ``SURVIVED``, or why that is unknown."""
        path = self._copy / mutant.file
        text = path.read_text()
        self._write(path, text.replace(mutant.before, mutant.after))
        try:
            status = self._status(mutant.killed_by)
        finally:
            self._write(path, text)
        if status == FAILED:
            return "killed"
        return "SURVIVED" if status == 0 else f"BROKEN: pytest ends with {status}"

    def passes(self, test: str) -> bool:
        """Whether a test passes without any mutant."""
        return self._status(test) == 0

    def _write(self, path: Path, text: str) -> None:
        """Write a source; its time says that what Python has compiled of it is out of date."""
        path.write_text(text)
        self._written += 2
        os.utime(path, (self._written, self._written))

    def _status(self, test: str) -> int:
        """Run a test against the copy; return the status of pytest."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", *PLAIN, test]
        environment = {**os.environ, "PYTHONPATH": str(self._copy.parent)}
        try:
            done = subprocess.run(
                command,
                cwd=self._copy,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=TIME_LIMIT,
            )
        except subprocess.TimeoutExpired:
            return FAILED
        # A signal ends a process that wrote beyond its memory.
        return FAILED if done.returncode < 0 else done.returncode


def main() -> int:
    """Try the chosen mutants; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.run", description=__doc__)
    parser.add_argument("-k", default="", help="only mutants whose name or file has this text")
    wanted = parser.parse_args().k
    chosen = [mutant for mutant in stored() if wanted in f"{mutant.name} {mutant.file}"]
    if not chosen:
        parser.error(f"no mutant has {wanted!r} in its name or file")
    bad = 0
    with copied() as copy:
        laboratory = Laboratory(copy)
        for test in sorted({mutant.killed_by for mutant in chosen}):
            if not laboratory.passes(test):
                bad += 1
                print(f"FAILS without a mutant: {test}", flush=True)
        for mutant in chosen:
            fate = laboratory.fate(mutant)
            bad += fate != "killed"
            print(f"{fate}: {mutant.name} ({mutant.file})", flush=True)
    print(f"{len(chosen)} mutants; {bad} survived, or could not be tried" if bad else "all killed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

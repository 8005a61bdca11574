"""Print where the CPU seconds of a cold run go: one part for each thing that a run does once.

``cold.py [--runs N] [ARGUMENT ...]`` runs ``tidegate check ARGUMENT ...``, each time in a process
of its own with an empty cache, and prints the median of each part.  A part that calls another one
does not count what that takes: importing modules is "imports" wherever it happens.
"""

import importlib
import json
import os
import sys
import time
from tempfile import TemporaryDirectory

RUNS = 5
DEFAULT = ["tidegate.examples.raft", "--engine", "compiled", "-q"]
_HERE = "--here"

MODEL, SEARCH = "the model, its first states, the report", "search"
PARTS = {
    ("checker.refusals", "refuse_outside"): "lowering",
    ("checker.compiled.generate", "Generator.module"): "machine code",
    ("checker.compiled.build", "_made"): "LLVM",
    ("checker.compiled.build", "Code.__init__"): "LLVM",
    ("checker.compiled.verification", "Verification.level_begins"): "verification",
    ("checker.compiled.verification", "Verification.try_promises"): "verification",
    ("checker.compiled.verification", "Verification.level_ended"): "verification",
    ("checker.compiled.verification", "Verification.end"): "verification",
    ("checker.compiled.search", "CompiledSearch.run"): SEARCH,
}
"""What each function of the package belongs to, by its module and name."""


class Clock:
    """Shares the CPU time of the process out among parts; the innermost part gets it."""

    def __init__(self):
        self.seconds = {"imports": time.process_time()}
        self._parts, self._since = [MODEL], time.process_time()

    def _share(self):
        now = time.process_time()
        part = self._parts[-1]
        self.seconds[part] = self.seconds.get(part, 0.0) + now - self._since
        self._since = now

    def timed(self, part, function):
        """Return a function that does the same, and whose time belongs to a part."""

        def call(*passed, **options):
            self._share()
            self._parts.append(part)
            try:
                return function(*passed, **options)
            finally:
                self._share()
                self._parts.pop()

        return call

    def end(self):
        """Return the seconds of all parts."""
        self._share()
        return self.seconds


def check(arguments):
    """Check in this process, and print the parts as JSON to the error output."""
    clock = Clock()
    load = clock.timed("imports", importlib._bootstrap._find_and_load)

    def load_and_time(name, *rest):
        module = load(name, *rest)
        for (home, path), part in PARTS.items():
            if name == f"tidegate.{home}":
                *owners, last = path.split(".")
                owner = getattr(module, owners[0]) if owners else module
                if function := getattr(owner, last, None):
                    setattr(owner, last, clock.timed(part, function))
        return module

    importlib._bootstrap._find_and_load = load_and_time
    from tidegate.__main__ import main

    sys.argv = ["tidegate", "check", *arguments]
    try:
        main()
    finally:
        sys.stderr.write(f"\n{json.dumps(clock.end())}\n")


def cold(arguments):
    """Return the seconds of each part of one cold run."""
    import subprocess

    with TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, __file__, _HERE, *arguments],
            capture_output=True, text=True, check=False,
            env={**os.environ, "XDG_CACHE_HOME": cache},
        )  # fmt: skip
    return json.loads(done.stderr.splitlines()[-1])


def main():
    """Run the processes, and print what they used."""
    arguments = sys.argv[1:]
    if arguments[:1] == [_HERE]:
        check(arguments[1:])
        return
    # In the measured process imports count.
    from statistics import median

    runs = RUNS
    if arguments[:1] == ["--runs"]:
        runs, arguments = int(arguments[1]), arguments[2:]
    # The first run may have to compile Python's files.
    kept = [cold(arguments or DEFAULT) for _ in range(runs + 1)][1:]
    beside = [sum(run.values()) - run.get(SEARCH, 0.0) for run in kept]
    without = [
        seconds - run.get("verification", 0.0) for seconds, run in zip(beside, kept, strict=True)
    ]
    for part in dict.fromkeys(part for run in kept for part in run):
        sys.stdout.write(f"{median(run.get(part, 0.0) for run in kept):6.3f}  {part}\n")
    sys.stdout.write(f"{median(without):6.3f}  all but the search and verification\n")


if __name__ == "__main__":
    main()

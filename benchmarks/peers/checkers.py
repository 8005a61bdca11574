"""The model checkers that are compared: how each is found, built and run, and its output read."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from .kip320 import Size
from .measure import Run, run
from .murphi import murphi
from .promela import promela


class CheckerError(Exception):
    """A checker could not be built, or did not explore all states."""


class Checker(ABC):
    """A model checker.

    Attributes
    ----------
    name
        Its name in tables.
    install
        How to install it.
    """

    name: str
    install: str

    @abstractmethod
    def available(self) -> bool:
        """Whether everything that it needs is installed."""

    @abstractmethod
    def build(self, size: Size, directory: Path) -> float:
        """Make it ready for some bounds, in an empty directory; return the CPU seconds it took."""

    @abstractmethod
    def command(self, size: Size, expected: int | None) -> list[str]:
        """Return the command that searches all states; `expected` is their number, if known."""

    @abstractmethod
    def distinct_states(self, output: str) -> int | None:
        """Return the distinct states that a run counted, or None if it was not complete."""

    def search(self, size: Size, directory: Path, expected: int | None) -> tuple[int, Run]:
        """Search all states once; return how many are distinct, and the run."""
        done = run(self.command(size, expected), directory)
        states = self.distinct_states(done.output) if done.status == 0 else None
        if states is None:
            raise CheckerError(f"{self.name} at {size} did not see all states:\n{_said(done)}")
        return states, done

    def _succeed(
        self, command: list[str], directory: Path, statuses: tuple[int, ...] = (0,)
    ) -> float:
        """Run a command of the build and return its CPU seconds."""
        done = run(command, directory)
        if done.status not in statuses:
            raise CheckerError(f"{self.name}: {' '.join(command)} failed:\n{_said(done)}")
        return done.cpu


def _said(done: Run) -> str:
    """Return the end of a run's output."""
    return (done.output + done.errors)[-3000:]


def count(pattern: str, output: str) -> int | None:
    """Return the last number that a pattern finds in an output."""
    numbers = re.findall(pattern, output, re.MULTILINE)
    return int(numbers[-1]) if numbers else None


@dataclass(frozen=True)
class Tidegate(Checker):
    """Tidegate's command line, as installed for the Python that runs this."""

    engine: str = "compiled"
    workers: int = 1

    name = "Tidegate"
    install = "pip install -e ."

    def available(self) -> bool:
        """Return True: this file comes with Tidegate."""
        return True

    def build(self, size: Size, directory: Path) -> float:
        """Let the engine compile for these bounds and cache that, by a search of two levels."""
        return self._succeed([*self.command(size, None), "--max-depth", "2"], directory, (0, 3))

    def command(self, size: Size, expected: int | None) -> list[str]:
        """Return `tidegate check` without properties, as the peers have none either."""
        bounds = [
            word for name, value in size._asdict().items() for word in ("-b", f"{name}={value}")
        ]
        threads = ["--workers", str(self.workers)] if self.engine != "interpreted" else []
        return [
            *(
                sys.executable,
                "-m",
                "tidegate",
                "check",
                "examples/published.py:kip_320",
                "-p",
                "none",
            ),
            *bounds,
            *("--engine", self.engine, *threads, "--json", "-"),
        ]

    def distinct_states(self, output: str) -> int | None:
        """Return the number in the report."""
        report = json.loads(output)
        return report["distinct_states"] if report["complete"] else None


@dataclass(frozen=True)
class Spin(Checker):
    """SPIN, depth-first, without partial order reduction, which would leave out states.

    Breadth-first it takes nearly twice as long.  Its hash compaction and its parallel search may
    lose states silently, so they are not comparable.
    """

    memory: int

    name = "SPIN"
    install = "apt install spin gcc"

    def available(self) -> bool:
        """Whether spin and gcc are installed."""
        return bool(shutil.which("spin") and shutil.which("gcc"))

    def build(self, size: Size, directory: Path) -> float:
        """Generate a verifier and compile it."""
        (directory / "kip320.pml").write_text(promela(size), "utf-8")
        compiler = ["gcc", "-O3", "-march=native", "-w", "-DSAFETY", "-DNOREDUCE"]
        limit = f"-DMEMLIM={self.memory >> 20}"
        return self._succeed(["spin", "-a", "kip320.pml"], directory) + self._succeed(
            [*compiler, limit, "-o", "pan", "pan.c"], directory
        )

    def command(self, size: Size, expected: int | None) -> list[str]:
        """Return the verifier's command, with a hash table of twice as many slots as states."""
        slots = max(20, expected.bit_length() + 1) if expected else 24
        return ["./pan", "-E", "-m10000", f"-w{slots}"]

    def distinct_states(self, output: str) -> int | None:
        """Return the states stored.  The verifier's exit status is 0 when it gives up, too."""
        if "Search not completed" in output or "depth too small" in output:
            return None
        return count(r"^ *(\d+) states, stored$", output) if "errors: 0" in output else None


@dataclass(frozen=True)
class Rumur(Checker):
    """rumur with one thread, without support for traces, deadlocks and symmetry.

    Its verifier reads each variable through layers of small functions, which gcc does not inline
    within its default limits.  With higher limits it is three times as fast.
    """

    name = "rumur"
    install = "apt install rumur gcc"

    def available(self) -> bool:
        """Whether rumur and gcc are installed."""
        return bool(shutil.which("rumur") and shutil.which("gcc"))

    def build(self, size: Size, directory: Path) -> float:
        """Generate a verifier and compile it."""
        (directory / "kip320.m").write_text(murphi(size), "utf-8")
        off = ("pack-state", "counterexample-trace", "deadlock-detection", "symmetry-reduction")
        options = [word for option in off for word in (f"--{option}", "off")]
        rumur = ["rumur", "--threads", "1", *options, "--set-expand-threshold", "50"]
        compiler = ["gcc", "-std=c11", "-O3", "-march=native", "-mcx16", "-w"]
        for limit in ("max-inline-insns-auto", "inline-unit-growth", "large-function-growth"):
            compiler += ["--param", f"{limit}=10000"]
        return self._succeed(
            [*rumur, "--output", "kip320.c", "kip320.m"], directory
        ) + self._succeed(
            [*compiler, "kip320.c", "-o", "kip320", "-lpthread", "-latomic"], directory
        )

    def command(self, size: Size, expected: int | None) -> list[str]:
        """Return the verifier's command."""
        return ["./kip320"]

    def distinct_states(self, output: str) -> int | None:
        """Return the count of the last line."""
        pattern = r"^\s*(\d+) states, \d+ rules fired in \d+s\.$"
        return count(pattern, output) if "No error found" in output else None


@dataclass(frozen=True)
class Tlc(Checker):
    """TLC on the original specification, with one worker."""

    jar: Path | None
    specs: Path | None
    memory: int

    name = "TLC"
    install = (
        "apt install default-jre-headless, and give --tlc-jar tla2tools.jar and --tlc-specs"
        " with a clone of hachikuji/kafka-specification"
    )

    def available(self) -> bool:
        """Whether Java is installed and both options are given."""
        return bool(self.jar and self.specs and shutil.which("java"))

    def build(self, size: Size, directory: Path) -> float:
        """Copy the modules and write the constants beside them; TLC has nothing to build."""
        assert self.jar
        assert self.specs
        if not self.jar.is_file():
            raise CheckerError(f"TLC: {self.jar} is not a file")
        if not (self.specs / "Kip320.tla").is_file():
            raise CheckerError(f"TLC: there is no Kip320.tla in {self.specs}")
        for module in self.specs.glob("*.tla"):
            shutil.copy(module, directory)
        replicas = ", ".join(f"r{number}" for number in range(1, size.replicas + 1))
        constants = [
            f"Replicas = {{{replicas}}}",
            f"LogSize = {size.log_size}",
            f"MaxRecords = {size.records}",
            f"MaxLeaderEpoch = {size.max_leader_epoch}",
        ]
        lines = ["INIT Init", "NEXT Next", "CONSTANTS", *(f"    {line}" for line in constants)]
        (directory / "Kip320.cfg").write_text("\n".join([*lines, ""]), "utf-8")
        return 0.0

    def command(self, size: Size, expected: int | None) -> list[str]:
        """Return TLC's command; `-deadlock` switches the check for deadlocks off."""
        assert self.jar
        java = ["java", "-XX:+UseParallelGC", f"-Xmx{self.memory >> 21}m", "-cp"]
        options = ["-deadlock", "-workers", "1", "-checkpoint", "0", "-cleanup"]
        return [*java, str(self.jar.resolve()), "tlc2.TLC", *options, "Kip320.tla"]

    def distinct_states(self, output: str) -> int | None:
        """Return the count of the summary."""
        if "No error has been found" not in output:
            return None
        return count(r"^\d+ states generated, (\d+) distinct states found, 0 states left", output)


def physical_memory() -> int:
    """Return the machine's memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

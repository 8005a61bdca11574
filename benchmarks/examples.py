"""Compare Tidegate with TLC and SPIN on the models in ``examples``, for which it was not tuned.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/examples.py --tlc-jar tla2tools.jar --specs Examples

where Examples is a clone of tlaplus/Examples.  Checkers that are not installed are left out.  All
must report the same number of distinct states, except SPIN with its reductions, or there is no
result.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from peers.cases import MODELS, Bounds, Model
from peers.checkers import CheckerError, physical_memory
from peers.contest import FIRST, KEPT, REDUCED, SPIN, TLC, Result, growth, summary, table
from peers.measure import Run, run
from peers.template import promela

ROOT = Path(__file__).parents[1]
TRANSITIONS = 20_000_000
"""Longest behavior that SPIN's depth-first search has room for."""


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=[m.example for m in MODELS], metavar="EXAMPLE")
    parser.add_argument("--repeat", type=int, default=3, metavar="ROUNDS", help="of short runs")
    parser.add_argument(
        "--long", type=float, default=30, metavar="SECONDS", help="CPU seconds of a run that is not"
    )
    parser.add_argument("--smaller", action="store_true", help="only the smallest size of each")
    parser.add_argument("--tlc-jar", type=Path, metavar="JAR", help="tla2tools.jar")
    parser.add_argument("--specs", type=Path, metavar="DIR", help="a clone of tlaplus/Examples")
    return parser.parse_args()


def say(line: str) -> None:
    """Print progress on standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


class Contest:
    """One model within some bounds, and all checkers on it, one after another."""

    def __init__(self, model: Model, bounds: Bounds, options: argparse.Namespace, work: Path):
        self.model, self.bounds, self.options, self.work = model, bounds, options, work
        self.result = Result(model, bounds)

    def compete(self) -> Result:
        """Run everything that is installed."""
        self.tidegate()
        if shutil.which("spin") and shutil.which("gcc") and self.model.defines:
            self.spin(REDUCED, [])
            self.spin(SPIN, ["-DNOREDUCE"])
        if self.options.tlc_jar and self.options.specs and shutil.which("java"):
            self.tlc()
        return self.result

    def tidegate(self) -> None:
        """Run with an empty cache of machine code, and again with the cache of the first run."""
        words = [word for name, value in self.bounds.items() for word in ("-b", f"{name}={value}")]
        for name in self.model.properties:
            words += ["-p", name]
        example = ROOT / "examples" / f"{self.model.example}.py"
        command = [sys.executable, "-m", "tidegate", "check", str(example), *words]
        command += ["--workers", "1", "--json", "-"]
        cache = self.work / "cache"
        cache.mkdir()
        for column in (FIRST, *(KEPT for _ in range(self.options.repeat))):
            done = run(command, self.work, {"XDG_CACHE_HOME": str(cache)})
            report = json.loads(done.output) if done.status == 0 else {"complete": False}
            self.note(column, report["distinct_states"] if report["complete"] else None, done)

    def spin(self, column: str, flags: list[str]) -> None:
        """Generate and compile a verifier, and run it."""
        assert self.model.defines
        place = self.work / column.replace(" ", "-")
        place.mkdir()
        source = ROOT / "benchmarks" / "promela" / f"{self.model.example}.pml"
        text = promela(source.read_text("utf-8"), self.model.defines(self.bounds))
        (place / "model.pml").write_text(text, "utf-8")
        compiler = ["gcc", "-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DNOFAIR", *flags]
        limit = f"-DMEMLIM={physical_memory() * 4 // 5 >> 20}"
        for step in (["spin", "-a", "model.pml"], [*compiler, limit, "-o", "pan", "pan.c"]):
            made = run(step, place)
            if made.status:
                raise CheckerError(f"{column}: {' '.join(step)}:\n{made.output}{made.errors}")
            self.result.built[column] = self.result.built.get(column, 0.0) + made.cpu
        for _ in range(self.options.repeat):
            done = run(["./pan", "-E", f"-m{TRANSITIONS}"], place)
            complete = "errors: 0" in done.output and not any(
                words in done.output for words in ("Search not completed", "depth too small")
            )
            self.note(column, _before(done.output, " states, stored") if complete else None, done)
            if done.cpu > self.options.long:
                break

    def tlc(self) -> None:
        """Put the modules and a configuration into a directory, and run TLC there."""
        model, place = self.model, self.work / "tlc"
        place.mkdir()
        folder = self.options.specs / "specifications" / model.folder
        for module in (folder if model.folder else ROOT / "examples" / "tla").glob("*.tla"):
            shutil.copy(module, place)
        ours = model.stubs | ({model.module: model.driver} if model.driver else {})
        for name, text in ours.items():
            module = f"---- MODULE {name} ----\n{text}\n====\n"
            (place / f"{name}.tla").write_text(module, "utf-8")
        constants = [f"CONSTANTS {line}" for line in model.constants(self.bounds)]
        invariants = [f"INVARIANTS {model.invariants}"]
        constraint = [f"CONSTRAINT {model.constraint}"] if model.constraint else []
        lines = [f"SPECIFICATION {model.specification}", *constants, *invariants, *constraint, ""]
        (place / f"{model.module}.cfg").write_text("\n".join(lines), "utf-8")
        heap = f"-Xmx{physical_memory() * 2 // 5 >> 20}m"
        command = ["java", "-XX:+UseParallelGC", heap, "-cp", str(self.options.tlc_jar.resolve())]
        command += ["tlc2.TLC", "-deadlock", "-workers", "1", "-checkpoint", "0", "-cleanup"]
        for _ in range(self.options.repeat):
            done = run([*command, f"{model.module}.tla"], place)
            complete = "No error has been found" in done.output
            states = _before(done.output, " distinct states found, 0 states left")
            self.note(TLC, states if complete else None, done)
            if done.cpu > self.options.long:
                break

    def note(self, column: str, states: int | None, done: Run) -> None:
        """Keep a run, which must have explored all states, and as many as the others."""
        where = f"{self.model.example} {self.bounds}, {column}"
        if states is None:
            raise CheckerError(f"{where}: incomplete:\n{(done.output + done.errors)[-3000:]}")
        say(f"{where}: {states:,} states, {done.cpu:.2f} CPU s, {done.wall:.1f} s")
        self.result.add(column, states, done)


def _before(output: str, words: str) -> int | None:
    """Return the last number before some words."""
    before = output.rpartition(words)[0].split()
    return int(before[-1].replace(",", "")) if before else None


def main() -> None:
    """Run everything, and print the tables and the summary."""
    options = arguments()
    results: list[Result] = []
    try:
        for model in MODELS:
            if options.only and model.example not in options.only:
                continue
            for bounds in model.sizes[: 1 if options.smaller else None]:
                with tempfile.TemporaryDirectory(prefix="tidegate-examples-") as work:
                    results.append(Contest(model, bounds, options, Path(work)).compete())
    except CheckerError as error:
        say(str(error))
    except KeyboardInterrupt:
        say("interrupted: the table has what was done until now")
    sys.stdout.write(f"{table(results)}\n\n{growth(results)}\n\n{summary(results)}\n")


if __name__ == "__main__":
    main()

"""Compare Tidegate with TLC, SPIN and stateright on the models in ``examples``, not tuned for.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/examples.py --tlc-jar JAR --specs Examples --stateright stateright

where Examples is a clone of tlaplus/Examples, and stateright one of stateright/stateright in which
``cargo build --release --example 2pc`` has built the library.  Checkers that are not installed are
left out.  All must report the same number of distinct states, except SPIN with its reductions, or
there is no result.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from peers.cases import MODELS, Bounds, Model
from peers.checkers import CheckerError, count, physical_memory
from peers.contest import (
    BREADTH,
    DEPTH,
    FIRST,
    KEPT,
    REDUCED,
    SPIN,
    TLC,
    Result,
    growth,
    summary,
    table,
)
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
    parser.add_argument(
        "--bounds", nargs="+", type=read_bounds, metavar="NAME=VALUE,...", help="other sizes"
    )
    parser.add_argument("--tlc-jar", type=Path, metavar="JAR", help="tla2tools.jar")
    parser.add_argument("--specs", type=Path, metavar="DIR", help="a clone of tlaplus/Examples")
    parser.add_argument(
        "--stateright", type=Path, metavar="DIR", help="a built clone of stateright/stateright"
    )
    return parser.parse_args()


def read_bounds(text: str) -> Bounds:
    """Read bounds with commas between them."""
    return {name: int(value) for name, value in (word.split("=") for word in text.split(","))}


def say(line: str) -> None:
    """Print progress on standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


class Contest:
    """One model within some bounds, and all checkers on it, in turn."""

    def __init__(self, model: Model, bounds: Bounds, options: argparse.Namespace, work: Path):
        self.model, self.bounds, self.options, self.work = model, bounds, options, work
        self.result = Result(model, bounds)

    def compete(self) -> Result:
        """Run everything that is installed, each once per round."""
        turns = [self.tidegate()]
        if shutil.which("spin") and shutil.which("gcc") and self.model.defines:
            turns += [self.spin(REDUCED, []), self.spin(SPIN, ["-DNOREDUCE"])]
        if self.options.tlc_jar and self.options.specs and shutil.which("java"):
            turns.append(self.tlc())
        if self.options.stateright and shutil.which("cargo") and self.model.stateright:
            turns += [self.stateright(BREADTH, "bfs"), self.stateright(DEPTH, "dfs")]
        # Each of them stops after a run, until all others have run.
        list(zip_longest(*turns))
        return self.result

    def tidegate(self) -> Iterator[None]:
        """Run with an empty cache of machine code, and with one that all rounds fill."""
        words = [word for name, value in self.bounds.items() for word in ("-b", f"{name}={value}")]
        for name in self.model.properties:
            words += ["-p", name]
        example = ROOT / "examples" / f"{self.model.example}.py"
        command = [sys.executable, "-m", "tidegate", "check", str(example), *words]
        command += ["--workers", "1", "--json", "-"]
        for number in range(self.options.repeat):
            for column, cache in ((FIRST, f"cache{number}"), (KEPT, "cache0")):
                done = run(command, self.work, {"XDG_CACHE_HOME": str(self.work / cache)})
                report = json.loads(done.output) if done.status == 0 else {"complete": False}
                self.note(column, report["distinct_states"] if report["complete"] else None, done)
            yield

    def spin(self, column: str, flags: list[str]) -> Iterator[None]:
        """Generate and compile a verifier, and run it."""
        assert self.model.defines
        place = self.work / column.replace(" ", "-")
        place.mkdir()
        source = ROOT / "benchmarks" / "promela" / f"{self.model.example}.pml"
        text = promela(source.read_text("utf-8"), self.model.defines(self.bounds))
        (place / "model.pml").write_text(text, "utf-8")
        compiler = ["gcc", "-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DNOFAIR", *flags]
        limit = f"-DMEMLIM={physical_memory() * 4 // 5 >> 20}"
        self.build(column, ["spin", "-a", "model.pml"], place)
        self.build(column, [*compiler, limit, "-o", "pan", "pan.c"], place)
        for _ in range(self.options.repeat):
            done = run(["./pan", "-E", f"-m{TRANSITIONS}"], place)
            complete = "errors: 0" in done.output and not any(
                words in done.output for words in ("Search not completed", "depth too small")
            )
            states = count(r"^ *(\d+) states, stored", done.output)
            self.note(column, states if complete else None, done)
            yield
            if done.cpu > self.options.long:
                break

    def stateright(self, column: str, search: str) -> Iterator[None]:
        """Build its own example with another search and one thread, and run that."""
        place, name = self.options.stateright, f"tidegate_{search}"
        text = (place / "examples" / f"{self.model.stateright}.rs").read_text("utf-8")
        text = text.replace("spawn_dfs", f"spawn_{search}").replace("num_cpus::get()", "1")
        (place / "examples" / f"{name}.rs").write_text(text, "utf-8")
        self.build(column, ["cargo", "build", "--release", "--example", name], place)
        program = (place / "target" / "release" / "examples" / name).resolve()
        for _ in range(self.options.repeat):
            done = run([str(program), "check", *map(str, self.bounds.values())], place)
            complete = done.status == 0 and " counterexample " not in done.output
            states = count(r"^Done\..* unique=(\d+),", done.output)
            self.note(column, states if complete else None, done)
            yield
            if done.cpu > self.options.long:
                break

    def tlc(self) -> Iterator[None]:
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
            states = count(r"(\d+) distinct states found, 0 states left", done.output)
            self.note(TLC, states if complete else None, done)
            yield
            if done.cpu > self.options.long:
                break

    def build(self, column: str, command: list[str], place: Path) -> None:
        """Run a command of a build, and add its CPU seconds."""
        made = run(command, place)
        if made.status:
            raise CheckerError(f"{column}: {' '.join(command)}:\n{made.output}{made.errors}")
        self.result.built[column] = self.result.built.get(column, 0.0) + made.cpu

    def note(self, column: str, states: int | None, done: Run) -> None:
        """Keep a run, which must have explored all states, and as many as the others."""
        where = f"{self.model.example} {self.bounds}, {column}"
        if states is None:
            raise CheckerError(f"{where}: incomplete:\n{(done.output + done.errors)[-3000:]}")
        say(f"{where}: {states:,} states, {done.cpu:.2f} CPU s, {done.wall:.1f} s")
        self.result.add(column, states, done)


def main() -> None:
    """Run everything, and print the tables and the summary."""
    options = arguments()
    results: list[Result] = []
    try:
        for model in MODELS:
            if options.only and model.example not in options.only:
                continue
            for bounds in options.bounds or model.sizes[: 1 if options.smaller else None]:
                with tempfile.TemporaryDirectory(prefix="tidegate-examples-") as work:
                    results.append(Contest(model, bounds, options, Path(work)).compete())
    except CheckerError as error:
        say(str(error))
    except KeyboardInterrupt:
        say("interrupted: the table has the results so far")
    sys.stdout.write(f"{table(results)}\n\n{growth(results)}\n\n{summary(results)}\n")


if __name__ == "__main__":
    main()

"""Compare Tidegate, its cold start included, with TLC on kinds of models that users write.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/shapes.py --tlc-jar tla2tools.jar

Each model of ``benchmarks/shapes`` is as somebody first wrote it, who had read the documentation
alone; the TLA+ module beside it has the same steps.  Both sides check the same properties with one
worker and must report the same distinct states and the same depth, or there is no result.  Tidegate
starts without machine code that is kept.  The figures are CPU seconds, user and system, of a
whole process from its start to its end.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown import put
from peers.checkers import CheckerError, physical_memory
from peers.measure import Run, run
from peers.report import short

FOLDER = Path(__file__).parent / "shapes"

Bounds = dict[str, int]


@dataclass(frozen=True)
class Shape:
    """A kind of model.

    Parameters
    ----------
    name
        The name of its file.
    invariants, liveness
        Properties that hold, by the names that both sides give them.
    sizes
        Its bounds, smaller ones first.
    live
        The bounds within which liveness is decided, too.
    violated
        Liveness that is violated.
    deadlock
        Whether a state without a step is an error.
    """

    name: str
    invariants: str
    sizes: tuple[str, ...]
    liveness: str = ""
    live: str = ""
    violated: str = ""
    deadlock: bool = False

    @property
    def module(self) -> str:
        """The name of the TLA+ module."""
        return self.name.title().replace("_", "")


SHAPES = (
    Shape(
        "allocator",
        "Exclusive Scheduled FirstCanBeServed",
        ("clients=3 resources=3", "clients=4 resources=3"),
        deadlock=True,
    ),
    Shape(
        "readers",
        "Safe",
        ("actors=6", "actors=7"),
        liveness="LetIn",
        live="actors=5",
        violated="Reads",
        deadlock=True,
    ),
    Shape(
        "snapshot",
        "Clean SnapshotIsolation",
        ("keys=3 values=1 transactions=2", "keys=2 values=2 transactions=3"),
        deadlock=True,
    ),
    Shape("sliding", "Apart", ("pieces=6", "pieces=8"), deadlock=True),
    Shape(
        "elevator",
        "Somewhere NoPrisoner",
        ("people=2 elevators=2 floors=4", "people=3 elevators=2 floors=4"),
        liveness="Arrives UpAnswered DownAnswered DoorsClose ButtonsGoOut GetsOut GetsIn Stops",
        live="people=2 elevators=1 floors=4",
    ),
    Shape(
        "multipaxos",
        "Agreement PromisesKept",
        ("acceptors=3 ballots=2 slots=2 values=1", "acceptors=3 ballots=3 slots=1 values=3"),
    ),
    Shape(
        "ring",
        "NoRaces InOrder",
        ("readers=4 size=5 items=9", "readers=4 size=10 items=12"),
        liveness="AllRead",
        live="readers=3 size=3 items=12",
    ),
    Shape(
        "paxos_commit",
        "Consistent",
        ("managers=1 acceptors=4 ballots=3", "managers=2 acceptors=3 ballots=2"),
    ),
    Shape(
        "ewd687",
        "Counters Tree Dt1",
        ("procs=3 most=2", "procs=4 most=1"),
        violated="Detected",
    ),
    Shape(
        "kraft",
        "OneLeader LogMatching LeaderCompleteness",
        ("voters=2 epochs=3 records=1 restarts=0", "voters=3 epochs=1 records=1 restarts=0"),
    ),
)


def read_bounds(text: str) -> Bounds:
    """Return bounds from a text, ``clients=3 resources=3``."""
    return {name: int(value) for name, value in (word.split("=") for word in text.split())}


def configuration(shape: Shape, bounds: Bounds, liveness: Sequence[str] = ()) -> str:
    """Return TLC's configuration."""
    lines = [f"SPECIFICATION {'FairSpec' if liveness else 'Spec'}", "CONSTANTS"]
    lines += [f"    {name.capitalize()} = {value}" for name, value in bounds.items()]
    lines += [f"INVARIANT {name}" for name in shape.invariants.split()]
    lines += [f"PROPERTY {name}" for name in liveness]
    return "\n".join([*lines, ""])


def tlc(jar: Path, shape: Shape, bounds: Bounds, liveness: Sequence[str] = ()) -> Run:
    """Run TLC on a shape."""
    with tempfile.TemporaryDirectory(prefix="tidegate-shapes-") as folder:
        shutil.copy(FOLDER / f"{shape.module}.tla", folder)
        text = configuration(shape, bounds, liveness)
        Path(folder, f"{shape.module}.cfg").write_text(text, "utf-8")
        heap = f"-Xmx{physical_memory() * 2 // 5 >> 20}m"
        command = ["java", "-XX:+UseParallelGC", heap, "-cp", str(jar.resolve()), "tlc2.TLC"]
        command += ["-workers", "1", "-checkpoint", "0", "-cleanup"]
        command += [] if shape.deadlock else ["-deadlock"]
        return run([*command, f"{shape.module}.tla"], Path(folder))


def counted_by_tlc(done: Run) -> tuple[int, int]:
    """Return distinct states and depth that TLC printed.

    Raises
    ------
    CheckerError
        If it did not see all states, or something is violated.
    """
    states = re.findall(r"(\d+) distinct states found, 0 states left on queue", done.output)
    depth = re.findall(r"depth of the complete state graph search is (\d+)", done.output)
    if "No error has been found" not in done.output or not states or not depth:
        raise CheckerError(f"TLC:\n{done.output[-2000:]}{done.errors[-500:]}")
    return int(states[-1]), int(depth[-1])


def golden(jar: Path, shape: Shape, text: str) -> dict[str, str | int]:
    """Return what TLC says of a shape: distinct states, depth, and which liveness is violated."""
    bounds = read_bounds(text)
    distinct, depth = counted_by_tlc(tlc(jar, shape, bounds))
    violated = []
    for name in (*shape.liveness.split(), *shape.violated.split()):
        done = tlc(jar, shape, bounds, [name])
        if "Temporal properties were violated" in done.output:
            violated.append(name)
        else:
            counted_by_tlc(done)
    return {
        "shape": shape.name,
        "bounds": text,
        "distinct": distinct,
        "depth": depth,
        "violated": " ".join(violated),
    }


def tidegate(shape: Shape, bounds: Bounds, liveness: Sequence[str] = ()) -> Run:
    """Run Tidegate on a shape, with an empty cache of machine code."""
    words = [word for name, value in bounds.items() for word in ("-b", f"{name}={value}")]
    deadlock = ["Deadlock"] if shape.deadlock else []
    for name in [*shape.invariants.split(), *deadlock, *liveness]:
        words += ["-p", name]
    command = [sys.executable, "-m", "tidegate", "check", str(FOLDER / f"{shape.name}.py"), *words]
    with tempfile.TemporaryDirectory(prefix="tidegate-shapes-") as folder:
        place = Path(folder)
        return run([*command, "--workers", "1", "--json", "-"], place, {"XDG_CACHE_HOME": folder})


def counted_by_us(done: Run) -> tuple[int, int]:
    """Return distinct states and depth that Tidegate reports.

    Raises
    ------
    CheckerError
        If it did not see all states, or something is violated.
    """
    report = json.loads(done.output) if done.status == 0 else {}
    if not report.get("complete"):
        raise CheckerError(f"Tidegate:\n{done.output[-2000:]}{done.errors[-2000:]}")
    return report["distinct_states"], report["depth"]


def say(line: str) -> None:
    """Print progress on standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def compare(jar: Path, shape: Shape, text: str, live: Sequence[str], options: Options) -> None:
    """Run both sides in turn, and print a row."""
    bounds, ours, theirs = read_bounds(text), [], []
    where = f"{shape.name} {text} {' '.join(live)}"
    for _ in range(options.repeat):
        ours.append(tidegate(shape, bounds, live))
        theirs.append(tlc(jar, shape, bounds, live))
        counts = counted_by_us(ours[-1]), counted_by_tlc(theirs[-1])
        say(f"{where}: {counts[0]}, Tidegate {ours[-1].cpu:.2f} CPU s, TLC {theirs[-1].cpu:.2f}")
        if counts[0] != counts[1]:
            raise CheckerError(f"{where}: Tidegate counts {counts[0]}, TLC {counts[1]}")
        if theirs[-1].cpu > options.long:
            break
    one, other = (statistics.median(done.cpu for done in runs) for runs in (ours, theirs))
    words = text.replace(" ", ", ").replace("=", " ")
    states, depth = counts[0]
    what = f"{shape.name}{f', {len(live)} liveness' if live else ''}"
    times = short(other / one)
    put([what, words, f"{states:,}", str(depth), short(one), short(other), times])


@dataclass(frozen=True)
class Options:
    """How often each is run.

    Parameters
    ----------
    repeat
        Rounds.
    long
        CPU seconds of TLC after which there is no further round.
    """

    repeat: int
    long: float


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=[s.name for s in SHAPES], metavar="SHAPE")
    parser.add_argument("--repeat", type=int, default=3, metavar="ROUNDS", help="of short runs")
    parser.add_argument(
        "--long", type=float, default=30, metavar="SECONDS", help="CPU seconds of a run that is not"
    )
    parser.add_argument("--smaller", action="store_true", help="only the smaller size of each")
    parser.add_argument("--larger", action="store_true", help="only the larger size of each")
    parser.add_argument("--tlc-jar", type=Path, metavar="JAR", required=True)
    return parser.parse_args()


def main() -> None:
    """Compare, and print the table."""
    chosen = arguments()
    options = Options(chosen.repeat, chosen.long)
    put(["model", "bounds", "distinct states", "depth", "Tidegate, CPU s", "TLC, CPU s", "times"])
    put(["---", "---", "---:", "---:", "---:", "---:", "---:"])
    try:
        for shape in SHAPES:
            if chosen.only and shape.name not in chosen.only:
                continue
            smaller, larger = shape.sizes
            if not chosen.larger:
                compare(chosen.tlc_jar, shape, smaller, (), options)
                if shape.live:
                    compare(chosen.tlc_jar, shape, shape.live, shape.liveness.split(), options)
            if not chosen.smaller:
                compare(chosen.tlc_jar, shape, larger, (), options)
    except CheckerError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

"""Compare Tidegate with other model checkers on the same model, in the same run.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/peers.py --sizes 3,2,2,2 3,3,3,2 --repeat 3

A size is replicas, log size, records and max_leader_epoch of the published KIP-320.  Checkers that
are not installed are left out.  All must report the same number of distinct states, or there is no
result.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from peers.checkers import Checker, CheckerError, Rumur, Spin, Tidegate, Tlc, physical_memory
from peers.kip320 import Packing, Size
from peers.report import Row, plot, table

KNOWN = {
    Size(3, 2, 2, 2): 737_794,
    Size(3, 3, 3, 2): 4_093_531,
    Size(3, 3, 3, 3): 64_739_578,
}
"""Distinct states of the usual sizes, as TLC (the first) and SPIN and rumur (all) count them.

SPIN gets the expected number, so that its table has the right size from the first round on.
"""


def read_size(text: str) -> Size:
    """Read bounds from the command line."""
    numbers = text.split(",")
    if len(numbers) != len(Size._fields) or not all(map(str.isdecimal, numbers)):
        raise argparse.ArgumentTypeError(f"{text} is not four numbers with commas between them")
    size = Size(*map(int, numbers))
    try:
        Packing.of(size)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from problem
    return size


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--sizes",
        nargs="+",
        type=read_size,
        metavar="N,L,R,E",
        default=[read_size("3,2,2,2")],
        help="replicas, log size, records, max_leader_epoch",
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="ROUNDS")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="CHECKER",
        choices=["tidegate", "spin", "rumur", "tlc"],
        help="leave out all others",
    )
    parser.add_argument("--engine", default="compiled", help="Tidegate's engine")
    parser.add_argument("--workers", type=int, default=1, help="Tidegate's workers")
    parser.add_argument("--tlc-jar", type=Path, metavar="JAR", help="tla2tools.jar")
    parser.add_argument(
        "--tlc-specs", type=Path, metavar="DIR", help="a clone of hachikuji/kafka-specification"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it as .png or .svg")
    chosen = parser.parse_args()
    if chosen.repeat < 1:
        parser.error("--repeat wants at least one round")
    if chosen.plot and not find_spec("matplotlib"):
        parser.error("--plot wants matplotlib: pip install -e '.[bench]'")
    return chosen


def say(line: str) -> None:
    """Print progress on standard error."""
    sys.stderr.write(f"{line}\n")


def present(options: argparse.Namespace) -> list[Checker]:
    """Return the requested checkers that are installed, ours first; say how to get the others."""
    memory = physical_memory() * 4 // 5
    every: list[Checker] = [
        Tidegate(options.engine, options.workers),
        Rumur(),
        Spin(memory),
        Tlc(options.tlc_jar, options.tlc_specs, memory),
    ]
    wanted = [c for c in every if not options.only or c.name.lower() in options.only]
    for checker in wanted:
        if not checker.available():
            say(f"{checker.name} is left out: {checker.install}")
    return [checker for checker in wanted if checker.available()]


def compare(checkers: list[Checker], size: Size, rounds: int, work: Path) -> list[Row]:
    """Build all checkers, then run each once per round.

    The order rotates between rounds, so that other load on the machine affects all of them.

    Raises
    ------
    CheckerError
        When a run reports another number of distinct states than the others, or than is known.
    """
    rows, places = [], []
    for checker in checkers:
        place = work / f"{checker.name}-{size}"
        place.mkdir(exist_ok=True)
        rows.append(Row(size, checker.name, checker.build(size, place)))
        places.append(place)
    expected = KNOWN.get(size)
    for round_ in range(rounds):
        for turn in range(len(checkers)):
            number = (round_ + turn) % len(checkers)
            row = rows[number]
            row.states, run = checkers[number].search(size, places[number], expected)
            say(
                f"{size} round {round_ + 1}, {row.checker}: {row.states:,} distinct states,"
                f" {run.cpu:.2f} CPU s, {run.wall:.2f} s, {run.peak / 1e6:,.0f} MB"
            )
            if expected not in (None, row.states):
                raise CheckerError(
                    f"{row.checker} found {row.states:,} states at {size}, not {expected:,}"
                )
            expected = row.states
            row.runs.append(run)
    return rows


def main() -> None:
    """Build, run, and print the table."""
    options = arguments()
    checkers = present(options)
    if not checkers:
        sys.exit("nothing to compare")
    rows: list[Row] = []
    try:
        with tempfile.TemporaryDirectory(prefix="tidegate-peers-") as work:
            for size in options.sizes:
                rows += compare(checkers, size, options.repeat, Path(work))
    except CheckerError as error:
        sys.exit(str(error))
    sys.stdout.write(table(rows) + "\n")
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()

"""Compare random programs, as Python runs them, with what the compiled engine makes of them.

Usage, from the root of the repository::

    .venv/bin/python tests/programs/compare.py [PROGRAMS] [--seed N] [--only SEED.NUMBER]

It ends with status 1 at the first program that differs, made as small as it can be, and says with
which ``--only`` it can be looked at again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.programs.laboratory import (
    PROGRAMS,
    Batch,
    Count,
    Difference,
    Workbench,
    batch,
    is_optimised,
    unnoted,
)
from tests.programs.smaller import smallest

LOGGED = 100
"""Seeds after which a line is written where nobody can see one change."""

RAW = argparse.RawDescriptionHelpFormatter


def differences(some: Batch, count: Count, only: int | None = None) -> Iterator[Difference]:
    """Yield where programs of a batch differ; what was compared is added to `count`."""
    programs = some.programs if only is None else [some.programs[only]]
    try:
        optimised, compared = is_optimised(some.seed), unnoted(some.seed)
        bench = Workbench(some.helpers, programs, optimised, compared)
        for part, state, python, machine in bench.differences(some.states):
            yield Difference(some.seed, part, some.helpers, state, python, machine)
    except Exception as error:
        error.add_note(f"with the programs of seed {some.seed}")
        raise
    count.add(bench.count)


def first_difference(
    programs: int, seed: int = 0, report: Callable[[Count, int], None] | None = None
) -> tuple[Difference | None, Count]:
    """Return the first program of so many that differs, if any does, and what was compared."""
    count = Count()
    while count.programs < programs:
        if report is not None:
            report(count, seed)
        for found in differences(batch(seed), count):
            return found, count
        seed += 1
    return None, count


def shown(difference: Difference) -> str:
    """Return a difference for people to read, with the command that shows it again."""
    part = difference.program
    number = f"{difference.seed}.{part.name.removeprefix('program')}"
    return (
        f"{part.source}\n{part.name}(s, k, *{part.static}), as {part.kind}, in the stored state\n"
        f"  {difference.state}\nPython:       {difference.python}\n"
        f"machine code: {difference.machine}\n"
        f"again: .venv/bin/python tests/programs/compare.py --only {number}\n"
    )


def main() -> int:
    """Compare as many programs as asked for; return the status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=RAW)
    parser.add_argument("programs", nargs="?", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first programs; default: 0")
    parser.add_argument("--only", help="one program, by the seed of its batch and its number")
    given = parser.parse_args()

    def report(count: Count, seed: int) -> None:
        if sys.stdout.isatty():
            sys.stdout.write(f"\r{_line(count)}; seed {seed}")
        elif seed % LOGGED == 0:
            sys.stdout.write(f"{_line(count)}; seed {seed}\n")
        sys.stdout.flush()

    if given.only:
        seed, _, number = given.only.partition(".")
        count = Count()
        difference = next(differences(batch(int(seed)), count, int(number)), None)
    else:
        difference, count = first_difference(given.programs, given.seed, report)
        following = given.seed + -(-count.programs // PROGRAMS)
        begin = "\r" if sys.stdout.isatty() else ""
        sys.stdout.write(f"{begin}{_line(count)}\n")
        if difference is None:
            sys.stdout.write(
                f"Continue with: .venv/bin/python tests/programs/compare.py --seed {following}\n"
            )
    if difference is not None:
        sys.stdout.write(f"{shown(smallest(difference))}\n")
    return int(difference is not None)


def _line(count: Count) -> str:
    refused = sum(count.refused.values())
    return (
        f"{count.programs:,} programs, of which {refused:,} are refused; {count.agreed:,} answers "
        f"agree, {count.failed:,} are left to Python; {process_time():,.0f} s"
    )


if __name__ == "__main__":
    sys.exit(main())

"""How long it takes to compile a model, by its instances of actions: both tiers, in CPU seconds.

Run it with ``.venv/bin/python benchmarks/compiling.py``.  Each row has a process of its own.
"""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import process_time

from tidegate.checker.compiled.build import object_code
from tidegate.checker.compiled.tiers import generator_of
from tidegate.checker.request import SearchRequest
from tidegate.library.selection import assemble

SHARED = "s.x = a"
ALONE = "s.x = TABLE[a % 8]"
"""A write for which each choice needs code of its own: the table is known while compiling alone."""

MODEL = """
from dataclasses import dataclass
from tidegate import Model, Record, integer, number

@dataclass(frozen=True)
class Bounds:
    a: int = number(30, 1, 300, "values of a", main=True)
    b: int = number(30, 1, 300, "values of b", main=True)

class State(Record):
    x: int = integer(0, 300, "x")
    y: int = integer(0, 300, "y")

model = Model(Bounds, State, deadlock=False)
TABLE = (3, 1, 4, 1, 5, 9, 2, 6)

@model.action("user", a=lambda k: range(k.a), b=lambda k: range(k.b))
def put(s: State, k: Bounds, a: int, b: int) -> bool:
    if s.x > a or s.y > b:
        return False
    {body}
    s.y = b
    return True

@model.invariant("In range.")
def in_range(s: State, k: Bounds) -> bool:
    return s.x <= 300
"""

ROWS = (
    (SHARED, 30, 30), (SHARED, 30, 300), (SHARED, 300, 300),
    (ALONE, 10, 50), (ALONE, 20, 50), (ALONE, 20, 100),
)  # fmt: skip


def measure(body: str, a: int, b: int) -> str:
    """Return a row of the table."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "put.py")
        file.write_text(MODEL.format(body=body))
        system, properties = assemble(str(file), [f"a={a}", f"b={b}"], ())
        times = [process_time()]
        text, _ = generator_of(SearchRequest(system, properties)).module()
        for optimised in (False, True):
            times.append(process_time())
            object_code(text, optimised=optimised)
        times.append(process_time())
    seconds = (f"{after - before:.2f}" for before, after in pairwise(times))
    memory = getrusage(RUSAGE_SELF).ru_maxrss >> 10
    kind = "shared" if body == SHARED else "each its own"
    return f"| {len(system.instances):,} | {kind} | {' | '.join(seconds)} | {memory:,} |"


def write(line: str) -> None:
    """Write a line, before the next process writes one."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Print the table, or one row of it."""
    if len(sys.argv) > 1:
        write(measure(*ROWS[int(sys.argv[1])]))
        return
    write("| instances | code | translate, s | first tier, s | second tier, s | MiB |")
    write("| ---: | --- | ---: | ---: | ---: | ---: |")
    for row in range(len(ROWS)):
        subprocess.run([sys.executable, __file__, str(row)], check=True)


if __name__ == "__main__":
    main()

"""Measure the interpreted engine: distinct states per CPU second on the broker family.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/interpreted.py [RUNS]
"""

import statistics
import sys
import time

from tidegate.checker.check import check
from tidegate.core.result import Resources
from tidegate.library.selection import assemble

CASES = [
    ("kip-101", ["elections=2"]),
    ("kip-320", ["elections=2"]),
    ("kip-320", ["records=3", "elections=2"]),
    ("kip-320", ["replicas=3", "records=1", "crashes=1"]),
]


def measure(name: str, settings: list[str], judged: bool) -> tuple[int, float]:
    """Return distinct states and CPU seconds of one search, with the default properties or none."""
    system, chosen = assemble(name, settings, [] if judged else ["none"])
    began = time.process_time()
    result = check(system, chosen, resources=Resources(engine="interpreted"))
    return result.distinct_states, time.process_time() - began


def main() -> None:
    """Print a row per case: states, and thousand states per CPU second as median (least, most)."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    row = "{:<44} {:>10} {:>22} {:>22}"
    sys.stdout.write(row.format("case", "states", "default properties", "no properties") + "\n")
    for name, settings in CASES:
        cells = []
        for judged in (True, False):
            rates = []
            for _ in range(runs):
                states, seconds = measure(name, settings, judged)
                rates.append(states / seconds / 1000)
            rate = f"{statistics.median(rates):.1f} ({min(rates):.1f}..{max(rates):.1f})"
            cells.append((states, rate))
        label = f"{name} {' '.join(settings)}"
        sys.stdout.write(row.format(label, f"{cells[0][0]:,}", cells[0][1], cells[1][1]) + "\n")


if __name__ == "__main__":
    main()

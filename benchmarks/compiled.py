"""Measure the compiled engine: whole runs of the command line, with one worker and with two.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/compiled.py [RUNS] [large]
"""

import json
import statistics
import sys
import tempfile
from pathlib import Path

from peers.measure import Run, run

CASES = [
    ("examples/published.py:kip_320", "replicas=3 records=2 max_leader_epoch=2", "none", "exact"),
    ("examples/published.py:kip_320", "replicas=3 records=3 max_leader_epoch=2", "none", "exact"),
    (
        "examples/published.py:kip_320",
        "replicas=3 records=3 max_leader_epoch=2",
        "default",
        "exact",
    ),
    ("kip-320", "replicas=3 elections=2 crashes=1", "none", "exact"),
    ("kip-320", "replicas=3 elections=2 crashes=1", "default", "exact"),
]
LARGE = [
    ("examples/published.py:kip_320", "replicas=3 records=3 max_leader_epoch=3", "none", "exact"),
    (
        "examples/published.py:kip_320",
        "replicas=3 records=3 max_leader_epoch=3",
        "none",
        "fingerprint",
    ),
    ("kip-320", "replicas=3 elections=3", "default", "exact"),
]
WORKERS = (1, 2)


def search(case: tuple[str, str, str, str], workers: int, folder: Path) -> tuple[Run, dict]:
    """Run one search from the command line; return its measurements and its report."""
    protocol, bounds, judged, store = case
    settings = [part for bound in bounds.split() for part in ("-b", bound)]
    properties = ["-p", "none"] if judged == "none" else []
    command = [sys.executable, "-m", "tidegate", "check", protocol, *settings, *properties]
    command += ["--engine", "compiled", "--store", store, "--workers", str(workers), "--json", "-"]
    measured = run(command, folder)
    if measured.status:
        raise SystemExit(f"{' '.join(command)} ended with {measured.status}:\n{measured.errors}")
    return measured, json.loads(measured.output)


def main() -> None:
    """Print a row per case and number of workers; figures are medians over the runs."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    cases = LARGE if "large" in sys.argv[2:] else CASES
    row = "{:<62} {:>8} {:>12} {:>8} {:>8} {:>10} {:>12}\n"
    head = ("case", "workers", "states", "CPU s", "wall s", "M/CPU s", "bytes/state")
    sys.stdout.write(row.format(*head))
    with tempfile.TemporaryDirectory() as name:
        for case in cases:
            search(case, 1, Path(name))  # Compiles the model, which the rows leave out.
            measured = {workers: [] for workers in WORKERS}
            for _ in range(runs):
                for workers in WORKERS:
                    measured[workers].append(search(case, workers, Path(name)))
            for workers, results in measured.items():
                states = results[0][1]["distinct_states"]
                cpu = statistics.median(run.cpu for run, _ in results)
                wall = statistics.median(run.wall for run, _ in results)
                peak = statistics.median(run.peak for run, _ in results)
                figures = (f"{states:,}", f"{cpu:.2f}", f"{wall:.2f}", f"{states / cpu / 1e6:.2f}")
                label = f"{case[0]} {case[1]} -p {case[2]} {case[3]}"
                sys.stdout.write(row.format(label, workers, *figures, f"{peak / states:.1f}"))
                sys.stdout.flush()


if __name__ == "__main__":
    main()

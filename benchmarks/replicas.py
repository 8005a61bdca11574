"""States, orbits and CPU time for 3, 4 and 5 replicas, as a table of Markdown.

``replicas.py [PROTOCOL ...] [--replicas N ...] [--bounds "BOUND=VALUE ..."] [--memory SIZE]
[--time-limit TIME] [--store STORE] [--runs N] [--orbits-only]`` runs ``tidegate check`` with
``--symmetry`` and without it, each in a process of its own, with one worker and the default
properties.  CPU seconds are those of the process, machine code made before included if it is not
cached: run it twice.  What a limit stopped is shown with a ``>``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

from markdown import put

BOUNDS = (
    "records=1 crashes=1 elections=1",
    "records=1 crashes=1 elections=2",
    "records=2 crashes=1 elections=1",
)
TIDEGATE = Path(sys.executable).parent / "tidegate"


def cpu_seconds() -> float:
    """Return the CPU time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def searched(arguments: list[str]) -> tuple[dict[str, object], float]:
    """Return the report of a search, and its CPU time."""
    before = cpu_seconds()
    how = ["--engine", "compiled", "--workers", "1", "--json", "-"]
    command = [str(TIDEGATE), "check", *arguments, *how]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True)
    report: dict[str, object] = json.loads(ran.stdout)
    return report, cpu_seconds() - before


def shown(arguments: list[str], runs: int) -> tuple[int, str, str, str]:
    """Return the permutations, the states, CPU seconds (a median) and the verdict of a search."""
    results = [searched(arguments) for _ in range(runs)]
    report = results[0][0]
    some = "" if report["complete"] else "> "
    seconds = median(cpu for _, cpu in results)
    verdict = str(report["outcome"])
    return (
        int(str(report["permutations"])),
        f"{some}{report['distinct_states']:,}",
        f"{seconds:.2f}" if seconds < 10 else f"{seconds:.0f}",
        verdict,
    )


def main() -> None:
    """Print a row for each protocol, each bounds and each number of replicas."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocols", nargs="*", default=["kip-101", "kip-320", "kip-595"])
    parser.add_argument("--replicas", nargs="*", type=int, default=[3, 4, 5])
    parser.add_argument("--bounds", nargs="*", default=BOUNDS)
    parser.add_argument("--memory", default="12G")
    parser.add_argument("--time-limit", default="10m")
    parser.add_argument("--store", default="exact")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--orbits-only", action="store_true")
    chosen = parser.parse_args()
    limits = ["--max-memory", chosen.memory, "--time-limit", chosen.time_limit]
    limits += ["--store", chosen.store]
    put(
        ["protocol", "bounds", "replicas", "permutations", "orbits", "CPU s", "states", "CPU s", ""]
    )
    put(["---", "---", *["---:"] * 6, "---"])
    for protocol in chosen.protocols:
        for bounds in chosen.bounds:
            for replicas in chosen.replicas:
                wanted = [f"replicas={replicas}", *bounds.split()]
                arguments = [protocol, *(a for bound in wanted for a in ("-b", bound)), *limits]
                group, orbits, fast, verdict = shown([*arguments, "--symmetry"], chosen.runs)
                row = [protocol, f"`{bounds}`", str(replicas), str(group), orbits, fast]
                if chosen.orbits_only:
                    row += ["", ""]
                else:
                    row += shown(arguments, chosen.runs)[1:3]
                put([*row, verdict])


if __name__ == "__main__":
    main()

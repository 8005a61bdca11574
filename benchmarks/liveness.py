"""Measure the cost of three liveness properties in addition to safety, and compare with TLC.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/liveness.py growth [RUNS [CASES]]
    .venv/bin/python benchmarks/liveness.py tlc --jar tla2tools.jar --specs kafka-specification

``growth`` runs each case with one worker, in turn with and without liveness properties, and prints
medians of CPU seconds of the whole process, and the highest memory.  ``tlc`` checks five properties
that the published KIP-101 satisfies in ``--bounds`` with both, once each; both must find the same
number of distinct states.  Machine code is compiled beforehand.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tlc import MODULES, requirements, run, states_and_depth
from tlc_liveness import liveness_task, violates

THREE = ("Converges", "TruncationTerminates", "HwReachesLogEnd")

CASES = (
    ("kip-320", "replicas=3 records=2 elections=1 crashes=1"),
    ("kip-320", "replicas=3 records=1 elections=2 crashes=1 min_isr=2 moves"),
    ("kip-320", "replicas=3 records=2 elections=2 crashes=1 moves"),
    ("kip-320", "replicas=3 records=2 elections=2 crashes=2 moves"),
    ("kip-320", "replicas=3 records=3 log_size=2 elections=2 crashes=2 moves"),
)
"""From 10^5 to nearly 10^8 states; the last one takes 15 GB."""

PUBLISHED = "tidegate.examples.published:kip_101"
HOLD = (
    "LastLeaderActs",
    "CaughtUpFollowerJoins",
    "FollowerAtHwJoins",
    "IsrIsCommitted",
    "RecordsAreWritten",
)


def measured(protocol, settings, properties):
    """Return the report of a check, its CPU seconds and its highest memory in bytes."""
    command = [sys.executable, "-m", "tidegate", "check", protocol, "--continue", "--workers", "1"]
    command += [part for setting in settings.split() for part in ("-b", setting)]
    command += [part for name in properties for part in ("-p", name)]
    with tempfile.NamedTemporaryFile() as target:
        child = subprocess.Popen([*command, "--quiet", "--json", "-"], stdout=target)
        _, _, used = os.wait4(child.pid, 0)
        report = json.loads(Path(target.name).read_text("utf-8"))
    return report, used.ru_utime + used.ru_stime, used.ru_maxrss << 10


def growth(runs, cases):
    """Print a row for each case."""
    for protocol, settings in CASES[:cases]:
        seconds = {"safety": [], "liveness": []}
        memory = {}
        measured_sets = {"safety": ("TypeOk",), "liveness": ("TypeOk", *THREE)}
        for number in range(runs + 1):
            for name, properties in measured_sets.items():
                report, used, most = measured(protocol, settings, properties)
                assert report["outcome"] == "holds", report
                if number:
                    seconds[name].append(used)
                    memory[name] = most
        states = report["distinct_states"]
        safety, liveness = (statistics.median(seconds[name]) for name in measured_sets)
        sys.stdout.write(
            f"| {protocol}, {settings} | {states:,} | {safety:.2f} | {liveness:.2f} | "
            f"{liveness / safety:.1f} | {memory['safety'] / states:.0f} | "
            f"{memory['liveness'] / states:.0f} |\n"
        )
        sys.stdout.flush()


def beside_tlc(jar, specs, bounds):
    """Print the CPU seconds of TLC and of Tidegate on a published model."""
    measured(PUBLISHED, bounds, HOLD)
    report, ours, _ = measured(PUBLISHED, bounds, HOLD)
    assert report["outcome"] == "holds", report
    before = os.times()
    work = liveness_task({"protocol": PUBLISHED, "bounds": bounds}, HOLD)
    output = run(*requirements(jar, specs, MODULES[PUBLISHED]), work)
    after = os.times()
    assert not violates(output)
    states, _ = states_and_depth(output)
    assert states == report["distinct_states"], (states, report["distinct_states"])
    used = sum(after[2:4]) - sum(before[2:4])
    sys.stdout.write(
        f"{states:,} distinct states: TLC {used:.0f} CPU s, Tidegate {ours:.2f}: "
        f"{used / ours:.0f} times\n"
    )


def main():
    """Run the chosen measurement."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("growth", "tlc"))
    parser.add_argument("runs", nargs="?", type=int, default=3)
    parser.add_argument("cases", nargs="?", type=int, default=len(CASES))
    parser.add_argument("--jar", default=os.environ.get("TIDEGATE_TLC_JAR"))
    parser.add_argument("--specs", default=os.environ.get("TIDEGATE_TLC_SPECS"))
    parser.add_argument("--bounds", default="records=3 max_leader_epoch=3")
    options = parser.parse_args()
    if options.what == "growth":
        growth(options.runs, options.cases)
    else:
        beside_tlc(options.jar, options.specs, options.bounds)


if __name__ == "__main__":
    main()

"""Measure the cost of ``--engine spark``, level by level, in CPU time of all processes.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/spark.py [--partitions P] [--plot FILE] [BOUND=VALUE ...]

It searches the published KIP-320 with the compiled engine on one core, then with Spark on this
machine, in TMPDIR, and compares.  A candidate is a step taken.
"""

import argparse
import json
import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from processes import cpu_seconds, largest_resident

from tidegate.checker.check import check
from tidegate.checker.distributed.jobs import Jobs
from tidegate.core.result import Cluster, Resources
from tidegate.library.selection import assemble

DEFAULT = ["replicas=3", "log_size=4", "records=4", "max_leader_epoch=2"]


class Measured:
    """Measures every job of a search."""

    def __init__(self):
        self.levels = []
        self.memory = 0
        run = Jobs.run

        def measured(jobs, plan, watch):
            def watched(*progress):
                self.memory = max(self.memory, largest_resident())
                return watch(*progress)

            cpu, wall = cpu_seconds(), time.monotonic()
            owned = run(jobs, plan, watched)
            self.levels.append(
                {
                    "level": plan.level,
                    "candidates": sum(sum(e.counts.taken) for o in owned for e in o.expanded),
                    "states": sum(o.states for o in owned),
                    "seen": sum(r.states for r in plan.earlier),
                    "cpu": cpu_seconds() - cpu,
                    "wall": time.monotonic() - wall,
                }
            )
            return owned

        Jobs.run = measured


def compiled(system):
    """Return the CPU seconds that the compiled engine takes, on one core."""
    before = time.process_time()
    resources = Resources(engine="compiled", workers=1)
    check(system, [], resources=resources)
    return time.process_time() - before


def main():
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--partitions", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw them as .png or .svg")
    parser.add_argument("bounds", nargs="*", metavar="BOUND=VALUE")
    chosen = parser.parse_args()
    if chosen.plot and not find_spec("matplotlib"):
        parser.error("--plot wants matplotlib: pip install -e '.[bench]'")
    system, _ = assemble("examples/published.py:kip_320", chosen.bounds or DEFAULT, ["none"])
    alone = compiled(system)
    measured = Measured()
    cluster = Cluster(partitions=chosen.partitions)
    result = check(system, [], resources=Resources(engine="spark", cluster=cluster))
    # In the first job workers start and load the kernel.
    jobs = measured.levels[1:]
    candidates, cpu = sum(j["candidates"] for j in jobs), sum(j["cpu"] for j in jobs)
    small = sorted(jobs, key=lambda job: job["candidates"])[:3]
    figures = {
        "bounds": " ".join(chosen.bounds or DEFAULT),
        "partitions": chosen.partitions,
        "distinct_states": result.distinct_states,
        "candidates": result.generated_states,
        "spark_levels": result.spark_levels,
        "seconds": round(result.seconds, 1),
        "compiled_cpu_seconds": round(alone, 2),
        "job_cpu_seconds": round(cpu, 2),
        "microseconds_per_candidate": round(cpu / candidates * 1e6, 3),
        "above_compiled": round((cpu / candidates - alone / result.generated_states) * 1e6, 3),
        "cpu_seconds_of_the_smallest_jobs": [round(job["cpu"], 2) for job in small],
        "largest_process_mib": measured.memory >> 20,
    }
    json.dump(figures, sys.stdout, indent=2)
    sys.stdout.write("\n")
    if chosen.json:
        chosen.json.write_text(json.dumps({**figures, "levels": measured.levels}, indent=1))
    if chosen.plot:
        draw(measured.levels[1:], chosen.plot)


def draw(levels, file):
    """Draw the cost of a level over its candidates, coloured by how many states were seen."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    points = axes.scatter(
        [level["candidates"] / 1e6 for level in levels],
        [level["cpu"] for level in levels],
        c=[level["seen"] / 1e6 for level in levels],
    )
    figure.colorbar(points, label="million states seen before")
    axes.set_xlabel("million candidates of a level")
    axes.set_ylabel("CPU seconds of its job")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main()

"""Measure the cost of a nearly empty Spark job, by its number of partitions.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/jobs.py [--conf spark.NAME=VALUE ...] [PARTITIONS ...]

The levels of a model of 353 states are searched with ``local[2]``.  It prints medians over levels
of CPU seconds of all processes and of wall time.  With ``local_levels=0`` every level has all
partitions, and every task sends something to every other one, so that costs quadratic in their
number show, too.
"""

import argparse
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from processes import cpu_seconds

from tidegate.checker.check import check
from tidegate.checker.distributed.jobs import Jobs
from tidegate.checker.distributed.session import spark_context
from tidegate.core.result import Cluster, Limits, Resources
from tidegate.library.selection import assemble

DEFAULT = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def main():
    """Measure, and print a line for each number of partitions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--conf", action="append", default=[], metavar="spark.NAME=VALUE")
    parser.add_argument("partitions", nargs="*", type=int, default=DEFAULT, metavar="PARTITIONS")
    chosen = parser.parse_args()
    system, _ = assemble("examples/published.py:hw", ["records=1", "log_size=1"], ["none"])
    costs = []
    run = Jobs.run

    def measured(jobs, plan, watch):
        cpu, wall = cpu_seconds(), time.monotonic()
        owned = run(jobs, plan, watch)
        costs.append((cpu_seconds() - cpu, time.monotonic() - wall))
        return owned

    Jobs.run = measured

    def search(partitions, depth):
        costs.clear()
        cluster = Cluster(local_levels=0, partitions=partitions)
        resources = Resources(engine="spark", cluster=cluster)
        check(system, [], resources=resources, limits=Limits(max_depth=depth))

    local = Cluster(master="local[2]", conf=tuple(chosen.conf))
    with TemporaryDirectory() as folder, spark_context(local, Path(folder)):
        # Workers start, and Java becomes fast.
        search(2, 12)
        for partitions in chosen.partitions:
            search(partitions, 12 if partitions < 50 else 4)
            cpu, wall = (median(figures) for figures in zip(*costs[1:], strict=True))
            sys.stdout.write(f"{partitions:5} partitions: {cpu:.2f} CPU s, {wall:.2f} s\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

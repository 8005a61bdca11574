"""Estimate what a search on a large cluster would take, from costs measured on a small one.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/scaling.py

It prints the tables of docs/scaling.md, which says where each input is from.  It measures nothing
and uses no random numbers, so the tables are the same on every machine.
"""

import heapq
import sys
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from tidegate.checker.distributed.runs import Run
from tidegate.checker.distributed.sizing import senders_of, shares_of
from tidegate.core.result import LOCAL_LEVELS

# Measured: benchmarks/spark.py on the model of SHAPE, and docs/scaling.md for the cost of a job.
CANDIDATE_CPU = 0.36e-6
"""CPU seconds for each candidate, jobs included."""

TASK_CPU = 0.0063
"""CPU seconds of an empty task, Spark's share included."""

BLOCK_CPU = 35e-6
"""CPU seconds of a shuffle block, which is what one task sends to another."""

JOB_CPU = 0.06
"""CPU seconds of a job, whatever the number of its tasks."""

BRANCHING = 3.2
"""Candidates (steps taken) for each distinct state."""

SHAPE = (
    1, 6, 30, 138, 366, 1173, 2763, 6102, 13287, 28812, 59364, 112986, 196407, 315132, 477963,
    687711, 942732, 1226964, 1509000, 1743399, 1889244, 1914432, 1817058, 1613835, 1341717,
    1034490, 741807, 488520, 293598, 157665, 75120, 28614, 8388, 1992, 372, 36,
)  # fmt: skip
"""States of each level: published KIP-320, 3 replicas, 4 records, log size 4, max epoch 2."""

# From the format of runs, for states of three words.
WORDS = 3
CANDIDATE = 8 * (WORDS + 1)
"""Bytes of a candidate: a record, and its parent's fingerprint."""

TABLE = 6
"""The most memory of an owner's table while it grows, in multiples of its candidates."""

# Assumed, not measured.
LEVELS = 60
"""Levels of a search of a thousand million states or more."""

OWNED = 8_000_000
"""The most candidates of the largest level for one partition."""

RUNS = LEVELS
"""Runs that hold the seen states, each with a file for every partition."""

LAUNCH = 0.001
"""Seconds for the driver to launch a task and receive its end, which it does sequentially."""

NETWORK, STORE = 500e6, 200e6
"""Bytes per second that an executor sends to others, and reads from or writes to the store."""

SERVER = 1e9
"""Bytes per second of a store on one server, such as NFS."""

REPORT = 600
"""Bytes that each share reports to the driver: counts for every instance of an action."""

STATES = (10**9, 10**10, 10**11, 10**12)
EXECUTORS = (10, 100, 1000)


@dataclass(frozen=True)
class Level:
    """The states of a level, and how many were found before it."""

    states: float
    seen: float


def levels(states):
    """Return levels of the measured shape, stretched to the assumed number of levels."""
    total, below = sum(SHAPE), [0]
    for count in SHAPE:
        below.append(below[-1] + count)

    def found(part):
        at = part * len(SHAPE)
        level = min(int(at), len(SHAPE) - 1)
        return (below[level] + (at - level) * SHAPE[level]) / total * states

    ends = [found(number / LEVELS) for number in range(LEVELS + 1)]
    return [Level(b - a, a) for a, b in pairwise(ends)]


@dataclass(frozen=True)
class Search:
    """The cost of a search of that many states by that many executors of one core."""

    states: int
    executors: int

    @property
    def partitions(self):
        """Partitions that keep an owner's memory small, and every executor busy."""
        return max(self.executors, ceil(self.largest.states * BRANCHING / OWNED))

    @property
    def largest(self):
        """The largest level."""
        return max(levels(self.states), key=lambda level: level.states)

    @property
    def worker(self):
        """Bytes of an owner's table on the largest level."""
        candidates = self.largest.states * BRANCHING
        return candidates / self.shares(self.largest) * CANDIDATE * TABLE

    def seconds(self, level):
        """Return the seconds of a level: its work, its traffic, and its fixed cost."""
        candidates = level.states * BRANCHING
        work = candidates * CANDIDATE_CPU / self.executors
        shuffled = candidates * CANDIDATE / self.executors / NETWORK
        # New records and parents are written once; all seen ones are read.
        stored = level.states * 8 * (WORDS + 1) + (level.seen + level.states) * 8 * WORDS
        return work + shuffled + stored / self.executors / STORE + self.fixed(level)

    def shares(self, level):
        """Return the partitions of a level: as many as it is worth, at most all."""
        earlier = [Run("", self.partitions, 0)] * RUNS
        return shares_of(self.partitions, LOCAL_LEVELS, level.states * BRANCHING, earlier)

    def fixed(self, level):
        """Return the seconds of a level that do not depend on its states: tasks and blocks."""
        shares = self.shares(level)
        at_once = min(shares, self.executors)
        blocks = self.blocks(level) * BLOCK_CPU / at_once
        tasks = shares + senders_of(shares, self.executors)
        return JOB_CPU + blocks + tasks * max(TASK_CPU / at_once, LAUNCH)

    def blocks(self, level):
        """Return the blocks of a level: each task that expands sends one to each share."""
        shares = self.shares(level)
        return shares * senders_of(shares, self.executors)

    @property
    def hours(self):
        """Hours of the whole search, and which share of them is fixed cost."""
        profile = levels(self.states)
        total = sum(self.seconds(level) for level in profile)
        return total / 3600, sum(self.fixed(level) for level in profile) / total


def duration(hours):
    """Return hours for a person to read."""
    return f"{hours * 60:.0f} min" if hours < 2 else f"{hours:,.0f} h"


def size(count):
    """Return bytes for a person to read."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= unit:
            return (
                f"{count / unit:,.3g} {name}"
                if count < 1000 * unit
                else f"{count / unit:,.0f} {name}"
            )
    return f"{count / 1e3:,.3g} kB"


def power(states):
    """Return a power of ten."""
    return f"10^{len(str(states)) - 1}"


def table(header, rows):
    """Return a table in Markdown."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def time_table():
    """Return how long searches take."""
    rows = []
    for states in STATES:
        row = [power(states)]
        for executors in EXECUTORS:
            hours, idle = Search(states, executors).hours
            row.append(f"{duration(hours)} ({idle:.0%})")
        rows.append(row)
    return table(["distinct states", *(f"{e:,} executors" for e in EXECUTORS)], rows)


def volume_table():
    """Return the volumes of shuffles and storage, for any number of executors."""
    rows = []
    for states in STATES:
        profile = levels(states)
        shuffled = states * BRANCHING * CANDIDATE
        read = sum((level.seen + level.states) * 8 * WORDS for level in profile)
        cpu = states * BRANCHING * CANDIDATE_CPU / 3600
        stored = states * 8 * (WORDS + 1)
        volumes = (size(shuffled), size(stored), size(read))
        rows.append([power(states), f"{cpu:,.1f}", *volumes, duration(read / SERVER / 3600)])
    header = ["distinct states", "CPU hours", "shuffled", "store", "read from the store at most"]
    header += ["the same from one server"]
    return table(header, rows)


def partition_table():
    """Return what grows with the number of partitions."""
    rows = []
    for states in STATES:
        search = Search(states, 1000)
        p, profile = search.shares(search.largest), levels(states)
        rows.append(
            [
                power(states),
                f"{search.partitions:,}",
                f"{p:,}",
                size(search.worker),
                f"{sum(search.shares(level) for level in profile):,}",
                f"{search.blocks(search.largest):,}",
                # The size of each block, in one byte; and what every share reports.
                size(search.blocks(search.largest) + p * REPORT),
                f"{search.fixed(search.largest):.1f} s",
                f"{search.fixed(Level(0, states)):.1f} s",
            ]
        )
    header = ["distinct states", "partitions", "of the largest level"]
    header += ["table of an owner", "files of levels"]
    header += ["blocks of a shuffle", "driver, for a level"]
    header += ["fixed cost of a full level", "of a nearly empty one"]
    return table(header, rows)


def slowest(partitions, executors, slow):
    """Return how much longer a stage takes if one executor is `slow` times slower.

    Each executor takes the next task when it has finished one, as in Spark.
    """
    free = [(0.0, slow if number == 0 else 1.0) for number in range(executors)]
    end = 0.0
    for _ in range(partitions):
        at, pace = heapq.heappop(free)
        end = max(end, at + pace)
        heapq.heappush(free, (at + pace, pace))
    return end / (partitions / executors)


def straggler_table():
    """Return what one slow executor of a hundred costs."""
    rows = [
        [f"{each}", *(f"{slowest(100 * each, 100, slow):.2f}" for slow in (2.0, 4.0))]
        for each in (1, 2, 4, 8, 16)
    ]
    return table(["partitions for each executor", "twice as slow", "four times as slow"], rows)


TABLES = (time_table, volume_table, partition_table, straggler_table)


def main():
    """Print all tables."""
    sys.stdout.write("\n".join(make() for make in TABLES))


if __name__ == "__main__":
    main()

"""Count the states that an option of the broker family adds, at three bounds.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/growth.py [PROTOCOL]

It prints a table for docs: distinct states without and with each option, complete and exact, and
without any property, so that no history is part of the state.
"""

import sys

from markdown import put

from tidegate.checker.check import check
from tidegate.core.spec import Outcome
from tidegate.library.selection import assemble

BOUNDS = (
    ("records=1", "elections=1", "crashes=1"),
    ("records=2", "elections=2", "crashes=1"),
    ("replicas=3", "records=1", "elections=1", "crashes=1"),
)

OPTIONS = (
    (),
    ("isr_propagation=zookeeper",),
    ("isr_propagation=zookeeper", "controller_crashes=1"),
    ("bounce_noticed",),
    ("isr_propagation=kraft",),
    ("isr_propagation=records",),
    ("moves",),
    ("isr_propagation=kraft", "moves"),
    ("isr_propagation=records", "moves"),
    ("elr",),
    ("elr", "last_known_leader"),
    ("purgatory",),
    ("deletions=1",),
    ("deletions=2",),
    ("isr_propagation=records", "reassignments=1", "spare_broker"),
)


def states(protocol, settings):
    """Return how many distinct states there are."""
    system, _ = assemble(protocol, settings, ["none"])
    result = check(system, [])
    assert result.outcome is Outcome.HOLDS, f"{settings}: not all states were explored"
    return result.distinct_states


def main():
    """Count, and print a line for each option."""
    protocol = sys.argv[1] if len(sys.argv) > 1 else "kip-595"
    put([protocol, *(" ".join(bounds) for bounds in BOUNDS)])
    put(["---", *["---:"] * len(BOUNDS)])
    alone = {}
    for option in OPTIONS:
        cells = []
        for bounds in BOUNDS:
            count = states(protocol, [*bounds, *option])
            times = count / alone.setdefault(bounds, count)
            cells.append(f"{count:,} ({times:.2f})" if option else f"{count:,}")
        put([f"`{' '.join(option)}`" if option else "none", *cells])


if __name__ == "__main__":
    main()

"""Measure how many times faster compiled code is than Python, on examples and broker protocols.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/speedup.py [SECONDS]

Both engines search the same model for some CPU seconds, the compiled one with one worker and with
code that is kept from an earlier search, and the states that they find per CPU second are compared.
"""

import statistics
import sys
import time

from tidegate.checker.check import check
from tidegate.core.result import Limits, Resources
from tidegate.library.selection import assemble

CASES = [
    ("examples/two_phase_commit.py", ["managers=10"]),
    ("examples/dining_philosophers.py", ["philosophers=20"]),
    ("examples/chang_roberts.py", ["nodes=8"]),
    ("examples/lamport_mutex.py", ["processes=3", "clock=7"]),
    ("examples/paxos.py", ["ballots=3", "values=3"]),
    ("examples/ewd998.py", ["sum=9"]),
    ("examples/raft.py", ["terms=3", "log=2"]),
    ("kip-101", ["replicas=3", "elections=2"]),
    ("kip-320", ["replicas=3", "elections=2"]),
    ("kip-595", ["replicas=3", "elections=2"]),
    ("examples/published.py:kip_320", ["replicas=3", "records=3", "max_leader_epoch=3"]),
]


def rate(name: str, settings: list[str], engine: str, seconds: float) -> float:
    """Return distinct states per CPU second of a search that ends after some seconds."""
    system, chosen = assemble(name, settings, [])
    chosen = [prop for prop in chosen if prop.kind.is_of_state]
    resources = Resources(engine=engine, workers=1)
    began = time.process_time()
    result = check(system, chosen, limits=Limits(seconds=seconds), resources=resources)
    return result.distinct_states / (time.process_time() - began)


def main() -> None:
    """Print a row per case: thousand states per CPU second of both engines, and the quotient."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    row = "{:<70} {:>11} {:>9} {:>6}\n"
    sys.stdout.write(row.format("case", "interpreted", "compiled", "times"))
    times = []
    for name, settings in CASES:
        # The first search makes the code.
        rate(name, settings, "compiled", 60)
        slow, fast = (
            rate(name, settings, engine, seconds) for engine in ("interpreted", "compiled")
        )
        times.append(fast / slow)
        numbers = f"{slow / 1e3:.1f}", f"{fast / 1e3:.0f}", f"{fast / slow:.0f}"
        sys.stdout.write(row.format(" ".join([name, *settings]), *numbers))
        sys.stdout.flush()
    least, middle, most = min(times), statistics.median(times), max(times)
    sys.stdout.write(f"least {least:.0f}, median {middle:.0f}, most {most:.0f}\n")


if __name__ == "__main__":
    main()

"""Run a schedule that loses acknowledged records on real brokers: ``sh scripts/finding``.

Prints a line for each run and the story of the last one.  Status 0: every run ended as its mode
should; 1: one did not; 2: Kafka could not be started or controlled.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tidegate.brokers.distribution import find_distribution
from tidegate.core.spec import TidegateError

from .known_record import KnownRecord
from .node import CONTROLLER
from .removed_replica import RemovedReplica
from .run import Run
from .skipped_epoch import SkippedEpoch

_SCHEDULES: Mapping[str, type[Run[Any]]] = {
    "skipped-epoch": SkippedEpoch,
    "known-record": KnownRecord,
    "removed-replica": RemovedReplica,
}


def _parsed(words: Sequence[str]) -> tuple[type[Run[Any]], argparse.Namespace]:
    """Return the schedule, and the directory, the mode and the number of runs."""
    name = words[0] if words else ""
    if name not in _SCHEDULES:
        sys.exit(f"usage: sh scripts/finding {'|'.join(_SCHEDULES)} DIR [MODE] [RUNS]")
    schedule = _SCHEDULES[name]
    parser = argparse.ArgumentParser(f"sh scripts/finding {name}", add_help=False)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("mode", nargs="?", choices=schedule.modes, default=schedule.modes[0])
    parser.add_argument("runs", nargs="?", metavar="RUNS", type=int, default=1)
    arguments = parser.parse_args(words[1:])
    if arguments.runs < 1:
        parser.error(f"argument RUNS: {arguments.runs}; one run at least")
    return schedule, arguments


async def _run_all(schedule: type[Run[Any]], arguments: argparse.Namespace) -> list[Any]:
    results: list[Any] = []
    distribution = find_distribution(arguments.folder)
    print(f"Kafka {distribution.version}, {arguments.mode}, {arguments.runs} runs", flush=True)
    async with schedule.cluster(distribution, arguments.mode) as cluster:
        for number in range(1, arguments.runs + 1):
            run = schedule(cluster, arguments.mode, f"ledger{number}")
            results.append(await run.run())
            print(f"{number:3}  {results[-1].summary}", flush=True)
    return results


def main(words: Sequence[str]) -> int:
    """Run a schedule, and return the status."""
    schedule, arguments = _parsed(words)
    # The brokers end with this process in any case; their files are removed if it ends in order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        results = asyncio.run(_run_all(schedule, arguments))
    except TidegateError as error:
        print(error, *error.details, sep="\n", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    last = results[-1]
    expected = sum(run.expected for run in results)
    print(f"\n{expected} of {len(results)} as expected.  The last one:\n")
    print(*last.steps, sep="\n")
    for number, lines in last.log_lines.items():
        node = "controller" if number >= CONTROLLER else "broker"
        print(f"\nFrom the log of {node} {number}:", *lines, sep="\n")
    return int(expected < len(results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

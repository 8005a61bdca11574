"""Schedules on real brokers whose controller is Kafka's own: one run, and what it leaves."""

import asyncio
import os
import subprocess
from pathlib import Path

from tidegate.brokers.distribution import find_distribution


def run_once(schedule, folder, mode):
    """Return what a run of a schedule showed, on a cluster of its own."""

    async def once():
        async with schedule.cluster(find_distribution(folder), mode) as cluster:
            return await schedule(cluster, mode, "ledger").run()

    return asyncio.run(once())


def left_behind():
    """Return the processes and the directories of this process's clusters."""
    name = f"tidegate-kafka-{os.getpid()}-"
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    processes = [line for line in listed.stdout.splitlines() if name in line]
    return processes + list(Path("/tmp").glob(f"{name}*"))

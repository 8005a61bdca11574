"""Measure the memory of every process of a search on a cluster that ``scripts/cluster`` started.

Usage, from the root of the repository::

    sh scripts/cluster start
    .venv/bin/python benchmarks/memory.py .cluster tidegate check ... --engine spark --master URL

Ten times a second it samples the command's processes and those of the cluster.  An executor is a
Java process and the Python processes below it.  The kernel keeps the highest resident memory of a
process, so that nothing is missed between samples except in its last tenth of a second.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

from processes import below

ROLES = (
    (r"deploy\.master\.Master", "master, Java"),
    (r"deploy\.worker\.Worker", "worker, Java"),
    (r"CoarseGrainedExecutorBackend", "executor, Java"),
    (r"pyspark\.daemon", "executor, Python"),
    (r"deploy\.SparkSubmit", "driver, Java"),
    (r"tidegate", "driver, Python"),
)


class Highest:
    """The highest figures of processes so far, by role, and of complete executors."""

    def __init__(self):
        self.by_role, self.executors, self.numbers = {}, {}, {}

    def look(self, roots):
        """Sample the present processes."""
        seen = below(roots)
        parents = {process.number: parent for process, parent in seen}
        java = {p.number for p, _ in seen if role_of(p.command) == "executor, Java"}
        together = dict.fromkeys(java, 0)
        for process, _ in seen:
            role = role_of(process.command)
            most = self.by_role.setdefault(role, {"resident": 0, "own": 0})
            most["resident"] = max(most["resident"], process.highest)
            most["own"] = max(most["own"], process.own)
            self.numbers.setdefault(role, set()).add(process.number)
            number = process.number
            while number and number not in java:
                number = parents.get(number, 0)
            if number:
                together[number] += process.resident
        for number, size in together.items():
            self.executors[number] = max(self.executors.get(number, 0), size)

    def figures(self):
        """Return the figures in MiB."""
        return {
            "processes": {
                role: {
                    "seen": len(self.numbers[role]),
                    **{name: size >> 20 for name, size in most.items()},
                }
                for role, most in sorted(self.by_role.items())
            },
            "executors_as_a_whole": sorted(size >> 20 for size in self.executors.values()),
        }


def role_of(command):
    """Return the role of a process."""
    return next((role for pattern, role in ROLES if re.search(pattern, command)), "other")


def main():
    """Run the command, and print the highest figures in MiB."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    cluster = [int(file.read_text()) for file in Path(sys.argv[1]).glob("*.pid")]
    highest = Highest()
    with subprocess.Popen(sys.argv[2:]) as command:
        while command.poll() is None:
            highest.look([command.pid, *cluster])
            time.sleep(0.1)
    json.dump(highest.figures(), sys.stdout, indent=1)
    sys.stdout.write("\n")
    sys.exit(command.returncode)


if __name__ == "__main__":
    main()

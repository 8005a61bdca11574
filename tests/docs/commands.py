"""Commands of Tidegate that pages show, run."""

import os
import shlex
import subprocess
import sys

VIOLATED = (11, 12, 13)
"""The statuses that say that something is violated, which is no failure here."""


def output(*arguments, columns=100):
    """Return what a command prints in a terminal of some width, without trailing spaces."""
    done = subprocess.run(
        [sys.executable, "-m", "tidegate", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": str(columns)},
    )
    if done.returncode not in (0, 1, *VIOLATED):
        sys.exit(f"{shlex.join(arguments)}\n{done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.rstrip("\n").splitlines())

"""Commands of Tidegate that pages show, run."""

import os
import shlex
import subprocess
import sys
from itertools import groupby

LEFT_OUT = "..."
"""Stands on a page for lines of the output."""

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


def excerpt(shown, lines):
    """Return the present lines of an output, but for those that a page leaves out.

    What a page shows first begins with the first line, what it shows last goes to the last one.
    Between two "..." as many lines are shown as before, from the line on that begins alike.
    """
    parts = [(left_out, [*part]) for left_out, part in groupby(shown, key=LEFT_OUT.__eq__)]
    result, end = [], 0
    for number, (left_out, part) in enumerate(parts):
        if left_out:
            result += part
            continue
        begins = [line.split()[:2] for line in lines]
        first = begins.index(part[0].split()[:2], end) if number else 0
        end = first + len(part) if number < len(parts) - 1 else len(lines)
        result += lines[first:end]
    return result

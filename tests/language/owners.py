"""Functions about names and owners, in owners.txt: what the form has to mean, or why it is refused.

Each is an action ``act`` of the state of ``bench.py``, with what it calls, below a line that says
what is right: ``means`` what it means in Python, where it succeeds in some state; ``fails`` in all
states; or ``refused`` in a line, with a message.
"""

from __future__ import annotations

import re
from pathlib import Path

FILE = Path(__file__).with_suffix(".txt")

_HEAD = re.compile(r"^### (?:(means|fails)|refused in line (\d+): (.*))$", re.MULTILINE)


def cases() -> list[tuple[str, int, str, str]]:
    """Return what is right of each function, the line and the message if refused, and its text."""
    parts = _HEAD.split(FILE.read_text("utf-8"))[1:]
    groups = zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True)
    return [
        (right or "refused", int(line or 0), message or "", f"{source.strip()}\n")
        for right, line, message, source in groups
    ]

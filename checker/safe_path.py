"""Starts Python without the present directory on its path.

``python -m`` and ``python -c``, with which multiprocessing and Spark start processes, look for
modules in the present directory first: a ``socket.py`` there would run instead of Python's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager

_VARIABLE = "PYTHONSAFEPATH"


@contextmanager
def safe_path(environment: MutableMapping[str, str] = os.environ) -> Iterator[None]:
    """Have each Python that the block starts with this environment ignore the present directory."""
    before = environment.get(_VARIABLE)
    environment[_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            environment.pop(_VARIABLE, None)
        else:
            environment[_VARIABLE] = before

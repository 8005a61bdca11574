"""Which searches Python left to machine code earlier, so that the same one begins with that.

A wrong answer costs time alone: both engines find the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from inspect import unwrap
from pathlib import Path

from ..core.files import DiskCache
from ..core.version import __version__
from .request import SearchRequest

_CACHE = "compiled"
"""The cache of the machine code that such a search uses."""


class EarlierSearch:
    """The mark that a search of the same sources, bounds and properties was long.

    Parameters
    ----------
    request
        The search that is to begin.

    Attributes
    ----------
    was_long
        Whether Python left it to machine code.
    """

    def __init__(self, request: SearchRequest) -> None:
        self._files = DiskCache(_CACHE)
        made_of = hashlib.sha256("\0".join(_parts(request)).encode(errors="surrogatepass"))
        for file in _sources(request):
            with suppress(OSError):
                made_of.update(file.read_bytes())
        self._name = made_of.hexdigest()
        self.was_long = bool(self._files.read(self._name))

    def note_long(self) -> None:
        """Remember that Python left it to machine code, if there is a cache."""
        if not self.was_long:
            self._files.keep(self._name, b"long")


def _parts(request: SearchRequest) -> Iterator[str]:
    """Yield the texts that tell a search from others."""
    system = request.system
    yield from (__version__, system.name, str(request.symmetry is None), str(request.limits))
    yield from (f"{name}={value}" for name, value in system.bounds.items())
    yield from (prop.name for prop in request.properties)


def _sources(request: SearchRequest) -> list[Path]:
    """Return the files of the actions of a model."""
    functions = [unwrap(action.apply) for action in request.system.declared_actions]
    codes = [code for one in functions if (code := getattr(one, "__code__", None)) is not None]
    return sorted({Path(code.co_filename) for code in codes})

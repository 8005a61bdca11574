"""The manifest of a store: which runs count, and what else is known at the end of a level.

It is written last and as a whole, so a store speaks of a finished level at any moment; what a
driver that was killed had begun behind it is found and written again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..sealed import sealed, unsealed
from .runs import Run
from .store import Store, StoreError

VERSION = 1
NAME = "manifest.json"
_KIND = "tidegate-store"


@dataclass
class Manifest:
    """What is known at the end of a level.

    Attributes
    ----------
    about
        What is searched and how, as the command line needs it to begin again.
    code
        Hash of the code that the search was compiled from.
    shares
        Partitions of a level that runs as a job.
    levels
        The run of each level.
    earlier
        Runs that together hold all states: those of late levels, and of earlier ones merged.
    taken
        How often each instance of an action was taken.
    violations
        For each violated property its level and the words of its least state.
    spark_levels
        How many levels were found by Spark.
    expanded
        Whether all that follows from the last level is known: it is then the last one.
    export
        Where tables are written, if any are.
    exported
        How many files these have.
    exporting
        Those of the last level, which may have to be published yet.
    """

    about: dict[str, Any]
    code: str
    shares: int
    levels: list[Run] = field(default_factory=list)
    earlier: list[Run] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    violations: dict[str, tuple[int, list[int]]] = field(default_factory=dict)
    spark_levels: int = 0
    expanded: bool = False
    export: str | None = None
    exported: int = 0
    exporting: list[str] = field(default_factory=list)

    @property
    def states(self) -> int:
        """Distinct states found."""
        return sum(run.states for run in self.levels)

    def save(self, store: Store) -> None:
        """Replace the manifest in the store."""
        document = {_KIND: VERSION, **asdict(self)}
        store.write(NAME, [sealed(document).encode()])


def is_store(location: str) -> bool:
    """Whether a path or URI is that of a store, rather than that of another engine's checkpoint."""
    if "://" in location:
        return True
    try:
        return _KIND.encode() in (Path(location) / NAME).read_bytes()
    except OSError:
        return False


def read_manifest_at(location: str) -> Manifest:
    """Return what the manifest of the store at a path or URI says."""
    return read_manifest(Store(location))


def has_manifest(store: Store) -> bool:
    """Whether a search has been begun in a store."""
    try:
        store.read(NAME)
    except OSError:
        return False
    return True


def read_manifest(store: Store) -> Manifest:
    """Return what the manifest of a store says.

    Raises
    ------
    StoreError
        If there is none, or it is damaged or of another version.
    """
    where = f"{store.location}/{NAME}"
    try:
        content = store.read(NAME)
    except FileNotFoundError:
        raise StoreError(
            f"{store.location}: no search was begun there; begin one with: tidegate check PROTOCOL "
            f"--engine spark --store {store.location}"
        ) from None
    except OSError as error:
        raise StoreError(f"{where}: cannot be read ({error})") from None
    document = unsealed(content)
    if document is None:
        raise StoreError(f"{where}: damaged, its checksum is wrong; begin the search anew")
    if document.pop(_KIND, None) != VERSION:
        raise StoreError(f"{where}: written by another version of Tidegate; begin anew")
    for name in ("levels", "earlier"):
        document[name] = [Run(**run) for run in document[name]]
    return Manifest(**document)

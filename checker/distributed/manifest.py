"""The manifest of a store: which runs count, and what else is known at the end of a level.

It is written before anything else, and replaced atomically after each level, so that a store is
always at the end of a level.  After a driver was killed, the search repeats the level that it had
begun.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ...core.layout import Layout
from ...core.spec import Property
from .. import fields
from ..compiled.checkpoint import verify_taken, verify_violations
from ..fields import MOST_STATES, Count, Like, Within, Word
from ..sealed import sealed, unsealed
from .runs import MOST_SHARES, Run, level_name
from .store import Store, StoreError
from .tables import PART_NAME

VERSION = 3
NAME = "manifest.json"
_KIND = "tidegate-store"


@dataclass
class Manifest:
    """What is known at the end of a level.

    Attributes
    ----------
    about
        What is searched and how, for the command line to search it again.
    code
        Hash of the code that the search was compiled from.
    search
        A random name of this search, which is also in its files: those of others are refused.
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
        Whether the last level was expanded without finding new states.
    export
        The directory of the tables, if any.
    exported
        How many files these have.
    exporting
        The files of the last level, which may not be published yet.
    """

    about: dict[str, Any]
    code: str
    shares: Annotated[int, Within(0, MOST_SHARES)]
    search: Annotated[str, Like("[0-9a-f]{32}")] = field(default_factory=lambda: uuid.uuid4().hex)
    levels: list[Run] = field(default_factory=list)
    earlier: list[Run] = field(default_factory=list)
    taken: list[Count] = field(default_factory=list)
    violations: dict[str, tuple[Count, list[Word]]] = field(default_factory=dict)
    spark_levels: Count = 0
    expanded: bool = False
    export: str | None = None
    exported: Annotated[int, Within(0, 1 << 62)] = 0
    exporting: list[Annotated[str, Like(PART_NAME)]] = field(default_factory=list)

    @property
    def states(self) -> int:
        """Distinct states found."""
        return sum(run.states for run in self.levels)

    def verify(self, layout: Layout[Any], instances: int, properties: Sequence[Property]) -> None:
        """Verify that it can be the manifest of this search.

        Parameters
        ----------
        instances
            How many the system has.

        Raises
        ------
        FieldError
            If a field cannot be from that search.
        """
        counts = [run.states for run in self.levels]
        fields.integer(sum(counts), "the sum of levels", 0, MOST_STATES)
        for number, run in enumerate(self.levels):
            name = level_name(number)
            fields.text(run.name, f"levels[{number}].name", name)
            fields.integer(run.states, f"levels[{number}].states", 1, MOST_STATES)
            if not run.parents:
                raise fields.FieldError(f"levels[{number}].parents", False, "true")
        self._verify_earlier()
        if self.taken or len(self.levels) > 1 or self.expanded:
            verify_taken(self.taken, instances, counts)
        # A violation may lie outside the constraint, after the last level.
        verify_violations(self.violations, layout, properties, len(self.levels))
        fields.integer(self.spark_levels, "spark_levels", 0, len(self.levels) + 1)
        files = 0 if self.export is None else 1 << 62
        fields.integer(self.exported, "exported", len(self.exporting), files)

    def _verify_earlier(self) -> None:
        """Verify that the runs of earlier states are levels or merged runs, with as many states."""
        known = {run.name: run for run in self.levels}
        for number, run in enumerate(self.earlier):
            where = f"earlier[{number}]"
            if run.parents:
                if run != known.get(run.name):
                    raise fields.FieldError(where, run.name, "the run of a level")
            else:
                fields.text(run.name, f"{where}.name", r"merged/\d{5,}")
        names = [run.name for run in self.earlier]
        if len(set(names)) < len(names):
            raise fields.FieldError("earlier", names, "runs of different names")
        states = sum(run.states for run in self.earlier)
        fields.integer(states, "the sum of earlier", self.states, self.states)

    def save(self, store: Store) -> None:
        """Replace the manifest in the store."""
        document = {_KIND: VERSION, **asdict(self)}
        store.write(NAME, [sealed(document).encode()])


def is_store(location: str) -> bool:
    """Whether a path or URI is that of a store, not of another engine's checkpoint."""
    if "://" in location:
        return True
    try:
        return _KIND.encode() in (Path(location) / NAME).read_bytes()
    except OSError:
        return False


def read_manifest_at(location: str) -> Manifest:
    """Return the manifest of the store at a path or URI."""
    return read_manifest(Store(location))


def has_manifest(store: Store) -> bool:
    """Whether a search was begun in a store."""
    try:
        return b'"tidegate-' in store.read(NAME)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(f"{store.location}/{NAME}: cannot be read ({error})") from None


def read_manifest(store: Store) -> Manifest:
    """Return the manifest of a store.

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
    try:
        manifest: Manifest = fields.read(Manifest, document, "the manifest")
        return manifest
    except fields.FieldError as error:
        raise damaged(store, error) from None


def damaged(store: Store, why: object) -> StoreError:
    """Return the error for a manifest that is not as it was written."""
    return StoreError(f"{store.location}/{NAME}: damaged, {why}; begin the search anew")

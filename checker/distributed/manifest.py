"""The manifest of a store, which is written before anything else.

A store is always at the end of a level: after a driver was killed, the search repeats the level
that it had begun.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ...core.layout import Layout
from ...core.spec import Property
from .. import fields
from ..fields import Count, Like, Within
from ..manifest import MOST_SHARES, NAME, CheckpointError, Manifest
from .runs import Run, level_name
from .store import Store
from .tables import PART_NAME


@dataclass(kw_only=True)
class StoreManifest(Manifest):
    """What is known at the end of a level.

    Attributes
    ----------
    search
        A random name of this search, which is also in its files: those of others are refused.
    shares
        Partitions of a level that runs as a job.
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

    KIND = "tidegate-store"

    shares: Annotated[int, Within(0, MOST_SHARES)]
    search: Annotated[str, Like("[0-9a-f]{32}")] = field(default_factory=lambda: uuid.uuid4().hex)
    spark_levels: Count = 0
    expanded: bool = False
    export: str | None = None
    exported: Annotated[int, Within(0, 1 << 62)] = 0
    exporting: list[Annotated[str, Like(PART_NAME)]] = field(default_factory=list)

    @property
    def runs(self) -> list[Run]:
        """The run of each level."""
        return [
            Run(level_name(number), level.shares, level.states)
            for number, level in enumerate(self.levels)
        ]

    def verify(self, layout: Layout[Any], instances: int, properties: Sequence[Property]) -> None:
        """Verify each field against the search."""
        super().verify(layout, instances, properties)
        fields.integer(self.spark_levels, "spark_levels", 0, len(self.levels) + 1)
        files = 0 if self.export is None else 1 << 62
        fields.integer(self.exported, "exported", len(self.exporting), files)

    def save(self, store: Store) -> None:
        """Replace the manifest in the store."""
        store.write(NAME, [self.sealed()])


def is_store(location: str) -> bool:
    """Whether a path or URI is that of a store, not of another engine's checkpoint."""
    if "://" in location:
        return True
    try:
        return StoreManifest.KIND.encode() in (Path(location) / NAME).read_bytes()
    except OSError:
        return False


def manifest_content(store: Store) -> bytes:
    """Return the file of a store's manifest; empty if no search was begun there."""
    try:
        return store.read(NAME)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise CheckpointError(f"{store.location}/{NAME}: cannot be read ({error})") from None


def read_manifest(store: Store) -> StoreManifest:
    """Return the manifest of a store.

    Raises
    ------
    CheckpointError
        If there is none, or it is damaged or of another version.
    """
    content = manifest_content(store)
    if not content and NAME not in store.entries():
        raise CheckpointError(
            f"{store.location}: no search was begun there; begin one with: tidegate check PROTOCOL "
            f"--engine spark --store {store.location}"
        )
    return StoreManifest.read(content, f"{store.location}/{NAME}")

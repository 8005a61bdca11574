"""The manifest of a store, which is written before anything else.

A store is always at the end of a level: after a driver was killed, the search repeats the level
that it had begun.

Opens the store of a search: the one that the user named, or a temporary one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ...core.layout import Layout
from ...core.result import Cluster
from ...core.spec import Property
from .. import documents
from ..compiled.statefile import temporary_folder
from ..documents import Count, Like, Within
from ..manifest import (
    MOST_SHARES,
    NAME,
    CheckpointError,
    Manifest,
    is_manifest,
    lock,
    refuse_begun,
    refuse_others,
)
from .runs import Run, level_name
from .store import Store
from .tables import PART_NAME


@dataclass(kw_only=True)
class StoreManifest(Manifest):
    """The manifest of a store at the end of a level.

    Attributes
    ----------
    search
        A random name of this search, which is also in its files: those of others are refused.
    shares
        Partitions of a level that runs as a job.
    spark_levels
        How many levels were found by Spark.
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
    export: str | None = None
    exported: Annotated[int, Within(0, 1 << 62)] = 0
    exporting: list[Annotated[str, Like(PART_NAME)]] = field(default_factory=list)

    @property
    def runs(self) -> list[Run]:
        """The run of each level."""
        return [
            Run(level_name(number), level.shares, level.states)
            for number, level in enumerate(self.levels)
            if level.states
        ]

    def verify(self, layout: Layout[Any], instances: int, properties: Sequence[Property]) -> None:
        """Verify each field against the search."""
        super().verify(layout, instances, properties)
        documents.integer(self.spark_levels, "spark_levels", 0, len(self.levels) + 1)
        files = 0 if self.export is None else 1 << 62
        documents.integer(self.exported, "exported", len(self.exporting), files)

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


SPARK_LOG = "spark.log"
"""The file that has Spark's log."""

LOG_SETTINGS = "log4j2.properties"
"""The file that configures it."""


@contextmanager
def opened_store(cluster: Cluster, begin: bool) -> Iterator[Store]:
    """Open the store of a search, locked against other searches.

    Parameters
    ----------
    begin
        Whether a search begins there, which needs a directory that is new or empty.

    Raises
    ------
    CheckpointError
        If it cannot be used.
    """
    if cluster.store is not None:
        store = Store(cluster.store)
        if begin and not is_manifest(manifest_content(store)):
            refuse_others(store.entries(), folder_of(store), store.option, store.location)
        store.make()
        with _locked(store):
            if begin:
                refuse_begun(manifest_content(store), store.option, store.location)
            yield store
        return
    if cluster.master is not None and not cluster.master.startswith("local"):
        raise CheckpointError(
            f"--master {cluster.master} needs a store that all executors share; name a directory "
            "or a URI by --store"
        )
    folder = tempfile.mkdtemp(prefix="tidegate-", dir=temporary_folder())
    try:
        yield Store(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def folder_of(store: Store) -> Path | None:
    """Return the directory of a store, if it is on this machine's file systems."""
    return Path(store.root) if store.local else None


@contextmanager
def spark_folder(store: Store) -> Iterator[Path]:
    """Give Spark a directory on this machine for its log and its temporary files.

    It is the store if that is local; otherwise a temporary directory, whose log the store keeps.
    """
    folder = folder_of(store)
    if folder is not None:
        for name in (SPARK_LOG, LOG_SETTINGS):
            # Whoever made the store may have linked it to a file of the user.
            if (folder / name).is_symlink():
                (folder / name).unlink()
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="tidegate-", dir=temporary_folder()) as name:
        try:
            yield Path(name)
        finally:
            log = Path(name) / SPARK_LOG
            if log.exists():
                with suppress(CheckpointError):
                    store.write(SPARK_LOG, [log.read_bytes()])


@contextmanager
def _locked(store: Store) -> Iterator[None]:
    """Lock a store, if the file system has locks."""
    folder = folder_of(store)
    if folder is None:
        yield
        return
    with os.fdopen(lock(folder, store.option)):
        yield

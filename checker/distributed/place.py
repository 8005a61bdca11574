"""Opens the store of a search: the one that the user named, or a temporary one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..compiled.statefile import temporary_folder
from ..manifest import CheckpointError, is_manifest, lock, refuse_begun, refuse_others
from ..result import Cluster
from .manifest import manifest_content
from .store import Store

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

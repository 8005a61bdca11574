"""Where a search keeps what it finds: a store that was named, or one for as long as it runs."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..compiled.statefile import temporary_folder
from ..result import Cluster
from .store import Store, StoreError

SPARK_LOG = "spark.log"
"""The file that has Spark's log."""


@contextmanager
def opened_store(cluster: Cluster) -> Iterator[Store]:
    """Open the store of a search; nobody else may search in it meanwhile.

    Raises
    ------
    StoreError
        If it cannot be used.
    """
    if cluster.store is not None:
        store = Store(cluster.store)
        store.make()
        with _locked(store):
            yield store
        return
    if cluster.master is not None and not cluster.master.startswith("local"):
        raise StoreError(
            f"--master {cluster.master} needs a store that all executors share; name a directory "
            "or a URI by --store"
        )
    folder = tempfile.mkdtemp(prefix="tidegate-", dir=temporary_folder())
    try:
        yield Store(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def folder_of(store: Store) -> Path | None:
    """Return the directory that a store is, if it is one on this machine's file systems."""
    return Path(store.root) if store.local else None


@contextmanager
def spark_folder(store: Store) -> Iterator[Path]:
    """Give Spark a directory of this machine for its log and its temporary files.

    It is the store, where that is one; otherwise a temporary one, whose log the store keeps.
    """
    folder = folder_of(store)
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="tidegate-", dir=temporary_folder()) as name:
        try:
            yield Path(name)
        finally:
            log = Path(name) / SPARK_LOG
            if log.exists():
                with suppress(StoreError):
                    store.write(SPARK_LOG, [log.read_bytes()])


@contextmanager
def _locked(store: Store) -> Iterator[None]:
    """Keep others out of a store, where the file system has locks."""
    folder = folder_of(store)
    if folder is None:
        yield
        return
    with open(folder / "lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(
                f"--store {store.location}: another run is using it; wait for that to end, or name "
                "another directory"
            ) from None
        yield

"""Opens the store of a search: the one that the user named, or a temporary one."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..compiled.statefile import temporary_folder
from ..result import Cluster
from .manifest import NAME, has_manifest
from .store import Store, StoreError

SPARK_LOG = "spark.log"
"""The file that has Spark's log."""

LOG_SETTINGS = "log4j2.properties"
"""The file that configures it."""

_LOCK = "lock"


@contextmanager
def opened_store(cluster: Cluster, begin: bool) -> Iterator[Store]:
    """Open the store of a search, locked against other searches.

    Parameters
    ----------
    begin
        Whether a search begins there, which needs a directory that is new or empty.

    Raises
    ------
    StoreError
        If it cannot be used.
    """
    if cluster.store is not None:
        store = Store(cluster.store)
        if begin and not has_manifest(store):
            _refuse_others(store)
        store.make()
        with _locked(store):
            if begin:
                _refuse_begun(store)
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


def _refuse_begun(store: Store) -> None:
    """Refuse to begin a search in the store of another one."""
    if has_manifest(store):
        raise StoreError(
            f"--store {store.location}: a search was begun there already; resume it with "
            f"'tidegate check --resume {store.location}', or name another directory"
        )


def _refuse_others(store: Store) -> None:
    """Refuse to begin a search in a directory with other files."""
    for name in store.entries():
        if not _is_left_over(store, name):
            raise StoreError(
                f"--store {store.location}: {name} is there, and belongs to no search; name a "
                "directory that is new or empty"
            )


def _is_left_over(store: Store, name: str) -> bool:
    """Whether a file is left over from a search that was killed before it had a manifest."""
    folder = folder_of(store)
    if name == _LOCK and folder is not None:
        path = folder / name
        return path.is_file() and not path.is_symlink() and not path.stat().st_size
    partial = r"\.[0-9a-f]{32}\.partial"
    ours = rf"probe-[0-9a-f]{{32}}({partial})?|{re.escape(NAME)}{partial}"
    return re.fullmatch(ours, name) is not None


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
                with suppress(StoreError):
                    store.write(SPARK_LOG, [log.read_bytes()])


@contextmanager
def _locked(store: Store) -> Iterator[None]:
    """Lock a store, if the file system has locks."""
    folder = folder_of(store)
    if folder is None:
        yield
        return
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise StoreError(
            f"--store {store.location}: {_LOCK} cannot be opened there ({error.strerror}); remove "
            "it, or name another directory"
        ) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(
                f"--store {store.location}: another run is using it; wait for that to end, or name "
                "another directory"
            ) from None
        yield
    finally:
        os.close(lock)

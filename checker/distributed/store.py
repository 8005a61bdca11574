"""The store: a directory that all executors share, on any file system that ``pyarrow.fs`` opens."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..manifest import CheckpointError

WRITTEN_WHOLE = ("s3", "gcs", "abfs")
"""File systems on which a file appears only when it is complete, so that no rename is needed."""


class UnwritableError(CheckpointError):
    """The store cannot be written any more, such as for lack of space; its files are intact."""


class Store:
    """A directory, by its path or URI.

    Parameters
    ----------
    location
        A path, or a URI such as ``hdfs://host/path`` or ``s3://bucket/path``.
    option
        The option by which the user named it.

    Attributes
    ----------
    location
        As the user wrote it.
    address
        The same for other processes: a local path is absolute.
    root
        The directory's path within its file system.
    local
        Whether it is on a file system of this machine, NFS included.
    search
        The name of the search that its files belong to, from the manifest.

    Raises
    ------
    CheckpointError
        If there is no such file system.
    """

    def __init__(self, location: str, option: str = "--store", search: str = "") -> None:
        from pyarrow import fs

        self.location, self.option, self.search = location, option, search
        self.root: str
        try:
            if "://" in location:
                self._files, self.root = fs.FileSystem.from_uri(location)
                if isinstance(self._files, fs.LocalFileSystem):
                    self._files = fs.LocalFileSystem(use_mmap=True)
            else:
                self._files = fs.LocalFileSystem(use_mmap=True)
                self.root = os.path.abspath(location)
        except (OSError, ValueError, NotImplementedError) as error:
            raise CheckpointError(
                f"{option} {location}: cannot be opened ({_reason(error)}); give a path, or a URI "
                "that starts with file://, hdfs://, s3:// or gs://"
            ) from None
        self.local = isinstance(self._files, fs.LocalFileSystem)
        self.address = self.root if self.local else location

    def make(self) -> None:
        """Make the directory.

        Raises
        ------
        CheckpointError
            If it cannot be written to.
        """
        try:
            self._files.create_dir(self.root, recursive=True)
            # The name is random, so that no other file has it.
            probe = self._path(f"probe-{uuid.uuid4().hex}")
            with self._created(probe) as file:
                file.write(b"written by tidegate")
            self._files.delete_file(probe)
        except OSError as error:
            raise CheckpointError(
                f"{self.option} {self.location}: cannot be written to ({_reason(error)}); repair "
                "that, or name another directory"
            ) from None

    def write(self, name: str, parts: Iterable[Any]) -> None:
        """Write a file atomically; the last one written stays.

        Raises
        ------
        UnwritableError
            If that is not possible.
        """
        with self.created(name) as file:
            for part in parts:
                file.write(part)

    @contextmanager
    def created(self, name: str) -> Iterator[Any]:
        """Open a file for writing; it appears when the block ends without an error.

        Raises
        ------
        UnwritableError
            If that is not possible.
        """
        try:
            with self._created(self._path(name)) as file:
                yield file
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> UnwritableError:
        return UnwritableError(
            f"{self.option} {self.location}, which cannot be written to ({_reason(error)})"
        )

    @contextmanager
    def _created(self, path: str) -> Iterator[Any]:
        self._files.create_dir(path.rpartition("/")[0], recursive=True)
        is_whole = self._files.type_name in WRITTEN_WHOLE
        place = path if is_whole else f"{path}.{uuid.uuid4().hex}.partial"
        try:
            with self._files.open_output_stream(place) as file:
                yield file
            if not is_whole:
                self._replace(place, path)
        except BaseException:
            if not is_whole:
                self._discard(place)
            raise

    def rename(self, name: str, to: str) -> None:
        """Rename a file, also into another directory.

        Raises
        ------
        UnwritableError
            If that is not possible.
        """
        try:
            self._files.create_dir(self._path(to).rpartition("/")[0], recursive=True)
            self._replace(self._path(name), self._path(to))
        except OSError as error:
            raise self._unwritable(error) from None

    def present(self, names: Sequence[str]) -> set[str]:
        """Return which of some files exist."""
        from pyarrow import fs

        infos = self._files.get_file_info([self._path(name) for name in names])
        pairs = zip(names, infos, strict=True)
        return {name for name, info in pairs if info.type is fs.FileType.File}

    def names(self, below: str = "") -> list[str]:
        """Return the names of all files in all directories, or in those below one."""
        from pyarrow import fs

        files = self._listed(below, recursive=True)
        return sorted(name for name, kind in files if kind is fs.FileType.File)

    def entries(self) -> list[str]:
        """Return the names of its direct entries: files, directories and anything else."""
        return sorted(name for name, _ in self._listed("", recursive=False))

    def _listed(self, below: str, recursive: bool) -> list[tuple[str, Any]]:
        """Return the names and kinds of entries."""
        from pyarrow import fs

        where = self._path(below) if below else self.root
        selected = fs.FileSelector(where, allow_not_found=True, recursive=recursive)
        try:
            infos = self._files.get_file_info(selected)
        except NotADirectoryError:
            return []
        except OSError as error:
            raise CheckpointError(
                f"{self.option} {self.location}: cannot be listed ({_reason(error)}); repair that, "
                "or name another directory"
            ) from None
        return [(info.path[len(self.root) :].lstrip("/"), info.type) for info in infos]

    def identity(self, name: str) -> tuple[Any, ...] | None:
        """Return a value that differs once a file has changed; None if there is none."""
        if not self.local:
            return None
        path = self._path(name)
        status = os.stat(path)
        return path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

    def open(self, name: str) -> Any:
        """Open a file for random reads."""
        return self._files.open_input_file(self._path(name))

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with self.open(name) as file:
            content: bytes = file.read()
        return content

    def remove(self, name: str) -> None:
        """Remove a directory with all that is in it, if it is there."""
        try:
            self._files.delete_dir(self._path(name))
        except FileNotFoundError:
            return

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _replace(self, place: str, path: str) -> None:
        try:
            self._files.move(place, path)
        except OSError:
            # Not every file system can rename onto an existing file, such as another attempt's.
            self._files.delete_file(path)
            self._files.move(place, path)

    def _discard(self, place: str) -> None:
        try:
            self._files.delete_file(place)
        except OSError:
            return


def _reason(error: Exception) -> str:
    """Return the operating system's description of an error, without the operation."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return str(error).splitlines()[0] if str(error) else type(error).__name__

"""The store: a directory that all executors share, on whatever file system ``pyarrow.fs`` opens."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from typing import Any

from ...spec import TidegateError

WRITTEN_WHOLE = ("s3", "gcs", "abfs")
"""File systems on which a file appears only when it is complete, under its own name at once."""


class StoreError(TidegateError):
    """A store that cannot be used, with the reason."""


class UnwritableError(StoreError):
    """The store took no more, for lack of room for instance; what it holds is whole."""


class Store:
    """A directory, by its path or URI.

    Parameters
    ----------
    location
        A path, or a URI such as ``hdfs://host/path`` or ``s3://bucket/path``.

    Attributes
    ----------
    location
        As it was given.
    address
        The same for whoever runs elsewhere.
    local
        Whether it is on a file system of this machine, NFS included.

    Raises
    ------
    StoreError
        If there is no such file system.
    """

    def __init__(self, location: str) -> None:
        from pyarrow import fs

        self.location = location
        self._root: str
        try:
            if "://" in location:
                self._files, self._root = fs.FileSystem.from_uri(location)
                if isinstance(self._files, fs.LocalFileSystem):
                    self._files = fs.LocalFileSystem(use_mmap=True)
            else:
                self._files = fs.LocalFileSystem(use_mmap=True)
                self._root = os.path.abspath(location)
        except (OSError, ValueError, NotImplementedError) as error:
            raise StoreError(
                f"--store {location}: cannot be opened ({_reason(error)}); give a path, or a URI "
                "that starts with file://, hdfs://, s3:// or gs://"
            ) from None
        self.local = isinstance(self._files, fs.LocalFileSystem)
        self.address = self._root if self.local else location

    @property
    def root(self) -> str:
        """The directory's path within its file system."""
        return self._root

    def make(self) -> None:
        """Make the directory.

        Raises
        ------
        StoreError
            If it cannot be written to.
        """
        try:
            self._files.create_dir(self._root, recursive=True)
            self._write(self._path("probe"), [b"written by tidegate"])
            self._files.delete_file(self._path("probe"))
        except OSError as error:
            raise StoreError(
                f"--store {self.location}: cannot be written to ({_reason(error)}); repair that, "
                "or name another directory"
            ) from None

    def write(self, name: str, parts: Iterable[Any]) -> None:
        """Write a file: nobody ever sees half of one, and the last one written stays.

        Raises
        ------
        UnwritableError
            If that is not possible.
        """
        try:
            self._write(self._path(name), parts)
        except OSError as error:
            raise UnwritableError(
                f"--store {self.location}, which cannot be written to ({_reason(error)})"
            ) from None

    def _write(self, path: str, parts: Iterable[Any]) -> None:
        self._files.create_dir(path.rpartition("/")[0], recursive=True)
        whole = self._files.type_name in WRITTEN_WHOLE
        place = path if whole else f"{path}.{uuid.uuid4().hex}.partial"
        try:
            with self._files.open_output_stream(place) as file:
                for part in parts:
                    file.write(part)
            if not whole:
                self._replace(place, path)
        except BaseException:
            if not whole:
                self._discard(place)
            raise

    def open(self, name: str) -> Any:
        """Open a file for reading at any place."""
        return self._files.open_input_file(self._path(name))

    def read(self, name: str) -> bytes:
        """Return what a file holds."""
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
        return f"{self._root}/{name}"

    def _replace(self, place: str, path: str) -> None:
        try:
            self._files.move(place, path)
        except OSError:
            # Not every file system renames onto a file that is there, such as another attempt's.
            self._files.delete_file(path)
            self._files.move(place, path)

    def _discard(self, place: str) -> None:
        try:
            self._files.delete_file(place)
        except OSError:
            return


def _reason(error: Exception) -> str:
    """Return what the operating system says of an error, without what it was doing."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return str(error).splitlines()[0] if str(error) else type(error).__name__

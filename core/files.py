"""Files that are written atomically, and a cache on disk, in a directory that is this user's alone.

Whoever could put a file there could decide what a search finds.  So the directory gets mode
0700, and one of somebody else is not used.  Neither is a file of somebody else, or a damaged one.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int = 0o666, aside: Path | None = None) -> None:
    """Write a temporary file, flush it to disk, and rename it.

    Parameters
    ----------
    mode
        Its permissions, before the umask.
    aside
        The temporary file, in the same directory; an old one is removed.

    Raises
    ------
    OSError
        If that is not possible; the temporary file is removed then.
    """
    import secrets

    aside = aside or path.with_name(f"{path.name}.{secrets.token_hex(8)}.partial")
    aside.unlink(missing_ok=True)
    try:
        # An existing file may be a link to somebody else's file.
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


_CHECKSUM = 16
"""Bytes of the checksum at the beginning of a file."""

_log = logging.getLogger(__name__)
_warned: set[str] = set()


class DiskCache:
    """Files of one kind, each under a name.

    Parameters
    ----------
    name
        Of the kind: ``compiled`` for machine code, ``gate`` for cells that have passed.

    Attributes
    ----------
    folder
        Its directory; None if there is no place for one.
    """

    def __init__(self, name: str) -> None:
        named = Path(os.environ.get("XDG_CACHE_HOME", ""))
        # An empty HOME would be the root directory.
        home = Path(os.path.expanduser("~") if os.environ.get("HOME", "unset") else "")
        place = named if named.is_absolute() else home / ".cache"
        self.folder = place / "tidegate" / name if place.is_absolute() else None

    @property
    def trouble(self) -> str:
        """Why the cache is not used, with the repair; empty if it is."""
        if self.folder is None:
            return "there is no home directory (set HOME)"
        try:
            status = self.folder.stat()
        except (OSError, RuntimeError):
            # Then nothing can be read or written there.
            return ""
        if status.st_uid != os.geteuid():
            return (
                f"{self.folder} belongs to another user (set XDG_CACHE_HOME to a directory of your "
                "own)"
            )
        if status.st_mode & 0o077:
            with suppress(OSError):
                self.folder.chmod(0o700)
        return ""

    def read(self, name: str) -> bytes:
        """Return the file of that name; empty if it is not there, not this user's, or damaged."""
        if self.folder is None or self._refused():
            return b""
        try:
            # Opening a pipe would wait for somebody to write.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
            with open(os.open(self.folder / name, flags), "rb") as opened:
                status = os.fstat(opened.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                    return b""
                stored = opened.read()
        except OSError:
            return b""
        content = stored[_CHECKSUM:]
        return content if stored[:_CHECKSUM] == _checksum(name, content) else b""

    def keep(self, name: str, content: bytes) -> None:
        """Write a file, if the cache can be used."""
        if self.folder is None or self._refused():
            return
        with suppress(OSError):
            self._make()
            replace_file(self.folder / name, _checksum(name, content) + content, 0o600)

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Exclude other processes that make the file of that name, if locks work there."""
        with ExitStack() as stack:
            if self.folder is not None and not self._refused():
                with suppress(OSError):
                    self._make()
                    lock = self.folder / f"{name}.lock"
                    how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                    file = stack.enter_context(open(os.open(lock, how, 0o600), "rb"))
                    fcntl.flock(file, fcntl.LOCK_EX)
                    # Whoever waits has it open; whoever comes later finds the file.
                    stack.callback(lock.unlink, missing_ok=True)
            yield

    def sizes(self) -> dict[str, int]:
        """Return the size of each file in bytes, by name."""
        sizes: dict[str, int] = {}
        with suppress(OSError):
            for file in self.folder.iterdir() if self.folder else ():
                sizes[file.name] = file.lstat().st_size
        return sizes

    def clear(self) -> None:
        """Remove all files; of a link only the link, since its target may be anything."""
        if self.folder is None:
            return
        if self.folder.is_symlink():
            with suppress(OSError):
                self.folder.unlink()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make(self) -> None:
        """Make the directory, and those above it that are missing, for this user alone."""
        assert self.folder is not None
        for part in reversed((self.folder, *self.folder.parents)):
            if not part.is_dir():
                part.mkdir(0o700, exist_ok=True)

    def _refused(self) -> bool:
        """Whether the cache is not used; warns the user once, unless a parent process does."""
        text = self.trouble
        if text and text not in _warned:
            import multiprocessing

            if multiprocessing.parent_process() is None:
                _warned.add(text)
                _log.warning("tidegate: nothing is kept between runs: %s", text)
        return bool(text)


def _checksum(name: str, content: bytes) -> bytes:
    return hashlib.blake2b(name.encode() + b"\0" + content, digest_size=_CHECKSUM).digest()

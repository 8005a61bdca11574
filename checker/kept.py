"""A cache on disk, for speed only, which is trusted only if this user wrote it.

Whoever could put a file there could decide what a search finds.  So every file begins with an
authentication code that only this user can make: a keyed hash, whose key lies in a directory that
is not copied along with the cache.  A file that is not trusted is ignored.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import logging
import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .atomic import replace_file

SHARED_KEY = "TIDEGATE_CACHE_KEY"
"""The environment variable that holds a key, for users who share the cache between machines.

Whoever has the key is trusted then, whoever owns the files.
"""

_CODE = 32
"""Bytes of the authentication code at the beginning of a file, and of the key."""

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class _Directory:
    """A directory of the cache, and one above it that belongs to the user.

    ``made`` are the directories below that one that Tidegate makes, for this user alone.
    """

    path: Path
    users: Path
    made: tuple[Path, ...]

    def trouble(self) -> str:
        """Return why somebody else may have written there, with the repair; empty if nobody can."""
        try:
            for part in self.made:
                _close(part)
            end, real = self.users.resolve(), self.path.resolve()
        except (OSError, RuntimeError):
            # Then nothing can be read or written there.
            return ""
        for part in (real, *real.parents):
            why = _trouble(part)
            if why or part == end:
                return why
        return ""

    def make(self) -> None:
        """Make the directory, and those above it that are missing, for this user alone."""
        for part in reversed((self.path, *self.path.parents)):
            if not part.is_dir():
                part.mkdir(0o700, exist_ok=True)


def _close(folder: Path) -> None:
    """Take all others' permissions from a user's directory; the target of a link is left alone."""
    with suppress(FileNotFoundError):
        status = folder.lstat()
        own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
        if own and status.st_mode & 0o077:
            folder.chmod(0o700)


def _trouble(folder: Path) -> str:
    """Return why others could put or replace files in a directory; empty if they cannot."""
    try:
        status = folder.stat()
    except OSError:
        return ""
    if status.st_uid not in (0, os.geteuid()):
        return (
            f"{folder} belongs to {_user(status.st_uid)}, not to {_user(os.geteuid())} (set "
            "XDG_CACHE_HOME and XDG_STATE_HOME to directories of your own)"
        )
    # In a sticky directory, such as /tmp, nobody can replace another user's file.
    if status.st_mode & _OTHERS_WRITE and not status.st_mode & stat.S_ISVTX:
        return f"{folder} can be written by others (chmod go-w {folder})"
    return ""


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _below(variable: str, usual: str, *names: str) -> _Directory | None:
    """Return Tidegate's directory below a user's directory; None if the user has none.

    Parameters
    ----------
    variable
        The variable of the XDG specification that names the user's directory.
    usual
        The default below the home directory, if the variable is not set or not absolute.
    """
    named = Path(os.environ.get(variable, ""))
    # An empty HOME would be the root directory.
    home = Path(os.path.expanduser("~") if os.environ.get("HOME", "unset") else "")
    users = named if named.is_absolute() else home
    if not users.is_absolute():
        return None
    ours = (named if named.is_absolute() else home / usual) / "tidegate"
    path = ours.joinpath(*names)
    return _Directory(path, users, (ours, path))


class Store:
    """Cached files, each under a name.

    Parameters
    ----------
    name
        Of the store: ``compiled`` for machine code, ``gate`` for cells that have passed.

    Attributes
    ----------
    folder
        Its directory; None if there is no place for it.
    trouble
        Why nothing in it is trusted, with the repair; empty if it is trusted.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._directory = _below("XDG_CACHE_HOME", ".cache", name)
        self.folder = self._directory.path if self._directory else None
        shared = os.environ.get(SHARED_KEY, "").encode(errors="surrogateescape")
        self._shared = hashlib.sha256(shared).digest() if shared else b""
        self.trouble = ""
        if self._directory is None:
            self.trouble = "there is no home directory (set HOME)"
        elif not shared:
            self.trouble = self._directory.trouble() or _key_trouble()

    def read(self, name: str) -> bytes:
        """Return the file of that name; empty if it is not there, not this user's, or damaged."""
        if self.folder is None or self._refused():
            return b""
        owners = None if self._shared else (0, os.geteuid())
        stored = _content(self.folder / name, owners, 0 if self._shared else _OTHERS_WRITE)
        code, content = stored[:_CODE], stored[_CODE:]
        key = self._shared or _key()
        return content if key and hmac.compare_digest(code, self._code(key, name, content)) else b""

    def keep(self, name: str, content: bytes) -> None:
        """Write a file, if the cache can be used."""
        if self._directory is None or self._refused():
            return
        with suppress(OSError):
            self._directory.make()
            key = self._shared or _key() or _new_key()
            code = self._code(key, name, content)
            replace_file(self._directory.path / name, code + content, 0o600)

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Exclude other processes that make the file of that name, if locks work there."""
        with ExitStack() as stack:
            if self._directory is not None and not self._refused():
                with suppress(OSError):
                    self._directory.make()
                    lock = self._directory.path / f"{name}.lock"
                    how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                    file = stack.enter_context(open(os.open(lock, how, 0o600), "rb"))
                    fcntl.flock(file, fcntl.LOCK_EX)
                    # Whoever waits has it open; whoever comes later finds the file.
                    stack.callback(_remove, lock)
            yield

    def sizes(self) -> dict[str, int]:
        """Return the size of each file in bytes, by name."""
        sizes: dict[str, int] = {}
        with suppress(OSError):
            for file in self.folder.iterdir() if self.folder else ():
                sizes[file.name] = file.lstat().st_size
        return sizes

    def clear(self) -> None:
        """Remove all files."""
        if self.folder is None:
            return
        if self.folder.is_symlink():
            # Its target may be anything.
            _remove(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _code(self, key: bytes, name: str, content: bytes) -> bytes:
        """Return the authentication code of a file, which takes the key to make."""
        code = hashlib.blake2b(key=key, digest_size=_CODE)
        code.update(f"{self._name}/{name}\0".encode())
        code.update(content)
        return code.digest()

    def _refused(self) -> bool:
        """Whether nothing is trusted; warns the user once."""
        if self.trouble and self.folder is not None:
            _warn(f"tidegate: nothing is kept between runs: {self.trouble}")
        return bool(self.trouble)


_log = logging.getLogger(__name__)
_warned: set[str] = set()


def _warn(text: str) -> None:
    """Warn the user once; a child process leaves that to its parent."""
    if text in _warned:
        return
    import multiprocessing

    if multiprocessing.parent_process() is None:
        _warned.add(text)
        _log.warning(text)


def key_file() -> Path | None:
    """Return the file of the user's key; None if there is no place for it."""
    place = _below("XDG_STATE_HOME", ".local/state")
    return place.path / "cache.key" if place else None


def key_shown() -> str:
    """Return where the key comes from, in words."""
    if os.environ.get(SHARED_KEY):
        return f"the environment variable {SHARED_KEY}"
    if _key():
        return str(key_file())
    return f"none yet; it will be made in {key_file()}" if key_file() else "none"


def _key_trouble() -> str:
    place = _below("XDG_STATE_HOME", ".local/state")
    return place.trouble() if place else "there is no home directory (set HOME)"


def _key() -> bytes:
    """Return the user's key; empty if there is none, or others can read it."""
    file = key_file()
    key = _content(file, (os.geteuid(),), 0o077) if file else b""
    return key if len(key) == _CODE else b""


def _new_key() -> bytes:
    """Make a key for the user, unless another process was faster; return the present key.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    place, file = _below("XDG_STATE_HOME", ".local/state"), key_file()
    if place is None or file is None:
        raise FileNotFoundError("there is no place for a key")
    import secrets

    place.make()
    with ExitStack() as stack:
        folder = os.open(place.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, folder)
        with suppress(OSError):
            # Without a lock the key that is written last counts, and nothing worse happens.
            fcntl.flock(folder, fcntl.LOCK_EX)
        if not _key():
            replace_file(file, secrets.token_bytes(_CODE), 0o600)
    key = _key()
    if not key or place.trouble():
        raise PermissionError(f"{file} is not this user's alone")
    return key


def _content(file: Path, owners: tuple[int, ...] | None, forbidden: int) -> bytes:
    """Return the content of a file; empty if it is missing, or others could have written it.

    Parameters
    ----------
    owners
        The allowed owners; None for any.
    forbidden
        Bits that its mode must not have.
    """
    try:
        # Opening a pipe would wait for somebody to write.
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            status = os.fstat(opened.fileno())
            owned = owners is None or status.st_uid in owners
            if not stat.S_ISREG(status.st_mode) or not owned or status.st_mode & forbidden:
                return b""
            return opened.read()
    except OSError:
        return b""


def _remove(file: str | Path) -> None:
    with suppress(OSError):
        os.unlink(file)

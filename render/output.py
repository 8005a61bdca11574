"""The files of reports: opened before the search, and each written on its own after it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from typing import IO, cast

from ..core.errors import printable
from ..core.spec import EngineError, ModelError, TidegateError
from .terminal import say


class OutputError(TidegateError):
    """A file that cannot be written."""


class Reports:
    """The reports of a command.

    A report that cannot be written is named on standard error; the verdict and other reports are
    still written.  Characters that documents may not hold, such as control characters, are escaped.

    Parameters
    ----------
    files
        Where each report goes, by the name of its option; None for those that are not requested.

    Attributes
    ----------
    to_stdout
        Whether a report goes to standard output, where nothing else is printed then.
    unwritten
        Whether some report, or the output, could not be written.
    broken
        Whether some report could not be made, for a mistake in the model or in Tidegate.

    Raises
    ------
    OutputError
        If two reports go to standard output; or if a file cannot be written to, at the beginning of
        the block, so before the search.
    """

    def __init__(self, files: Mapping[str, str | None]) -> None:
        self._files = {option: path for option, path in files.items() if path is not None}
        printed = [option for option, path in self._files.items() if path == "-"]
        if len(printed) > 1:
            raise OutputError(
                f"{' and '.join(printed)}: only one form can go to standard output ('-'); name a "
                "file for each of the others"
            )
        self.to_stdout = bool(printed)
        self._targets: dict[str, IO[str]] = {}
        self._stack = ExitStack()
        self._unprinted: Exception | None = None
        self.unwritten = False
        self.broken = False

    def __enter__(self) -> Reports:
        with ExitStack() as stack:
            for option, path in self._files.items():
                try:
                    target = _open(path)
                except OSError as error:
                    raise _unwritable(option, path, error) from None
                stack.enter_context(_kept(path, target))
                self._targets[option] = target
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._stack.close()
        if error is None and self._unprinted is not None:
            raise self._unprinted

    @contextmanager
    def after(self) -> Iterator[None]:
        """Print what comes before the reports in the block; raise an error of it after them."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - it is raised at the end
            self._unprinted = error

    def write(self, option: str, make: Callable[[IO[str]], object]) -> bool:
        """Write a report if it is requested; return whether it was written.

        Parameters
        ----------
        make
            Writes it to a file.  If it writes nothing, an existing file stays as it is.
        """
        if option not in self._targets:
            return False
        path, target = self._files[option], self._targets[option]
        written = False
        with self.kept_apart(option, path), _draft() as text:
            make(text)
            written = _finish(path, target, text)
        return written  # noqa: RET504 - an error may have ended the block

    @contextmanager
    def kept_apart(self, option: str, path: str) -> Iterator[None]:
        """Print an error of the block on standard error, and continue after it."""
        try:
            yield
        except (OSError, UnicodeError) as error:
            if isinstance(error, BrokenPipeError) and path == "-":
                self._unprinted = error
                return
            self.unwritten = True
            self._say(f"{option} {path!r}: cannot write ({_why(error)})")
        except (ModelError, EngineError) as error:
            self.broken = True
            self._say(f"{option} {path!r}: not written; the model or an engine is wrong: {error}")
        except TidegateError as error:
            self.unwritten = True
            self._say(str(error))
        except Exception as error:
            if os.environ.get("TIDEGATE_TRACEBACK"):
                raise
            self.broken = True
            self._say(
                f"{option} {path!r}: not written; internal error: {type(error).__name__}: {error}"
            )

    def _say(self, what: str) -> None:
        with suppress(OSError, ValueError):
            say(f"Error: {what}", stderr=True)


@contextmanager
def report_file(path: str, option: str) -> Iterator[IO[str]]:
    """Open the only file that a command writes, before its content is made.

    The file is written under another name and renamed when it is complete; a device, a pipe and
    standard output ('-') are written to directly.  If nothing is written, an existing file stays as
    it is.  Characters that a document may not hold, such as control characters, are escaped.

    Parameters
    ----------
    option
        Name of the option that gave the path, for messages.

    Raises
    ------
    OutputError
        If it cannot be written to.
    """
    try:
        target = _open(path)
    except OSError as error:
        raise _unwritable(option, path, error) from None
    with ExitStack() as stack:
        stack.enter_context(_kept(path, target))
        text = stack.enter_context(_draft())
        yield text
        try:
            _finish(path, target, text)
        except OSError as error:
            raise _unwritable(option, path, error) from None


def _unwritable(option: str, path: str, error: OSError) -> OutputError:
    return OutputError(f"{option} {path!r}: cannot write ({_why(error)}); name another file")


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _open(path: str) -> IO[str]:
    """Open the report's file under another name, or the device or pipe itself."""
    if path == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        return sys.stdout
    if not path:
        raise FileNotFoundError(errno.ENOENT, "the name is empty")
    if os.path.exists(path) and not os.path.isfile(path):
        return open(path, "w", encoding="utf-8", errors="backslashreplace")
    place = os.path.realpath(path)
    if os.path.exists(place) and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    target = open(  # noqa: SIM115 - it stays open for as long as the search runs
        f"{place}.{os.getpid()}.partial", "w", encoding="utf-8", errors="backslashreplace"
    )
    if os.path.exists(place):
        os.chmod(target.name, os.stat(place).st_mode & 0o777)
    return target


def _draft() -> IO[str]:
    """Return a file for a report that is not complete; a long one is not in memory."""
    # Many modules come along with it, and most commands write no report.
    from tempfile import SpooledTemporaryFile

    return cast(
        IO[str],
        SpooledTemporaryFile(1 << 20, "w+", encoding="utf-8", errors="surrogatepass", newline="\n"),
    )


def _finish(path: str, target: IO[str], text: IO[str]) -> bool:
    """Write the report to its file, and rename that; False if it is empty."""
    if not text.tell():
        return False
    text.seek(0)
    while piece := text.read(1 << 16):
        target.write(printable(piece))
    target.flush()
    if path != "-":
        target.close()
        if target.name.endswith(".partial"):
            os.replace(target.name, os.path.realpath(path))
    return True


@contextmanager
def _kept(path: str, target: IO[str]) -> Iterator[None]:
    """Keep a file for its report; in the end, remove it if it is not complete."""
    if path == "-":
        # What a model prints is not part of the report.
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            target.close()
        if target.name.endswith(".partial") and os.path.exists(target.name):
            os.unlink(target.name)

"""A protocol at a git revision: its code of that revision, in a separate process.

Nothing in the checkout is touched: the files of the revision are unpacked into a temporary
directory, from which that process imports them.  For built-in protocols, the model and
the properties are those of the revision; the current code searches and prints, so that both sides
are treated alike.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from ... import __file__ as package_file
from ...analysis.named import SelectionError, custom_file, is_custom
from ...core.spec import TidegateError
from .sides import Side
from .worker import MODEL, Origin

_PACKAGE = Path(package_file).resolve().parent

_LAUNCH = """
import importlib.util, sys
folder = sys.argv[1]
spec = importlib.util.spec_from_file_location(
    "tidegate", f"{folder}/__init__.py", submodule_search_locations=[folder]
)
sys.modules["tidegate"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["tidegate"])
from tidegate.commands.diff.worker import serve
serve()
"""
"""Imports the running package, whatever its directory."""


class RevisionError(TidegateError):
    """A revision that does not exist, or whose code cannot be used."""


@contextmanager
def opened(name: str) -> Iterator[Side]:
    """Open one of two protocols to compare: ``PROTOCOL``, or ``PROTOCOL@REVISION``.

    Raises
    ------
    TidegateError
        If there is no such protocol, or no such revision.
    """
    protocol, at, revision = name.partition("@")
    if not at:
        side = Side(name)
        try:
            yield side
        finally:
            side.close()
        return
    with TemporaryDirectory(prefix="tidegate-revision-") as directory:
        files, model = (Path(directory).resolve() / name for name in ("files", "model"))
        here, checkout = Path.cwd(), _PACKAGE
        if is_custom(protocol):
            here, checkout = _unpack_custom(protocol, revision, files)
        if checkout == _PACKAGE:
            _unpack(_PACKAGE, revision, model, MODEL, name)
        origin = Origin(
            str(model) if checkout == _PACKAGE else "",
            str(files) if is_custom(protocol) else "",
            str(checkout),
        )
        with _started(name, here) as remote:
            remote.begin(_relative(protocol), origin)
            yield cast(Side, remote)


def _unpack_custom(protocol: str, revision: str, folder: Path) -> tuple[Path, Path]:
    """Unpack the Python files of a user's repository.

    Returns
    -------
    tuple[Path, Path]
        The unpacked directory that replaces that of the file, or the current one; and the
        repository.
    """
    name = f"{protocol}@{revision}"
    file = custom_file(protocol)
    beside = file.resolve().parent if file is not None and file.is_absolute() else Path.cwd()
    top = Path(_git(beside, name, "rev-parse", "--show-toplevel").strip()).resolve()
    _unpack(top, revision, folder, (":(glob)**/*.py",), name)
    here = folder / beside.resolve().relative_to(top)
    if not here.is_dir():
        raise RevisionError(
            f"{name}: the repository {top} has no Python file below "
            f"{beside.resolve().relative_to(top)} at that revision"
        )
    return here, top


def _relative(protocol: str) -> str:
    """Return the name of a protocol from the directory in which its file is unpacked."""
    file = custom_file(protocol)
    if file is None or not file.is_absolute():
        return protocol
    return protocol.replace(str(file), file.name, 1)


def _unpack(top: Path, revision: str, folder: Path, what: tuple[str, ...], name: str) -> None:
    """Unpack files of a revision."""
    commit = _git(top, name, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
    archive = _git_bytes(top, name, "archive", "--format=tar", commit, "--", *what)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def _git(top: Path, name: str, *arguments: str) -> str:
    return os.fsdecode(_git_bytes(top, name, *arguments))


def _git_bytes(top: Path, name: str, *arguments: str) -> bytes:
    """Run git in a directory and return what it prints."""
    # A checkout may be another user's, as in a container; it is only read.
    command = ["git", "-c", "safe.directory=*", "-C", str(top), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise RevisionError(f"{name}: cannot run git ({error.strerror}); install it") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        why = said or f"the repository {top} has no such revision"
        raise RevisionError(f"{name}: {why}; name a commit, a branch or a tag of its repository")
    return done.stdout


@contextmanager
def _started(name: str, here: Path) -> Iterator[_Remote]:
    """Start a process in the directory of the protocol, and return what asks it."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _LAUNCH, str(_PACKAGE)],
        cwd=here,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    try:
        yield _Remote(process, name)
    finally:
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


class _Remote:
    """Asks another process what :class:`Side` answers there."""

    def __init__(self, process: subprocess.Popen[bytes], name: str) -> None:
        self._process = process
        self._name = name

    def begin(self, protocol: str, origin: Origin) -> None:
        """Have the other process find the protocol in what was unpacked."""
        self._ask("", (protocol, origin))

    def __getattr__(self, method: str) -> Callable[..., Any]:
        return partial(self._call, method)

    def _call(self, method: str, *arguments: Any) -> Any:
        return self._ask(method, arguments)

    def _ask(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Return the answer to one question, or raise what went wrong there."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            pickle.dump((method, arguments), stdin)
            stdin.flush()
            kind, answer = _answer(stdout)
        except (EOFError, BrokenPipeError):
            raise RevisionError(
                f"{self._name}: the process that searches it ended without an answer"
            ) from None
        if kind == "interrupt":
            raise KeyboardInterrupt
        if kind == "usage":
            raise SelectionError(f"{self._name}: {answer}")
        if kind == "failure":
            raise RevisionError(
                f"{self._name}: its code cannot be used with the present Tidegate: {answer}"
            )
        return answer


def _answer(stdout: Any) -> tuple[str, Any]:
    """Read an answer.

    Ctrl-C reaches the other process too, which then answers with what it has; so only a second
    one ends the wait here.
    """
    interrupts = 0

    def interrupted(*_: Any) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        kind, answer = pickle.load(stdout)
    finally:
        signal.signal(signal.SIGINT, before)
    return str(kind), answer

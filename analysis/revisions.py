"""A protocol at a git revision: the Python files of that revision, beside the present ones.

Nothing in the checkout is touched: the files are unpacked into a temporary directory.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ..core.errors import is_users
from ..core.spec import TidegateError
from ..model import Protocol
from .code import Code, code
from .names import SelectionError, custom_file, find_protocol


class RevisionError(TidegateError):
    """A revision that does not exist, or whose code cannot be used."""


@contextmanager
def opened(name: str) -> Iterator[Protocol]:
    """Open one of two protocols to compare: ``PROTOCOL``, or ``FILE@REVISION``.

    Raises
    ------
    TidegateError
        If there is no such protocol, or no such revision.
    """
    called, at, revision = name.partition("@")
    if not at:
        yield find_protocol(name)
        return
    file = custom_file(called)
    if file is None:
        raise RevisionError(
            f"{name}: only a protocol that is named by its file can be taken from a revision"
        )
    beside = file.resolve().parent
    top = Path(_git(beside, name, "rev-parse", "--show-toplevel").decode().strip()).resolve()
    with TemporaryDirectory(prefix="tidegate-revision-") as directory:
        folder = Path(directory).resolve()
        _unpack(top, revision, folder, name)
        there = folder / beside.relative_to(top) / file.name
        try:
            protocol = find_protocol(called.replace(str(file), str(there), 1))
        except SelectionError as error:
            text = str(error).replace(f"{there.parent}{os.sep}", "")
            raise RevisionError(f"{name}: {text}") from None
        _refuse_present(code(protocol), folder, top)
        yield replace(protocol, name=called)


def _unpack(top: Path, revision: str, folder: Path, name: str) -> None:
    """Unpack the Python files of a revision."""
    commit = _git(top, name, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    what = (commit.decode().strip(), "--", ":(glob)**/*.py")
    with tarfile.open(fileobj=io.BytesIO(_git(top, name, "archive", "--format=tar", *what))) as tar:
        tar.extractall(folder, filter="data")


def _git(top: Path, name: str, *arguments: str) -> bytes:
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


def _refuse_present(known: Code, folder: Path, checkout: Path) -> None:
    """Refuse a protocol with code of the checkout: it is not that of the revision.

    That happens if the checkout is installed for development.
    """
    functions = [
        *(rule.function for rule in known.rules.values() if rule.function),
        *(action.function for action in known.actions.values()),
        *known.helpers.values(),
    ]
    for function in functions:
        file = Path(function.place.rpartition(":")[0])
        present = file.is_relative_to(checkout) and not file.is_relative_to(folder)
        if present and is_users(str(file)):
            raise RevisionError(
                f"{file} was imported as it is now, not as it was at the revision, since it is "
                "installed; let the protocol import what lies beside it"
            )

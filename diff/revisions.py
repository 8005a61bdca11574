"""A protocol at a git revision: the Python files of that revision, beside the present ones.

Nothing in the checkout is touched: the files are unpacked into a temporary directory.  A built-in
protocol of a revision is imported as a package of its own.  What models are written in is the
present one there, so that the present checker searches it.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory
from types import ModuleType

from ..core.errors import SelectionError, nearest, unpacked
from ..core.origins import is_users
from ..core.spec import TidegateError
from ..library.names import custom_file, find_protocol, is_custom
from ..model import Protocol
from .code import Code, code

PACKAGE = Path(__file__).resolve().parents[1]

_TIDEGATE = __name__.partition(".")[0]

_PRESENT = tuple(
    f"{_TIDEGATE}.{name}" for name in ("core", "model.custom", "model.limited", "model.protocol")
)
"""What models are written in."""

REVISIONS = "name a commit, a branch or a tag of its repository"

CLONE = "a built-in protocol has revisions only where Tidegate runs from a clone of its repository"


class RevisionError(TidegateError):
    """A revision that does not exist, or whose code cannot be used."""


@contextmanager
def opened(name: str) -> Iterator[Protocol]:
    """Open one of two protocols to compare: ``PROTOCOL``, or one with ``@REVISION``.

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
    if file is None and is_custom(called):
        raise RevisionError(
            f"{name}: only a built-in protocol, or one that is named by its file, can be taken "
            "from a revision"
        )
    beside = file.resolve().parent if file else PACKAGE
    hint = REVISIONS if file else CLONE
    shown = _git(beside, name, "rev-parse", "--show-toplevel", hint=hint)
    top = Path(shown.decode().strip()).resolve()
    if file is None and not _git(beside, name, "ls-files", "model"):
        raise RevisionError(f"{name}: the repository {top} does not have Tidegate; {CLONE}")
    with TemporaryDirectory(prefix="tidegate-revision-") as directory, ExitStack() as stack:
        folder = Path(directory).resolve()
        place = beside.relative_to(top)
        _unpack(top, revision, folder, name, ":(glob)**/*.py" if file else f"{place / 'model'}")
        root = folder if file else folder / place
        unpacked[root] = revision
        stack.callback(unpacked.pop, root)
        if file is None:
            protocols = stack.enter_context(_model_in(folder / place, name))
            yield _named(protocols, called, name)
            return
        there = folder / place / file.name
        try:
            protocol = find_protocol(called.replace(str(file), str(there), 1))
        except SelectionError as error:
            text = str(error).replace(f"{there.parent}{os.sep}", "")
            raise RevisionError(f"{name}: {text}") from None
        _refuse_present(code(protocol), folder, top)
        yield replace(protocol, name=called)


@contextmanager
def _model_in(folder: Path, name: str) -> Iterator[tuple[Protocol, ...]]:
    """Import the built-in protocols of a revision, in a package of its own."""
    alias = folder.name.replace("-", "_")
    package = ModuleType(alias)
    package.__path__ = [str(folder)]
    sys.modules[alias] = package
    for present in map(import_module, _PRESENT):
        inside = walk_packages(getattr(present, "__path__", ()), f"{present.__name__}.")
        for module in (present, *(import_module(each.name) for each in inside)):
            sys.modules[f"{alias}.{module.__name__.partition('.')[2]}"] = module
    try:
        try:
            protocols = import_module(f"{alias}.model").PROTOCOLS
        except (ImportError, AttributeError, TypeError) as error:
            raise RevisionError(
                f"{name}: the model of that revision is written for another Tidegate ({error}); "
                "clone that revision, and compare it there"
            ) from None
        yield protocols
    finally:
        for imported in [each for each in sys.modules if f"{each}.".startswith(f"{alias}.")]:
            del sys.modules[imported]


def _named(protocols: Sequence[Protocol], called: str, name: str) -> Protocol:
    """Return the protocol of that name."""
    for protocol in protocols:
        if protocol.name == called.lower():
            return protocol
    near = nearest(called, [protocol.name for protocol in protocols])
    hint = f"; did you mean {near}?" if near else ""
    raise RevisionError(f"{name}: there is no protocol '{called}' at that revision{hint}")


def _unpack(top: Path, revision: str, folder: Path, name: str, files: str) -> None:
    """Unpack files of a revision, named by a pathspec."""
    commit = _git(top, name, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    what = (commit.decode().strip(), "--", files)
    with tarfile.open(fileobj=io.BytesIO(_git(top, name, "archive", "--format=tar", *what))) as tar:
        tar.extractall(folder, filter="data")


def _git(top: Path, name: str, *arguments: str, hint: str = REVISIONS) -> bytes:
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
        raise RevisionError(f"{name}: {why}; {hint}")
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

"""Loads the file or the module of a custom protocol or property; a failure gets one clear line."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import os
import pkgutil
import re
import sys
from contextlib import redirect_stdout
from dataclasses import is_dataclass
from enum import EnumMeta
from functools import cache
from pathlib import Path
from types import ModuleType

from ..core.errors import (
    SelectionError,
    TidegateError,
    callers,
    lacks,
    nearest,
    one_line,
    place_of,
    shown,
)
from ..core.imports import PREFIX, Folder
from ..core.origins import is_users
from .successors import successor

HOW_TO_NAME = "name a custom protocol by its file (fence.py) or its module (rules.fence)"
"""What to do where no custom protocol was found."""


def file_or_module(base: str) -> tuple[Path | None, str, str]:
    """Return the file that a name begins with, else the module, and the name in it, or "".

    A name that ends in ``.py``, or is that of a file, has no name after it, whatever colons it has.

    >>> file_or_module("a:b.py"), file_or_module("a:b.py:MINE")
    ((PosixPath('a:b.py'), '', ''), (PosixPath('a:b.py'), '', 'MINE'))
    >>> file_or_module("package.fence:MINE")
    (None, 'package.fence', 'MINE')
    >>> file_or_module("package.fence")
    (None, 'package.fence', '')
    """
    if base.endswith(".py") or os.path.isfile(base):
        return Path(base), "", ""
    where, colon, attribute = base.rpartition(":")
    if where.endswith(".py") or os.path.isfile(where):
        return Path(where), "", attribute
    return (None, where, attribute) if colon else (None, base, "")


def loaded(name: str, what: str) -> tuple[ModuleType, str]:
    """Return the module of a custom protocol or property, and the name in it, empty for none."""
    if one_line(name) != name:
        raise SelectionError(
            f"{name}: the name of {what.lower()} appears in reports, so it must be printable "
            "UTF-8; rename the file"
        )
    path, where, attribute = file_or_module(name)
    if path is None:
        module = _imported(where)
    else:
        try:
            source = path.read_bytes()
        except OSError as error:
            why = error.strerror or type(error).__name__
            revision, _, file = str(path).rpartition(":")
            do = f"name a Python file that defines {what}"
            if revision and os.path.isfile(file):
                do = f"'tidegate diff' takes a git revision as {file}@{revision}"
            raise SelectionError(f"{path}: cannot be read ({why}); {do}") from None
        module = _executed(path.resolve(), str(path), source)
    return module, attribute


def _imported(name: str) -> ModuleType:
    """Import a module from the present directory or from Python's path."""
    here = os.getcwd()
    try:
        beside = not ("" in sys.path or here in sys.path)
        with redirect_stdout(sys.stderr):
            return importlib.import_module(_present(here).resolved(name) if beside else name)
    except BaseException as error:
        raise unusable(name, error) from error


@cache
def _present(here: str) -> Folder:
    """Return a directory whose modules are named as PACKAGE.MODULE."""
    return Folder(Path(here), f"{PREFIX}{hashlib.sha256(os.fsencode(here)).hexdigest()[:12]}")


@cache
def _executed(path: Path, called: str, source: bytes) -> ModuleType:
    """Run a file as a module.

    Cached bytecode is not used: it may be of an earlier version within the same second.
    """
    digest = hashlib.sha256(os.fsencode(path) + source).hexdigest()[:12]
    module = ModuleType(f"{PREFIX}{digest}_{path.stem}")
    module.__file__ = str(path)
    vars(module)["__builtins__"] = Folder(path.parent, f"{PREFIX}{digest}").builtins
    sys.modules[module.__name__] = module
    try:
        # Standard output may be a report's.
        with redirect_stdout(sys.stderr):
            exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    except BaseException as error:
        del sys.modules[module.__name__]
        raise unusable(called, error) from error
    return module


def unusable(name: str, error: BaseException) -> BaseException:
    """Return the error to raise if a user's file or module cannot be imported."""
    if isinstance(error, KeyboardInterrupt):
        return error
    if isinstance(error, TidegateError):
        raised = place_of(error)
        place = error.place or (raised if raised and is_users(raised[0]) else None)
        wrong = SelectionError(f"{shown(place) if place else name}: {error.args[0]}")
        wrong.place, wrong.details = place, error.details
        return wrong
    missing = _missing(name, error) if isinstance(error, ModuleNotFoundError) else ""
    text = missing or f"{type(error).__name__}: {error}"
    if isinstance(error, ImportError) and error.path:
        # The line is that of the import; where the other module lies is of no use.
        text = text.removesuffix(f" ({error.path})")
        wanted = re.match(r"cannot import name '(\w+)'", str(error))
        module = sys.modules.get(error.name or "")
        former = wanted and successor(f"{error.name}.{wanted[1]}")
        near = wanted and nearest(wanted[1], getattr(module, "__all__", dir(module)))
        text = former or text + (f"; did you mean {near}?" if near else "")
    if isinstance(error, AttributeError) and isinstance(error.obj, EnumMeta):
        members = ", ".join(error.obj.__members__)
        text = f"{error.obj.__name__} has no {error.name}; it has {members}"
    if isinstance(error, AttributeError):
        text = successor(f"{type(error.obj).__name__}.{error.name}") or text
    if isinstance(error, TypeError):
        text = _no_such_field(error) or text
    if isinstance(error, SyntaxError):
        text = f"{type(error).__name__}: {error.msg}"
    failure = SelectionError(f"{name} cannot be imported: {text}")
    failure.place = None if missing else place_of(error)
    failure.details = () if isinstance(error, SyntaxError) else callers(error)
    if isinstance(error, SyntaxError) and error.text:
        line = error.text.rstrip()
        begin = len(line) - len(line.lstrip())
        caret = " " * max((error.offset or 1) - 1 - begin, 0) + "^"
        failure.details = (one_line(line.strip()), caret)
    return failure


def _missing(name: str, error: ModuleNotFoundError) -> str:
    """Return the message if there is no module of that name; empty if it misses another one."""
    absent = error.name or ""
    words = [word for word in absent.split(".") if not word.startswith(PREFIX)]
    if name.split(".")[: len(words)] != words:
        return ""
    package = sys.modules.get(absent.rpartition(".")[0])
    beside = [one.name for one in pkgutil.iter_modules(getattr(package, "__path__", []))]
    near = nearest(words[-1], beside)
    hint = f"did you mean {package.__name__}.{near}?" if package and near else HOW_TO_NAME
    return f"there is no such module; {hint}"


def _no_such_field(error: TypeError) -> str:
    """Return the message if a record was made with an unknown field; otherwise empty."""
    match = re.search(r"got an unexpected keyword argument '(\w+)'", str(error))
    called = str(error).partition(".__init__()")[0]
    if match and (former := successor(f"{called}.{match[1]}")):
        return former
    traceback = error.__traceback__
    while match and traceback is not None:
        code, values = traceback.tb_frame.f_code, traceback.tb_frame.f_locals
        of = values.get("obj")
        if code.co_filename == dataclasses.__file__ and is_dataclass(of):
            known = [field.name for field in dataclasses.fields(of)]
            return lacks(type(of).__name__, known, match[1])
        traceback = traceback.tb_next
    return ""

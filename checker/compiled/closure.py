"""Recordings of earlier translations, found by the questions they asked and the answers.

Translating takes a tenth of a second, which is most of the time until a small search begins.  So
its result is recorded together with everything that it read (``reads.py``), under a key that is
known without translating.  It is reused if every question has the same answer.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ... import core
from ...core.layout import Layout
from ...core.spec import Property, TransitionSystem
from ...core.symmetry import Symmetry
from .. import compiled
from ..liveness import formulas
from .program import Module
from .reads import Question

TRANSLATOR = (core, compiled, formulas)
"""The packages and modules whose source determines the result of a translation."""

MOST = 8
"""The most recordings under one key: an edited protocol may return to an earlier form."""


@dataclass(frozen=True)
class Recording:
    """The result of a translation, with its questions and answers; see :class:`.reads.Reads`."""

    module: Module
    roots: list[str]
    questions: list[Question]


def written(recordings: Sequence[Recording]) -> bytes:
    """Return the first recordings in the form in which they are cached."""
    return json.dumps([asdict(recording) for recording in recordings[:MOST]]).encode()


def read(content: bytes) -> list[Recording]:
    """Return cached recordings."""
    return [
        Recording(Module(**kept["module"]), kept["roots"], kept["questions"])
        for kept in json.loads(content or "[]")
    ]


def roots_of(system: TransitionSystem[Any, Any], properties: Sequence[Property]) -> list[object]:
    """Return the objects that the translation of a search begins with."""
    roots: list[object] = [system.constants, system.constraint, *system.layout.classes]
    roots += system.layout.kinds
    roots += [prop.predicate for prop in properties if prop.kind.is_of_state]
    roots += [prop.predicate for _, prop in formulas.predicates_of(properties)]
    for instance in system.instances:
        roots += [instance.action.apply, *instance.arguments]
    return roots


def key_of(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    exact: bool,
    symmetry: Symmetry | None,
) -> str:
    """Return a hash of what is known before translating, except the roots.

    Raises
    ------
    OSError
        If the translator's own source cannot be read.
    """
    known = [
        sys.version,
        sys.flags.optimize,
        translator(),
        exact,
        symmetry and symmetry.group,
        system.name,
        system.bounds,
        [(instance.action.name, len(instance.arguments)) for instance in system.instances],
        [(prop.name, prop.kind.name) for prop in properties],
        list(_laid_out(system.layout)),
    ]
    return hashlib.sha256(repr(known).encode(errors="surrogatepass")).hexdigest()


def _laid_out(layout: Layout[Any]) -> Iterator[object]:
    """Yield the positions and ranges of a state's variables, and the nesting of the record."""
    kinds = layout.kinds
    for variable in layout.variables:
        yield kinds.index(variable.kind)
        yield variable.path, variable.form, variable.replicas, variable.field.names
        yield variable.low, variable.high, variable.word, variable.shift
    yield _nested(layout.record)


def _nested(part: Any) -> object:
    if isinstance(part, (list, tuple)):
        return [_nested(element) for element in part]
    return {name: _nested(getattr(part, name)) for name in getattr(part, "__parts__", ())}


@cache
def translator() -> str:
    """Return the hash of the translator's source, as of the first call."""
    return source_of_translator()


def source_of_translator() -> str:
    """Return the hash of the translator's source, as it is now."""
    return hashlib.sha256(
        b"\0".join(file.read_bytes() for file in files_of_translator())
    ).hexdigest()


def files_of_translator() -> Iterator[Path]:
    """Yield the files of the translator, those of a package in the order of their names."""
    for part in TRANSLATOR:
        file = Path(str(part.__file__))
        yield from sorted(file.parent.glob("*.py")) if hasattr(part, "__path__") else [file]

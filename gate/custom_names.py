"""Bounds and properties that a gate's file names for protocols, looked up beforehand.

Custom protocols and properties are loaded in a process of their own, which may hang or die: a cell
says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from ..core.bounds import BoundsError, FailingBoundsError
from ..core.errors import SelectionError, TidegateError
from ..core.interrupts import Alarm, LimitReachedError
from ..library.names import find_protocol
from ..library.pool import processes
from ..library.properties import find_properties
from ..model import Protocol
from .cells import EVERY, CellLimits


@dataclass(frozen=True)
class Named:
    """What a case names for one protocol."""

    protocol: str
    bounds: tuple[str, ...]
    properties: tuple[str, ...]
    stalled: float = CellLimits.stalled
    """Seconds that a file may take to load."""


@dataclass(frozen=True)
class Wrong:
    """A name that does not exist: the number of the bounds or of the property, and why."""

    of_bounds: bool
    number: int
    text: str


def wrong_names(root: Path, cases: Sequence[Named]) -> Iterator[list[Wrong]]:
    """Yield for each case what it names that does not exist; nothing for what does not load."""
    answers: list[list[Wrong]] = []
    if cases:
        with suppress(TidegateError), processes(1) as workers:
            answers += workers.in_order(_wrong, ((str(root), case) for case in cases))
    yield from answers
    yield from ([] for _ in cases[len(answers) :])


def _wrong(work: tuple[str, Named]) -> list[Wrong]:
    """Return what a case names that its protocol does not have."""
    root, case = work
    os.chdir(root)
    try:
        with Alarm(case.stalled, perf_counter(), at_once=True):
            protocol = find_protocol(case.protocol)
    except (TidegateError, LimitReachedError):
        return []
    return wrong_in(protocol, case)


def wrong_in(protocol: Protocol, named: Named) -> list[Wrong]:
    """Return what a case names that a protocol does not have."""
    wrong = []
    for number, bounds in enumerate(named.bounds):
        try:
            protocol.within(bounds.split())
        except (BoundsError, FailingBoundsError) as error:
            name = f"{named.protocol}: " if named.protocol else ""
            wrong.append(Wrong(True, number, f"{name}{error}"))
    for number, name in enumerate(named.properties):
        try:
            if name.lower() not in (*EVERY, "none"):
                with Alarm(named.stalled, perf_counter(), at_once=True):
                    find_properties(protocol, [name])
        except LimitReachedError:
            return wrong
        except SelectionError as error:
            wrong.append(Wrong(False, number, str(error)))
    return wrong

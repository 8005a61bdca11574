"""Restores a search from its checkpoint.

Everything that can be verified is verified: states are compared with their checksums, must be
within the declared ranges, and are judged again.  What is trusted is that they are all that can be
reached, and how often steps were taken.  A violation that only the manifest has is a deadlock, or
a state outside the constraint; it is replayed before it is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core.spec import Property, TransitionSystem
from ...core.symmetry import Symmetry
from ..counterexample import itself
from ..manifest import CheckpointError, damaged
from .journal import Journal
from .memory import BLOCK, Shared
from .sampler import Words
from .statefile import PIECE
from .validity import Validity

Violated = dict[str, tuple[int, Words]]
"""For each violated property its level and the words of its least state."""


def restore(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    symmetry: Symmetry | None,
    journal: Journal,
) -> Violated:
    """Read all states of a journal into memory and into the table; return what they violate.

    Raises
    ------
    CheckpointError
        If they are not those of the manifest, or cannot be from this search.
    """
    machine, manifest = journal.machine, journal.manifest
    machine.restore(manifest.states, manifest.taken)
    violated: Violated = {}
    for number, first in enumerate(journal.firsts[:-1]):
        level = manifest.levels[number]
        _read_level(system, journal, first, level.states, level.checksum)
        if number == 0:
            canonical = symmetry.canonical if symmetry else itself
            initial = map(canonical, filter(system.admits, system.initial_states()))
            if set(machine.read([(0, level.states)])) != set(map(system.layout.pack, initial)):
                raise _damaged(journal, "its first level is not that of the initial states")
        for which, (_, words) in machine.take_found().items():
            violated.setdefault(properties[which].name, (number, words))
    for name, (depth, numbers) in manifest.violations.items():
        kept = depth, tuple(numbers)
        violated[name] = min(kept, violated.get(name, kept), key=lambda one: _order(system, *one))
    if machine.exact:
        machine.shared[Shared.TAIL] = -(-manifest.states // BLOCK) * BLOCK
    journal.file.cut()
    return violated


def _read_level(
    system: TransitionSystem[Any, Any], journal: Journal, first: int, count: int, expected: int
) -> None:
    """Read a level into memory, and put it into the table."""
    machine, checksum, sound = journal.machine, 0, True
    validity = Validity(machine.code, system.layout)
    for start in range(first, first + count, PIECE):
        some = min(PIECE, first + count - start)
        at = start if machine.exact else 0
        try:
            checksum = journal.file.read(machine.ahead, at, start, some, checksum)
        except OSError as error:
            raise _damaged(journal, error.strerror or str(error)) from None
        address = machine.ahead.address + at * machine.state_bytes
        # The code is only safe for valid states.
        sound = sound and validity.holds(address, some) and machine.remember(at, start, some)
    validity.close()
    if checksum != expected or not sound:
        raise _damaged(journal, f"the states from number {first} on are not those written")


def _order(system: TransitionSystem[Any, Any], level: int, words: Sequence[int]) -> tuple[int, int]:
    layout = system.layout
    return level, layout.fingerprint(layout.unpack(words))


def _damaged(journal: Journal, why: str) -> CheckpointError:
    return damaged(journal.file.path or Path(), why)

"""Restores a search from its checkpoint.

Everything that can be verified is verified: states are compared with their checksums, must be
within the declared ranges, and are judged again.  What is trusted is that they are all that can be
reached, how often steps were taken, and which states were found to be deadlocks or outside the
constraint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.spec import Property, TransitionSystem
from ...core.symmetry import Symmetry
from ..counterexample import itself
from .checkpoint import CheckpointError, Manifest, damaged
from .journal import Journal
from .memory import BLOCK, Shared
from .sampler import Words
from .statefile import PIECE
from .validity import Validity


class Restoration:
    """Restores a search.

    Parameters
    ----------
    journal
        The journal of the search, with the file of its states.
    manifest
        The manifest of its checkpoint.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
        symmetry: Symmetry | None,
        journal: Journal,
        manifest: Manifest,
    ) -> None:
        self._system, self._properties, self._symmetry = system, properties, symmetry
        self._journal, self._manifest, self._machine = journal, manifest, journal.machine

    def run(self) -> None:
        """Read all states.

        Raises
        ------
        CheckpointError
            If they are not those of the manifest, or cannot be from this search.
        """
        machine, states = self._machine, self._manifest.states
        machine.restore(states, self._manifest.taken)
        violated: dict[str, tuple[int, Words]] = {}
        for number, (first, count, checksum) in enumerate(self._journal.levels):
            self._read_level(first, count, checksum)
            if number == 0:
                self._verify_initial(count)
            for which, (_, words) in machine.take_found().items():
                violated.setdefault(self._properties[which].name, (number, words))
        self._verify_violations(violated)
        if machine.exact:
            machine.shared[Shared.TAIL] = -(-states // BLOCK) * BLOCK
        self._journal.file.cut()

    def _read_level(self, first: int, count: int, expected: int) -> None:
        """Read a level into memory, and put it into the table."""
        machine, checksum, sound = self._machine, 0, True
        validity = Validity(machine.code, self._system.layout)
        for start in range(first, first + count, PIECE):
            some = min(PIECE, first + count - start)
            at = start if machine.exact else 0
            checksum = self._read(at, start, some, checksum)
            address = machine.ahead.address + at * machine.state_bytes
            # The code is only safe for valid states.
            sound = sound and validity.holds(address, some) and machine.remember(at, start, some)
        validity.close()
        if checksum != expected or not sound:
            raise self._damaged(f"the states from number {first} on are not those written")

    def _read(self, at: int, first: int, count: int, checksum: int) -> int:
        try:
            return self._journal.file.read(self._machine.ahead, at, first, count, checksum)
        except OSError as error:
            raise self._damaged(error.strerror or str(error)) from None

    def _verify_initial(self, count: int) -> None:
        """Verify that the first level, which was just read, has the initial states."""
        system = self._system
        canonical = self._symmetry.canonical if self._symmetry else itself
        expected = {
            system.layout.pack(canonical(state))
            for state in system.initial_states()
            if system.admits(state)
        }
        if set(self._machine.read([(0, count)])) != expected:
            raise self._damaged("its first level is not that of the initial states")

    def _verify_violations(self, violated: dict[str, tuple[int, Words]]) -> None:
        """Verify that the manifest has the violations that were found again.

        It may have more: states outside the constraint are in no level, and deadlocks are found
        only by expanding states.
        """
        for prop in self._properties:
            kept, again = self._manifest.violations.get(prop.name), violated.get(prop.name)
            if not prop.kind.is_of_state or (kept is None and again is None):
                continue
            if kept is None or not (self._is_least(kept, again)):
                raise self._damaged(f"the manifest does not have its violation of {prop.name}")

    def _is_least(self, kept: tuple[int, list[int]], again: tuple[int, Words] | None) -> bool:
        """Whether a violation is the least; only with a constraint it may be in no level."""
        if again is not None and (kept[0], tuple(kept[1])) == again:
            return True
        if self._system.constraint is None:
            return False
        return again is None or self._order(*kept) < self._order(*again)

    def _order(self, level: int, words: Sequence[int]) -> tuple[int, int]:
        layout = self._system.layout
        return level, layout.fingerprint(layout.unpack(words))

    def _damaged(self, why: str) -> CheckpointError:
        path = self._journal.file.path
        assert path is not None
        return damaged(path, why)

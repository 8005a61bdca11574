"""The tables of a search, as its driver sees them: begun, added to level by level, and finished."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...core.spec import Property, TransitionSystem
from .columns import ExportError, described
from .manifest import StoreManifest
from .store import Store
from .tables import PART_NAME, PENDING, write_outside, write_schemas


class Exports:
    """The tables of a search.

    Parameters
    ----------
    location
        Their path or URI.
    manifest
        The manifest of the search, which says which of their files count.
    """

    def __init__(
        self,
        location: str,
        manifest: StoreManifest,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
    ) -> None:
        self.store = Store(location, "--export")
        self.tables = described(self.store.address, system, properties)
        self._system, self._manifest = system, manifest

    def begin(self) -> None:
        """Make the tables, without rows.

        Raises
        ------
        ExportError
            If the directory is not empty.
        """
        # A search that is killed before its first level leaves pending files, which do not matter.
        entries = [name for name in self.store.entries() if name != PENDING]
        there = entries or self._foreign()
        if there:
            raise ExportError(
                f"--export {self.store.location}: holds something already ({there[0]}); name a "
                "directory that is new or empty"
            )
        self.store.make()
        self._manifest.export = self.store.address
        self._manifest.exporting, self._manifest.exported = [], 0
        self.add(write_schemas(self.tables))

    def go_on(self) -> None:
        """Continue the tables of a search that was stopped.

        Raises
        ------
        ExportError
            If they are not as that search left them.
        """
        foreign = self._foreign()
        if foreign:
            raise ExportError(
                f"--export {self.store.location}: holds {foreign[0]}, which the search has not "
                "written; remove it, or begin the search anew"
            )
        published = (name for name in self.store.names() if not name.startswith(f"{PENDING}/"))
        there = len({*published, *self._manifest.exporting})
        wrote = self._manifest.exported
        if there != wrote:
            raise ExportError(
                f"--export {self.store.location}: holds {there} files, and the search wrote "
                f"{wrote} there; put these back, or begin the search anew"
            )
        self.publish()

    def _foreign(self) -> list[str]:
        """Return the names of files that do not belong to the tables, published or not."""
        partial = r"(\.[0-9a-f]{32}\.partial)?"
        ours = re.compile(rf"{PART_NAME}|{PENDING}/{PART_NAME}{partial}")
        return [name for name in self.store.names() if not ours.fullmatch(name)]

    def add(self, names: Sequence[str]) -> None:
        """Record files that the next :meth:`publish` makes part of the tables."""
        self._manifest.exporting += names
        self._manifest.exported += len(names)

    def add_outside(self, number: int, level: int, words: Sequence[int]) -> None:
        """Add the violation by a state outside the constraint, which is in no table."""
        state = self._system.layout.unpack(words)
        self._system.layout.load(state)
        if not self._system.inside():
            fingerprint = self._system.layout.fingerprint(state)
            self.add(write_outside(self.tables, number, level, fingerprint))

    def publish(self) -> None:
        """Make files part of the tables, after the manifest in the store names them."""
        left = self._manifest.exporting
        waiting = self.store.present([f"{PENDING}/{name}" for name in left])
        there = self.store.present(left)
        while left:
            name = left[-1]
            if f"{PENDING}/{name}" in waiting:
                self.store.rename(f"{PENDING}/{name}", name)
            elif name not in there:
                raise ExportError(
                    f"--export {self.store.location}: {name} is missing; the directory must be one "
                    "that the driver and all executors share"
                )
            left.pop()

    def finish(self) -> None:
        """Remove the pending files, unless some are still to be published."""
        if not self._manifest.exporting:
            self.store.remove(PENDING)


@contextmanager
def opened_exports(
    location: str | None,
    manifest: StoreManifest,
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
) -> Iterator[Exports | None]:
    """Begin or continue the tables of a search, if it has any.

    Parameters
    ----------
    location
        The path or URI for a search that begins.
    """
    begun = bool(manifest.levels)
    where = manifest.export if begun else manifest.export or location
    if where is None:
        yield None
        return
    exports = Exports(where, manifest, system, properties)
    if begun:
        exports.go_on()
    else:
        exports.begin()
    try:
        yield exports
    finally:
        exports.finish()

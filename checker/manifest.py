"""The manifest of a search that is kept on disk, as of the end of a level.

Each engine that keeps one writes this record, into a directory that no other search may use.  It is
replaced atomically once all that it counts is on disk, so a process that dies at any moment leaves
the end of a level.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Self

from ..core.layout import WORD_BITS, Layout
from ..core.spec import Property, TidegateError, TransitionSystem
from . import documents
from .documents import MOST_STATES, Count, Within, Word
from .sealed import sealed, unsealed

VERSION = 6
NAME = "manifest.json"
LOCK = "lock"


class CheckpointError(TidegateError):
    """A checkpoint or a store that cannot be used, with the reason."""


MOST_SHARES = 100_000
"""The most shares of a level."""


@dataclass(frozen=True, slots=True)
class Level:
    """The counts of a level.

    Attributes
    ----------
    states
        How many it has.
    checksum
        Of its states in the file of a checkpoint.
    shares
        In how many files of a store they are.
    """

    states: Count
    checksum: Annotated[int, Within(0, (1 << 32) - 1)] = 0
    shares: Annotated[int, Within(1, MOST_SHARES)] = 1

    def found(self) -> Level:
        """Return the counts alone, wherever an engine stores the states."""
        stored = self.checksum or self.shares > 1
        return replace(self, checksum=0, shares=1) if stored else self


@dataclass(kw_only=True)
class Manifest:
    """A search at the end of a level.

    Attributes
    ----------
    about
        The search and its options, for the command line to repeat it.
    code
        Hash of the code that the search was compiled from, and of its initial states.
    levels
        All that were found, the last one without a state if there are no others; none if the search
        was stopped before its first level was saved.
    taken
        How often each instance of an action was taken.
    violations
        For each violated property its level and the words of its least state.
    """

    KIND = "tidegate-checkpoint"

    about: dict[str, Any]
    code: str
    levels: list[Level] = field(default_factory=list)
    taken: list[Count] = field(default_factory=list)
    violations: dict[str, tuple[Count, list[Word]]] = field(default_factory=dict)

    @property
    def states(self) -> int:
        """Distinct states found."""
        return sum(level.states for level in self.levels)

    def end_level(self, level: Level, taken: Sequence[int] = ()) -> None:
        """Record a level that was found, whichever engine did.

        Parameters
        ----------
        taken
            How often each instance was taken so far; none if that is not known of this level.
        """
        # There may be millions of levels, most of them like the one before.
        before = self.levels[-1] if self.levels else None
        self.levels.append(before if before == level else level)
        if taken:
            self.taken = list(taken)

    def sealed(self) -> bytes:
        """Return it as the content of a file."""
        return sealed({self.KIND: VERSION, **asdict(self)}).encode()

    @classmethod
    def read(cls, content: bytes, place: object) -> Self:
        """Return the manifest in the content of the file at a place.

        Raises
        ------
        CheckpointError
            If it is damaged or of another version.
        """
        document = unsealed(content)
        if document is None:
            raise damaged(place, "its checksum is wrong")
        if document.pop(cls.KIND, None) != VERSION:
            raise CheckpointError(f"{place}: written by another version of Tidegate; begin anew")
        try:
            manifest: Self = documents.read(cls, document, "the manifest")
        except documents.FieldError as error:
            raise damaged(place, error) from None
        return manifest

    def require(
        self,
        code: str,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
        place: object,
    ) -> None:
        """Require that it can be the manifest of this very search.

        Raises
        ------
        CheckpointError
            If it cannot.
        """
        if self.code != code:
            raise CheckpointError(
                f"{place}: made by other code: the protocol, a property or Tidegate has changed "
                "since; begin the search anew, in another directory"
            )
        try:
            self.verify(system.layout, len(system.instances), properties)
        except documents.FieldError as error:
            raise damaged(f"{place}/{NAME}", error) from None

    def verify(self, layout: Layout[Any], instances: int, properties: Sequence[Property]) -> None:
        """Verify each field against the search.

        Raises
        ------
        FieldError
            If one cannot be from that search.
        """
        for number, level in enumerate(self.levels[:-1]):
            documents.integer(level.states, f"levels[{number}].states", 1, MOST_STATES)
        states = documents.integer(self.states, "the sum of levels", 0, MOST_STATES)
        if self.taken or len(self.levels) > 1:
            documents.array(self.taken, "taken", instances)
        for number, count in enumerate(self.taken):
            # A state takes each step once.
            documents.integer(count, f"taken[{number}]", 0, states)
        known = [prop.name for prop in properties]
        for name, (depth, words) in self.violations.items():
            if name not in known:
                allowed = f"of {', '.join(known) or 'no property'}"
                raise documents.FieldError("violations", name, allowed)
            # A violation may lie outside the constraint, after the last level.
            documents.integer(depth, f"violations[{name!r}][0]", 0, len(self.levels))
            if not is_state(layout, words):
                raise documents.FieldError(
                    f"violations[{name!r}][1]", words, "the words of a state"
                )


def is_state(layout: Layout[Any], words: Sequence[int]) -> bool:
    """Whether words are a state with every variable within its range."""
    if len(words) != layout.words or not all(0 <= word < 1 << WORD_BITS for word in words):
        return False
    values = [words[v.word] >> v.shift & (1 << v.width) - 1 for v in layout.stored]
    if any(value > v.high - v.low for value, v in zip(values, layout.stored, strict=True)):
        return False
    return layout.pack(tuple(values)) == tuple(words)


def damaged(place: object, why: object) -> CheckpointError:
    """Return the error for a file that is not as it was written."""
    return CheckpointError(f"{place}: damaged, {why}; begin the search anew")


def is_manifest(content: bytes) -> bool:
    """Whether a file is the manifest of some search, even a damaged one."""
    return b'"tidegate-' in content


def refuse_begun(content: bytes, option: str, place: object) -> None:
    """Refuse to begin a search where another one has its manifest."""
    if is_manifest(content):
        raise CheckpointError(
            f"{option} {place}: a search was begun there already; resume it with "
            f"'tidegate check --resume {place}', or name another directory"
        )


def refuse_others(names: Iterable[str], folder: Path | None, option: str, place: object) -> None:
    """Refuse to begin a search in a directory with files that no search has left there.

    Parameters
    ----------
    folder
        The directory, if it is on this machine's file systems.
    """
    ours = r"(probe-[0-9a-f]{32}|manifest\.json)\.[0-9a-f]{16,32}\.partial|probe-[0-9a-f]{32}"
    for name in sorted(names):
        status = (folder / name).lstat() if name == LOCK and folder else None
        is_lock = status is not None and stat.S_ISREG(status.st_mode) and not status.st_size
        if not is_lock and not re.fullmatch(ours, name):
            raise CheckpointError(
                f"{option} {place}: {name} is there, and belongs to no search; name a directory "
                "that is new or empty"
            )


def lock(folder: Path, option: str) -> int:
    """Lock a directory against other searches; return the open file that locks it.

    Raises
    ------
    CheckpointError
        If it cannot be written to, or another process has locked it.
    """
    try:
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise CheckpointError(
            f"{option} {folder}: {LOCK} cannot be written to there ({error.strerror}); remove it, "
            "or name another directory"
        ) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise CheckpointError(
            f"{option} {folder}: another run is using it; wait for that to end, or name another "
            "directory"
        ) from None
    return file

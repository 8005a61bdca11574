"""The fate of a mutant, from the searches of it at one bounds after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf


class UndecidedError(Exception):
    """A search was stopped before its mutant was decided: by what, and how far it came.

    Parameters
    ----------
    share
        The seconds that were too few; None if something else than the time stopped it.
    """

    def __init__(self, text: str, share: float | None = None) -> None:
        super().__init__(text)
        self.share = inf if share is None else share


@dataclass(frozen=True)
class Fate:
    """The fate of a mutant: killed, survived, undecided, or not tried.

    Parameters
    ----------
    mutant
        Its name: the missing guard, or the weaker rule.
    killed_by
        The property that the mutant violates and its original does not (or only in more steps), or
        how the mutant failed; None if it was not killed.
    steps
        Steps of the shortest trace that violates it, if one does.
    bounds
        The bounds that killed it, or the last ones at which it was searched.
    undecided
        Why it is not decided, and how far the search came; empty if it is.
    note
        For a survivor: why it changes nothing, or what should kill it.
    """

    mutant: str
    killed_by: str | None
    steps: int | None
    bounds: str
    undecided: str = ""
    note: str = ""


@dataclass(frozen=True)
class Attempt:
    """What came of the search of a mutant at some bounds.

    Parameters
    ----------
    number
        The mutant's.
    killed
        How it was killed, if it was.
    differs
        Whether the mutant is another system than its original at these bounds.
    stopped
        What ended the search before it was decided, and how far it came; empty if nothing did.
    share
        The seconds that were too few; infinite if something else than the time stopped it.
    """

    number: int
    killed: Fate | None = None
    differs: bool = True
    stopped: str = ""
    share: float = inf


@dataclass
class Mutated:
    """A mutant: its name, and the results of its searches, by their bounds."""

    name: str
    attempts: dict[str, Attempt] = field(default_factory=dict)

    @property
    def killed(self) -> Fate | None:
        """How it was killed, if it was."""
        fates = (attempt.killed for attempt in self.attempts.values())
        return next((fate for fate in fates if fate is not None), None)

    def undecided(self, ladder: Sequence[str]) -> list[str]:
        """Return the bounds at which it is not decided; none if it was killed at some."""
        if self.killed is not None:
            return []
        tried = self.attempts
        return [bounds for bounds in ladder if bounds not in tried or tried[bounds].stopped]

    @property
    def is_untried(self) -> bool:
        """Whether it is its original at all bounds at which it was to be searched."""
        return not any(attempt.differs for attempt in self.attempts.values())

    @property
    def action(self) -> str:
        """The action that it changes; of a rule its name."""
        return self.name.partition(":")[0]

    def fate(self, ladder: Sequence[str], note: str = "") -> Fate:
        """Return the fate of a mutant that was not killed."""
        searched = [one for one in ladder if one in self.attempts and self.attempts[one].differs]
        why = ""
        for bounds in self.undecided(ladder)[:1]:
            at = f"at {bounds or 'the defaults'}"
            known = self.attempts.get(bounds)
            why = f"{known.stopped} {at}" if known else f"not searched {at}"
        return Fate(self.name, None, None, searched[-1] if searched else "", why, note)

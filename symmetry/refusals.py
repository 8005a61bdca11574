"""The refusal of what is not shown to treat replicas alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..language.form import Expression, Statement
from ..language.origin import source_of


class NotShownError(Exception):
    """Something that is not shown to treat replicas alike, with the reason.

    Attributes
    ----------
    text
        The code; empty until it is known.
    where
        Its function and line, and who calls that; empty until they are known.
    progress
        How much was followed before it.
    mistaken
        Whether a plain number is used as a replica: it may be one after all.
    """

    def __init__(self, why: str, repair: str = "", mistaken: bool = False) -> None:
        super().__init__(why)
        self.why, self.repair, self.mistaken = why, repair, mistaken
        self.text = self.where = ""
        self.progress = 0

    @property
    def rank(self) -> tuple[bool, int]:
        """How informative it is among the refusals of several readings."""
        return not self.mistaken, self.progress

    def at(self, node: Expression | Statement) -> None:
        """Note the code, unless that of a part of it is known."""
        self.text = self.text or source_of(node)

    def called_from(self, where: str) -> NotShownError:
        """Return the refusal of a function, which is that of every call, with the line of one."""
        here = NotShownError(self.why, self.repair, self.mistaken)
        here.text, here.where = self.text, f"{self.where}, called by {where}"
        return here


@contextmanager
def refused_at(node: Expression | Statement) -> Iterator[None]:
    """Note the code of a refusal meanwhile."""
    try:
        yield
    except NotShownError as refused:
        refused.at(node)
        raise

"""The machine code of a search, in two tiers: made quickly at first, and optimised where it pays.

The first tier notes every way of every branch (``points.py``), and keeps states that take one for
Python to be asked about.  The second one leaves the notes of ways out that were taken often enough
by then: they cost more than all the rest of the comparison.  Instead, states that take these ways
are kept beside it, and every search that uses it begins with asking it and Python about them.
"""

from __future__ import annotations

from collections.abc import Callable

from ..kept import Store
from ..request import SearchRequest
from .build import object_code
from .cache import cached_translation, generator_of, kept_or_made, name_of
from .comparison import Comparison
from .sampler import Sampler

_LENGTH = 8
"""Bytes that say how long the entries are that lie before a second tier's code."""


class Tiers:
    """The two tiers of one search.

    Attributes
    ----------
    module
        What is known of the translation.
    is_optimised
        Whether the code handed out last is the second tier.
    """

    def __init__(self, request: SearchRequest) -> None:
        self._request = request
        self.module, self._text = cached_translation(request)
        self.is_optimised = False
        self._entries = b""
        self._name = ""

    def begin(self, search: str) -> bytes:
        """Return the code to begin with: the second tier, if it was kept.

        Parameters
        ----------
        search
            What tells searches apart that begin in other states.
        """
        self._name = name_of("second tier", search)
        kept = Store("compiled").read(self._name)
        if kept:
            return self._second(kept)
        return kept_or_made(name_of("first tier", self.module.digest), self._first)

    def _first(self) -> bytes:
        tick = self._request.tick
        if not self._text:
            self._text, _ = generator_of(self._request).module(tick=tick)
        return object_code(self._text, tick, optimised=False)

    def is_due(self, distinct: int) -> bool:
        """Whether a search that has found so many states is to go on with the second tier."""
        return not self.is_optimised and distinct >= self._request.resources.optimise_from

    def optimise(self, sampler: Sampler, tick: Callable[[], None]) -> bytes:
        """Return the second tier, which notes the ways that the first one met too seldom.

        Parameters
        ----------
        sampler
            That of the first tier, whose counts are lost.
        """

        def make() -> bytes:
            entries = sampler.few()
            text, _ = generator_of(self._request, sampler.compared()).module(tick=tick)
            return len(entries).to_bytes(_LENGTH, "little") + entries + object_code(text, tick)

        return self._second(kept_or_made(self._name, make))

    def _second(self, kept: bytes) -> bytes:
        end = _LENGTH + int.from_bytes(kept[:_LENGTH], "little")
        self._entries = kept[_LENGTH:end]
        self.is_optimised = True
        return kept[end:]

    def compare(self, sampler: Sampler, comparison: Comparison) -> None:
        """Compare the second tier with Python where its code notes nothing, if it is in use.

        Raises
        ------
        DisagreementError
            If they disagree.
        """
        if self._entries:
            comparison.compare_rows(sampler.ask_again(self._entries, comparison.properties))
            # What was asked just now may be met again.
            sampler.forget()

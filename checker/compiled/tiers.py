"""The machine code of a search in two tiers: compiled quickly at first, optimised if that pays.

The first tier marks every way of every branch (``points.py``), and keeps states for each to compare
with Python.  The second tier does not mark the ways that were taken often enough by then: marking
costs more than all the rest of the comparison.  Instead, states that take these ways are cached
with it, and every search that uses it begins by comparing them with Python.
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
"""Bytes of the length of the entries that precede a second tier's code."""


class Tiers:
    """The two tiers of one search.

    Attributes
    ----------
    module
        The description of the translation.
    is_optimised
        Whether the code returned last is the second tier.
    """

    def __init__(self, request: SearchRequest) -> None:
        self._request = request
        self.module, self._text = cached_translation(request)
        self.is_optimised = False
        self._entries = b""
        self._name = self._used = ""

    def begin(self, search: str) -> bytes:
        """Return the code to begin with: the second tier, if it is cached.

        Parameters
        ----------
        search
            A hash of the code and the initial states.
        """
        self._name = name_of("second tier", search)
        kept = Store("compiled").read(self._name)
        if kept:
            return self._second(kept)
        self._used = name_of("first tier", self.module.digest)
        return kept_or_made(self._used, self._first)

    def _first(self) -> bytes:
        tick = self._request.tick
        if not self._text:
            self._text, _ = generator_of(self._request).module(tick=tick)
        return object_code(self._text, tick, optimised=False)

    def is_due(self, distinct: int) -> bool:
        """Whether a search that has found so many states should continue with the second tier."""
        return self.due_at is not None and distinct >= self.due_at

    @property
    def due_at(self) -> int | None:
        """From how many states on to continue with the second tier; None if it is in use."""
        return None if self.is_optimised else self._request.resources.optimise_from

    def optimise(self, sampler: Sampler, tick: Callable[[], None]) -> bytes:
        """Return the second tier, which marks the ways that the first one met too rarely.

        Parameters
        ----------
        sampler
            The sampler of the first tier, whose counts are lost.
        """

        def make() -> bytes:
            entries = sampler.few()
            text, _ = generator_of(self._request, sampler.compared()).module(tick=tick)
            return len(entries).to_bytes(_LENGTH, "little") + entries + object_code(text, tick)

        return self._second(kept_or_made(self._name, make))

    def _second(self, kept: bytes) -> bytes:
        end = _LENGTH + int.from_bytes(kept[:_LENGTH], "little")
        self._entries = kept[_LENGTH:end]
        self.is_optimised, self._used = True, self._name
        return kept[end:]

    @property
    def verified(self) -> bool:
        """Whether the code returned last was verified, by this process or another one."""
        return bool(Store("compiled").read(f"{self._used}.verified"))

    def note_verified(self) -> None:
        """Remember that, if there is a cache."""
        Store("compiled").keep(f"{self._used}.verified", b"verified")

    def compare(self, sampler: Sampler, comparison: Comparison) -> None:
        """Compare the second tier with Python on the ways that it does not mark, if it is in use.

        Raises
        ------
        DisagreementError
            If they disagree.
        """
        if self._entries:
            comparison.compare_rows(sampler.ask_again(self._entries, comparison.properties))
            # The search may meet the same states again.
            sampler.forget()

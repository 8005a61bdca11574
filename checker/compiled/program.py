"""The description of a search's machine code, for its translation and for its use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Module:
    """The description of a translation.

    ``digest`` is the hash of its LLVM text, ``words`` and ``stride`` the size of a state in words
    and of a candidate in bytes, ``points`` the number of ways of its branches.
    """

    digest: str
    words: int
    stride: int
    points: int


@dataclass(frozen=True)
class Program:
    """The description of a search for its own code, the constant ``p``.

    A state has ``words`` words, and a candidate takes ``stride`` bytes: its words, its hash, a
    second hash (with fingerprints only), and where to begin in its bucket.  The functions are
    generated from the model; ``portion`` is how many instances share a bit of those that were
    taken; ``deadlock`` and ``asserted`` are the numbers of the properties that
    steps decide, or -1; ``samples`` returns the address of the data of :mod:`sampling`.
    ``full`` says that a state may have all bits set.
    """

    words: int
    stride: int
    exact: bool
    instances: int
    portion: int
    deadlock: int
    asserted: int
    expand: Callable[[int, int, int, int, int], int]
    judge: Callable[[int], int]
    holds: Callable[[int], int]
    canonical: Callable[[int], None]
    admits: Callable[[int], bool]
    valid: Callable[[int], bool]
    samples: Callable[[], int]
    judged: bool
    full: bool
    symmetric: bool
    constrained: bool

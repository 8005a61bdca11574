"""What is known of a search while its machine code is made, and afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Module:
    """What a translation came to.

    ``digest`` is the hash of its LLVM text, ``words`` and ``stride`` the size of a state in words
    and of a candidate in bytes, ``points`` how many ways its branches have.
    """

    digest: str
    words: int
    stride: int
    points: int


@dataclass(frozen=True)
class Program:
    """What is known of a search while it is compiled.

    ``words`` make up a state, and a candidate takes ``stride`` bytes: its words, its hash, a second
    hash (with fingerprints only), and where in its bucket to look for it.  The functions are those
    generated from the model; those from ``samples`` on return the address of what :mod:`sampling`
    works on.  ``full`` says that ones in all words may be a state.
    """

    words: int
    stride: int
    exact: bool
    instances: int
    deadlock: int
    expand: Callable[[int, int, int, int, int], int]
    judge: Callable[[int], int]
    holds: Callable[[int], int]
    canonical: Callable[[int], None]
    admits: Callable[[int], bool]
    samples: Callable[[], int]
    wanted: Callable[[], int]
    counts: Callable[[], int]
    guards_wanted: Callable[[], int]
    guards_counts: Callable[[], int]
    judged: bool
    full: bool
    symmetric: bool
    constrained: bool

"""The instances of each action: with which brokers, epochs and offsets it may be taken."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from .bounds import Constants


def brokers(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each broker."""
    return ((broker,) for broker in range(k.replicas))


def nobody(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield one empty tuple: there is one controller, and one client of each kind."""
    return iter(((),))


def pairs(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each leader with each other broker as its follower."""
    return permutations(range(k.replicas), 2)


def announced(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each broker with each leader epoch that LeaderAndIsr may announce to it, 0 included.

    All brokers have applied epoch 0 at first, but a broker that restarts applies it again.
    """
    return product(range(k.replicas), range(k.elections + 1))

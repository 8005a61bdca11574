"""How much machine code the choices of arguments need, and in which order it is made.

Loaded before it is known if any is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from random import Random
from typing import TypeVar

from ...core.spec import Instance

T = TypeVar("T")

SHARED_FROM = 64
"""Choices of an action of which more share their code."""

MOST_INSTANCES = 10_000
"""The most instances with code of their own: so many take a minute, and 2 GiB."""

MOST_TRIED = 10_000
"""The most choices of an action that are all tried where it is not known which a state takes."""


def pieces(instances: Sequence[Instance]) -> int:
    """Return about how many instances have code of their own.

    To compile what a wide action shares takes less than so many.
    """
    choices = Counter(id(instance.action) for instance in instances)
    return sum(min(count, SHARED_FROM) for count in choices.values())


def in_turn(items: Iterable[T], instance_of: Callable[[T], Instance]) -> Iterator[T]:
    """Yield one item of each action, then another one of each, and so on.

    A model of 1,000 instances takes seconds to translate.  What keeps an action from it is in all
    of its instances, or in those with some value of an argument: mixed, these come soon.
    """
    of_actions = [list(some) for _, some in groupby(items, lambda one: id(instance_of(one).action))]
    for each in of_actions:
        Random(0).shuffle(each)
    for some in zip_longest(*of_actions):
        yield from (item for item in some if item is not None)

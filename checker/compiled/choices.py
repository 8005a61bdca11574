"""How much machine code the choices of arguments need: loaded before it is known if any is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...core.spec import Instance

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

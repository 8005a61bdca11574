"""The rules of asynchronous ISR changes, each in its weakest version.

The original has one protocol.  Its two decisions are rules, so that a mutant can weaken one and
show what it prevents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import AsyncIsrState


def isr_alone(s: AsyncIsrState, k: Constants) -> int:
    """Wait for the ISR that the leader knows, whatever it has requested since."""
    return s.leader.isr


def any_version(s: AsyncIsrState, k: Constants, version: int) -> bool:
    """Apply a request even if the ISR has changed since."""
    return True


@dataclass(frozen=True)
class Rules:
    """The decision points of the async-isr family.

    Parameters
    ----------
    waits_for
        The set of replicas whose log ends limit the leader's high watermark.
    may_apply
        Whether the controller may apply a request that was made in this version of the ISR.
    """

    waits_for: Callable[[AsyncIsrState, Constants], int] = isr_alone
    may_apply: Callable[[AsyncIsrState, Constants, int], bool] = any_version

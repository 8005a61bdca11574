"""The decisions that asynchronous changes of the ISR rest on, each in its weakest form.

The original has one protocol.  Its two decisions are rules, so that one can be weakened and what it
prevents be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import AsyncIsrState


def isr_alone(s: AsyncIsrState, k: Constants) -> int:
    """Wait for the ISR that the leader knows, whatever it has asked for in the meantime."""
    return s.leader.isr


def any_version(s: AsyncIsrState, k: Constants, version: int) -> bool:
    """Apply a request whatever the ISR has become since it was made."""
    return True


@dataclass(frozen=True)
class Rules:
    """The decision points of the async-isr family.

    Parameters
    ----------
    waits_for
        The replicas whose log ends the leader's high watermark may not pass, as a set.
    may_apply
        Whether the controller may apply a request that was made in this version of the ISR.
    """

    waits_for: Callable[[AsyncIsrState, Constants], int] = isr_alone
    may_apply: Callable[[AsyncIsrState, Constants, int], bool] = any_version

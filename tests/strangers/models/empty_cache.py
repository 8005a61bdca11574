"""A broker of KIP-595 restarts with an empty epoch cache.

So it does after its corrupt leader-epoch-checkpoint was removed.
"""
from dataclasses import replace

from tidegate import NONE
from tidegate.kafka import KIP_595, BrokerState, Constants
from tidegate.model.broker.actions import faults


def restart(s: BrokerState, k: Constants, broker: int) -> bool:
    done = faults.restart(s, k, broker)
    if done:
        for epoch in range(k.elections + 1):
            s.replica[broker].epoch_cache[epoch] = NONE
    return done


EMPTY_CACHE = replace(
    KIP_595,
    name="empty-cache",
    summary="restarts without an epoch cache",
    parent=KIP_595,
    story=__doc__,
    expected=(),
    actions=tuple(replace(a, apply=restart) if a.name == "Restart" else a for a in KIP_595.actions),
)

# bounds: records=1
# expect: holds 665

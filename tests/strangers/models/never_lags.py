"""With this rule no follower ever lags, so the ISR stays full."""
from dataclasses import replace

from tidegate import Property, size
from tidegate.model import KIP_595


def never(s, k, leader, follower):
    """No follower ever lags."""
    return False


NEVER = replace(
    KIP_595, name="never-lags", parent=KIP_595, summary="No follower lags.", story="", expected=(),
    rules=replace(KIP_595.rules, may_lag=never),
)
FULL = Property(
    "FullIsr", "The ISR has all replicas.", "models",
    predicate=lambda s, k: size(s.partition.isr) == k.replicas,
    explain=lambda s, k: "A replica has left the ISR.",
)

# bounds: records=1 crashes=0 elections=1
# properties: never_lags.py:FULL
# expect: holds 13

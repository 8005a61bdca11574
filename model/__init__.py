"""What Kafka does.  Knows nothing of checking: imports only the vocabulary.

``dataclasses.replace`` changes one of Kafka's protocols, as in the example follower_reads.py.  To
add a variable, derive a class from the state's declaration, ``BrokerState``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .protocol import Expected, Protocol

if TYPE_CHECKING:
    from ..core.assumptions import assumes
    from ..core.scene import Entry, Log, LogOffset, Promise
    from .broker.bounds import Constants
    from .broker.family import announced, brokers, nobody, pairs
    from .broker.in_flight import LogEntry
    from .broker.leadership import acting_leader, leads
    from .broker.protocols.every import PROTOCOLS
    from .broker.protocols.hw import HW
    from .broker.protocols.kip101 import KIP_101
    from .broker.protocols.kip279 import KIP_279
    from .broker.protocols.kip320 import KIP_320
    from .broker.protocols.kip595 import KIP_595
    from .broker.protocols.kip595_reset import KIP_595_RESET
    from .broker.releases import release
    from .broker.state import BrokerState, Replica

__all__ = [
    "HW",
    "KIP_101",
    "KIP_279",
    "KIP_320",
    "KIP_595",
    "KIP_595_RESET",
    "PROTOCOLS",
    "BrokerState",
    "Constants",
    "Entry",
    "Expected",
    "Log",
    "LogEntry",
    "LogOffset",
    "Promise",
    "Protocol",
    "Replica",
    "acting_leader",
    "announced",
    "assumes",
    "brokers",
    "leads",
    "nobody",
    "pairs",
    "release",
]

HOMES = {
    ".core.assumptions": ("assumes",),
    ".core.scene": ("Entry", "Log", "LogOffset", "Promise"),
    "broker.bounds": ("Constants",),
    "broker.in_flight": ("LogEntry",),
    "broker.family": ("announced", "brokers", "nobody", "pairs"),
    "broker.leadership": ("acting_leader", "leads"),
    "broker.protocols.every": ("PROTOCOLS",),
    "broker.protocols.hw": ("HW",),
    "broker.protocols.kip101": ("KIP_101",),
    "broker.protocols.kip279": ("KIP_279",),
    "broker.protocols.kip320": ("KIP_320",),
    "broker.protocols.kip595": ("KIP_595",),
    "broker.protocols.kip595_reset": ("KIP_595_RESET",),
    "broker.releases": ("release",),
    "broker.state": ("BrokerState", "Replica"),
}
"""The module that defines each name: a check of a custom model imports none of Kafka's."""


def __getattr__(name: str) -> Any:
    """Import an exported name from where it is defined."""
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

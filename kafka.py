"""Kafka's protocols, to be extended by another rule, variable or action.

``dataclasses.replace`` changes a protocol, as in the example follower_reads.py.  To add a variable,
derive a class from the state's declaration, :class:`BrokerState`.
"""

from __future__ import annotations

from .core.assumptions import assumes
from .core.scene import Entry, Log, LogOffset, Promise
from .model.broker.bounds import Constants
from .model.broker.in_flight import LogEntry
from .model.broker.instances import announced, brokers, nobody, pairs
from .model.broker.leadership import acting_leader, leads
from .model.broker.protocols.hw import HW
from .model.broker.protocols.kip101 import KIP_101
from .model.broker.protocols.kip279 import KIP_279
from .model.broker.protocols.kip320 import KIP_320
from .model.broker.protocols.kip595 import KIP_595
from .model.broker.protocols.kip595_reset import KIP_595_RESET
from .model.broker.releases import release
from .model.broker.state import BrokerState, Replica

__all__ = [
    "HW",
    "KIP_101",
    "KIP_279",
    "KIP_320",
    "KIP_595",
    "KIP_595_RESET",
    "BrokerState",
    "Constants",
    "Entry",
    "Log",
    "LogEntry",
    "LogOffset",
    "Promise",
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

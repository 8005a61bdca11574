"""What Kafka does.  Knows nothing of checking: imports only the vocabulary."""

from .broker.protocols.hw import HW
from .broker.protocols.kip101 import KIP_101
from .broker.protocols.kip279 import KIP_279
from .broker.protocols.kip320 import KIP_320
from .protocol import Expected, Family, Protocol, Scenario

PROTOCOLS: tuple[Protocol, ...] = (HW, KIP_101, KIP_279, KIP_320)
"""Every protocol that can be checked.  Adding one takes its file and a line here."""

__all__ = ["PROTOCOLS", "Expected", "Family", "Protocol", "Scenario"]

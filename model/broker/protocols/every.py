"""The protocols of Kafka's brokers."""

from ...protocol import Protocol
from .hw import HW
from .kip101 import KIP_101
from .kip279 import KIP_279
from .kip320 import KIP_320
from .kip595 import KIP_595
from .kip595_reset import KIP_595_RESET

PROTOCOLS: tuple[Protocol, ...] = (HW, KIP_101, KIP_279, KIP_320, KIP_595, KIP_595_RESET)

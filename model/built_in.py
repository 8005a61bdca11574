"""The protocols that `tidegate list` shows.

Each imports its whole family, so this module is imported on first use.
"""

from . import published
from .async_isr import async_isr
from .broker.protocols.hw import HW
from .broker.protocols.kip101 import KIP_101
from .broker.protocols.kip279 import KIP_279
from .broker.protocols.kip320 import KIP_320
from .broker.protocols.kip595 import KIP_595
from .broker.protocols.kip595_reset import KIP_595_RESET
from .protocol import Protocol

BROKER: tuple[Protocol, ...] = (HW, KIP_101, KIP_279, KIP_320, KIP_595, KIP_595_RESET)

PUBLISHED: tuple[Protocol, ...] = (
    published.hw,
    published.kip_101,
    published.kip_279,
    published.kip_320_first_try,
    published.kip_320,
    async_isr,
)

PROTOCOLS: tuple[Protocol, ...] = BROKER + PUBLISHED
"""Every protocol that can be checked.  Adding one takes its file and a line above."""

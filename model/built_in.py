"""The protocols that `tidegate list` shows.

Each imports its whole family, so this module is imported on first use.
"""

from .async_isr.protocols.async_isr import ASYNC_ISR
from .broker.protocols.hw import HW
from .broker.protocols.kip101 import KIP_101
from .broker.protocols.kip279 import KIP_279
from .broker.protocols.kip320 import KIP_320
from .broker.protocols.kip595 import KIP_595
from .broker.protocols.kip595_reset import KIP_595_RESET
from .protocol import Protocol
from .published.protocols.hw import HW as PUBLISHED_HW
from .published.protocols.kip101 import KIP_101 as PUBLISHED_KIP_101
from .published.protocols.kip279 import KIP_279 as PUBLISHED_KIP_279
from .published.protocols.kip320 import KIP_320 as PUBLISHED_KIP_320
from .published.protocols.kip320_first_try import KIP_320_FIRST_TRY

BROKER: tuple[Protocol, ...] = (HW, KIP_101, KIP_279, KIP_320, KIP_595, KIP_595_RESET)

PUBLISHED: tuple[Protocol, ...] = (
    PUBLISHED_HW,
    PUBLISHED_KIP_101,
    PUBLISHED_KIP_279,
    KIP_320_FIRST_TRY,
    PUBLISHED_KIP_320,
    ASYNC_ISR,
)

PROTOCOLS: tuple[Protocol, ...] = BROKER + PUBLISHED
"""Every protocol that can be checked.  Adding one takes its file and a line above."""

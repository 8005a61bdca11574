"""The protocols that `tidegate list` shows.

Each imports its whole family, so this module is imported on first use.
"""

from . import published
from .async_isr import async_isr
from .broker.protocols.every import BROKER
from .protocol import Protocol

PUBLISHED: tuple[Protocol, ...] = (
    published.hw,
    published.kip_101,
    published.kip_279,
    published.kip_320_first_try,
    published.kip_320,
    async_isr,
)

PROTOCOLS: tuple[Protocol, ...] = BROKER + PUBLISHED
"""Every protocol that can be checked.  Adding one takes its file, and a line where its kind is."""

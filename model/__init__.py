"""What Kafka does.  Knows nothing of checking: imports only the vocabulary.

Built-in protocols are imported on first use: a check of a custom model needs none of them.
"""

from typing import TYPE_CHECKING, Any

from .protocol import Expected, Family, Protocol, Scenario

if TYPE_CHECKING:
    from .broker.protocols.every import BROKER
    from .built_in import PROTOCOLS, PUBLISHED

__all__ = ["BROKER", "PROTOCOLS", "PUBLISHED", "Expected", "Family", "Protocol", "Scenario"]


def __getattr__(name: str) -> Any:
    """Import the built-in protocols, for one of the tuples that hold them."""
    if name not in ("BROKER", "PROTOCOLS", "PUBLISHED"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "BROKER":
        from .broker.protocols import every

        return every.BROKER
    from . import built_in

    return getattr(built_in, name)

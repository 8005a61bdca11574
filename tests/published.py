"""The examples that reproduce published specifications: models that are searched in a moment."""

from tidegate.library.names import find_protocol

ASYNC_ISR = "tidegate.examples.async_isr:async_isr"

NAMES = tuple(
    f"tidegate.examples.published:{name}"
    for name in ("hw", "kip_101", "kip_279", "kip_320_first_try", "kip_320")
)

PUBLISHED = tuple(map(find_protocol, NAMES))

"""Finds protocols and properties by their names, and makes the system to search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.spec import Property, TransitionSystem
from ..model import Protocol
from .names import find_protocol
from .properties import find_properties, system_for


def assemble(
    name: str,
    settings: Sequence[str],
    names: Sequence[str],
    find: Callable[[Protocol, Sequence[str]], list[Property]] = find_properties,
) -> tuple[TransitionSystem[Any, Any], list[Property]]:
    """Return the system of a protocol within bounds, and the properties to check.

    Parameters
    ----------
    find
        Finds the properties by name.

    Raises
    ------
    SelectionError
        For a name or a value that does not exist.
    """
    protocol = find_protocol(name)
    properties = find(protocol, names)
    return system_for(protocol, settings, properties), properties

"""Finds protocols and properties by their names, and makes the system to search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..checker.tracefile import Recorded
from ..core.spec import Property, ReplayError, TransitionSystem
from ..invariants import properties_of
from ..model import Protocol
from .named import find_protocol
from .properties import find_properties, system_for


def refuse_unknown_property(file: str, protocol: Protocol, recorded: Recorded) -> None:
    """Refuse a trace whose property does not exist in its protocol's family.

    Raises
    ------
    ReplayError
        With the properties that there are.
    """
    known = [prop.name for prop in properties_of(protocol)]
    if recorded.property and recorded.property not in known:
        raise ReplayError(
            f"{file}: its property {recorded.property!r} is none of the {protocol.family} "
            f"family; known: {', '.join(known)}"
        )


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

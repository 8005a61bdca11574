"""From names to what they name: protocols, properties, and the system to search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..bounds import parse, unknown
from ..invariants import INVARIANTS, PROPERTIES
from ..model import PROTOCOLS, Protocol
from ..model.mutants import mutants
from ..spec import Property, TidegateError, TransitionSystem


class SelectionError(TidegateError):
    """A name that names nothing, or names that contradict each other."""


def find_protocol(name: str) -> Protocol:
    """Return the protocol of that name, or a mutant of it by ``PROTOCOL: MUTANT``.

    Raises
    ------
    SelectionError
        If there is none.
    """
    protocols = {protocol.name: protocol for protocol in PROTOCOLS}
    original, colon, mutant = name.partition(": ")
    if original.lower() not in protocols:
        raise SelectionError(unknown("protocol", original, protocols))
    protocol = protocols[original.lower()]
    return find_mutant(protocol, mutant) if colon else protocol


def find_mutant(protocol: Protocol, name: str) -> Protocol:
    """Return the mutant of a protocol that ``tidegate mutate`` calls by this name.

    Raises
    ------
    SelectionError
        If there is none.
    """
    known = {mutant.name: mutant.protocol for mutant in mutants(protocol)}
    if name not in known:
        place = re.split(": | = ", name)[0]
        near = [other for other in known if re.split(": | = ", other)[0] == place]
        raise SelectionError(
            f"{unknown(f'mutant of {protocol.name}', name, near or known)}; "
            f"'tidegate mutate {protocol.name}' searches each"
        )
    return known[name]


def protocol_to_replay(recorded: str, asked: str | None) -> Protocol:
    """Return the protocol under which to replay a trace of the one called `recorded`.

    Raises
    ------
    SelectionError
        If there is none of that name, or if its steps are those of another family.
    """
    chosen = find_protocol(asked or recorded)
    families = {protocol.name: protocol.family.name for protocol in PROTOCOLS}
    family = families.get(recorded, chosen.family.name)
    if family != chosen.family.name:
        raise SelectionError(
            f"the trace is of {recorded}, whose family ({family}) takes other steps than that of "
            f"{chosen.name} ({chosen.family.name}); name a protocol of the {family} family"
        )
    return chosen


def protocols_to_compare(names: Sequence[str]) -> list[Protocol]:
    """Return the protocols of these names, or all whose family has scenarios to compare them in.

    Raises
    ------
    SelectionError
        If there is none of that name, or if its family has no scenarios.
    """
    named = [find_protocol(name) for name in names]
    for protocol in named:
        if not protocol.family.scenarios:
            raise SelectionError(
                f"the {protocol.family.name} family, to which {protocol.name} belongs, has no "
                "scenarios to compare protocols in"
            )
    return named or [protocol for protocol in PROTOCOLS if protocol.family.scenarios]


def assemble(
    name: str, settings: Sequence[str], names: Sequence[str]
) -> tuple[TransitionSystem[Any, Any], list[Property]]:
    """Join a protocol, its bounds and the properties to check.

    Raises
    ------
    SelectionError
        For a name that does not exist or a value that cannot be.
    """
    protocol = find_protocol(name)
    properties = find_properties(protocol, names)
    needs = frozenset(need for prop in properties for need in prop.needs)
    return protocol.system(parse(protocol.family.bounds, settings), needs), properties


def find_properties(protocol: Protocol, names: Sequence[str]) -> list[Property]:
    """Return the properties asked for: by name, 'all', 'none', or the protocol's own."""
    family = protocol.family.name
    known = {prop.name.lower(): prop for prop in PROPERTIES[family]}
    elsewhere = {prop.name.lower() for props in PROPERTIES.values() for prop in props}
    chosen = [name.lower() for name in names or protocol.default_properties]
    if len(chosen) > 1 and "none" in chosen:
        raise SelectionError("property 'none' contradicts the others; give it alone")
    wanted: dict[str, Property] = {}
    for given, name in zip(names or chosen, chosen, strict=True):
        if name == "all":
            wanted.update({prop.name: prop for prop in INVARIANTS[family]})
        elif name in known:
            wanted[known[name].name] = known[name]
        elif name in elsewhere:
            raise SelectionError(
                f"property {given} does not speak of the {family} family, to which {protocol.name} "
                f"belongs; it has {', '.join(prop.name for prop in known.values())}"
            )
        elif name != "none":
            everything = [*(prop.name for prop in known.values()), "all", "none"]
            raise SelectionError(unknown("property", given, everything))
    return list(wanted.values())

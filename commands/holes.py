"""The page of known holes: the smallest bounds that show each, for whoever sets up a gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from ..analysis.front import Front, find_front
from ..analysis.ladder import Ladder, ladder
from ..analysis.pool import processes, share
from ..analysis.selection import find_properties, find_protocol
from ..core.bounds import declared
from ..model import Protocol
from ..render.fronts import PAGE, section
from ..render.terminal import say


@dataclass(frozen=True)
class Hole:
    """A property that a protocol is expected to violate, under settings that are not varied."""

    protocol: str
    fixed: tuple[str, ...]
    property: str
    varied: Ladder


def known_holes(protocol: Protocol) -> Iterator[Hole]:
    """Yield every hole that the expected verdicts of a protocol tell of.

    Bounds that the family's ladders vary are varied to the end of these; where a family has none,
    as far as the verdict that is expected.
    """
    family = protocol.family
    defaults = {name: default for name, (_, default) in declared(family.bounds).items()}
    usual = ladder(protocol, (), ()).largest
    found: dict[tuple[tuple[str, ...], str], dict[str, int]] = {}
    for expected in protocol.expected:
        settings = [setting.partition("=") for setting in expected.bounds.split()]
        values = {name: int(value) for name, _, value in settings if name in usual}
        fixed = tuple(
            f"{name}{equals}{value}" for name, equals, value in settings if name not in usual
        )
        largest = {
            name: max(values.get(name, defaults[name]), usual[name] if family.scenarios else 0)
            for name in usual
        }
        for prop in expected.violated:
            known = found.setdefault((fixed, prop), largest)
            known |= {name: max(value, known[name]) for name, value in largest.items()}
    for (fixed, prop), largest in found.items():
        limits = [f"{name}={value}" for name, value in largest.items()]
        yield Hole(protocol.name, fixed, prop, ladder(protocol, fixed, limits))


def front_of(hole: Hole) -> Front:
    """Search for the smallest bounds that show a hole; by name, to cross processes."""
    protocol = find_protocol(hole.protocol)
    [prop] = find_properties(protocol, [hole.property])
    return find_front(protocol, prop, hole.varied, resources=share())


def write_holes(target: IO[str], protocols: Sequence[Protocol], jobs: int) -> None:
    """Search for the smallest bounds that show each known hole, and write the page."""
    holes = [hole for protocol in protocols for hole in known_holes(protocol)]
    families = {protocol.name: protocol.family.name for protocol in protocols}
    with processes(jobs) as workers:
        rows: dict[str, list[tuple[str, str, str, Front]]] = {}
        for hole, front in zip(holes, workers.in_order(front_of, holes), strict=True):
            row = (hole.protocol, " ".join(hole.fixed), hole.property, front)
            rows.setdefault(families[hole.protocol], []).append(row)
            say(f"done: {' '.join((hole.protocol, *hole.fixed, hole.property))}", stderr=True)
    target.write(PAGE)
    for family, found in rows.items():
        target.write("\n" + section(family, found))

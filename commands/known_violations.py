"""The page of known violations: the smallest bounds that show each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from ..analysis.ladder import Ladder, ladder
from ..analysis.minimal_bounds import MinimalBounds, find_minimal_bounds
from ..analysis.named import find_protocol
from ..analysis.pool import processes, share
from ..analysis.properties import find_properties
from ..core.bounds import declared
from ..model import Protocol
from ..render.minimal_bounds import PAGE, section
from ..render.terminal import say


@dataclass(frozen=True)
class KnownViolation:
    """A property that a protocol is expected to violate, under settings that are not varied."""

    protocol: str
    fixed: tuple[str, ...]
    property: str
    varied: Ladder


def known_violations(protocol: Protocol) -> Iterator[KnownViolation]:
    """Yield the violations that the expected verdicts of a protocol list.

    The bounds of the family's ladder are varied up to the largest there, or up to those of a
    scenario with the same settings; where a family has no ladder, up to the bounds of the expected
    verdict.
    """
    family = protocol.family
    defaults = {name: default for name, (_, default) in declared(family.bounds).items()}
    usual = ladder(protocol, (), ()).largest
    limits_of: dict[tuple[tuple[str, ...], str], dict[str, int]] = {}
    for expected in protocol.expected:
        settings = [setting.partition("=") for setting in expected.bounds.split()]
        values = {name: int(value) for name, _, value in settings if name in usual}
        fixed = tuple(
            f"{name}{equals}{value}" for name, equals, value in settings if name not in usual
        )
        same = [one for one in family.scenarios if one.settings.split() == list(fixed)]
        within = next((one.largest for one in same if one.largest.items() >= values.items()), usual)
        largest = {
            name: max(values.get(name, defaults[name]), within[name] if family.scenarios else 0)
            for name in usual
        }
        for prop in expected.violated:
            known = limits_of.setdefault((fixed, prop), largest)
            known |= {name: max(value, known[name]) for name, value in largest.items()}
    for (fixed, prop), largest in limits_of.items():
        limits = [f"{name}={value}" for name, value in largest.items()]
        yield KnownViolation(protocol.name, fixed, prop, ladder(protocol, fixed, limits))


def minimal_bounds_of(violation: KnownViolation) -> MinimalBounds:
    """Search for the smallest bounds of a known violation; names cross processes."""
    protocol = find_protocol(violation.protocol)
    [prop] = find_properties(protocol, [violation.property])
    return find_minimal_bounds(protocol, prop, violation.varied, resources=share())


def write_known_violations(target: IO[str], protocols: Sequence[Protocol], jobs: int) -> None:
    """Search for the smallest bounds that show each known violation, and write the page."""
    known = [violation for protocol in protocols for violation in known_violations(protocol)]
    families = {protocol.name: protocol.family.name for protocol in protocols}
    with processes(jobs) as workers:
        rows: dict[str, list[tuple[str, str, str, MinimalBounds]]] = {}
        for violation, minimal in zip(
            known, workers.in_order(minimal_bounds_of, known), strict=True
        ):
            row = (violation.protocol, " ".join(violation.fixed), violation.property, minimal)
            rows.setdefault(families[violation.protocol], []).append(row)
            say(
                f"done: {' '.join((violation.protocol, *violation.fixed, violation.property))}",
                stderr=True,
            )
    target.write(PAGE)
    for family, violations in rows.items():
        target.write("\n" + section(family, violations))

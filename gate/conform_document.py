"""``[[conform]]`` in ``tidegate.toml``: the cases of a gate that real brokers decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis.named import SelectionError, find_protocol, is_custom
from ..analysis.on_brokers import of_brokers
from ..analysis.properties import find_properties
from ..core.bounds import BoundsError
from ..core.spec import ReplayError
from ..model import BROKER
from .cells import EVERY, TIERS
from .configuration_errors import TEXT, ConfigurationErrors, Kind, shown, whole
from .conform_cells import (
    AGREES,
    EXPECTABLE,
    REPRODUCES,
    ConformCell,
    ConformExpectation,
    Forced,
    SavedTrace,
    ShortestTrace,
    Walks,
    parse_expected,
)
from .positions import Path
from .shared_keys import SHARED, drop_invalid, limits_of

_STEPS = 25
"""Steps of a walk, unless the case says otherwise."""


def _integer(least: int, most: int) -> Kind:
    return Kind(
        f"an integer from {least:,} to {most:,}",
        lambda value: whole(value) and least <= value <= most,
    )


CONFORM: dict[str, Kind] = {
    "title": TEXT,
    "kafka": TEXT,
    "property": TEXT,
    "trace": TEXT,
    "walks": _integer(1, 1_000_000),
    "protocol": TEXT,
    "bounds": TEXT,
    "steps": _integer(1, 1000),
    "seed": Kind("an integer of at least 0", whole),
    "expect": TEXT,
    "optional": Kind("true or false", lambda value: isinstance(value, bool)),
    **SHARED,
}

_FORCED = {
    "property": {"protocol", "bounds", "engine", "memory"},
    "trace": {"protocol"},
    "walks": {"protocol", "bounds", "steps", "seed"},
}
"""What a case can force on brokers, with the keys that say more about it."""

_ABOUT = set.union(*_FORCED.values())


@dataclass
class ConformReader:
    """Makes cells of the conform cases; configuration errors go to ``errors``."""

    errors: ConfigurationErrors
    file: str

    def cells(self, cases: Sequence[Any], defaults: Mapping[str, Any]) -> Iterator[ConformCell]:
        """Yield the cell of each case that has no configuration error."""
        shared = {key: value for key, value in defaults.items() if key in SHARED}
        seen: dict[tuple[str, Forced], ConformCell] = {}
        for number, case in enumerate(cases):
            path = ("conform", number)
            if not isinstance(case, dict):
                text = f"{shown(case)} is not a case; start each case with [[conform]]"
                self.errors.add(path, text)
                continue
            good = self.errors.keys(path, case, CONFORM)
            drop_invalid(self.errors, path, good)
            cell = self._cell(path, good, shared, set(case))
            if cell is not None:
                self._contradiction(path, cell, seen)
                yield cell

    def _cell(
        self, path: Path, case: dict[str, Any], shared: dict[str, Any], written: set[str]
    ) -> ConformCell | None:
        """Return the cell of a case; None where something that it needs is missing or wrong."""
        kind = self._kind(path, case, written)
        expected = self._expected(path, case, kind, written)
        kafka = case.get("kafka", "")
        if not kafka.strip() and ("kafka" in case or "kafka" not in written):
            text = "a conform case needs kafka, the directory of a distribution, such as"
            self.errors.add((*path, "kafka"), f'{text} kafka = "build/libs"')
        if kind is None or expected is None or not kafka.strip():
            return None
        forced = self._forced(path, kind, case, written)
        if forced is None:
            return None
        every = {**shared, **case}
        return ConformCell(
            kafka=kafka,
            forced=forced,
            expectation=expected,
            optional=case.get("optional", False),
            limits=limits_of(every),
            tier=every.get("tier", TIERS[0]),
            title=case.get("title", ""),
            file=self.file,
            line=self.errors.line(path),
        )

    def _kind(self, path: Path, case: Mapping[str, Any], written: set[str]) -> str | None:
        """Return which key of a case says what is forced."""
        kinds = [key for key in _FORCED if key in written]
        if not kinds:
            text = "a conform case needs property, trace or walks, such as walks = 20"
            self.errors.add(path, text)
            return None
        if len(kinds) > 1:
            text = f"{' and '.join(kinds)} exclude each other; keep one of them"
            self.errors.add(max(((*path, kind) for kind in kinds), key=self.errors.line), text)
            return None
        [kind] = kinds
        for key in sorted(written & _ABOUT - _FORCED[kind]):
            users = " or ".join(name for name, keys in _FORCED.items() if key in keys)
            text = f"{key} belongs to {users}, and this case has {kind}; remove {key}"
            self.errors.add((*path, key), text)
        return kind if kind in case else None

    def _expected(
        self, path: Path, case: Mapping[str, Any], kind: str | None, written: set[str]
    ) -> ConformExpectation | None:
        """Return what a case expects of the brokers."""
        at = (*path, "expect")
        if "expect" not in case:
            if "expect" not in written:
                self.errors.add(path, f"a conform case needs expect: {EXPECTABLE}")
            return None
        text = " ".join(case["expect"].split())
        expected = parse_expected(text)
        if expected is None:
            self.errors.add(at, f"expect = {shown(text)} is not valid; write {EXPECTABLE}")
        elif kind == "walks" and expected.name != AGREES:
            text = f"expect = {shown(text)} needs property or trace"
            self.errors.add(at, f'{text}; of walks, expect "{AGREES}"')
        elif kind in ("property", "trace") and expected.name == AGREES:
            text = f'expect = "{AGREES}" needs walks; of a {kind}, expect'
            self.errors.add(at, f'{text} "{REPRODUCES}" or "diverges at step N"')
        else:
            return expected
        return None

    def _forced(
        self, path: Path, kind: str, case: Mapping[str, Any], written: set[str]
    ) -> Forced | None:
        """Return what a case forces on the brokers; record unknown names and bounds."""
        before = len(self.errors.found)
        protocol = case.get("protocol", "").strip()
        bounds = " ".join(case.get("bounds", "").split())
        if kind == "property" and "protocol" not in written:
            text = 'a conform case with property needs protocol, such as protocol = "hw"'
            self.errors.add(path, text)
        elif "protocol" in case and not protocol:
            text = 'protocol = "" is empty; name one, or leave it out'
            self.errors.add((*path, "protocol"), text)
        else:
            self._check_names(path, protocol, bounds, case.get("property"))
        if kind == "trace" and not case["trace"].strip():
            self.errors.add((*path, "trace"), 'trace = "" is empty; name the file of a trace')
        if len(self.errors.found) > before:
            return None
        if kind == "property":
            return ShortestTrace(protocol, bounds, case["property"])
        if kind == "trace":
            return SavedTrace(case["trace"], protocol)
        return Walks(
            case["walks"], case.get("steps", _STEPS), case.get("seed", 0), protocol, bounds
        )

    def _check_names(self, path: Path, name: str, bounds: str, prop: str | None) -> None:
        """Record unknown names and bounds of a built-in protocol; a custom protocol loads later."""
        if prop is not None and prop.lower() in (*EVERY, "none"):
            text = f"property = {shown(prop)} is not a single property; name one"
            self.errors.add((*path, "property"), text)
            return
        if is_custom(name) or is_custom(prop or ""):
            return
        try:
            protocol = of_brokers(find_protocol(name)) if name else BROKER[0]
        except (SelectionError, ReplayError) as error:
            self.errors.add((*path, "protocol"), str(error))
            return
        try:
            protocol.within(bounds.split())
        except BoundsError as error:
            self.errors.add((*path, "bounds"), f"{name}: {error}" if name else str(error))
        try:
            find_properties(protocol, [prop] if prop is not None else [])
        except SelectionError as error:
            self.errors.add((*path, "property"), str(error))

    def _contradiction(
        self, path: Path, cell: ConformCell, seen: dict[tuple[str, Forced], ConformCell]
    ) -> None:
        """Record where an earlier case expects something else of the same brokers."""
        earlier = seen.setdefault((cell.kafka, cell.forced), cell)
        if earlier.expectation != cell.expectation:
            self.errors.add(
                (*path, "expect"),
                f"{cell.name}: {cell.expectation}, but line {earlier.line} expects: "
                f"{earlier.expectation}; keep one of them",
            )

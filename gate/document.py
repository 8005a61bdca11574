"""``tidegate.toml``: the cases of a gate, read into cells."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from ..conform.systems import of_brokers
from ..core.bounds import unknown
from ..core.errors import SelectionError
from ..core.spec import ReplayError
from ..library.names import custom_file, find_protocol, is_custom
from ..model import PROTOCOLS
from .cells import AGREES, DIVERGES, EVERY, REPRODUCES, TIERS, Brokers, Cell, Expectation
from .configuration_errors import (
    LIMITS,
    NAMES,
    PINS,
    SWITCH,
    TEXT,
    ConfigurationErrors,
    GateFileError,
    Kind,
    Path,
    positions,
    shown,
    whole,
)
from .contradictions import note_contradictions
from .custom_names import Named, Wrong, wrong_in, wrong_names
from .shared_keys import SHARED, drop_invalid, limits_of

NAME = "tidegate.toml"

_DEFAULTS: dict[str, Kind] = {"bounds": NAMES, "symmetry": SWITCH, **SHARED}

CASE: dict[str, Kind] = {
    "title": TEXT,
    "protocols": NAMES,
    "holds": NAMES,
    "violates": LIMITS,
    "states": PINS,
    "depth": PINS,
    **_DEFAULTS,
}


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
    "optional": SWITCH,
    **SHARED,
}

_FORCED = {
    "property": {"protocol", "bounds", "engine", "memory"},
    "trace": {"protocol"},
    "walks": {"protocol", "bounds", "steps", "seed"},
}
"""What a case can force on brokers, with the keys that say more about it."""

_EXPECTABLE = f'"{REPRODUCES}", "{DIVERGES} at step N" or "{AGREES}"'

_DIVERGES = re.compile(rf"{DIVERGES} at step ([1-9]\d{{0,5}})", re.ASCII)


def read(file: FilePath, *, run_code: bool = True) -> list[Cell]:
    """Read the cells of a gate's file, in its order; those that real brokers decide come last.

    Parameters
    ----------
    run_code
        Whether custom protocols may be loaded, to look up the names that the file uses of them.

    Raises
    ------
    GateFileError
        With all configuration errors, each with its line.
    """
    try:
        text = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise GateFileError(f"{file}: byte {error.start} is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        repair = "name another file with --config, or create one with: tidegate init"
        raise GateFileError(f"{file}: cannot be read ({error.strerror}); {repair}") from None
    try:
        document, lines = tomllib.loads(text), positions(text)
    except RecursionError:
        raise GateFileError(f"{file}: arrays or tables are nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        match = re.fullmatch(
            r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error)
        )
        said, line = (match[1], match[2]) if match else (str(error), None)
        line = line or str(text.count("\n") + 1)
        raise GateFileError(f"{file}:{line}: not TOML: {said}") from None
    except ValueError:
        raise GateFileError(f"{file}: a number has too many digits") from None
    errors = ConfigurationErrors(str(file), lines)
    reader = _Reader(errors, str(file))
    cells = list(reader.cells(document))
    if run_code:
        reader.look_up_custom()
    if not cells and not errors.found:
        errors.add((), "there is no case; start one with [[case]]")
    note_contradictions(errors, cells)
    errors.refuse()
    return [cell for cell, _ in cells]


def case_lines(text: str) -> list[int]:
    """Return the line of each case of a gate's file, in order."""
    lines = positions(text)
    return [lines[path] for path in lines if len(path) == 2 and path[0] == "case"]


@dataclass(frozen=True)
class _Naming:
    """What a case names for one of its protocols, and where: the protocol, bounds, properties."""

    at: Path
    bounds_at: Path
    properties_at: Sequence[Path]
    named: Named


@dataclass
class _Reader:
    """Makes cells of a document; configuration errors go to ``errors``."""

    errors: ConfigurationErrors
    file: str
    custom: list[_Naming] = field(default_factory=list)

    def cells(self, document: dict[str, Any]) -> Iterator[tuple[Cell, Path]]:
        """Yield each cell with its case; those that real brokers decide come last."""
        table = Kind("a table: [defaults]", lambda value: isinstance(value, dict))
        known = {"defaults": table, "case": _tables("case"), "conform": _tables("conform")}
        top = self.errors.keys((), document, known)
        defaults = self.errors.keys(("defaults",), top.get("defaults", {}), _DEFAULTS)
        drop_invalid(self.errors, ("defaults",), defaults)
        shared = {key: value for key, value in defaults.items() if key in SHARED}
        for kind, keys, before, read_case in (
            ("case", CASE, defaults, self._case),
            ("conform", CONFORM, shared, self._conform),
        ):
            for number, case in enumerate(top.get(kind, [])):
                path = (kind, number)
                if not isinstance(case, dict):
                    text = f"{shown(case)} is not a case; start each case with [[{kind}]]"
                    self.errors.add(path, text)
                    continue
                good = self.errors.keys(path, case, keys)
                drop_invalid(self.errors, path, good)
                for cell in read_case(path, {**before, **good}, set(case)):
                    yield cell, path

    def _case(self, path: Path, case: dict[str, Any], settings: set[str]) -> Iterator[Cell]:
        """Yield the cells of a case: every protocol within every bounds."""
        expectations = self._expectations(path, case, settings)
        protocols = self._list(path, case, "protocols")
        if not protocols and "protocols" not in settings:
            self.errors.add(path, 'a case needs protocols, such as protocols = ["kip-320"]')
        all_bounds = self._list(path, case, "bounds") if case.get("bounds", [""]) else []
        if "bounds" in settings and not all_bounds:
            self.errors.add((*path, "bounds"), "bounds = [] is empty; leave it out, or add bounds")
        all_bounds = all_bounds or [""]
        states = self._pins(path, case, "states", protocols, all_bounds)
        depth = self._pins(path, case, "depth", protocols, all_bounds)
        names = tuple(expectation.name for expectation in expectations)
        places = list(expectations.values())
        for number, protocol in enumerate(protocols):
            named = Named(protocol, tuple(all_bounds), names, limits_of(case).stalled)
            at = (*path, "protocols", number)
            self._check_names(_Naming(at, (*path, "bounds"), places, named))
            for index, bounds in enumerate(all_bounds):
                yield Cell(
                    protocol,
                    bounds,
                    tuple(expectations),
                    states.get((number, index)),
                    depth.get((number, index)),
                    case.get("symmetry", False),
                    **self._common(path, case),
                )

    def _common(self, path: Path, case: dict[str, Any]) -> dict[str, Any]:
        """Return what cells of both kinds have."""
        return {
            "limits": limits_of(case),
            "tier": case.get("tier", TIERS[0]),
            "title": case.get("title", ""),
            "file": self.file,
            "line": self.errors.line(path),
        }

    def _list(self, path: Path, case: dict[str, Any], key: str) -> list[str]:
        """Return a list of strings without duplicates; one string stands for a list of it."""
        value = case.get(key, [])
        listed = [" ".join(text.split()) for text in ([value] if isinstance(value, str) else value)]
        for number, text in enumerate(listed):
            if text in listed[:number]:
                self.errors.add((*path, key, number), f"{key}: {shown(text)} appears twice")
        return list(dict.fromkeys(listed))

    def _expectations(
        self, path: Path, case: dict[str, Any], settings: set[str]
    ) -> dict[Expectation, Path]:
        """Return what a case expects with its place, ``violates`` first."""
        limits = case.get("violates", [])
        if isinstance(limits, dict):
            violated = {
                Expectation(name, True, steps): (*path, "violates", name)
                for name, steps in limits.items()
            }
        else:
            listed = enumerate(self._list(path, case, "violates"))
            violated = {Expectation(name, True): (*path, "violates", at) for at, name in listed}
        listed = enumerate(self._list(path, case, "holds"))
        holding = {Expectation(name): (*path, "holds", at) for at, name in listed}
        named = {expectation.name.lower() for expectation in violated}
        for expectation, at in violated.items():
            if expectation.name.lower() in (*EVERY, "none"):
                text = f"violates: {expectation.name!r} is not a single property; name properties"
                self.errors.add(at, text)
        for expectation, at in holding.items():
            if expectation.name.lower() in named:
                text = f"{expectation.name} must hold and must be violated; keep one of them"
                self.errors.add(at, text)
            if expectation.name.lower() == "none":
                self.errors.add(at, "holds: 'none' checks nothing; name a property")
        if not violated and not holding and settings.isdisjoint({"holds", "violates"}):
            self.errors.add(path, 'a case needs holds or violates, such as holds = "default"')
        elif not violated and not holding and not settings.difference(case) & {"holds", "violates"}:
            self.errors.add(path, "this case expects nothing; name a property in holds or violates")
        return violated | holding

    def _check_names(self, naming: _Naming) -> None:
        """Record unknown names and bounds of a built-in protocol; Python code loads later."""
        named = naming.named
        places = (naming.at, *naming.properties_at)
        codes = zip((named.protocol, *named.properties), places, strict=True)
        custom = [(name, at) for name, at in codes if is_custom(name)]
        if not is_custom(named.protocol):
            try:
                protocol = find_protocol(named.protocol)
            except SelectionError as error:
                self.errors.add(naming.at, str(error))
                return
            if not custom:
                self._add_wrong(naming, wrong_in(protocol, named))
                return
        for code, at in custom:
            file = custom_file(code)
            if file is not None and not (FilePath(self.file).parent / file).exists():
                text = f"{code}: there is no such file beside the gate's file"
                self.errors.add(at, text)
                return
        self.custom.append(naming)

    def look_up_custom(self) -> None:
        """Record unknown names and bounds of custom protocols."""
        root = FilePath(self.file).resolve().parent
        answers = wrong_names(root, [naming.named for naming in self.custom])
        for naming, wrong in zip(self.custom, answers, strict=True):
            self._add_wrong(naming, wrong)

    def _add_wrong(self, naming: _Naming, wrong: Sequence[Wrong]) -> None:
        """Record that bounds or properties that a case names do not exist."""
        for one in wrong:
            bounds_at, properties_at = (*naming.bounds_at, one.number), naming.properties_at
            self.errors.add(bounds_at if one.of_bounds else properties_at[one.number], one.text)

    def _pins(
        self,
        path: Path,
        case: dict[str, Any],
        key: str,
        protocols: Sequence[str],
        all_bounds: Sequence[str],
    ) -> dict[tuple[int, int], int]:
        """Return the pinned counts by number of protocol and of bounds."""
        if key not in case:
            return {}
        value = case[key]
        if not isinstance(value, dict):
            if len(protocols) > 1:
                text = f"{key}: write a table by protocol, since there are {len(protocols)}"
                self.errors.add((*path, key), f'{text}: {{ "{protocols[0]}" = ... }}')
                return {}
            value = dict.fromkeys(protocols, value)
        pinned = {}
        for protocol, counts in value.items():
            listed = counts if isinstance(counts, list) else [counts]
            if protocol not in protocols:
                self.errors.add((*path, key, protocol), unknown("protocol", protocol, protocols))
            elif len(listed) != len(all_bounds):
                text = (
                    f"{key}: {len(listed)} numbers for {len(all_bounds)} bounds; give one for each"
                )
                self.errors.add((*path, key, protocol), text)
            else:
                at = list(protocols).index(protocol)
                pinned.update({(at, index): count for index, count in enumerate(listed)})
        return pinned

    def _conform(self, path: Path, case: dict[str, Any], settings: set[str]) -> Iterator[Cell]:
        """Yield the cell of a conform case, unless something that it needs is missing or wrong."""
        before = len(self.errors.found)
        kinds = [key for key in _FORCED if key in settings]
        expected = self._expected(path, case, kinds)
        if not case.get("kafka", "-").strip() or "kafka" not in settings:
            text = "a conform case needs kafka, the directory of a distribution, such as"
            self.errors.add((*path, "kafka"), f'{text} kafka = "build/libs"')
        if not kinds:
            text = "a conform case needs property, trace or walks, such as walks = 20"
            self.errors.add(path, text)
        elif len(kinds) > 1:
            text = f"{' and '.join(kinds)} exclude each other; keep one of them"
            self.errors.add(max(((*path, kind) for kind in kinds), key=self.errors.line), text)
        else:
            self._check_forced(path, kinds[0], case, settings)
        if expected is None or len(self.errors.found) > before or not settings <= set(case):
            return
        protocol, bounds = case.get("protocol", "").strip(), case.get("bounds", "")
        forced = {key: case[key] for key in (*_FORCED, "steps", "seed", "optional") if key in case}
        brokers = Brokers(case["kafka"], **forced)
        bounds = " ".join(bounds.split())
        common = self._common(path, case)
        yield Cell(protocol, bounds, (expected,), brokers=brokers, **common)

    def _expected(
        self, path: Path, case: Mapping[str, Any], kinds: Sequence[str]
    ) -> Expectation | None:
        """Return what a case expects of the brokers."""
        at = (*path, "expect")
        text = " ".join(case.get("expect", "").split())
        step = _DIVERGES.fullmatch(text)
        if at not in self.errors.lines:
            self.errors.add(path, f"a conform case needs expect: {_EXPECTABLE}")
        elif "expect" not in case:
            pass  # Its value does not fit.
        elif not step and text not in (REPRODUCES, AGREES):
            self.errors.add(at, f"expect = {shown(text)} is not valid; write {_EXPECTABLE}")
        elif kinds == ["walks"] and text != AGREES:
            text = f"expect = {shown(text)} needs property or trace"
            self.errors.add(at, f'{text}; of walks, expect "{AGREES}"')
        elif kinds in (["property"], ["trace"]) and text == AGREES:
            text = f'expect = "{AGREES}" needs walks; of a {kinds[0]}, expect'
            self.errors.add(at, f'{text} "{REPRODUCES}" or "diverges at step N"')
        elif step:
            return Expectation(DIVERGES, steps=int(step[1]))
        else:
            return Expectation(text)
        return None

    def _check_forced(
        self, path: Path, kind: str, case: Mapping[str, Any], settings: set[str]
    ) -> None:
        """Record what is missing, unknown or too much in what a case forces on the brokers."""
        for key in sorted(settings & set.union(*_FORCED.values()) - _FORCED[kind]):
            users = " or ".join(name for name, keys in _FORCED.items() if key in keys)
            text = f"{key} belongs to {users}, and this case has {kind}; remove {key}"
            self.errors.add((*path, key), text)
        name, prop = case.get("protocol", "").strip(), case.get("property", "")
        if kind == "property" and "protocol" not in settings:
            text = 'a conform case with property needs protocol, such as protocol = "hw"'
            self.errors.add(path, text)
        elif "protocol" in case and not name:
            text = 'protocol = "" is empty; name one, or leave it out'
            self.errors.add((*path, "protocol"), text)
        elif prop.lower() in (*EVERY, "none"):
            text = f"property = {shown(prop)} is not a single property; name one"
            self.errors.add((*path, "property"), text)
        elif not is_custom(name) and not is_custom(prop):
            self._check_brokers_names(path, name, case)
        if kind == "trace" and not case.get("trace", "-").strip():
            self.errors.add((*path, "trace"), 'trace = "" is empty; name the file of a trace')

    def _check_brokers_names(self, path: Path, name: str, case: Mapping[str, Any]) -> None:
        """Record unknown names and bounds of a built-in protocol."""
        try:
            protocol = of_brokers(find_protocol(name)) if name else PROTOCOLS[0]
        except (SelectionError, ReplayError) as error:
            self.errors.add((*path, "protocol"), str(error))
            return
        names = (case["property"],) if "property" in case else ()
        named = Named(name, (case.get("bounds", ""),), names)
        at = [(*path, "property")] * len(names)
        naming = _Naming((*path, "protocol"), (*path, "bounds"), at, named)
        self._add_wrong(naming, wrong_in(protocol, named))


def of_tier(cells: Sequence[Cell], tier: str, text: str = "") -> list[Cell]:
    """Return the cells that a tier runs: its own and those of the tiers before it.

    Parameters
    ----------
    text
        Only cells in whose name, title or expectations this occurs.

    Raises
    ------
    GateFileError
        If there are none: a gate that checks nothing must not pass.
    """
    runs = TIERS[: TIERS.index(tier) + 1]
    chosen = [cell for cell in cells if cell.tier in runs]
    kept = [cell for cell in chosen if text.lower() in _described(cell).lower()]
    if not chosen:
        known = ", ".join(sorted({cell.tier for cell in cells}, key=TIERS.index))
        raise GateFileError(f"no cell has the tier {tier!r}; the file has: {known}")
    if not kept:
        raise GateFileError(
            f"-k {text!r} matches none of the {len(chosen)} cells of the tier {tier!r}; "
            "'tidegate gate --list' shows them"
        )
    return kept


def _described(cell: Cell) -> str:
    return " ".join([cell.name, cell.title, *map(str, cell.expectations)])


def _tables(name: str) -> Kind:
    return Kind(f"cases, each as [[{name}]]", lambda value: isinstance(value, list))

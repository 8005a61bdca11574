"""``tidegate.toml``: the cases of a gate, read into cells."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from ..analysis.named import SelectionError, custom_file, find_protocol, is_custom
from ..core.bounds import unknown
from .cells import EVERY, TIERS, Cell, Expectation, GateCell
from .configuration_errors import (
    LIMITS,
    NAMES,
    PINS,
    TEXT,
    ConfigurationErrors,
    GateFileError,
    Kind,
    shown,
)
from .conform_cells import ConformCell
from .conform_document import ConformReader
from .contradictions import note_contradictions
from .custom_names import Named, Wrong, wrong_in, wrong_names
from .positions import Path, positions
from .shared_keys import SHARED, drop_invalid, limits_of

NAME = "tidegate.toml"

_DEFAULTS: dict[str, Kind] = {"bounds": NAMES, **SHARED}

_CASE: dict[str, Kind] = {
    "title": TEXT,
    "protocols": NAMES,
    "holds": NAMES,
    "violates": LIMITS,
    "states": PINS,
    "depth": PINS,
    **_DEFAULTS,
}


def read(file: FilePath, *, run_code: bool = True) -> list[GateCell]:
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
    cells, conforming = reader.cells(document)
    if run_code:
        reader.look_up_custom()
    if not cells and not conforming and not errors.found:
        errors.add((), "there is no case; start one with [[case]]")
    note_contradictions(errors, cells)
    errors.refuse()
    return [*(cell for cell, _ in cells), *conforming]


def case_lines(text: str) -> list[int]:
    """Return the line of each case of a gate's file, in order."""
    lines = positions(text)
    return [lines[path] for path in lines if len(path) == 2 and path[0] == "case"]


@dataclass(frozen=True)
class _Naming:
    """What a case names for one of its protocols, with the places of that protocol and the case."""

    at: Path
    case: Path
    named: Named
    expectations: Sequence[Expectation]


@dataclass
class _Reader:
    """Makes cells of a document; configuration errors go to ``errors``."""

    errors: ConfigurationErrors
    file: str
    custom: list[_Naming] = field(default_factory=list)

    def cells(self, document: dict[str, Any]) -> tuple[list[tuple[Cell, int]], list[ConformCell]]:
        """Return each cell with the number of its case, and those that real brokers decide."""
        table = Kind("a table: [defaults]", lambda value: isinstance(value, dict))
        known = {"defaults": table, "case": _tables("case"), "conform": _tables("conform")}
        top = self.errors.keys((), document, known)
        defaults = self.errors.keys(("defaults",), top.get("defaults", {}), _DEFAULTS)
        drop_invalid(self.errors, ("defaults",), defaults)
        conforming = ConformReader(self.errors, self.file).cells(top.get("conform", []), defaults)
        return list(self._cells(top.get("case", []), defaults)), list(conforming)

    def _cells(self, cases: Sequence[Any], defaults: dict[str, Any]) -> Iterator[tuple[Cell, int]]:
        """Yield each cell of some cases with the number of its case."""
        for number, case in enumerate(cases):
            path = ("case", number)
            if not isinstance(case, dict):
                self.errors.add(path, f"{shown(case)} is not a case; start each case with [[case]]")
                continue
            good = self.errors.keys(path, case, _CASE)
            drop_invalid(self.errors, path, good)
            cells = self._case(path, {**defaults, **good}, set(case))
            yield from ((cell, number) for cell in cells)

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
        for number, protocol in enumerate(protocols):
            named = Named(protocol, tuple(all_bounds), names)
            self._check_names(_Naming((*path, "protocols", number), path, named, expectations))
            for index, bounds in enumerate(all_bounds):
                yield Cell(
                    protocol=protocol,
                    bounds=bounds,
                    expectations=tuple(expectations),
                    limits=limits_of(case),
                    states=states.get((number, index)),
                    depth=depth.get((number, index)),
                    tier=case.get("tier", TIERS[0]),
                    title=case.get("title", ""),
                    file=self.file,
                    line=self.errors.line(path),
                )

    def _list(self, path: Path, case: dict[str, Any], key: str) -> list[str]:
        """Return a list of strings without duplicates; one string stands for a list of it."""
        value = case.get(key, [])
        listed = [value] if isinstance(value, str) else list(value)
        seen: set[str] = set()
        for number, text in enumerate(listed):
            if " ".join(text.split()) in seen:
                self.errors.add((*path, key, number), f"{key}: {shown(text)} appears twice")
            seen.add(" ".join(text.split()))
        return list(dict.fromkeys(" ".join(text.split()) for text in listed))

    def _expectations(
        self, path: Path, case: dict[str, Any], settings: set[str]
    ) -> list[Expectation]:
        """Return what a case expects, ``violates`` first."""
        limits = case.get("violates", [])
        if not isinstance(limits, dict):
            limits = dict.fromkeys(self._list(path, case, "violates"))
        violated = [Expectation(name, True, steps) for name, steps in limits.items()]
        holding = [Expectation(name) for name in self._list(path, case, "holds")]
        named = {expectation.name.lower() for expectation in violated}
        for number, expectation in enumerate(holding):
            if expectation.name.lower() in named:
                self.errors.add(
                    (*path, "holds", number),
                    f"{expectation.name} must hold and must be violated; keep one of them",
                )
        for name in named & {*EVERY, "none"}:
            text = f"violates: {name!r} is not a single property; name properties"
            self.errors.add((*path, "violates", name), text)
        if any(expectation.name.lower() == "none" for expectation in holding):
            self.errors.add((*path, "holds"), "holds: 'none' checks nothing; name a property")
        if not violated and not holding and settings.isdisjoint({"holds", "violates"}):
            self.errors.add(path, 'a case needs holds or violates, such as holds = "default"')
        elif not violated and not holding and not settings.difference(case) & {"holds", "violates"}:
            self.errors.add(path, "this case expects nothing; name a property in holds or violates")
        return [*violated, *holding]

    def _check_names(self, naming: _Naming) -> None:
        """Record unknown names and bounds of a built-in protocol; Python code loads later."""
        named = naming.named
        if not is_custom(named.protocol):
            try:
                protocol = find_protocol(named.protocol)
            except SelectionError as error:
                self.errors.add(naming.at, str(error))
                return
            if not any(is_custom(name) for name in named.properties):
                self._add_wrong(naming, wrong_in(protocol, named))
                return
        for number, code in enumerate((named.protocol, *named.properties)):
            file = custom_file(code) if is_custom(code) else None
            if file is not None and not (FilePath(self.file).parent / file).exists():
                text = f"{code}: there is no such file beside the gate's file"
                if number:
                    self._add_wrong(naming, [Wrong(False, number - 1, text)])
                else:
                    self.errors.add(naming.at, text)
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
        count = sum(expectation.violated for expectation in naming.expectations)
        for one in wrong:
            if one.of_bounds:
                self.errors.add((*naming.case, "bounds", one.number), one.text)
                continue
            expectation = naming.expectations[one.number]
            key = "violates" if expectation.violated else "holds"
            last: str | int = one.number - (0 if expectation.violated else count)
            if (*naming.case, key, expectation.name) in self.errors.lines:
                last = expectation.name
            self.errors.add((*naming.case, key, last), one.text)

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


def of_tier(cells: Sequence[GateCell], tier: str, text: str = "") -> list[GateCell]:
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


def _described(cell: GateCell) -> str:
    return " ".join([cell.name, cell.title, *(text for _, text in cell.expected)])


def _tables(name: str) -> Kind:
    return Kind(f"cases, each as [[{name}]]", lambda value: isinstance(value, list))

"""SARIF 2.1.0, for code scanning: a result for each finding, at the line that it is about."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...core.version import __version__
from ...library.links import addresses, linked
from ..cells import distinct_names
from ..results import CellOutcome, Deviation, Finding
from .findings import Pointer, cause, pointers, reproducing

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

UNSURE = (Deviation.LIMIT, Deviation.UNDECIDED)
"""What is not known to be wrong."""

_OTHERS = {
    "count": "The pinned distinct states or depth have changed.",
    "limit": "A limit was reached before the cell was decided.",
    "brokers": "Real brokers do not behave as expected.",
    "error": "The cell could not be searched, or Kafka could not be started.",
}
"""Rules that are not property, by their identifier."""


_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
"""The first bracket of an embedded link."""


def sarif(outcomes: Sequence[CellOutcome]) -> dict[str, Any]:
    """Return the findings of all cells as a SARIF log; cells that are skipped have none."""
    names = distinct_names([outcome.cell for outcome in outcomes])
    pairs = zip(outcomes, names, strict=True)
    results = [result for outcome, name in pairs for result in _results(outcome, name)]
    statements = _OTHERS | {
        prop.name: prop.statement for outcome in outcomes for prop in outcome.properties
    }
    used = sorted({result["ruleId"] for result in results})
    sources = {prop.name: prop.source for outcome in outcomes for prop in outcome.properties}
    rules = [_rule(name, statements.get(name, name), sources.get(name, "")) for name in used]
    driver = {"name": "tidegate", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str, statement: str, source: str) -> dict[str, Any]:
    """Return what a finding can be of, with where its source can be read."""
    rule: dict[str, Any] = {"id": name, "shortDescription": {"text": _unlinked(statement)}}
    if links := addresses(statement, source):
        rule["helpUri"] = next(iter(links.values()))
        rule["help"] = {"text": f"Source: {source}", "markdown": f"Source: {linked(source)}"}
    return rule


def _results(outcome: CellOutcome, name: str) -> Iterator[dict[str, Any]]:
    """Yield a result for each finding of a cell, whose name tells them from those of others."""
    for finding in outcome.findings:
        if finding.kind is Deviation.SKIPPED:
            continue
        first, *others = pointers(outcome, finding)
        identity = f"{name}\0{finding.kind}\0{finding.about}"
        result: dict[str, Any] = {
            "ruleId": finding.kind if finding.kind in _OTHERS else finding.about,
            "level": "warning" if finding.kind in UNSURE else "error",
            "message": {"text": linked(_unlinked(_message(outcome, finding)))},
            "locations": [_location(first)],
            "partialFingerprints": {"tidegateFinding/v1": _hash(identity)},
        }
        if others:
            result["relatedLocations"] = [
                {"id": number, **_location(place)} for number, place in enumerate(others)
            ]
        yield result


def _unlinked(text: str) -> str:
    """Return a message in which no text of a model is a link (SARIF 2.1.0, 3.11.6)."""
    return _LINK.sub(r"\\[", text)


def _hash(text: str) -> str:
    # A protocol of a user's own can put half a surrogate pair into a text.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _message(outcome: CellOutcome, finding: Finding) -> str:
    """Return what is wrong, and for a counterexample how it goes."""
    parts = [f"{outcome.cell.name}: {cause(outcome, finding)}"]
    parts += [
        f"Steps: {', '.join(_steps(trace.itf))}."
        for trace in outcome.traces
        if trace.name == finding.about
    ]
    if again := reproducing(outcome, finding):
        parts.append(f"Reproduce it with: {again}")
    return " ".join(parts)


def _steps(itf: dict[str, Any]) -> list[str]:
    return [
        f"{number} {state['#meta']['action']}"
        for number, state in enumerate(itf["states"])
        if number
    ]


def _location(pointer: Pointer) -> dict[str, Any]:
    path = quote(os.fsencode(pointer.file))
    inside = {"uri": path, "uriBaseId": "%SRCROOT%"}
    absolute = Path(pointer.file).is_absolute()
    place = {
        "artifactLocation": {"uri": Path(pointer.file).as_uri()} if absolute else inside,
        "region": {"startLine": pointer.line},
    }
    location: dict[str, Any] = {"physicalLocation": place}
    if pointer.what:
        location["message"] = {"text": pointer.what}
    return location

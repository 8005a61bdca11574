"""What there is to check: protocols, releases, properties, bounds; and all that is known of one."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..core.bounds import declared
from ..core.guards import guards, place
from ..core.spec import Action, Property
from ..model import PROTOCOLS
from ..model.broker.releases import deciding, overview
from .code import decisions
from .names import find_protocol
from .properties import properties_of


def catalogue() -> dict[str, Any]:
    """Return what ``tidegate list`` shows."""
    families = {protocol.family: protocol for protocol in PROTOCOLS}
    return {
        "protocols": [
            {
                "name": protocol.name,
                "family": protocol.family,
                "summary": protocol.summary,
                "default_properties": list(protocol.default_properties),
            }
            for protocol in PROTOCOLS
        ],
        "releases": overview(),
        "properties": {name: described_properties(_properties(name)) for name in families},
        "fairness": {name: _fairness(name) for name in families},
        "bounds": {name: described_bounds(one.model.bounds) for name, one in families.items()},
    }


KINDS = ("protocols", "releases", "properties", "fairness", "bounds")
"""What ``tidegate list`` can show."""


def filtered(kind: str | None, text: str) -> dict[str, Any]:
    """Return the part of the catalogue of one kind (all of it for none) in which `text` occurs.

    The name of a protocol stands for what its family has, and a Python file for what it declares.
    """
    if kind in KINDS[2:] and ".py" in text:
        return {kind: _of_file(kind, text)}
    everything = catalogue()
    chosen = everything if kind is None else {kind: everything[kind]}
    if not text:
        return chosen
    families = {one["name"]: one["family"] for one in everything["protocols"]}
    family = families.get(text.lower()) if kind in KINDS[2:] else None

    def kept(rows: list[dict[str, Any]], its: str = "") -> list[dict[str, Any]]:
        if its and its == family:
            return rows
        return [row for row in rows if text.lower() in str([its, *row.values()]).lower()]

    return {
        name: kept(rows)
        if isinstance(rows, list)
        else {its: left for its in rows if (left := kept(rows[its], its))}
        for name, rows in chosen.items()
    }


def _of_file(kind: str, name: str) -> dict[str, list[dict[str, str]]]:
    """Return what a protocol or model in a file has of one kind."""
    protocol = find_protocol(name)
    if kind == "bounds":
        rows = described_bounds(protocol.model.bounds)
    elif kind == "properties":
        rows = described_properties(properties_of(protocol))
    else:
        rows = [
            *({"action": action.name, "owed": action.owed} for action in protocol.actions),
            *({"action": joint.named, "owed": joint.owed} for joint in protocol.fairness),
        ]
    return {protocol.family: rows}


def _properties(family: str) -> Iterable[Property]:
    """Return the properties of a family's protocols, also those that only one of them has."""
    members = [protocol for protocol in PROTOCOLS if protocol.family == family]
    return {prop.name: prop for one in members for prop in properties_of(one)}.values()


def _fairness(family: str) -> list[dict[str, str]]:
    """Return the actions of a family's protocols, with the fairness of each."""
    actions = (
        action for protocol in PROTOCOLS if protocol.family == family for action in protocol.actions
    )
    owed = {action.name: action.owed for action in actions}
    return [{"action": name, "owed": text} for name, text in owed.items()]


def story(protocol: Any) -> dict[str, Any]:
    """Return all that ``tidegate show`` prints of a protocol, ready to be written as JSON."""
    return {
        "name": protocol.name,
        "family": protocol.family,
        "parent": protocol.parent.name if protocol.parent else None,
        "summary": protocol.summary,
        "story": inspect.cleandoc(protocol.story),
        "rules": [row for row in _rules(protocol) if row["from"] == protocol.name],
        "older_rules": [
            {"mutant": f"{protocol.name}~{name} = {rule.__name__}", "what": _summary(rule)}
            for name, rule in protocol.older_rules
        ],
        "actions": [_action(action) for action in protocol.actions],
        "fairness": [{"action": joint.named, "owed": joint.owed} for joint in protocol.fairness],
        "default_properties": list(protocol.default_properties),
        "settings": list(protocol.settings),
        "bounds": described_bounds(protocol.model.bounds),
        "properties": described_properties(properties_of(protocol)),
        "expected": [
            {"bounds": bounds, "violated": list(violated)}
            for bounds, violated in _expected(protocol).items()
        ],
    }


def _expected(protocol: Any) -> dict[str, tuple[str, ...]]:
    """Return by bounds the default properties that a protocol is known to violate there.

    It says so itself, or ``tidegate.toml`` does, which has the verdicts of this package.
    """
    if protocol.expected:
        return {expected.bounds: expected.violated for expected in protocol.expected}
    rows: dict[str, tuple[str, ...]] = {}
    text = Path(__file__).parents[1].joinpath("tidegate.toml").read_text(encoding="utf-8")
    for case in tomllib.loads(text)["case"]:
        if protocol.name in case["protocols"]:
            violated, holds = case.get("violates", {}), case.get("holds", ())
            for bounds in case.get("bounds", ("",)):
                known = {*violated, *rows.get(bounds, ())}
                names = tuple(name for name in protocol.default_properties if name in known)
                if names or "default" in holds or "all" in holds:
                    rows[bounds] = names
    return rows


def described_bounds(bounds: type) -> list[dict[str, str]]:
    """Return each bound that a dataclass declares, as ``tidegate list`` shows it."""
    return [
        {
            "name": name,
            "default": bound.follows or bound.show(default),
            "allowed": bound.allowed(),
            "meaning": bound.doc,
        }
        for name, (bound, default) in declared(bounds).items()
    ]


def described_properties(properties: Iterable[Property]) -> list[dict[str, str]]:
    """Return each property, as ``tidegate list`` shows it."""
    return [
        {
            "name": prop.name,
            "kind": prop.kind.value,
            "statement": prop.statement,
            "source": prop.source,
        }
        for prop in properties
    ]


def rules_in_force(protocol: Any) -> dict[str, Any]:
    """Return all that ``tidegate show --rules`` prints, ready to be written as JSON."""
    is_broker = protocol.family == "broker"
    rules = _rules(protocol)
    for row in rules:
        rule = getattr(protocol.rules, row["rule"])
        row["releases"] = deciding(row["rule"], rule) if is_broker else ""
    return {"protocol": protocol.name, "rules": rules}


def _rules(protocol: Any) -> list[dict[str, Any]]:
    """Return every rule of a protocol: what it decides, its function, which protocol brought it.

    "was" is the parent's choice; None where there is no parent.
    """
    decides = decisions(type(protocol.rules))
    parent = protocol.parent.rules if protocol.parent else None
    rows = []
    for name, rule in vars(protocol.rules).items():
        function = rule if inspect.isfunction(rule) else None
        rows.append(
            {
                "rule": name,
                "decides": decides.get(name, ""),
                "is": _named(rule),
                "was": _named(getattr(parent, name)) if parent else None,
                "signature": _named(rule) + _parameters(function) if function else "",
                "what": _summary(function) if function else "",
                "source": _more(function) if function else "",
                "place": place(function) if function else "",
                "from": _origin(protocol, name),
            }
        )
    return rows


def _named(rule: Any) -> str:
    return getattr(rule, "__name__", str(rule))


def _parameters(function: Callable[..., Any]) -> str:
    """Return the names of a function's parameters, in parentheses."""
    return f"({', '.join(inspect.signature(function).parameters)})"


def _origin(protocol: Any, name: str) -> str:
    """Return the protocol that introduced a rule in its present form: this one or an ancestor."""
    rule, at = getattr(protocol.rules, name), protocol
    while at.parent is not None and getattr(at.parent.rules, name) == rule:
        at = at.parent
    return str(at.name)


def _summary(function: Callable[..., Any]) -> str:
    """Return the first line of a function's docstring."""
    return (inspect.getdoc(function) or "").split("\n")[0]


def _more(function: Callable[..., Any]) -> str:
    """Return a function's docstring after the first line: where Kafka does the same."""
    _, _, more = (inspect.getdoc(function) or "").partition("\n")
    return " ".join(more.split())


def _action(action: Action) -> dict[str, Any]:
    return {
        "name": action.name,
        "who": action.who,
        "parameters": list(action.parameters),
        "fairness": action.fairness.value,
        "owed": action.owed,
        "source": action.source,
        "what": _summary(action.apply),
        "not_enabled_if": [guard.test for guard in guards(action.apply)],
    }

"""What there is to check: protocols, releases, properties, bounds; and all that is known of one."""

from __future__ import annotations

import inspect
import sys
import tomllib
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..core.bounds import declared
from ..core.guards import guards, place
from ..core.spec import Action, Property
from ..model import PROTOCOLS, Protocol
from ..model.broker.asked import where_text
from ..model.broker.releases import deciding, overview
from ..model.protocol import decisions
from .links import addresses
from .names import find_protocol, is_custom
from .properties import properties_of

KINDS = ("protocols", "releases", "properties", "fairness", "bounds")
"""What ``tidegate list`` can show."""


def catalogue(chosen: Protocol = PROTOCOLS[0]) -> dict[str, list[dict[str, Any]]]:
    """Return what ``tidegate list`` shows of each kind: of Kafka's brokers, or of another model."""
    is_kafkas = chosen in PROTOCOLS
    of_model = PROTOCOLS if is_kafkas else (chosen,)
    properties = {prop.name: prop for protocol in of_model for prop in properties_of(protocol)}
    actions = (action for protocol in of_model for action in protocol.actions)
    owed = {action.name: action.owed for action in actions}
    owed |= {joint.named: joint.owed for joint in chosen.fairness}
    return {
        "protocols": [
            {
                "name": protocol.name,
                "summary": protocol.summary,
                "default_properties": list(protocol.default_properties),
            }
            for protocol in PROTOCOLS
        ],
        "releases": overview(),
        "properties": described_properties(properties.values()),
        "fairness": [{"action": name, "owed": text} for name, text in owed.items()],
        "bounds": described_bounds(chosen.model.bounds),
    }


def filtered(kind: str | None, text: str) -> dict[str, list[dict[str, Any]]]:
    """Return the part of the catalogue of one kind (all of it for none) in which `text` occurs.

    The name of a protocol stands for what it has, and a Python file for what it declares.
    """
    is_model = kind in KINDS[2:] and _is_protocol(text)
    everything = catalogue(find_protocol(text)) if is_model else catalogue()
    word = "" if is_model else text.lower()
    return {
        name: [row for row in rows if word in str([*row.values()]).lower()]
        for name, rows in everything.items()
        if kind in (None, name)
    }


def _is_protocol(text: str) -> bool:
    """Whether a text names a protocol: Kafka's min.insync.replicas is written like a module."""
    if not is_custom(text):
        return text.lower() in [protocol.name for protocol in PROTOCOLS]
    package = text.partition(".")[0]
    is_there = package in sys.modules or Path(package).exists()
    return text.endswith(".py") or ":" in text or is_there or find_spec(package) is not None


def story(protocol: Any) -> dict[str, Any]:
    """Return all that ``tidegate show`` prints of a protocol, ready to be written as JSON."""
    return {
        "name": protocol.name,
        "is_kafkas": protocol.is_kafkas,
        "parent": protocol.parent.name if protocol.parent else None,
        "summary": protocol.summary,
        "links": addresses(protocol.summary, protocol.story),
        "story": inspect.cleandoc(protocol.story),
        "rules": [row for row in _rules(protocol) if row["from"] == protocol.name],
        "older_rules": [
            {
                "mutant": f"{protocol.name}~{name} = {rule.__name__}",
                "what": _summary(rule),
                "links": addresses(_summary(rule)),
            }
            for name, rule in protocol.older_rules
        ],
        "actions": [_action(action) for action in protocol.actions],
        "fairness": [{"action": joint.named, "owed": joint.owed} for joint in protocol.fairness],
        "default_properties": list(protocol.default_properties),
        "settings": list(protocol.settings),
        "bounds": described_bounds(protocol.model.bounds),
        "properties": [
            row | {"links": addresses(row["statement"], row["source"])}
            for row in described_properties(properties_of(protocol))
        ],
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
    rules = _rules(protocol)
    for row in rules:
        rule = getattr(protocol.rules, row["rule"])
        row["releases"] = deciding(row["rule"], rule) if protocol.is_kafkas else ""
        row["asked"] = where_text(row["rule"]) if protocol.is_kafkas else ""
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
                "links": addresses(inspect.getdoc(function) or "") if function else {},
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
        "links": addresses(action.source, _summary(action.apply)),
        "what": _summary(action.apply),
        "not_enabled_if": [guard.test for guard in guards(action.apply)],
    }

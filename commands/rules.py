"""``tidegate rules``: every rule in force in a protocol, inherited ones too."""

from __future__ import annotations

from functools import cache
from inspect import getdoc, isfunction, signature
from itertools import groupby
from typing import Any

import click

from ..analysis.code import code
from ..analysis.named import find_protocol
from ..model import Protocol
from ..model.broker.bounds import WITH_KRAFT
from ..model.broker.releases import Release, every_release
from ..render.printed import Text
from ..render.terminal import make_console, say_json
from ..render.text import print_prose
from .parameters import protocol_argument
from .status import EXIT_HOLDS, Ended


def rules_of(protocol: Protocol) -> list[dict[str, str]]:
    """Return every rule of a protocol: what it decides, its function, its origin, its releases."""
    rows = []
    for name, rule in code(protocol).rules.items():
        function = getattr(protocol.rules, name)
        rows.append(
            {
                "rule": name,
                "decides": rule.decides,
                "is": rule.value,
                "signature": f"{rule.value}{_parameters(function)}" if rule.function else "",
                "what": rule.function.says if rule.function else "",
                "source": _more(function) if rule.function else "",
                "place": rule.function.place if rule.function else "",
                "from": _origin(protocol, name),
                "releases": _releases(name, function) if _is_brokers(protocol) else "",
            }
        )
    return rows


def _more(function: Any) -> str:
    """Return a function's docstring after the first line: where Kafka does the same."""
    _, _, more = (getdoc(function) or "").partition("\n")
    return " ".join(more.split())


def _parameters(function: Any) -> str:
    """Return the names of a function's parameters, in parentheses."""
    return f"({', '.join(signature(function).parameters)})"


def _is_brokers(protocol: Protocol) -> bool:
    return protocol.family.name == "broker"


def _origin(protocol: Protocol, name: str) -> str:
    """Return the protocol that introduced a rule in its present form: this one or an ancestor."""
    rule, at = getattr(protocol.rules, name), protocol
    while at.parent is not None and getattr(at.parent.rules, name) == rule:
        at = at.parent
    return at.name


_RECORDS = frozenset({"isr_propagation=records"})
_KRAFT = frozenset(f"isr_propagation={value}" for value in WITH_KRAFT)
_OPTIONS = {
    "may_propose": _KRAFT,
    "may_alter_partition": _KRAFT,
    "may_be_members": _KRAFT,
    "may_still_be_members": _KRAFT,
    "may_register_unfenced": _KRAFT,
    "keeps_broker_epoch": _KRAFT,
    "knows_partition_epoch": _RECORDS,
    "applies_known_record": _RECORDS,
    "elects_last_known_leader": {"last_known_leader"},
    "eligible_leaders": {"elr"},
    "eligible_at_registration": {"elr"},
}
"""Rules that decide nothing without one of some options: a release without them has none."""


@cache
def _by_metadata() -> dict[str, list[Release]]:
    """Return the releases of Kafka, in order, by where a cluster keeps metadata."""
    kinds: dict[str, list[Release]] = {}
    for one in every_release():
        kinds.setdefault(one.metadata, []).append(one)
    return kinds


def _releases(name: str, rule: Any) -> str:
    """Return the releases of Kafka whose brokers decide like this, as ranges."""
    ranges = []
    for metadata, releases in _by_metadata().items():
        decided = groupby(releases, lambda one: _decides(one, name, rule))
        for same, group in decided:
            names = [one.name for one in group]
            if same:
                until = f" to {names[-1]}" if len(names) > 1 else ""
                ranges.append(f"{names[0]}{until} ({metadata})")
    return ", ".join(ranges) or "none"


def _decides(release: Release, name: str, rule: Any) -> bool:
    """Whether the brokers of a release decide by this rule."""
    options = _OPTIONS.get(name)
    has_option = options is None or not options.isdisjoint(release.settings)
    return has_option and _same(getattr(release.protocol.rules, name), rule)


def _same(one: Any, other: Any) -> bool:
    return one is other if isfunction(one) else bool(one == other)


@click.command(short_help="Show every rule in force: what it decides, its source, its release.")
@protocol_argument()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def rules(protocol: str, as_json: bool) -> Ended:
    """Show every rule of PROTOCOL, also those that it inherits.

    Each has what it decides, its signature, what it does (with its source in Kafka), where it is,
    which protocol brought it, and which releases of Kafka have it.

    \b
    Examples:
      tidegate rules kip-320
      tidegate rules kip-101 --json
    """
    chosen = find_protocol(protocol)
    rows = rules_of(chosen)
    if as_json:
        say_json({"protocol": chosen.name, "rules": rows})
        return Ended(EXIT_HOLDS)
    console = make_console()
    for row in rows:
        head = Text.assemble((row["rule"], "bold"), f" = {row['signature'] or row['is']}")
        print_prose(console, head)
        print_prose(console, Text(row["decides"]), indent=3)
        if row["what"]:
            print_prose(console, Text(f"{row['what']} {row['source']}".rstrip()), indent=3)
        since = f"From {row['from']}"
        since += f"; Kafka {row['releases']}" if row["releases"] else ""
        since += f"; {row['place']}" if row["place"] else ""
        print_prose(console, Text(f"{since}.", "dim"), indent=3)
    return Ended(EXIT_HOLDS)

"""Each pair of rules in which a release differs from the protocol that it is based on, searched.

A release has its older rules together; a mutant has one of them.  ``pairs.json`` has what each pair
violates within tiny bounds, in how many steps, and whether its two rules alone explain that.
``sh scripts/regenerate pairs`` writes it.
"""

import json
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from tests.docs.partial import replacing
from tests.docs.releases import rows
from tidegate.checker.check import check
from tidegate.core.spec import Outcome
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.properties import system_for
from tidegate.model.broker.releases import KRAFT
from tidegate.model.protocol import Protocol

FILE = Path(__file__).with_name("pairs.json")

NAMES = ("NoCommittedRecordLost", "NoAckedRecordLost", "LogMatching")

ZOOKEEPER_BOUNDS = (
    "records=2 crashes=1 elections=1 power_losses=0",
    "records=2 crashes=0 elections=2 moves",
    "records=1 crashes=0 elections=3 moves",
    "records=1 crashes=0 elections=1 power_losses=1",
    "records=1 crashes=0 elections=2 moves deletions=1 hw_waits",
)

KRAFT_BOUNDS = (
    "records=1 crashes=1 elections=1",
    "records=1 crashes=0 elections=1 power_losses=1 moves late_request",
)

WITH_RECORDS = (
    "records=1 crashes=1 elections=2 power_losses=1 min_isr=2 elr last_known_leader",
    "records=1 crashes=0 elections=1 reassignments=1 spare_broker",
)
"""What only clusters with partition change records have."""


@dataclass(frozen=True)
class Pair:
    """Two rules of a release, on the protocol that the release is based on, within bounds."""

    releases: str
    base: str
    rules: tuple[str, ...]
    bounds: str


def _rules(row):
    """Return the rules in which a release differs from its base, with those of the base."""
    base = row.last.protocol.parent
    return {
        name: rule
        for name, rule in vars(row.last.protocol.rules).items()
        if rule is not getattr(base.rules, name)
    }


def _bounds(row):
    if row.last.metadata != KRAFT:
        return ZOOKEEPER_BOUNDS
    options = " ".join(row.last.settings)
    with_records = WITH_RECORDS if "isr_propagation=records" in row.last.settings else ()
    return tuple(f"{options} {bounds}" for bounds in (*KRAFT_BOUNDS, *with_records))


def named(rules):
    """Return rules as a mutant has them in its name."""
    return tuple(f"{name} = {rule.__name__}" for name, rule in sorted(rules.items()))


def pairs():
    """Return every pair of rules of a release within every bounds, each once, with its rules."""
    every = {}
    for row in rows():
        base, rules = row.last.protocol.parent, _rules(row)
        for two in combinations(sorted(rules), 2):
            chosen = {name: rules[name] for name in two}
            for bounds in _bounds(row):
                key = base.name, named(chosen), bounds
                pair = Pair(f"{row.name}, {row.last.metadata}", *key)
                every.setdefault(key, (pair, base, chosen))
    return list(every.values())


def with_rules(base: Protocol, rules) -> Protocol:
    """Return a protocol with some of a release's rules."""
    return replace(
        base, name=" ".join((base.name, *named(rules))), rules=replace(base.rules, **rules)
    )


UNDECIDED = "undecided"
"""Of a property that is not violated before a rule's assumption is broken, by the other rule."""

_SEARCHED = {}
"""The steps of what has been searched; a rule alone belongs to several pairs."""


def _steps(base, rules, bounds):
    """Return in how many steps each property is violated, None for never."""
    key = base.name, named(rules), bounds
    if key not in _SEARCHED:
        _SEARCHED[key] = _search(base, rules, bounds)
    return _SEARCHED[key]


def _search(base, rules, bounds):
    properties = [one for one in PROPERTIES if one.name in NAMES]
    system = system_for(with_rules(base, rules), bounds.split(), properties)
    result = check(system, properties, keep_going=True)
    return {verdict.property.name: _steps_of(verdict) for verdict in result.verdicts}


def _steps_of(verdict):
    if verdict.outcome is Outcome.INCOMPLETE:
        return UNDECIDED
    return len(verdict.trace.steps) if verdict.outcome is Outcome.VIOLATED else None


def searched(pair, base, rules):
    """Return the row of a pair: its steps, and the properties that the rules alone do not explain.

    They explain a property if the pair violates it in as many steps as the protocol itself or one
    of the two rules does, or never as one of these.
    """
    together = _steps(base, rules, pair.bounds)
    apart = [_steps(base, {}, pair.bounds)]
    apart += [_steps(base, {name: rule}, pair.bounds) for name, rule in rules.items()]
    unexplained = [name for name in NAMES if together[name] not in [one[name] for one in apart]]
    return {
        "releases": pair.releases,
        "protocol": pair.base,
        "rules": list(pair.rules),
        "bounds": pair.bounds,
        "steps": together,
        "unexplained": {name: [one[name] for one in apart] for name in unexplained},
    }


def goldens():
    """Return the rows of the file."""
    return json.loads(FILE.read_text("utf-8"))


def write():
    """Search every pair and write the file."""
    with replacing(FILE) as target:
        between = "[\n  "
        for one in pairs():
            target.write(between + json.dumps(searched(*one)))
            between = ",\n  "
        target.write("\n]\n")

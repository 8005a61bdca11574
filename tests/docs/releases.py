"""The table of docs/releases.md: what each release of Kafka runs, and what that violates."""

from dataclasses import dataclass

from tidegate.analysis.selection import assemble
from tidegate.checker.check import check
from tidegate.core.spec import Outcome
from tidegate.model.broker.releases import KRAFT, Release, every_release

PATCHES = {
    "0.11.0": ("0.11.0.0", "0.11.0.1"),
    "1.0": ("1.0.0", "1.0.1", "1.0.2"),
    "1.1": ("1.1.0", "1.1.1"),
    "2.0": ("2.0.0", "2.0.1"),
    "2.4": ("2.4.0", "2.4.1"),
    "2.6": ("2.6.0", "2.6.1"),
    "2.8": ("2.8.0", "2.8.1"),
    "3.4": ("3.4.0", "3.4.1"),
}
"""The patch releases between which a rule changed."""

PROPERTIES = {
    "loses": "NoCommittedRecordLost",
    "diverges": "LogMatching",
    "exits": "NoBrokerExits",
}

SEARCHES = (
    "records=2 crashes=2 elections=1",
    "records=3 crashes=0 elections=2 moves",
    "records=1 crashes=0 elections=3 moves",
    "replicas=3 records=1 crashes=0 elections=3 moves",
)
"""The bounds of the columns; the last one takes half a minute."""


@dataclass(frozen=True)
class Row:
    """Consecutive releases with the same rules and options."""

    first: Release
    last: Release

    @property
    def name(self):
        """Return the releases as the page shows them."""
        same = self.first.name == self.last.name
        return self.first.name if same else f"{self.first.name} to {self.last.name}"

    @property
    def older(self):
        """Return the rules in which it differs from the protocol that it is based on."""
        protocol = self.last.protocol
        base = protocol.parent.rules
        return ", ".join(
            f"{name} = {rule.__name__}"
            for name, rule in sorted(vars(protocol.rules).items())
            if rule is not getattr(base, name)
        )

    def verdict(self, bounds):
        """Return what the release violates within these bounds, with the steps."""
        system, properties = assemble(
            self.last.protocol.name,
            ["isr_propagation=instant", *bounds.split()],
            list(PROPERTIES.values()),
        )
        result = check(system, properties, keep_going=True)
        steps = {v.property.name: v for v in result.verdicts}
        violated = [
            f"{word} in {len(steps[name].trace.steps)}"
            for word, name in PROPERTIES.items()
            if steps[name].outcome is Outcome.VIOLATED
        ]
        return ", ".join(violated) or "holds"


def rows():
    """Return the rows of the page, oldest first."""
    found = []
    for release in every_release():
        for name in PATCHES.get(release.name, (release.name,)):
            one = Release(name, release.metadata)
            if found and _alike(found[-1].last, one):
                found[-1] = Row(found[-1].first, one)
            else:
                found.append(Row(one, one))
    return found


def _alike(older, newer):
    kinds = [(r.metadata, r.settings, r.protocol.rules, r.protocol.parent) for r in (older, newer)]
    return kinds[0] == kinds[1]


def line(row, verdicts):
    """Return a row of the page."""
    options = f" `{' '.join(row.last.settings)}`" if row.last.settings else ""
    older = f"`{row.older}`".replace(", ", "`, `") if row.older else "none"
    cells = (
        f"{row.name}, {'KRaft' if row.last.metadata == KRAFT else 'ZooKeeper'}",
        f"`{row.last.protocol.parent.name}`{options}",
        older,
        *verdicts,
    )
    return f"| {' | '.join(cells)} |"


__all__ = ["SEARCHES", "Row", "line", "rows"]

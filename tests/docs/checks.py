"""The tables of docs/checks.md and docs/not-modelled.md, read."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

GUARD, SAME, REASON, LEFT_OUT = "guard", "same verdict", "no effect", "not modelled"

KINDS = (GUARD, SAME, REASON, LEFT_OUT)

SEARCH = re.compile(
    r"`(?P<name>[^`]+)`(?: with `(?P<option>\w+)`)?(?:, (?:not|as) `(?P<other>[^`]+)`)?, "
    r"`(?P<bounds>[^`]*=[^`]*)`: (?P<property>\w+)(?:, (?P<steps>\d+)| holds)"
)


@dataclass(frozen=True)
class Search:
    """A protocol, the one that it is compared with, bounds, and what the page says of them.

    ``steps`` is None if the property holds.
    """

    name: str
    option: str
    other: str
    bounds: str
    property: str
    steps: int | None


@dataclass(frozen=True)
class Check:
    """A row of docs/checks.md: what Kafka checks, and what stands for it."""

    title: str
    number: int
    function: str
    checks: str
    kind: str
    model: str

    @property
    def id(self):
        """The name of the row in a list of tests."""
        return f"{self.title} {self.number}"

    @property
    def functions(self):
        """The functions of the model that are named before the search."""
        return re.findall(r"`(\w+)`", self.model.partition(";")[0])

    @property
    def searches(self):
        """The searches that are named."""
        return searches(self.model)

    @property
    def rows(self):
        """The rows of docs/not-modelled.md that are linked."""
        return re.findall(r"\[((?:[^\[\]])+)\]\(not-modelled\.md\)", self.model)


def searches(text):
    """Return the searches in a text."""
    return [
        Search(
            one["name"],
            one["option"] or "",
            one["other"] or "",
            one["bounds"],
            one["property"],
            int(one["steps"]) if one["steps"] else None,
        )
        for one in SEARCH.finditer(text)
    ]


def checks():
    """Return the rows of docs/checks.md."""
    rows, title, number = [], "", 0
    for line in (ROOT / "docs" / "checks.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            title, number = line[3:], 0
        if not line.startswith("| ") or line.startswith(("| Kafka's", "| ---")):
            continue
        number += 1
        function, check, _, _, cell = line[2:-2].split(" | ")
        kind, model = re.fullmatch(r"(?:\*\*(.*?)\*\* )?(.*)", cell).groups()
        rows.append(Check(title, number, function, check, kind or "", model))
    return rows


def left_out():
    """Return the rows of docs/not-modelled.md, by what is left out."""
    lines = (ROOT / "docs" / "not-modelled.md").read_text("utf-8").splitlines()
    cells = [line[2:-2].split(" | ") for line in lines if line.startswith("| ")]
    return {name: rest for name, *rest in cells if name not in ("Left out", "---")}

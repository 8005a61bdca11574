"""The shortest trace to each known bug with more replicas, as a table of Markdown.

``catalogue.py [--replicas N ...] [--time-limit TIME] [--memory SIZE] [--rows FIRST LAST]``
searches for each row of ``docs/catalogue.md`` with its own bounds, but with that many replicas, and
prints the steps of the shortest trace: ``-`` if the property holds, ``> N`` if a limit ended the
search and no trace has N steps or fewer, ``?`` if a limit ended it and only all states together
could decide.  It searches with ``--symmetry`` where the property allows that.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from markdown import put

from tidegate.core.spec import Kind
from tidegate.invariants.broker import PROPERTIES

TIDEGATE = Path(sys.executable).parent / "tidegate"
PAGE = Path(__file__).parent.parent / "docs" / "catalogue.md"

NEED_ALL_STATES = {
    prop.name for prop in PROPERTIES if prop.kind is Kind.STUCK or prop.kind.is_liveness
}
"""The properties that are decided when a search is complete."""

Case = tuple[str, str, str, str]
"""A bug's name, the protocol that shows it, its bounds, and the first property that it violates."""


def cases(text: str) -> list[Case]:
    """Return the cases of the page."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| [")]
    return [
        (re.sub(r"\]\(.*?\)", "", row[0]).lstrip("["), row[2].strip("`"), row[3].strip("`"),
         re.split(r"[ ,]", row[4])[0])
        for row in rows
    ]  # fmt: skip


def steps(case: Case, replicas: int, limits: list[str]) -> str:
    """Return the steps of the shortest trace, as shown in the table."""
    _, protocol, bounds, prop = case
    wanted = [bound for bound in bounds.split() if not bound.startswith("replicas=")]
    arguments = [a for bound in [*wanted, f"replicas={replicas}"] for a in ("-b", bound)]
    command = [str(TIDEGATE), "check", protocol, *arguments, "-p", prop, *limits, "--json", "-"]
    for more in (["--symmetry"], []):
        ran = subprocess.run([*command, *more], capture_output=True, check=False, text=True)
        if ran.stdout:
            break
    report = json.loads(ran.stdout)
    [verdict] = report["properties"]
    if verdict["outcome"] == "incomplete" and prop in NEED_ALL_STATES:
        return "?"
    if verdict["outcome"] == "incomplete":
        # The last level may lack states, and a behavior of N states has N - 1 steps.
        return f"> {report['depth'] - 2}"
    return "-" if verdict["outcome"] == "holds" else str(verdict["steps"])


def main() -> None:
    """Print a row for each bug."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", nargs="*", type=int, default=[2, 3, 4])
    parser.add_argument("--time-limit", default="60s")
    parser.add_argument("--memory", default="6G")
    parser.add_argument("--rows", nargs=2, type=int, default=[1, 1000])
    chosen = parser.parse_args()
    limits = ["--time-limit", chosen.time_limit, "--max-memory", chosen.memory]
    put(["bug", "violated", *(f"{count} replicas" for count in chosen.replicas)])
    put(["---", "---", *["---:"] * len(chosen.replicas)])
    first, last = chosen.rows
    for case in cases(PAGE.read_text(encoding="utf-8"))[first - 1 : last]:
        traces = [steps(case, replicas, limits) for replicas in chosen.replicas]
        put([case[0], case[3], *traces])


if __name__ == "__main__":
    main()

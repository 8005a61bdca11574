"""Writes the output of the commands that README.md and pages in docs/ show into them."""

import json
import re
import shlex
import tempfile
from pathlib import Path

from tests.docs.commands import output
from tests.docs.tutorial import played

ROOT = Path(__file__).parents[2]

PAGES = ("diff.md", "explain.md", "eventually.md")
"""Pages on which a block begins with its command."""


def write():
    """Write the present output into all of them."""
    rewrite(ROOT / "README.md", _readme)
    for name in PAGES:
        rewrite(ROOT / "docs" / name, _with_output)
    with tempfile.TemporaryDirectory() as folder:
        rewrite(ROOT / "docs" / "first-change.md", lambda text: played(text, folder))


def rewrite(page, change):
    """Change the text of a page, unless only seconds differ."""
    before = page.read_text("utf-8")
    after = change(before)
    if without_seconds(after) != without_seconds(before):
        page.write_text(after, "utf-8")


def without_seconds(text):
    """Return output without how long it took, and the spaces before that."""
    return re.sub(r"\s+[\d.]+ s\b", " s", text)


def _readme(text):
    shown = iter([output("check", name, columns=80) for name in ("hw", "kip-101")])
    # Blocks after these are of brokers, which are not started here.
    text = re.sub(
        r"```text\n.*?```", lambda _: f"```text\n{next(shown)}\n```", text, count=2, flags=re.S
    )
    report = json.loads(output("check", "kip-101", "--json", "-", columns=80))
    for name in ("distinct_states", "generated_states", "depth"):
        text = re.sub(rf'"{name}": \d+', f'"{name}": {report[name]}', text)
    return re.sub(r'"Produce": \d+', f'"Produce": {report["actions"]["Produce"]}', text)


def _with_output(text):
    return re.sub(
        r"```text\n\$ tidegate (.*?)\n.*?```",
        lambda block: f"```text\n$ tidegate {block[1]}\n{output(*shlex.split(block[1]))}\n```",
        text,
        flags=re.S,
    )

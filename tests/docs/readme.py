"""Writes the output of the commands that README.md and pages in docs/ show into them.

README.md has links to tickets and KIPs, too; the other pages have them on the site.
"""

import json
import re
import shlex
import tempfile
from pathlib import Path

from tests.docs.commands import excerpt, output
from tests.docs.tutorial import Shell, played
from tidegate.library.links import linked

ROOT = Path(__file__).parents[2]

PAGES = ("docs/diff.md", "docs/explain.md", "docs/eventually.md", "tests/docs/outputs.md")
"""Files in which a block begins with its command."""


def write():
    """Write the present output into all of them."""
    with tempfile.TemporaryDirectory() as folder:
        rewrite(ROOT / "README.md", lambda text: linked(with_excerpts(text, folder)))
    rewrite(ROOT / "docs" / "command-line.md", _report)
    for name in PAGES:
        rewrite(ROOT / name, _with_output)
    with tempfile.TemporaryDirectory() as folder:
        rewrite(ROOT / "docs" / "first-change.md", lambda text: played(text, folder))


def rewrite(page, change):
    """Change the text of a page, unless only seconds differ."""
    before = page.read_text("utf-8")
    after = change(before)
    if without_seconds(after) != without_seconds(before):
        page.write_text(after, "utf-8")


def without_seconds(text):
    """Return output without what depends on the machine: how long it took, and by which engine."""
    text = re.sub(r"exact, (interpreted|compiled) engine", "exact, one engine", text)
    return re.sub(r"\s+[\d.]+ s\b", " s", text)


def with_excerpts(text, folder):
    """Return README.md with what its commands print now in an empty folder, but for lines left out.

    The folder has what ``tidegate init`` writes, with a rule that always returns True.
    """
    shell = Shell(folder, columns=125)
    shell.run("tidegate init")
    rule = shell.folder / "my_protocol.py"
    before, after = rule.read_text().split("return offset >= s.replica[leader].hw\n")
    rule.write_text(f"{before}return True\n{after}")
    return _with_output(text, lambda command: shell.run(command, violated=True))


def _report(text):
    report = json.loads(output("check", "kip-101", "--json", "-", columns=80))
    for name in ("distinct_states", "generated_states", "depth"):
        text = re.sub(rf'"{name}": \d+', f'"{name}": {report[name]}', text)
    return re.sub(r'"Produce": \d+', f'"Produce": {report["actions"]["Produce"]}', text)


def _with_output(text, run=lambda command: output(*shlex.split(command)[1:])):
    def now(block):
        _, command, *shown, _ = block[0].splitlines()
        lines = excerpt(shown, run(command.removeprefix("$ ")).splitlines())
        return "\n".join(("```text", command, *lines, "```"))

    return re.sub(r"```text\n\$ tidegate .*?```", now, text, flags=re.S)

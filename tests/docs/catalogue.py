"""The rows of docs/catalogue.md, and the pages of their traces, docs/catalogue/."""

import re
import shlex
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

from tests.docs.commands import output
from tidegate.library.links import linked

PAGE = Path(__file__).parents[2] / "docs" / "catalogue.md"


@dataclass(frozen=True)
class Bug:
    """A row: the bug, the protocol that shows it, where, and the one that fixes it.

    ``together`` are properties that the same trace violates: which histories are kept decides which
    of the shortest traces is shown.
    """

    title: str
    page: str
    shown_by: str
    bounds: str
    violated: str
    together: tuple[str, ...]
    steps: int
    fixed_by: str
    fixed_at: str

    @property
    def command(self):
        """The command that shows it."""
        bounds = [word for bound in self.bounds.split() for word in ("-b", bound)]
        properties = [word for name in (self.violated, *self.together) for word in ("-p", name)]
        return ["check", self.shown_by, *bounds, *properties]


def unlinked(text):
    """Return a text without the links to tickets, KIPs and functions of Kafka."""
    return re.sub(r"\[([^\[\]]*)\]\(https:[^()]*(?:\([^()]*\)[^()]*)*\)", r"\1", text)


def bugs(text):
    """Return the bugs that have a row in the page with this text."""
    rows = []
    for line in unlinked(text).splitlines():
        if not line.startswith("| ["):
            continue
        bug, _, shown_by, bounds, violated, fixed_by = line[2:-2].split(" | ")
        title, page, more = re.fullmatch(r"\[(.*?)\]\(catalogue/(.*?)\)(.*)", bug).groups()
        name, *together, steps = violated.split(", ")
        fix, *elsewhere = re.findall(r"`(.*?)`", fixed_by)
        shown = shown_by.strip("`"), bounds.strip("`")
        found = name, tuple(together), int(steps)
        rows.append(Bug(title + more, page, *shown, *found, fix, *(elsewhere or shown[1:])))
    return rows


def mechanism(bug):
    """Return what goes wrong, in the words of a bug's page: the paragraph above its trace."""
    page = (PAGE.with_suffix("") / bug.page).read_text("utf-8")
    title = linked(f"# {bug.title}\n")
    [text] = re.findall(rf"{re.escape(title)}\n(\[?[A-Z].*\.)\n\n```text\n", page)
    return text


SAME = (
    r"; with (none|at most \d+), no behavior within these bounds violates \w+",
    r"; without it, no behavior within these bounds violates \w+",
    r" \w+ needs [^.]*?: with fewer of any, no behavior within these bounds violates it\.",
    r" None of the \d+ steps can be dropped: the rest would not violate it\.",
)
"""What `tidegate explain` says of every bug, which docs/catalogue.md says once."""

NEED = re.compile(r"\n(?=\d+ [a-zA-Z ]+ \(|option \w+:|Not searched:)")
"""Where the next fault, option or remark of what a trace needs begins."""


def particular(explained):
    """Return what is particular to a bug: its steps, what is wrong, and what that needs."""
    head, _, rest = explained.partition("\n\n")
    headline = re.match(r".*? is\sviolated(\safter\s\d+\ssteps|:.*?cycle\sof\s\d+)", head, re.S)
    story, _, needs = rest.rpartition("What it needs, ")
    lines = []
    for need in NEED.split(f"What it needs, {needs}"):
        text = " ".join(need.split())
        for pattern in SAME:
            text = re.sub(pattern, "", text)
        lines += textwrap.wrap(text, 100)
    return "\n".join((headline[0], "", f"{story}{lines[0]}", *lines[1:]))


def write():
    """Search the trace of each bug, and write its page below what goes wrong."""
    with tempfile.TemporaryDirectory() as folder:
        trace = f"{folder}/trace.json"
        for bug in bugs(PAGE.read_text("utf-8")):
            output(*bug.command, "--quiet", "--json", trace)
            explained = output("explain", trace, "--time-limit", "30m")
            page = (
                f"# {bug.title}\n\n{mechanism(bug)}\n\n```text\n"
                f"$ tidegate {shlex.join(bug.command)} --json trace.json\n"
                f"$ tidegate explain trace.json\n{particular(explained)}\n```\n"
            )
            (PAGE.with_suffix("") / bug.page).write_text(linked(page), encoding="utf-8")
            sys.stderr.write(f"{bug.title}: {len(explained.splitlines())} lines\n")

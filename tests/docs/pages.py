"""The pages that people read, and what they quote as code."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)

GONE = re.compile(r"^Superseded by ", re.MULTILINE)
"""Begins the status of a decision that another one has replaced: it names what there was."""


def pages():
    """Return the text of each page of today by its path, and of the action and the hook."""
    beside = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks/README.md", "action.yml"]
    paths = [ROOT / name for name in beside] + sorted((ROOT / "docs").rglob("*.md"))
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    return {name: text for name, text in texts.items() if not GONE.search(text)}


@cache
def files():
    """Return the paths of all files of the project."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def blocks(text, language):
    """Return the blocks blocks of a language."""
    return [block for of, block in FENCED.findall(text) if of == language]


def quoted(text):
    """Return what is quoted in the sentences and the tables of a page, each once."""
    code = re.findall(r"`` ?(.+?) ?``|`([^`\n]+)`", FENCED.sub("", text))
    return dict.fromkeys((double or single).replace("\\|", "|") for double, single in code)


def command_lines(text):
    """Return the lines in which a page shows a command, in blocks and in sentences."""
    text = text.replace("\\\n", " ")
    shown = "\n".join([*blocks(text, "sh"), *blocks(text, "yaml")]).splitlines()
    shown += re.findall(r"^ *\$ (.*)", text, re.MULTILINE)
    shown += re.findall(r"sh '(.*)'", "".join(blocks(text, "groovy")))
    return [*shown, *(code for code in quoted(text) if " " in code)]

"""A tutorial, typed along: every block of docs/first-change.md in the order of the page."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.docs.commands import excerpt

BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def played(text, folder):
    """Return the page with what its commands print in this empty folder, but for lines left out.

    What is in `sh` blocks is run, as are the commands that begin `text` blocks; `diff` is applied,
    and `toml` is appended to the gate's file.
    """
    shell = Shell(folder)

    def now(block):
        language, body = block.groups()
        if language == "sh":
            shell.run(body)
        elif language == "diff":
            shell.run("git apply -", body)
        elif language == "toml":
            shell.run("cat >>tidegate.toml", f"\n{body}")
        elif language == "text":
            command, *shown = body.splitlines()
            lines = shell.run(command.removeprefix("$ "), violated=True).splitlines()
            body = "\n".join((command, *excerpt(shown, lines), ""))
        else:
            raise AssertionError(f"nobody runs a block of {language}")
        return f"```{language}\n{body}```"

    return BLOCK.sub(now, text)


class Shell:
    """Runs commands as one shell does: a later one begins in the directory of the one before."""

    def __init__(self, folder, columns=100):
        self.folder = Path(folder)
        self.environment = {
            **os.environ,
            "COLUMNS": str(columns),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        for who in ("AUTHOR", "COMMITTER"):
            self.environment |= {f"GIT_{who}_NAME": "You", f"GIT_{who}_EMAIL": "you@example.org"}

    def run(self, script, given=None, violated=False):
        """Return what a script prints; it fails unless a check of it may find a violation."""
        done = subprocess.run(
            ["bash", "-e", "-c", f"{script}\npwd >&2"] if not violated else ["bash", "-c", script],
            cwd=self.folder, env=self.environment, input=given, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode not in ((0, 1, 12) if violated else (0,)):
            raise AssertionError(f"{script}\n{done.stdout}{done.stderr}")
        if not violated:
            self.folder = Path(done.stderr.splitlines()[-1])
        return "\n".join(line.rstrip() for line in done.stdout.rstrip("\n").splitlines())

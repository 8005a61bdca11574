"""A directory as a user of the gate has it, and the gate run there."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tidegate.cli import main

OWN = '''"""A protocol of my own."""

from dataclasses import replace

from tidegate.model.broker.protocols.kip320 import KIP_320


def serve(s, k, leader, epoch):
    """Serve whoever is in the leader's own epoch."""
    BODY


OWN = replace(
    KIP_320,
    name="own",
    parent=KIP_320,
    rules=replace(KIP_320.rules, may_serve_fetch=serve),
)

from tidegate import pure


@pure
def outside(code):
    exec(code)
'''
"""What a rule does to the world, which no model may, is in a function that is declared pure."""

GOOD = "return s.replica[leader].epoch == epoch"


class Project:
    """A directory with a gate's file in it."""

    def __init__(self, path):
        self.path = path

    def write(self, name, text):
        """Write a file, and return its path."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def own(self, name, body=GOOD):
        """Write a protocol whose rule has this body, on line 10."""
        return self.write(name, OWN.replace("BODY", body.replace("\n", "\n    ")))

    def gate(self, text=None, *arguments, status=None):
        """Run the gate in this process, and return its report with what it printed."""
        if text is not None:
            self.write("tidegate.toml", text)
        command = ["gate", "--json", "report.json", "--jobs", "2", *arguments]
        result = CliRunner().invoke(main, command)
        if status is not None:
            assert result.exit_code == status, result.output
        report = self.path / "report.json"
        found = json.loads(report.read_text()) if report.exists() else {}
        found["status"], found["output"] = result.exit_code, result.output
        return found

    def start(self, *arguments, **environment):
        """Run the command line as its own process."""
        command = [sys.executable, "-m", "tidegate", *arguments]
        known = {name: value for name, value in os.environ.items() if "GITHUB" not in name}
        return subprocess.run(
            command,
            cwd=self.path,
            env={**known, **environment},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return an empty directory, which is the present one, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return Project(tmp_path)

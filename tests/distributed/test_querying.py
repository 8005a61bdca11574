"""What docs/querying.md asks of exported tables is answered as the page says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

TEXT = (Path(__file__).parents[2] / "docs" / "querying.md").read_text("utf-8")

MARK = "behind a block"


def blocks(language):
    """Return the fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.slow
@pytest.mark.spark
def test_the_answers_are_real(session_environment, tmp_path, monkeypatch):
    """The blocks of code follow each other in one process, as a reader would run them."""
    monkeypatch.chdir(tmp_path)
    [command] = blocks("sh")
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    assert result.exit_code == 12, result.output
    script = "".join(f"{block}\nprint({MARK!r})\n" for block in blocks("python"))
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, env=session_environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split(f"{MARK}\n")
    assert printed.pop() == ""
    assert [text.strip("\n") for text in printed] == [text.strip("\n") for text in blocks("text")]
    assert len(printed) == 2

"""What docs/spark.md shows can be done."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

TEXT = (Path(__file__).parents[2] / "docs" / "spark.md").read_text("utf-8")


def blocks(language):
    """Return the fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.usefixtures("java")
def test_the_commands_follow_each_other(tmp_path):
    """They are cut short before Spark is needed, since no cluster is there."""
    lines = [shlex.split(line) for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) == 4
    for line in lines:
        arguments = [part.replace("/nfs", str(tmp_path)) for part in line[1:]]
        result = CliRunner().invoke(main, [*arguments, "--max-states", "3000"])
        assert result.exit_code == 3, result.output


@pytest.mark.slow
@pytest.mark.spark
def test_a_search_in_a_session_that_there_is(session_environment, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"{blocks('python')[0]}assert spark.range(3).count() == 3\n")
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command, env=session_environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.spark
def test_the_command_line_under_spark_submit(session_environment, tmp_path):
    import pyspark

    script = tmp_path / "script.py"
    script.write_text(blocks("python")[1])
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    search = [
        "check",
        "tidegate.examples.published:hw",
        "-b",
        "records=1",
        "--engine",
        "spark",
        "--quiet",
    ]
    command = [str(submit), "--master", "local[2]", str(script), *search, "--local-levels", "0"]
    done = subprocess.run(
        command, env=session_environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 12, done.stderr
    assert done.stdout.startswith("VIOLATED tidegate.examples.published:hw")

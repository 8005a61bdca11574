"""What the Dockerfile runs, without a container; .ci/run runs scripts/demo."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.kafka

ROOT = Path(__file__).parents[2]
LINES = re.findall(r"^(RUN|CMD|ENV) (.*)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_the_image_replays_the_loss_on_two_releases(kafka, tmp_path):
    """The image has Java and Maven by apt-get; here its other lines run one after the other."""
    releases = [version for _, line in LINES for version in re.findall(r"\.kafka/([\d.]+)", line)]
    [fetched] = [shlex.split(line)[2:] for _, line in LINES if "scripts/kafka" in line]
    assert fetched == releases == ["0.10.2.2", "2.6.0"]
    for version in releases:
        kafka(version)
    for name in ("scripts", ".kafka"):
        (tmp_path / name).symlink_to(ROOT / name)
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    assert ("ENV", "PATH=/tidegate/.venv/bin:$PATH") in LINES
    printed = ""
    for what, line in LINES:
        if what != "ENV" and not line.startswith(("apt-get", "sh scripts/demo")):
            command = ["sh", "-c", line]
            done = subprocess.run(
                command, cwd=tmp_path, env={**os.environ, **path}, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stdout + done.stderr
            printed += done.stdout
    assert "FOLLOWED Kafka 0.10.2.2: it did all 12 steps as hw says." in printed
    assert "DIFFERS Kafka 2.6.0: it diverges from hw at step 9" in printed

"""Real brokers for tests: releases that ``scripts/kafka`` has fetched."""

import os
import shutil
from pathlib import Path

import pytest

RELEASES = Path(__file__).parents[2] / ".kafka"


def missing(message):
    """Skip what needs a real broker where there is none, unless it is required."""
    if os.environ.get("TIDEGATE_REQUIRE_KAFKA") == "1":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture
def kafka():
    """Return the directory of a release's jars."""

    def find(version):
        folder = RELEASES / version
        if shutil.which("java") is None:
            missing("Kafka needs Java; on Debian: apt install default-jre-headless")
        if not folder.is_dir():
            missing(f"Kafka {version} is missing; run: sh scripts/kafka {version}")
        return str(folder)

    return find

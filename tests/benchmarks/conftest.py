"""What the tests of the benchmarks import lies outside the package, beside the commands."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))


@pytest.fixture
def outputs() -> Path:
    """Return the directory with what the checkers really printed."""
    return Path(__file__).parent / "outputs"


@pytest.fixture
def command() -> Path:
    """Return the command's file."""
    return ROOT / "benchmarks" / "peers.py"

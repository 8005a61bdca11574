"""Where the package's files are."""

import configparser
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked(*patterns):
    """Return the paths of the files that git knows and that are there."""
    # The clone may be another user's, as it often is in a container, and git would refuse it.
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", *patterns],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture
def root() -> Path:
    """Return the repository's root, which is the package's directory too."""
    return ROOT


@pytest.fixture
def packages() -> dict[str, Path]:
    """Return the packages that setup.cfg lists, with their directories."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    names = config["options"]["packages"].split()
    return {name: ROOT.joinpath(*name.split(".")[1:]) for name in names}


@pytest.fixture
def modules(packages) -> dict[str, Path]:
    """Return the package's modules with their files."""
    found = {}
    for package, directory in packages.items():
        for file in sorted(directory.glob("*.py")):
            if file != ROOT / "setup.py":
                name = package if file.stem == "__init__" else f"{package}.{file.stem}"
                found[name] = file
    return found

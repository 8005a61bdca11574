"""Where the package's files are."""

import configparser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


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

"""What an installation without extras takes on the disk."""

from importlib.metadata import distribution, requires

from packaging.requirements import Requirement

MOST = 232 << 20
"""Bytes of all distributions that ``pip install tidegate`` brings; a new venv has pip besides."""


def required(name, known):
    """Add the distributions that one needs without extras, and those that these need."""
    for text in requires(name) or ():
        need = Requirement(text)
        applies = need.marker is None or need.marker.evaluate({"extra": ""})
        if applies and need.name not in known:
            known.add(need.name)
            required(need.name, known)
    return known


def size(name):
    """Return the bytes of the files of a distribution, without compiled ones."""
    files = [one.locate() for one in distribution(name).files or ()]
    return sum(one.stat().st_size for one in files if one.suffix != ".pyc" and one.is_file())


def test_an_installation_without_extras_is_small():
    names = required("tidegate", set())
    assert {"llvmlite", "numpy", "networkx", "click"} <= names
    assert not {"scipy", "pyspark", "pyarrow"} & names
    sizes = {name: size(name) for name in names}
    assert 0 < sum(sizes.values()) < MOST, sizes

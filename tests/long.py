"""Tests that take half a second or longer: the default run leaves them out, .ci/run has them.

Renew the list on a machine that does nothing else::

    sh scripts/test -m 'not slow' --junitxml times.xml
    .venv/bin/python -m tests.long times.xml
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

LIST = Path(__file__).with_suffix(".txt")

SECONDS = 0.5
"""What a test of the default run may take."""


def listed() -> frozenset[str]:
    """Return the tests that take long: a whole function, or what one set of parameters makes."""
    return frozenset(LIST.read_text("utf-8").splitlines())


def measured(report: Path) -> list[str]:
    """Return the tests that took long by a report of pytest, in the order of their names."""
    cases: dict[str, dict[str, bool]] = defaultdict(dict)
    for case in ElementTree.parse(report).iter("testcase"):
        file = case.attrib["classname"].replace(".", "/") + ".py"
        test = f"{file}::{case.attrib['name']}"
        cases[test.partition("[")[0]][test] = float(case.attrib["time"]) > SECONDS
    lines = []
    for function, tests in cases.items():
        lines += [function] if all(tests.values()) else [test for test in tests if tests[test]]
    return sorted(lines)


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in measured(Path(sys.argv[1]))), "utf-8")

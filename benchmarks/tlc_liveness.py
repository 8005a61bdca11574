"""Compare the verdicts on liveness in ``tests/liveness/goldens.json`` with TLC.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/tlc_liveness.py [PROTOCOL [BOUNDS]]
        --jar tla2tools.jar --specs kafka-specification

The formulas are those of ``tests/liveness/tla``, which extend the original modules.  All properties
that hold are checked in one run.  Each of the others has its own run, since TLC does not name the
property that is violated.  TLC runs with one worker, without symmetry and without a constraint.
Exit status: 0 if all verdicts agree, 1 if one differs, 2 for wrong usage or if TLC fails.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from tlc import MODULES, Task, TlcError, requirements, run, states_and_depth, task

from tidegate.core.bounds import parse, unknown
from tidegate.core.spec import TidegateError
from tidegate.library.names import find_protocol

LIVENESS = Path(__file__).parents[1] / "tests" / "liveness"


def liveness_task(row: dict[str, Any], properties: Sequence[str]) -> Task:
    """Return the run of TLC for a row of the goldens."""
    protocol = find_protocol(row["protocol"])
    counting = task(protocol, parse(protocol.model.bounds, row["bounds"].split()))
    wanted = "".join(f"\nPROPERTY {name}" for name in properties)
    return Task(
        f"LastEpoch{counting.module}",
        counting.configuration.replace(
            "INIT Init\nNEXT Next", f"SPECIFICATION LastEpochSpec{wanted}"
        ),
        {file.name: file.read_text("utf-8") for file in (LIVENESS / "tla").glob("*.tla")},
    )


def violates(output: str) -> bool:
    """Whether TLC says that a property is violated.

    Raises
    ------
    TlcError
        If it says neither that nor that all hold.
    """
    if "Error: Temporal properties were violated." in output:
        return True
    states_and_depth(output)
    if "Model checking completed. No error has been found." not in output:
        raise TlcError(f"TLC did not finish; it printed:\n{output[-2000:]}")
    return False


def agrees(row: dict[str, Any], paths: tuple[str, Path, Path]) -> bool:
    """Check a row, and print a line for each run."""
    same = True
    for expected, properties in [
        (False, row["holds"].split()),
        *((True, [name]) for name in row["violated"].split()),
    ]:
        if not properties:
            continue
        began = perf_counter()
        violated = violates(run(*paths, liveness_task(row, properties)))
        same &= violated is expected
        agreement = "agree" if violated is expected else "DIFFER"
        sys.stdout.write(
            f"{agreement}: {row['protocol']} {row['bounds']}: TLC "
            f"says {'violated' if violated else 'holds'} ({perf_counter() - began:.0f} s): "
            f"{' '.join(properties)}\n"
        )
        sys.stdout.flush()
    return same


def compare(options: argparse.Namespace) -> bool:
    """Check the requested rows."""
    rows = json.loads((LIVENESS / "goldens.json").read_text("utf-8"))["rows"]
    known = sorted({row["protocol"] for row in rows})
    if options.protocol and options.protocol not in known:
        raise TlcError(unknown("protocol with goldens", options.protocol, known))
    chosen = [
        row
        for row in rows
        if options.protocol in (None, row["protocol"]) and options.bounds in (None, row["bounds"])
    ]
    if not chosen:
        raise TlcError(f"there is no golden of {options.protocol} with bounds {options.bounds!r}")
    # Every row is checked, also after one that differs.
    answers = [
        agrees(row, requirements(options.jar, options.specs, MODULES[row["protocol"]]))
        for row in chosen
    ]
    return all(answers)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("protocol", metavar="PROTOCOL", nargs="?")
    parser.add_argument("bounds", metavar="BOUNDS", nargs="?", help="as in the goldens")
    parser.add_argument("--jar", default=os.environ.get("TIDEGATE_TLC_JAR"))
    parser.add_argument("--specs", default=os.environ.get("TIDEGATE_TLC_SPECS"))
    try:
        return 0 if compare(parser.parse_args(arguments)) else 1
    except TidegateError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())

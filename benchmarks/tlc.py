"""Count with TLC what Tidegate counts: distinct states, depth and steps to a first violation.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/tlc.py PROTOCOL [-b NAME=VALUE]... [-p INVARIANT]...
        --jar tla2tools.jar --specs kafka-specification

It writes a configuration, runs TLC with one worker in a temporary directory, and compares with the
golden of the same bounds in ``tests/goldens.json``, or with a search if there is none.  Exit
status: 0 if the numbers agree, 1 if they differ, 2 for wrong usage or if TLC fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidegate.checker.check import check
from tidegate.core.bounds import parse, unknown
from tidegate.core.spec import TidegateError
from tidegate.library.names import find_protocol
from tidegate.library.properties import invariants_of
from tidegate.model import Protocol

GOLDENS = Path(__file__).parents[1] / "tests" / "goldens.json"

MODULES = {
    "tidegate.examples.published:hw": "KafkaTruncateToHighWatermark",
    "tidegate.examples.published:kip_101": "Kip101",
    "tidegate.examples.published:kip_279": "Kip279",
    "tidegate.examples.published:kip_320_first_try": "Kip320FirstTry",
    "tidegate.examples.published:kip_320": "Kip320",
    "tidegate.examples.async_isr:async_isr": "AsyncIsr",
}
"""The module that each protocol reproduces."""

ASKED = dict.fromkeys(MODULES, ("WeakIsr", "StrongIsr"))
ASKED["tidegate.examples.async_isr:async_isr"] = ("ValidHighWatermark",)
"""The invariants of the originals that TLC can evaluate."""

WRAPPER = "TidegateAsyncIsr"
"""Our module that adds the missing constraint to AsyncIsr."""

CONSTRAINT = f"""\
---- MODULE {WRAPPER} ----
EXTENDS AsyncIsr
CONSTANT MaxVersion
Within == leaderState.offsets[Leader] <= MaxOffset /\\ controllerState.version <= MaxVersion
====
"""


class TlcError(TidegateError):
    """Something that TLC needs is missing, or TLC fails."""


@dataclass(frozen=True)
class Task:
    """A run of TLC: the root module, the configuration, and further modules to write."""

    module: str
    configuration: str
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Counted:
    """Counts of a search; ``steps`` has for each invariant the steps to its violation, or None."""

    distinct: int
    depth: int
    steps: dict[str, int | None]


def task(protocol: Protocol, bounds: Any, invariant: str | None = None) -> Task:
    """Write TLC's configuration for a protocol within bounds, with an invariant or none."""
    replicas = [f"r{number}" for number in range(1, bounds.replicas + 1)]
    lines = ["INIT Init", "NEXT Next"]
    constants = {"Replicas": f"{{{', '.join(replicas)}}}"}
    module, files = MODULES[protocol.name], {}
    if module == "AsyncIsr":
        module, files = WRAPPER, {f"{WRAPPER}.tla": CONSTRAINT}
        lines.append("CONSTRAINT Within")
        constants |= {
            "Leader": replicas[0],
            "MaxOffset": str(bounds.max_offset),
            "MaxVersion": str(bounds.max_version),
        }
    else:
        constants |= {
            "LogSize": str(bounds.log_size),
            "MaxRecords": str(bounds.records),
            "MaxLeaderEpoch": str(bounds.max_leader_epoch),
        }
    if invariant:
        lines.append(f"INVARIANT {invariant}")
    lines.append("CONSTANTS")
    lines += [f"    {name} = {value}" for name, value in constants.items()]
    return Task(module, "\n".join(lines) + "\n", files)


def requirements(jar: str | None, specs: str | None, module: str) -> tuple[str, Path, Path]:
    """Return the paths of Java, of the jar and of the specification's directory.

    Raises
    ------
    TlcError
        If one is missing; its text says where it is from.
    """
    if not jar or not Path(jar).is_file():
        raise TlcError(
            f"there is no tla2tools.jar at {jar or '(no path given)'}; give --jar or set "
            "TIDEGATE_TLC_JAR. It is on https://github.com/tlaplus/tlaplus/releases"
        )
    if not specs or not Path(specs, f"{module}.tla").is_file():
        raise TlcError(
            f"there is no {module}.tla in {specs or '(no directory given)'}; give --specs or set "
            "TIDEGATE_TLC_SPECS to a clone of https://github.com/hachikuji/kafka-specification"
        )
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if not java or not Path(java).is_file():
        raise TlcError("TLC needs Java; on Debian: apt install default-jre-headless")
    return java, Path(jar).resolve(), Path(specs)


def run(java: str, jar: Path, specs: Path, work: Task) -> str:
    """Return what TLC prints; it leaves its files in a directory that is removed afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        for file in specs.glob("*.tla"):
            shutil.copy(file, directory)
        Path(directory, f"{work.module}.cfg").write_text(work.configuration, "utf-8")
        for name, text in work.files.items():
            Path(directory, name).write_text(text, "utf-8")
        command = [java, "-XX:+UseParallelGC", "-cp", str(jar), "tlc2.TLC", "-deadlock"]
        command += ["-workers", "1", "-config", f"{work.module}.cfg", f"{work.module}.tla"]
        done = subprocess.run(
            command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    return done.stdout


def states_and_depth(output: str) -> tuple[int, int]:
    """Return distinct states and depth from what TLC printed after a complete search.

    Raises
    ------
    TlcError
        If it printed no such thing, or left states unexplored.
    """
    counts = re.findall(r"(\d+) distinct states found, (\d+) states left on queue", output)
    depth = re.findall(r"depth of the complete state graph search is (\d+)", output)
    if not counts or not depth or counts[-1][1] != "0":
        raise TlcError(f"TLC did not finish; it printed:\n{output[-2000:]}")
    return int(counts[-1][0]), int(depth[-1])


def steps_to_violation(output: str, invariant: str) -> int | None:
    """Return the steps of the trace that TLC printed, or None where the invariant holds."""
    if f"Invariant {invariant} is violated by the initial state" in output:
        return 0
    if f"Invariant {invariant} is violated" not in output:
        states_and_depth(output)
        return None
    return max(int(number) for number in re.findall(r"^State (\d+):", output, re.MULTILINE)) - 1


def expected(protocol: Protocol, bounds: Any, names: Sequence[str]) -> tuple[str, Counted]:
    """Return what Tidegate has to say, from the goldens where there is a row, else by searching."""
    for row in json.loads(GOLDENS.read_text("utf-8"))["rows"]:
        if row["protocol"] == protocol.name:
            same = parse(protocol.model.bounds, row["bounds"].split()) == bounds
            if same and set(names) <= set(row["steps"]):
                steps = {name: row["steps"][name] for name in names}
                return "golden", Counted(row["distinct"], row["depth"], steps)
    properties = [prop for prop in invariants_of(protocol) if prop.name in names]
    result = check(protocol.system(bounds), properties, keep_going=True)
    lengths = {v.property.name: len(v.trace.steps) if v.trace else None for v in result.verdicts}
    return "search", Counted(result.distinct_states, result.depth, lengths)


def compare(options: argparse.Namespace) -> bool:
    """Run TLC and print a line for each number; return whether all agree."""
    if options.protocol not in MODULES:
        raise TlcError(unknown("published protocol", options.protocol, MODULES))
    protocol = find_protocol(options.protocol)
    bounds = parse(protocol.model.bounds, options.bound)
    known = ASKED[protocol.name]
    for name in options.property:
        if name not in known:
            raise TlcError(unknown("invariant that TLC can evaluate", name, known))
    paths = requirements(options.jar, options.specs, MODULES[protocol.name])
    distinct, depth = states_and_depth(run(*paths, task(protocol, bounds)))
    counted: dict[str, int | None] = {"distinct states": distinct, "depth": depth}
    origin, ours = expected(protocol, bounds, options.property)
    wanted: dict[str, int | None] = {"distinct states": ours.distinct, "depth": ours.depth}
    for name in options.property:
        output = run(*paths, task(protocol, bounds, name))
        counted[f"steps to {name}"] = steps_to_violation(output, name)
        wanted[f"steps to {name}"] = ours.steps[name]
    for what, number in counted.items():
        shown = ["holds" if n is None else f"{n:,}" for n in (number, wanted[what])]
        agrees = "agree" if number == wanted[what] else "DIFFER"
        sys.stdout.write(f"{agrees}: {what}: TLC {shown[0]}, {origin} {shown[1]}\n")
    return counted == wanted


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; jar and specification may come from the environment instead."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("protocol", metavar="PROTOCOL", help=f"one of {', '.join(MODULES)}")
    parser.add_argument("-b", "--bound", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("-p", "--property", action="append", default=[], metavar="INVARIANT")
    parser.add_argument("--jar", default=os.environ.get("TIDEGATE_TLC_JAR"))
    parser.add_argument("--specs", default=os.environ.get("TIDEGATE_TLC_SPECS"))
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and return the exit status."""
    try:
        return 0 if compare(options_of(arguments)) else 1
    except TidegateError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())

"""Profile a compiled search: nanoseconds per distinct state, by function and by instruction.

Usage, from the root of the repository, with Linux's ``perf`` and binutils::

    .venv/bin/python benchmarks/hot_spots.py examples/published.py:kip_320 -b replicas=3

The arguments are those of ``tidegate check``.  One worker searches, and machine code is made before
the profile begins.  ``perf`` samples CPU time 2,000 times a second: below 0.1 ns it is noise.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from bisect import bisect
from collections import Counter
from pathlib import Path

HERE = "--here"
FREQUENCY = 2000
"""Samples per CPU second."""

SHOWN, WORST = 14, 16
"""How many functions are printed, and how many instructions of the search itself."""


def search(folder, arguments):
    """Run ``tidegate check`` in this process; note the code that was loaded, and where."""
    from tidegate.checker.compiled.build import Code

    load = Code.__init__

    def noting(self, code):
        load(self, code)
        (folder / "code.o").write_bytes(code)
        (folder / "address").write_text(str(self._engine.get_function_address("tidegate_work")))

    Code.__init__ = noting
    from tidegate.__main__ import main

    sys.argv = ["tidegate", "check", *arguments]
    main()


def symbols(code):
    """Return the functions of an object file: offset, size and name, in the order of offsets."""
    done = subprocess.run(["nm", "-S", code], capture_output=True, text=True, check=True)
    rows = (line.split() for line in done.stdout.splitlines())
    return sorted((int(r[0], 16), int(r[1], 16), r[3]) for r in rows if len(r) == 4)


def attribute(folder):
    """Return the samples by function, and those in ``work`` by offset."""
    functions = symbols(folder / "code.o")
    offsets = [offset for offset, _, _ in functions]
    [work] = [offset for offset, _, name in functions if name == "tidegate_work"]
    base = int((folder / "address").read_text()) - work
    shown = ["perf", "script", "-i", folder / "profile", "-F", "ip,dso"]
    done = subprocess.run(shown, capture_output=True, text=True, check=True)
    by_function, by_offset = Counter(), Counter()
    for line in done.stdout.splitlines():
        address, _, where = line.strip().partition(" ")
        offset = int(address, 16) - base
        index = bisect(offsets, offset) - 1
        if index >= 0 and offset < offsets[index] + functions[index][1]:
            name = functions[index][2]
            by_function[re.sub(r"\.\d+$", " of instances", name)] += 1
            if name == "tidegate_work":
                by_offset[offset] += 1
        elif int(address, 16) >> 63:
            by_function["the kernel"] += 1
        else:
            by_function[Path(where.strip("() ")).name] += 1
    return by_function, by_offset


def instructions(code):
    """Return the instructions of an object file by offset."""
    command = ["objdump", "-d", "--no-show-raw-insn", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = re.findall(r"^ *([0-9a-f]+):\t(.*)$", done.stdout, re.MULTILINE)
    return {int(offset, 16): " ".join(text.split()) for offset, text in rows}


def main():
    """Search twice, the second time under ``perf``, and print the profile."""
    if sys.argv[1:2] == [HERE]:
        search(Path(sys.argv[2]), sys.argv[3:])
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report = folder / "report.json"
        options = [*sys.argv[1:], "--engine", "compiled", "--workers", "1", "--quiet"]
        command = [sys.executable, __file__, HERE, folder, *options, "--json", report]
        subprocess.run(command, check=True)
        profile = ["perf", "record", "-q", "-F", str(FREQUENCY), "-e", "cpu-clock"]
        subprocess.run([*profile, "-o", folder / "profile", *command], check=True)
        states = json.loads(report.read_text())["distinct_states"]
        by_function, by_offset = attribute(folder)
        texts = instructions(folder / "code.o")
    nanoseconds = 1e9 / FREQUENCY / states
    sys.stdout.write(f"{states:,} states, {by_function.total() * nanoseconds:.1f} ns each\n")
    for name, count in by_function.most_common(SHOWN):
        sys.stdout.write(f"{count * nanoseconds:6.1f} {name}\n")
    sys.stdout.write("the instructions of tidegate_work that were waited for:\n")
    for offset, count in sorted(by_offset.most_common(WORST)):
        sys.stdout.write(f"{count * nanoseconds:6.1f} {offset:x} {texts.get(offset, '')}\n")


if __name__ == "__main__":
    main()

"""A step that has failed goes on with any values, and nothing that it computes ends the process.

What would is tried in a process of its own: a signal ends it.
"""

import re
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from unittest import mock

import llvmlite.binding as llvm
import pytest

from tests.language import bench
from tests.language.containers_grammar import Owners
from tests.language.machine import Machine
from tests.programs.expressions import Helper
from tests.programs.grammar import Program
from tests.programs.laboratory import Workbench, batch
from tidegate.checker.compiled import arithmetic, build
from tidegate.checker.compiled.emission import expressions
from tidegate.checker.compiled.emitter import Emitter
from tidegate.checker.compiled.values import span

ROOT = Path(__file__).resolve().parents[2]

GIVES_UP = """\
def help0(s, k, n) -> int:
    for _ in range(20):
        pass
    return (n & 3) + 1
"""
FAILING = {
    "a function that gives up": "s.one[0] = 9\n    return 7 // help0(s, k, s.a)",
    "a number out of its range": "s.dozen = 3001\n    return 7 // (3001 - s.dozen)",
}
"""What divides by a number that is positive unless the step has failed, which it has."""


def trusting(out, name, left, right):
    """As divisions were once translated: by a number whose range is positive without a look."""
    known = span(right)
    if known is None or known[0] <= 0:
        return arithmetic.exact(out, name, left, right)
    with mock.patch.object(Emitter, "divisor", lambda self, number: number):
        return arithmetic.exact(out, name, left, right)


def attempt(which):
    """Run one of these in many states; print how many of its steps were left to Python."""
    source = f"def program0(s, k, i, j) -> int:\n    {FAILING[which]}\n"
    helper = Helper("help0", GIVES_UP, "int", True)
    failing = Program("program0", source, "whole", (0, 0), True)
    bench = Workbench([helper], [failing], optimised=False)
    assert list(bench.differences(batch(0, 1).states)) == []
    sys.stdout.write(f"{bench.count.refused} {bench.count.failed} {bench.count.agreed}")


def run(trust, do):
    """Do something, with ranges trusted or not.

    LLVM may leave out a division by zero that it sees.  Where ranges are trusted, no pass looks.
    """
    if not trust:
        do()
        return
    with (
        mock.patch.object(expressions, "exact", trusting),
        mock.patch.object(build, "quick_passes", llvm.create_new_module_pass_manager),
    ):
        do()


def ended(command, trust):
    """Run a command on this module in a process of its own; return its status and output."""
    script = (
        "from tests.programs import compare, test_failed_steps as t\n"
        f"t.run({trust}, lambda: {command})\n"
    )
    process = [sys.executable, "-c", script]
    done = subprocess.run(process, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("which", FAILING)
def test_nobody_divides_by_what_comes_of_a_step_that_has_failed(which):
    status, output, errors = ended(f"t.attempt({which!r})", trust=False)
    assert (status, errors) == (0, "")
    assert re.fullmatch(r"Counter\(\) [1-9]\d* 0", output)
    # Were ranges trusted, this would show it.
    assert ended(f"t.attempt({which!r})", trust=True)[0] == -signal.SIGFPE


def test_random_programs_find_a_division_that_trusts_a_range():
    assert ended("compare.first_difference(1500, 5000)", trust=True)[0] == -signal.SIGFPE


HARMLESS = {
    "add", "sub", "mul", "and", "or", "xor", "icmp", "select", "zext", "trunc", "load", "store",
    "br", "ret", "alloca", "extractvalue", "insertvalue", "freeze",
}  # fmt: skip
CALLED = r"@(?!llvm)|@llvm\.(smin|smax|umin|ctpop|s(add|sub|mul)\.with\.overflow)\.i64\("
"""What means something to LLVM whatever the operands are."""


def harmful(text):
    """Yield the instructions of a function which some operands would give no meaning."""
    safe = set(re.findall(r"(%\w+) = call i64 @llvm\.umin\.i64\(i64 -?%?[\w.]+, i64 63\)", text))
    safe |= set(re.findall(r"(%\w+) = and i64 -?%?[\w.]+, 63$", text, re.MULTILINE))
    positive = set(re.findall(r"(%\w+) = call i64 @llvm\.smax\.i64\(i64 -?%?[\w.]+, i64 1\)", text))
    targets = set(re.findall(r"label %(\w+)", text))
    label = ""
    for line in text.splitlines()[1:]:
        if line.endswith(":"):
            label = line[:-1]
            continue
        operation, *flags = re.sub(r"^ *(%\S+ = )?", "", line).split()
        last = line.rpartition(" ")[2]
        number = int(last) if last.isdigit() else None
        fine = operation in HARMLESS and not {"nsw", "nuw", "exact"} & set(flags)
        if operation in ("shl", "lshr", "ashr"):
            fine = last in safe or (number is not None and number < 64)
        elif operation in ("sdiv", "srem"):
            fine = last in positive or (number is not None and number > 0)
        elif operation == "getelementptr":
            fine = number is not None and "inbounds" not in flags
        elif operation == "call":
            fine = re.search(CALLED, line) is not None
        elif operation == "unreachable":
            fine = label not in targets
        elif operation == "add" and flags[0] == "nsw":
            # Bits of a variable, of which there are less than 64, and its lowest value.
            fine = re.search(r"add nsw i64 %\w+, -\d{1,18}$", line) is not None
        if not fine and line != "}":
            yield line


def unbounded(text):
    """Yield what a function reads or copies beyond its memory with some operands."""
    defined = dict(re.findall(r"^ *(%\S+) = (.*)$", text, re.MULTILINE))

    def is_bounded(name):
        made = defined.get(name, "")
        if not name.startswith("%") or "@llvm.umin.i64(" in made:
            return True
        operation, _, operands = made.partition(" i64 ")
        return operation in ("add", "sub", "mul") and all(map(is_bounded, operands.split(", ")))

    for line in re.findall(r"^.*(?:getelementptr i64|@llvm.memcpy)[,.].*$", text, re.MULTILINE):
        copied = re.search(r"i64 (\S+), i1 false\)", line)
        if not is_bounded(copied[1] if copied else line.rpartition(" ")[2]):
            yield line


MOVING = re.compile(r"getelementptr i64, ptr %\w+, i64 %|@llvm\.(memcpy|memset)|@llvm\.cttz")
"""What reads and moves lists: their indices are below their room, and so are their lengths."""


@pytest.mark.parametrize("seed", range(3))
def test_no_instruction_relies_on_what_is_known_of_its_operands(seed):
    some = batch(seed)
    bench = Workbench(some.helpers, some.programs, optimised=False)
    bodies = [*bench.unit.bodies, *bench.expansion.guards.bodies]
    assert sum(len(re.findall(" (sdiv|srem|shl|ashr) ", body)) for body in bodies) > 100
    lines = [line for body in bodies for line in harmful(body)]
    assert [line for line in lines if not MOVING.search(line)] == []
    assert [line for body in bodies for line in unbounded(body)] == []


def test_lists_in_lists_are_copied_within_their_memory():
    random = Random(0)
    sources_ = [bench.source_of(Owners(random).body(), Owners.helpers) for _ in range(20)]
    functions = {f"act{n}": bench.functions(text)["act"] for n, text in enumerate(sources_)}
    machine = Machine(bench.LAYOUT, bench.CONSTANTS, functions)
    assert len(machine.refused) < 10
    copies = [body for body in machine.bodies if re.search(r"memcpy.* i64 %", body)]
    assert len(copies) > 10
    assert [line for body in machine.bodies for line in unbounded(body)] == []

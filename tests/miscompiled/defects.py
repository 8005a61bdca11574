"""Defects of machine code: the text of a module with one instruction changed."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

NAME = r'@"?([^"(\s]+)"?'
DEFINITION = re.compile(rf"define .*?{NAME}\(")
LISTED = re.compile(r"ptr @([\w.]+)")
CALLED = re.compile(rf"call [^@]*{NAME}\(")
REGISTER = r"%[A-Za-z0-9._$]+"
ASSIGNED = re.compile(rf"\s+({REGISTER}) = (\w+)(.*)")
TYPED = re.compile(r"\b(?:i1|i8|i16|i32|i64)\b")
NUMBER = re.compile(r"(?<![\w%.$@-])-?\d+(?![\w.x])")

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
BINARY = [
    "add",
    "sub",
    "mul",
    "and",
    "or",
    "xor",
    "shl",
    "lshr",
    "ashr",
    "udiv",
    "sdiv",
    "urem",
    "srem",
]
SHIFTS = ("shl", "lshr", "ashr")

ROOTS = {
    "guards": re.compile(r"guards\.\d+$|unpack$"),
    "effects": re.compile(r"step\.\d+$|instance\.\d+$"),
    "properties": re.compile(r"judge$|holds$"),
    "constraint": re.compile(r"admits$"),
    "canonical form": re.compile(r"canonical$"),
    "comparison": re.compile(
        r"keep$|keep_guarded$|count_ways$|tidegate_(ask_|steps_from|samples|valid_)"
    ),
    "table": re.compile(r"tidegate_|expand$"),
}
"""The parts of a module, by the functions that begin them; a function belongs to the first part."""


@dataclass(frozen=True)
class Defect:
    """One changed line of a module."""

    part: str
    function: str
    kind: str
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        change = f"{self.before.strip()}  ->  {self.after.strip()}"
        return f"{self.part}, {self.kind}, in {self.function}: {change}"


def functions(lines: list[str]) -> Iterator[tuple[str, range]]:
    """Yield each function with the lines of its body."""
    name, first = "", 0
    for number, line in enumerate(lines):
        if line.startswith("define "):
            found = DEFINITION.match(line)
            assert found is not None, line
            name, first = found[1], number
        elif line.startswith("}") and name:
            yield name, range(first + 1, number)
            name = ""


def reachable(lines: list[str]) -> set[str]:
    """Return the functions that the driver calls, those in tables, and all that these call."""
    bodies = dict(functions(lines))
    left = [name for name in bodies if name.startswith("tidegate_")]
    left += [name[1] for line in lines if line[:1] == "@" for name in LISTED.finditer(line)]
    used: set[str] = set()
    while left:
        name = left.pop()
        if name in bodies and name not in used:
            used.add(name)
            left += [call[1] for n in bodies[name] if (call := CALLED.search(lines[n]))]
    return used


def parts(lines: list[str]) -> dict[str, list[tuple[str, range]]]:
    """Return the functions of each part of a module."""
    bodies = dict(functions(lines))
    calls = {
        name: {found[1] for n in body if (found := CALLED.search(lines[n]))}
        for name, body in bodies.items()
    }
    owned: dict[str, str] = {}
    for part, root in ROOTS.items():
        left = [name for name in bodies if root.match(name) and name not in owned]
        while left:
            name = left.pop()
            if name in bodies and name not in owned:
                owned[name] = part
                left += calls[name]
    grouped = defaultdict(list)
    for name, part in owned.items():
        grouped[part].append((name, bodies[name]))
    return dict(grouped)


def _registers(lines: list[str], body: range, before: int) -> dict[str, list[str]]:
    """Return the registers that a function has assigned before a line, by a guess at their type."""
    known = defaultdict(list)
    for number in range(body.start, before):
        found = ASSIGNED.match(lines[number])
        if not found:
            continue
        register, operation, rest = found.groups()
        if operation == "icmp":
            known["i1"].append(register)
        elif operation in ("zext", "trunc", "sext", "ptrtoint", "inttoptr", "bitcast"):
            known[rest.rsplit(" to ", 1)[-1].strip()].append(register)
        elif operation == "getelementptr":
            known["ptr"].append(register)
        elif kind := TYPED.search(rest):
            known[kind[0]].append(register)
    return known


def changes(
    lines: list[str], body: range, number: int, chance: Random
) -> Iterator[tuple[str, str]]:
    """Yield the kinds of change that a line allows, each with a line that has it."""
    line = lines[number]
    found = ASSIGNED.match(line)
    if not found:
        if line.lstrip().startswith(("store ", "call void ")):
            yield "dropped instruction", "  ; dropped"
        if branch := re.match(r"(\s+br i1 .*?), label (\S+), label (\S+?)((?:, !.*)?)$", line):
            yield "exchanged ways", f"{branch[1]}, label {branch[3]}, label {branch[2]}{branch[4]}"
        if line.lstrip().startswith("store "):
            yield from _constants(line, chance)
            yield from _operands(lines, body, number, chance)
        return
    register, operation, rest = found.groups()
    if operation in ("alloca", "phi", "call", "atomicrmw", "cmpxchg"):
        return
    if operation == "icmp":
        was = next(word for word in rest.split() if word in PREDICATES)
        other = chance.choice([predicate for predicate in PREDICATES if predicate != was])
        yield "predicate", re.sub(rf"icmp {was}", f"icmp {other}", line)
    if operation == "select":
        arms = re.match(r"(.*select [^,]+), ([^,]+), ([^,]+)$", line)
        if arms:
            yield "arms of a select", f"{arms[1]}, {arms[3]}, {arms[2]}"
    if operation in BINARY:
        yield (
            "operation",
            re.sub(rf"= {operation}( nuw| nsw| exact)*", _other(operation, chance), line),
        )
        operands = re.match(
            rf"\s+{REGISTER} = \w+(?: nuw| nsw| exact)* (\S+|<[^>]+>) (.+), (.+)$", line
        )
        if operands and not operands[1].startswith("<"):
            kept = chance.choice(operands.groups()[1:])
            yield "dropped instruction", f"  {register} = or {operands[1]} {kept}, 0"
    yield from _constants(line, chance)
    yield from _operands(lines, body, number, chance)


def _other(operation: str, chance: Random) -> str:
    among = SHIFTS if operation in SHIFTS else BINARY
    return f"= {chance.choice([other for other in among if other != operation])}"


def _constants(line: str, chance: Random) -> Iterator[tuple[str, str]]:
    """Yield the line with another number in it, but for alignments and indices of types."""
    if "align" in line or "!llvm" in line:
        return
    places = list(NUMBER.finditer(line))
    if not places:
        return
    place = chance.choice(places)
    value = int(place[0])
    width = re.search(r"\bi(1|8|16|32|64)\b", line)
    bits = int(width[1]) if width else 64
    bits = min(bits, 63)
    other = chance.choice(
        [value + 1, value - 1, 0, 1, value * 2, value // 2, value ^ 1 << chance.randrange(bits)]
    )
    if other != value:
        operation = line.split("=")[-1].split()[0] if "=" in line else line.split()[0]
        kind = "constant"
        if operation == "and":
            kind = "mask"
        elif operation in SHIFTS:
            kind = "shift"
        elif operation == "getelementptr":
            kind = "address"
        elif operation in ("insertelement", "extractelement", "shufflevector", "extractvalue"):
            kind = "lane"
        yield kind, line[: place.start()] + str(other) + line[place.end() :]


def _operands(
    lines: list[str], body: range, number: int, chance: Random
) -> Iterator[tuple[str, str]]:
    """Yield the line with another register of the same type as an operand."""
    line = lines[number]
    start = line.find("=") + 1 if " = " in line else 0
    places = [place for place in re.finditer(REGISTER, line) if place.start() >= start]
    if not places:
        return
    place = chance.choice(places)
    kind = re.findall(r"\b(ptr|i1|i8|i16|i32|i64)\b", line[: place.start()])
    if not kind:
        return
    known = _registers(lines, body, number)
    others = [register for register in known[kind[-1]] if register != place[0]]
    if others:
        yield "operand", line[: place.start()] + chance.choice(others[-12:]) + line[place.end() :]


def defect(text: str, chance: Random, part: str | None = None) -> tuple[Defect, str]:
    """Return a defect, chosen by chance, and the module that has it."""
    lines = text.split("\n")
    grouped = parts(lines)
    grouped.pop("comparison", None)
    while True:
        chosen = part if part in grouped else chance.choice(sorted(grouped))
        where = grouped[chosen]
        name, body = chance.choices(where, [max(len(body), 1) for _, body in where])[0]
        if not body:
            continue
        number = chance.choice(body)
        possible = list(changes(lines, body, number, chance))
        if not possible:
            continue
        kind, after = chance.choice(possible)
        if after == lines[number]:
            continue
        found = Defect(chosen, name, kind, number, lines[number], after)
        return found, "\n".join([*lines[:number], after, *lines[number + 1 :]])

"""The model in Promela, SPIN's language.

Each rule is one deterministic step (`d_step`) that begins with its complete guard: no state is
stored between guard and effect.  Bit fields keep the state vector short without explicit shifts.
"""

from .kip320 import Assign, Choose, Packing, Size, Statement, unrolled

INDENT = "    "


def promela(size: Size) -> str:
    """Return the model at some bounds."""
    lines = [f"/* examples/published.py:kip_320 at {size} */"]
    lines += [f"unsigned {v.name} : {v.bits} = {v.initial};" for v in Packing.of(size).variables()]
    lines += ["", "active proctype kip320()", "{", f"{INDENT}do"]
    for rule in unrolled(size):
        lines += [
            f"{INDENT}:: d_step {{ /* {rule.name} */",
            f"{INDENT * 2}({rule.guard}) ->",
            *_sequence(rule.body, 2),
            f"{INDENT}}}",
        ]
    return "\n".join([*lines, f"{INDENT}od", "}", ""])


def _sequence(body: tuple[Statement, ...], depth: int) -> list[str]:
    """Return the lines of some statements, separated by semicolons."""
    lines: list[str] = []
    for statement in body:
        if lines:
            lines[-1] += ";"
        lines += _statement(statement, depth)
    return lines or [f"{INDENT * depth}skip"]


def _statement(statement: Statement, depth: int) -> list[str]:
    """Return the lines of one statement.

    A choice in Promela takes any branch that is enabled, so the second branch is another choice,
    under `else`.
    """
    if isinstance(statement, Assign):
        return [f"{INDENT * depth}{statement.variable} = {statement.value}"]
    first, *others = statement.branches
    if not first.condition:
        return _sequence(first.body, depth)
    return [
        f"{INDENT * depth}if",
        f"{INDENT * depth}:: {first.condition} ->",
        *_sequence(first.body, depth + 1),
        f"{INDENT * depth}:: else ->",
        *_statement(Choose(tuple(others)), depth + 1),
        f"{INDENT * depth}fi",
    ]

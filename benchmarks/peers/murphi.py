"""The model in Murphi, rumur's language.

In rumur a ruleset's parameter is a variable in memory, and each instance of a rule begins with a
copy of the state.  So there are few rules and no rulesets.
"""

from .kip320 import Assign, Packing, Size, Statement, unrolled

INDENT = "  "


def murphi(size: Size) -> str:
    """Return the model at some bounds."""
    variables = Packing.of(size).variables()
    lines = [f"-- examples/published.py:kip_320 at {size}", "var"]
    lines += [f"{INDENT}{v.name}: 0..{(1 << v.bits) - 1};" for v in variables]
    lines += ["", "startstate begin"]
    lines += [f"{INDENT}{v.name} := {v.initial};" for v in variables]
    lines += ["end;"]
    for rule in unrolled(size):
        lines += ["", f'rule "{rule.name}"', f"{INDENT}{_expression(rule.guard)}", "==> begin"]
        for statement in rule.body:
            lines += _statement(statement, 1)
        lines.append("end;")
    return "\n".join([*lines, ""])


def _expression(text: str) -> str:
    """Return an expression in Murphi, which differs in one operator."""
    return text.replace("==", "=")


def _statement(statement: Statement, depth: int) -> list[str]:
    """Return the lines of one statement."""
    if isinstance(statement, Assign):
        return [f"{INDENT * depth}{statement.variable} := {_expression(statement.value)};"]
    first = statement.branches[0]
    if not first.condition:
        return [line for inner in first.body for line in _statement(inner, depth)]
    lines = []
    for number, branch in enumerate(statement.branches):
        word = "elsif" if number else "if"
        opening = f"{word} {_expression(branch.condition)} then" if branch.condition else "else"
        lines.append(f"{INDENT * depth}{opening}")
        for inner in branch.body:
            lines += _statement(inner, depth + 1)
    return [*lines, f"{INDENT * depth}end;"]

"""How two protocols differ, for people: code, verdicts, counterexamples and states."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from .lasso import length
from .printed import Console, Text
from .summary import count
from .text import print_prose

Labels = tuple[str, str]
"""The labels of the two in the output."""

_LONGEST_LABEL = 24


def labels(old: str, new: str) -> Labels:
    """Return the labels of the two: their names, if these are short and differ.

    >>> labels("hw", "kip-101"), labels("kip-320", "kip-320~HandleFetch: not leads(s, leader)")
    (('hw', 'kip-101'), ('old', 'new'))
    """
    short = max(len(old), len(new)) <= _LONGEST_LABEL and old != new
    return (old, new) if short else ("old", "new")


def print_title(console: Console, names: Labels, codes: Sequence[Any]) -> None:
    """Print what is compared, each protocol in a sentence."""
    for name, code in zip(names, codes, strict=True):
        called = f"{name}: " if name == code.name else f"{name}: {code.name}: "
        print_prose(console, Text.assemble((called, "bold"), code.summary))


def variables_of_one(
    names: Labels, left_out: Sequence[Sequence[str]]
) -> Iterator[tuple[str, list[str]]]:
    """Yield which variables only one of the two has, elements of an array named once."""
    for name, variables in zip(names, left_out, strict=True):
        if variables:
            yield name, list(dict.fromkeys(re.sub(r"\[\d+\]", "", one) for one in variables))


def print_variables(console: Console, names: Labels, left_out: Sequence[Sequence[str]]) -> None:
    """Print which variables only one of the two has."""
    for name, shown in variables_of_one(names, left_out):
        noun = "The variables" if len(shown) > 1 else "The variable"
        print_prose(console, Text(f"{noun} {', '.join(shown)}: only in {name}."))


def print_code(console: Console, names: Labels, codes: Sequence[Any], differences: Any) -> None:
    """Print which rules, actions and helpers are not the same."""
    heading(console, "Rules and actions")
    if not differences:
        print_prose(console, Text("The rules and the actions are the same, line by line."))
    for rule in differences.rules:
        _print_rule(console, names, codes, rule)
    for action in differences.actions:
        _print_action(console, names, action)
    for which, before, after in differences.fairness:
        line = Text.assemble("The fairness of ", (which, "bold"))
        print_prose(console, line.append(f" was {before} and is {after}."))
    for helper in differences.helpers:
        users = ", ".join(helper.used_by)
        line = Text.assemble((helper.name, "bold"), f", which {users} use, differs:")
        print_prose(console, line)
        _print_changed(console, helper.old.source, helper.new.source)


def _print_rule(console: Console, names: Labels, codes: Sequence[Any], change: Any) -> None:
    """Print a rule: what it is about, and what each protocol makes of it."""
    line = Text.assemble(("Rule ", ""), (change.name, "bold"))
    if change.decides:
        line.append(f": {change.decides}")
    print_prose(console, line)
    functions: list[Any] = [rule.function if rule else None for rule in (change.old, change.new)]
    said = [function.says if function else "" for function in functions]
    is_long = [function is not None and not _short(function.source) for function in functions]
    as_lines = all(functions) and any(is_long) and not _telling(said)
    for name, rule, says in zip(names, (change.old, change.new), said, strict=True):
        text = "has no such rule" if rule is None else rule.value
        print_prose(console, Text(f"{name}: {text}{': ' if says else ''}{says}"), indent=3)
        if rule and rule.function and _short(rule.function.source):
            _print_source(console, rule.function.source)
    if as_lines:
        _print_changed(console, functions[0].source, functions[1].source)
    asking = [action for action in codes[1].actions if change.name in codes[1].rules_asked(action)]
    if asking:
        print_prose(console, Text(f"It decides in {', '.join(asking)}.", "dim"), indent=3)


def _telling(said: Sequence[str]) -> bool:
    """Whether sentences say what differs: there are two, and they are not the same."""
    return all(said) and len(set(said)) == len(said)


def _short(source: str) -> bool:
    """Whether the statements of a function fit on a line."""
    return source.count("\n") == 1


def _print_source(console: Console, source: str) -> None:
    """Print the statements of a function, without its parameters."""
    for line in source.split("\n")[1:]:
        console.print(Text(f"      {line}", "dim"), soft_wrap=True)


def _print_action(console: Console, names: Labels, change: Any) -> None:
    """Print an action that only one has, or the guards and the effect that are not the same."""
    action = change.new or change.old
    head = Text.assemble("Action ", (change.name, "bold"), f", by the {action.who}")
    if change.old is None or change.new is None:
        owner = names[1] if change.old is None else names[0]
        says = f": {action.function.says}" if action.function.says else ""
        print_prose(console, head.append(f", only in {owner}{says}"))
        return
    says = f": {action.function.says}" if action.function.says else "."
    print_prose(console, head.append(says))
    if change.wraps:
        who, whose = names[::-1] if change.wraps == "new" else names
        print_prose(console, Text(f"{who} calls the one of {whose}, and does this:"), indent=3)
        _print_source(console, getattr(change, change.wraps).function.source)
    for guard in change.removed:
        text = f"{names[0]} refuses it if {guard}; {names[1]} has no such guard."
        print_prose(console, Text(text), indent=3)
    for guard in change.added:
        text = f"{names[1]} refuses it if {guard}; {names[0]} has no such guard."
        print_prose(console, Text(text), indent=3)
    for before, after in change.changed:
        text = f"{names[0]} refuses it if {before}; {names[1]} if {after}."
        print_prose(console, Text(text), indent=3)
    for guard in change.moved:
        print_prose(console, Text(f"Both refuse it if {guard}, in another order."), indent=3)
    if change.fairness:
        before, after = change.fairness
        print_prose(console, Text(f"Its fairness was {before} and is {after}."), indent=3)
    if change.effect:
        print_prose(console, Text("Its effect differs:"), indent=3)
        _print_changed(console, change.old.function.effect, change.new.function.effect)


def _print_changed(console: Console, old: str, new: str) -> None:
    """Print the lines that differ, each with two around it."""
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=2)
    for line in list(lines)[3:]:
        style = {"+": "green", "-": "red"}.get(line[:1], "dim")
        console.print(Text(f"      {line}", style), soft_wrap=True)


def print_verdicts(console: Console, names: Labels, decided: Any) -> None:
    """Print the verdicts of both side by side, and the bounds at which they did not differ."""
    heading(console, f"Verdicts within {decided.old.headline}")
    table = Table(box=None, show_header=True, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("", *names):
        table.add_column(Text(column), overflow="fold")
    both = decided.old, decided.new
    rows = [{row.name: row for row in verdicts.rows} for verdicts in both]
    for name in dict.fromkeys([*rows[0], *rows[1]]):
        cells = [_verdict(row.get(name)) for row in rows]
        bold = "bold" if cells[0].plain != cells[1].plain else ""
        table.add_row(Text(name, bold), *cells)
    table.add_row("distinct states", *(f"{verdicts.distinct_states:,}" for verdicts in both))
    console.print(table)
    for line in _conclusion(names, rows):
        print_prose(console, Text(line))
    for name, verdicts in zip(names, both, strict=True):
        if verdicts.stopped_by:
            line = f"{name}: not all states were explored (stopped by {verdicts.stopped_by})."
            print_prose(console, Text.assemble(("INCOMPLETE ", "bold yellow"), line))
    for line in _searched(decided):
        print_prose(console, Text(line, "dim"))


def _conclusion(names: Labels, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which properties one of the two violates and the other satisfies."""
    for one, other in ((0, 1), (1, 0)):
        kept = [
            name
            for name, row in rows[one].items()
            if row.outcome == "violated"
            and name in rows[other]
            and rows[other][name].outcome == "holds"
        ]
        if kept:
            yield f"{', '.join(kept)}: violated by {names[one]}, satisfied by {names[other]}."


def in_steps(steps: int, loop: int | None) -> str:
    """Return what follows a violation: `` in 12 steps``, or ``: stem of ...`` of a lasso."""
    return f" in {count(steps, 'step')}" if loop is None else f": {length(steps, loop)}"


def _verdict(row: Any) -> Text:
    """Return a verdict in a few words."""
    if row is None:
        return Text("-")
    if row.outcome == "violated" and row.steps is None:
        return Text("violated", "red")
    if row.steps is not None:
        return Text(f"violated{in_steps(len(row.steps), row.loop)}", "red")
    return Text("holds", "green") if row.outcome == "holds" else Text("not decided", "yellow")


def _searched(decided: Any) -> Iterator[str]:
    """Say which other bounds were searched, and which were not."""
    if decided.alike:
        same = "; ".join(bounds or "the defaults" for bounds in decided.alike)
        yield f"Also searched, with the same verdicts for both: {same}."
    if decided.skipped:
        left = "; ".join(bounds or "the defaults" for bounds in decided.skipped)
        yield f"Search not finished within --time-limit: {left}."


def print_legend(console: Console, legend: str) -> None:
    """Print how to read what is shown of states."""
    if legend:
        console.print()
        print_prose(console, Text(f"How to read it: {' '.join(legend.split())}", "dim"))


def heading(console: Console, text: str) -> None:
    """Print what the lines below are about."""
    console.print()
    print_prose(console, Text(text, "bold underline"))

"""A trace as text: one row per step, one column per participant, only what changed in full.

Of variables only those that changed are printed.  Of what else is said of a participant, what did
not change is dim with colour; without, its cell is empty if nothing did.  Where the columns do not
fit side by side, each step lists the participants that it changed below each other.

A lasso in words: how long it is, what repeats for ever, and why it is fair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..checker.liveness.lasso import Answer, answers
from ..core.behavior import Behavior
from ..core.scene import changed, is_of_variable
from ..core.spec import Trace
from .console import Console, Text
from .values import variables

if TYPE_CHECKING:
    from rich.table import Table


def length(steps: int, loop: int | None) -> str:
    """Return how long a trace is: in steps, or as stem and cycle.

    >>> length(2, None), length(13, 10), length(2, 2)
    ('2 steps', 'stem of 10 steps, cycle of 3', 'stem of 2 steps, then nothing happens')
    """
    if loop is None:
        return _steps(steps)
    if loop == steps:
        return f"stem of {_steps(steps)}, then nothing happens"
    return f"stem of {_steps(loop)}, cycle of {steps - loop}"


def violated_after(steps: int, loop: int | None) -> str:
    """Return what follows "is violated": `` after 12 steps``, or ``: stem of ...`` of a lasso."""
    return f" after {_steps(steps)}" if loop is None else f": {length(steps, loop)}"


def repeats(trace: Trace) -> str:
    """Say what happens for ever after the steps of a lasso; empty for a finite trace."""
    if trace.loop is None:
        return ""
    if trace.loop == len(trace.steps):
        return "From here on, nothing happens any more."
    to = "and" if trace.loop + 2 == len(trace.steps) else "to"
    return f"From here on, steps {trace.loop + 1} {to} {len(trace.steps)} repeat for ever."


def marks(trace: Trace) -> dict[int, str]:
    """Return what marks the cycle of a lasso in its steps, by their numbers."""
    if trace.loop is None:
        return {}
    last = len(trace.steps)
    if trace.loop == last:
        return {last: "then nothing happens"}
    return {trace.loop + 1: "the cycle begins", last: f"back to state {trace.loop}"}


def fairness(behavior: Behavior) -> str:
    """Say in a sentence why a lasso is fair; empty for a finite trace."""
    trace = behavior.trace
    if trace.loop is None:
        return ""
    listed = answers(behavior.system, trace)
    if not listed:
        return "Fairness: no action is fair."
    if trace.loop == len(trace.steps):
        return "Fairness: no fair step is enabled there."
    grouped: dict[str, list[str]] = {}
    for step in (answer.demand.step for answer in listed if answer.step is not None):
        chosen = ", ".join(f"{name}={value}" for name, value in step.chosen.items())
        grouped.setdefault(f" ({chosen})" if chosen else "", []).append(step.action)
    taken = [", ".join(names) + arguments for arguments, names in grouped.items()]
    if not taken:
        return "Fairness: every fair step is disabled in some state of the cycle."
    others = any(answer.step is None for answer in listed)
    rest = "; every other fair step is disabled in some state of it" if others else ""
    return f"Fairness: the cycle takes {'; '.join(taken)}{rest}."


def demands(behavior: Behavior) -> list[str]:
    """Return a line for each demand of fairness, with how a lasso answers it."""
    return [_answered(answer) for answer in answers(behavior.system, behavior.trace)]


def _answered(answer: Answer) -> str:
    if answer.step is not None:
        return f"{answer.demand}: taken in step {answer.step}"
    if answer.idle is None:
        return f"{answer.demand}: not met"
    if answer.demand.strong:
        return f"{answer.demand}: not enabled in any state of the cycle"
    return f"{answer.demand}: not enabled in state {answer.idle}"


def _steps(number: int) -> str:
    return f"{number:,} step{'' if number == 1 else 's'}"


_NARROWEST = 13
"""A participant's column is not folded to fewer characters than this."""

MOST = 1_000
"""States that are printed at most, an even number."""

NO_NOTES: Mapping[int, str] = MappingProxyType({})
"""Nothing is to be said of any step."""

_MARKER = re.compile(r"\s*(\d+\.|-) ")
"""What an item of a list begins with."""

_WORD, _AFTER_DOTS, _BEFORE_BRACKETS = map(re.compile, (r"\S+", r"(?<=\.)", r"(?=\[)"))

_EDGES = 2
"""What a table takes beside its columns and the spaces between them."""


def print_trace(console: Console, behavior: Behavior, full: bool) -> None:
    """Print a trace of a property, what its end shows, and how to read it.

    Parameters
    ----------
    full
        Print every variable of every state instead of one text per participant.
    """
    prop, is_lasso = behavior.prop, behavior.trace.loop is not None
    legend = print_behavior(console, behavior, full)
    if prop is not None:
        style = "bold red" if prop.verb == "violated" else "bold green"
        head = (f"{prop.name} is {prop.verb}. ", style)
        print_prose(console, Text.assemble(head, behavior.explanation))
    if is_lasso:
        print_prose(console, Text(fairness(behavior)))
    for line in demands(behavior) if full and is_lasso else ():
        print_prose(console, Text(line), indent=2)
    if legend:
        print_prose(console, Text(f"\nHow to read it: {legend}\n", "dim"))


def print_behavior(
    console: Console,
    behavior: Behavior,
    full: bool,
    notes: Mapping[int, str] = NO_NOTES,
) -> str:
    """Print the steps and states of a behavior, as columns if they fit; return how to read these.

    Of more than `MOST` states only the first and the last ones are printed.

    Parameters
    ----------
    notes
        What is to be said of a step besides, by its number.
    """
    system, trace = behavior.system, behavior.trace
    notes = marks(trace) | dict(notes)
    last = len(trace.steps)
    halves = [range(last + 1)]
    if last >= MOST:
        halves = [range(MOST // 2), range(last + 1 - MOST // 2, last + 1)]
    with system.noting() as failed:
        kept = [number for half in halves for number in half]
        shown = [] if full else system.scenes([trace.states[number] for number in kept])
        scenes = dict(zip(kept, shown, strict=bool(shown)))
        for numbers in halves:
            if numbers[0]:
                left_out = f"{last + 1 - MOST:,} more states; a report (--json FILE) has them all."
                print_prose(console, Text(f"... {left_out}", "italic"))
            if full:
                _print_states(console, behavior, notes, numbers)
            else:
                rows = {number: scenes[number].lines for number in numbers}
                _print_rows(console, behavior, notes, rows)
        legend = system.table_legend(shown) if shown else ""
    if trace.loop is not None:
        print_prose(console, Text(repeats(trace), "bold"))
    for failure in () if full else failed:
        print_prose(console, Text(f"{failure}.", "yellow"))
    return legend


def _print_rows(
    console: Console,
    behavior: Behavior,
    notes: Mapping[int, str],
    rows: Mapping[int, dict[str, list[str]]],
) -> None:
    """Print states by their numbers, with what participants see of them.

    A participant of whom there is nothing to say in any of them has no column.
    """
    steps = {number: _step(behavior, number, notes) for number in rows}
    names = [name for name in rows[min(rows)] if any(row[name] for row in rows.values())]
    texts = {
        number: {
            name: "\n".join(_news(row[name], rows.get(number - 1, {}).get(name))) for name in names
        }
        for number, row in rows.items()
    }
    if widths := _widths(steps, texts, console.width):
        console.print(_table(steps, texts, widths, dims=_dims(console)))
    else:
        _print_list(console, behavior, texts, notes)


def _news(lines: Sequence[str], before: Sequence[str] | None) -> Iterator[str]:
    """Yield the lines about a participant; of a variable what changed since the state before."""
    for line in lines:
        if before is not None and is_of_variable(line):
            yield from (now for now, _ in changed(line, before))
        else:
            yield line


def print_prose(console: Console, text: Text, indent: int = 0) -> None:
    """Print text broken between words, without the spaces that would trail its lines.

    The lines of an item of a list, which begins with a number or a dash, are below its first word.
    """
    marker = _MARKER.match(text.plain)
    hang = marker.end() if marker else 0
    head, body = (text[:hang], text[hang:]) if hang else (Text(), text)
    for line in body.wrap(console, max(1, console.width - indent - hang)):
        line.rstrip()
        console.print(Text(" " * indent) + head + line)
        head = Text(" " * hang)


def _dims(console: Console) -> bool:
    """Whether the console can show text as dim."""
    return console.color_system is not None and not console.no_color


def _widths(
    steps: Mapping[int, Text], rows: Mapping[int, dict[str, str]], available: int
) -> list[int]:
    """Return the width of each column, or nothing where they do not fit side by side.

    A participant's column is as wide as its widest line; where that is too much, the widest ones
    give way first, down to ``_NARROWEST``, and their lines are folded.
    """
    fixed = [len(str(max(rows))), max(_widest(step.plain) for step in steps.values())]
    widths = [
        max(len(name), *(_widest(row[name]) for row in rows.values())) for name in rows[min(rows)]
    ]
    spaces = len(fixed) + len(widths) - 1
    room = available - _EDGES - spaces - sum(fixed)
    while sum(widths) > room:
        widest = widths.index(max(widths))
        if widths[widest] <= _NARROWEST:
            return []
        widths[widest] -= 1
    return fixed + widths


def _table(
    steps: Mapping[int, Text], rows: Mapping[int, dict[str, str]], widths: list[int], dims: bool
) -> Table:
    """Return the trace with a column per participant."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.HORIZONTALS, show_lines=True, pad_edge=False, padding=0)
    table.add_column("", justify="right", width=widths[0])
    table.add_column("step", width=widths[1])
    for heading, width in zip(rows[min(rows)], widths[2:], strict=True):
        table.add_column(heading, width=width, overflow="fold")
    for index, row in rows.items():
        before = rows.get(index - 1, {})
        cells = [
            _cell(row[name], before.get(name), dims, width)
            for name, width in zip(row, widths[2:], strict=True)
        ]
        table.add_row(str(index), steps[index], *cells)
    return table


def _widest(text: str) -> int:
    return max(len(line) for line in text.split("\n"))


def _step(behavior: Behavior, index: int, notes: Mapping[int, str]) -> Text:
    """Return the action that led to a state, with its arguments and its note."""
    text = Text("initial state")
    if index:
        arguments, action = behavior.arguments(index), behavior.steps[index - 1].action
        text = Text.assemble((action, "bold"), f"\n{arguments}" if arguments else "")
    return text.append(f"\n{notes[index]}", "italic") if index in notes else text


def _cell(text: str, before: str | None, dims: bool, width: int) -> Text:
    """Return a participant's cell, in full where something in it changed."""
    if before == text:
        return Text(_broken(text, width), "dim") if dims else Text()
    old = (before or "").split("\n")
    cell = Text()
    for number, line in enumerate(text.split("\n")):
        same = before is not None and line in old
        broken = _broken(line, width)
        cell.append(("\n" if number else "") + broken, "dim" if same else "bold")
    return cell


def _broken(text: str, width: int) -> str:
    r"""Return a text whose words that are too wide are broken after dots, or else before brackets.

    >>> _broken("sent coordinator.request[0] yes", 20), _broken("request[0][1] 2", 10)
    ('sent coordinator.\nrequest[0] yes', 'request[0]\n[1] 2')
    """

    def pieces(word: str) -> Iterator[str]:
        for piece in _AFTER_DOTS.split(word):
            yield from [piece] if len(piece) <= width else _BEFORE_BRACKETS.split(piece)

    def broken(word: re.Match[str]) -> str:
        if len(word[0]) <= width:
            return word[0]
        lines = [""]
        for piece in pieces(word[0]):
            if lines[-1] and len(lines[-1] + piece) > width:
                lines.append("")
            lines[-1] += piece
        return "\n".join(lines)

    return _WORD.sub(broken, text)


def _print_list(
    console: Console,
    behavior: Behavior,
    rows: Mapping[int, dict[str, str]],
    notes: Mapping[int, str],
) -> None:
    """Print the trace as a list, for terminals too narrow for a column per participant."""
    for index, row in rows.items():
        before = rows.get(index - 1, {})
        console.print(Text(f"{index}. {behavior.label(index)}", "bold"))
        for name, text in row.items():
            if text and text != before.get(name):
                line = "; ".join(text.split("\n"))
                print_prose(console, Text(f"{name}: {line}"), indent=3)
        if index in notes:
            print_prose(console, Text(notes[index], "italic"), indent=3)


def _print_states(
    console: Console, behavior: Behavior, notes: Mapping[int, str], numbers: range
) -> None:
    """Print every variable of states; an asterisk marks those that changed."""
    before: dict[str, str] = {}
    for index in numbers:
        console.print(Text(f"{index}. {behavior.label(index)}", "bold"))
        lines = dict(variables(behavior.plain(index).state))
        for name, value in lines.items():
            is_new = before and before.get(name) != value
            text = f"{'*' if is_new else ' '} {name} = {value}"
            console.print(Text(text, "bold" if is_new or not before else "dim"))
        if index in notes:
            print_prose(console, Text(notes[index], "italic"), indent=2)
        before = lines

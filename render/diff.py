"""How two protocols differ, for people: code, verdicts, behaviors and states, in that order."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table

from ..core.asserting import Assertion
from ..core.interrupts import Stop
from ..core.scene import Scene
from ..diff.code import Code, Function
from ..diff.code_changes import ActionChange, CodeDiff, RuleChange, changed_constants
from ..diff.protocols import Count, Counterexample, Row, StateDiff, VerdictDiff
from ..diff.systems import BehaviorDiff, BlockedStep, Divergence, values
from .console import Console, Text
from .summary import count
from .text import length, print_prose

_LONGEST_LABEL = 24


def labels(old: str, new: str) -> tuple[str, str]:
    """Return the labels of the two: their names, if these are short and differ.

    >>> labels("hw", "kip-101"), labels("kip-320", "kip-320~HandleFetch: not leads(s, leader)")
    (('hw', 'kip-101'), ('old', 'new'))
    """
    short = max(len(old), len(new)) <= _LONGEST_LABEL and old != new
    return (old, new) if short else ("old", "new")


class DiffPrinter:
    """Prints how two protocols differ.

    Parameters
    ----------
    names
        The labels of the two.
    codes
        The code of both.
    differences
        The differences of the code.
    """

    def __init__(
        self, console: Console, names: tuple[str, str], codes: Sequence[Code], differences: CodeDiff
    ) -> None:
        self._console = console
        self._names = names
        self._codes = codes
        self._differences = differences
        self._rules = {change.name for change in differences.rules}
        self._actions = {change.name for change in differences.actions}
        self._actions |= {user for change in differences.helpers for user in change.used_by}

    def title(self) -> None:
        """Print the compared protocols, each in a sentence."""
        for name, code in zip(self._names, self._codes, strict=True):
            called = f"{name}: " if name == code.name else f"{name}: {code.name}: "
            self._say(Text.assemble((called, "bold"), code.summary))

    def _of_one(self, left_out: Sequence[Sequence[str]]) -> Iterator[tuple[str, list[str]]]:
        """Yield which variables only one of the two has, elements of an array named once."""
        for name, variables in zip(self._names, left_out, strict=True):
            if variables:
                yield name, list(dict.fromkeys(re.sub(r"\[\d+\]", "", one) for one in variables))

    def variables(self, left_out: Sequence[Sequence[str]]) -> None:
        """Print which variables only one of the two has."""
        for name, shown in self._of_one(left_out):
            noun = "The variables" if len(shown) > 1 else "The variable"
            self._say(f"{noun} {', '.join(shown)}: only in {name}.")

    def code(self) -> None:
        """Print which rules, actions and helpers are not the same."""
        self._heading("Rules and actions")
        if not self._differences:
            self._say("The rules and the actions are the same, line by line.")
        for rule in self._differences.rules:
            self._print_rule(rule)
        for action in self._differences.actions:
            self._print_action(action)
        for which, before, after in self._differences.fairness:
            line = Text.assemble("The fairness of ", (which, "bold"))
            self._say(line.append(f" was {before} and is {after}."))
        for helper in self._differences.helpers:
            users = ", ".join(helper.used_by)
            verb = "uses" if len(helper.used_by) == 1 else "use"
            line = Text.assemble((helper.name, "bold"), f", which {users} {verb}, differs:")
            self._say(line)
            self._print_constants(helper.old, helper.new)
            self._print_changed(helper.old.source, helper.new.source)

    def _print_rule(self, change: RuleChange) -> None:
        """Print a rule: what it is about, and what each protocol makes of it."""
        decides = f": {change.decides}" if change.decides else ""
        self._say(Text.assemble("Rule ", (change.name, "bold"), decides))
        rules = change.old, change.new
        functions = [rule.function for rule in rules if rule and rule.function]
        # Two sentences that differ say what has changed; one that both have may be out of date.
        differ = len({function.says for function in functions}) == len(functions)
        for name, rule in zip(self._names, rules, strict=True):
            text = "has no such rule" if rule is None else rule.value
            says = rule.function.says if rule and rule.function and differ else ""
            self._say(f"{name}: {text}{says and f': {says}'}", indent=3)
        sources = [function.source for function in functions]
        if len(sources) == 2:
            self._print_changed(*sources)
        elif sources:
            self._print_source(*sources)
        code = self._codes[1]
        asking = [name for name in code.actions if change.name in code.rules_asked(name)]
        if asking:
            self._say(f"It decides in {', '.join(asking)}.", indent=3, style="dim")

    def _print_source(self, source: str) -> None:
        """Print the statements of a function, without its parameters."""
        for line in source.split("\n")[1:]:
            self._console.print(Text(f"      {line}", "dim"), soft_wrap=True)

    def _print_action(self, change: ActionChange) -> None:
        """Print an action that only one has, or the guards and the effect that are not the same."""
        old, new = self._names
        action = change.new or change.old
        assert action is not None
        head = Text.assemble("Action ", (change.name, "bold"), f", by the {action.who}")
        says = f": {action.function.says}" if action.function.says else ""
        if change.old is None or change.new is None:
            self._say(head.append(f", only in {new if change.old is None else old}{says}"))
            return
        self._say(head.append(says or "."))
        if change.wraps:
            who, whose = (new, old) if change.wraps == "new" else (old, new)
            self._say(f"{who} calls the one of {whose}, and does this:", indent=3)
            self._print_source(getattr(change, change.wraps).function.source)
        for line in (
            *(f"{old} refuses it if {one}; {new} has no such guard." for one in change.removed),
            *(f"{new} refuses it if {one}; {old} has no such guard." for one in change.added),
            *(f"{old} refuses it if {one}; {new} if {other}." for one, other in change.changed),
            *(f"Both refuse it if {one}, in another order." for one in change.moved),
        ):
            self._say(line, indent=3)
        if change.fairness:
            before, after = change.fairness
            self._say(f"Its fairness was {before} and is {after}.", indent=3)
        self._print_constants(change.old.function, change.new.function)
        if change.effect:
            self._say("Its effect differs:", indent=3)
            self._print_changed(change.old.function.effect, change.new.function.effect)

    def _print_constants(self, old: Function, new: Function) -> None:
        """Print the constants of a function that differ."""
        for name, before, after in changed_constants(old, new):
            self._say(f"{name} was {before} and is {after}.", indent=3)

    def _print_changed(self, old: str, new: str) -> None:
        """Print the lines that differ, each with two around it."""
        lines = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=2)
        for line in list(lines)[3:]:
            style = {"+": "green", "-": "red"}.get(line[:1], "dim")
            self._console.print(Text(f"      {line}", style), soft_wrap=True)

    def verdicts(self, decided: VerdictDiff) -> None:
        """Print the verdicts of both side by side, and the bounds at which they did not differ."""
        within = f" within {decided.old.headline}" if decided.old.headline else ""
        self._heading(f"Verdicts{within}")
        table = Table(box=None, show_header=True, pad_edge=False, padding=(0, 2, 0, 0))
        for column in ("", *self._names):
            table.add_column(Text(column), overflow="fold")
        both = decided.old, decided.new
        rows = [{row.name: row for row in verdicts.rows} for verdicts in both]
        for name in dict.fromkeys([*rows[0], *rows[1]]):
            cells = [_verdict(row.get(name)) for row in rows]
            bold = "bold" if cells[0].plain != cells[1].plain else ""
            table.add_row(Text(name, bold), *cells)
        table.add_row("distinct states", *(f"{verdicts.distinct_states:,}" for verdicts in both))
        self._console.print(table)
        for line in self._conclusion(rows):
            self._say(line)
        for name, verdicts in zip(self._names, both, strict=True):
            if verdicts.stopped_by:
                line = f"{name}: not all states were explored (stopped by {verdicts.stopped_by})."
                self._say(Text.assemble(("INCOMPLETE ", "bold yellow"), line))
        for line in _searched(decided):
            self._say(line, style="dim")

    def _conclusion(self, rows: Sequence[Mapping[str, Row]]) -> Iterator[str]:
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
                which = f"violated by {self._names[one]}, satisfied by {self._names[other]}"
                yield f"{', '.join(kept)}: {which}."

    def counterexample(self, violation: Counterexample) -> None:
        """Print what one protocol makes of the other's counterexample."""
        diff = violation.behavior
        here, there = self._called(diff)
        steps = count(len(diff.here.behavior.steps), "step")
        self._heading(f"The counterexample of {here} in {there}")
        after = in_steps(len(diff.here.behavior.steps), violation.loop)
        violated = f"{', '.join(violation.properties)}{after}"
        self._say(f"{here} violates {violated}. {violation.explanation}")
        self._behavior_diff(diff)
        if diff.there.stopped is not None:
            return
        judged = [name for name in violation.properties if name in diff.there.judged]
        broken = [name for name in judged if name in diff.there.violated]
        kept = [name for name in judged if name not in diff.there.violated]
        text = f"In {there} all {steps} are enabled"
        if not diff.departures:
            text += " and lead to the same states"
        if kept:
            text += f", and {', '.join(kept)} {'hold' if len(kept) > 1 else 'holds'} at their end"
        if broken:
            verb = "are" if len(broken) > 1 else "is"
            text += f"; {', '.join(broken)} {verb} violated there as well"
        self._say(f"{text}.")

    def states(self, states: StateDiff, brief: bool = False) -> None:
        """Print how many states only one of the two reaches, and the shortest behaviors there.

        Parameters
        ----------
        brief
            Whether the behaviors are left out.
        """
        names = self._names
        self._heading("Reachable states, histories left out")
        if states.alone is None:
            which = next(i for i, counted in enumerate(states.counts) if counted.stopped_by)
            stopped = states.counts[which].stopped_by
            line = f"not all states of {names[which]} were explored (stopped by {stopped})"
            if stopped is not None and stopped.by is Stop.MAX_STATES:
                line = f"{names[which]} has more states than are compared ({stopped})"
            line += "; choose smaller bounds, or a larger --max-states."
            style = ("NOT COMPARED ", "bold yellow")
            self._say(Text.assemble(style, line))
            return
        for name, shown in self._of_one(states.left_out):
            self._say(f"Compared without what only {name} has: {', '.join(shown)}.")
        if states.begun_apart:
            begun = ", ".join(states.begun_apart)
            self._say(f"Compared without what differs in the initial states: {begun}.")
        old, new = (counted.distinct_states for counted in states.counts)
        both = f"{old:,} states of {names[0]} and {new:,} of {names[1]}"
        only = [lone.count for lone in states.alone]
        if not any(only):
            apart = any(states.left_out) or states.begun_apart
            alike = "but for these variables" if apart else "states"
            self._say(f"{both}: the same {alike}. {_enabled(names, states.counts)}")
            if states.agreeing:
                rules = ", ".join(states.agreeing)
                text = "In these states the two never decide differently, at other bounds they may"
                self._say(f"{text}: {rules}.")
        else:
            text = "; ".join(
                f"{n:,} that only {name} reaches" if n else f"none that only {name} reaches"
                for name, n in zip(names, only, strict=True)
            )
            self._say(f"{both}: {text}.")
        for behavior in [] if brief else states.behaviors:
            self._behavior(behavior)

    def _behavior(self, diff: BehaviorDiff) -> None:
        """Print a behavior to a state that the other protocol never reaches, step by step."""
        here, there = self._called(diff)
        steps = count(len(diff.here.behavior.steps), "step")
        self._step(f"A shortest behavior of {here} to a state that {there} never reaches, {steps}:")
        for number, event in enumerate(diff.here.behavior.events[1:], 1):
            self._say(f"{number}. {event.sentence}", indent=3)
        for line in _columns(diff.here.behavior.scenes[-1]):
            self._say(line, indent=6, style="dim")
        self._behavior_diff(diff, listed=True)

    def _behavior_diff(self, diff: BehaviorDiff, listed: bool = False) -> None:
        """Print where two behaviors with the same steps become different, and where one stops.

        Parameters
        ----------
        listed
            Whether the steps were printed before, as their own protocol takes them.
        """
        for failure in dict.fromkeys((*diff.here.failed, *diff.there.failed)):
            self._say(f"{failure}.", style="yellow")
        for departure in diff.departures:
            self._departure(diff, departure, listed)
        if diff.there.stopped is not None:
            self._stop(diff, diff.there.stopped, listed)

    def _departure(self, diff: BehaviorDiff, departure: Divergence, listed: bool) -> None:
        """Print a step that leads the two to different states: what happens in each, and why."""
        here, there = self._called(diff)
        number = departure.number
        if number == 0:
            mine, theirs = next(zip(*map(values, diff.behaviors), strict=False))
            apart = "; ".join(
                f"{path} is {mine[path]} in {here}, {theirs[path]} in {there}"
                for path in departure.variables
            )
            self._step(f"The initial states differ: {apart}.")
            reasons: list[str] = []
        else:
            step = diff.here.behavior.steps[number - 1]
            reasons = self._reasons(step.action)
            why = f": {' and '.join(reasons)} differ" if reasons else ", as a consequence"
            why += "s" if len(reasons) == 1 else ""
            self._step(f"Step {number}, {step}, leads to another state{why}.")
        sides = zip((here, there), diff.behaviors, reversed(diff.behaviors), strict=True)
        for name, taken, other in list(sides)[listed:]:
            self._say(f"{name}: {taken.events[number].sentence}", indent=3)
            scenes = taken.scenes[number], other.scenes[number]
            for line in _columns(*scenes) if reasons or number == 0 else ():
                self._say(line, indent=6, style="dim")

    def _reasons(self, action: str) -> list[str]:
        """Return what differs in the code of an action: itself, or functions among its rules."""
        if action in self._actions:
            return [f"the action {action}"]
        rules = set().union(*(self._asked(code, action) for code in self._codes))
        return [f"the rule {name}" for name in self._codes[1].rules if name in rules]

    def _asked(self, code: Code, action: str) -> set[str]:
        """Return the rules that differ, are functions and are called by an action."""
        if action not in code.actions:
            return set()
        rules = code.rules_asked(action) & self._rules
        return {name for name in rules if code.rules[name].function is not None}

    def _stop(self, diff: BehaviorDiff, stopped: BlockedStep, listed: bool) -> None:
        """Print the step that one protocol takes and the other refuses, and why."""
        here, there = self._called(diff)
        number = len(diff.there.behavior.steps) + 1
        self._step(f"Step {number}, {stopped.step}, is not enabled in {there}.")
        if not listed:
            self._say(f"{here}: {diff.here.behavior.events[number].sentence}", indent=3)
        self._say(self._why(stopped, there), indent=3)
        for name in stopped.rules:
            rule = self._codes[1 - diff.of].rules.get(name)
            if rule is not None and rule.function is not None and rule.function.says:
                self._say(f"{name} is {rule.value} there: {rule.function.says}", indent=3)

    @staticmethod
    def _why(stopped: BlockedStep, there: str) -> str:
        """Say why a protocol refuses a step."""
        reason = stopped.reason
        if not stopped.exists:
            return f"{there} has no such step."
        if reason is None:
            return f"{there}: the step passes every guard, and its action returns False."
        if isinstance(reason, Assertion):
            return f"{there}: it fails {reason}."
        values = ", ".join(f"{name} = {value}" for name, value in reason.values)
        text = f"{there}: needs {reason.needs}" + (f", but {values}" if values else "")
        return f"{text} ({reason.source})."

    def _called(self, diff: BehaviorDiff) -> tuple[str, str]:
        """Return the label of the protocol whose steps these are, and that of the other one."""
        return self._names[diff.of], self._names[1 - diff.of]

    def legend(self, legend: str) -> None:
        """Print how to read the display of states."""
        if legend:
            self._console.print()
            self._say(f"How to read it: {' '.join(legend.split())}", style="dim")

    def _heading(self, text: str) -> None:
        """Print what the lines below are about."""
        self._console.print()
        self._say(text, style="bold underline")

    def _say(self, text: str | Text, indent: int = 0, style: str = "") -> None:
        line = Text(text, style) if isinstance(text, str) else text
        print_prose(self._console, line, indent)

    def _step(self, text: str) -> None:
        self._say(text, style="bold")


def _columns(taken: Scene, other: Scene | None = None) -> Iterator[str]:
    """Yield a line for each participant; with `other`, for each that looks different there."""
    for name, text in taken.columns.items():
        if text and (other is None or other.columns.get(name) != text):
            yield f"{name} is now: {'; '.join(text.split(chr(10)))}"


def _enabled(names: Sequence[str], counts: Sequence[Count]) -> str:
    """Say which actions are enabled more often in one of the two."""
    old, new = (counted.taken for counted in counts)
    differ = [name for name in {**old, **new} if old.get(name, 0) != new.get(name, 0)]
    if not differ:
        return "Every action is enabled equally often."
    text = (
        f"{name} {old.get(name, 0):,} times in {names[0]} and {new.get(name, 0):,} in {names[1]}"
        for name in differ
    )
    return f"Not every action is enabled equally often: {'; '.join(text)}."


def in_steps(steps: int, loop: int | None) -> str:
    """Return what follows a violation: `` in 12 steps``, or ``: stem of ...`` of a lasso."""
    return f" in {count(steps, 'step')}" if loop is None else f": {length(steps, loop)}"


def _verdict(row: Row | None) -> Text:
    """Return a verdict in a few words."""
    if row is None:
        return Text("-")
    if row.outcome == "violated" and row.steps is None:
        return Text("violated", "red")
    if row.steps is not None:
        return Text(f"violated{in_steps(len(row.steps), row.loop)}", "red")
    return Text("holds", "green") if row.outcome == "holds" else Text("not decided", "yellow")


def _searched(decided: VerdictDiff) -> Iterator[str]:
    """Say which other bounds were searched, and which were not."""
    if decided.alike:
        same = "; ".join(bounds or "the defaults" for bounds in decided.alike)
        yield f"Also searched, with the same verdicts for both: {same}."
    if decided.skipped:
        left = "; ".join(bounds or "the defaults" for bounds in decided.skipped)
        yield f"Search not finished within --time-limit: {left}."

"""A trace sentence by sentence, and what its violation needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis.needs import Counts, Need, Smallest
from .narrative import Narrative
from .printed import Console, Text
from .summary import count
from .text import print_prose


@dataclass(frozen=True)
class Findings:
    """What is known about a violation.

    Parameters
    ----------
    needs, options
        The kinds of faults and elections in its trace, and the options that are on.
    smallest
        A minimal subset of its faults and elections; None if it needs all, or nothing was searched.
    dispensable
        Numbers of the steps each of which can be dropped.
    part
        How many steps are left after dropping all that can be dropped.
    searched
        Whether faults and elections were searched at all.
    """

    needs: tuple[Need, ...]
    options: tuple[Need, ...]
    smallest: Smallest | None
    dispensable: tuple[int, ...]
    part: int
    searched: bool = True

    @property
    def decided(self) -> bool:
        """Whether every search explored all states, or found a violation."""
        smallest = self.smallest is None or self.smallest.decided
        return smallest and all(need.decided for need in (*self.needs, *self.options))

    @property
    def all_needed(self) -> bool:
        """Whether no fault or election of the trace can be left out, as far as is known."""
        return all(need.decided and need.least == len(need.numbers) for need in self.needs)


def print_sentences(console: Console, told: Narrative) -> None:
    """Print a trace sentence by sentence, and what went wrong."""
    print_prose(console, Text(told.title, "bold"))
    print_prose(console, Text(f"{told.protocol}: {told.about}"))
    print_prose(console, Text(f"Within {told.headline}."))
    console.print()
    for moment in told.moments[1:]:
        print_prose(console, Text(f"{moment.number:2}. {moment.event.sentence}"))
    if told.repeats:
        print_prose(console, Text(told.repeats, "bold"))
    if told.violated:
        console.print()
        head = (f"{told.violated} is violated. ", "bold red")
        print_prose(console, Text.assemble(head, told.explanation, f" {told.cause}".rstrip()))
    if told.fairness:
        print_prose(console, Text(told.fairness))


def print_findings(
    console: Console, told: Narrative, found: Findings, words: Mapping[str, str]
) -> None:
    """Print what a violation needs.

    Parameters
    ----------
    words
        The noun for each kind of fault or election.
    """
    console.print()
    print_prose(console, Text(f"What it needs, within {told.headline}", "bold"))
    if not found.searched:
        what = "a behavior" if told.repeats else "a state"
        why = f"Not searched: leaving out faults or elections can itself produce {what} "
        print_prose(console, Text(why + f"that violates {told.violated}."))
    elif not found.needs:
        print_prose(console, Text("This trace has no faults and no elections."))
    for need in found.needs:
        used = count(len(need.numbers), words[need.name])
        where = ", ".join(_where(told, number) for number in need.numbers)
        line = Text.assemble((used, "bold"), f" ({where}): ", _verdict(need, told.violated, words))
        print_prose(console, line)
    for need in found.options:
        verdict = _option(need, told.violated, words)
        print_prose(console, Text.assemble((f"option {need.name}", "bold"), ": ", verdict))
    if found.needs or found.options:
        print_prose(console, _conclusion(told.violated, found, words))
    if not told.repeats:
        print_prose(console, Text(_steps(told.steps, found)))


def _where(told: Narrative, number: int) -> str:
    """Return who was concerned by a step, and which step it is."""
    moment = told.moments[number]
    unclean = "unclean: " if moment.event.sign == "unclean" else ""
    return f"{unclean}{moment.arguments} at step {number}"


def _verdict(need: Need, violated: str, words: Mapping[str, str]) -> str:
    """Say whether a kind of fault or election can be left out."""
    fewer = f"at most {need.least - 1}" if need.least > 1 else "none"
    nothing = f"with {fewer}, no behavior within these bounds violates {violated}"
    if need.least == len(need.numbers):
        if need.decided:
            return (
                f"cannot be left out; {nothing} ({count(need.distinct_states, 'distinct state')})."
            )
        return f"not decided; {_covered(need)}."
    instead = f"a behavior of {count(need.steps or 0, 'step')} has {listed(need.instead, words)}"
    if not need.least:
        return f"can be left out; {instead}."
    if need.decided:
        return f"{need.least} would do, but not fewer; {instead}; {nothing}."
    return f"{need.least} would do; {instead}. Whether fewer do is not decided; {_covered(need)}."


def _covered(need: Need) -> str:
    """Say what a search saw that was stopped."""
    states = count(need.distinct_states, "distinct state")
    return f"{states} with fewer violate nothing so far (stopped by {need.stopped_by})"


def _option(need: Need, violated: str, words: Mapping[str, str]) -> str:
    """Say whether an option has to be on."""
    if need.instead is not None:
        steps = count(need.steps or 0, "step")
        return f"need not be on; a behavior of {steps} violates {violated} without it."
    if need.decided:
        return f"has to be on; without it, no behavior within these bounds violates {violated}."
    return f"not decided; {_covered(need)}."


def listed(counts: Counts | None, words: Mapping[str, str]) -> str:
    """Return faults and elections with their numbers, for people.

    >>> listed({"Crash": 2, "Elect": 1}, {"Crash": "crash", "Elect": "election"})
    '2 crashes and 1 election'
    """
    texts = [count(number, words[kind]) for kind, number in (counts or {}).items()]
    if len(texts) < 2:
        return "".join(texts) or "no faults and no elections"
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _conclusion(violated: str, found: Findings, words: Mapping[str, str]) -> Text:
    """Say in one line what a violation needs."""
    used = {need.name: len(need.numbers) for need in found.needs}
    if found.smallest is None:
        if not found.decided:
            return Text("")
        told = f"{violated} needs all of these: {listed(used, words)}. With one of them fewer, no "
        return Text(told + "behavior within these bounds violates it.", "bold")
    counts, steps = found.smallest.counts, count(len(found.smallest.trace.steps), "step")
    if counts == used:
        told = f"With only a part of {listed(used, words)}, "
        if not found.smallest.decided:
            return Text(f"{told}no violation was found so far.", "bold")
        told += f"no behavior violates {violated}; with fewer of one, it takes more of another."
        return Text(told, "bold")
    told = f"{listed(counts, words)} would do: there is a behavior of {steps}"
    if found.smallest.decided:
        told += "; none of these can be left out unless other faults or elections take their place"
    return Text(f"{told}.", "bold")


def _steps(steps: int, found: Findings) -> str:
    """Say which steps of the trace itself can be dropped."""
    if not found.dispensable:
        return f"None of the {steps} steps can be dropped: what is left would not violate it."
    numbers = ", ".join(map(str, found.dispensable))
    told = f"Of the {count(steps, 'step')} these can be dropped, each by itself: {numbers}"
    return f"{told}. With all dropped that can be, {found.part} are left."


def document(told: Narrative, found: Findings | None, words: Mapping[str, str]) -> dict[str, Any]:
    """Return everything that ``tidegate explain`` found, ready to be written as JSON."""
    return {
        "protocol": told.protocol,
        "bounds": dict(told.bounds),
        "property": told.violated,
        "explanation": told.explanation,
        "cause": told.cause,
        "loop": told.loop,
        "repeats": told.repeats,
        "fairness": told.fairness,
        "steps": [
            {"number": moment.number, "action": moment.title, "says": moment.event.sentence}
            for moment in told.moments[1:]
        ],
        "needs": [_plain(need, words) for need in found.needs] if found else [],
        "options": [_plain(need, words) for need in found.options] if found else [],
        "smallest": _smallest(found.smallest) if found else None,
        "all_needed": bool(found and found.needs and found.all_needed),
        "decided": found.decided if found else True,
        "dispensable_steps": list(found.dispensable) if found else [],
        "steps_left": found.part if found else told.steps,
    }


def _plain(need: Need, words: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": need.name,
        "called": words.get(need.name, need.name),
        "steps": list(need.numbers),
        "least": need.least,
        "decided": need.decided,
        "instead": need.instead,
        "distinct_states": need.distinct_states,
        "stopped_by": need.stopped_by and str(need.stopped_by),
    }


def _smallest(found: Smallest | None) -> dict[str, Any] | None:
    if found is None:
        return None
    steps: Sequence[Any] = found.trace.steps
    return {
        "perturbations": found.counts,
        "decided": found.decided,
        "steps": [str(step) for step in steps],
    }

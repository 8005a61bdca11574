"""A trace sentence by sentence, and what its violation needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..explain.findings import Findings
from ..explain.needs import Counts, Need, Smallest
from .console import Console, Text
from .narrative import Narrative
from .summary import count
from .text import print_prose


def print_sentences(console: Console, narrative: Narrative, brief: bool = False) -> None:
    """Print a trace sentence by sentence (unless `brief`), and what went wrong."""
    if not brief:
        print_prose(console, Text(narrative.title, "bold"))
        print_prose(console, Text(f"{narrative.protocol}: {narrative.about}"))
        if narrative.headline:
            print_prose(console, Text(f"Within {narrative.headline}."))
        console.print()
        for moment in narrative.moments[1:]:
            print_prose(console, Text(f"{moment.number:2}. {moment.event.sentence}"))
        if narrative.repeats:
            print_prose(console, Text(narrative.repeats, "bold"))
    if narrative.violated:
        if not brief:
            console.print()
        head = (f"{narrative.violated} is violated. ", "bold red")
        print_prose(
            console, Text.assemble(head, narrative.explanation, f" {narrative.cause}".rstrip())
        )
    if narrative.fairness:
        print_prose(console, Text(narrative.fairness))


def print_findings(
    console: Console,
    narrative: Narrative,
    findings: Findings,
    words: Mapping[str, str],
    brief: bool = False,
) -> None:
    """Print what a violation needs.

    Parameters
    ----------
    words
        The noun for each kind of fault or election.
    brief
        Whether only the conclusion is printed.
    """
    if brief:
        if findings.needs or findings.options:
            print_prose(console, _conclusion(narrative.violated, findings, words))
        return
    console.print()
    within = f", within {narrative.headline}" if narrative.headline else ""
    print_prose(console, Text(f"What it needs{within}", "bold"))
    if not findings.searched:
        why = "Not searched: leaving out faults or elections can itself produce a state "
        print_prose(console, Text(why + f"that violates {narrative.violated}."))
    elif words and not findings.needs and not findings.fair:
        kinds = "faults and no elections" if "election" in words.values() else "faults"
        print_prose(console, Text(f"This trace has no {kinds}."))
    for need in findings.needs:
        used = count(len(need.numbers), words[need.name])
        where = ", ".join(_where(narrative, number) for number in need.numbers)
        line = Text.assemble(
            (used, "bold"), f" ({where}): ", _verdict(need, narrative.violated, words)
        )
        print_prose(console, line)
    for need in findings.options:
        verdict = _option(need, narrative.violated)
        print_prose(console, Text.assemble((f"option {need.name}", "bold"), ": ", verdict))
    if findings.fair:
        kinds = ", ".join(count(2, words[kind]).removeprefix("2 ") for kind in findings.fair)
        why = "Fairness demands these, so a behavior without them can violate"
        print_prose(
            console, Text(f"Not searched: {kinds}. {why} {narrative.violated} for that alone.")
        )
    if narrative.repeats:
        return
    if findings.needs or findings.options:
        print_prose(console, _conclusion(narrative.violated, findings, words))
    print_prose(console, Text(_steps(narrative.steps, findings)))


def _where(narrative: Narrative, number: int) -> str:
    """Return the arguments and the number of a step."""
    moment = narrative.moments[number]
    unclean = "unclean: " if moment.event.sign == "unclean" else ""
    return f"{unclean}{f'{moment.arguments} at' if moment.arguments else 'at'} step {number}"


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
    """Say what a stopped search has covered."""
    states = count(need.distinct_states, "distinct state")
    return f"{states} with fewer violate nothing so far (stopped by {need.stopped_by})"


def _option(need: Need, violated: str) -> str:
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


def _conclusion(violated: str, findings: Findings, words: Mapping[str, str]) -> Text:
    """Say in one line what a violation needs."""
    used = {need.name: len(need.numbers) for need in findings.needs}
    if findings.smallest is None:
        if not findings.decided:
            return Text("")
        fewer = "with fewer of any" if len(used) > 1 else "with fewer"
        fewer = "without it" if list(used.values()) == [1] else fewer
        text = f"{violated} needs {listed(used, words)}: {fewer}, no behavior within "
        return Text(text + "these bounds violates it.", "bold")
    counts, steps = findings.smallest.counts, count(len(findings.smallest.trace.steps), "step")
    if counts == used:
        text = f"With only a part of {listed(used, words)}, "
        if not findings.smallest.decided:
            return Text(f"{text}no violation was found so far.", "bold")
        text += f"no behavior violates {violated}; with fewer of one, it takes more of another."
        return Text(text, "bold")
    text = f"{listed(counts, words)} would do: there is a behavior of {steps}"
    if findings.smallest.decided:
        text += "; none of these can be left out unless other faults or elections take their place"
    return Text(f"{text}.", "bold")


def _steps(steps: int, findings: Findings) -> str:
    """Say which steps of the trace itself can be dropped."""
    if not findings.dispensable:
        return f"None of the {steps} steps can be dropped: the rest would not violate it."
    numbers = ", ".join(map(str, findings.dispensable))
    text = f"Of the {count(steps, 'step')} these can be dropped, each by itself: {numbers}"
    return f"{text}. With all dropped that can be, {findings.part} are left."


def document(
    narrative: Narrative, findings: Findings | None, words: Mapping[str, str]
) -> dict[str, Any]:
    """Return everything that ``tidegate explain`` found, ready to be written as JSON."""
    return {
        "protocol": narrative.protocol,
        "bounds": dict(narrative.bounds),
        "property": narrative.violated,
        "explanation": narrative.explanation,
        "cause": narrative.cause,
        "loop": narrative.loop,
        "repeats": narrative.repeats,
        "fairness": narrative.fairness,
        "steps": [
            {"number": moment.number, "action": moment.title, "says": moment.event.sentence}
            for moment in narrative.moments[1:]
        ],
        "needs": [_plain(need, words) for need in findings.needs] if findings else [],
        "not_searched": list(findings.fair) if findings else [],
        "options": [_plain(need, words) for need in findings.options] if findings else [],
        "smallest": _smallest(findings.smallest) if findings else None,
        "all_needed": bool(findings and findings.needs and findings.all_needed),
        "decided": findings.decided if findings else True,
        "dispensable_steps": list(findings.dispensable) if findings else [],
        "steps_left": findings.part if findings else narrative.steps,
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


def _smallest(findings: Smallest | None) -> dict[str, Any] | None:
    if findings is None:
        return None
    steps: Sequence[Any] = findings.trace.steps
    return {
        "needs": findings.counts,
        "decided": findings.decided,
        "steps": [str(step) for step in steps],
    }

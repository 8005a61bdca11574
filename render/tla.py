"""A trace as TLC prints one: numbered states, each a conjunction of what the variables are."""

from __future__ import annotations

from .narrative import Moment, Narrative
from .values import named, shown


def tla(narrative: Narrative, full: bool = False) -> str:
    """Return a trace as text in the style of TLA+.

    Parameters
    ----------
    full
        Print every variable of every state; else, after the first state, those that changed, as
        TLC does with -difftrace.
    """
    lines = []
    if narrative.violated:
        what = "Invariant" if narrative.loop is None else "Temporal property"
        # TLC knows no property that must be reached: the state violates its negation.
        name = f"~{narrative.violated}" if narrative.verb == "reached" else narrative.violated
        lines += [f"Error: {what} {name} is violated.", ""]
    # TLC does not print the state that a cycle comes back to a second time.
    for moment in narrative.moments[:-1] if narrative.cycle else narrative.moments:
        lines.append(f"State {moment.number + 1}: <{_action(moment)}>")
        is_whole = full or not moment.number
        written = {_variable(name) for name in moment.written}
        values = _variables(moment)
        names = named(values)
        lines += [
            f"/\\ {names[name]} = {value}"
            for name, value in values.items()
            if is_whole or name in written
        ]
        lines.append("")
    if narrative.loop is not None and narrative.cycle:
        lines += [f"Back to state {narrative.loop + 1}: <{_action(narrative.moments[-1])}>", ""]
    elif narrative.loop is not None:
        lines += [f"State {narrative.steps + 2}: Stuttering", ""]
    return "\n".join(lines)


def _action(moment: Moment) -> str:
    """Return the action with its arguments, as in a formula."""
    if moment.step is None:
        return "Initial predicate"
    arguments = ", ".join(map(shown, moment.step.chosen.values()))
    return f"{moment.step.action}({arguments})" if arguments else moment.step.action


def _variable(name: str) -> str:
    """Return the variable that ``replica[1]`` is an element of."""
    return name.partition("[")[0]


def _variables(moment: Moment) -> dict[str, str]:
    """Return the variables, the elements of each sequence joined again."""
    grouped: dict[str, list[str]] = {}
    for name, value in moment.variables:
        grouped.setdefault(_variable(name), []).append(value)
    sequences = {_variable(name) for name, _ in moment.variables if "[" in name}
    return {
        name: f"<<{', '.join(values)}>>" if name in sequences else values[0]
        for name, values in grouped.items()
    }

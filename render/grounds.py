"""What a search relies on beside the code, and why it was not compiled, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.errors import Reason
from ..core.result import FASTER, Result


def searched_in_python(reasons: Sequence[Reason]) -> str:
    """Say why a search was not compiled: the first reason, and how many more there are."""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"searched in Python, compiled code is {FASTER}: {reasons[0]}{more}"


def relied_on(result: Result) -> str:
    """Say why the permutations of states could be left out; empty without symmetry."""
    grounds = result.grounds
    if grounds is None:
        return ""
    if result.permutations == 1:
        return f"{grounds.alone}, so there are no permutations"
    where = f"{grounds.actions} action{'s' * (grounds.actions != 1)}"
    if grounds.properties:
        names = "property" if grounds.properties == 1 else "properties"
        where += f" and {grounds.properties} {names}"
    number = grounds.sampled_states
    sampled = f"{number:,} state{'s' * (number != 1)} sampled"
    said = f"{result.permutations} permutations; replicas are only names in all {where}"
    if not grounds.declared:
        return f"{said} (shown from the code), {sampled}"
    declared = "; ".join(
        f"{one.function} ({one.place}) is declared symmetric: {one.reason.rstrip('.')}"
        for one in grounds.declared
    )
    return f"{said} (shown from the code, but {declared}), {sampled}"


def declared_pure(result: Result) -> str:
    """Name the functions that were tried, not read; empty if the model reaches none."""
    tried = result.tried
    if tried is None:
        return ""
    named = ", ".join(
        f"{one.function} ({one.place})"
        + (f": {one.reason.rstrip('.')}" if one.reason else "")
        + (", by Python alone" if one.by_python_alone else "")
        for one in tried.functions
    )
    if tried.not_elsewhere:
        where = f"not tried in another process, since {tried.not_elsewhere}"
    else:
        states = f"{tried.states:,} state{'s' * (tried.states != 1)}"
        where = f"{states} evaluated again in {tried.processes} other processes"
    return f"declared pure, tried, not read: {named} ({where})"


def in_vain(protocol: str, result: Result) -> Iterator[str]:
    """Yield which changed rules nothing asked, and which actions a property needs and lacks."""
    bounds = "within these bounds" if result.complete else "in the states that were searched"
    if names := result.never_asked:
        yield (
            f"{_listed(names)} {_be(names, 'was', 'were')} never asked {bounds}: the verdict says "
            f"nothing of what {protocol} changes there."
        )
    for verdict in result.verdicts:
        missing = [one for one in verdict.lacks if one not in result.taken]
        idle = [one for one in verdict.lacks if one in result.taken]
        needs = f"{verdict.property.name} needs"
        if missing:
            yield f"{needs} {_listed(missing)}, which {protocol} does not have {bounds}."
        if idle:
            yield f"{needs} {_listed(idle)}, which {_be(idle, 'is', 'are')} never enabled {bounds}."


def _be(names: Sequence[str], one: str, many: str) -> str:
    """Return the word that goes with one name, or with several."""
    return one if len(names) == 1 else many


def _listed(names: Sequence[str]) -> str:
    """Return names in a sentence.

    >>> _listed(["a"]), _listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last

"""From a trace to the forms that people look at: told with every history that there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..bounds import parse
from ..checker.render.terminal import make_console
from ..checker.replay import retaken
from ..checker.result import Verdict
from ..invariants.named import every_history
from ..spec import Property, Step, TransitionSystem
from .selection import find_protocol

if TYPE_CHECKING:
    from ..checker.render.narrative import Narrative


def with_every_history(name: str, settings: Sequence[str]) -> TransitionSystem[Any, Any]:
    """Return a protocol's system whose states hold what any property of its family reads.

    No guard reads histories, so every behavior of the protocol is one of this system.
    """
    protocol = find_protocol(name)
    return protocol.system(parse(protocol.family.bounds, settings), every_history(protocol))


def tell(
    name: str,
    settings: Sequence[str],
    steps: Sequence[Step],
    prop: Property | None,
    numbers: Iterable[tuple[str, str]] = (),
) -> Narrative:
    """Return a behavior in the intermediate form, from which every other one is made."""
    from ..checker.render.narrative import narrate

    system = with_every_history(name, settings)
    about = find_protocol(name).summary
    return narrate(system, retaken(system, 0, steps), prop, numbers, about)


def found_page(
    system: TransitionSystem[Any, Any],
    first: Verdict | None,
    settings: Sequence[str],
    report: Mapping[str, Any],
    full: bool,
) -> str:
    """Return the behavior that was found as a page; nothing if nothing is violated, and say so."""
    from ..checker.render.forms import FORMS, numbers

    if first is None or first.trace is None:
        make_console(stderr=True).print("--html: nothing is violated, so no page is written")
        return ""
    told = tell(system.name, settings, first.trace.steps, first.property, numbers(report))
    return FORMS["html"](told, full)

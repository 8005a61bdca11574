"""``tidegate replay``: take the steps of a saved trace once more."""

from __future__ import annotations

import click

from ..bounds import parse
from ..checker.render.replayed import print_replayed
from ..checker.render.terminal import make_console
from ..checker.replay import read_trace
from ..checker.replay import replay as take_again
from ..invariants import INVARIANTS, PROPERTIES
from ..spec import ModelError, ReplayError, TidegateError
from .selection import protocol_to_replay


@click.command(short_help="Take the steps of a saved trace once more.")
@click.argument("trace", metavar="TRACE.json")
@click.option("--protocol", help="Take the steps under this protocol instead of the trace's own.")
@click.option("--full", is_flag=True, help="Print every variable of every state.")
@click.pass_context
def replay(context: click.Context, /, trace: str, protocol: str | None, full: bool) -> None:
    """Take the steps of a trace once more, and say where that stops being possible, and why.

    TRACE.json is what 'tidegate check --json' wrote, or the ITF trace in it.

    \b
    Examples:
      tidegate check hw --json loss.json
      tidegate replay loss.json                       as it was found
      tidegate replay loss.json --protocol kip-101    what another protocol makes of it
    \b
    Exit status:
      0   every step can be taken, and the states are as recorded
      1   a state differs, or the recorded violation is not there any more
      2   the file is no such trace, or a step in it cannot be taken
    """
    recorded = read_trace(trace)
    chosen = protocol_to_replay(recorded.protocol, protocol)
    known = PROPERTIES[chosen.family.name]
    needs = frozenset(need for prop in known for need in prop.needs)
    try:
        settings = [f"{name}={value}" for name, value in recorded.bounds.items()]
        system = chosen.system(parse(chosen.family.bounds, settings), needs)
        replayed = take_again(system, recorded)
    except ModelError:
        raise
    except TidegateError as error:
        raise ReplayError(f"{trace}: {error}") from None
    end = replayed.trace.states[-1]
    invariants = INVARIANTS[chosen.family.name]
    judged = [p for p in known if p in invariants or p.name == recorded.property]
    violated = [prop for prop in judged if system.violates(prop, end)]
    print_replayed(make_console(), system, recorded, replayed, violated, full)
    expected = {recorded.property} if recorded.property else set()
    lost = system.name == recorded.protocol and not expected <= {p.name for p in violated}
    context.exit(2 if replayed.stopped else 1 if lost or replayed.differs is not None else 0)

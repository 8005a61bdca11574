"""``tidegate replay``: take the steps of a saved trace once more."""

from __future__ import annotations

import click

from ..analysis.selection import refuse_unknown_property
from ..checker.tracefile import read_trace
from ..invariants import INVARIANTS, PROPERTIES
from ..render.replayed import print_replayed
from ..render.terminal import make_console
from .parameters import trace_options
from .status import EXIT_HOLDS, EXIT_OTHER, EXIT_USAGE, Ended
from .telling import keeps_what_is_read, replayed_as_recorded, violated_at_end
from .trust import protocol_to_replay


@click.command(short_help="Take the steps of a saved trace once more.")
@click.argument("trace", metavar="TRACE.json")
@trace_options
@click.option("--full", is_flag=True, help="Print every variable of every state.")
def replay(trace: str, named: str | None, trusted: bool, full: bool) -> Ended:
    """Take the steps of a trace once more, and say where that stops being possible, and why.

    TRACE.json is what 'tidegate check --json' wrote, or the ITF trace in it.

    \b
    Examples:
      tidegate check hw --json loss.json
      tidegate replay loss.json                       as it was found
      tidegate replay loss.json --protocol kip-101    what another protocol makes of it
      tidegate replay own.json --protocol fence.py    a trace of a protocol of your own
    \b
    Exit status:
      0   every step can be taken, and the states are as recorded
      1   a state differs, or the recorded violation is not there any more
      2   the file is no such trace, or a step in it cannot be taken
    """
    chosen, recorded = protocol_to_replay(trace, read_trace(trace), named, trusted)
    refuse_unknown_property(trace, chosen, recorded)
    system, replayed = replayed_as_recorded(trace, chosen, recorded)
    known = [it for it in PROPERTIES[chosen.family.name] if keeps_what_is_read(system, it)]
    invariants = INVARIANTS[chosen.family.name]
    judged = [p for p in known if p in invariants or p.name == recorded.property]
    violated = violated_at_end(trace, system, judged, replayed)
    print_replayed(make_console(), system, recorded, replayed, violated, full)
    expected = {recorded.property} if recorded.property else set()
    lost = system.name == recorded.protocol and not expected <= {p.name for p in violated}
    if replayed.stopped:
        return Ended(EXIT_USAGE)
    return Ended(EXIT_OTHER if lost or replayed.differs is not None else EXIT_HOLDS)

"""``tidegate replay``: replay a saved trace."""

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


@click.command(short_help="Replay a saved trace.")
@click.argument("trace", metavar="TRACE.json")
@trace_options
@click.option("--full", is_flag=True, help="Print every variable of every state.")
def replay(trace: str, named: str | None, trusted: bool, full: bool) -> Ended:
    """Replay a saved trace; show the first step that is not enabled, and why.

    TRACE.json is a report of 'tidegate check --json', or the ITF trace in it.

    \b
    Examples:
      tidegate check hw --json loss.json
      tidegate replay loss.json                       under its own protocol
      tidegate replay loss.json --protocol kip-101    under another protocol
      tidegate replay own.json --protocol fence.py    a trace of a custom protocol
    \b
    Exit status:
      0   every step is enabled, and the states are as recorded
      1   a state differs, or the recorded violation does not occur
      2   the file is not a trace, or a step is not enabled
    """
    chosen, recorded = protocol_to_replay(trace, read_trace(trace), named, trusted)
    refuse_unknown_property(trace, chosen, recorded)
    system, replayed = replayed_as_recorded(trace, chosen, recorded)
    known = [p for p in PROPERTIES[chosen.family.name] if keeps_what_is_read(system, p)]
    invariants = INVARIANTS[chosen.family.name]
    judged = [p for p in known if p in invariants or p.name == recorded.property]
    violated = violated_at_end(trace, system, judged, replayed)
    print_replayed(make_console(), system, recorded, replayed, violated, full)
    expected = {recorded.property} if recorded.property else set()
    lost = system.name == recorded.protocol and not expected <= {p.name for p in violated}
    if replayed.stopped:
        return Ended(EXIT_USAGE)
    return Ended(EXIT_OTHER if lost or replayed.differs is not None else EXIT_HOLDS)

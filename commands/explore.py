"""``tidegate explore``: step through a protocol's states by hand, in the terminal."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from ..checker.explore import Exploration
from ..core.behavior import Behavior
from ..core.options import option
from ..core.spec import TidegateError
from ..core.tracefile import itf
from ..library.names import find_protocol
from ..library.properties import find_of_states, with_every_history
from ..library.selection import assemble
from ..render.output import report_file
from ..render.terminal import write_json
from .parameters import model_options, protocol_argument, takes
from .status import EXIT_HOLDS, EXIT_INTERNAL, Ended


class ExplorerError(TidegateError):
    """The explorer lacks Textual or a terminal."""


@dataclass(frozen=True)
class Start:
    """Where the explorer begins, and what it saves."""

    save: str = option(
        "behavior.json",
        "The key 's' saves the behavior to FILE, for 'tidegate replay'.",
        metavar="FILE",
    )
    max_states: int = option(50_000, "A jump to a violation explores at most N states.", low=1)
    initial: int = option(
        1, "Begin in initial state number N; the key 'i' goes to the next one.", low=1
    )


@click.command()
@protocol_argument()
@model_options("Judge this property in every state")
@takes(Start, "start")
def explore(
    protocol: str, settings: tuple[str, ...], names: tuple[str, ...], start: Start
) -> Ended:
    """Choose among the enabled steps of PROTOCOL, see why other steps are not enabled, and go back.

    \b
    Examples:
      tidegate explore hw
      tidegate explore kip-279 -b elections=3 -b moves --save loss.json
      tidegate explore election.py -b nodes=4 --initial 7
    """
    for prop in assemble(protocol, settings, names, find_of_states)[1]:
        if prop.kind.is_liveness:
            raise ExplorerError(
                f"-p {prop.name}: behaviors violate it, not states; use 'tidegate check' for it"
            )
    try:
        from ..render.explorer import Explorer
    except ImportError as error:
        if not (error.name or "").startswith("textual"):
            raise
        raise ExplorerError(
            "the explorer needs Textual, which is not installed; "
            "pip install textual (pipx inject tidegate textual)"
        ) from None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ExplorerError("the explorer needs a terminal as standard input and output")
    chosen = find_protocol(protocol)
    exploration = Exploration(with_every_history(chosen, settings), find_of_states(chosen, names))
    if start.initial > (count := len(exploration.initial_states)):
        raise ExplorerError(f"--initial {start.initial}: {chosen.name} has {count} initial states")
    exploration.begin(start.initial - 1)
    explorer = Explorer(exploration, lambda: saved(exploration, start.save), start.max_states)
    explorer.run()
    return Ended(EXIT_INTERNAL if explorer.return_code else EXIT_HOLDS)


def saved(exploration: Exploration, path: str) -> str:
    """Save a behavior as a trace, with the property that it violates, and return a message."""
    violated = exploration.violated()
    prop = violated[0] if violated else None
    document = itf(Behavior(exploration.system, exploration.trace, prop))
    try:
        with report_file(path, "--save") as target:
            write_json(target, document)
    except TidegateError as error:
        return str(error)
    return f"saved; view it with: tidegate replay {path} --html FILE"

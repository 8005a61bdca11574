"""The command line: the only place that joins a model, properties and an engine."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from . import __version__
from .bounds import parse
from .checker.check import ENGINES, check
from .checker.counterexample import EngineError
from .checker.render.terminal import make_console, progress, report_file, write_json
from .checker.result import Limits, Result
from .commands.selection import (
    assemble,
    find_properties,
    find_protocol,
    protocol_to_replay,
    protocols_to_compare,
)
from .invariants import INVARIANTS, PROPERTIES
from .spec import (
    Kind,
    ModelError,
    Outcome,
    ReplayError,
    TidegateError,
    TransitionSystem,
)

EXIT_HOLDS, EXIT_USAGE, EXIT_INCOMPLETE = 0, 2, 3
EXIT_DEADLOCK, EXIT_SAFETY = 11, 12
EXIT_INTERNAL, EXIT_INTERRUPTED = 70, 130

EXIT_STATUS = """\b
Exit status (as TLC's where TLC has one):
  0   every property holds in every state within the bounds
  1   replay came to another end than recorded, or the output's reader is gone
  2   wrong usage: an unknown name, a value out of range, an unusable file
  3   incomplete: a limit was reached and nothing violated so far
  11  deadlock: nothing is enabled, or nothing heals (-p Deadlock, -p Stuck)
  12  a safety property is violated
  13  reserved for liveness properties
  70  internal error, or an ill-formed model
  130 interrupted, with nothing violated so far
"""


class _Group(click.Group):
    """A group that turns every error into one message and its exit status."""

    def invoke(self, context: click.Context) -> Any:
        """Run a command; no traceback reaches a user."""
        try:
            return super().invoke(context)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            self._fail("interrupted", EXIT_INTERRUPTED)
        except (ModelError, EngineError) as error:
            self._fail(f"the model or an engine is wrong: {error}", EXIT_INTERNAL)
        except TidegateError as error:
            self._fail(str(error), EXIT_USAGE)
        except OSError as error:
            self._fail(f"cannot write the output: {error.strerror or error}", EXIT_USAGE)
        except Exception as error:
            if os.environ.get("TIDEGATE_TRACEBACK"):
                raise
            self._fail(
                f"internal error: {type(error).__name__}: {error}; set TIDEGATE_TRACEBACK=1 to "
                "see where, and please report it",
                EXIT_INTERNAL,
            )

    @staticmethod
    def _fail(message: str, status: int) -> None:
        click.echo(f"Error: {message}", err=True)
        sys.exit(status)


@click.group(
    cls=_Group, epilog=EXIT_STATUS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="tidegate")
def main() -> None:
    """Check Kafka's replication protocol: every interleaving within small bounds.

    \b
    Examples:
      tidegate list                      what there is to check
      tidegate check hw                  the loss that KIP-101 repaired, step by step
      tidegate check kip-101             the same cluster under leader epochs
      tidegate check kip-320 -b elections=2 -b power_losses=1
    """


@main.command(
    name="check",
    epilog=EXIT_STATUS,
    short_help="Search every state of a protocol and print the trace that breaks it.",
)
@click.argument("protocol")
@click.option(
    "-b",
    "--bound",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a bound or an option of the protocol; 'tidegate list' shows them all.",
)
@click.option(
    "-p",
    "--property",
    "names",
    metavar="PROPERTY",
    multiple=True,
    help="Check this property (repeatable), or 'all' invariants, or 'none'.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="How to search; every engine gives the same answer.",
)
@click.option(
    "--continue",
    "keep_going",
    is_flag=True,
    help="Explore everything and report the first violation of every property.",
)
@click.option(
    "--symmetry",
    is_flag=True,
    help="Search states that differ only in which replica is which but once.",
)
@click.option("--max-states", type=click.IntRange(min=1), help="Stop at this many distinct states.")
@click.option("--max-depth", type=click.IntRange(min=1), help="Stop at behaviors of N states.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, max=1e9, min_open=True),
    metavar="SECONDS",
    help="Stop after so many seconds.",
)
@click.option("--full", is_flag=True, help="Print every variable of every state of the trace.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write the report as JSON, '-' for standard output (then nothing else goes there).",
)
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict only.")
@click.option(
    "--debug",
    is_flag=True,
    help="Watch every action: that it writes nothing where it is not enabled, and stays in range.",
)
@click.pass_context
def check_command(context: click.Context, /, **options: Any) -> None:
    """Search every state of PROTOCOL within its bounds and print the trace that breaks it.

    The trace is a shortest one, and the same on every run.

    \b
    Examples:
      tidegate check hw
      tidegate check kip-101 -b records=3 -b elections=2 --continue
      tidegate check kip-320 -b replicas=3 -b moves -p LogMatching --time-limit 600
      tidegate check hw --json report.json --quiet
    """
    system, properties = assemble(options["protocol"], options["settings"], options["names"])
    system.debug = options["debug"]
    limits = Limits(options["max_states"], options["max_depth"], options["time_limit"])
    with report_file(options["json_file"], "--json") as target:
        with progress(options["quiet"]) as show:
            result = check(
                system,
                properties,
                limits=limits,
                keep_going=options["keep_going"],
                report=show,
                symmetry=options["symmetry"],
            )
        if target is not None:
            from .checker.render.report import report

            write_json(target, report(system, result))
    if options["json_file"] != "-":
        _print(system, result, options)
    context.exit(_exit_status(result))


@main.command(name="list", short_help="Show the protocols, the properties and the bounds.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def list_command(as_json: bool) -> None:
    """Show what can be checked: protocols, properties, and bounds with ranges and defaults."""
    from .checker.render.catalogue import print_catalogue
    from .commands.catalogue import catalogue

    if as_json:
        click.echo(json.dumps(catalogue(), indent=2))
    else:
        print_catalogue(make_console(), catalogue())


@main.command(short_help="Tell a protocol's story, rules, actions and expected verdicts.")
@click.argument("protocol")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def show(protocol: str, as_json: bool) -> None:
    """Tell what PROTOCOL does: its story, the rules it replaces, its actions with their guards.

    \b
    Examples:
      tidegate show kip-320
      tidegate show kip-101 --json
    """
    from .checker.render.story import print_story, story

    told = story(find_protocol(protocol))
    if as_json:
        click.echo(json.dumps(told, indent=2))
    else:
        print_story(make_console(), told)


@main.command(short_help="Take the steps of a saved trace once more.")
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
    from .checker.render.replayed import print_replayed
    from .checker.replay import read_trace
    from .checker.replay import replay as take_again

    recorded = read_trace(trace)
    chosen = protocol_to_replay(recorded.protocol, protocol)
    known = PROPERTIES[chosen.family.name]
    needs = frozenset(need for prop in known for need in prop.needs)
    try:
        settings = [f"{name}={value}" for name, value in recorded.bounds.items()]
        system = chosen.system(parse(chosen.family.bounds, settings), needs)
        replayed = take_again(system, recorded)
    except TidegateError as error:
        raise ReplayError(f"{trace}: {error}") from None
    end = replayed.trace.states[-1]
    invariants = INVARIANTS[chosen.family.name]
    judged = [p for p in known if p in invariants or p.name == recorded.property]
    violated = [prop for prop in judged if system.violates(prop, end)]
    print_replayed(make_console(), system, recorded, replayed, violated, full)
    lost = system.name == recorded.protocol and recorded.property not in {p.name for p in violated}
    context.exit(2 if replayed.stopped else 1 if lost or replayed.differs is not None else 0)


@main.command(short_help="Find the smallest bounds that violate each property; takes an hour.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    required=True,
    help="Write the page there.",
)
@click.option("--protocol", "names", multiple=True, help="Only this protocol (repeatable).")
@click.option("--scenario", "title", help="Only scenarios whose title contains this.")
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count(), show_default="cores")
def verdicts(output: str, names: tuple[str, ...], title: str | None, jobs: int) -> None:
    """Find the smallest bounds that violate each property, or the largest at which it holds.

    Every scenario of a family is searched for every protocol, and the page of verdicts written.

    \b
    Examples:
      tidegate verdicts --output docs/verdicts.md
      tidegate verdicts --protocol kip-320 --scenario moves --output moves.md
    """
    from .commands.verdicts import write_verdicts

    protocols = protocols_to_compare(names)
    with report_file(output, "--output") as target:
        assert target is not None
        write_verdicts(target, protocols, title or "", jobs)


@main.command(short_help="Weaken every guard and rule in turn, and see which property notices.")
@click.argument("protocol")
@click.option(
    "-b",
    "--bounds",
    "ladder",
    metavar="'NAME=VALUE ...'",
    multiple=True,
    help="Search at these bounds (repeatable, in order) instead of the family's own ladder.",
)
@click.option(
    "-p",
    "--property",
    "names",
    metavar="PROPERTY",
    multiple=True,
    help="Check this property (repeatable), or 'all'. Default: the protocol's own.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, max=1e9, min_open=True),
    metavar="SECONDS",
    help="Give up a search after so many seconds.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count(), show_default="cores")
def mutate(
    protocol: str,
    ladder: tuple[str, ...],
    names: tuple[str, ...],
    time_limit: float | None,
    jobs: int,
) -> None:
    """Leave out every guard of PROTOCOL, and undo every rule it replaces, one at a time.

    Printed is for each such mutant which property kills it, in how many steps and at which bounds;
    or that it survived. What PROTOCOL violates by itself, in as few steps, kills no mutant.

    \b
    Examples:
      tidegate mutate kip-320 --time-limit 60
      tidegate mutate hw -b records=1 -b 'elections=2 moves'
    """
    from .commands.mutate import fates, print_fates

    chosen = find_protocol(protocol)
    bounds = ladder or chosen.family.mutation_bounds
    for rung in bounds:
        parse(chosen.family.bounds, rung.split())
    found = fates(chosen, find_properties(chosen, names), bounds, time_limit, jobs)
    print_fates(make_console(), chosen.name, found)


def _print(system: TransitionSystem[Any, Any], result: Result, options: dict[str, Any]) -> None:
    from .checker.render.summary import print_result, print_verdict

    if options["quiet"]:
        print_verdict(make_console(), system, result)
    else:
        print_result(make_console(), system, result, options["full"], options["keep_going"])


def _exit_status(result: Result) -> int:
    """Return the exit status of a search; a violation counts more than not having seen all."""
    violated = [v.property.kind for v in result.verdicts if v.outcome is Outcome.VIOLATED]
    if any(kind in (Kind.INVARIANT, Kind.TYPE) for kind in violated):
        return EXIT_SAFETY
    if violated:
        return EXIT_DEADLOCK
    if result.outcome is Outcome.HOLDS:
        return EXIT_HOLDS
    return EXIT_INTERRUPTED if result.stopped_by == "an interrupt" else EXIT_INCOMPLETE

"""``tidegate conform``: compare a protocol with real brokers."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from ..analysis.conformance import Conformance, Conforming
from ..analysis.covering import CoveringWalks
from ..analysis.exercised import Coverage, GuardCoverage, RuleCoverage
from ..analysis.on_brokers import (
    forcible_distribution,
    protocol_to_walk,
    systems_to_walk,
)
from ..checker.itf import itf
from ..checker.result import doing
from ..core.spec import TransitionSystem
from ..render.output import OutputError, Reports
from ..render.terminal import progress, write_json
from .parameters import bound_option, protocol_argument, quiet_option
from .status import EXIT_HOLDS, EXIT_INTERRUPTED, EXIT_OTHER, Ended, ended


@click.command()
@protocol_argument(required=False)
@click.option(
    "--kafka",
    metavar="DIR",
    required=True,
    help="An unpacked distribution of Kafka, or a directory of its jars.",
)
@click.option("--walks", type=click.IntRange(1, 1_000_000), default=20, show_default=True)
@click.option(
    "--steps",
    type=click.IntRange(1, 1000),
    default=25,
    show_default=True,
    help="Maximum number of steps of a walk.",
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True)
@bound_option()
@click.option(
    "--save",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    default="differences",
    show_default=True,
    help="Save walks in which the brokers differ to DIR, for 'tidegate replay'.",
)
@click.option(
    "--json", "json_file", metavar="FILE", help="Write the result to FILE ('-': standard output)."
)
@quiet_option
def conform(**options: Any) -> Ended:
    """Take random walks through PROTOCOL, force them on real brokers, and compare after each step.

    Without PROTOCOL, the rules are those of the brokers' release. The walks prefer actions, and
    pairs of consecutive actions, that are still rare. Every tenth walk begins with a shortest
    behavior to an action that the first walks lack. The same seed gives the same walks. A walk in
    which the brokers differ from the model is shortened and saved.

    \b
    Examples:
      tidegate conform --kafka .kafka/1.1.1 --walks 100
      tidegate conform hw --kafka .kafka/0.9.0.1 -b replicas=2 --seed 7
      tidegate conform kip-320 --kafka build/my-kafka --json seen.json

    \b
    Exit status:
      0   the brokers did every step as the protocol says
      1   they differ in some walk
      2   wrong usage, or Kafka cannot be started
      130 interrupted; what was covered is printed
    """
    from ..render.conformed import conformance_report, print_conformance

    distribution = forcible_distribution(options["kafka"])
    protocol = protocol_to_walk(options["protocol"], distribution, options["settings"])
    system, restricted = systems_to_walk(protocol, distribution, options["settings"])
    walks = CoveringWalks(restricted, options["seed"], options["steps"])
    covered = Coverage(RuleCoverage(protocol, system.bounds), GuardCoverage(restricted))
    with Reports({"--json": options["json_file"]}) as reports:
        with progress(options["quiet"]) as show:
            run = Conforming(
                distribution, system, walks, lambda what: show(doing(what)), covered.take
            )
            with suppress(KeyboardInterrupt):
                run.take(options["walks"])
        done = run.done
        saved = _save(system, done, options["save"], options["seed"])
        with reports.after():
            if options["json_file"] != "-":
                print_conformance(system, done, walks, covered, saved, options["quiet"])
        document = conformance_report(system, done, walks, covered, options["seed"], saved)
        reports.write("--json", lambda target: write_json(target, document))
    if done.departures:
        return ended(EXIT_OTHER, reports)
    return ended(EXIT_HOLDS if done.complete else EXIT_INTERRUPTED, reports)


def _save(
    system: TransitionSystem[Any, Any], done: Conformance, folder: Path, seed: int
) -> list[str]:
    """Write the traces in which brokers differ, and return their files."""
    saved = []
    for departure in done.departures:
        path = folder / f"{system.name}-seed-{seed}-walk-{departure.walk}.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf-8") as target:
                write_json(target, itf(system, None, departure.trace))
        except OSError as error:
            raise OutputError(f"--save {folder}: cannot write ({error.strerror})") from None
        saved.append(str(path))
    return saved

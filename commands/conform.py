"""``tidegate conform``: compare a protocol with real brokers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..conform.conformance import Conformance, Conforming
from ..conform.coverage import Coverage, GuardCoverage, RuleCoverage
from ..conform.systems import forcible_distribution, protocol_to_walk, systems_to_walk
from ..conform.walks import CoveringWalks
from ..core.behavior import Behavior
from ..core.options import option
from ..core.result import doing
from ..core.spec import TransitionSystem
from ..core.tracefile import itf
from ..render.output import OutputError, Reports
from ..render.terminal import progress, write_json
from .parameters import Output, bound_option, protocol_argument, takes
from .status import EXIT_HOLDS, EXIT_INTERRUPTED, EXIT_OTHER, Ended, ended


@dataclass(frozen=True)
class Walks:
    """Walks on real brokers."""

    walks: int = option(20, "Number of walks.", low=1, high=1_000_000)
    steps: int = option(25, "Maximum number of steps of a walk.", low=1, high=1000)
    seed: int = option(0, "Equal seeds give equal walks.", low=0, high=2**64 - 1)
    save: Path = option(
        Path("differences"),
        "Save walks in which the brokers differ to DIR, for 'tidegate replay'.",
        metavar="DIR",
    )


@click.command()
@protocol_argument(required=False)
@click.option(
    "--kafka",
    metavar="DIR",
    required=True,
    help="An unpacked distribution of Kafka, or a directory of its jars.",
)
@bound_option()
@takes(Walks, "how")
@takes(Output, "output")
def conform(
    protocol: str | None, kafka: str, settings: tuple[str, ...], how: Walks, output: Output
) -> Ended:
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
      130 interrupted; the coverage so far is printed
    """
    from ..render.conformance import conformance_report, print_conformance

    distribution = forcible_distribution(kafka)
    chosen = protocol_to_walk(protocol, distribution, settings)
    system, restricted = systems_to_walk(chosen, distribution, settings)
    walks = CoveringWalks(restricted, how.seed, how.steps)
    covered = Coverage(RuleCoverage(chosen, system.bounds), GuardCoverage(restricted))
    with Reports({"--json": output.json_file}) as reports:
        with progress(output.quiet) as show:
            run = Conforming(
                distribution, system, walks, lambda what: show(doing(what)), covered.take
            )
            with suppress(KeyboardInterrupt):
                run.take(how.walks)
        done = run.done
        saved = _save(system, done, how.save, how.seed)
        with reports.after():
            if output.json_file != "-":
                print_conformance(system, done, walks, covered, saved, output.quiet)
        document = conformance_report(system, done, walks, covered, how.seed, saved)
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
                write_json(target, itf(Behavior(system, departure.trace)))
        except OSError as error:
            raise OutputError(f"--save {folder}: cannot write ({error.strerror})") from None
        saved.append(str(path))
    return saved

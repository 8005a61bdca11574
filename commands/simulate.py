"""``tidegate simulate``: random walks, for bounds too large to search exhaustively."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ..checker.verdicts import behavior_of
from ..library.problem import simulation
from ..library.simulation import Walks
from ..render.output import Reports
from ..render.terminal import make_console, write_json
from .parameters import TraceOutput, form_options, model_options, protocol_argument, takes
from .status import EXIT_STATUS, Ended, deciding, ended, exit_status
from .traces import write_counterexample


@click.command(
    name="simulate",
    epilog=EXIT_STATUS,
)
@protocol_argument()
@model_options("Judge this property")
@takes(Walks, "how")
@takes(TraceOutput, "output")
@form_options("the counterexample")
def simulate(
    protocol: str,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    how: Walks,
    output: TraceOutput,
    forms: Mapping[str, str],
) -> Ended:
    """Take random walks through PROTOCOL, and shorten those that violate a property.

    The same seed gives the same walks on every machine and with any number of processes. A
    simulation never reports HOLDS: without a violation it ends as INCOMPLETE.

    \b
    Examples:
      tidegate simulate hw -b replicas=3
      tidegate simulate kip-279 -b elections=4 -b moves --walks 20000 --seed 7
      tidegate simulate kip-320 -b replicas=5 -b records=6 --choose rare --steps 300
    """
    from ..render.simulation import print_simulation, simulation_report

    files = {"--json": output.json_file, **{f"--{name}": path for name, path in forms.items()}}
    with deciding() as decided, Reports(files) as reports:
        problem, done = simulation(protocol, settings, names, how)
        system = problem.system
        status = exit_status(done.result)
        decided.append(status)
        report = simulation_report(system, done)
        with reports.after():
            if not reports.to_stdout:
                print_simulation(
                    make_console(),
                    system,
                    done,
                    full=output.full,
                    quiet=output.quiet,
                    every=how.keep_going,
                )
        reports.write("--json", lambda target: write_json(target, report))
        behavior = behavior_of(system, done.result.first)
        write_counterexample(reports, forms, problem, behavior, lambda: report, output.full)
    return ended(status, reports)

"""``tidegate check``: search every state of a protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import click

from ..checker.verdicts import behavior_of
from ..core.behavior import Behavior
from ..core.interrupts import noted
from ..core.options import option
from ..core.result import Cluster, Limits, Resources, Result, SearchOptions
from ..core.spec import ModelError, TidegateError
from ..library.bug_matching import Recognised
from ..library.known_bugs import find_known, repaired
from ..library.names import find_protocol, is_custom
from ..library.problem import Problem, cluster, problem_of
from ..render.output import Reports
from ..render.report import recognised, report
from ..render.terminal import make_console, progress, say, write_json
from .parameters import (
    TraceOutput,
    form_options,
    model_options,
    protocol_argument,
    set_options,
    takes,
)
from .status import EXIT_STATUS, EXIT_VIOLATED, Ended, deciding, ended, exit_status
from .traces import write_counterexample
from .trust import resume_command


@dataclass(frozen=True)
class Chosen:
    """The protocol that a release stands for, and its repairs."""

    release: str | None = option(
        None,
        "Check what this release of Kafka runs, such as 2.6 or 2.0.0, instead of PROTOCOL.",
        metavar="RELEASE",
    )
    metadata: str | None = option(
        None,
        "With --release: where the cluster keeps its metadata.",
        choices=("zookeeper", "kraft"),
    )
    protocol_version: str = option(
        "",
        "With --release: an older inter.broker.protocol.version, or metadata.version.",
        metavar="RELEASE",
    )
    repaired: tuple[str, ...] = option(
        (),
        "Repair this known bug, such as known-record, to look past it; may be repeated.",
        metavar="BUG",
    )

    def protocol(self, named: str | None) -> str:
        """Return the name of the protocol; `named` is the one that the user names, if any."""
        name = self._with_release(named)
        if not self.repaired:
            return name
        bugs = [find_known(bug) for bug in dict.fromkeys(self.repaired)]
        return repaired(find_protocol(name), bugs)

    def _with_release(self, protocol: str | None) -> str:
        if self.release is None:
            if self.metadata or self.protocol_version:
                raise click.UsageError("--metadata and --protocol-version need --release")
            if protocol is None:
                raise click.UsageError(
                    "name a PROTOCOL ('tidegate list' shows them), or a --release"
                )
            return protocol
        if protocol is not None:
            raise click.UsageError(
                f"--release {self.release} picks the protocol; leave out {protocol}, or leave out "
                "--release"
            )
        from ..model.broker.releases import release

        return release(self.release, self.metadata or "", self.protocol_version).name


@dataclass(frozen=True)
class Resumed:
    """The search to resume."""

    resume: str | None = option(
        None,
        "Resume the search of a checkpoint in DIR, or of the store at DIR (a path or a URI). DIR "
        "records the search; limits are set again, and the cluster may be another one.",
        metavar="DIR",
    )
    trusted: bool = option(
        False,
        "With --resume: trust DIR, run the Python code that it names, and use its Spark settings.",
        flags=("--trust",),
    )


@click.command(
    name="check",
    epilog=EXIT_STATUS,
)
@protocol_argument(required=False)
@takes(Chosen, "chosen")
@model_options("Check this property")
@takes(SearchOptions, "search")
@takes(Limits, "limits")
@takes(Resources, "resources")
@takes(Resumed, "resumed")
@takes(Cluster, "on")
@takes(TraceOutput, "output")
@form_options("the counterexample")
def check_command(
    protocol: str | None,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    chosen: Chosen,
    search: SearchOptions,
    limits: Limits,
    resources: Resources,
    resumed: Resumed,
    on: Cluster,
    output: TraceOutput,
    forms: Mapping[str, str],
) -> Ended:
    """Search every state of PROTOCOL within its bounds and print the trace that breaks it.

    The trace is a shortest one, and the same on every run.

    PROTOCOL is a built-in protocol ('tidegate list' shows them), a custom protocol (FILE.py or
    PACKAGE.MODULE, followed by :NAME if there are several in it), or a mutant of either:
    PROTOCOL~MUTANT, with the mutant's name (from 'tidegate mutate') after a tilde. With --release
    it is left out: the release picks the rules and the options, and -b overrides the options. With
    --resume it is left out too, unless it is custom.

    \b
    Examples:
      tidegate check hw
      tidegate check --release 3.9 --metadata kraft -b moves
      tidegate check --release 2.8 --protocol-version 2.6
      tidegate check --release 4.0 -b crashes=1 --repaired known-record
      tidegate check kip-101 -b records=3 -b elections=2 -b moves --continue
      tidegate check kip-320 -b replicas=3 -b moves -p LogMatching --time-limit 10m
      tidegate check hw --json report.json --quiet
      tidegate check hw --html loss.html
      tidegate check kip-320 -b replicas=3 -b crashes=3 --store fingerprint --checkpoint run
      tidegate check --resume run
      tidegate check protocols/fence.py          a custom protocol
      tidegate check kip-320 -p promises.py:NO_GAP   a custom property
      tidegate check 'kip-320~Produce: s.written == k.records' -p TypeOk
      tidegate check kip-320 -b replicas=3 --engine spark --master spark://host:7077 --store /nfs/a
      tidegate check hw -b records=1 --engine spark --continue --export tables
    """
    if resumed.resume is not None:
        from .resumption import search_to_resume

        search, place = search_to_resume(resumed.resume, resumed.trusted, protocol, names)
        resources = replace(resources, checkpoint=place, resume=True)
    elif resumed.trusted:
        raise click.UsageError("--trust needs --resume DIR")
    else:
        search = replace(
            search,
            protocol=chosen.protocol(protocol),
            settings=settings,
            names=names,
            cluster=cluster(search.engine, search.store, set_options(Cluster)),
        )
    return _search_and_report(search, limits, resources, output, forms)


def _search_and_report(
    search: SearchOptions,
    limits: Limits,
    resources: Resources,
    output: TraceOutput,
    forms: Mapping[str, str],
) -> Ended:
    """Search, print the verdict, and write the reports."""
    problem = problem_of(search.protocol, search.settings, search.names)
    watch = any(map(is_custom, (search.protocol, *search.names)))
    resources = replace(resources, watch=watch, about=search.recorded())
    files = {"--json": output.json_file, **{f"--{name}": path for name, path in forms.items()}}
    with deciding() as decided, Reports(files) as reports:
        with progress(output.quiet) as show:
            with _showing_failures(problem, output, reports):
                result = problem.check(search, limits, resources, show)
            decided.append(exit_status(result))
            known = None
            # Whatever ends this, the violation is one.
            with suppress(KeyboardInterrupt, MemoryError, TidegateError):
                known = problem.recognise(result, search, limits, resources, show)
        # The results so far are reported in full; a second signal ends even that.
        with noted(once=True) if decided[0] in EXIT_VIOLATED else nullcontext():
            with reports.after():
                if not reports.to_stdout:
                    _print(problem, result, known, search, output)
                    place = search.cluster.store if search.cluster else resources.checkpoint
                    if result.stopped_by and place and result.broken_assumption is None:
                        say(f"Resume with: {resume_command(place, search)}")
            _write(problem, result, known, output, reports, forms)
    return ended(exit_status(result), reports)


@contextmanager
def _showing_failures(problem: Problem, output: TraceOutput, reports: Reports) -> Iterator[None]:
    """Print the behavior after which the model fails, if it does."""
    try:
        yield
    except ModelError as error:
        if error.trace is not None and not reports.to_stdout and not output.quiet:
            from ..render.summary import print_failing

            print_failing(make_console(), Behavior(problem.system, error.trace), output.full)
        raise


def _write(
    problem: Problem,
    result: Result,
    known: Recognised | None,
    output: TraceOutput,
    reports: Reports,
    forms: Mapping[str, str],
) -> None:
    """Write the reports."""

    @cache
    def document() -> dict[str, Any]:
        return report(problem.system, result) | {
            "not_requested": list(problem.selection.others),
            **recognised(known),
        }

    reports.write("--json", lambda target: write_json(target, document()))
    untraced = any(verdict.untraced for verdict in result.verdicts)
    behavior = behavior_of(problem.system, result.shown)
    write_counterexample(reports, forms, problem, behavior, document, output.full, untraced)


def _print(
    problem: Problem,
    result: Result,
    known: Recognised | None,
    search: SearchOptions,
    output: TraceOutput,
) -> None:
    """Print the result."""
    # Importing rich takes a tenth of a small search's start-up time; --json does not need it.
    from ..render.summary import print_known, print_result, print_unrequested, print_verdict

    console = make_console()
    if output.quiet:
        print_verdict(console, problem.system, result)
    else:
        print_result(console, problem.system, result, output.full, search.keep_going)
        print_unrequested(console, problem.selection)
    if known:
        print_known(console, known)

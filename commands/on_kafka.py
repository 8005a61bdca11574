"""A saved trace on real brokers."""

from __future__ import annotations

from typing import IO

from ..brokers.report import Report
from ..conform.saved import forcible_behavior, replay_on
from ..conform.systems import forcible_distribution
from ..core.behavior import Behavior
from ..core.result import doing
from ..core.spec import Trace
from ..model import Protocol
from ..render.terminal import progress, write_json


def replay_on_kafka(folder: str, file: str, protocol: Protocol, behavior: Behavior) -> Report:
    """Start brokers, force a trace on them step by step, and compare.

    Parameters
    ----------
    folder, file
        Where the distribution and the trace are.

    Raises
    ------
    KafkaError
        If Kafka cannot be started or controlled.
    ReplayError
        If the trace has a step that cannot be forced.
    """
    distribution = forcible_distribution(folder)
    forced = forcible_behavior(file, protocol, behavior)
    with progress(quiet=False) as show:
        return replay_on(distribution, forced, lambda what: show(doing(what)))


def write_report(target: IO[str], trace: Trace, report: Report) -> None:
    """Write how real brokers followed a trace, as JSON."""
    differs = report.differs
    write_json(
        target,
        {
            "kafka": report.version,
            "outcome": "differs" if differs else "followed",
            "steps": [
                {
                    "step": observed.number,
                    "action": str(trace.steps[observed.number - 1]) if observed.number else "",
                    "events": list(observed.events),
                    "differences": [vars(difference) for difference in observed.differences],
                    "log": list(observed.log),
                    "compared": [vars(one) for one in observed.compared],
                }
                for observed in report.steps
            ],
            "acknowledged": {f"m{record}": at for record, at in sorted(report.acked.items())},
            "leader": report.leader,
            "readable": list(report.readable),
            "gone": list(report.gone),
        },
    )

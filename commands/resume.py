"""``tidegate resume``: go on with a search whose process was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .check import search_and_report
from .parameters import (
    checkpoint_option,
    cluster,
    cluster_options,
    output_options,
    search_options,
    trust_options,
)
from .recorded import recorded_search
from .status import EXIT_STATUS, Ended
from .trust import protocol_to_resume, refuse_outside


@click.command(epilog=EXIT_STATUS, short_help="Go on with a search from its checkpoint or store.")
@click.argument("place", metavar="DIR")
@trust_options(
    "The protocol of the search, if that is Python code; DIR names it too.",
    "DIR is yours: run the Python code of the protocol that it names, and use the settings of "
    "Spark that it records.",
)
@checkpoint_option
@cluster_options
@search_options
@output_options
def resume(**options: Any) -> Ended:
    """Go on from the checkpoint in DIR, or from the store at DIR, a path or a URI.

    'tidegate check --checkpoint DIR' makes the one, 'tidegate check --engine spark --store DIR' the
    other. What is searched is there; limits are given anew, and so may be what cluster does it. The
    report is that of a search which was never stopped.

    \b
    Examples:
      tidegate check kip-320 -b replicas=3 -b crashes=3 --checkpoint run
      tidegate resume run
      tidegate resume run --time-limit 3600 --json report.json
      tidegate resume run --protocol fence.py        a search of a protocol of your own
      tidegate resume hdfs://host/run --master yarn
    """
    from ..checker.compiled.checkpoint import read_manifest
    from ..checker.distributed.manifest import is_store, read_manifest_at

    place = options["place"]
    if is_store(place):
        options["checkpoint"] = None
        manifest = read_manifest_at(place)
        about, engines, export = manifest.about, ["spark"], manifest.export
    else:
        options["checkpoint"] = Path(place)
        about, engines, export = read_manifest(Path(place)).about, ["auto", "compiled"], None
    searched, recorded = recorded_search(place, about, engines)
    if export:
        recorded["export"] = export
    searched["protocol"] = protocol_to_resume(
        place, searched["protocol"], options["named"], options["trusted"]
    )
    refuse_outside(place, recorded, options)
    on = cluster(searched["engine"], place, options, recorded)
    return search_and_report(searched, on, options, resume=True)

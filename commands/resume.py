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
)
from .selection import SelectionError
from .status import EXIT_STATUS, Ended


@click.command(epilog=EXIT_STATUS, short_help="Go on with a search from its checkpoint or store.")
@click.argument("place", metavar="DIR")
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
      tidegate resume hdfs://host/run --master yarn
    """
    from ..checker.compiled.checkpoint import read_manifest
    from ..checker.distributed.manifest import is_store, read_manifest_at

    place = options["place"]
    if is_store(place):
        options["checkpoint"] = None
        searched = read_manifest_at(place).about
        recorded = searched.pop("cluster", {})
    else:
        options["checkpoint"] = Path(place)
        searched, recorded = read_manifest(Path(place)).about, {}
    if "protocol" not in searched:
        raise SelectionError(
            f"{place}: the search was begun from Python, and does not say which protocol it is of; "
            "go on with it there"
        )
    on = cluster(searched["engine"], place, options, recorded)
    return search_and_report(searched, on, options, resume=True)

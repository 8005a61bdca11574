"""``tidegate resume``: resume a stopped search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from .check import search_and_report
from .parameters import (
    RunOptions,
    checkpoint_option,
    chosen,
    cluster,
    cluster_options,
    output_options,
    property_option,
    search_options,
    trust_options,
)
from .recorded import recorded_search
from .status import EXIT_STATUS, Ended
from .trust import protocol_to_resume, recorded_properties, refuse_outside


@click.command(epilog=EXIT_STATUS, short_help="Resume a search from its checkpoint or store.")
@click.argument("place", metavar="DIR")
@trust_options(
    "The custom protocol of the search, as recorded in DIR.",
    "Trust DIR: run the Python code that it names, and use its Spark settings.",
)
@property_option("The custom property of the search, as recorded in DIR.")
@checkpoint_option
@cluster_options
@search_options
@output_options
def resume(**options: Any) -> Ended:
    """Resume a search from the checkpoint in DIR, or from the store at DIR (a path or a URI).

    'tidegate check --checkpoint DIR' writes checkpoints; 'tidegate check --engine spark --store
    DIR' writes a store. DIR records what is searched. Limits are not recorded: set them again. The
    cluster may be another one. The report is the same as that of an uninterrupted search.

    \b
    Examples:
      tidegate check kip-320 -b replicas=3 -b crashes=3 --checkpoint run
      tidegate resume run
      tidegate resume run --time-limit 3600 --json report.json
      tidegate resume run --protocol fence.py        a search of a custom protocol
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
    recorded = recorded_search(place, about, engines)
    named, trusted = options["named"], options["trusted"]
    protocol = protocol_to_resume(place, recorded.protocol, named, trusted)
    names = recorded_properties(place, recorded.names, options["properties"], trusted)
    before = recorded.cluster
    if before and export:
        before = replace(before, export=export)
    refuse_outside(place, before, options)
    on = cluster(recorded.engine, place, options, before)
    searched = replace(recorded, protocol=protocol, names=names, cluster=on)
    return search_and_report(searched, chosen(RunOptions, options), resume=True)

"""``tidegate resume``: go on with a search whose process was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .check import search_and_report
from .parameters import checkpoint_option, output_options, search_options
from .status import EXIT_STATUS


@click.command(epilog=EXIT_STATUS, short_help="Go on with a search from its checkpoint.")
@click.argument("checkpoint", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@checkpoint_option
@search_options
@output_options
@click.pass_context
def resume(context: click.Context, /, **options: Any) -> None:
    """Go on from the checkpoint in DIR, which 'tidegate check --checkpoint DIR' made.

    What is searched is in the checkpoint; limits are given anew. The report is that of a search
    which was never stopped.

    \b
    Examples:
      tidegate check kip-320 -b replicas=3 -b crashes=3 --checkpoint run
      tidegate resume run
      tidegate resume run --time-limit 3600 --json report.json
    """
    from ..checker.compiled.checkpoint import read_manifest

    searched = read_manifest(options["checkpoint"]).about
    context.exit(search_and_report(searched, options, resume=True))

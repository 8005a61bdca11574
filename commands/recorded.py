"""What a checkpoint or a store says was searched, each field of its type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..checker import fields
from ..core.spec import TidegateError
from .parameters import SearchOptions, cluster
from .trust import protocol_to_resume, recorded_properties, refuse_outside

_RECORDED = (
    *("release", "metadata", "protocol_version", "settings", "repaired", "engine", "store"),
    *("partitions", "export", "checkpoint", "keep_going", "symmetry", "debug"),
)
"""Options that cannot be set again, since a checkpoint or a store determines them."""


class RecordedError(TidegateError):
    """A checkpoint or a store that does not say what was searched."""


def recorded_search(place: str, about: dict[str, Any], engines: Sequence[str]) -> SearchOptions:
    """Return the recorded options of the search.

    Parameters
    ----------
    place
        Of the checkpoint or store.
    about
        What its manifest says.
    engines
        Which ones write such a manifest.

    Raises
    ------
    RecordedError
        If that is not what ``tidegate check`` wrote.
    """
    if not about:
        raise RecordedError(
            f"{place}: the search was started from Python and does not name its protocol; "
            "resume it from Python"
        )
    try:
        options: SearchOptions = fields.read(SearchOptions, about, "about")
        fields.text(options.engine, "engine", "|".join(engines))
    except fields.FieldError as error:
        raise RecordedError(
            f"{place}: damaged: {error} in its manifest; start the search again"
        ) from None
    return options


def search_to_resume(place: str, options: dict[str, Any]) -> tuple[SearchOptions, Path | None]:
    """Return the search that a checkpoint or a store is of, and the directory of the checkpoint.

    Parameters
    ----------
    options
        Those of the command line.
    """
    from ..checker.compiled.checkpoint import read_manifest
    from ..checker.distributed.manifest import is_store, read_manifest_at

    _refuse_recorded(place)
    if is_store(place):
        checkpoint = None
        manifest = read_manifest_at(place)
        about, engines, export = manifest.about, ["spark"], manifest.export
    else:
        checkpoint = Path(place)
        about, engines, export = read_manifest(checkpoint).about, ["auto", "compiled"], None
    recorded = recorded_search(place, about, engines)
    trusted = options["trusted"]
    protocol = protocol_to_resume(place, recorded.protocol, options["protocol"], trusted)
    names = recorded_properties(place, recorded.names, options["names"], trusted)
    before = recorded.cluster
    if before and export:
        before = replace(before, export=export)
    refuse_outside(place, before, options)
    on = cluster(recorded.engine, place, options, before)
    return replace(recorded, protocol=protocol, names=names, cluster=on), checkpoint


def _refuse_recorded(place: str) -> None:
    """Refuse options that say again what is searched."""
    context = click.get_current_context()
    for param in context.command.params:
        is_set = context.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
        if param.name in _RECORDED and is_set:
            raise click.UsageError(
                f"{place} records what is searched, and how; leave out {param.opts[-1]}"
            )

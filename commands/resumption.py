"""What a checkpoint or a store says was searched, each field of its type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..checker import documents
from ..core.options import options
from ..core.result import Cluster, Limits, SearchOptions
from ..core.spec import TidegateError
from ..library.problem import cluster
from .parameters import TraceOutput, set_options
from .trust import protocol_to_resume, recorded_properties, refuse_outside

_SET_AGAIN = {
    *("protocol", "names", "resume", "trusted", "workers", "memory", "checkpoint_every"),
    *("master", "local_levels", "conf", "ship"),
    *(one.field for record in (Limits, TraceOutput) for one in options(record)),
}
"""Options that can be set again; a checkpoint or a store determines all others."""


class RecordedError(TidegateError):
    """A checkpoint or a store that does not record its search."""


def recorded_search(place: str, about: dict[str, Any], engines: Sequence[str]) -> SearchOptions:
    """Return the recorded search.

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
        search: SearchOptions = documents.read(SearchOptions, about, "about")
        documents.text(search.engine, "engine", "|".join(engines))
    except documents.FieldError as error:
        raise RecordedError(
            f"{place}: damaged: {error} in its manifest; start the search again"
        ) from None
    return search


def search_to_resume(
    place: str, trusted: bool, protocol: str | None, names: Sequence[str]
) -> tuple[SearchOptions, Path | None]:
    """Return the search that a checkpoint or a store is of, and the directory of the checkpoint.

    Parameters
    ----------
    trusted, protocol, names
        What the user says: whether the code that it names is trusted, and what it is of.
    """
    from ..checker.compiled.checkpoint import read_manifest
    from ..checker.distributed.manifest import is_store
    from ..checker.distributed.manifest import read_manifest as read_store
    from ..checker.distributed.store import Store

    _refuse_recorded(place)
    if is_store(place):
        checkpoint = None
        manifest = read_store(Store(place))
        about, engines, export = manifest.about, ["spark"], manifest.export
    else:
        checkpoint = Path(place)
        about, engines, export = read_manifest(checkpoint).about, ["auto", "compiled"], None
    search = recorded_search(place, about, engines)
    protocol = protocol_to_resume(place, search.protocol, protocol, trusted)
    names = recorded_properties(place, search.names, names, trusted)
    before = search.cluster
    if before and export:
        before = replace(before, export=export)
    chosen = set_options(Cluster)
    refuse_outside(place, before, trusted, chosen)
    on = cluster(search.engine, place, chosen, before)
    return replace(search, protocol=protocol, names=names, cluster=on), checkpoint


def _refuse_recorded(place: str) -> None:
    """Refuse options that are recorded there."""
    context = click.get_current_context()
    for param in context.command.params:
        is_set = context.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
        if is_set and param.name not in _SET_AGAIN:
            raise click.UsageError(f"{place} records the search; leave out {param.opts[-1]}")

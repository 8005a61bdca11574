"""What a checkpoint or a store says was searched, each field of its type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..checker import fields
from ..core.spec import TidegateError
from .parameters import SearchOptions


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

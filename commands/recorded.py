"""What a checkpoint or a store says was searched, each field of its type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..checker import fields
from ..core.spec import TidegateError
from .check import SEARCHED
from .parameters import CLUSTER


class RecordedError(TidegateError):
    """A checkpoint or a store that does not say what was searched."""


def recorded_search(
    place: str, about: dict[str, Any], engines: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the recorded options of the search and of its cluster.

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
        return _searched(about, engines), _cluster(about.get("cluster"))
    except fields.FieldError as error:
        raise RecordedError(
            f"{place}: damaged: {error} in its manifest; start the search again"
        ) from None


def _searched(about: dict[str, Any], engines: Sequence[str]) -> dict[str, Any]:
    names = [*SEARCHED, "cluster"] if "cluster" in about else SEARCHED
    fields.record(about, "about", names)
    return {
        "protocol": fields.text(about["protocol"], "protocol"),
        "settings": _texts(about["settings"], "settings"),
        "names": _texts(about["names"], "names"),
        "engine": fields.text(about["engine"], "engine", "|".join(engines)),
        "store": fields.text(about["store"], "store"),
        "keep_going": fields.flag(about["keep_going"], "keep_going"),
        "symmetry": fields.flag(about["symmetry"], "symmetry"),
        "debug": fields.flag(about["debug"], "debug"),
    }


def _cluster(value: Any) -> dict[str, Any]:
    """Return the options of the cluster; those that were not given are left out."""
    if value is None:
        return {}
    fields.record(value, "cluster", [*CLUSTER, "store"])
    read: dict[str, Callable[[Any, str], Any]] = {
        "master": fields.text,
        "partitions": lambda document, name: fields.integer(document, name, 1, 100_000),
        "local_levels": lambda document, name: fields.integer(document, name, 0, 1 << 62),
        "conf": _texts,
        "ship": fields.flag,
        "export": fields.text,
    }
    return {
        name: read[name](value[name], f"cluster[{name!r}]")
        for name in CLUSTER
        if value[name] is not None
    }


def _texts(value: Any, name: str) -> tuple[str, ...]:
    return tuple(
        fields.text(item, f"{name}[{number}]")
        for number, item in enumerate(fields.array(value, name))
    )

"""Tidegate: an explicit-state model checker for Kafka's replication protocol, and for your own.

The names exported here are the public interface.  Everything else may change.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .commands.python import Checked, check, simulate
    from .core.behavior import TraceStep
    from .core.bounds import BoundsError, choice, number, switch
    from .core.containers import Bag, RecordBag, RecordSet, Seq, Set, bag_of, sequence_of, set_of
    from .core.fields import (
        NONE,
        Record,
        array,
        boolean,
        enumeration,
        integer,
        members,
        nested,
        one_of,
        optional,
        replica_id,
        size,
        subset,
    )
    from .core.purity import pure
    from .core.scene import Detail, Event, Message, Participant, Scene, View
    from .core.spec import Action, Fairness, Kind, Property, TidegateError, TransitionSystem
    from .core.version import __version__
    from .model.custom.model import Model
    from .model.protocol import Expected, Protocol

__all__ = [
    "NONE",
    "Action",
    "Bag",
    "BoundsError",
    "Checked",
    "Detail",
    "Event",
    "Expected",
    "Fairness",
    "Kind",
    "Message",
    "Model",
    "Participant",
    "Property",
    "Protocol",
    "Record",
    "RecordBag",
    "RecordSet",
    "Scene",
    "Seq",
    "Set",
    "TidegateError",
    "TraceStep",
    "TransitionSystem",
    "View",
    "__version__",
    "array",
    "bag_of",
    "boolean",
    "check",
    "choice",
    "enumeration",
    "integer",
    "members",
    "nested",
    "number",
    "one_of",
    "optional",
    "pure",
    "replica_id",
    "sequence_of",
    "set_of",
    "simulate",
    "size",
    "subset",
    "switch",
]

HOMES = {
    "commands.python": ("Checked", "check", "simulate"),
    "core.behavior": ("TraceStep",),
    "core.bounds": ("BoundsError", "choice", "number", "switch"),
    "core.containers": (
        "Bag", "RecordBag", "RecordSet", "Seq", "Set", "bag_of", "sequence_of", "set_of",
    ),
    "core.fields": (
        "NONE", "Record", "array", "boolean", "enumeration", "integer", "members", "nested",
        "one_of", "optional", "replica_id", "size", "subset",
    ),
    "core.purity": ("pure",),
    "core.scene": ("Detail", "Event", "Message", "Participant", "Scene", "View"),
    "core.spec": (
        "Action", "Fairness", "Kind", "Property", "TidegateError", "TransitionSystem",
    ),
    "core.version": ("__version__",),
    "model.custom.model": ("Model",),
    "model.protocol": ("Expected", "Protocol"),
}  # fmt: skip
"""The module that defines each name."""


def __getattr__(name: str) -> Any:
    """Import an exported name from where it is defined."""
    # Nothing is imported for another name: in a clone, pytest has this file without its package.
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    said = f"module {__name__!r} has no attribute {name!r}"
    if "__path__" in globals() and not name.startswith("_"):
        successors = import_module(".library.successors", __name__)
        said = successors.successor(f"{__name__}.{name}") or said
    raise AttributeError(said)


def _of_kafka(name: str) -> Any:
    """Import a name of Kafka's model; whoever looks at all modules imports nothing."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(import_module(".model", __name__), name)


kafka = ModuleType(f"{__name__}.kafka", "Another name of ``tidegate.model``.")
"""Files name it so; a ``kafka.py`` here would be imported instead of a client of that name."""

kafka.__getattr__ = _of_kafka  # type: ignore[method-assign]
# In a clone, pytest has this file without its package.
if "__path__" in globals():
    sys.modules[kafka.__name__] = kafka

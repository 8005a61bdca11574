"""What there is to check: protocols, properties and bounds, from their declarations."""

from __future__ import annotations

from typing import Any

from ..bounds import declared
from ..invariants import PROPERTIES
from ..model import PROTOCOLS


def catalogue() -> dict[str, Any]:
    """Return what ``tidegate list`` shows."""
    families = {protocol.family.name: protocol.family for protocol in PROTOCOLS}
    return {
        "protocols": [
            {
                "name": protocol.name,
                "family": protocol.family.name,
                "summary": protocol.summary,
                "default_properties": list(protocol.default_properties),
            }
            for protocol in PROTOCOLS
        ],
        "properties": {
            name: [
                {"name": prop.name, "statement": prop.statement, "source": prop.source}
                for prop in PROPERTIES[name]
            ]
            for name in families
        },
        "bounds": {
            name: [
                {
                    "name": bound_name,
                    "default": bound.follows or bound.show(default),
                    "allowed": bound.allowed(),
                    "meaning": bound.doc,
                }
                for bound_name, (bound, default) in declared(family.bounds).items()
            ]
            for name, family in families.items()
        },
    }

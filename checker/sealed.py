"""JSON with a checksum, which reveals a damaged file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any


def sealed(document: Mapping[str, Any]) -> str:
    """Return a document as text, with its checksum."""
    return json.dumps({"checksum": _checksum(document), "manifest": document})


def unsealed(text: str | bytes) -> dict[str, Any] | None:
    """Return the document in what :func:`sealed` returned; None if that is damaged."""
    try:
        read = json.loads(text)
        document = read["manifest"]
        intact = _checksum(document) == read["checksum"]
    # Brackets may be nested deeper than Python reads them.
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return document if intact and isinstance(document, dict) else None


def _checksum(document: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(document, sort_keys=True).encode())

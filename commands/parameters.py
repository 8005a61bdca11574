"""Values that options take."""

from __future__ import annotations

import re

import click

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Size(click.ParamType):  # type: ignore[type-arg]
    """An amount of memory: a number of bytes, or of K, M, G or T (powers of 1024)."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the amount in bytes."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?B)?", str(value), re.IGNORECASE)
        size = float(match[1]) * UNITS.get(match[2].upper(), 1) if match else 0
        if not 64 << 20 <= size <= 1 << 50:
            self.fail(f"{value!r} is no amount of memory from 64M on, such as 500M or 12G")
        return int(size)

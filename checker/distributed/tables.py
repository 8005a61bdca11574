"""The files of exported tables, which executors write for their share of a level.

The content of a file depends only on the level and the share, as with runs.  Files are written
below ``PENDING``, which readers of the tables ignore; the driver moves them from there when their
level is finished.  So whatever a cancelled task still writes is no part of a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from ..compiled.memory import GROUP, Region
from .arrays import Rows, States, Steps, Violations
from .columns import Export
from .kernel import Kernel
from .store import Store

PENDING = "_pending"
"""Directory for files that are not yet part of a table; readers ignore names with ``_``."""

TABLES = ("states", "steps", "violations")

_SHARE = r"\d{5,}-\d{5,}-of-\d{5,}(-deadlock|-outside-\d+)?"
PART_NAME = rf"({'|'.join(TABLES)})/(schema|{_SHARE})\.parquet"
"""The pattern of all file names of tables."""

LISTED = 1 << 16
"""Rows that are listed before they are written."""

ROW_GROUP = 1 << 17
"""The most states in a row group."""


def part_name(table: str, level: int, share: int, shares: int, more: str = "") -> str:
    """Return the name of the file with a table's rows of a share of a level."""
    return f"{table}/{level:05d}-{share:05d}-of-{shares:05d}{more}.parquet"


class Part:
    """A file of a table that is created with its first row.

    Attributes
    ----------
    names
        Its name, if it was created.
    """

    def __init__(self, store: Store, name: str, schema: Any) -> None:
        self._store, self._name, self._schema = store, name, schema
        self._stack = ExitStack()
        self._writer: Any = None

    def __enter__(self) -> Part:
        return self

    def __exit__(self, *exception: Any) -> None:
        self._stack.__exit__(*exception)

    def add(self, table: Any) -> None:
        """Add rows."""
        if table.num_rows:
            self.open()
            self._writer.write_table(table)

    def open(self) -> None:
        """Create the file, even without a row."""
        from pyarrow.parquet import ParquetWriter

        if self._writer is None:
            file = self._stack.enter_context(self._store.created(f"{PENDING}/{self._name}"))
            writer = ParquetWriter(file, self._schema)
            self._writer = self._stack.enter_context(writer)

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, if it was created."""
        return (self._name,) if self._writer is not None else ()


def write_schemas(export: Export) -> list[str]:
    """Write a file without rows for each table, so that each is readable; return their names."""
    store = Store(export.address, "--export")
    names: list[str] = []
    schemas = (States.schema(export), Steps(export).schema, Violations(export).schema)
    for table, schema in zip(TABLES, schemas, strict=True):
        with Part(store, f"{table}/schema.parquet", schema) as part:
            part.open()
            names += part.names
    return names


def write_outside(export: Export, number: int, level: int, fingerprint: int) -> tuple[str, ...]:
    """Write the violation of a property by a state that is not in the table of states."""
    import pyarrow as pa

    violations = Violations(export)
    name = part_name("violations", level, 0, 1, f"-outside-{number}")
    signed = fingerprint - (fingerprint >> 63 << 64)
    columns = [pa.array([signed], pa.int64()), pa.array([number], pa.int64())]
    with Part(Store(export.address, "--export"), name, violations.schema) as part:
        part.add(violations.table(level + 1, columns))
    return part.names


def write_states(
    kernel: Kernel, export: Export, level: int, share: int, shares: int, address: int, count: int
) -> tuple[str, ...]:
    """Write the states of a share of a level, and what they violate; return the files' names.

    Parameters
    ----------
    address, count
        The address of their records, and how many.
    """
    store = Store(export.address, "--export")
    states, violations = States(kernel, export), Violations(export)
    schema, depth = states.schema(export), level + 1
    with Part(store, part_name("states", level, share, shares), schema) as part:
        for first in range(0, count, ROW_GROUP):
            some = min(ROW_GROUP, count - first)
            part.add(states.table(schema, depth, address + first * kernel.record, some))
    names = part.names
    if not export.properties:
        return names
    rows = Rows(2, LISTED)
    with Part(store, part_name("violations", level, share, shares), violations.schema) as part:
        first = 0
        while first < count:
            first += kernel.call["list_violations"](
                kernel.worker,
                rows.address,
                address + first * kernel.record,
                count - first,
                len(export.properties),
            )
            kernel.verify()
            part.add(violations.table(depth, rows.taken()))
    return names + part.names


def write_steps(
    kernel: Kernel,
    export: Export,
    level: int,
    share: int,
    shares: int,
    pieces: Iterable[tuple[Any, int]],
) -> tuple[str, ...]:
    """Write the steps from a share of a level, and its deadlocks.

    Parameters
    ----------
    pieces
        Buffers with the records of the states, each with its number of records.
    """
    store = Store(export.address, "--export")
    steps, violations, depth = Steps(export), Violations(export), level + 1
    taken, dead = Rows(4, LISTED + GROUP * kernel.instances), Rows(2, LISTED)
    counts = Region(8 * max(kernel.instances, 1))
    with (
        Part(store, part_name("steps", level, share, shares), steps.schema) as listed,
        Part(
            store, part_name("violations", level, share, shares, "-deadlock"), violations.schema
        ) as deadlocks,
    ):
        for buffer, count in pieces:
            done = 0
            while done < count:
                done += kernel.call["list_steps"](
                    kernel.worker,
                    taken.address,
                    dead.address,
                    buffer.address + done * kernel.record,
                    count - done,
                    counts.address,
                )
                kernel.verify()
                listed.add(steps.table(depth, taken.taken()))
                deadlocks.add(violations.table(depth, dead.taken()))
    return listed.names + deadlocks.names

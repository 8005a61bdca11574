"""The tables of a search, which executors write for their share of a level.

The content of a file depends only on the level and the share, as with runs.  Files are written
below ``PENDING``, which readers of the tables ignore; the driver moves them from there when their
level is finished.  So whatever a cancelled task still writes is not part of a table.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import lru_cache
from typing import Any

from ..compiled.listing import Listing, Spread
from ..compiled.memory import GROUP, Region
from .columns import OWN, Column, Export, Items, Leaf, Struct
from .kernel import Kernel
from .store import Store

CHUNK = 1 << 13
"""States whose variables are written at a time, so that they stay in the processor's cache."""


def number_type(low: int, high: int) -> Any:
    """Return the smallest signed integer type for a range."""
    import pyarrow as pa

    for kind in (pa.int8(), pa.int16(), pa.int32()):
        most = 1 << kind.bit_width - 1
        if -most <= low and high < most:
            return kind
    return pa.int64()


def type_of(column: Column) -> Any:
    """Return the Arrow type of a column."""
    import pyarrow as pa

    if isinstance(column, Items):
        return pa.list_(type_of(column.element))
    if isinstance(column, Struct):
        return pa.struct([(name, type_of(part)) for name, part in column.fields])
    if column.shown is None:
        return number_type(column.low, column.high)
    if isinstance(column.shown[0], list):
        return pa.list_(number_type(0, len(column.shown).bit_length()))
    if isinstance(column.shown[0], bool):
        return pa.bool_()
    return _named(column.shown)


def _named(names: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.dictionary(number_type(0, len(names)), pa.string())


def copied(address: int, count: int) -> Any:
    """Return a copy of the consecutive numbers from an address on, as an array."""
    import pyarrow as pa

    content = pa.py_buffer(ctypes.string_at(address, 8 * count))
    return pa.Array.from_buffers(pa.int64(), count, [None, content])


def repeated(value: int, count: int) -> Any:
    """Return an array that repeats a depth."""
    import pyarrow as pa

    return pa.repeat(pa.scalar(value, pa.int32()), count)


@lru_cache(64)
def _offsets(count: int, length: int) -> Any:
    """Return the offsets of consecutive lists of one length, and the end of the last one."""
    import pyarrow as pa

    return pa.array(range(0, count * length + 1, length), pa.int32())


class States:
    """Makes the table of states of a level.

    Parameters
    ----------
    kernel
        Knows how states are stored.
    """

    def __init__(self, kernel: Kernel, export: Export) -> None:
        self._kernel, self._columns = kernel, export.columns
        leaves = list(_leaves(export.columns))
        variables = sum(len(leaf.places) for leaf in leaves)
        self._cells = Region(8 * CHUNK * variables)
        self._entries, self._variables = Region(Spread.SIZE * max(variables, 1)), variables
        self._places: dict[int, int] = {}
        entry, out = 0, self._cells.address
        for leaf in leaves:
            self._places[id(leaf)] = out
            for number, (word, shift, width) in enumerate(leaf.places):
                self._entries[entry + Spread.WORD] = 8 * word
                self._entries[entry + Spread.SHIFT] = shift
                self._entries[entry + Spread.MASK] = (1 << width) - 1
                self._entries[entry + Spread.LOW] = 0 if leaf.shown else leaf.low % (1 << 64)
                self._entries[entry + Spread.OUT] = out + 8 * number
                self._entries[entry + Spread.STEP] = 8 * len(leaf.places)
                entry += Spread.SIZE
            out += 8 * CHUNK * len(leaf.places)

    @staticmethod
    def schema(export: Export) -> Any:
        """Return the names and types of the columns."""
        import pyarrow as pa

        own = zip(OWN, (pa.int64(), pa.int32()), strict=True)
        return pa.schema([*own, *((name, type_of(part)) for name, part in export.columns.fields)])

    def table(self, schema: Any, depth: int, address: int, count: int) -> Any:
        """Return the table of states from consecutive records."""
        import pyarrow as pa

        kernel, batches = self._kernel, []
        for first in range(0, count, CHUNK):
            some = min(CHUNK, count - first)
            records = address + first * kernel.record
            kernel.call["spread"](
                kernel.worker, records, some, self._entries.address, self._variables
            )
            # The fingerprint is a record's first word.
            words = copied(records, some * kernel.words)
            firsts = _offsets(some, kernel.words).slice(0, some)
            arrays = [words.take(firsts), repeated(depth, some)]
            arrays += [self._array(part, some) for _, part in self._columns.fields]
            batches.append(pa.record_batch(arrays, schema=schema))
        return pa.Table.from_batches(batches, schema)

    def _array(self, column: Column, count: int) -> Any:
        import pyarrow as pa

        if isinstance(column, Items):
            elements = self._array(column.element, count * column.length)
            return pa.ListArray.from_arrays(_offsets(count, column.length), elements)
        if isinstance(column, Struct):
            arrays = [self._array(part, count) for _, part in column.fields]
            return pa.StructArray.from_arrays(arrays, [name for name, _ in column.fields])
        numbers, kind = copied(self._places[id(column)], count), type_of(column)
        if column.shown is None:
            return numbers.cast(kind)
        if pa.types.is_dictionary(kind):
            names = pa.array(column.shown, pa.string())
            return pa.DictionaryArray.from_arrays(numbers.cast(kind.index_type), names)
        return pa.array(column.shown, kind).take(numbers)


def _leaves(column: Column) -> list[Leaf]:
    if isinstance(column, Leaf):
        return [column]
    if isinstance(column, Items):
        return _leaves(column.element)
    return [leaf for _, part in column.fields for leaf in _leaves(part)]


class Rows:
    """A list that a kernel fills: columns of numbers.

    Parameters
    ----------
    room
        The most rows.
    """

    def __init__(self, columns: int, room: int) -> None:
        self._numbers = Region(8 * room * columns)
        self._block = Region(Listing.SIZE)
        self._columns, self._room = columns, room
        self._block[Listing.FIRST], self._block[Listing.ROOM] = self._numbers.address, room
        self._block[Listing.HELD] = 0

    @property
    def address(self) -> int:
        """The address of its block."""
        return self._block.address

    def taken(self) -> list[Any]:
        """Return its columns, and remove all rows."""
        count = self._block[Listing.HELD]
        self._block[Listing.HELD] = 0
        first = self._numbers.address
        return [copied(first + 8 * self._room * n, count) for n in range(self._columns)]


class Steps:
    """Makes the table of steps."""

    def __init__(self, export: Export) -> None:
        import pyarrow as pa

        names = list(dict.fromkeys(name for name, _, _ in export.steps))
        self._actions = pa.DictionaryArray.from_arrays(
            pa.array([names.index(name) for name, _, _ in export.steps], _named(names).index_type),
            pa.array(names, pa.string()),
        )
        self._arguments: Any = None
        arguments = [dict(zip(names, values, strict=True)) for _, names, values in export.steps]
        parameters = dict.fromkeys(name for one in arguments for name in one)
        every = [value for one in arguments for value in one.values()]
        if parameters:
            kind = number_type(min(every), max(every))
            self._arguments = pa.StructArray.from_arrays(
                [pa.array([one.get(name) for one in arguments], kind) for name in parameters],
                list(parameters),
            )
        fields = [("source", pa.int64()), ("target", pa.int64()), ("depth", pa.int32())]
        fields.append(("action", self._actions.type))
        if parameters:
            fields.append(("arguments", self._arguments.type))
        self.schema = pa.schema([*fields, ("outside", pa.bool_())])

    def table(self, depth: int, columns: list[Any]) -> Any:
        """Return the table of listed steps."""
        import pyarrow as pa

        source, target, instance, outside = columns
        arrays = [source, target, repeated(depth, len(source)), self._actions.take(instance)]
        if self._arguments is not None:
            arrays.append(self._arguments.take(instance))
        return pa.table([*arrays, outside.cast(pa.bool_())], schema=self.schema)


class Violations:
    """Makes the table of violations."""

    def __init__(self, export: Export) -> None:
        import pyarrow as pa

        self._names = pa.array(export.properties, pa.string())
        self._kind = _named(export.properties)
        self.schema = pa.schema(
            [("property", self._kind), ("fingerprint", pa.int64()), ("depth", pa.int32())]
        )

    def table(self, depth: int, columns: list[Any]) -> Any:
        """Return the table of listed violations."""
        import pyarrow as pa

        fingerprint, number = columns
        indices = number.cast(self._kind.index_type)
        names = pa.DictionaryArray.from_arrays(indices, self._names)
        arrays = [names, fingerprint, repeated(depth, len(fingerprint))]
        return pa.table(arrays, schema=self.schema)


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
    """Write the steps from a share of a level, and what they violate.

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

"""The record that actions write: moves states in and out of it, and reports what is wrong with it.

The functions that move states are called more often than anything else, so they are generated as
plain reads and writes of slots and list elements.  When they store a state they also check what no
assignment of a variable changes: each part of the state is the declared object, and each array has
its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from types import FunctionType
from typing import Any

from .errors import printed
from .fields import NONE, Field, members
from .generated import run
from .values import (
    Constant,
    Kind,
    as_kind,
    converting,
    members_of,
    source_of_writes,
    stored_name,
)

Stored = bytes | tuple[int, ...]
"""A stored state."""


DIGIT_BITS = 30
"""Bits of a digit of CPython's integers."""


@dataclass(frozen=True)
class Variable:
    """A field of the laid-out state.

    ``path`` addresses it from the state record (``replica[1].log[0].epoch``).  ``replicas`` are the
    indices in the path that are numbers of replicas, ``by`` the kind of each, and ``form`` is the
    path with a placeholder for each of them.  ``label`` is how the model writes it
    (``queue[1].term``), for people.  ``low`` and ``high`` are its range, both included; ``word``
    and ``shift`` are its position in the packed form.
    """

    path: str
    form: str
    replicas: tuple[int, ...]
    by: tuple[str, ...]
    label: str
    low: int
    high: int
    field: Field
    word: int
    shift: int

    @property
    def width(self) -> int:
        """Its size in bits; a range of one value needs none and is not stored."""
        return (self.high - self.low).bit_length()

    @property
    def kind(self) -> Kind:
        """What it reads as."""
        return self.field.kind

    def shown(self, value: int) -> object:
        """Return a value as people see it."""
        return self.field.show(value)


_NUMBER = re.compile(r"\[\d+\]")


def unnumbered(path: str) -> str:
    """Return a path with ``[]`` for each index.

    >>> unnumbered("node[2].log.items[0]")
    'node[].log.items[]'
    """
    return _NUMBER.sub("[]", path)


class UnstorableError(Exception):
    """The record cannot be stored as a state; ``Layout.mistake`` says why."""


@dataclass(frozen=True)
class Part:
    """A record or an array within the state, which only its variables may ever change.

    Parameters
    ----------
    path
        Its address in the state, as of a variable.
    owner, name
        The record that has it, and the name of the attribute; or an array, and the index.
    node
        The record or the array itself: a tuple of records or arrays, or a list of integers.
    constant
        Whether it is an array of variables with only one value, which are not stored.
    """

    path: str
    owner: Any
    name: str | int
    node: Any
    constant: bool = False

    @property
    def integers(self) -> bool:
        """Whether it is an array of variables, the only kind of part that can be resized."""
        return isinstance(self.node, list)


def accessors(
    name: str,
    variables: Sequence[Variable],
    places: Sequence[tuple[Any, str | int]],
    parts: Sequence[Part],
    narrow: bool,
    adopt: Callable[[], None],
) -> dict[str, Any]:
    """Generate the functions of a record, by their names as attributes of ``Layout``.

    Parameters
    ----------
    name
        Of the declaration, for tracebacks.
    places
        For each variable the record or array that holds it, with its name or index there.
    parts
        The records and arrays within the state.
    narrow
        Whether a state is stored as bytes, since the distance of each variable from its lowest
        value fits.  They hash and compare several times faster than tuples, in a sixth of memory.
    adopt
        Copies the values of the objects in place of parts into these.
    """
    nodes = {id(node): node for part in parts for node in (part.owner, part.node)}
    nodes |= {id(owner): owner for owner, _ in places}
    names = {address: f"o{number}" for number, address in enumerate(nodes)}
    space: dict[str, Any] = {names[one]: node for one, node in nodes.items()} | {"adopt": adopt}
    access = [
        _access(names[id(owner)], key, v) for v, (owner, key) in zip(variables, places, strict=True)
    ]
    # An array that looks at each index is read and filled as a whole: much faster.
    together = [type(owner) is not list and isinstance(owner, list) for owner, _ in places]
    every = list(zip(variables, access, together, strict=True))
    stored = [one for one in every if one[0].width]
    pairs = [(v, _local(a) if w else a) for v, a, w in stored]
    reads = "".join(f"{a}-{v.low}," if v.low else f"{a}," for v, a in pairs)
    ranges = " and ".join(f"{v.low} <= {a} <= {v.high}" for v, a in pairs)
    values = "".join(_read_together(every))
    taken = _taken_apart([a for _, a, w in stored if w])
    intact = " and ".join(_watched(parts, names, space))
    every_value = "".join(f"t{i}," for i in range(len(every)))
    if narrow:
        state = f"bytes(({reads}))"
    else:
        # Like bytes(), it fails if a value is not an integer or does not fit.
        form = Struct("=" + "".join(_code(v.width) for v, *_ in stored))
        space |= {"pack": form.pack, "unpack": form.unpack}
        state = f"unpack(pack({reads.rstrip(',')}))"
    source = (
        f"def load(state):\n {_loading(stored, narrow, space) if stored else 'pass'}\n"
        f"def dump():\n if not ({intact or 'True'}):\n  adopt()\n {taken}return {state}\n"
        f"def values():\n return ({values})\n"
        f"def in_range():\n {taken}return {ranges or 'True'}\n"
        f"def within(values):\n {f'{every_value} = values' if every else 'pass'}\n"
        f" return {_within(variables)}\n"
        f"def intact():\n return {intact or 'True'}\n"
    )
    run(source, f"<layout of {name}>", space)
    return {key: space[key] for key in ("load", "dump", "values", "in_range", "within", "intact")}


def _loading(
    stored: Sequence[tuple[Variable, str, bool]], narrow: bool, space: dict[str, Any]
) -> str:
    """Return the source that writes a stored state into the record."""
    later = [v.low != 0 or v.kind is not int or w for v, _, w in stored]
    direct = "".join(f"t{i}," if later[i] else f"{a}," for i, (_, a, _) in enumerate(stored))
    shifted = "".join(
        f"; {a} = t{i}+{v.low}" for i, (v, a, w) in enumerate(stored) if v.low and not w
    )
    writes = [(v.kind, a, v.low if w else None) for v, a, w in stored]
    return f"{direct} = state{shifted}{source_of_writes(writes, narrow, space)}"


def _local(access: str) -> str:
    """Return the name of a local variable for an element of an array."""
    return access.replace("[", "_").rstrip("]")


def _taken_apart(elements: Sequence[str]) -> str:
    """Return the source that names the elements of arrays."""
    arrays: dict[str, list[str]] = {}
    for one in elements:
        arrays.setdefault(one.partition("[")[0], []).append(_local(one))
    return "".join(f"{', '.join(names)}, = {array}; " for array, names in arrays.items())


def _read_together(every: Sequence[tuple[Variable, str, bool]]) -> Iterator[str]:
    """Yield the source of all values in order, with what is an array as one."""
    last = ""
    for variable, access, together in every:
        array = access.partition("[")[0] if together else ""
        if not together:
            yield f"{access}," if variable.width or access.endswith("]") else f"{variable.low},"
        elif array != last:
            yield f"*{array},"
        last = array


_TOGETHER = 500
"""Values whose bits are joined in one expression."""


def _within(variables: Sequence[Variable]) -> str:
    """Return the source for whether integers are in the ranges of all variables.

    Most ranges are all values of some bits: a value outside has a higher bit, or a sign.
    """
    of_bits: dict[int, list[str]] = {}
    tests = []
    for number, v in enumerate(variables):
        if v.width and not v.low and v.high == (1 << v.width) - 1:
            of_bits.setdefault(v.width, []).append(f"t{number}")
        elif v.width:
            tests.append(f"{v.low} <= t{number} <= {v.high}")
    for width, values in of_bits.items():
        # Python compiles no expression that is nested thousands deep.
        some = (values[first : first + _TOGETHER] for first in range(0, len(values), _TOGETHER))
        tests += [f"({' | '.join(part)}) >> {width} == 0" for part in some]
    return " and ".join(tests) or "True"


def packing(
    name: str, stored: Sequence[Variable], words: int, narrow: bool
) -> tuple[Callable[[Stored], tuple[int, ...]], Callable[[Sequence[int]], Stored]]:
    """Generate the functions between a stored state and its 64-bit words.

    Parameters
    ----------
    name, narrow
        As for :func:`accessors`.
    stored
        The variables that a stored state holds.
    words
        How many words there are.
    """
    fields = [(v.word, f"t{number} << {v.shift}") for number, v in enumerate(stored)]
    packed = [" | ".join(part for at, part in fields if at == word) or "0" for word in range(words)]
    pieces, values = _pieces(stored)
    taken = "".join(f"t{number}," for number in range(len(stored)))
    source = (
        f"def pack(state):\n {f'{taken} = state' if stored else 'pass'}\n"
        f" return ({''.join(f'{part},' for part in packed)})\n"
        f"def unpack(words):\n{pieces} return {'bytes' if narrow else ''}(({values}))\n"
    )
    space: dict[str, Any] = {}
    run(source, f"<packed layout of {name}>", space)
    return space["pack"], space["unpack"]


def _pieces(stored: Sequence[Variable]) -> tuple[str, str]:
    """Return source that cuts words into pieces, and source for the variables in those pieces.

    A piece fits in one digit of CPython's integers, so that it is shifted and masked much faster.
    """
    cuts, values, word, first = "", "", -1, 0
    for v in stored:
        if v.word != word or v.shift + v.width > first + DIGIT_BITS:
            word, first = v.word, v.shift
            cuts += f" p{first}_{word} = words[{word}] >> {first} & "
            cuts += f"{(1 << max(DIGIT_BITS, v.width)) - 1}\n"
        shift = f" >> {v.shift - first}" if v.shift > first else ""
        values += f"p{first}_{word}{shift} & {(1 << v.width) - 1},"
    return cuts, values


def _access(node: str, key: str | int, variable: Variable) -> str:
    """Return the source that reads or writes a variable as it is kept in a record or an array."""
    if isinstance(key, int):
        return f"{node}[{key}]"
    converts = variable.width and variable.kind is not int
    return f"{node}.{stored_name(key) if converts else key}"


def _watched(
    parts: Sequence[Part], names: Mapping[int, str], space: dict[str, Any]
) -> Iterator[str]:
    """Yield what must be true of each part; an array that is not stored must keep its values."""
    for part in parts:
        node = names[id(part.node)]
        if isinstance(part.name, str):
            yield f"{names[id(part.owner)]}.{part.name} is {node}"
        if part.constant:
            space[f"constant_{node}"] = list(part.node)
            yield f"{node} == constant_{node}"
        elif part.integers:
            yield f"len({node}) == {len(part.node)}"


def _code(bits: int) -> str:
    """Return the code of the smallest unsigned integer with at least that many bits, for struct."""
    return next(code for most, code in ((8, "B"), (16, "H"), (32, "I"), (64, "Q")) if bits <= most)


def class_of(
    declaration: type,
    base: type,
    fields: Mapping[str, Any],
    constants: Mapping[str, int],
    kinds: Mapping[str, Kind],
    lows: Mapping[str, int],
) -> type:
    """Return the class of a declaration's records; its slots make a misspelt variable an error.

    Equal records share one class: if the same line of an action meets many classes, CPython reads
    attributes several times slower.

    Parameters
    ----------
    fields
        By name, in order.
    constants
        The values of those variables that have only one.
    kinds
        What those variables read as that read as something else than ``int``.
    lows
        The lowest values of variables, and of those in arrays.
    """
    key = declaration, tuple(fields), tuple(constants.items()), tuple(lows.items())
    if key not in _classes:
        watched = {
            name: Constant(name, as_kind(kinds.get(name, int), value))
            for name, value in constants.items()
        }
        slots = [
            stored_name(name) if name in kinds else name for name in fields if name not in constants
        ]
        # A value that is read from a sequence knows where: see values.value.
        slots += ["_owner", "_key", "_read"]
        space = {**_methods(declaration, base), "__slots__": slots, **watched}
        space |= {"__parts__": tuple(fields), "__declared__": declaration, "__lows__": lows}
        made = _classes[key] = type(declaration.__name__, (base,), space)
        for name in kinds.keys() - constants.keys():
            setattr(made, name, converting(name, kinds[name], vars(made)[stored_name(name)]))
    return _classes[key]


_classes: dict[tuple[object, ...], type] = {}


def _methods(declaration: type, base: type) -> dict[str, Any]:
    """Return the methods and properties that a declaration and its bases define, by name."""
    kinds = declaration.__mro__[: declaration.__mro__.index(base)]
    return {
        name: value
        for kind in reversed(kinds)
        for name, value in vars(kind).items()
        if (isinstance(value, (FunctionType, property)) and name != "__setattr__")
        or name == "__hash__"
    }


def element(owner: Any, key: str | int) -> Any:
    """Return the part of a record or an array with that name or index."""
    return owner[key] if isinstance(key, int) else getattr(owner, key)


def put(owner: Any, key: str | int, value: int) -> None:
    """Write a variable of a record or an array."""
    if isinstance(key, int):
        owner[key] = value
    else:
        setattr(owner, key, value)


def range_errors(
    variables: Sequence[Variable], places: Sequence[tuple[Any, str | int]]
) -> list[str]:
    """Name the variables of a record that are out of their declared range or no integers."""
    wrong = []
    for variable, place in zip(variables, places, strict=True):
        value = present(*place)
        if not (isinstance(value, int) and variable.low <= value <= variable.high):
            wrong.append(range_error(variable, value))
    return wrong


def range_error(variable: Variable, value: object) -> str:
    """Say that a value is out of a variable's range, or no integer."""
    of_set = variable.path.endswith(".mask") and isinstance(variable.shown(0), set)
    if of_set and isinstance(value, int) and value > variable.high:
        beyond = ", ".join(map(str, members(value & ~variable.high)))
        text = f"{variable.label} has {beyond}"
        return f"{text}, declared for the numbers below {variable.high.bit_length()}"
    kind = "" if isinstance(value, (int, Deleted)) else f" ({type(value).__name__})"
    declared = f"declared {variable.low}..{variable.high}"
    if variable.kind not in (int, bool):
        declared += f" ({', '.join(member.name for member in members_of(variable.kind).values())})"
    if value is None and variable.low == NONE:
        declared += "; write NONE"
    return f"{variable.label} is {printed(value)}{kind}, {declared}"


class Deleted:
    """Stands for a variable or a part that was deleted."""

    def __repr__(self) -> str:
        return "gone"


def present(owner: Any, key: str | int) -> Any:
    """Return the part of that name or index, or a ``Deleted`` if it is gone."""
    try:
        return element(owner, key)
    except (AttributeError, IndexError):
        return Deleted()

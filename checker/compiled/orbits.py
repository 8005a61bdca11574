"""The representative of a state under symmetry, computed on its packed words.

The representative is the least state of the orbit: states are compared variable by variable, in the
order of their declaration, as in the interpreted engine.

Which permutations of a group the signatures of the replicas leave, as a set of bits.

The signature of a replica: what decides, in most states, its place in the representative.

The representative of a state is the least of its orbit, variable by variable.  If replicas are
sorted by their signatures, the state that results is that one: a signature has the parts of the
state that concern a replica in the order in which the comparison meets them.

This is exact as long as variables of a replica that renaming changes are at their lowest values,
except in one replica, the *leader*: the one that the first variable of the state names.  A state is
*entangled* where they are not; then only the first parts, up to ``Signature.first``, are sorted by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import combinations, groupby
from math import factorial

from ...core.layout import WORD_BITS, Layout
from ...core.record import Variable
from ...core.symmetry import Kinds, Permutation, Slots, inverse, renamed, slots_of
from .emitter import Emitter, Moves, move_bits, stored_value
from .values import Truth, UnsupportedError


class Kind(Enum):
    """How a part follows from its variables, whose values are united by OR."""

    IS_OTHER = auto()
    """Whether the variable names another replica: who is named gets the first place."""
    IS_OUTSIDE = auto()
    """Whether a replica is not in the set: members get the first places."""
    VALUE = auto()
    """The value."""
    NAME = auto()
    """The number of a replica, in which all that may be renamed are the first of these."""


@dataclass(frozen=True)
class Part:
    """A part of a replica's signature, at a position of one of its 64-bit words."""

    kind: Kind
    sources: tuple[Variable, ...]
    word: int
    shift: int


@dataclass(frozen=True)
class Signature:
    """What to compute of a state.

    Attributes
    ----------
    free
        The replicas that change places: all from a number on.
    leader
        The variable that names the leader, if there is one.
    parts
        For each of ``free`` the parts of its signature; the first bits are the highest ones.
    first
        How many of these parts are exact in every state.
    names, renamed
        For each of ``free`` its variables that name a replica, and (variable, mask) of what must be
        0 unless it leads.
    """

    free: tuple[int, ...]
    leader: Variable | None
    parts: tuple[tuple[Part, ...], ...]
    first: int
    names: tuple[tuple[Variable, ...], ...]
    renamed: tuple[tuple[tuple[Variable, int], ...], ...]


def signature_of(layout: Layout[object], group: Sequence[Permutation]) -> Signature | None:
    """Return the signature for a layout and a group; None if it has none that is exact."""
    count = len(group[0])
    free = tuple(r for r in range(count) if any(p[r] != r for p in group))
    is_full = len(group) == factorial(len(free)) and free == tuple(range(count - len(free), count))
    if len(Kinds(layout.variables).members) > 1:
        return None
    if not is_full or not all(map(_is_usual, layout.stored)) or not _are_last(layout, count):
        return None
    if slots_of(layout):
        return None
    return _Collector(layout, free).signature()


def _is_usual(variable: Variable) -> bool:
    return len(variable.replicas) < 2 or (len(variable.replicas) == 2 and not variable.field.names)


def _are_last(layout: Layout[object], count: int) -> bool:
    """Whether no variable names a number above those of the replicas."""
    named = [v for v in layout.stored if v.field.names]
    highest = [v.high.bit_length() - 1 if v.field.names == "replicas" else v.high for v in named]
    return all(number < count for number in highest)


def _array(variable: Variable) -> str:
    """Return the path of the array by replica that holds a variable."""
    return variable.form.split("{}")[0] if variable.replicas else ""


class _Collector:
    """Goes through the variables of a layout in their order."""

    def __init__(self, layout: Layout[object], free: tuple[int, ...]) -> None:
        self._stored = layout.stored
        self._free = free
        self._parts: list[list[tuple[Kind, tuple[Variable, ...]]]] = [[] for _ in free]
        self._names: list[list[Variable]] = [[] for _ in free]
        self._renamed: list[list[tuple[Variable, int]]] = [[] for _ in free]
        self._first = -1

    def signature(self) -> Signature:
        """Return the signature."""
        for path, variables in groupby(self._stored, _array):
            if path:
                self._array(list(variables))
            else:
                for variable in variables:
                    self._shared([variable])
        meaningful = (v for v in self._stored if v.field.names or v.replicas)
        leader = next(meaningful, None)
        if leader and (leader.replicas or leader.field.names != "replica"):
            leader = None
        return Signature(
            self._free,
            leader,
            tuple(tuple(_placed(parts)) for parts in self._parts),
            len(self._parts[0]) if self._first < 0 else self._first,
            tuple(map(tuple, self._names)),
            tuple(map(tuple, self._renamed)),
        )

    def _shared(self, sources: Sequence[Variable]) -> None:
        """Add what variables of no free replica, or of the leader, say of the free ones."""
        names = sources[0].field.names
        if names:
            kind = Kind.IS_OTHER if names == "replica" else Kind.IS_OUTSIDE
            for parts in self._parts:
                parts.append((kind, tuple(sources)))

    def _array(self, variables: list[Variable]) -> None:
        """Add an array by replica: those that stay first, then the leader, then the others."""
        rows: dict[int, list[Variable]] = {}
        for variable in variables:
            rows.setdefault(variable.replicas[0], []).append(variable)
        for replica, row in rows.items():
            if replica not in self._free:
                self._row([row])
        if self._first < 0:
            self._first = len(self._parts[0])
        own = [rows[replica] for replica in self._free if replica in rows]
        # The leader names itself or somebody with a place already.
        self._row([[v for v in row if v.field.names != "replica"] for row in own])
        for index, row in enumerate(own):
            for variable in row:
                self._own(index, variable)

    def _row(self, rows: list[list[Variable]]) -> None:
        """Add what the elements of an array say of others; of several only one says anything."""
        for same in zip(*rows, strict=True):
            if len(same[0].replicas) == 1:
                self._shared(same)
            elif same[0].replicas[1] in self._free:
                other = self._free.index(same[0].replicas[1])
                self._parts[other].append((Kind.VALUE, same))

    def _own(self, index: int, variable: Variable) -> None:
        """Add a variable of a replica itself."""
        parts = self._parts[index]
        if variable.field.names == "replica":
            self._names[index].append(variable)
            parts.append((Kind.NAME, (variable,)))
        elif variable.field.names == "replicas":
            movable = sum(1 << r for r in self._free) & variable.high
            self._renamed[index].append((variable, movable))
            parts.append((Kind.VALUE, (variable,)))
        elif len(variable.replicas) == 2 and variable.replicas[1] in self._free:
            self._renamed[index].append((variable, (1 << variable.width) - 1))
        else:
            parts.append((Kind.VALUE, (variable,)))


def _placed(parts: Iterable[tuple[Kind, tuple[Variable, ...]]]) -> Iterator[Part]:
    """Place the parts of a signature, one below the other, in as many words as they need."""
    word, shift = 0, WORD_BITS
    for kind, sources in parts:
        width = 1 if kind in (Kind.IS_OTHER, Kind.IS_OUTSIDE) else sources[0].width
        if width > shift:
            word, shift = word + 1, WORD_BITS
        shift -= width
        yield Part(kind, sources, word, shift)


def bits_of(group: Sequence[Permutation]) -> str:
    """Return the type of a set of permutations, with a bit for each."""
    return f"i{WORD_BITS * -(-len(group) // WORD_BITS)}"


def all_of(group: Sequence[Permutation]) -> int:
    """Return the set of all permutations."""
    return (1 << len(group)) - 1


class Exclusion:
    """Emits the set of permutations that may lead to the representative of a state.

    Parameters
    ----------
    words
        The registers of the words of the state.
    """

    def __init__(
        self, out: Emitter, group: Sequence[Permutation], signature: Signature, words: list[str]
    ) -> None:
        self._out = out
        self._group = group
        self._signature = signature
        self._words = words
        self._bits = bits_of(group)

    def emit(self) -> str:
        """Emit the set; return its register."""
        out, signature = self._out, self._signature
        free = len(signature.free)
        sort, narrow, chosen = map(out.label, ("sort", "narrow", "chosen"))
        out.branch(Truth(self._entangled()), narrow, sort)
        out.place_label(sort)
        keys = [self._key(index, len(signature.parts[index])) for index in range(free)]
        sorted_, last = self._one(keys), self._here("sorted")
        out.jump(chosen)
        out.place_label(narrow)
        keys = [self._key(index, signature.first) for index in range(free)]
        some, other = self._all(keys), self._here("narrowed")
        out.jump(chosen)
        out.place_label(chosen)
        return out.value(f"phi {self._bits} [{sorted_}, %{last}], [{some}, %{other}]")

    def _here(self, hint: str) -> str:
        """Begin a block, which a phi can name; return its label."""
        label = self._out.label(hint)
        self._out.place_label(label)
        return label

    def _value(self, variable: Variable) -> str:
        """Emit a variable's stored value."""
        return stored_value(self._out, self._words, variable)

    def _entangled(self) -> str:
        """Emit whether a variable that renaming changes keeps the signatures from being exact."""
        out, signature = self._out, self._signature
        result = "false"
        for index, replica in enumerate(signature.free):
            leads = "false"
            if signature.leader:
                lead = self._value(signature.leader)
                leads = out.value(f"icmp eq i64 {lead}, {replica - signature.leader.low}")
            for name in signature.names[index]:
                value = self._value(name)
                bad = out.value(f"icmp uge i64 {value}, {signature.free[0] - name.low}")
                if signature.leader:
                    lead = self._value(signature.leader)
                    shift = signature.leader.low - name.low
                    other = out.value(
                        f"icmp ne i64 {out.value(f'add i64 {lead}, {shift}')}, {value}"
                    )
                    bad = out.value(f"and i1 {bad}, {other}")
                result = out.value(f"or i1 {result}, {bad}")
            masks: dict[int, int] = defaultdict(int)
            for variable, mask in signature.renamed[index]:
                masks[variable.word] |= mask << variable.shift
            present = "0"
            for word, mask in masks.items():
                part = out.value(f"and i64 {self._words[word]}, {mask}")
                present = out.value(f"or i64 {present}, {part}")
            present = out.value(f"select i1 {leads}, i64 0, i64 {present}")
            bad = out.value(f"icmp ne i64 {present}, 0")
            result = out.value(f"or i1 {result}, {bad}")
        return result

    def _key(self, index: int, count: int) -> list[str]:
        """Emit the words of a replica's signature, as far as its first parts."""
        out, parts = self._out, self._signature.parts[index][:count]
        replica = self._signature.free[index]
        key = ["0"] * (1 + max((part.word for part in parts), default=-1))
        inverted = [0] * len(key)
        moves: Moves = defaultdict(int)
        for part in parts:
            if part.kind in (Kind.VALUE, Kind.IS_OUTSIDE):
                self._move(part, replica, moves)
                inverted[part.word] |= int(part.kind is Kind.IS_OUTSIDE) << part.shift
                continue
            [variable] = part.sources
            value = self._value(variable)
            if part.kind is Kind.NAME:
                lowest = self._signature.free[0] - variable.low
                bits = out.value(f"call i64 @llvm.umin.i64(i64 {value}, i64 {lowest})")
            else:
                other = out.value(f"icmp ne i64 {value}, {replica - variable.low}")
                bits = out.value(f"zext i1 {other} to i64")
            placed = out.value(f"shl i64 {bits}, {part.shift}")
            key[part.word] = out.value(f"or i64 {key[part.word]}, {placed}")
        move_bits(out, self._words, moves, key)
        return [out.value(f"xor i64 {k}, {i}") for k, i in zip(key, inverted, strict=True)]

    def _move(self, part: Part, replica: int, moves: Moves) -> None:
        """Add the bits that become a part without any computation."""
        for variable in part.sources:
            start, width = variable.shift, variable.width
            if part.kind is Kind.IS_OUTSIDE:
                start, width = start + replica, 1
                if replica >= variable.width:
                    continue
            moves[variable.word, part.word, part.shift - start] |= (1 << width) - 1 << start

    def _less(self, one: list[str], other: list[str]) -> str:
        """Emit whether one signature is less than another."""
        result = "false"
        for mine, theirs in zip(reversed(one), reversed(other), strict=True):
            less = self._out.value(f"icmp ult i64 {mine}, {theirs}")
            same = self._out.value(f"icmp eq i64 {mine}, {theirs}")
            result = self._out.value(f"select i1 {same}, i1 {result}, i1 {less}")
        return result

    def _one(self, keys: list[list[str]]) -> str:
        """Emit the one permutation that sorts signatures, and keeps the order of equal ones."""
        out, left = self._out, str(all_of(self._group))
        for one, other in combinations(range(len(keys)), 2):
            swapped = self._less(keys[other], keys[one])
            after, before = self._ordered(other, one), self._ordered(one, other)
            allowed = out.value(f"select i1 {swapped}, {self._bits} {after}, {self._bits} {before}")
            left = out.value(f"and {self._bits} {left}, {allowed}")
        return left

    def _all(self, keys: list[list[str]]) -> str:
        """Emit all permutations that sort signatures."""
        out, every = self._out, all_of(self._group)
        left = str(every)
        for one, other in combinations(range(len(keys)), 2):
            for low, high in ((one, other), (other, one)):
                less = self._less(keys[low], keys[high])
                allowed = self._ordered(low, high)
                some = out.value(f"select i1 {less}, {self._bits} {allowed}, {self._bits} {every}")
                left = out.value(f"and {self._bits} {left}, {some}")
        return left

    def _ordered(self, one: int, other: int) -> int:
        """Return the set of permutations that put one of the free replicas before another."""
        before, after = self._signature.free[one], self._signature.free[other]
        return sum(1 << i for i, p in enumerate(self._group) if p[before] < p[after])


_ENTRY = 4
"""Bits of an entry in a table of renamed replicas, which is one 64-bit number."""


def masks(layout: Layout[object]) -> str:
    """Return a global array: for every bit of a state the mask of its variable."""
    of_bits = [0] * (64 * layout.words)
    for variable in layout.stored:
        mask = (1 << variable.width) - 1 << variable.shift
        for bit in range(variable.width):
            of_bits[64 * variable.word + variable.shift + bit] = mask
    values = ", ".join(f"i64 {mask}" for mask in of_bits)
    return f"@masks = internal constant [{len(of_bits)} x i64] [{values}]"


def declarations(group: list[Permutation]) -> list[str]:
    """Return the declarations of what the representative needs beyond other code."""
    bits = bits_of(group)
    return [] if bits == "i64" else [f"declare {bits} @llvm.cttz.{bits}({bits}, i1)"]


def emit_least(out: Emitter, layout: Layout[object], group: list[Permutation], state: str) -> None:
    """Emit the replacement of the state at an address by its representative.

    No permutation is tried that the signatures of the replicas exclude.
    """
    if len(group) == 1:
        out.emit("ret void")
        return
    words = [out.value(f"load i64, ptr {_at(out, state, word)}") for word in range(layout.words)]
    signature = signature_of(layout, group)
    tried = str(all_of(group))
    if signature:
        tried = Exclusion(out, group, signature, words).emit()
    # The identity, which is the first one, leaves the state as it is.
    others = out.value(f"and {bits_of(group)} {tried}, {all_of(group) - 1}")
    least = _least_of(out, layout, group, words, others)
    for word, value in enumerate(least):
        out.emit(f"store i64 {value}, ptr {_at(out, state, word)}")
    out.emit("ret void")


def _least_of(
    out: Emitter, layout: Layout[object], group: list[Permutation], words: list[str], tried: str
) -> list[str]:
    """Emit a loop over a set of permutations; return the words of the least state."""
    bits = bits_of(group)
    start, loop, take, compare, end = map(out.label, ("start", "loop", "take", "compare", "end"))
    out.place_label(start)
    out.place_label(loop)
    left, rest = out.register(), out.register()
    least, better = [out.register() for _ in words], [out.register() for _ in words]
    out.emit(f"{left} = phi {bits} [{tried}, %{start}], [{rest}, %{compare}]")
    for old, new, word in zip(least, better, words, strict=True):
        out.emit(f"{old} = phi i64 [{word}, %{start}], [{new}, %{compare}]")
    out.branch(Truth(out.value(f"icmp eq {bits} {left}, 0")), end, take)
    out.place_label(take)
    number = out.value(f"call {bits} @llvm.cttz.{bits}({bits} {left}, i1 true)")
    out.emit(f"{rest} = and {bits} {left}, {out.value(f'sub {bits} {left}, 1')}")
    tried_one = _permuted(out, layout, group, words, number, compare)
    before = _before(out, tried_one, least)
    for register, new, old in zip(better, tried_one, least, strict=True):
        out.emit(f"{register} = select i1 {before}, i64 {new}, i64 {old}")
    out.jump(loop)
    out.place_label(end)
    return least


def _permuted(
    out: Emitter,
    layout: Layout[object],
    group: list[Permutation],
    words: list[str],
    number: str,
    following: str,
) -> list[str]:
    """Emit the words of a state under the permutation of a number but 0; continue at a label."""
    bits = bits_of(group)
    labels = {out.label("permute"): permutation for permutation in group[1:]}
    cases = " ".join(f"{bits} {n}, label %{label}" for n, label in enumerate(labels, 1))
    nowhere = out.label("nowhere")
    out.emit(f"switch {bits} {number}, label %{nowhere} [{cases}]")
    out.terminated = True
    results = {}
    for label, permutation in labels.items():
        out.place_label(label)
        results[label] = _renamed(out, layout, permutation, words)
        out.jump(following)
    out.place_label(nowhere)
    out.emit("unreachable")
    out.terminated = True
    out.place_label(following)
    joined = []
    for word in range(layout.words):
        arriving = ", ".join(f"[{result[word]}, %{label}]" for label, result in results.items())
        joined.append(out.value(f"phi i64 {arriving}"))
    for container in slots_of(layout):
        _settle(out, container, joined)
    return joined


def _settle(out: Emitter, container: Slots, words: list[str]) -> None:
    """Emit that a set of records is in order again, and what is beyond the length is lowest.

    A record is one number here, with the first of its variables in the highest bits; one beyond the
    length is higher than all others while they are sorted.
    """
    width = sum(variable.width for variable in container.slots[0])
    if width >= WORD_BITS:
        raise UnsupportedError(f"symmetry of records of {width} bits in one container")
    length = stored_value(out, words, container.length)
    there = [out.value(f"icmp ugt i64 {length}, {n}") for n in range(len(container.slots))]
    keys = []
    for slot, within in zip(container.slots, there, strict=True):
        key = "0"
        for variable in slot:
            above = out.value(f"shl i64 {key}, {variable.width}")
            key = out.value(f"or i64 {above}, {stored_value(out, words, variable)}")
        keys.append(out.value(f"select i1 {within}, i64 {key}, i64 -1"))
    if container.resorts:
        for last in range(len(keys) - 1, 0, -1):
            for n in range(last):
                one, other = keys[n], keys[n + 1]
                keys[n] = out.value(f"call i64 @llvm.umin.i64(i64 {one}, i64 {other})")
                keys[n + 1] = out.value(f"call i64 @llvm.umax.i64(i64 {one}, i64 {other})")
    for slot, within, key in zip(container.slots, there, keys, strict=True):
        left = out.value(f"select i1 {within}, i64 {key}, i64 0")
        for variable in reversed(slot):
            mask = (1 << variable.width) - 1
            bits = out.value(f"and i64 {left}, {mask}")
            placed = out.value(f"shl i64 {bits}, {variable.shift}")
            cleared = out.value(f"and i64 {words[variable.word]}, {~(mask << variable.shift)}")
            words[variable.word] = out.value(f"or i64 {cleared}, {placed}")
            left = out.value(f"lshr i64 {left}, {variable.width}")


def _at(out: Emitter, state: str, word: int) -> str:
    return out.value(f"inttoptr i64 {out.value(f'add i64 {state}, {8 * word}')} to ptr")


def _renamed(
    out: Emitter, layout: Layout[object], permutation: Permutation, words: list[str]
) -> list[str]:
    """Emit the words of a state whose replicas are renamed."""
    moves: Moves = defaultdict(int)
    results = ["0"] * layout.words
    places = {variable.path: variable for variable in layout.stored}
    kinds, back = Kinds(layout.variables), inverse(permutation)
    for target in layout.stored:
        source = places[kinds.path(target, back)]
        within = kinds.within(permutation, target.field.of) if target.field.names else ()
        if target.field.names == "replica":
            bits = _looked_up(out, source, within, words)
            placed = out.value(f"shl i64 {bits}, {target.shift}")
            results[target.word] = out.value(f"or i64 {results[target.word]}, {placed}")
            continue
        for bit in range(target.width):
            distance = target.shift + renamed(bit, within) - source.shift - bit
            moves[source.word, target.word, distance] |= 1 << source.shift + bit
    move_bits(out, words, moves, results)
    return results


def _looked_up(out: Emitter, source: Variable, permutation: Permutation, words: list[str]) -> str:
    """Emit the renaming of a stored replica number, by a table in one number."""
    table = 0
    for value in range(source.low, source.high + 1):
        if value - source.low >= 64 // _ENTRY:
            raise UnsupportedError("symmetry of more replicas than a table holds")
        table |= renamed(value, permutation) - source.low << _ENTRY * (value - source.low)
    index = stored_value(out, words, source)
    entry = out.value(f"lshr i64 {table}, {out.value(f'mul i64 {index}, {_ENTRY}')}")
    return out.value(f"and i64 {entry}, {(1 << _ENTRY) - 1}")


def _before(out: Emitter, one: list[str], other: list[str]) -> str:
    """Emit whether one state comes before another: by the first variable in which they differ."""
    result = "false"
    for word in range(len(one) - 1, -1, -1):
        differ = out.value(f"xor i64 {one[word]}, {other[word]}")
        bit = out.value(f"call i64 @llvm.cttz.i64(i64 {differ}, i1 false)")
        index = out.value(f"call i64 @llvm.umin.i64(i64 {bit}, i64 63)")
        index = out.value(f"add i64 {index}, {64 * word}")
        entry = out.value(f"getelementptr i64, ptr @masks, i64 {index}")
        mask = out.value(f"load i64, ptr {entry}")
        mine = out.value(f"and i64 {one[word]}, {mask}")
        theirs = out.value(f"and i64 {other[word]}, {mask}")
        less = out.value(f"icmp ult i64 {mine}, {theirs}")
        same = out.value(f"icmp eq i64 {differ}, 0")
        result = out.value(f"select i1 {same}, i1 {result}, i1 {less}")
    return result

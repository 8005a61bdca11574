"""Which permutations of a group the signatures of the replicas leave, as a set of bits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from ...core.layout import WORD_BITS
from ...core.record import Variable
from ...core.symmetry import Permutation
from .emitter import Emitter
from .packed import Moves, move_bits, stored_value
from .signatures import Kind, Part, Signature
from .values import Truth


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

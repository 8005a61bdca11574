"""The representative of a state under symmetry, computed on its packed words.

The representative is the least state of the orbit: states are compared variable by variable, in the
order of their declaration, as in the interpreted engine.
"""

from __future__ import annotations

from collections import defaultdict

from ...core.layout import Layout
from ...core.record import Variable
from ...core.symmetry import Permutation, renamed
from .emitter import Emitter
from .exclusion import Exclusion, all_of, bits_of
from .packed import Moves, move_bits, stored_value
from .signatures import signature_of
from .values import Truth, UnsupportedError

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
    return joined


def _at(out: Emitter, state: str, word: int) -> str:
    return out.value(f"inttoptr i64 {out.value(f'add i64 {state}, {8 * word}')} to ptr")


def _renamed(
    out: Emitter, layout: Layout[object], permutation: Permutation, words: list[str]
) -> list[str]:
    """Emit the words of a state whose replicas are renamed."""
    moves: Moves = defaultdict(int)
    results = ["0"] * layout.words
    places = {variable.path: variable for variable in layout.stored}
    back = {new: old for old, new in enumerate(permutation)}
    for target in layout.stored:
        source = places[target.form.format(*(back[r] for r in target.replicas))]
        if target.field.names == "replica":
            bits = _looked_up(out, source, permutation, words)
            placed = out.value(f"shl i64 {bits}, {target.shift}")
            results[target.word] = out.value(f"or i64 {results[target.word]}, {placed}")
            continue
        for bit in range(target.width):
            moved = renamed(bit, permutation) if target.field.names == "replicas" else bit
            distance = target.shift + moved - source.shift - bit
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

"""Count the distinct states of a system by its orbits: search with symmetry, add up their sizes.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/orbit_sizes.py PROTOCOL [BOUND=VALUE ...]

So a count of ``billion.py`` is found in a second way: other states are stored, with other hashes.
An orbit has as many states as there are permutations, divided by those that leave its
representative as it is.  These are tried by NumPy, from the state's declaration, and by code of its
own, so they check what the engine does with permutations, too.
"""

import sys
import time

import numpy as np

from tidegate.checker.compiled.memory import Region
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.core.symmetry import Symmetry, renamed
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

PIECE = 1 << 19
"""States that are read at a time."""


def moves_of(layout, permutation):
    """Return how a permutation moves bits, and which variables hold numbers of replicas."""
    places = {variable.path: variable for variable in layout.stored}
    back = {new: old for old, new in enumerate(permutation)}
    moves, numbers = {}, []
    for target in layout.stored:
        source = places[target.form.format(*(back[r] for r in target.replicas))]
        if target.field.names == "replica":
            numbers.append((source, target))
            continue
        for bit in range(target.width):
            moved = renamed(bit, permutation) if target.field.names == "replicas" else bit
            distance = target.shift + moved - source.shift - bit
            key = source.word, target.word, distance
            moves[key] = moves.get(key, 0) | 1 << source.shift + bit
    return moves, numbers


def permuted(states, permutation, moves, numbers):
    """Return packed states, one in each row, whose replicas are renamed."""
    result = np.zeros_like(states)
    for (start, end, distance), mask in moves.items():
        bits = states[:, start] & np.uint64(mask)
        shift = np.uint64(abs(distance))
        result[:, end] |= bits << shift if distance > 0 else bits >> shift
    for source, target in numbers:
        values = range(source.low, source.high + 1)
        table = np.array([renamed(value, permutation) - source.low for value in values], np.uint64)
        held = states[:, source.word] >> np.uint64(source.shift)
        held &= np.uint64((1 << source.width) - 1)
        result[:, target.word] |= table[held] << np.uint64(target.shift)
    return result


def main() -> None:
    """Search, add up, and print both counts."""
    name, *settings = sys.argv[1:]
    system = system_for(find_protocol(name), settings, [])
    symmetry = Symmetry(system)
    began = time.process_time()
    resources = Resources(store="fingerprint")
    search = CompiledSearch(SearchRequest(system, [], symmetry=symmetry, resources=resources))
    search.run()
    assert search.stopped_by is None, search.stopped_by
    ways = [(p, *moves_of(system.layout, p)) for p in symmetry.group[1:]]
    words, file = system.layout.words, search.journal.file
    region = Region(PIECE * words * 8)
    states = 0
    for first in range(0, file.states, PIECE):
        count = min(PIECE, file.states - first)
        file.read(region, 0, first, count)
        some = np.frombuffer(region.view(0, count * words * 8), np.uint64).reshape(count, words)
        fixed = np.ones(count, np.int64)
        for way in ways:
            fixed += (permuted(some, *way) == some).all(axis=1)
        states += int((len(symmetry.group) // fixed).sum())
    sys.stdout.write(
        f"{name} {' '.join(settings)}: {search.distinct_states:,} orbits of {states:,} states, "
        f"{time.process_time() - began:.0f} CPU s\n"
    )


if __name__ == "__main__":
    main()

"""Measure what comparing machine code with Python (ADR 17) costs a search, with one worker.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/comparison.py [RUNS]

It stops each search at 10,000,000 states; machine code is compiled beforehand.  The same search
without marks and samples runs in turn with it.  Figures are medians over the runs.  ``share`` is
the share of a run for reading samples and asking Python, the median over the runs; ``all`` is how
much longer a search takes than one without marks and samples, by the fastest run of each, since
the speed of the machine changes from one minute to the next.
"""

import operator
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from unittest import mock

from tidegate.checker.compiled import expansion, generate
from tidegate.checker.compiled.comparison import Comparison
from tidegate.checker.compiled.emitter import Marking
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.compiled.tiers import Tiers
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Limits, Resources
from tidegate.library.selection import assemble

CASES = (
    ("kip-320", "replicas=3 records=2 elections=2 crashes=2 moves", ()),
    ("kip-320", "replicas=3 records=2 elections=2 crashes=2 moves", ("none",)),
    ("examples/published.py:kip_320", "replicas=3 records=3 max_leader_epoch=3", ("none",)),
)

MARKING = (
    (Marking, "mark"),
    (expansion, "keep_guarded"),
    (expansion, "keep_if_wanted"),
    (expansion, "store_marks"),
    (generate, "keep_if_wanted"),
)
"""The functions that emit marks and keep samples."""


def emit_nothing(*_):
    """Replace a function that emits marks."""


@contextmanager
def without_marks():
    """Emit neither marks nor the code that keeps samples."""
    with ExitStack() as stack:
        for place, name in MARKING:
            stack.enter_context(mock.patch.object(place, name, emit_nothing))
        yield


class Stopwatch:
    """Methods that add up their own CPU seconds, and how often they were called."""

    def __init__(self, *methods):
        self.seconds, self.calls = 0.0, 0
        for owner, name in methods:
            setattr(owner, name, self._timed(getattr(owner, name)))

    def _timed(self, method):
        def timed(*arguments):
            self.calls += 1
            began = time.process_time()
            try:
                return method(*arguments)
            finally:
                self.seconds += time.process_time() - began

        return timed


COMPARING = Stopwatch((CompiledSearch, "_compare"), (Tiers, "compare"))
STATES = Stopwatch((Comparison, "_compare_in_one_state"))


def measure(protocol, bounds, properties):
    """Return distinct states, CPU seconds, those for comparing, and the states compared."""
    system, judged = assemble(protocol, bounds.split(), properties)
    resources = Resources(engine="compiled", workers=1)
    limits = Limits(max_states=10_000_000)
    request = SearchRequest(system, judged, keep_going=True, limits=limits, resources=resources)
    search = CompiledSearch(request)
    COMPARING.seconds = STATES.calls = 0
    began = time.process_time()
    search.run()
    seconds = time.process_time() - began
    states = search.distinct_states
    search.close()
    return states, seconds, COMPARING.seconds, STATES.calls


def main():
    """Print a row per case."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    row = "{:<68} {:>11} {:>9} {:>7} {:>9} {:>7} {:>6} {:>6}\n"
    head = ("case", "states", "compared", "CPU s", "compare s", "without", "share", "all")
    sys.stdout.write(row.format(*head))
    with tempfile.TemporaryDirectory() as marked, tempfile.TemporaryDirectory() as unmarked:
        for case in CASES:
            measured, plain = [], []
            for _ in range(runs + 1):
                os.environ["XDG_CACHE_HOME"] = marked
                measured.append(measure(*case))
                os.environ["XDG_CACHE_HOME"] = unmarked
                with without_marks():
                    plain.append(measure(*case)[1])
            # The first run compiled the model.
            states, cpu, compare, compared = zip(*measured[1:], strict=True)
            share = statistics.median(map(operator.truediv, compare, cpu))
            less, least = min(plain[1:]), min(cpu)
            label = f"{case[0]} {case[1]} -p {' '.join(case[2]) or 'default'}"
            seconds = (
                statistics.median(cpu),
                statistics.median(compare),
                statistics.median(plain[1:]),
            )
            figures = (f"{states[0]:,}", f"{compared[0]:,}", *(f"{some:.3f}" for some in seconds))
            sys.stdout.write(row.format(label, *figures, f"{share:.1%}", f"{least / less - 1:.1%}"))
            sys.stdout.flush()


if __name__ == "__main__":
    main()

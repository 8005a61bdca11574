"""Measure what comparing machine code with Python (ADR 17) costs a search, with one worker.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/comparison.py [RUNS]

It stops each search at 10,000,000 states.  The same search by code that marks nothing and keeps no
state runs in turn with it.  Figures are medians over the runs; shares are those of each run,
since the speed of the machine changes from one minute to the next.
"""

import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from unittest import mock

from tidegate.analysis.selection import assemble
from tidegate.checker.compiled import expansion, generate
from tidegate.checker.compiled.comparison import Comparison
from tidegate.checker.compiled.marking import Marking
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.request import SearchRequest
from tidegate.checker.result import Limits, Resources

CASES = (
    ("kip-320", "replicas=3 records=2 elections=2 crashes=2 moves", ()),
    ("kip-320", "replicas=3 records=2 elections=2 crashes=2 moves", ("none",)),
    ("published/kip-320", "replicas=3 records=3 max_leader_epoch=3", ("none",)),
)

MARKING = (
    (Marking, "mark"),
    (expansion, "keep_guarded"),
    (expansion, "keep_if_wanted"),
    (expansion, "note_beside"),
    (generate, "keep_if_wanted"),
)
"""What emits marks and the keeping of states."""


def emit_nothing(*_):
    """Stand for what emits marks."""


@contextmanager
def without_marks():
    """Emit neither marks nor the keeping of states."""
    with ExitStack() as stack:
        for place, name in MARKING:
            stack.enter_context(mock.patch.object(place, name, emit_nothing))
        yield


class Stopwatch:
    """A method that adds up its own CPU seconds, and how many samples it was handed."""

    def __init__(self, owner, name):
        self.seconds, self.samples = 0.0, 0
        self._method = getattr(owner, name)
        setattr(owner, name, self._wrapped())

    def _wrapped(self):
        def timed(this, *samples):
            self.samples += sum(map(len, samples))
            began = time.process_time()
            try:
                return self._method(this, *samples)
            finally:
                self.seconds += time.process_time() - began

        return timed


COMPARING = Stopwatch(CompiledSearch, "_compare")
ASKING = Stopwatch(Comparison, "compare")


def measure(protocol, bounds, properties):
    """Return distinct states, CPU s, those of them that compare, those that ask, and samples."""
    system, judged = assemble(protocol, bounds.split(), properties)
    resources = Resources(engine="compiled", workers=1)
    limits = Limits(max_states=10_000_000)
    request = SearchRequest(system, judged, keep_going=True, limits=limits, resources=resources)
    search = CompiledSearch(request)
    COMPARING.seconds = ASKING.seconds = ASKING.samples = 0
    began = time.process_time()
    search.run()
    seconds = time.process_time() - began
    states = search.distinct_states
    search.close()
    return states, seconds, COMPARING.seconds, ASKING.seconds, ASKING.samples


def main():
    """Print a row per case."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    row = "{:<68} {:>11} {:>8} {:>6} {:>10} {:>8} {:>6} {:>7}\n"
    head = ("case", "states", "samples", "CPU s", "compare s", "asking s", "share", "marks")
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
            states, samples = measured[0][0], measured[0][-1]
            # The first run compiled the model.
            _, cpu, compare, asking, _ = zip(*measured[1:], strict=True)
            pairs = list(zip(cpu, compare, plain[1:], strict=True))
            share = statistics.median(compared / total for total, compared, _ in pairs)
            # Both of a pair ran one after the other, and most often at the same speed.
            marks = (
                statistics.median((total - compared) / less for total, compared, less in pairs) - 1
            )
            label = f"{case[0]} {case[1]} -p {' '.join(case[2]) or 'default'}"
            seconds = (f"{statistics.median(some):.3f}" for some in (compare, asking))
            figures = (f"{states:,}", f"{samples:,}", f"{statistics.median(cpu):.2f}", *seconds)
            sys.stdout.write(row.format(label, *figures, f"{share:.1%}", f"{marks:.1%}"))
            sys.stdout.flush()


if __name__ == "__main__":
    main()

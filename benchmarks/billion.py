"""Search a billion states with fingerprints, and replay the trace to one of the deepest states.

Usage, from the root of the repository::

    .venv/bin/python benchmarks/billion.py [--max-memory MIB] [PROTOCOL [BOUND=VALUE ...]]

It needs 9 to 10.5 bytes of memory per state, and 16 bytes per state on the disk below ``TMPDIR``.
"""

import argparse
import resource
import sys
import time

from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.counterexample import shortest_traces
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

DEFAULT = ["examples/published.py:kip_320", "replicas=3", "records=3", "max_leader_epoch=4"]


def show(progress) -> None:
    """Print the progress of the search, now and then."""
    if progress.seconds >= show.next:
        show.next += 10
        sys.stderr.write(
            f"{progress.distinct_states:,} states, depth {progress.depth}, "
            f"{progress.seconds:.0f} s, {progress.memory >> 20:,} MiB\n"
        )


show.next = 10.0


def main() -> None:
    """Search, print the figures, and replay a trace to a deepest state."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-memory", type=int, metavar="MIB")
    parser.add_argument("system", nargs="*", default=DEFAULT)
    options = parser.parse_args()
    name, *settings = options.system
    system = system_for(find_protocol(name), settings, [])
    began, cpu = time.monotonic(), time.process_time()
    memory = options.max_memory << 20 if options.max_memory else None
    resources = Resources(store="fingerprint", memory=memory)
    search = CompiledSearch(SearchRequest(system, [], resources=resources, report=show))
    search.run()
    wall, cpu = time.monotonic() - began, time.process_time() - cpu
    states, used = search.distinct_states, search.machine.bytes_used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    sys.stdout.write(
        f"{name} {' '.join(settings)}: {states:,} distinct states, depth {len(search.levels)}, "
        f"{'complete' if search.stopped_by is None else search.stopped_by}\n"
        f"collision probability {search.collision_probability:.1e}\n"
        f"{wall:.0f} s, {cpu:.0f} CPU s, {states / cpu / 1e6:.2f} million states per CPU second\n"
        f"{used >> 20:,} MiB at the end ({used / states:.1f} bytes per state), "
        f"{peak >> 20:,} MiB at most ({peak / states:.1f})\n"
    )
    began, cpu = time.monotonic(), time.process_time()
    [state] = search.read(search.levels[-1][0][0], 1)
    deepest = len(search.levels) - 1, state
    [(_, trace)] = shortest_traces(system, search.least_parents, [deepest])
    state = trace.states[0]
    for step in trace.steps:
        state = system.take(state, step)
    assert state == deepest[1]
    sys.stdout.write(
        f"trace of {len(trace.steps)} steps to a deepest state, rebuilt in "
        f"{time.monotonic() - began:.0f} s ({time.process_time() - cpu:.0f} CPU s) and replayed\n"
    )


if __name__ == "__main__":
    main()

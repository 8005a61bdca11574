"""Measure the CPU time of a process before its first state.

``start.py [--runs N] [ARGUMENT ...]`` runs ``tidegate check ARGUMENT ...``, each time in a process
of its own, and prints the least, the median and the most CPU seconds that it had used when its
search began.
"""

import sys
import time

RUNS = 11
DEFAULT = ["kip-320", "-b", "replicas=2", "-b", "records=1", "-q"]
_HERE = "--here"


def begin(arguments):
    """Check in this process, and print its CPU time when the search begins."""
    from tidegate.__main__ import main

    if "compiled" in arguments:
        from tidegate.checker.compiled.search import CompiledSearch as Engine
    else:
        from tidegate.checker.interpreted import Search as Engine
    run = Engine.run

    def noted(*passed, **options):
        sys.stderr.write(f"\n{time.process_time()}\n")
        return run(*passed, **options)

    Engine.run = noted
    sys.argv = ["tidegate", "check", *arguments]
    main()


def main():
    """Run the processes, and print what they used."""
    arguments = sys.argv[1:]
    if arguments[:1] == [_HERE]:
        begin(arguments[1:])
        return
    # In the measured process imports count.
    import subprocess
    from statistics import median

    runs = RUNS
    if arguments[:1] == ["--runs"]:
        runs, arguments = int(arguments[1]), arguments[2:]
    command = [sys.executable, __file__, _HERE, *(arguments or DEFAULT)]
    seconds = []
    for _ in range(runs + 1):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        [used] = [line for line in done.stderr.splitlines() if line.replace(".", "", 1).isdigit()]
        seconds.append(float(used))
    # The first run may have to compile Python's files.
    kept = sorted(seconds[1:])
    sys.stdout.write(f"{kept[0]:.3f} {median(kept):.3f} {kept[-1]:.3f}\n")


if __name__ == "__main__":
    main()

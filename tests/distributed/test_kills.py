"""However the processes of a cluster die, a search reports what an undisturbed one does.

Worker processes, the daemons that fork them, and executors are killed (``kill -9``) amid tasks, at
random places of random levels.

    TIDEGATE_KILLS=100 python -m pytest tests/distributed/test_kills.py -m slow
"""

import os
from collections import Counter
from random import Random

import pytest

from tidegate.checker.distributed import workers
from tidegate.checker.distributed.session import spark_context
from tidegate.core.result import Cluster

pytestmark = [pytest.mark.spark, pytest.mark.slow]

RUNS = int(os.environ.get("TIDEGATE_KILLS", "10"))
SEED = os.environ.get("TIDEGATE_FUZZ_SEED", "1")

MODELS = (
    (("tidegate.examples.published:hw", "records=1 log_size=1"), True),
    (("tidegate.examples.published:hw", "records=1"), True),
    (("tidegate.examples.published:kip_101", "records=1"), False),
    (("tidegate.examples.async_isr:async_isr", "max_offset=1 max_version=1"), False),
)
"""Small ones, and whether all of them is explored."""

VICTIMS = ("worker", "daemon", "executor", "executor")
CONF = ("spark.executor.memory=512m",)


def killing(victim, marker, times):
    """Return a function that kills a process, the first times that it is called."""

    def die():
        import os
        import signal
        import time
        from pathlib import Path

        def parent(process):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            return int(fields[1])

        def runs(process, what):
            return what in Path(f"/proc/{process}/cmdline").read_text()

        # The executor started the daemon, which forks workers.  Where a daemon was killed before,
        # executors use its workers on, which have another parent now, that is nobody's to kill.
        victims = {"worker": os.getpid()}
        if runs(os.getppid(), "pyspark.daemon"):
            victims["daemon"] = os.getppid()
            if runs(parent(os.getppid()), "CoarseGrainedExecutorBackend"):
                victims["executor"] = parent(os.getppid())
        killed = victim if victim in victims else "worker"
        for number in range(times):
            try:
                with open(f"{marker}-{number}", "x") as file:
                    file.write(killed)
                break
            except FileExistsError:
                continue
        else:
            return
        os.kill(victims[killed], signal.SIGKILL)
        if killed == "executor":
            # The daemon ends this process, once it sees that the executor is gone.
            time.sleep(600)

    return die


def dying_in_expand(die, level, place):
    def expand(plan, share, rows):
        from tidegate.checker.distributed import workers

        for number, part in enumerate(workers.expand(plan, share, rows)):
            yield part
            if plan.level == level and number == place:
                die()

    return expand


def dying_in_own(die, level, place):
    def own(plan, share, sent):
        from tidegate.checker.distributed import workers

        def watched():
            for number, part in enumerate(sent):
                yield part
                if plan.level == level and number == place:
                    die()

        yield from workers.own(plan, share, watched())

    return own


def dying_at_a_write(die, level, place):
    def own(plan, share, sent):
        from tidegate.checker.distributed import workers
        from tidegate.checker.distributed.store import Store

        replace = Store._replace

        def written(store, partial, path):
            if plan.level == level and place == 0:
                die()
            replace(store, partial, path)
            if plan.level == level and place:
                die()

        Store._replace = written
        try:
            yield from workers.own(plan, share, sent)
        finally:
            Store._replace = replace

    return own


PHASES = (("expand", dying_in_expand), ("own", dying_in_own), ("own", dying_at_a_write))


def test_processes_that_are_killed_at_any_place_change_nothing(
    reported, master, tmp_path, monkeypatch, request
):
    killed, number = Counter(), 0
    expected = {}
    reporter = request.config.pluginmanager.getplugin("terminalreporter")
    with spark_context(Cluster(master=master, conf=CONF), tmp_path):
        while killed.total() < RUNS:
            number += 1
            assert number <= 5 * RUNS, "hardly any run was killed"
            random = Random(f"{SEED} {number}")
            model, keep_going = random.choice(MODELS)
            if model not in expected:
                expected[model] = reported(*model, keep_going=keep_going)
            marker, victim = str(tmp_path / f"killed-{number}"), random.choice(VICTIMS)
            die = killing(victim, marker, random.choice((1, 1, 2)))
            phase, dying = random.choice(PHASES)
            level = random.randint(1, expected[model]["depth"] - 1)
            where = Cluster(
                master=master,
                store=str(tmp_path / f"store-{number}"),
                partitions=random.randint(1, 4),
                local_levels=0,
                conf=CONF,
            )
            with monkeypatch.context() as patch:
                patch.setattr(workers, phase, dying(die, level, random.randint(0, 2)))
                found = reported(*model, cluster=where, keep_going=keep_going)
            assert found == expected[model], f"run {number} of seed {SEED}: {victim}, {phase}"
            killed.update(path.read_text() for path in [*tmp_path.glob(f"killed-{number}-*")][:1])
            reporter.write_line(f"seed {SEED}: {number} runs alike, killed in {dict(killed)}")

"""A level as a Spark job: expand every share, shuffle the candidates, then own every share."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING, Any

from ...core.interrupts import Interrupted, noted
from ..manifest import CheckpointError
from . import workers
from .java import SparkError
from .kernel import KernelError
from .session import first_line
from .store import UnwritableError
from .tasks import Owned, Plan

if TYPE_CHECKING:
    from pyspark import SparkContext

POLL = 0.5
"""Seconds between checks of a job's progress."""

PATIENCE = 15.0
"""Seconds without a running task after which executors are reported as missing."""

_RAISED = {
    "CheckpointError": CheckpointError,
    "UnwritableError": UnwritableError,
    "DifferentCodeError": workers.DifferentCodeError,
    "KernelError": KernelError,
}
"""Errors of tasks that are for the user; Spark passes on only their text."""


class Jobs:
    """Runs levels as jobs.

    Parameters
    ----------
    context
        Spark's.
    """

    def __init__(self, context: SparkContext) -> None:
        self.context = context
        self._name = f"tidegate-{uuid.uuid4().hex}"

    def run(self, plan: Plan, watch: Callable[[float, str], bool]) -> list[Owned] | None:
        """Find a level; return the result of every share, or None if the job was cancelled.

        Parameters
        ----------
        watch
            Called now and then with the share of the job's tasks that are done, and with what the
            job waits for if no task is running; False cancels it.

        Raises
        ------
        KeyboardInterrupt
            If the user interrupts.
        """
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        # An interrupt during a call would break Spark's gateway.
        with noted() as interrupted, ThreadPoolExecutor(1, "tidegate-job") as pool:
            job = pool.submit(self._owned, plan)
            group, cancelled = self._group(plan), False
            look = self._looks(group)
            while wait([job], POLL).not_done:
                if not cancelled and (interrupted or not watch(*look())):
                    cancelled = True
                    self.context.cancelJobGroup(group)
        if interrupted:
            raise Interrupted
        if cancelled:
            return None
        try:
            return job.result()
        except (Py4JError, PySparkException) as error:
            raise _translated(error) from None

    def _owned(self, plan: Plan) -> list[Owned]:
        """Run a level's job; its group, by which it can be cancelled, is set per thread."""
        self.context.setJobGroup(self._group(plan), f"level {plan.level}", True)
        owned: list[Owned] = self._job(plan).collect()
        return owned

    def _job(self, plan: Plan) -> Any:
        senders = self.context.parallelize(range(plan.senders), plan.senders)
        sent = senders.mapPartitionsWithIndex(partial(workers.expand, plan))
        gathered = sent.partitionBy(plan.shares, workers.owner)
        return gathered.mapPartitionsWithIndex(partial(workers.own, plan))

    def _group(self, plan: Plan) -> str:
        return f"{self._name}-{plan.level}"

    def _looks(self, group: str) -> Callable[[], tuple[float, str]]:
        """Return a function that returns which share of a job is done, and what it waits for."""
        at_work = time.monotonic()

        def look() -> tuple[float, str]:
            nonlocal at_work
            done, active, total = self._tasks(group)
            if active or done == total:
                at_work = time.monotonic()
            waits = time.monotonic() - at_work >= PATIENCE
            return done / total if total else 0.0, self._missing() if waits else ""

        return look

    def _missing(self) -> str:
        """Return the advice if no executor takes a task."""
        conf = self.context.getConf()
        memory = conf.get("spark.executor.memory", "1g")
        return (
            f"waiting for executors: {self.context.master} has had none for {PATIENCE:.0f} s. See "
            f"that workers are running which have {memory} of memory to spare (--conf "
            "spark.executor.memory=...) and a core that no other application holds; Ctrl-C ends "
            "the search, and 'tidegate check --resume' continues it"
        )

    def _tasks(self, group: str) -> tuple[int, int, int]:
        """Return how many of a group's tasks are done and running, and how many there are."""
        tracker = self.context.statusTracker()
        done = active = total = 0
        for job in tracker.getJobIdsForGroup(group):
            information = tracker.getJobInfo(job)
            for stage in information.stageIds if information else ():
                stage_information = tracker.getStageInfo(stage)
                if stage_information:
                    done += stage_information.numCompletedTasks
                    active += stage_information.numActiveTasks
                    total += stage_information.numTasks
        return done, active, total


_NO_MEMORY = r"^(?:[\w.]+\.)?\w*MemoryError\b|\[Errno 12\]|failed to map segment from shared object"
"""What Python prints if it is out of memory, the last one while it loads a library."""


def _translated(error: BaseException) -> BaseException:
    """Return the error of a task as the corresponding error of this process."""
    text = str(error)
    raised = re.search(rf"^(?:[\w.]+\.)?({'|'.join(_RAISED)})(?:: (.*))?$", text, re.MULTILINE)
    if raised:
        return _RAISED[raised[1]](raised[2] or "")
    if re.search(_NO_MEMORY, text, re.MULTILINE):
        return SparkError(
            "a Python process of an executor got no more memory; give it more with "
            "'tidegate check --resume', by --conf spark.executor.pyspark.memory=... if that is set "
            "(1g is the least that is of use), or begin anew in another store with more "
            "--partitions"
        )
    if "No space left on device" in text:
        return UnwritableError(
            "a full disk: there is no room for Spark's temporary files (spark.local.dir; with a "
            "local master it is in the store)"
        )
    missing = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", text)
    if missing:
        module = missing[1].split(".")[0]
        repair = "send it along with --ship" if module == "tidegate" else f"install {module} there"
        return SparkError(f"an executor cannot import {module}; {repair}")
    return SparkError(f"Spark could not finish a level: {first_line(error)}")

"""Evaluates a model again in other processes, in which strings have other hashes.

What a model says in a state, as one value that two evaluations have in common.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

from ..core.errors import Line, TidegateError, place_of
from ..core.fault_location import predicate_of
from ..core.interrupts import leave_to_parent
from ..core.layout import State
from ..core.purity import Unproven
from ..core.result import Load
from ..core.spec import Kind, Property, TransitionSystem
from .liveness.formulas import with_premises

Answers = dict[int | str, object]
"""What a model says in a state: the successor by each enabled instance, and each predicate."""

CONSTRAINT = "the constraint"


_MOST_INITIAL = 10_000
"""Initial states that are compared."""


def answers(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], state: State
) -> Answers:
    """Return what the model says in a state; outside the constraint no action is asked."""
    system.layout.load(state)
    inside = system.inside()
    said: Answers = {CONSTRAINT: inside}
    for prop in with_premises(properties):
        if prop.kind is not Kind.TYPE and not prop.kind.is_of_steps:
            said[predicate_of(prop)] = system.satisfies(prop)
    if inside:
        said.update(system.successors(state, watched=False))
    return said


def initial(system: TransitionSystem[Any, Any]) -> frozenset[State] | None:
    """Return the initial states; None if they are too many to compare."""
    states = list(islice(system.initial_states(), _MOST_INITIAL + 1))
    return frozenset(states) if len(states) <= _MOST_INITIAL else None


def identity(system: TransitionSystem[Any, Any]) -> object:
    """Return what two processes that load a model must agree on, so that states mean the same."""
    variables = [
        (variable.path, variable.low, variable.high) for variable in system.layout.variables
    ]
    return [str(instance.step) for instance in system.instances], variables


def differing(before: Answers, after: Answers) -> int | str | None:
    """Return a key of an answer that differs; None if none does."""
    if before == after:
        return None
    keys: tuple[int | str, ...] = (*before, *after)
    return next(key for key in keys if before.get(key) != after.get(key))


_FEWEST, _MOST = 6, 8
"""Processes: one alone has the order of two strings that this one has in half of all cases."""

_AT_ONCE = 4

_SECONDS, _PATIENCE = 2.0, 10.0
"""Seconds for all of them; and for the fewest of them on a machine that is busy."""

_LOOK = 0.01

_HERE = "again in another process (with another hash seed)"
_BARE = "again without the variables of the environment"

_MEMORY_ONLY = "the model exists in this process only; name it by its file or module"


@dataclass(frozen=True)
class Difference:
    """What another evaluation answered differently.

    Parameters
    ----------
    again
        How it was evaluated, for a sentence.
    key
        Which of the :data:`Answers` differs; None for the initial states or an error.
    text, place
        The error, if the other evaluation failed.
    what
        What else differs.
    """

    again: str
    key: int | str | None = None
    text: str = ""
    place: Line | None = None
    what: str = ""


@dataclass(frozen=True)
class Job:
    """What another process evaluates, and what this one found.

    Parameters
    ----------
    load
        Makes the system and its properties there.
    identity, initial
        What must be the same there.
    expected
        States with what the model said in them.
    """

    load: Load | None
    identity: object
    initial: frozenset[State] | None
    expected: list[tuple[State, Answers]]
    unproven: tuple[Unproven, ...]


_Reply = str | Difference | None
"""Why the model could not be loaded, what differs, or None if nothing does."""

_serving = False


def is_serving() -> bool:
    """Whether this process evaluates a model for another; a file that checks it is not tried."""
    return _serving


class Elsewhere:
    """Processes that do a job; leaving the block ends those that still run.

    Parameters
    ----------
    most
        How many there are in all.

    Attributes
    ----------
    answered
        How many have answered.
    ended
        Whether no answer is to come.
    why_not
        Why none has answered.
    """

    def __init__(self, job: Job, most: int = _MOST) -> None:
        self._job, self._most = job, most
        self._running: list[tuple[subprocess.Popen[bytes], Path]] = []
        self._started = self.answered = 0
        self._began = monotonic()
        self.why_not = _MEMORY_ONLY if job.load is None else ""
        self.ended = job.load is None

    def __enter__(self) -> Elsewhere:
        self._folder = TemporaryDirectory(prefix="tidegate-", ignore_cleanup_errors=True)
        if not self.ended:
            try:
                Path(self._folder.name, "job").write_bytes(pickle.dumps(self._job))
            except (OSError, pickle.PicklingError, AttributeError, TypeError) as error:
                self._give_up(f"the model cannot be sent to another process ({error})")
        return self

    def __exit__(self, *error: object) -> None:
        for process, _ in self._running:
            process.kill()
        for process, _ in self._running:
            process.wait()
        self._folder.cleanup()

    def wait(self, seconds: float) -> Difference | None:
        """Wait for so long, or until no answer is to come; return what differs, if anything."""
        until = monotonic() + seconds
        while not self.ended and monotonic() < until:
            self._start()
            difference = self._collect()
            if difference is not None:
                return difference
            if not self.ended:
                self.ended = self._is_over()
            sleep(_LOOK)
        if self.ended and monotonic() < until:
            sleep(until - monotonic())
        return None

    def _is_over(self) -> bool:
        elapsed = monotonic() - self._began
        late = elapsed > (_SECONDS if self.answered >= min(_FEWEST, self._most) else _PATIENCE)
        if late and not self.answered:
            self.why_not = f"another process took more than {_PATIENCE:g} s"
        return late or (self._started == self._most and not self._running)

    def _give_up(self, why: str) -> None:
        self.why_not, self.ended = why, True

    def _start(self) -> None:
        """Start as many processes as may run at once."""
        most = min(_AT_ONCE, os.cpu_count() or 1)
        while len(self._running) < most and self._started < self._most and not self.ended:
            self._started += 1
            reply = Path(self._folder.name, f"reply-{self._started}")
            mine = os.environ.get("PYTHONHASHSEED", "")
            seed = (int(mine if mine.isdigit() else 0) + self._started) % 2**32
            code = (
                f"import sys; sys.path[:] = {sys.path!r}; "
                f"from {__name__} import serve; "
                f"serve({str(reply)!r}, {self._started}, {os.getpid()})"
            )
            try:
                process = subprocess.Popen(
                    [sys.executable, *["-O"] * sys.flags.optimize, "-c", code],
                    env={**os.environ, "PYTHONHASHSEED": str(seed)},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            except OSError as error:
                self._give_up(f"another process cannot be started ({error.strerror})")
                return
            self._running.append((process, reply))

    def _collect(self) -> Difference | None:
        """Take the replies of the processes that have ended; return the first difference."""
        for process, reply in list(self._running):
            if process.poll() is None:
                continue
            self._running.remove((process, reply))
            try:
                answer: _Reply = pickle.loads(reply.read_bytes())
            except (OSError, pickle.UnpicklingError, EOFError):
                answer = f"another process ended with status {process.returncode}"
            if isinstance(answer, Difference):
                return answer
            if isinstance(answer, str):
                self._give_up(answer)
                return None
            self.answered += 1
        return None


def serve(reply: str, number: int, parent: int) -> None:
    """Do the job in this process, and write what differs to a file."""
    global _serving
    _serving = True
    leave_to_parent()
    if os.getppid() != parent:
        # It ended before this process could ask to end with it.
        os._exit(1)
    path = Path(reply)
    job: Job = pickle.loads((path.parent / "job").read_bytes())
    path.write_bytes(pickle.dumps(_done(job, number)))
    # What the model does at exit, or threads that it started, must not delay the answer.
    os._exit(0)


def _done(job: Job, number: int) -> _Reply:
    assert job.load is not None
    try:
        system, properties = job.load()
    except BaseException as error:  # noqa: BLE001 - a user's file may raise anything
        place = place_of(error)
        at = f" ({os.path.basename(place[0])}:{place[1]})" if place else ""
        return f"it cannot be loaded in another process: {type(error).__name__}: {error}{at}"
    for one, other in zip(job.unproven, system.unproven, strict=False):
        if one.line == other.line and one.value != other.value:
            return Difference(_HERE, what=f"{one.name} is different", place=one.line)
    if identity(system) != job.identity or system.unproven != job.unproven:
        return Difference(_HERE, what="the model has other actions or variables")
    # What depends on the order of the calls differs in another order.
    expected = job.expected[:: -1 if number % 2 else 1]
    for again in (_HERE, _BARE) if number == 1 else (_HERE,):
        if again == _BARE:
            os.environ.clear()
        try:
            if initial(system) != job.initial:
                return Difference(again)
            for state, before in expected:
                key = differing(before, answers(system, properties, state))
                if key is not None:
                    return Difference(again, key)
        except TidegateError as error:
            return Difference(again, None, Exception.__str__(error), error.place)
    return None

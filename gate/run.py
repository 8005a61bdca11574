"""Runs cells, several at once, each in a process of its own that may hang, crash or be killed."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import gettempdir
from time import monotonic
from typing import Any

from ..core.errors import TidegateError
from ..core.imports import safe_path
from ..core.interrupts import noted
from ..core.memory import share_of
from ..core.result import Progress, Resources
from .cells import Cell
from .results import CellOutcome, Deviation, Finding, Status, erred
from .worker import HUNG, work

GRACE = 20.0
"""Seconds beyond its limit that a cell has to end by itself and to make its reports."""

Show = Callable[[Sequence["Running"]], None]


@dataclass
class Running:
    """A cell whose process runs, with how far it is."""

    cell: Cell
    process: BaseProcess
    connection: Connection
    started: float = field(default_factory=monotonic)
    progress: Progress | None = None
    searching_for_hang: bool = False
    """Whether machine code hung in this cell, which is searched interpreted now to see where."""

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return monotonic() - self.started

    @property
    def covered(self) -> str:
        """The progress of its search, or of its brokers, in words."""
        if self.progress and self.progress.doing:
            return f"{self.progress.doing}, {self.seconds:.0f} s"
        return f"{self.states:,} distinct states, {self.seconds:.0f} s"

    @property
    def states(self) -> int:
        """How many distinct states it has reported."""
        return self.progress.distinct_states if self.progress else 0


def run(
    cells: Sequence[Cell], root: Path, jobs: int, show: Show = lambda running: None
) -> Iterator[CellOutcome]:
    """Yield the outcome of each cell, as soon as it is known.

    Cells that real brokers decide come last, one after the other: brokers need the machine.  After
    Ctrl-C the running cells are ended, and every undecided cell is yielded as interrupted.

    Parameters
    ----------
    root
        The directory of the gate's file.
    show
        Called now and then with the cells that run.
    """
    todo = sorted(cells, key=_on_brokers)
    begin = _Begin(root, share_of(jobs))
    running: list[Running] = []
    # The first Ctrl-C is noted, so that every cell is still reported; a second one ends at once.
    with noted(once=True) as interrupts:
        while (todo or running) and not interrupts:
            while todo and len(running) < (1 if _on_brokers(todo[0]) else jobs):
                running.append(begin(todo.pop(0)))
            wait(
                [handle for one in running for handle in (one.connection, one.process.sentinel)],
                0.25,
            )
            show(running)
            for one in list(running):
                outcome = _look_after(one, begin)
                if isinstance(outcome, Running):
                    running[running.index(one)] = outcome
                elif outcome is not None:
                    running.remove(one)
                    yield outcome
        for one in running:
            _end(one)
            text = f"interrupted after {one.covered}"
            yield replace(_interrupted(one.cell, text), states=one.states, seconds=one.seconds)
        for cell in todo:
            yield _interrupted(cell, "interrupted before it began")


def _on_brokers(cell: Cell) -> bool:
    """Whether real brokers decide a cell."""
    return cell.brokers is not None


class _Begin:
    """Starts processes of cells.

    They are forked from a server that has imported everything already, and that knows nothing of
    what this process holds: no threads, no half-written output.
    """

    def __init__(self, root: Path, resources: Resources) -> None:
        self._root, self._resources = str(root.resolve()), resources
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([f"{__package__}.worker"])

    def __call__(self, cell: Cell, interpreted: bool = False) -> Running:
        mine, theirs = self._context.Pipe(duplex=False)
        limits = replace(cell.limits, engine="interpreted") if interpreted else cell.limits
        arguments = (theirs, replace(cell, limits=limits), self._root, self._resources)
        process = self._context.Process(target=work, args=arguments, daemon=True)
        try:
            with safe_path():
                process.start()
        except OSError as error:
            # The server listens at a socket in there, whose path Linux limits to 107 bytes.
            repair = "; set TMPDIR to a shorter path" if "path too long" in str(error) else ""
            text = f"the process of {cell.name} could not be started, with files in {gettempdir()}"
            raise TidegateError(f"{text}: {error}{repair}") from None
        theirs.close()
        return Running(cell, process, mine, searching_for_hang=interpreted)


def _look_after(one: Running, begin: _Begin) -> CellOutcome | Running | None:
    """Return the outcome of a cell, a process that replaces it, or None if it still runs."""
    message: Any = None
    try:
        while one.connection.poll():
            message = one.connection.recv()
            if isinstance(message, Progress):
                one.progress, message = message, None
            else:
                break
    except (EOFError, OSError):
        message = _died(one)
    if message is None and one.seconds > one.cell.limits.seconds + GRACE:
        message = _limit(one)
    if message is None:
        return None
    _end(one)
    if message == HUNG:
        return begin(one.cell, interpreted=True)
    assert isinstance(message, CellOutcome)
    message.cell = one.cell
    return _named_hang(message) if one.searching_for_hang else message


def _named_hang(outcome: CellOutcome) -> CellOutcome:
    """Return the outcome of a cell whose machine code hung, even if Python did not reproduce it."""
    if outcome.status is not Status.ERRED:
        text = (
            "some action never ends: the compiled engine made no progress for "
            f"{outcome.cell.limits.stalled:g} s, and the interpreted one did not reach that state"
        )
        outcome.status, outcome.findings = Status.ERRED, [Finding(Deviation.ERROR, "", text)]
    return outcome


def _died(one: Running) -> CellOutcome:
    """Return the outcome of a cell whose process ended without a result."""
    one.process.join()
    code = one.process.exitcode or 0
    why = f"signal {-code}" if code < 0 else f"status {code}"
    hint = "; the system may have run out of memory: set memory, or --jobs 1" if code == -9 else ""
    text = f"its process ended with {why} after {one.covered}{hint}"
    return erred(one.cell, text, seconds=one.seconds)


def _limit(one: Running) -> CellOutcome:
    """Return the outcome of a cell that did not end when it should."""
    seconds = one.cell.limits.seconds
    text = f"not decided: stopped by the limit of {seconds:g} s, after {one.covered}"
    findings = [Finding(Deviation.LIMIT, "", text)]
    states = one.progress.distinct_states if one.progress else 0
    return CellOutcome(one.cell, Status.LIMITED, findings, states=states, seconds=one.seconds)


def _interrupted(cell: Cell, text: str) -> CellOutcome:
    return CellOutcome(cell, Status.INTERRUPTED, [Finding(Deviation.LIMIT, "", text)])


def _end(one: Running) -> None:
    """End the process of a cell, if it has not ended; with brokers, it ends these first."""
    if one.process.is_alive() and _on_brokers(one.cell):
        one.process.terminate()
        one.process.join(GRACE)
    if one.process.is_alive():
        one.process.kill()
    one.process.join()
    one.connection.close()

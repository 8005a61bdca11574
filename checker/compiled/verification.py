"""The checks of a search in machine code before its answer is believed.

While it runs, samples of it are compared with Python (``comparison.py``).  At its end, or when
other machine code takes over:

- small searches are made again in Python, which is enough, and the first levels of larger ones;
- of states all over the levels, Python takes all steps, and each successor must be among the stored
  states, once, and one level further at most (``seen.py``);
- what violates a property there must be known to the search;
- the code is asked about states that are made up;
- its table is filled, and violations are kept, with contents that are made up (``trials.py``).

Compares machine code with Python in states that are made up, before its answer is believed.

A search samples states that take a rare way (``sampling.py``).  Wrong code that sends a rare state
down a common way leaves nothing to sample, and neither does a wrong value without a branch.  So
each translated function is also asked about states that no search need reach (``made_up.py``), and
Python about the same ones: about all those that take a way for the first few times, since these
lead deeper, and about as many others as time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from random import Random
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.interrupts import Stop
from ...core.layout import State
from ...core.result import Limits
from ...core.spec import (
    DisagreementError,
    EngineError,
    Kind,
    Property,
    TidegateError,
    TransitionSystem,
)
from ..interpreted import Pause, Search
from ..samples import spread
from .comparison import (
    MadeUp,
    compare_level,
    compare_made_up,
    compare_results,
    disagreement,
    disagreement_about,
    verify_symmetry,
)
from .levels import spread_over
from .sampler import TOGETHER, Sample, Sampler, Words
from .sampling import Query
from .seen import Census
from .trials import try_table, try_violations

if TYPE_CHECKING:
    from .search import CompiledSearch


MOST = 20_000
"""The most states to make up."""

FEWER = (1, 63, 64, 100, 128)
"""Numbers of states that are expanded together, after as many as can be."""

OTHERS = 0.5
"""The share of the other made-up states that Python is asked about."""

OF_REACHED, OF_EACH = 0.5, 0.7
"""The shares of the time after which no further state that was reached is asked about, and none
alone; the rest is for several together."""


class Probe(NamedTuple):
    """A state that Python was asked about.

    Attributes
    ----------
    steps
        The successor for each instance that is enabled, by its number.
    failing
        Whether an assertion fails there.
    """

    state: State
    words: Words
    steps: dict[int, Words]
    failing: bool


Answers = dict[State, dict[object, Any]]
"""What Python says of states: of the constraint, each property, and the steps."""


class Probes:
    """Asks machine code and Python about made-up states.

    Parameters
    ----------
    properties
        Those that the machine code judges, in their order there.
    seconds
        How long to ask, in seconds of the processor.
    known
        What Python said to verify the first tier: then the second one is asked about these states,
        and those that were reached since.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
        sampler: Sampler,
        seconds: float,
        known: Answers,
    ) -> None:
        self._known = known
        self._system, self._properties = system, properties
        self._layout = system.layout
        self._sampler, self._seconds = sampler, seconds
        self._judged = [
            (number, prop) for number, prop in enumerate(properties) if prop.kind.is_of_state
        ]
        everything = range(len(system.instances))
        self._attempt_all = system.attempting(everything, watched=False)
        self._attempts = [system.attempting([number], watched=False) for number in everything]
        self._inside_ones: list[State] = []
        self._group: list[Probe] = []
        self._enabling: list[Probe] = []
        self._enabled: set[int] = set()

    def run(self, reached: Sequence[State]) -> list[State]:
        """Ask until the time is up; return the states inside the constraint.

        Raises
        ------
        DisagreementError
            If machine code and Python disagree.
        """
        self._sampler.forget()
        try:
            self._ask_since(thread_time(), reached)
        finally:
            # Also where it is interrupted: these are not samples of the search.
            self._sampler.forget()
        return self._inside_ones

    def _ask_since(self, began: float, reached: Sequence[State]) -> None:
        """Ask about states that were reached, and then about others that are like them."""
        chance = Random(0)
        made = MadeUp(self._layout, reached, chance)
        is_first = not self._known
        # Python may take long for each, so those of all levels come in turn.
        new = [state for state in dict.fromkeys(reached) if state not in self._known]
        Random(1).shuffle(new)
        met = {*self._known, *new}
        until = began + self._seconds * (OF_REACHED if is_first else OF_EACH)
        for state in (*self._known, *new):
            self._ask(state)
            if thread_time() > until:
                break
        until = began + self._seconds * OF_EACH
        for _ in range(MOST if is_first else 0):
            if thread_time() > until:
                break
            state = made.one()
            if state not in met:
                met.add(state)
                if self._takes_a_new_way(state):
                    made.known.append(state)
                    self._ask(state)
                elif chance.random() < OTHERS:
                    self._ask(state)
        self._compare_together(self._group)
        self._compare_everywhere(began + self._seconds)

    def _takes_a_new_way(self, state: State) -> bool:
        """Whether machine code takes a way that few states asked about have taken."""
        held = self._sampler.held
        self._sampler.ask_all(self._layout.pack(state))
        return self._sampler.held > held

    def _ask(self, state: State) -> None:
        """Compare the answers about one state."""
        words = self._layout.pack(state)
        if self._system.constraint is not None:
            inside = self._python(state, "constraint", self._inside)
            if inside is not None and inside != self._sampler.inside(words):
                said = ["outside", "inside"] if inside else ["inside", "outside"]
                self._differ(state, "the constraint", said)
            if not inside:
                return
        self._inside_ones.append(state)
        self._compare_judgment(state, words)
        self._compare_steps(state, words)

    def _inside(self, state: State) -> bool:
        self._layout.load(state)
        return self._system.inside()

    def _python(self, state: State, about: object, ask: Callable[[State], Any]) -> Any:
        """Return what Python says; None if it fails there, which the model need not provide for."""
        answers = self._known.setdefault(state, {})
        if about not in answers:
            answers[about] = None
            with suppress(ArithmeticError, LookupError, TidegateError, TypeError, ValueError):
                answers[about] = ask(state)
        return answers[about]

    def _compare_judgment(self, state: State, words: Words) -> None:
        bits = self._sampler.judgment(words)
        if bits < 0:
            return
        for number, prop in self._judged:
            holds = self._python(state, prop, partial(self._holds, prop))
            holding = (bits >> number & 1) == (prop.kind is Kind.SOMETIMES)
            if holds is not None and holds != holding:
                said = ["violated", "satisfied"] if holds else ["satisfied", "violated"]
                self._differ(state, prop.name, said)

    def _holds(self, prop: Property, state: State) -> bool:
        self._layout.load(state)
        return self._system.satisfies(prop)

    def _compare_steps(self, state: State, words: Words) -> None:
        successors, failed = self._sampler.successors([words])
        machine = {number: after for number, _, after in successors}
        everything = None if failed else self._python(state, "steps", self._all_steps)
        if everything is not None:
            right, failing = everything
            self._compare_assertion(state, failing, 0)
            self._add(Probe(state, words, right, failing))
        else:
            python: dict[int, State] = {}
            for number, attempt in enumerate(self._attempts):
                taken = None if number in failed else self._python(state, number, attempt)
                if taken is None:
                    machine.pop(number, None)
                else:
                    python |= taken
            right = self._packed(python)
        self._compare_one(state, machine, right)

    def _all_steps(self, state: State) -> tuple[dict[int, Words], bool]:
        """Return the steps that Python takes, and whether an assertion fails."""
        return self._packed(self._attempt_all(state)), bool(self._system.failed)

    def _compare_assertion(self, state: State, failing: bool, place: int) -> None:
        """Compare whether an assertion fails in a state, whose steps were taken at that place."""
        if failing != self._sampler.asserted(place):
            said = ["satisfied", "violated"] if failing else ["violated", "satisfied"]
            self._differ(state, "an assertion", said)

    def _packed(self, steps: dict[int, State]) -> dict[int, Words]:
        return {number: self._layout.pack(after) for number, after in steps.items()}

    def _add(self, probe: Probe) -> None:
        """Keep a state in which no step fails, to ask about several together."""
        if not self._enabled.issuperset(probe.steps):
            self._enabled.update(probe.steps)
            self._enabling.append(probe)
        self._group.append(probe)
        if len(self._group) == TOGETHER:
            self._compare_together(self._group)
            self._group = []

    def _compare_everywhere(self, until: float) -> None:
        """Compare each action in all places among states that are expanded together.

        Code that forgets the last state of a word of bits is wrong only if an action is enabled
        there, which can be rare.  So is code that goes on past the last state, where it meets
        the rest of those that it was asked about before.
        """
        for probe in self._enabling:
            if thread_time() > until:
                break
            for count in (TOGETHER, *FEWER):
                self._compare_together([probe] * count)

    def _compare_one(
        self, state: State, machine: dict[int, Words], right: dict[int, Words]
    ) -> None:
        """Compare the steps from one state, by the numbers of their instances."""
        layout = self._layout
        if machine == right:
            return
        number = min(n for n in machine.keys() | right.keys() if machine.get(n) != right.get(n))
        said = [
            f"a step to {layout.describe(layout.unpack(steps[number]))}"
            if number in steps
            else "not enabled"
            for steps in (machine, right)
        ]
        self._differ(state, str(self._system.instances[number].step), said)

    def _compare_together(self, group: Sequence[Probe]) -> None:
        """Compare the steps of several states, taken together."""
        if not group:
            return
        successors, failed = self._sampler.successors([probe.words for probe in group])
        if failed:
            raise disagreement(
                "machine code cannot take steps of several states together that it takes of each"
            )
        machine: list[dict[int, Words]] = [{} for _ in group]
        for number, place, after in successors:
            if place >= len(group) or number in machine[place]:
                raise disagreement("machine code takes a step of no state")
            machine[place][number] = after
        for place, (probe, said) in enumerate(zip(group, machine, strict=True)):
            self._compare_one(probe.state, said, probe.steps)
            self._compare_assertion(probe.state, probe.failing, place)

    def _differ(self, state: State, name: str, said: Sequence[str]) -> None:
        machine, python = said
        where = f"{self._layout.describe(state)}, which was made up"
        raise disagreement_about(name, machine, python, where)


SMALL = 100_000
"""States up to which a search is made again in Python, if the time allows."""

WHOLE, BEGUN = 1.0, 0.03
"""Seconds of the processor for that, and for the first levels of a larger search."""

PATIENCE = 3
"""How many times longer that may take by the clock, on a machine that does other work."""

REACHED = 400
"""States all over the levels of which all steps are compared."""

PROBED = 0.5
"""Seconds for states that are made up."""


PROMISED = 2.0
"""Seconds for the states that take a rare way, and again for others, if a function is declared
symmetric and is not shown to be."""


class Verification:
    """The verification of a search in machine code.

    Parameters
    ----------
    python
        The same search by the interpreted engine, as far as it is: what machine code finds has to
        agree.

    Attributes
    ----------
    is_asking
        Whether it asks the code about states that are made up, or was ended amid that: the samples
        that the code keeps then are not those of the search.
    """

    def __init__(self, search: CompiledSearch, python: Search) -> None:
        self.python = python
        self.is_asking = False
        self._search = search
        self._system = search.system
        self._compared = 0
        self._answers: Answers = {}
        self._promised = PROMISED

    def level_begins(self) -> None:
        """Check that the permutations of some states to be expanded are treated alike."""
        search = self._search
        if search.symmetry:
            [(first, count), *_] = search.frontier
            places = range(first, first + count)
            verify_symmetry(
                search.symmetry, search.properties, search.read, places, search.machine.represent
            )

    def try_promises(self, states: Iterable[Words]) -> None:
        """Check that functions declared symmetric treat permutations of some states alike.

        Such a function that tells replicas apart where few states get passes for symmetric in
        others, so those that take a rare way are tried.
        """
        symmetry, system = self._search.symmetry, self._system
        if not (symmetry and symmetry.promised):
            return
        began = thread_time()
        for words in dict.fromkeys(states):
            if thread_time() - began > self._promised:
                break
            state = system.layout.unpack(words)
            system.layout.load(state)
            if system.inside():
                symmetry.verify(state, self._search.properties)
        self._promised = max(self._promised - (thread_time() - began), 0)

    @property
    def compares_next(self) -> int | None:
        """How many levels there have to be for the next comparison of all; None for none."""
        levels = self.python.finished
        return levels if self._compared < levels else None

    def level_ended(self) -> None:
        """Compare a complete level with Python's; on Python's last one, verdicts and counts too."""
        number = len(self._search.levels) - 1
        if number < self.python.finished:
            compare_level(self.python, number, self._search)
            self._compared = number + 1
            if self._compared == self.python.finished:
                torn = number - 1 if self.python.torn else None
                compare_results(self.python, self._search, torn)

    def end(self) -> None:
        """Verify a search that has ended.

        If Python has found all of it again, the answer no longer depends on the code, unless steps
        are still to be listed by it.
        """
        search = self._search
        try:
            with self._unwatched():
                self._promised = PROMISED
                self.try_promises(self._system.layout.pack(state) for _, state in self._some())
                self._count()
                is_whole = self._confirm()
            if not is_whole or any(prop.kind.needs_graph for prop in search.properties):
                self.code()
        except DisagreementError as error:
            if not search.request.resources.resume:
                raise
            # Another search has left these states, and they may have changed since.
            raise EngineError(str(error)) from None

    def code(self) -> None:
        """Verify the code that the search is using, unless that was done before."""
        search = self._search
        if search.tiers.verified():
            return
        self.is_asking = True
        machine, properties = search.machine, search.comparison.properties
        with self._unwatched(), self._system.asked_aside():
            probes = Probes(self._system, properties, machine.sampler, PROBED, self._answers)
            # Where the constraint excludes every initial state, there are none but these.
            reached = [state for _, state in self._some()] or list(self._system.initial_states())
            inside = probes.run(reached)
        if search.symmetry:
            states = compare_made_up(search.symmetry, inside, machine.represent, PROBED)
        else:
            states = [self._system.layout.pack(state) for state in inside]
        states = list(dict.fromkeys(states))
        try_table(machine, states, len(search.properties))
        try_violations(machine, states, len(search.properties))
        search.tiers.note_verified()
        self.is_asking = False

    @contextmanager
    def _unwatched(self) -> Iterator[None]:
        """Take steps without watching actions, as machine code does."""
        debug, self._system.debug = self._system.debug, False
        try:
            yield
        finally:
            self._system.debug = debug

    def _some(self) -> Iterator[tuple[int, State]]:
        """Yield states all over the levels, each with the number of its level."""
        search = self._search
        for number in spread(range(len(search.levels)), REACHED):
            level = search.levels[number]
            for place in spread_over([level], max(REACHED // len(search.levels), 1)):
                yield from ((number, state) for state in search.read(place, 1))

    def _confirm(self) -> bool:
        """Go on with the search in Python, and compare the levels that it finishes.

        Returns
        -------
        bool
            Whether those are all: Python goes on beyond the first ones if it will soon be through.
        """
        search, python = self._search, self.python
        is_small = search.distinct_states <= SMALL
        python.request = replace(
            python.request,
            limits=Limits(seconds=PATIENCE * WHOLE if is_small else BEGUN),
            started=perf_counter(),
            report=lambda progress: None,
        )
        known, began = len(python.seen), thread_time()
        has_ended = python.run(Pause(states=0, seconds=BEGUN, per_level=0.0, long=BEGUN))
        if not has_ended and is_small:
            pace = (thread_time() - began) / max(len(python.seen) - known, 1)
            if pace * (search.distinct_states - known) <= WHOLE:
                has_ended = python.run()
        if python.stopped_by and python.stopped_by.by is Stop.INTERRUPT:
            search.stopped_by = python.stopped_by
        is_whole = has_ended and not python.stopped_by
        # The last level of a search that was stopped is not finished.
        finished = python.finished - (1 if python.stopped_by else 0)
        if finished > len(search.levels) or (finished < len(search.levels) and is_whole):
            self._wrong(f"finds {len(search.levels)} levels, and Python {finished}")
        for number in range(self._compared, finished):
            compare_level(python, number, search)
        compare_results(python, search, None if is_whole else finished - 2)
        return is_whole

    def _count(self) -> None:
        """Look for some states and their successors among all that are stored."""
        search = self._search
        counts = [sum(count for _, count in level) for level in search.levels]
        if 0 in counts:
            self._wrong(f"finds no state in level {counts.index(0)}, and goes on")
        stored = sum(counts)
        if stored != search.distinct_states:
            self._wrong(f"stores {stored} states and counts {search.distinct_states}")
        sought: dict[State, int] = {}
        # After a violation, the last level is not expanded.
        last = len(search.levels) - (0 if search.request.goes_on(search.violations) else 1)
        for level, state in self._some():
            sought[state] = min(level, sought.get(state, level))
            if level < last:
                for successor in self._successors(state):
                    sought[successor] = min(level + 1, sought.get(successor, level + 1))
        self._look_for(sought)

    def _successors(self, state: State) -> Iterator[State]:
        """Yield the successors of a state that the search should have stored."""
        search, system = self._search, self._system
        after = system.attempt(range(len(system.instances)), state).values()
        violated = {
            Kind.DEADLOCK: not after and not system.failed,
            Kind.ASSERTION: bool(system.failed),
        }
        for prop in search.properties:
            if violated.get(prop.kind) and prop.name not in search.violations:
                self._wrong(f"does not find {prop.name} violated")
        for successor in filter(system.admits, after):
            yield search.symmetry.canonical(successor) if search.symmetry else successor

    def _look_for(self, sought: dict[State, int]) -> None:
        """Look for states, each of which has to be stored once, in that level or before."""
        search, layout, machine = self._search, self._system.layout, self._search.machine
        with Census(machine.code, layout, list(sought)) as census:
            for number, level in enumerate(search.levels):
                for some in search.pieces(level) if level else ():
                    for first, count in some:
                        place = machine.ahead.address + first * machine.state_bytes
                        census.take(place, count, number)
            for (state, most), (times, last) in zip(sought.items(), census.found(), strict=True):
                if times != 1 or last > most:
                    where = f", in level {last}" if times else ""
                    self._wrong(
                        f"stores the state {layout.describe(state)} {times} times{where}; it is "
                        f"at most {most} steps from the start"
                    )

    def _wrong(self, what: str) -> None:
        raise disagreement(f"machine code {what}")


def refuse_forgotten(
    samples: Iterable[Sample], properties: Sequence[Property], violations: Collection[str]
) -> None:
    """Check that what samples violate, or reach, is among the violations that a search has found.

    Raises
    ------
    DisagreementError
        If it is not.
    """
    for sample in samples:
        if sample.query is Query.PROPERTY:
            prop = properties[sample.number]
            is_found = bool(sample.answer) == (prop.kind is Kind.SOMETIMES)
            if is_found and prop.kind.is_of_state and prop.name not in violations:
                raise disagreement(
                    f"machine code finds {prop.name} {prop.verb} in a state, and forgets it"
                )

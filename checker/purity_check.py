"""Tries the functions that are declared pure: what reaches them is evaluated again and compared.

While the interpreted engine searches, each attempt of an action and each predicate is evaluated
twice, and samples of its states once more later: at the end of levels, at the end of the search,
and until a clock that moves once in a second has moved.  At the end states of every level are
evaluated again in other processes, in which hashes have another order.

An attempt that is repeated takes twice as long as one that is not.  To repeat only those that take
a new way through the code would cost more: to see the way, Python 3.11 has to trace lines, and then
an attempt takes 6 to 7 times as long, as measured with Paxos, Raft, two-phase commit and mutual
exclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from time import perf_counter
from typing import Any

from ..core.errors import ImpureError, TidegateError, shown
from ..core.fault_location import did_otherwise, impure, nondeterministic, predicate_of
from ..core.layout import State
from ..core.result import Declared, Load, Tried
from ..core.spec import ModelError, Property, TransitionSystem
from .liveness.formulas import with_premises
from .reevaluation import (
    CONSTRAINT,
    Answers,
    Difference,
    Elsewhere,
    Job,
    answers,
    differing,
    identity,
    initial,
)
from .samples import spread

_PER_LEVEL = 4
"""States of a level that are recorded, and evaluated again at the end of later levels."""

_MOST_RECORDED = 256
_KEPT = 16
"""Of the first states that were recorded none is forgotten."""

_PAUSE = 0.3
"""Seconds between two evaluations of the records; a clock of seconds does not move twice in it."""

_SHARE = 0.1
"""And between two of a long search this share of the time."""

_SPAN = 1.1
"""Seconds from the first evaluation to the last: a clock of seconds moves in them."""

_FEWEST, _CANDIDATES = 24, 4096
"""How many states are evaluated in other processes, and from how many they are chosen."""

_SECONDS = 0.25
"""For one evaluation of the records, and for that of the states for other processes."""


class Trial:
    """The trial of the functions declared pure in one search.

    Parameters
    ----------
    load
        Makes the system in another process; None where that cannot be done.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
        load: Load | None,
    ) -> None:
        self._system, self._properties, self._load = system, properties, load
        self._chance = Random(0)
        self._records: dict[State, Answers] = {}
        self._initial: frozenset[State] | None = None
        self._began = self._retried = 0.0
        self._odd = 1

    @property
    def declared(self) -> tuple[Declared, ...]:
        """The functions declared pure that the model reaches."""
        alone = set(self._system.by_python_alone.values())
        return tuple(
            Declared(one.function, shown(one.line), one.reason, one in alone)
            for one in self._system.declared_pure
        )

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        """Yield the enabled steps of a state as the system does; then take all of them again.

        Raises
        ------
        ModelError
            If an attempt has another result.
        """
        first = []
        for step in self._system.successors(state):
            first.append(step)
            yield step
        again = list(self._system.successors(state, watched=False))
        if again != first:
            instance = differing(dict(first), dict(again))
            raise self._error(Difference("again", instance))

    def level_ended(self, level: Sequence[State]) -> None:
        """Record samples of a level, and evaluate those of earlier levels again now and then."""
        samples = list(spread(level, _PER_LEVEL))
        if not self._began:
            self._began = self._retried = perf_counter()
            self._initial = initial(self._system)
            self._retry()
            # An initial state outside the constraint is on no level.
            samples += islice(self._initial or (), _PER_LEVEL)
        for state in samples:
            self._records.setdefault(state, self._answers(state))
        if len(self._records) > _MOST_RECORDED:
            pairs = list(self._records.items())
            self._records = dict(pairs[:_KEPT] + pairs[_KEPT::2])
        now = perf_counter()
        if now - self._retried >= max(_PAUSE, _SHARE * (now - self._began)):
            self._retry()

    def end(self, some: Callable[[int], list[State]]) -> Tried:
        """Evaluate states again, here and in other processes, and compare.

        Parameters
        ----------
        some
            Returns states that were found, of every level, about as many as it is asked for.

        Raises
        ------
        ModelError
            If an action, a predicate, the constraint or the initial states are not the same.
        """
        self.level_ended(())
        system = self._system
        expected = self._expected([*self._records, *some(_CANDIDATES), *self._walked()])
        job = Job(self._load, identity(system), self._initial, expected, system.unproven)
        with Elsewhere(job) as elsewhere:
            while True:
                if perf_counter() - self._retried >= _PAUSE:
                    self._retry()
                difference = elsewhere.wait(_PAUSE / 2)
                if difference is not None:
                    raise self._error(difference)
                if elsewhere.ended and perf_counter() - self._began >= _SPAN:
                    break
        self._retry()
        number = elsewhere.answered
        return Tried(self.declared, len(expected) * bool(number), number, elsewhere.why_not)

    def doubted(self, error: TidegateError) -> ModelError:
        """Return the error of a search that Python does not confirm: a declaration is wrong."""
        named = ", ".join(f"{one.function} ({one.place})" for one in self.declared)
        doubt = ModelError(
            f"{Exception.__str__(error)}; the model reaches {named}, declared pure: what a "
            "declared function returns may depend on its arguments only"
        )
        doubt.place = error.place
        return doubt

    def _answers(self, state: State) -> Answers:
        """Return what the model says in a state that was evaluated before without an error."""
        try:
            return answers(self._system, self._properties, state)
        except ImpureError:
            raise
        except ModelError as error:
            text = Exception.__str__(error)
            raise self._error(Difference("again later", None, text, error.place)) from error

    def _retry(self) -> None:
        """Evaluate the records again, as many as there is time for, and compare."""
        began = self._retried = perf_counter()
        if self._initial is not None:
            # What counts its calls has counted another number of them when it begins again.
            for _ in islice(self._system.initial_states(), self._odd):
                pass
            self._odd += 2
            if initial(self._system) != self._initial:
                raise self._error(Difference("again later"))
        records = list(self._records.items())
        self._chance.shuffle(records)
        for state, before in records:
            self._compare(before, self._answers(state))
            if perf_counter() - began >= _SECONDS:
                break

    def _compare(self, before: Answers, after: Answers) -> None:
        key = differing(before, after)
        if key is not None:
            raise self._error(Difference("again later", key))

    def _expected(self, states: Iterable[State]) -> list[tuple[State, Answers]]:
        """Return what the model says in a choice of states, in about constant time.

        States come first that are recorded.
        """
        candidates = list(dict.fromkeys(states))
        ordered = candidates[: len(self._records)]
        rest = candidates[len(ordered) :]
        self._chance.shuffle(rest)
        expected: list[tuple[State, Answers]] = []
        began = perf_counter()
        for state in (*ordered, *rest):
            if len(expected) >= _FEWEST and perf_counter() - began >= _SECONDS:
                break
            said = self._answers(state)
            before = self._records.setdefault(state, said) if len(expected) < _KEPT else said
            self._compare(before, said)
            expected.append((state, said))
        return expected

    def _walked(self) -> list[State]:
        """Return states that random walks meet, but for those in which the model fails.

        A search that ended with its first states has no others to evaluate.
        """
        starts, states = list(islice(self._system.initial_states(), _KEPT)), []
        for _ in range(_KEPT):
            state = self._chance.choice(starts)
            for _ in range(_KEPT):
                try:
                    said = answers(self._system, self._properties, state)
                except ImpureError:
                    raise
                except ModelError:
                    break
                states.append(state)
                successors: list[Any] = [said[key] for key in said if isinstance(key, int)]
                if not successors:
                    break
                state = self._chance.choice(successors)
        return states

    def _error(self, difference: Difference) -> ImpureError:
        """Return the error for a difference, at the function whose answer differs."""
        system, key, again = self._system, difference.key, difference.again
        system.layout.reset()
        if isinstance(key, int):
            instance = system.instances[key]
            return did_otherwise(instance.action.apply, instance.step, again)
        functions = {predicate_of(p): p.predicate for p in with_premises(self._properties)}
        if system.constraint is not None:
            functions[CONSTRAINT] = system.constraint
        if key in functions:
            return nondeterministic(functions[key], key, again)
        if difference.text:
            error = ImpureError(f"{difference.text}, only when it was called {again}")
            error.place = difference.place
            return error
        what = difference.what or "initialise wrote other initial states"
        return impure(
            system.initialise,
            f"{what} when it was called {again}; a model may depend on the bounds only",
        )

"""What a model says of its states: explanations, pictures, sentences.

That is the model's code, and it may fail.  A verdict does not depend on it, so nothing here fails
with it: something plainer takes the place of what is missing, and the failure is noted, with its
line, to be shown beside it.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from .errors import about, failure, misfit, one_line, place_of, printable
from .fault_location import as_witness
from .layout import Layout, State
from .origins import is_users
from .scene import Event, LogOffset, Participant, Scene, View
from .text import Unfinished, patience
from .vocabulary import Kind, Property, Step

S = TypeVar("S")
K = TypeVar("K")
T = TypeVar("T")

STATE = "state"
"""The only participant of a picture that is made without the model's help."""

LOG = (
    "[m0 (e0) | m1 (e1)] is a log: records left of the bar | are below the high watermark (HW); "
    "] is the log end."
)
"""How to read a log in a table."""


class Undrawn(Scene):
    """A picture of a state's variables, because there is no view or it failed."""


class Telling(Generic[S, K]):
    """How a transition system shows its states and steps, whatever the model's code does."""

    name: str
    headline: str
    legend: str
    constants: K
    layout: Layout[S]
    record: S
    view: View | None

    def __init__(self) -> None:
        self._failed: list[str] = []

    @property
    def heading(self) -> str:
        """The name of the system, and the bounds that reports name, if it has any."""
        return ", ".join(filter(None, (self.name, self.headline)))

    @contextmanager
    def noting(self) -> Iterator[list[str]]:
        """Collect what fails while something is shown: a sentence each, with its line."""
        before, self._failed = self._failed, []
        try:
            yield self._failed
        finally:
            self._failed = before

    def explain(self, prop: Property, state: State) -> str:
        """Say in words how `state` violates `prop`; empty where its witness function finds none.

        If the explanation fails, it is how it failed.
        """
        self.layout.load(state)
        if prop.kind is Kind.TYPE:
            return "; ".join(self.layout.range_errors())

        def explained() -> Any:
            witness = self._witness(prop)
            return "" if witness is None else prop.explain(self.record, self.constants, *witness)

        who = f"explain() of property {prop.name}"
        text, failed = self._called(who, explained, str, prop.explain)
        return printable(text) if text is not None else f"{failed}."

    def places(self, prop: Property, state: State) -> tuple[LogOffset, ...]:
        """Return the offsets of logs at which `state` violates `prop`; none if they fail."""
        self.layout.load(state)

        def places() -> Any:
            witness = self._witness(prop)
            return () if witness is None else prop.places(self.record, self.constants, *witness)

        who = f"places() of property {prop.name}"
        answer, failed = self._called(who, places, tuple[LogOffset, ...], prop.places)
        self._note(failed)
        return tuple(answer or ())

    def _witness(self, prop: Property) -> tuple[int, ...] | None:
        """Return the witness that ``record`` violates `prop`; () for one with a predicate."""
        if prop.witness is None:
            return ()
        answer = prop.witness(self.record, self.constants)
        return as_witness(answer, "the witness", prop.witness)

    def scenes(self, states: Sequence[State]) -> list[Scene]:
        """Return states as pictures, made from their variables if the system has no view.

        If the view fails in one of them, or other participants appear, all are made so.
        """
        view = self.view
        if view is None:
            return self._plain_scenes(states)
        scenes: list[Scene] = []
        for state in states:
            self.layout.load(state)
            who = f"The view of {self.name}"
            scene, failed = self._called(
                who, lambda: view.scene(self.record, self.constants), Scene, view.scene
            )
            if scene is not None and (wrong := _unlike(scene, scenes)):
                failed = str(about(view.scene, f"{who} {wrong}"))
            if failed or scene is None:
                self._note(failed)
                return self._plain_scenes(states)
            scenes.append(scene)
        return scenes

    def _plain_scenes(self, states: Sequence[State]) -> list[Scene]:
        """Return states as pictures that the model has no part in: a line for each variable."""
        made: list[Scene] = []
        for state in states:
            described = self.layout.describe(state)
            lines = tuple(printable(f"{name} {value}") for name, value in described.items())
            made.append(Undrawn((Participant(STATE, details=lines),)))
        return made

    def event(self, step: Step, before: Scene, after: Scene) -> Event:
        """Return what happens in a step, as the view says it."""
        plain, view = Event("", f"{step}."), self.view
        if view is None or isinstance(after, Undrawn):
            return plain
        arguments = dict(zip(step.parameters, step.arguments, strict=True))

        def said() -> Event:
            try:
                return view.event(step.action, arguments, before, after)
            except (LookupError, StopIteration, ValueError) as error:
                place = place_of(error)
                if place is not None and is_users(place[0]):
                    raise
                # An action that lacks a guard may do something for which a family has no sentence.
                return plain

        event, failed = self._called(f"The view of {self.name}", said, Event, view.event)
        if event is not None and (wrong := _strangers(event, after)):
            event, failed = None, str(about(view.event, f"The view of {self.name} {wrong}"))
        self._note(failed)
        return plain if event is None else event

    def legends(self, scenes: Sequence[Scene]) -> tuple[str, ...]:
        """Return how to read the display of states, a sentence each."""
        own, view = (self.legend,) if self.legend else (), self.view
        if view is None or isinstance(scenes[0], Undrawn):
            return own if view is None else ()
        answer, failed = self._called(
            f"The view of {self.name}", lambda: view.legend(scenes), tuple[str, ...], view.legend
        )
        self._note(failed)
        return (*(answer or ()), *own)

    def table_legend(self, scenes: Sequence[Scene]) -> str:
        """Return how to read the columns of pictures; empty if there is nothing to say."""
        has_log = any(who.log is not None for who in scenes[0].participants)
        return " ".join(filter(None, [LOG * has_log, *self.legends(scenes)]))

    def _called(
        self, who: str, call: Callable[[], Any], kind: Any, function: object
    ) -> tuple[Any, str]:
        """Return what a function of the model says, or None and how it failed.

        Parameters
        ----------
        who
            The function, for the text.
        kind
            The type of what it must return.
        function
            What is at fault if it returns something else.
        """
        try:
            with patience(function):
                answer = call()
            wrong = misfit(answer, kind)
        except KeyboardInterrupt as error:
            if not _is_of_model(error):
                raise
            return None, one_line(str(failure(who, error)))
        except Unfinished as error:
            return None, one_line(f"{who}: {error}")
        except BaseException as error:  # noqa: BLE001 - the model may raise anything
            return None, one_line(str(failure(who, error)))
        finally:
            self._mend()
        if not wrong:
            return answer, ""
        text = f"{who} returned {wrong}"
        return None, one_line(str(about(function, text) if callable(function) else text))

    def _mend(self) -> None:
        """Put the declared parts back if a function that shows states replaced one."""
        try:
            intact = self.layout.intact()
        except AttributeError:
            intact = False
        if not intact:
            self.layout.reset()

    def _note(self, failed: str) -> None:
        if failed and failed not in self._failed:
            self._failed.append(failed)


def _is_of_model(error: KeyboardInterrupt) -> bool:
    """Whether the model itself raised an interrupt, where a signal raises another one."""
    handled = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    return handled and type(error) is KeyboardInterrupt


def _unlike(scene: Scene, earlier: Sequence[Scene]) -> str:
    """Say how a picture cannot stand beside earlier ones; empty if it can."""
    names = [who.name for who in scene.participants]
    if not names or len(set(names)) < len(names):
        return f"returned a picture of the participants {names}; each needs a name of its own"
    if earlier and names != (first := [who.name for who in earlier[0].participants]):
        return f"returned a picture of the participants {names} after one of {first}"
    ends = {end for message in scene.messages for end in (message.sender, message.receiver)}
    return _unknown([*ends, *(promise.holder for promise in scene.promises)], names)


def _strangers(event: Event, scene: Scene) -> str:
    """Say which participants of an event are in no picture; empty if all are."""
    named = [event.actor] if event.actor else []
    named += [end for exchange in event.exchange for end in exchange[:2]]
    return _unknown(named, [who.name for who in scene.participants])


def _unknown(named: Sequence[str], known: Sequence[str]) -> str:
    strangers = sorted(set(named) - set(known))
    return f"names {strangers[0]!r}, which is not a participant" if strangers else ""

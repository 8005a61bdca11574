"""Variables and actions that a protocol adds to its family's: how traces show them.

A family draws what it declares.  What a custom protocol adds is shown beside that: an array that is
declared ``by`` a kind of participant in the lanes of those participants, the rest in its own lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..core.fields import Array, declared_parts
from ..core.scene import Detail, Event, Participant, Scene, View, about
from ..core.spec import Action
from ..core.text import shown_part
from .custom.view import SHARED, first_sentence, lines
from .protocol import Protocol


@dataclass(frozen=True)
class WithAdded(Scene):
    """A picture with what the protocol adds; ``plain`` is the family's picture alone."""

    plain: Scene | None = None


@dataclass(frozen=True)
class Added:
    """What a protocol adds.

    Parameters
    ----------
    state
        The declaration of its state.
    names
        The variables that its family does not declare.
    actions
        The actions that its family does not know, or knows otherwise, by name.
    """

    state: type
    names: tuple[str, ...]
    actions: Mapping[str, Action]

    def view(self, view: View) -> View:
        """Return the view of a family with the additions."""

        def scene(s: Any, k: Any) -> Scene:
            plain = view.scene(s, k)
            lanes = self._lanes(s, [who.name for who in plain.participants])
            shared = (Participant(SHARED),) if SHARED in lanes else ()
            participants = tuple(
                replace(who, details=(*who.details, *lanes.get(who.name, ())))
                for who in (*plain.participants, *shared)
            )
            return WithAdded(participants, plain.messages, plain.promises, plain)

        def event(name: str, arguments: Mapping[str, int], before: Scene, after: Scene) -> Event:
            if name in self.actions:
                shown = self._event(name, arguments, before, after)
            else:
                shown = view.event(name, arguments, _plain(before), _plain(after))
            changed = self._changed(before, after)
            return replace(shown, sentence=f"{shown.sentence} {changed}") if changed else shown

        def legend(scenes: Sequence[Scene]) -> tuple[str, ...]:
            return view.legend([_plain(one) for one in scenes])

        return View(scene, event, legend)

    def _lanes(self, s: Any, lanes: Sequence[str]) -> dict[str, list[Detail]]:
        """Return the lines of each lane that has some, in one of these lanes or the shared one."""
        shown: dict[str, list[Detail]] = {}
        parts = declared_parts(self.state)
        for name in self.names:
            node, part = getattr(s, name), parts[name]
            if isinstance(part, Array) and f"{part.by} 0" in lanes:
                for number, inner in enumerate(node):
                    lane = shown.setdefault(f"{part.by} {number}", [])
                    lane += lines(name, shown_part(inner, part.element))
            else:
                shown.setdefault(SHARED, []).extend(lines(name, shown_part(node, part)))
        return shown

    def _event(self, name: str, arguments: Mapping[str, int], before: Scene, after: Scene) -> Event:
        """Return what a step of an added action is: the first sentence of its docstring.

        Without one it is its name, with what has changed.
        """
        action = self.actions[name]
        chosen = ", ".join(f"{each} {value}" for each, value in arguments.items())
        known = {who.name for who in after.participants}
        actors = (f"{each} {value}" for each, value in arguments.items())
        actor = next((each for each in actors if each in known), "")
        with_arguments = f" ({chosen})" if chosen else ""
        if sentence := first_sentence(action.apply):
            return Event(actor, f"{sentence}{with_arguments}.")
        parts = zip(_plain(before).participants, _plain(after).participants, strict=True)
        changed = "; ".join(_pictured(who) for was, who in parts if was != who)
        what = changed and f": {changed}"
        return Event(actor, f"{name}{with_arguments}{what}.")

    def _changed(self, before: Scene, after: Scene) -> str:
        """Return a sentence about the added variables that a step changes."""
        changed = [
            line if who.name == SHARED else f"{line} at {who.name}"
            for was, who in zip(before.participants, after.participants, strict=True)
            for line in who.details
            if line not in was.details and about(line) in self.names
        ]
        return f"Now {'; '.join(changed)}." if changed else ""


def added(protocol: Protocol) -> Added | None:
    """Return what a protocol adds to the state and the actions of its model, if it adds any.

    An action that is replaced is another one, but a mutant of an action is not.
    """
    theirs, state = (
        declared_parts(protocol.model.declaration),
        protocol.state or protocol.model.declaration,
    )
    names = tuple(name for name in declared_parts(state) if name not in theirs)
    declared = {_declared(action) for action in protocol.model.actions}
    actions = {one.name: one for one in protocol.actions if _declared(one) not in declared}
    return Added(state, names, actions) if names or actions else None


def _declared(action: Action) -> tuple[str, str, str]:
    """Return what an action and its mutants have in common: name, module and function."""
    return action.name, action.apply.__module__, action.apply.__qualname__


def _pictured(who: Participant) -> str:
    """Return a participant in a line."""
    is_ = [who.name, "is" if who.role else "", who.role, str(who.log or ""), *who.details]
    return " ".join(filter(None, is_))


def _plain(scene: Scene) -> Scene:
    """Return the family's picture in one with additions."""
    return scene.plain or scene if isinstance(scene, WithAdded) else scene

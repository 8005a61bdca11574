"""How a custom model without a view is shown: a lane for each participant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...core.fields import Array, declared_parts
from ...core.scene import Detail, Event, Participant, Scene
from ...core.text import named, shown_part

SHARED = "shared"
"""The lane of what belongs to no participant."""


@dataclass(frozen=True)
class Sentence:
    """How the steps of an action are put into words.

    Parameters
    ----------
    text
        What it does, without a full stop.
    who, parameter
        The kind of participant that acts, and the parameter that numbers it; empty for none.
    sign
        What makes its steps stand out, if anything does.
    numbers
        The parameters that say something to people: indices do not.
    """

    text: str
    who: str = ""
    parameter: str = ""
    sign: str = ""
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lanes:
    """Lanes that are derived from the declaration of a state.

    Parameters
    ----------
    state
        The declaration; an array that it declares ``by`` a kind of participant is shown in the
        lanes of those participants.
    participants
        How many there are of each kind.
    sentences
        How the steps of each action are put into words.
    own
        What a model has instead, ``own(s, k)``: a heading and a text for each lane.
    """

    state: type
    participants: Mapping[str, Callable[[Any], int]]
    sentences: Mapping[str, Sentence]
    own: Callable[[Any, Any], Mapping[str, str]] | None = None

    def scene(self, s: Any, k: Any) -> Scene:
        """Return the picture of a state."""
        lanes = self._lanes(s, k).items()
        return Scene(tuple(Participant(name, details=tuple(lines)) for name, lines in lanes))

    def event(
        self, action: str, arguments: Mapping[str, int], before: Scene, after: Scene
    ) -> Event:
        """Return what a step is: what its action does, and with which arguments."""
        said = self.sentences.get(action, Sentence(action))
        known = [who.name for who in after.participants]
        numbered = f"{said.who} {arguments[said.parameter]}" if said.parameter else said.who
        actor = next((one for one in (numbered, said.who, SHARED) if one in known), "")
        chosen = ", ".join(
            f"{name} {named(value)}" for name, value in arguments.items() if name in said.numbers
        )
        sentence = f"{said.text} ({chosen})." if chosen else f"{said.text}."
        return Event(actor, sentence, said.sign)

    def _lanes(self, s: Any, k: Any) -> dict[str, list[Detail]]:
        if self.own is not None:
            return {
                name: [Detail(line, about=str(number)) for number, line in enumerate(lines)]
                for name, text in self.own(s, k).items()
                for lines in [text.split("\n")]
            }
        lanes: dict[str, list[Detail]] = {
            f"{kind} {number}": []
            for kind, count in self.participants.items()
            for number in range(count(k))
        }
        # Whoever else acts has a lane for what happens there.
        others = dict.fromkeys(said.who for said in self.sentences.values())
        lanes |= {who: [] for who in others if who and who not in self.participants}
        shared: list[Detail] = []
        for name, part in declared_parts(self.state).items():
            node = getattr(s, name)
            if isinstance(part, Array) and part.by in self.participants:
                for number, inner in enumerate(node):
                    lane = lanes.setdefault(f"{part.by} {number}", [])
                    lane += lines(name, shown_part(inner, part.element), lane=True)
            else:
                shared += lines(name, shown_part(node, part))
        if shared or not any(lanes.values()):
            lanes[SHARED] = shared
        return lanes


def lines(name: str, value: object, lane: bool = False) -> Iterator[Detail]:
    """Yield a line for each variable; those of a record that fills a lane go by their own names."""
    if lane and isinstance(value, dict):
        for inner, part in value.items():
            yield from lines(str(inner), part)
    else:
        yield Detail.of(name, value)


def first_sentence(function: Callable[..., Any]) -> str:
    """Return the first sentence of a docstring, without its full stop."""
    text = " ".join(inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0].split())
    return text.partition(". ")[0].removesuffix(".")

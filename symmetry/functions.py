"""What the functions of a model do, each with some arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from ..core.errors import shown
from ..language.form import Function
from .flow import Effects
from .places import Places
from .relations import Relation


@dataclass(frozen=True)
class Summary:
    """What a function does with some arguments.

    Parameters
    ----------
    result
        What it returns; None if it never does.
    """

    result: Relation | None
    effects: Effects


def line_of(function: Function, line: int) -> str:
    """Return the name of a function, with its file and a line."""
    return f"{function.name}, {shown((function.file, line))}"


class Functions(ABC):
    """Follows functions, each once for each kind of arguments.

    Attributes
    ----------
    steps
        How many expressions were followed.
    depth
        How many loops there are around the expression that it follows now.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self.steps = self.depth = 0

    @abstractmethod
    def summary(
        self, function: Function, arguments: tuple[Relation, ...], called_from: str = ""
    ) -> Summary:
        """Return what a function does with some arguments.

        Parameters
        ----------
        called_from
            The function and the line of the call.

        Raises
        ------
        NotShownError
            If it is not shown to treat participants alike.
        """

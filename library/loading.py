"""How another process finds the system that this one searches: by names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ..checker.families import decided_one_by_one
from ..core.imports import PREFIX
from ..core.origins import is_users
from ..core.spec import Property, TransitionSystem
from ..model.custom.model import Model
from ..model.protocol import Protocol
from .selection import assemble


@dataclass(frozen=True)
class Named:
    """A system by names, as on the command line; a call makes it, in whichever process.

    Parameters
    ----------
    protocol, settings, properties
        The names of a protocol and of properties, and bounds.
    """

    protocol: str
    settings: tuple[str, ...]
    properties: tuple[str, ...]

    def __call__(self) -> tuple[TransitionSystem[Any, Any], list[Property]]:
        """Return the system and the properties."""
        system, properties = assemble(self.protocol, self.settings, self.properties or ("none",))
        return system, decided_one_by_one(system, properties)


def named(
    model: Model[Any, Any] | Protocol | str,
    settings: Sequence[str],
    properties: Sequence[Property],
) -> Named | None:
    """Return the names of a system; None where no other process can find it by names.

    A model that is an object is found by its module, unless that is the running script or none.
    """
    name = model if isinstance(model, str) else _name_of(model)
    if name is None:
        return None
    return Named(name, tuple(settings), tuple(prop.name for prop in properties))


def _name_of(model: object) -> str | None:
    """Return the name of a model as that of a variable of a module."""
    # A module comes after those that import the model from it.
    for name, module in reversed(list(sys.modules.items())):
        if name == "__main__" or not isinstance(module, ModuleType):
            continue
        variable = next((key for key, value in vars(module).items() if value is model), None)
        if variable is not None and module.__file__ and is_users(module.__file__):
            by_path = name.startswith(PREFIX)
            return f"{module.__file__ if by_path else name}:{variable}"
    return None

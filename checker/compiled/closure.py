"""What the translation of a search depends on, as one hash: equal hash, equal machine code.

Translating takes a tenth of a second, which is most of the time until a small search begins.  So
what came of it is kept, under a hash of everything that went in: the translator itself, the layout
of the state, the constants, and the functions of the model with all that they can reach by a name.
What this module does not understand has no hash, and is translated anew each time.
"""

from __future__ import annotations

import builtins
import dataclasses
import hashlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from ...layout import Layout, Record
from ...spec import Property, TransitionSystem
from ...symmetry import Symmetry

PLAIN = (bool, int, float, str, bytes, type(None), type(Ellipsis), range, slice)
"""What says all about itself when it is printed."""


class NotUnderstoodError(Exception):
    """Something was reached of which it is not known what may depend on it."""


def closure_hash(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    exact: bool,
    symmetry: Symmetry | None,
) -> str | None:
    """Return the hash of all that a search's translation is made of; None if that is not known."""
    closure = Closure()
    try:
        closure.plain(sys.version, _translator(), exact, symmetry and symmetry.group)
        closure.layout(system.layout)
        for instance in system.instances:
            closure.value(instance.action.apply)
            closure.value(instance.arguments)
        closure.value(system.constraint)
        for prop in properties:
            closure.plain(prop.kind.name)
            closure.value(prop.predicate)
        closure.value(system.constants)
    except (NotUnderstoodError, OSError):
        return None
    return closure.hexdigest()


def _translator() -> str:
    """Return the hash of the source that translates: this package, and what lies at the root."""
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), *sorted(here.parents[1].glob("*.py"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


class Closure:
    """A hash that values are added to, each with everything that can be reached from it."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._met: dict[int, int] = {}
        self._kept: list[object] = []
        self._files: set[str] = set()

    def hexdigest(self) -> str:
        """Return the hash of what was added so far."""
        return self._hash.hexdigest()

    def plain(self, *values: object) -> None:
        """Add values that say all about themselves when they are printed."""
        self._hash.update(f"{values!r}\n".encode())

    def layout(self, layout: Layout[Any]) -> None:
        """Add where the variables of a state are, and what they can be."""
        for variable in layout.variables:
            fields = dataclasses.fields(variable)
            self.plain(*(getattr(variable, f.name) for f in fields if f.name != "field"))
        self._type(type(layout.record))

    def value(self, value: Any) -> None:
        """Add any value.

        Raises
        ------
        NotUnderstoodError
            If there is something in it that is not known.
        """
        if type(value) in PLAIN:
            self.plain(type(value).__name__, value)
        elif id(value) in self._met:
            self.plain("met before", self._met[id(value)])
        else:
            self._met[id(value)] = len(self._met)
            # What is known by its address must stay where it is.
            self._kept.append(value)
            self._compound(value)

    def _compound(self, value: Any) -> None:
        self.plain(type(value).__qualname__)
        if isinstance(value, Enum):
            self.plain(value.name)
            self.value(value.value)
        elif isinstance(value, (tuple, list)):
            self._type(type(value))
            self._all(value)
        elif isinstance(value, (set, frozenset)) and all(type(item) in PLAIN for item in value):
            self.plain(sorted(map(repr, value)))
        elif isinstance(value, Mapping) and type(value) in (dict, types.MappingProxyType):
            self._all([part for pair in value.items() for part in pair])
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, (types.GenericAlias, types.MemberDescriptorType)):
            self.plain(value)
        elif isinstance(value, types.BuiltinFunctionType):
            self.plain(value.__name__)
        elif isinstance(value, type):
            self._type(value)
        elif dataclasses.is_dataclass(value):
            self._type(type(value))
            self._all(getattr(value, field.name) for field in dataclasses.fields(value))
        else:
            raise NotUnderstoodError(repr(value))

    def _all(self, values: Any) -> None:
        for value in values:
            self.value(value)

    def _type(self, which: type) -> None:
        """Add a class: what is computed by its own functions, and those of its bases."""
        self.plain(which.__module__, which.__qualname__)
        if which.__module__ in ("builtins", "enum", "typing", "abc") or id(which) in self._met:
            return
        self._met[id(which)] = len(self._met)
        self._kept.append(which)
        if issubclass(which, Enum):
            self._all(list(which))
        # A declared record's variables are in the layout, and an enumeration's members were added.
        data = not issubclass(which, (Record, Enum))
        for name, member in vars(which).items():
            if isinstance(member, (staticmethod, classmethod)):
                member = member.__func__
            if isinstance(member, property):
                member = member.fget
            if not name.startswith("__") and (data or isinstance(member, types.FunctionType)):
                self.plain(name)
                self.value(member)
        for base in which.__bases__:
            self._type(base)

    def _function(self, function: Callable[..., Any]) -> None:
        """Add a function: its code, its source, and what its names stand for."""
        self._all([function.__defaults__, function.__kwdefaults__])
        self.plain({name: str(which) for name, which in function.__annotations__.items()})
        if not hasattr(function, "syntax_tree"):
            self._source(function.__code__.co_filename)
        names = self._code(function.__code__)
        modules: list[types.ModuleType] = []
        for cell in function.__closure__ or ():
            self._named("", cell.cell_contents, modules)
        for name in names:
            if name in function.__globals__:
                self._named(name, function.__globals__[name], modules)
            elif hasattr(builtins, name):
                self.plain("built in", name)
        # Grows while it is gone through, by modules within modules.
        for module in modules:
            for name in names:
                if hasattr(module, name):
                    self._named(name, getattr(module, name), modules)

    def _named(self, name: str, value: object, modules: list[types.ModuleType]) -> None:
        """Add what a name stands for; of a module, later, what the function's names are in it."""
        self.plain(name)
        if not isinstance(value, types.ModuleType):
            self.value(value)
        elif value not in modules:
            self.plain(value.__name__)
            modules.append(value)

    def _source(self, file: str) -> None:
        """Add the content of a file: functions are translated from there, not from their code."""
        if file not in self._files:
            self._files.add(file)
            self.plain(file, hashlib.sha256(Path(file).read_bytes()).hexdigest())

    def _code(self, code: types.CodeType) -> list[str]:
        """Add a function's code and that of the functions in it; return the names they look up."""
        self.plain(code.co_name, code.co_firstlineno, code.co_code, code.co_names)
        self.plain(code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount)
        names = list(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                names += self._code(constant)
            else:
                self.value(constant)
        return names

"""Has functions read that no code names: what Python may call on the objects that a model uses."""

from __future__ import annotations

from inspect import getattr_static
from types import FunctionType
from typing import TYPE_CHECKING

from ...core.fields import Record
from .held import LOADING, attributes_of, by_itself, functions_in, held, making, names_in
from .values import Known, Object, Value

if TYPE_CHECKING:
    from .objects import Objects

_OF_CLASSES = ("__class_getitem__",)


class Meetings:
    """Reads each object of the model's own, once, when it is met for the first time."""

    def __init__(self, objects: Objects) -> None:
        self._objects, self._reader = objects, objects.reader
        self._met: dict[object, object] = {}

    def meet(self, value: object) -> None:
        """Read what may be called of an object, and of all that it holds."""
        for one in held(value, self._is_end):
            kind = type(one)
            if self._is_end(one):
                continue
            if isinstance(one, FunctionType):
                self._reader.later(one)
            elif issubclass(kind, type):
                self._of_class(one)  # type: ignore[arg-type]
            elif self._objects.is_own(kind):
                self.instance(kind, Known(one))

    def pass_on(self, value: object) -> None:
        """Read what a library may call of a class or an object that it gets: any method."""
        kind: type = value if isinstance(value, type) else type(value)
        if self._objects.is_framework(kind) or issubclass(kind, Record):
            return
        if self._objects.is_own(kind):
            for name, attribute in attributes_of(kind):
                for function in () if name in LOADING else functions_in(attribute):
                    self._reader.later(function)

    def _is_end(self, value: object) -> bool:
        """Whether an object is Tidegate's, or declared pure."""
        return self._objects.is_framework(type(value)) or self._reader.trusts(value)

    def instance(self, kind: type, owner: Value) -> None:
        """Read what Python may call by itself on an instance of a class."""
        key = kind, owner
        if key in self._met or issubclass(kind, Record):
            return
        self._met[key] = key
        for function in by_itself(kind):
            self._reader.later(function, owner)
        self._of_class(kind)

    def _of_class(self, kind: type) -> None:
        """Read what Python may call by itself on a class, and what the class holds."""
        if kind in self._met or self._objects.is_framework(kind) or not self._objects.is_own(kind):
            return
        self._met[kind] = kind
        self._reader.unresolved.update(names_in(kind))
        for name in _OF_CLASSES:
            for function in functions_in(getattr_static(kind, name, None)):
                self._reader.later(function, Known(kind))
        for function in making(kind):
            self._reader.later(function, Object(kind))
        for function in by_itself(type(kind)):
            self._reader.later(function, Known(kind))
        self.instance(kind, Object(kind))
        for _, attribute in attributes_of(kind):
            if not isinstance(attribute, (FunctionType, staticmethod, classmethod)):
                self.meet(attribute)

"""Finds a protocol or a property by its name; a wrong one gets the nearest.

A protocol is a built-in one (``tidegate list``), or a custom protocol: the path of a Python file
(``fence.py``, or ``fence.py:FENCE`` if the file has several), or a module in the same way
(``kafka_rules.fence``, ``kafka_rules.fence:FENCE``).  A tilde is followed by the name of a mutant,
as ``tidegate mutate`` prints it: ``kip-320~Produce: s.written == k.records``; several rules may
follow, separated by commas, also as the newest protocol has them:
``kip-595~applies_known_record = only_if_new``.  A custom property is named like a custom protocol:
``promises.py:NO_GAP``.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.bounds import unknown
from ..core.errors import ModelError, SelectionError
from ..core.spec import Property
from ..model.custom.model import Model
from ..model.custom.signatures import refuse_unfit
from ..model.protocol import Protocol
from .custom_files import HOW_TO_NAME, file_or_module, loaded, unusable
from .misspelt import refuse_misspelt
from .successors import EXAMPLES, successor


def find_protocol(name: str) -> Protocol:
    """Return the protocol of that name; a custom protocol gets `name` as its name.

    Raises
    ------
    SelectionError
        If there is none, or if its file cannot be used.
    """
    base, tilde, mutant = _parts(name)
    if not tilde:
        return _own(base) if is_custom(base) else _built_in(base)
    if is_custom(base):
        own = _own(base)
        return _mutated(own, lambda: _mutants_of(own), name, mutant)
    return _mutated(_built_in(base), lambda: _mutants(base.lower()), name, mutant)


def is_custom(name: str) -> bool:
    """Whether a name is that of Python code: a custom protocol, a mutant of one, or a property.

    >>> [is_custom(name) for name in ("kip-320", "fence.py", "kip-320~Produce: s.written == 1")]
    [False, True, False]
    >>> [is_custom(name) for name in ("rules.fence", "rules.fence:FENCE", "kafka-2.6", "2.6")]
    [True, True, False, False]
    """
    base, _, _ = _parts(name)
    return ":" in base or base.endswith(".py") or _is_module(base)


def _is_module(base: str) -> bool:
    """Whether a name is that of a module in a package; a file may be called so, too."""
    words = base.split(".")
    return len(words) > 1 and all(map(str.isidentifier, words)) and not os.path.isfile(base)


def custom_file(name: str) -> Path | None:
    """Return the file of a custom protocol that is named by its path."""
    return file_or_module(_parts(name)[0])[0]


def is_same(name: str, other: str) -> bool:
    """Whether two names are of one protocol: one file may be named by several paths."""
    return name == other or (
        is_custom(name) and is_custom(other) and _identity(name) == _identity(other)
    )


def _identity(name: str) -> tuple[str, str, str]:
    """Return a custom protocol's file or module, its name there, and the mutant."""
    base, _, mutant = _parts(name)
    path, _, attribute = file_or_module(base)
    if path is None:
        return base, "", mutant
    return os.path.realpath(path), attribute, mutant


def _parts(name: str) -> tuple[str, str, str]:
    """Return a protocol's name, the tilde and a mutant's name, the last two empty for none."""
    return (name, "", "") if os.path.isfile(name) else name.partition("~")


def _built_in(name: str) -> Protocol:
    # Kafka's protocols are imported only where one is named: a check of a custom model needs none.
    from .. import model
    from ..model.broker.releases import named_release

    if release := named_release(name.lower()):
        return release.protocol
    known = {protocol.name: protocol for protocol in model.PROTOCOLS}
    if former := successor(name.lower()):
        raise SelectionError(former)
    if name.lower() not in known:
        own = f"; {HOW_TO_NAME}"
        if os.path.isfile(f"{name}.py"):
            own = f"; did you mean {name}.py?"
        raise SelectionError(unknown("protocol", name, known) + own)
    return known[name.lower()]


@cache
def _mutants(name: str) -> dict[str, Protocol]:
    """Return all mutants of a built-in protocol by name."""
    return _mutants_of(_built_in(name))


def _mutants_of(protocol: Protocol) -> dict[str, Protocol]:
    from .mutants import mutants

    return {one.name: one.protocol for one in mutants(protocol)}


def _mutated(
    protocol: Protocol, mutants: Callable[[], Mapping[str, Protocol]], name: str, mutant: str
) -> Protocol:
    """Return one of the mutants of a protocol, or the protocol with repaired rules.

    Parameters
    ----------
    mutants
        Makes all of them, which takes longer than a search: repairs alone need none.
    """
    from .known_bugs import with_rules

    changed = with_rules(protocol, mutant, {})
    if changed is None:
        known = mutants()
        changed = known.get(mutant) or with_rules(protocol, mutant, known)
        if changed is None:
            near = difflib.get_close_matches(mutant, known, n=2, cutoff=0.4)
            hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
            raise SelectionError(
                f"{protocol.name} has no mutant {mutant!r}; {hint}"
                f"'tidegate mutate {protocol.name}' lists them"
            )
    return replace(changed, name=name)


def _own(name: str) -> Protocol:
    """Return a custom protocol, named by a file or a module."""
    module, attribute = loaded(name, "a Protocol")
    chosen = _named(module, attribute, name) if attribute else _only(module, name)
    protocol = _as_protocol(chosen, name)
    try:
        refuse_misspelt(protocol)
    except ModelError as error:
        raise unusable(name, error) from None
    return replace(protocol, name=name, declared=protocol.name)


def custom_property(protocol: Protocol, name: str) -> Property:
    """Return a property that a file or a module defines; it gets `name` as its name.

    Parameters
    ----------
    protocol
        The protocol that it is checked for.

    Raises
    ------
    SelectionError
        If there is none, or if its file cannot be used for this protocol.
    """
    module, attribute = loaded(name, "a Property")
    defined = {key: value for key, value in vars(module).items() if isinstance(value, Property)}
    known = ", ".join(defined) or "none"
    if attribute and attribute not in defined:
        raise SelectionError(f"{name}: no Property is called {attribute}; the file has {known}")
    if not attribute and len(defined) != 1:
        raise SelectionError(f"{name}: name one Property after a colon; the file has {known}")
    prop = replace(defined[attribute] if attribute else next(iter(defined.values())), name=name)
    try:
        refuse_unfit(prop.witness or prop.predicate, f"the predicate of {name}", "s", "k")
        refuse_misspelt(replace(protocol, properties=(prop,)))
    except ModelError as error:
        raise unusable(name, error) from None
    return prop


Own = Protocol | Model[Any, Any]
"""The kinds of objects that a file may define."""


def _as_protocol(own: Own, name: str) -> Protocol:
    """Return the object that a file defines as a protocol."""
    if isinstance(own, Protocol):
        return own
    try:
        return own.protocol
    except ModelError as error:
        raise unusable(name, error) from None


def _named(module: ModuleType, attribute: str, name: str) -> Own:
    """Return the protocol or model that a module calls `attribute`."""
    own = getattr(module, attribute, None)
    if not isinstance(own, (Protocol, Model)):
        what = f"is {type(own).__name__}, not Protocol or Model" if own else "does not exist"
        raise SelectionError(f"{name}: {attribute} {what}; {_choices(module)}")
    return own


def _only(module: ModuleType, name: str) -> Own:
    """Return the only protocol or model of a module that is not a built-in one."""
    own = _own_protocols(module)
    if len(own) != 1:
        how_many = f"{len(own)} protocols" if own else "no Protocol and no Model"
        raise SelectionError(f"{name} defines {how_many}; {_choices(module)}")
    return own[0][1]


def _own_protocols(module: ModuleType) -> list[tuple[str, Own]]:
    """Return the protocols and models in a module that are its own, each once.

    Those that it imports from Tidegate, or from an example, are what it begins with.
    """
    own = {
        id(value): (name, value)
        for name, value in vars(module).items()
        if isinstance(value, (Protocol, Model))
    }
    if any(isinstance(value, Protocol) for _, value in own.values()):
        from ..model import PROTOCOLS

        for protocol in PROTOCOLS:
            own.pop(id(protocol), None)
    for other in [each for name, each in sys.modules.items() if name.startswith(f"{EXAMPLES}.")]:
        if other is not module:
            for value in vars(other).values():
                own.pop(id(value), None)
    return list(own.values())


def _choices(module: ModuleType) -> str:
    names = [name for name, _ in _own_protocols(module)]
    if not names:
        return (
            "define one, as in: FENCE = replace(KIP_320, name='fence', ...), or "
            "model = Model(Bounds, State)"
        )
    return f"name one after a colon: {', '.join(names)}"

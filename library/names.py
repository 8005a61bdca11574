"""Finds a protocol or a property by its name; a wrong one gets the nearest.

A protocol is a built-in one (``tidegate list``), or a custom protocol: the path of a Python file
(``fence.py``, or ``fence.py:FENCE`` if the file has several), or a module in the same way
(``kafka_rules.fence``, ``kafka_rules.fence:FENCE``).  A tilde is followed by the name of a mutant,
as ``tidegate mutate`` prints it: ``kip-320~Produce: s.written == k.records``; several rules may
follow, separated by commas, also as the newest protocol has them:
``kip-595~applies_known_record = only_if_new``.  A custom property is named like a custom protocol:
``promises.py:NO_GAP``.

A function is read, not run, to find names that nothing defines, and attributes that the state ``s``
and the constants ``k`` do not have.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import difflib
import hashlib
import importlib
import inspect
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import fields, is_dataclass, replace
from enum import EnumMeta
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.bounds import unknown
from ..core.containers import Ordered
from ..core.errors import (
    ModelError,
    SelectionError,
    TidegateError,
    callers,
    lacks,
    nearest,
    one_line,
    place_of,
    shown,
)
from ..core.fields import Record, declaration_of, getter_of
from ..core.guards import read_tree
from ..core.imports import PREFIX, Folder
from ..core.origins import is_users
from ..core.sources import global_names
from ..core.spec import Property, TransitionSystem
from ..model.custom.model import Model
from ..model.custom.signatures import refuse_unfit
from ..model.protocol import Protocol
from .successors import EXAMPLES, successor

_NAMED = "name a custom protocol by its file (fence.py) or its module (rules.fence)"

_UNKNOWN = object()
"""Stands for a value that is known only at run time."""


def refuse_misspelt(protocol: Protocol) -> None:
    """Refuse a protocol with a rule, action or property that reads a name that does not exist.

    Raises
    ------
    ModelError
        With the line of the first wrong name.
    """
    functions = [
        function for function in _functions(protocol) if is_users(function.__code__.co_filename)
    ]
    for function in functions:
        for name in global_names(function.__code__):
            if not (name in function.__globals__ or hasattr(builtins, name)):
                here = function.__code__.co_varnames, function.__globals__, vars(builtins)
                near = next(filter(None, (nearest(name, names) for names in here)), "")
                hint = f"; did you mean {near}?" if near else ""
                raise _error(function, _line_of(function, name), f"nothing defines {name!r}{hint}")
    if not functions:
        return
    try:
        system = protocol.system(protocol.within(()))
    except TidegateError:
        return  # The search with the requested bounds will report it.
    others = filter(inspect.isfunction, (system.initialise, system.constraint))
    own = [function for function in others if is_users(function.__code__.co_filename)]
    for function in [*functions, *own]:
        _refuse_unknown_attributes(function, system)


def _functions(protocol: Protocol) -> Iterator[Any]:
    """Yield the functions of a protocol that are called with the state and the constants."""
    rules = (getattr(protocol.rules, field.name) for field in fields(protocol.rules))
    candidates: list[Callable[..., Any]] = [
        *filter(callable, rules),
        *(action.apply for action in protocol.actions),
        *(prop.witness or prop.predicate for prop in protocol.properties),
        *(prop.explain for prop in protocol.properties),
    ]
    yield from filter(inspect.isfunction, map(inspect.unwrap, candidates))


def _line_of(function: Any, name: str) -> int:
    """Return the first line of a function that has a name, if its source is at hand."""
    with suppress(OSError, AssertionError):
        for node in ast.walk(read_tree(function)):
            if isinstance(node, ast.Name) and node.id == name:
                return node.lineno
    return int(function.__code__.co_firstlineno)


def _refuse_unknown_attributes(function: Any, system: TransitionSystem[Any, Any]) -> None:
    """Refuse a function that reads an attribute that the state or the constants do not have."""
    with suppress(OSError, AssertionError):
        definition = read_tree(function)
        parameters = list(inspect.signature(function).parameters)[:2]
        if len(parameters) < 2:
            return
        values = dict(zip(parameters, (system.record, system.constants), strict=True))
        wrong = sorted(
            _read(definition, values), key=lambda one: (one[1].lineno, one[1].col_offset)
        )
        for owner, node in wrong[:1]:
            raise _error(function, node.lineno, lacks(type(owner).__name__, dir(owner), node.attr))


def _read(definition: ast.FunctionDef, values: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each unknown attribute, with the part of the state or the constants that lacks it."""
    known: dict[ast.AST, Any] = {}
    for node in ast.walk(definition):
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=source):
                known[target] = _value(source, values)
            case (
                ast.For(target=ast.Name() as target, iter=source)
                | ast.comprehension(target=ast.Name() as target, iter=source)
            ):
                known[target] = _element(_value(source, values))
            case ast.Name(id=name, ctx=ast.Store()):
                value = known.get(node, _UNKNOWN)
                values[name] = value if values.get(name, value) is value else _UNKNOWN
            case ast.arg(arg=name) if node not in definition.args.args:
                values[name] = _UNKNOWN
    for node in ast.walk(definition):
        if isinstance(node, ast.Attribute):
            owner = _value(node.value, values)
            if owner is _UNKNOWN or _is_computed(owner, node.attr):
                continue
            if not hasattr(owner, node.attr):
                yield owner, node


def _value(node: ast.expr, values: dict[str, Any]) -> Any:
    """Return the part of the state or the constants that an expression denotes."""
    if isinstance(node, ast.Name):
        return values.get(node.id, _UNKNOWN)
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, values)
        if owner is _UNKNOWN or isinstance(owner, (int, str)) or _is_computed(owner, node.attr):
            return _UNKNOWN
        return getattr(owner, node.attr, _UNKNOWN)
    if isinstance(node, ast.Subscript):
        owner = _value(node.value, values)
        return _UNKNOWN if isinstance(node.slice, ast.Slice) else _element(owner)
    return _UNKNOWN


def _element(owner: Any) -> Any:
    """Return what an array, a sequence or a set of records of the state has for each element."""
    items = owner.items if isinstance(owner, Ordered) else owner
    return items[0] if isinstance(items, (list, tuple)) and items else _UNKNOWN


def _is_computed(owner: Any, name: str) -> bool:
    """Whether an attribute is a property of a record, which need not work in every state."""
    return isinstance(owner, Record) and getter_of(declaration_of(owner), name) is not None


def _error(function: Any, line: int, text: str) -> ModelError:
    """Return an error at a line of a function."""
    error = ModelError(f"{text} (in {function.__name__}())")
    error.place = (function.__code__.co_filename, line)
    return error


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
    return _place(_parts(name)[0])[0]


def _place(base: str) -> tuple[Path | None, str, str]:
    """Return the file that a name begins with, else the module, and the name in it, or "".

    A name that ends in ``.py``, or is that of a file, has no name after it, whatever colons it has.

    >>> _place("a:b.py"), _place("a:b.py:MINE")
    ((PosixPath('a:b.py'), '', ''), (PosixPath('a:b.py'), '', 'MINE'))
    >>> _place("package.fence:MINE")
    (None, 'package.fence', 'MINE')
    >>> _place("package.fence")
    (None, 'package.fence', '')
    """
    if base.endswith(".py") or os.path.isfile(base):
        return Path(base), "", ""
    where, colon, attribute = base.rpartition(":")
    if where.endswith(".py") or os.path.isfile(where):
        return Path(where), "", attribute
    return (None, where, attribute) if colon else (None, base, "")


def is_same(name: str, other: str) -> bool:
    """Whether two names are of one protocol: one file may be named by several paths."""
    return name == other or (
        is_custom(name) and is_custom(other) and _identity(name) == _identity(other)
    )


def _identity(name: str) -> tuple[str, str, str]:
    """Return a custom protocol's file or module, its name there, and the mutant."""
    base, _, mutant = _parts(name)
    path, _, attribute = _place(base)
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
        own = f"; {_NAMED}"
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
    module, attribute = _loaded(name, "a Protocol")
    chosen = _named(module, attribute, name) if attribute else _only(module, name)
    protocol = _as_protocol(chosen, name)
    try:
        refuse_misspelt(protocol)
    except ModelError as error:
        raise _unusable(name, error) from None
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
    module, attribute = _loaded(name, "a Property")
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
        raise _unusable(name, error) from None
    return prop


def _loaded(name: str, what: str) -> tuple[ModuleType, str]:
    """Return the module of a custom protocol or property, and the name in it, empty for none."""
    if one_line(name) != name:
        raise SelectionError(
            f"{name}: the name of {what.lower()} appears in reports, so it must be printable "
            "UTF-8; rename the file"
        )
    path, where, attribute = _place(name)
    if path is None:
        module = _imported(where)
    else:
        try:
            source = path.read_bytes()
        except OSError as error:
            why = error.strerror or type(error).__name__
            revision, _, file = str(path).rpartition(":")
            do = f"name a Python file that defines {what}"
            if revision and os.path.isfile(file):
                do = f"'tidegate diff' takes a git revision as {file}@{revision}"
            raise SelectionError(f"{path}: cannot be read ({why}); {do}") from None
        module = _executed(path.resolve(), str(path), source)
    return module, attribute


def _imported(name: str) -> ModuleType:
    """Import a module from the present directory or from Python's path."""
    here = os.getcwd()
    try:
        beside = not ("" in sys.path or here in sys.path)
        with redirect_stdout(sys.stderr):
            return importlib.import_module(_present(here).resolved(name) if beside else name)
    except BaseException as error:
        raise _unusable(name, error) from error


@cache
def _present(here: str) -> Folder:
    """Return a directory whose modules are named as PACKAGE.MODULE."""
    return Folder(Path(here), f"{PREFIX}{hashlib.sha256(os.fsencode(here)).hexdigest()[:12]}")


@cache
def _executed(path: Path, called: str, source: bytes) -> ModuleType:
    """Run a file as a module.

    Cached bytecode is not used: it may be of an earlier version within the same second.
    """
    digest = hashlib.sha256(os.fsencode(path) + source).hexdigest()[:12]
    module = ModuleType(f"{PREFIX}{digest}_{path.stem}")
    module.__file__ = str(path)
    vars(module)["__builtins__"] = Folder(path.parent, f"{PREFIX}{digest}").builtins
    sys.modules[module.__name__] = module
    try:
        # Standard output may be a report's.
        with redirect_stdout(sys.stderr):
            exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    except BaseException as error:
        del sys.modules[module.__name__]
        raise _unusable(called, error) from error
    return module


def _unusable(name: str, error: BaseException) -> BaseException:
    """Return the error to raise if a user's file or module cannot be imported."""
    if isinstance(error, KeyboardInterrupt):
        return error
    if isinstance(error, TidegateError):
        raised = place_of(error)
        place = error.place or (raised if raised and is_users(raised[0]) else None)
        wrong = SelectionError(f"{shown(place) if place else name}: {error.args[0]}")
        wrong.place, wrong.details = place, error.details
        return wrong
    missing = _missing(name, error) if isinstance(error, ModuleNotFoundError) else ""
    text = missing or f"{type(error).__name__}: {error}"
    if isinstance(error, ImportError) and error.path:
        # The line is that of the import; where the other module lies is of no use.
        text = text.removesuffix(f" ({error.path})")
        wanted = re.match(r"cannot import name '(\w+)'", str(error))
        module = sys.modules.get(error.name or "")
        former = wanted and successor(f"{error.name}.{wanted[1]}")
        near = wanted and nearest(wanted[1], getattr(module, "__all__", dir(module)))
        text = former or text + (f"; did you mean {near}?" if near else "")
    if isinstance(error, AttributeError) and isinstance(error.obj, EnumMeta):
        members = ", ".join(error.obj.__members__)
        text = f"{error.obj.__name__} has no {error.name}; it has {members}"
    if isinstance(error, AttributeError):
        text = successor(f"{type(error.obj).__name__}.{error.name}") or text
    if isinstance(error, TypeError):
        text = _no_such_field(error) or text
    if isinstance(error, SyntaxError):
        text = f"{type(error).__name__}: {error.msg}"
    failure = SelectionError(f"{name} cannot be imported: {text}")
    failure.place = None if missing else place_of(error)
    failure.details = () if isinstance(error, SyntaxError) else callers(error)
    if isinstance(error, SyntaxError) and error.text:
        line = error.text.rstrip()
        begin = len(line) - len(line.lstrip())
        caret = " " * max((error.offset or 1) - 1 - begin, 0) + "^"
        failure.details = (one_line(line.strip()), caret)
    return failure


def _missing(name: str, error: ModuleNotFoundError) -> str:
    """Return the message if there is no module of that name; empty if it misses another one."""
    absent = error.name or ""
    words = [word for word in absent.split(".") if not word.startswith(PREFIX)]
    if name.split(".")[: len(words)] != words:
        return ""
    package = sys.modules.get(absent.rpartition(".")[0])
    beside = [one.name for one in pkgutil.iter_modules(getattr(package, "__path__", []))]
    near = nearest(words[-1], beside)
    hint = f"did you mean {package.__name__}.{near}?" if package and near else _NAMED
    return f"there is no such module; {hint}"


def _no_such_field(error: TypeError) -> str:
    """Return the message if a record was made with an unknown field; otherwise empty."""
    match = re.search(r"got an unexpected keyword argument '(\w+)'", str(error))
    called = str(error).partition(".__init__()")[0]
    if match and (former := successor(f"{called}.{match[1]}")):
        return former
    traceback = error.__traceback__
    while match and traceback is not None:
        code, values = traceback.tb_frame.f_code, traceback.tb_frame.f_locals
        of = values.get("obj")
        if code.co_filename == dataclasses.__file__ and is_dataclass(of):
            known = [field.name for field in dataclasses.fields(of)]
            return lacks(type(of).__name__, known, match[1])
        traceback = traceback.tb_next
    return ""


Own = Protocol | Model[Any, Any]
"""The kinds of objects that a file may define."""


def _as_protocol(own: Own, name: str) -> Protocol:
    """Return the object that a file defines as a protocol."""
    if isinstance(own, Protocol):
        return own
    try:
        return own.protocol
    except ModelError as error:
        raise _unusable(name, error) from None


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

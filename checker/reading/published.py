"""Which functions outside of a model's own code are pure, and why others are refused.

The page on the library lists the modules; a test compares the two.
"""

from __future__ import annotations

import builtins
from types import ModuleType
from typing import Any

from .notes import ADDRESS, ANEW, CHANCE, CLOCK

PURE_MODULES = (
    "bisect", "cmath", "collections", "collections.abc", "colorsys", "copy", "dataclasses",
    "decimal", "difflib", "enum", "fractions", "functools", "graphlib", "hashlib", "heapq",
    "itertools", "json", "math", "numbers", "operator", "re", "statistics", "string", "struct",
    "textwrap", "types", "typing", "typing_extensions", "zlib", "base64", "binascii", "array",
    "abc", "contextlib",
)  # fmt: skip
"""Modules of functions whose results depend on nothing but their arguments."""

IMPURE = {
    ("statistics", "NormalDist"): CHANCE,
    **dict.fromkeys(
        (("decimal", "getcontext"), ("decimal", "setcontext")),
        "reads or changes a context that outlives the call",
    ),
    ("abc", "get_cache_token"): "says which classes were registered before",
    **dict.fromkeys(
        (("typing", "get_overloads"), ("typing", "clear_overloads")),
        "reads or changes what outlives the call",
    ),
    **dict.fromkeys(
        (("contextlib", name) for name in ("chdir", "redirect_stdout", "redirect_stderr")),
        "reads or changes the environment",
    ),
    **dict.fromkeys(
        (("hashlib", "algorithms_available"), ("posix", "stat"), ("posix", "lstat")),
        f"reads the machine, and {ANEW}",
    ),
    ("posix", "getpid"): ANEW,
    ("posix", "getppid"): ANEW,
    ("posix", "urandom"): CHANCE,
}
"""Functions and classes that are not what others of their module are, and why."""

SAME_EVERYWHERE = frozenset({
    ("sys", "maxsize"), ("sys", "float_info"), ("sys", "int_info"), ("sys", "maxunicode"),
})  # fmt: skip
"""Variables of other modules that are constants."""

PURE_FUNCTIONS = frozenset({("inspect", "unwrap")})
"""Pure functions of other modules."""

_PRIVATE = {
    "_bisect": "bisect", "_collections": "collections", "_decimal": "decimal",
    "_functools": "functools", "_hashlib": "hashlib", "_heapq": "heapq", "_json": "json",
    "_operator": "operator", "_statistics": "statistics", "_struct": "struct",
    "_pydecimal": "decimal", "_sha1": "hashlib", "_sha2": "hashlib", "_md5": "hashlib",
    "_sre": "re", "_abc": "abc", "collections.abc": "collections", "_blake2": "hashlib",
    "_sha3": "hashlib", "_contextvars": "contextvars",
}  # fmt: skip
"""Modules in C, by the name of those that a program imports."""

PURE_BUILTINS = frozenset({
    "abs", "all", "any", "ascii", "bin", "bool", "bytearray", "bytes", "callable", "chr",
    "classmethod", "complex", "dict", "divmod", "enumerate", "filter", "float", "format",
    "frozenset", "getattr", "hasattr", "hash", "hex", "int", "isinstance", "issubclass", "iter",
    "len", "list", "map", "max", "min", "next", "object", "oct", "ord", "pow", "print", "property",
    "range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod",
    "str", "sum", "super", "tuple", "type", "zip", "__build_class__", "NoneType",
})  # fmt: skip
"""Built-in functions that are pure; of ``hash``, ``print`` and ``setattr`` see ``calls``."""

_REFUSED = {
    CLOCK: ("time", "datetime", "calendar", "sched", "zoneinfo"),
    CHANCE: ("random", "_random", "secrets", "uuid"),
    "reads or changes the environment": (
        "os", "posix", "sys", "platform", "getpass", "locale",
        "signal", "inspect", "ctypes", "weakref", "sysconfig", "warnings",
    ),
    f"runs another program, or {ANEW}": (
        "subprocess", "resource", "gc", "tracemalloc", "tempfile", "socket", "_socket",
    ),
    "reads or writes what is not the model's": (
        "io", "_io", "pathlib", "shutil", "glob", "fileinput", "linecache", "sqlite3",
        "csv", "configparser", "pickle", "shelve", "dbm", "urllib", "http", "logging", "zipfile",
    ),
    f"depends on threads, which {ANEW}": (
        "threading", "_thread", "multiprocessing", "asyncio", "concurrent", "queue", "contextvars",
        "_queue",
    ),
}  # fmt: skip

_BUILTINS = {
    "id": f"is {ADDRESS}", "open": "reads or writes files", "input": "reads the keyboard",
    **dict.fromkeys(("globals", "locals", "vars", "dir"), "reads variables by name"),
    **dict.fromkeys(("eval", "exec", "compile", "__import__"), "runs code that cannot be read"),
}  # fmt: skip


WITHIN = frozenset({
    "__builtins__", "__cached__", "__closure__", "__code__", "__defaults__", "__dict__",
    "__globals__",
    "__file__", "__kwdefaults__", "__loader__", "__module__", "__spec__", "__traceback__",
    "__weakref__", "cell_contents", "f_back", "f_globals",
    "f_locals", "__subclasses__", "__sizeof__", "gi_code", "gi_frame", "tb_frame",
    "_field_defaults",
})  # fmt: skip
"""Attributes by which a program reads itself."""

STEADY = (
    "abc", "array", "collections", "dataclasses", "decimal", "enum", "fractions", "functools",
    "json", "numbers", "operator", "re", "string", "struct", "textwrap", "types", "typing",
    "typing_extensions",
)  # fmt: skip
"""Modules of whose objects no method changes what another one returns."""


def is_steady(kind: type) -> bool:
    """Whether an object of a listed class may outlive a call."""
    module = _PRIVATE.get(module_of(kind), module_of(kind))
    return module in STEADY and (module, kind.__name__) != ("decimal", "Context")


def is_pure_module(module: str, name: str = "") -> bool:
    """Whether the functions of a module are pure, the one of that name among them."""
    module = _PRIVATE.get(module, module)
    return module in PURE_MODULES and (module, name) not in IMPURE


def is_pure(value: object) -> bool:
    """Whether a callable that is not the model's own is on the list."""
    owner = getattr(value, "__self__", getattr(value, "__objclass__", None))
    if isinstance(owner, type):
        # A method of a class in C, such as dict.fromkeys.
        return is_pure(owner)
    module, name = module_of(value), getattr(value, "__name__", "")
    if is_exception(value):
        return True
    if module == "builtins":
        return name in PURE_BUILTINS
    return is_pure_module(module, name) or (module, name) in PURE_FUNCTIONS


def is_exception(value: object) -> bool:
    """Whether a value is a class of exceptions."""
    return isinstance(value, type) and issubclass(value, BaseException)


def module_of(value: object) -> str:
    """Return the name of the module that a function or a class is from."""
    name = getattr(value, "__module__", None)
    if name is None:
        owner = getattr(value, "__self__", None)
        if isinstance(owner, ModuleType):
            return owner.__name__
        owner = owner if owner is not None else getattr(value, "__objclass__", value)
        name = (owner if isinstance(owner, type) else type(owner)).__module__
    return str(name)


def reads(module: str, name: str = "") -> str:
    """Return what a function of a module, or a built-in one, does; empty if unknown."""
    if module == builtins.__name__:
        return _BUILTINS.get(name, "")
    if what := IMPURE.get((_PRIVATE.get(module, module), name)):
        return what
    first = module.partition(".")[0]
    return next((what for what, names in _REFUSED.items() if first in names), "")


ONLY = "what a model does may depend on the state, the bounds and its arguments only"


def unlisted(value: Any) -> str:
    """Return why the call of a function or a class, or the use of an object, is refused."""
    module, name = module_of(value), getattr(value, "__name__", "")
    if not callable(value):
        module, name = module_of(type(value)), type(value).__name__
    if what := reads(module, name):
        return f"{what}; {ONLY}"
    if not callable(value):
        return f"is a {type(value).__name__}, whose methods cannot be read; {_DECLARE}"
    return f"cannot be read, and is on no list of pure functions; {_DECLARE}"


_DECLARE = (
    "declare a function that uses it with @tidegate.pure if it is a function of its arguments"
)

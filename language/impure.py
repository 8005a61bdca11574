"""Functions and objects of Python's library that depend on more than their arguments.

A rule cannot call them, whatever else it may call; what runs before the search must not, either.
"""

from __future__ import annotations

import builtins
from inspect import getattr_static
from types import FunctionType, ModuleType

from ..core.imports import Folder
from ..core.origins import is_library

ANEW = "differs from process to process"
CLOCK, CHANCE, ADDRESS = "reads a clock", "is random", "an address in memory"

_CONTEXT = "reads or changes a context that outlives the call"
_BY_NAME = {
    ("statistics", "NormalDist"): CHANCE,
    ("decimal", "getcontext"): _CONTEXT,
    ("decimal", "setcontext"): _CONTEXT,
    ("hashlib", "algorithms_available"): f"reads the machine, and {ANEW}",
}
"""Functions and classes that are not what others of their module are, and why."""

_MODULES = {
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
    "runs code that cannot be read": ("importlib", "runpy", "code"),
    f"depends on threads, which {ANEW}": (
        "threading", "_thread", "multiprocessing", "asyncio", "concurrent", "queue", "contextvars",
        "_queue",
    ),
}  # fmt: skip

_CHANCES = "urandom", "getrandom"
_STEADY = frozenset({
    ("sys", "maxsize"), ("sys", "float_info"), ("sys", "int_info"), ("inspect", "unwrap"),
})  # fmt: skip
"""What depends on nothing, whatever else is in its module."""

_BUILTINS = {
    "id": f"is {ADDRESS}", "open": "reads or writes files", "input": "reads the keyboard",
    **dict.fromkeys(("globals", "locals", "vars", "dir"), "reads variables by name"),
    **dict.fromkeys(("eval", "exec", "compile", "__import__"), "runs code that cannot be read"),
}  # fmt: skip

ONLY = "what a model does may depend on the state, the bounds and its arguments only"


def why_impure(value: object, module: str = "", name: str = "") -> str:
    """Say what a function or an object of Python's library does; empty if it is none of these.

    Parameters
    ----------
    module, name
        Where it was found, if it is an attribute of a module.

    Examples
    --------
    >>> import time
    >>> why_impure(time.time), why_impure(len)
    ('reads a clock', '')
    """
    if computes_attributes(value):
        return ""
    if isinstance(getattr(value, "__self__", None), Folder):
        return _BUILTINS["__import__"]
    if isinstance(value, FunctionType) and not is_library(value.__code__.co_filename):
        return ""
    module = module or module_of(value)
    name = name or getattr(value, "__name__", "")
    if module == builtins.__name__:
        return _BUILTINS.get(name, "") if callable(value) else ""
    if (module, name) in _STEADY or isinstance(value, ModuleType):
        return ""
    if name in _CHANCES:
        return CHANCE
    if (module, name) in _BY_NAME:
        return _BY_NAME[module, name]
    return of_module(module)


def computes_attributes(value: object) -> bool:
    """Whether a class of somebody's computes what an object has, so that asking runs its code."""
    methods = ("__getattr__", "__getattribute__")
    return any(isinstance(getattr_static(type(value), one, None), FunctionType) for one in methods)


def of_module(module: str) -> str:
    """Say what the functions of a module do; empty if they are none of these."""
    first = module.partition(".")[0]
    return next((what for what, names in _MODULES.items() if first in names), "")


def is_users(module: ModuleType | None) -> bool:
    """Whether a module is neither of Python's, whose name it may have, nor of a library."""
    file = getattr(module, "__file__", None)
    return file is not None and not is_library(file)


def module_of(value: object) -> str:
    """Return the name of the module that a function, a class or the class of an object is from."""
    name = getattr(value, "__module__", None)
    if isinstance(name, str):
        return name
    owner = getattr(value, "__self__", None)
    if isinstance(owner, ModuleType):
        return owner.__name__
    owner = owner if owner is not None else getattr(value, "__objclass__", value)
    return str((owner if isinstance(owner, type) else type(owner)).__module__)

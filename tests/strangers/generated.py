"""Prints what thousands of calls with a set of texts return, in a process with one order of sets.

The calls are every function of some modules, and every method of Python's
containers, each with many lists of arguments.  Of each result some number is made that depends on
the order of a set, if anything in it does.
"""

import contextlib
import importlib
import io
import json
import signal
import sys
from collections.abc import Iterator

MODULES = (
    "bisect", "cmath", "collections", "collections.abc", "colorsys", "copy", "dataclasses",
    "decimal", "difflib", "enum", "fractions", "functools", "graphlib", "hashlib", "heapq",
    "itertools", "json", "math", "numbers", "operator", "re", "statistics", "string", "struct",
    "textwrap", "types", "typing", "typing_extensions", "zlib", "base64", "binascii", "array",
    "abc", "contextlib",
)  # fmt: skip
"""Modules of functions whose results depend on nothing but their arguments."""

NAMES = 'NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\n'

ARGUMENTS = (
    "(NAMES)", "(len, NAMES)", "(NAMES, len)", "(NAMES, 2)", "(2, NAMES)", '("alpha", NAMES)',
    '(NAMES, "alpha")', "(NAMES, NAMES)", "(NAMES, key=len)", "(len, NAMES, 0)", "([NAMES])",
    "(lambda a, b: a, NAMES)", "(lambda a: a, NAMES)", "(NAMES, range(5))", "(range(5), NAMES)",
    "(str, NAMES)", '({"k": NAMES})', "(NAMES, None)",
)  # fmt: skip

FORMS = (
    '[*itertools.islice({}, 9)].index("alpha")', 'str({}).index("alpha")',
    'int(next(iter({})) == "alpha")', "len(next(iter({})))", '({}) == "alpha"', "len({})",
    '({})[0] == "alpha"', "int({})",
)  # fmt: skip

_ACTS = frozenset({
    "exec", "eval", "input", "print", "open", "exit", "quit", "breakpoint", "help", "__import__",
    "compile",
})  # fmt: skip
_SPECIAL = frozenset({
    "__iter__", "__or__", "__and__", "__sub__", "__xor__", "__contains__", "__repr__", "__add__",
    "__reversed__", "__reduce__", "__getitem__", "__ior__",
})  # fmt: skip
_CONTAINERS = (
    "set", "frozenset", "list", "tuple", "dict", "str", "collections.deque", "collections.Counter",
    "collections.OrderedDict",
)  # fmt: skip


def calls() -> Iterator[tuple[str, str]]:
    """Yield the module that is imported for a call, and the call."""
    for module in (*MODULES, "builtins"):
        for name in sorted(vars(importlib.import_module(module))):
            if name.startswith("_") or name in _ACTS:
                continue
            function = name if module == "builtins" else f"{module}.{name}"
            yield from ((module, function + arguments) for arguments in ARGUMENTS)
    for kind in _CONTAINERS:
        empty = {"str": '"x"', "dict": '{"k": 1}'}.get(kind, f"{kind}()")
        full = {"str": empty, "dict": empty, "frozenset": "NAMES"}.get(kind, f"{kind}(NAMES)")
        for name in dir(eval(kind, {"collections": importlib.import_module("collections")})):
            if not name.startswith("_") or name in _SPECIAL:
                for owner in dict.fromkeys((empty, full)):
                    for arguments in ("()", "(NAMES)", "(0)", '("alpha")', '(NAMES, "z")'):
                        yield "collections", f"{owner}.{name}{arguments}"


def value(module: str, expression: str) -> int | None:
    """Return the number that an expression is; None if it fails, or takes more than a second."""
    within = {name: importlib.import_module(name) for name in ("itertools", "collections")}
    importlib.import_module(module)
    root = module.partition(".")[0]
    signal.alarm(1)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(NAMES, within, within)
            return int(eval(expression, within | {root: importlib.import_module(root)}))
    except BaseException:  # noqa: BLE001 - whatever a call does, it has no value
        return None
    finally:
        signal.alarm(0)


def _stop(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _stop)
    found = {}
    for module, call in calls():
        for form in FORMS:
            expression = form.format(call)
            if (number := value(module, expression)) is not None:
                found[f"{module} {expression}"] = number
    json.dump(found, sys.stdout)

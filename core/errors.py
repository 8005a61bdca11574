r"""The errors of Tidegate, and the file and line of the model that each one is about.

Makes foreign text safe to print: no cursor moves, no invisible characters.

Names, docstrings and messages come from traces, from gate files and from users' protocols.
Characters that a terminal, a log or a document would act on, or would not show, are escaped as in
Java, JSON and Python: ``\n``, ``\u001b``, ``\u202e``.

Whether what a model's function returned is of the type that it must have.
"""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, NoneType, TracebackType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from .imports import PREFIX
from .origins import PACKAGE, Origin, is_users, origin

Line = tuple[str, int]
"""A file, and a line in it from 1."""

_MODULE_OF_A_FILE = re.compile(rf"\b{PREFIX}[0-9a-f]+(_[^.\s]+)?\.")
"""What Python puts before the name of a class or a function of a user's file."""

_LONGEST = 80
"""Characters of a model's value that an error shows."""

_LONGEST_STATE = 300
"""Characters of a state that an error shows; a longer one hides what went wrong."""

_HERE = tuple(f"{PACKAGE / folder}/" for folder in ("core", "model/custom"))


class TidegateError(Exception):
    """Something the user can repair; its text says what, where and how.

    ``place`` is the line of the source that it is about, if there is one; ``details`` are the lines
    of a list that follows the text; ``said`` is the text without its function, where that is known.
    """

    place: Line | None = None
    details: tuple[str, ...] = ()
    said = ""

    def __str__(self) -> str:
        return "\n  ".join([self.head(), *self.details])

    def head(self) -> str:
        """Return its text without the list that follows."""
        text = _as_in_file(Exception.__str__(self))
        if self.place is None or text.startswith(f"{shown(self.place)}: "):
            return text
        return f"{text} ({shown(self.place)})"


class ModelError(TidegateError):
    """The model itself is ill-formed: an impure action, or a value out of its declared range.

    ``trace`` is a shortest behavior with whose next step a search met it (a
    :class:`~tidegate.core.spec.Trace`), if that is not its first step.
    """

    trace: Any = None


class ImpureError(ModelError):
    """A function of the model depends on more than it may: another call had another result."""


class SelectionError(TidegateError):
    """An unknown name, or names that contradict each other."""


class ReplayError(TidegateError):
    """A step of a given behavior cannot be taken in this transition system."""


class EngineError(TidegateError):
    """An engine reported what a replay does not confirm; its answer cannot be trusted."""


class DisagreementError(EngineError):
    """Machine code and Python disagree about a state."""


Spot = tuple[str, Line]
"""The name of a function, and a line in it."""


def place_of(error: BaseException) -> Line | None:
    """Return the line that raised `error`: the innermost line in a user's file, if there is one."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return error.filename, error.lineno
    spot = _innermost_of_user(_passed(error.__traceback__))
    return spot[1] if spot else None


def _passed(traceback: TracebackType | None) -> list[Spot]:
    """Return the functions and lines that an exception came through, the innermost one last."""
    passed: list[Spot] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not acts_for_caller(code):
            name, line = code.co_name, (code.co_filename, traceback.tb_lineno)
            if passed and not code.co_flags & inspect.CO_OPTIMIZED and name != "<module>":
                # The body of a class is a part of what surrounds it, and nobody calls it.
                name, _ = passed.pop()
            passed.append((name, line))
        traceback = traceback.tb_next
    return passed


def acts_for_caller(code: CodeType) -> bool:
    """Whether code is of what models are written in: its errors are reported where it is called."""
    return code.co_filename.startswith(_HERE)


def _innermost_of_user(passed: list[Spot]) -> Spot | None:
    """Return the innermost spot in a user's file; if there is none, the innermost of all."""
    mutant = "<copy of "
    own = [at for at in passed if is_users(at[1][0]) or at[1][0].startswith(mutant)] or passed
    return own[-1] if own else None


def spot_of(error: BaseException) -> Spot | None:
    """Return the function of the model that raised `error`, and the line."""
    return _innermost_of_user(_passed_in_model(error))


def _passed_in_model(error: BaseException) -> list[Spot]:
    """Return what an exception came through below the checker's function that called the model."""
    return _passed(error.__traceback__ and error.__traceback__.tb_next)


def line_that_makes(wrong: Callable[[], bool], call: Callable[[], object]) -> Spot | None:
    """Return the function and line of a call after which `wrong` becomes true; None if it never is.

    The call is repeated line by line, and may fail; `wrong` must be false before it.
    """
    deepest: Spot | None = None
    last: Spot | None = None
    lines: dict[FrameType, Spot] = {}

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal deepest, last
        if deepest is None and wrong():
            deepest = last
        code = frame.f_code
        of_python = origin(code.co_filename) is Origin.PYTHON
        if event == "line" and not of_python and not acts_for_caller(code):
            last = code.co_name, (code.co_filename, frame.f_lineno)
            lines[frame] = last
        elif event == "return" and frame.f_back in lines:
            # The rest of the line that has called this function comes next.
            last = lines[frame.f_back]
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - the call may fail, and only `wrong` matters here
        pass
    finally:
        sys.settrace(before)
    return deepest if deepest is not None or not wrong() else last


def printed(value: object) -> str:
    """Return a short text for a model's value, even if its ``__repr__`` fails."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - it is the model's code
        text = f"a {type(value).__name__}"
    # An address is another one in each process.
    text = re.sub(r" at 0x[0-9a-f]+(?=>)", "", text)
    # Nor does a user know under which name a file is loaded.
    text = re.sub(r"tidegate_own_\w+\.", "", text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def lacks(kind: str, known: Iterable[str], name: str) -> str:
    """Say that something has no attribute of that name, and suggest a similar one.

    >>> lacks("Replica", ["hw", "leo"], "highwatermark")
    "Replica has no 'highwatermark'; did you mean hw?"
    >>> lacks("Seq", ["append", "pop"], "add")
    "a sequence has no 'add'; write append"
    >>> lacks("Seq", ["append", "insert"], "sort")
    "a sequence has no 'sort'; write s.q[:] = sorted(s.q, ...)"
    """
    there = [one for one in known if not one.startswith("_")]
    near = nearest(name, there)
    hint = f"; did you mean {near}?" if near else ""
    for words in _SYNONYMS:
        same = next((word for word in words if word in there), "")
        if name in words and same:
            hint = f"; write {same}"
    if name in _INSTEAD and "append" in there:
        hint = f"; write {_INSTEAD[name]}"
    return f"{_CONTAINERS.get(kind, kind)} has no {name!r}{hint}"


_CONTAINERS = {
    "Seq": "a sequence", "RecordSeq": "a sequence of records", "Set": "a set", "FreeSet": "a set",
    "RecordSet": "a set of records", "Bag": "a bag", "RecordBag": "a bag of records",
}  # fmt: skip
"""What errors call containers, by the names of their classes."""

_SYNONYMS = (
    ("append", "add", "push", "put", "enqueue", "insert"),
    ("popleft", "dequeue", "shift", "get"),
)
"""Methods that containers of other kinds, or of other languages, have for the same."""

_INSTEAD = {"sort": "s.q[:] = sorted(s.q, ...)", "reverse": "s.q[:] = s.q[::-1]"}
"""What does to a sequence what a method of Python's lists does that it lacks."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most similar to `name`, or abbreviates it; empty for none."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    short = (one for one in known if 1 < len(one) < len(name) and one[0] == name[0])
    if near:
        return near[0]
    return max((one for one in short if _abbreviates(name, one)), key=len, default="")


def _abbreviates(name: str, short: str) -> bool:
    """Whether the letters of `short` are in a name, in order."""
    letters = iter(name)
    return all(letter in letters for letter in short)


class blaming:  # noqa: N801 - it reads as part of a with statement, like contextlib.suppress
    """Turn what the model's code raises in this block into a ModelError that names that code.

    A KeyboardInterrupt, a MemoryError and Tidegate's own errors pass unchanged.

    Parameters
    ----------
    what
        Which code runs, as the subject of a sentence.
    describe
        Returns the state in which it was called, for the text.
    """

    def __init__(self, what: object, describe: Callable[[], object] | None = None) -> None:
        self._what = what
        self._describe = describe

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None and not is_ours(error):
            raise failure(self._what, error, self._describe) from error


def is_ours(error: BaseException) -> bool:
    """Whether it is Tidegate's own, an interrupt or a lack of memory, and not the model's."""
    return isinstance(error, (KeyboardInterrupt, MemoryError, TidegateError))


def at_the_yield(error: BaseException) -> bool:
    """Whether an exception closes the generator that caught it, and comes from no deeper frame."""
    below = error.__traceback__ and error.__traceback__.tb_next
    return isinstance(error, GeneratorExit) and below is None


_MOST_CALLERS = 8
"""Of more callers, as in a deep recursion, some are left out."""


def failure(
    what: object, error: BaseException, describe: Callable[[], object] | None = None
) -> ModelError:
    """Return the error that says which code of the model raised which exception, and where."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - it is the model's code
        text = "an exception without a text"
    state = ""
    if describe:
        # The record itself may be corrupted.
        with suppress(Exception):
            state = f"; in the state {describe()}"
    if len(state) > _LONGEST_STATE:
        state = ""
    name = type(error).__name__
    spot = spot_of(error)
    record = getattr(error, "obj", None)
    if isinstance(error, AttributeError) and error.name and type(record).__module__ != "builtins":
        kind = record if isinstance(record, type) else type(record)
        text = lacks(kind.__name__, dir(record), error.name)
        where = f", in {spot[0]}()" if spot and spot[0].isidentifier() else ""
        failed = placed(f"{what} failed with {name}{where}: {text}", spot and ("", spot[1]), state)
    else:
        colon = ": " if text else ""
        failed = placed(f"{what} failed with {name}{colon}{text}", spot, state)
    failed.details = callers(error)
    return failed


def callers(error: BaseException) -> tuple[str, ...]:
    """Return the user's functions that the one which raised `error` was called by, inner first."""
    inner = [spot for spot in _passed_in_model(error) if is_users(spot[1][0])][:-1]
    lines = [
        f"called by {name}(), {shown(place)}" if name.isidentifier() else f"from {shown(place)}"
        for name, place in reversed(inner)
    ]
    if len(lines) > _MOST_CALLERS:
        left_out = f"... {len(lines) - _MOST_CALLERS + 1} more"
        lines[_MOST_CALLERS - 2 : -1] = [left_out]
    return tuple(lines)


def placed(
    text: str, spot: Spot | None, more: str = "", kind: type[ModelError] = ModelError
) -> ModelError:
    """Return an error whose text is followed by function and line, and then by `more`."""
    where = f", in {spot[0]}()" if spot and spot[0].isidentifier() else ""
    error = kind(f"{text}{where}{more}")
    error.place, error.said = spot[1] if spot else None, text
    return error


def caller() -> FrameType:
    """Return the function of the model that is running."""
    frame = sys._getframe(1)
    while acts_for_caller(frame.f_code) and frame.f_back is not None:
        frame = frame.f_back
    return frame


class MisusedIndexError(ModelError, IndexError):
    """A container of the state fails as a list would, with an error that a model may catch."""


class MisusedKeyError(ModelError, KeyError):
    """A container of the state fails as a set would, with an error that a model may catch."""


class MisusedValueError(ModelError, ValueError):
    """A container of the state fails as a list would, with an error that a model may catch."""


def misused(text: str, kind: type[ModelError] = ModelError) -> ModelError:
    """Return an error whose place is the line of the model that is running."""
    return placed(text, spot_of_caller(), kind=kind)


def spot_of_caller() -> Spot:
    """Return the function of the model that is running, and its line."""
    frame = caller()
    code = frame.f_code
    # The body of a class is not a function.
    name = code.co_name if code.co_flags & inspect.CO_OPTIMIZED else ""
    return name, (code.co_filename, frame.f_lineno)


def about(function: Callable[..., Any], text: str) -> ModelError:
    """Return an error whose place is the first line of a function of the model."""
    error = ModelError(text)
    # The predicate that is made from a witness is in no file of the model.
    written = inspect.unwrap(getattr(function, "witness", function))
    code = getattr(written, "__code__", None)
    error.place = (code.co_filename, code.co_firstlineno) if code else None
    return error


unpacked: dict[Path, str] = {}
"""Temporary directories with files of git revisions, and the revisions."""


def at_revision(file: Path) -> str | None:
    """Return a file of a git revision as people write it, ``rules.py@main``; None for another."""
    for folder, revision in unpacked.items():
        if file.is_relative_to(folder):
            return f"{file.relative_to(folder)}@{revision}"
    return None


def shown(line: Line) -> str:
    """Return a line as people write it, relative to the present directory if it is below it."""
    path = Path(line[0])
    here = Path.cwd()
    file = at_revision(path) or (path.relative_to(here) if path.is_relative_to(here) else path)
    return f"{file}:{line[1]}"


_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0, DEL and C1: terminals act on them, and XML has few of them
    "\xad\u061c\u180e\u200b-\u200f\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible
    "\u2028-\u202e"  # ends of lines and paragraphs, and changes of the direction of writing
    "\ud800-\udfff"  # half of a surrogate pair, which no file in UTF-8 can hold
    "\ufdd0-\ufdef\ufffe\uffff"  # never characters; XML has no U+FFFE and U+FFFF
    "\U000e0000-\U000e007f"  # tags, which are invisible
)
_HIDDEN_IN_LINES = re.compile(f"[{_HIDDEN}]")
_HIDDEN_IN_A_LINE = re.compile(f"[\t\n{_HIDDEN}]")

_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

_COMMAND = re.compile(r"^(\s*)(?=::)|(?<=#)(?=#\[)", re.MULTILINE)


def _as_in_file(text: str) -> str:
    """Return text with the names of classes and functions as the user's file has them."""
    return _MODULE_OF_A_FILE.sub("", text) if PREFIX in text else text


def one_line(text: str) -> str:
    r"""Return text as one line, with every character visible.

    >>> print(one_line("HOLDS\n\x1b[2J\u202e"))
    HOLDS\n\u001b[2J\u202e
    """
    text = _as_in_file(text)
    return text if text.isprintable() else _HIDDEN_IN_A_LINE.sub(_written_out, text)


def printable(text: str) -> str:
    r"""Return text with every character visible; line ends and tabs stay.

    >>> print(printable("two\nlines\r\x9b0m"))
    two
    lines\r\u009b0m
    """
    text = _as_in_file(text)
    return text if text.isprintable() else _HIDDEN_IN_LINES.sub(_written_out, text)


def flat(text: str) -> str:
    r"""Return text as one line, its words with one space between them, every character visible.

    >>> print(flat("two\n  lines\x1b"))
    two lines\u001b
    """
    return " ".join(printable(text).split())


def inert(text: str) -> str:
    r"""Return text in which GitHub Actions finds no command.

    Its runner obeys ``::`` at the beginning of a line, after any spaces, and ``##[`` anywhere
    (actions/runner, ``src/Runner.Common/ActionCommand.cs``).

    >>> print(inert("a::b\n  ::error::c\n##[add-path]d"))
    a::b
      \::error::c
    #\#[add-path]d
    """
    return _COMMAND.sub(r"\1\\", text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT.get(match[0]) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


__all__ = ["flat", "inert", "one_line", "printable"]


def misfit(value: object, kind: Any) -> str:
    """Say what of a value is not of a type, and what it should be; empty if all is.

    A list may stand for a tuple.

    >>> misfit((1, "a"), tuple[int, ...])
    "'a', where a whole number belongs"
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        wrong = [misfit(value, one) for one in inner]
        return "" if "" in wrong else wrong[0]
    if origin is tuple:
        return _misfit_of_tuple(value, inner)
    if origin is dict:
        if not isinstance(value, dict):
            return f"{printed(value)}, where a dictionary belongs"
        return _first(
            misfit(part, one)
            for pair in value.items()
            for part, one in zip(pair, inner, strict=True)
        )
    if not isinstance(value, kind):
        return f"{printed(value)}, where {_NAMES.get(kind, f'a {kind.__name__}')} belongs"
    hints = _hints(kind)
    return _first(misfit(getattr(value, name), hint) for name, hint in hints.items())


def _misfit_of_tuple(value: object, inner: tuple[Any, ...]) -> str:
    if not isinstance(value, (tuple, list)):
        return f"{printed(value)}, where a tuple belongs"
    if inner[1:] == (...,):
        return _first(misfit(part, inner[0]) for part in value)
    if len(value) != len(inner):
        return f"{printed(value)}, where a tuple of {len(inner)} belongs"
    return _first(misfit(part, one) for part, one in zip(value, inner, strict=True))


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind) if is_dataclass(kind) else {}


def _first(wrong: Any) -> str:
    return next(filter(None, wrong), "")


_NAMES = {str: "a text", int: "a whole number", bool: "True or False", NoneType: "None"}


@dataclass(frozen=True)
class Reason:
    """A reason why a search was not compiled.

    Parameters
    ----------
    text
        What cannot be compiled, or why nothing can.
    function
        The function of the model that it is in; empty if it is in none.
    place
        Its file and line.
    """

    text: str
    function: str = ""
    place: Line | None = None

    def __str__(self) -> str:
        return f"{self.text} (in {self.function}, {shown(self.place)})" if self.place else self.text

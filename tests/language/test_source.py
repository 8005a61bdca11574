"""A function is read as its file has it only if that is what Python runs."""

import importlib

import pytest

from tidegate import TidegateError, check
from tidegate.language.source import UnreadableError, described, verified


def test_every_function_is_what_its_source_compiles_to(tmp_path):
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    space = {}
    exec(compile(ODD, str(file), "exec"), space)
    names = ("plain", "annotated", "recursive", "comprehending", "calling")
    functions = [space[name] for name in names]
    functions += [space["make"](3), space["Class"].method, space["Class"]().private, space["again"]]
    functions += [
        space["Class"]().within(),
        space["Class"].above,
        space["nested"](2)().private,
        space["nested"](2).more,
    ]
    for function in functions:
        function = getattr(function, "__func__", function)
        assert verified(function).name == function.__name__
    assert described(space["plain"].__code__) == described(space["twin"]["plain"].__code__)


ODD = '''
from __future__ import annotations
import os.path as paths, sys
from json import decoder
if sys:
    from math import *
    import operator

def calling(s, operator):
    """Of what is imported, attributes are called in another way; also of its namesakes."""
    return paths.join(s) or decoder.scanner(s) or operator.add(s) or s.x() or sys.path.append(s)

def plain(s, k):
    """What it does,
  in lines of its own."""
    return s.x in (1, -2, "a", None, True) or s.y in {1, 2, "b"}

twin = {}
exec(compile("""
def plain(s, k):
    \'\'\'What it does,
  in lines of its own.\'\'\'
    return s.x in (1, -2, "a", None, True) or s.y in {1, 2, "b"}
""", "elsewhere", "exec"), twin)

def annotated(s: State, k: Konst = None, /, n: int = len("abc")) -> bool:
    x: int = s.x
    return x > 0

def recursive(n):
    return recursive(n - 1)

def comprehending(s):
    return any(part.low for part in s.part if all(i for i in range(part.low)))

def make(limit):
    def inner(s, k):
        """A text
        of two lines."""
        return s.x < limit and inner
    return inner

class Class:
    def method(self, s):
        """Another text
that begins where the class does."""
        return s.x

    def private(self):
        return self.__shown

    def within(self):
        return lambda limit: any(self.__shown < n for n in range(limit))

    def above(self, n=max(2, 3, key=lambda i: i)):
        return super().__init__ or n

def nested(limit):
    class Own(Class):
        def private(self):
            return self.__x < limit and super().private()

        more = lambda self, n=lambda: 0: self.__y
    return Own

again = lambda: None
def again(s):
    return s
'''


def test_a_function_whose_file_changed_since_is_not_read(tmp_path):
    file = tmp_path / "odd.py"
    space = {}
    file.write_text(ODD)
    exec(compile(ODD, str(file), "exec"), space)
    file.write_text(ODD.replace("return s\n", "return s.x\n").replace("self.__shown", "self.shown"))
    for function in (space["again"], space["Class"].private):
        with pytest.raises(UnreadableError, match="not what Python runs"):
            verified(function)
    assert verified(space["plain"]).name == "plain"
    with pytest.raises(UnreadableError, match="not at hand"):
        verified(space["twin"]["plain"])


MODEL = """
from dataclasses import dataclass
from tidegate import Model, Record, integer, number

@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "the last number", main=True)

class State(Record):
    at: int = integer(0, 9, "a number")

model = Model(Bounds, State, deadlock=False)

@model.action()
def act(s, k):
    if s.at == k.most:
        return False
    s.at += 1
    return True
"""


def test_a_rule_whose_file_changed_since_is_refused(tmp_path, monkeypatch):
    """What the file says now would be proved of another rule than the one that Python runs."""
    file = tmp_path / "changed_since.py"
    file.write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module(file.stem).model
    file.write_text(MODEL.replace("s.at += 1", "s.at += 2"))
    with pytest.raises(TidegateError, match=r"act, whose source is not what"):
        check(model, properties=["TypeOk"], engine="interpreted")
    file.write_text(MODEL)
    assert check(model, properties=["TypeOk"], engine="interpreted").distinct_states == 4

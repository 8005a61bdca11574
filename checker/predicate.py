"""Predicates over states as a user writes them: ``replica[1].hw == 1 and not LogMatching``.

They are parsed, never run as Python: the allowed expressions are listed here, and everything else
is refused.  Names are those of the declared state (``partition.epoch``, ``message[0].kind``) and of
properties, which are true in a state that satisfies them.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ..core.bounds import unknown
from ..core.layout import State, Variable
from ..core.spec import Property, TidegateError, TransitionSystem

_LONGEST = 500

Value = Callable[[], Any]


class PredicateError(TidegateError):
    """A predicate that is not allowed, or not understood."""


_ORDER: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_EQUAL: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
}


def predicate(
    text: str, system: TransitionSystem[Any, Any], properties: Mapping[str, Property]
) -> Callable[[State], bool]:
    """Return the function that `text` describes.

    Raises
    ------
    PredicateError
        If it is no predicate, with the position and what is allowed there.
    """
    if len(text) > _LONGEST:
        raise PredicateError(f"a predicate has at most {_LONGEST} characters, this has {len(text)}")
    try:
        with warnings.catch_warnings():
            # What Python only warns about, such as an unknown escape, is a mistake.
            warnings.simplefilter("error")
            tree = ast.parse(text.strip(), mode="eval").body
        kind, value = _Reader(text, system, properties).read(tree)
    except SyntaxError as error:
        raise PredicateError(
            f"predicate {text!r}: {error.msg} at character {error.offset}; write one as "
            "replica[1].hw == 1 and not LogMatching"
        ) from None
    except (RecursionError, MemoryError, ValueError):
        raise PredicateError(f"predicate {text!r}: too deeply nested, or not text") from None
    if kind is not bool:
        raise PredicateError(
            f"predicate {text!r} is a {_NAMES[kind]}, neither true nor false; compare it, as in "
            "partition.epoch == 1"
        )

    def holds(state: State) -> bool:
        system.layout.load(state)
        return bool(value())

    return holds


_NAMES: Mapping[type, str] = {int: "number", bool: "truth value", str: "text", set: "set"}


class _Reader:
    """Turns a predicate into functions, and checks the kinds of values."""

    def __init__(
        self, text: str, system: TransitionSystem[Any, Any], properties: Mapping[str, Property]
    ) -> None:
        self.text = text
        self.system = system
        self.properties = {name.lower(): prop for name, prop in properties.items()}
        self.known = [prop.name for prop in properties.values()]
        self.variables = {variable.path: variable for variable in system.layout.variables}

    def read(self, node: ast.expr) -> tuple[type, Value]:
        """Return the kind of value that an expression has, and a function that gives it."""
        if isinstance(node, ast.BoolOp):
            return bool, self._all_or_any(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._of_kind(node.operand, bool)
            return bool, lambda: not inner()
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self._of_kind(node.operand, int)
            return int, lambda: -number()
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            left, right = self._of_kind(node.left, int), self._of_kind(node.right, int)
            compute = _ARITHMETIC[type(node.op)]
            return int, lambda: compute(left(), right())
        if isinstance(node, ast.Compare):
            return bool, self._comparison(node)
        if isinstance(node, ast.Constant) and type(node.value) in (int, bool, str):
            constant = node.value
            return type(constant), lambda: constant
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return self._named(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "len" and len(node.args) == 1:
            # The length of a sequence of a custom model.
            return self._named(ast.Attribute(node.args[0], "length"))
        raise self._refused(
            node, "is not allowed; a predicate has names, numbers, texts, ==, !=, <, <=, >, >=, "
            "in, +, -, and, or, not"
        )  # fmt: skip

    def _all_or_any(self, node: ast.BoolOp) -> Value:
        parts = [self._of_kind(part, bool) for part in node.values]
        if isinstance(node.op, ast.And):
            return lambda: all(part() for part in parts)
        return lambda: any(part() for part in parts)

    def _comparison(self, node: ast.Compare) -> Value:
        """Return a comparison, or a chain of comparisons."""
        operands = [node.left, *node.comparators]
        read = [self.read(operand) for operand in operands]
        links = [
            self._link(node, op, read[index], read[index + 1]) for index, op in enumerate(node.ops)
        ]
        return lambda: all(link() for link in links)

    def _link(
        self,
        node: ast.Compare,
        op: ast.cmpop,
        left: tuple[type, Value],
        right: tuple[type, Value],
    ) -> Value:
        """Return one comparison."""
        (left_kind, one), (right_kind, other) = left, right
        if isinstance(op, (ast.In, ast.NotIn)) and (left_kind, right_kind) == (int, set):
            wanted = isinstance(op, ast.In)
            return lambda: (one() in other()) is wanted
        compare = _EQUAL.get(type(op)) or (_ORDER.get(type(op)) if left_kind is int else None)
        if compare is None or left_kind is not right_kind:
            raise self._refused(
                node,
                f"compares a {_NAMES[left_kind]} with a {_NAMES[right_kind]}; numbers have ==, !=, "
                "<, <=, >, >=, others == and !=, and a number may be 'in' a set",
            )
        chosen = compare
        return lambda: chosen(one(), other())

    def _of_kind(self, node: ast.expr, kind: type) -> Value:
        node_type, value = self.read(node)
        if node_type is not kind:
            raise self._refused(node, f"is a {_NAMES[node_type]}, where a {_NAMES[kind]} belongs")
        return value

    def _named(self, node: ast.expr) -> tuple[type, Value]:
        """Return a property or a variable of the state."""
        name = ast.unparse(node).removeprefix("s.")
        if name.lower() in self.properties:
            prop, system = self.properties[name.lower()], self.system
            return bool, lambda: not system.judge([prop])()
        if f"{name}.mask" in self.variables:
            # A predicate names a set of a custom model as an action does, without `.mask`.
            name = f"{name}.mask"
        if name not in self.variables:
            raise PredicateError(f"predicate {self.text!r}: {self._unknown(name)}")
        return self._variable(self.variables[name])

    def _unknown(self, name: str) -> str:
        """List the known names that are near the wrong one."""
        start = name.partition(".")[0]
        near = [path for path in self.variables if path.startswith(f"{start}.")]
        near = [path for path in near if ".blank" not in path]
        roots = dict.fromkeys(re.split(r"[.\[]", path)[0] for path in self.variables)
        return unknown("variable or property", name, near or [*roots, *self.known])

    def _variable(self, variable: Variable) -> tuple[type, Value]:
        """Return a variable of the state, as people see its value."""
        names = re.findall(r"\w+", variable.path)
        owner: Any = self.system.record
        for name in names[:-1]:
            owner = owner[int(name)] if name.isdecimal() else getattr(owner, name)
        last, show = names[-1], variable.shown
        kind = type(show(variable.low))
        if last.isdecimal():
            index = int(last)
            return kind, lambda: show(owner[index])
        return kind, lambda: show(getattr(owner, last))

    def _refused(self, node: ast.expr, why: str) -> PredicateError:
        return PredicateError(f"predicate {self.text!r}: {ast.unparse(node)!r} {why}")

"""From a plain Python function to LLVM: its calls, and generator expressions in calls."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from enum import EnumType
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ...core.containers import fitted, mask_of, precedes
from ...core.fields import Record, copy_into
from ...language.calls import CallError, Parameters, defaults_of
from ...language.methods import FUNCTIONS
from ...language.names import looked_up
from ...language.scopes import own_returns, read_names, stored
from .builtin_calls import Builtins
from .comprehensions import Comprehensions
from .containers import OF_SETS, Collections
from .dictionaries import Dictionaries
from .element_names import index_in, length_of, still_there
from .function import Mode, Scope
from .growing import KINDS, GrowingDictionaries
from .loops import Loops
from .made import Making
from .name_uses import by_itself
from .own_records import replaced
from .sequences import OF_SEQUENCES, is_ours, is_value
from .syntax import plain_tree
from .tables import UNROLLED
from .values import (
    NOWHERE,
    PASSED,
    Bits,
    Cells,
    Choice,
    Closure,
    Constant,
    Dictionary,
    Distinct,
    Elements,
    Entries,
    Items,
    Made,
    Method,
    Number,
    Places,
    ReplacingError,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    View,
)

if TYPE_CHECKING:
    from .expressions import Expressions


_NUMBERS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.UnaryOp)
"""Expressions that are numbers or truth values, as far as their kind shows."""


@cache
def written_out(function: Callable[..., Any]) -> bool:
    """Whether a function is translated where it is called: its result may be no number.

    A function that says that it returns a number, a truth value or a few numbers is called.
    """
    if "return" in function.__annotations__:
        declared = function.__annotations__["return"]
        if declared is None or declared in (int, bool) or isinstance(declared, EnumType):
            return False
        text = str(declared)
        if text in ("int", "bool", "None") or text.removeprefix("tuple[").startswith("int"):
            return "None" in text and text != "None"
        named = looked_up(function, text)
        return not (isinstance(named, EnumType) and issubclass(named, int))
    try:
        tree = plain_tree(function, keywords=True)
    except UnsupportedError:
        return False
    returned = [node.value for node in own_returns(tree) if node.value is not None]
    return not all(isinstance(value, _NUMBERS) for value in returned)


def _number(value: Value, node: ast.expr) -> Value:
    """Return a number or a truth value, which nobody can change."""
    if not isinstance(value, (Constant, Number, Truth)):
        raise UnsupportedError(f"{ast.unparse(node)}, which changes where it is,")
    return value


def _of_display(node: ast.Dict) -> list[ast.keyword]:
    """Return the keywords for what a call passes as ``**{"name": value}``."""
    names = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    if len(names) < len(node.values):
        raise UnsupportedError(f"{ast.unparse(node)}, which a call passes by **,")
    pairs = zip(names, node.values, strict=True)
    return [ast.copy_location(ast.keyword(str(name), value), value) for name, value in pairs]


_SOME = ast.Name("a collection", ast.Load())


_GIVEN = (abs, bool, divmod, int, len, max, min, sum)
"""Functions of Python's that another one may call, such as ``map``."""

_MAY_WRITE = (ast.Call, ast.NamedExpr)
"""What may change the state, or a name, within an expression."""


class Calls:
    """Translates calls of the model's functions and of a few built-in ones."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.scope, self.unit, self.out = scope, scope.unit, scope.out
        self.expressions, self.records = expressions, expressions.records
        self.sequences = expressions.sequences
        self.known = expressions.known
        self.loops = Loops(scope, expressions, self)
        self.comprehensions = Comprehensions(scope, expressions, self)
        self.collections = Collections(scope, expressions, self)
        self.builtins = Builtins(scope, expressions, self)
        self.making = Making(scope, expressions)
        self.growing = GrowingDictionaries(scope, expressions)
        self.dictionaries = Dictionaries(scope, expressions, self.growing)

    def called(self, node: ast.Call, mode: Mode) -> Value:
        """Return the value of a call."""
        node = self._spread(self._with_names(node))
        if isinstance(node.func, ast.Attribute):
            owner = self.expressions.certain(self.expressions.owner(node.func.value))
            owner = Constant(0) if owner is NOWHERE else owner
            if isinstance(owner, Places):
                return self._called_on_each(owner, node.func, node, mode)
            if isinstance(owner, Entries):
                return self.growing.method(owner, node.func.attr, node)
            if isinstance(owner, Dictionary):
                return self.dictionaries.method(owner, node.func.attr, node)
            result = self.collections.method(owner, node.func.attr, node)
            if result is not None:
                return result
            callee = self.expressions.attribute_of(owner, node.func)
        else:
            callee = self.expressions.expression(node.func)
        if isinstance(callee, Closure):
            return self._closure(callee, *self._arguments(node), node)
        if isinstance(callee, Method):
            if callee.function in OF_SEQUENCES:
                return self.sequences.sequence_call(callee, node)
            if callee.function in OF_SETS:
                return self.collections.set_call(callee, node)
            return self._method_called(callee, node)
        if isinstance(callee, Choice):
            return self._of_table(callee, node, mode)
        if not isinstance(callee, Constant):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        return self._of_known(callee, node, mode)

    def _of_known(self, callee: Constant, node: ast.Call, mode: Mode) -> Value:
        """Return the value of the call of a function or a class that is known."""
        if isinstance(callee.value, partial) and type(callee.value.func) is types.FunctionType:
            positional, named = self._arguments(node)
            fixed = {name: Constant(value) for name, value in callee.value.keywords.items()}
            first = [*map(Constant, callee.value.args), *positional]
            return self.of_model(callee.value.func, first, fixed | named, mode)
        known = self._pythons(callee.value, node)
        if known is not None:
            return known
        if isinstance(callee.value, type) and issubclass(callee.value, Record):
            return self.making.made(callee.value, node)
        if callee.value is replaced:
            return self.making.replaced(node)
        if callee.value is index_in:
            return self.sequences.index(self.known(node.args[0]), node.args[1])
        positional, named = self._arguments(node)
        if callee.value is by_itself:
            return _number(positional[0], node.args[0])
        if callee.value is length_of:
            return self.sequences.length_of(positional[0])
        if callee.value is still_there:
            return self.sequences.still_there(*positional)
        if callee.value is mask_of:
            return self.collections.mask_of(positional[0], node)
        if callee.value is copy_into:
            return self.sequences.copied_into(*positional)
        if callee.value is precedes:
            return self.sequences.precedes(*positional)
        if callee.value is fitted:
            return self.sequences.fitted(*positional)
        if type(callee.value) is types.FunctionType:
            if callee.value in self.unit.intrinsics:
                return self.unit.intrinsics[callee.value](self.out, positional)
            return self.of_model(callee.value, positional, named, mode)
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def _pythons(self, callee: Any, node: ast.Call) -> Value | None:
        """Return the value of the call of a function of Python's, if it is one."""
        kind = next((kind for kind in KINDS if callee is kind), None)
        known = None
        if kind is None or (kind is dict and node.args):
            known = self.builtins.called(callee, node)
        return known or (self.growing.called(kind, node) if kind else None)

    def _of_table(self, table: Choice, node: ast.Call, mode: Mode) -> Value:
        """Return the value of the call of one of the functions of a table."""
        functions = list(dict.fromkeys(table.options))
        if any(type(one) is not types.FunctionType for one in functions):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        which = self.scope.tables.mapped(table, functions.index)
        positional, named = self._arguments(node)

        def of(number: int) -> Value:
            return self.of_model(functions[number], positional, named, mode)

        return self.expressions.one_of(which, len(functions), node, of)

    def _called_on_each(
        self, owner: Places, function: ast.Attribute, node: ast.Call, mode: Mode
    ) -> Value:
        """Return the value of the call of a method of one of several parts of the state."""

        def called(name: ast.Name) -> Value:
            method = ast.copy_location(ast.Attribute(name, function.attr, ast.Load()), function)
            one = ast.copy_location(ast.Call(method, node.args, node.keywords), node)
            return self.called(one, mode)

        return self.expressions.each_place(owner, node, called)

    def _with_names(self, node: ast.Call) -> ast.Call:
        """Return a call with the names of the arguments that it passes by ``**``."""
        if all(part.arg is not None for part in node.keywords):
            return node
        keywords: list[ast.keyword] = []
        for part in node.keywords:
            if part.arg is not None:
                keywords.append(part)
                continue
            if isinstance(part.value, ast.Dict):
                keywords += _of_display(part.value)
                continue
            value = self._by_name(part.value)
            for name, one in zip(value.keys, value.values, strict=True):
                # No name of a model is like this one, and people understand it.
                shown = f"{ast.unparse(part.value)}[{name!r}]"
                self.scope.local[shown] = one
                argument = ast.copy_location(ast.Name(shown, ast.Load()), part.value)
                keywords.append(ast.copy_location(ast.keyword(name, argument), part))
        if len({part.arg for part in keywords}) < len(keywords):
            raise UnsupportedError(f"the call {ast.unparse(node)}, which has an argument twice,")
        return ast.copy_location(ast.Call(node.func, node.args, keywords), node)

    def _spread(self, node: ast.Call) -> ast.Call:
        """Return a call with the elements that it passes by ``*``, if their number is known."""
        if not any(isinstance(part, ast.Starred) for part in node.args):
            return node
        arguments: list[ast.expr] = []
        for part in node.args:
            # What comes before must not change what the star spreads: Python evaluates it first.
            before = any(isinstance(one, _MAY_WRITE) for arg in arguments for one in ast.walk(arg))
            spread = part if isinstance(part, ast.Starred) and not before else None
            elements = self._elements_of(spread) if spread else None
            if elements is None:
                arguments.append(part)
                continue
            before_it = len(arguments)
            for number, element in enumerate(elements):
                # The place tells two stars of one text apart; people don't see it.
                shown = f"{ast.unparse(part)}[{number}]" + " " * before_it
                self.scope.local[shown] = element
                arguments.append(ast.copy_location(ast.Name(shown, ast.Load()), part))
        return ast.copy_location(ast.Call(node.func, arguments, node.keywords), node)

    def _elements_of(self, node: ast.Starred) -> list[Value] | None:
        """Return the elements of an iterable; None if their number is not known, or not small."""
        chosen = self.loops.indexed(self.expressions.value(node.value), node.value)
        length = chosen.length()
        if not isinstance(length, Constant) or length.value > UNROLLED:
            return None
        return [chosen.at(Constant(number)) for number in range(length.value)]

    def _by_name(self, node: ast.expr) -> Dictionary:
        """Return what a call passes by ``**``, which must have names that are known."""
        value = self.expressions.expression(node)
        if isinstance(value, Constant) and type(value.value) is dict:
            return Dictionary(tuple(value.value), tuple(map(Constant, value.value.values())))
        if not isinstance(value, Dictionary):
            raise UnsupportedError(f"{ast.unparse(node)}, which a call passes by **,")
        return value

    def _arguments(self, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
        """Return the values of the arguments of a call."""
        positional = self.expressions.items_of(node.args)
        named = {str(part.arg): self.expressions.value(part.value) for part in node.keywords}
        return positional, named

    def of_model(
        self,
        function: Callable[..., Any],
        positional: list[Value],
        named: dict[str, Value],
        mode: Mode,
    ) -> Value:
        """Return the value of the call of a function of the model."""
        arguments = self.in_order(function, positional, named)
        passed = all(isinstance(argument, PASSED) for argument in arguments)
        if mode is Mode.WHOLE and (written_out(function) or not passed):
            tree = plain_tree(function, keywords=True)
            return self.scope.write_out(function, tree, arguments)
        certain = [self.expressions.certain(part) for part in arguments]
        try:
            return self.invoke(function, certain, mode)
        except ReplacingError:
            # All names for what it replaces are known where it is called.
            tree = plain_tree(function, keywords=True)
            return self.scope.write_out(function, tree, arguments)

    def called_with(self, function: Value, arguments: list[Value], node: ast.expr) -> Value:
        """Return what a function that is an argument, such as a ``key``, returns for values."""
        if isinstance(function, Closure):
            return self._closure(function, arguments, {}, node)
        if isinstance(function, Constant) and type(function.value) is types.FunctionType:
            return self.of_model(function.value, arguments, {}, Mode.WHOLE)
        if isinstance(function, Constant) and function.value in FUNCTIONS and len(arguments) == 2:
            return self.expressions.operated(FUNCTIONS[function.value], *arguments)
        if isinstance(function, Constant) and function.value in _GIVEN:
            names = [ast.Name(self.scope.new_name("argument"), ast.Load()) for _ in arguments]
            spelled = ast.Call(ast.Name(function.value.__name__, ast.Load()), list(names), [])
            target = ast.Tuple([ast.Name(one.id, ast.Store()) for one in names], ast.Store())
            with self.comprehensions.bound(target, Items(tuple(arguments))):
                known = self.builtins.called(function.value, spelled)
            if known is not None:
                return known
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def _closure(
        self, closure: Closure, positional: list[Value], named: dict[str, Value], node: ast.expr
    ) -> Value:
        """Return the value of the call of a function that is defined within another one."""
        parameters = Parameters.of(closure.tree.args)
        optional = reversed(parameters.positional)
        defaults = dict(zip(optional, reversed(closure.defaults), strict=False))
        is_lambda = isinstance(closure.tree, ast.Lambda)
        try:
            bound = parameters.bind(positional, named, defaults)
            if parameters.named or parameters.more or (is_lambda and parameters.rest):
                raise CallError
        except CallError:
            raise UnsupportedError(
                f"the call {ast.unparse(node)}, which does not fit its function,"
            ) from None
        arguments = [bound.values[name] for name in parameters.positional]
        self._refuse_other_variables(closure)
        if isinstance(closure.tree, ast.FunctionDef):
            rest = [Items(bound.rest)] if parameters.rest else []
            return self.scope.write_out(closure.around, closure.tree, [*arguments, *rest])
        outer = self.scope.function
        self.scope.function = closure.around
        names: list[ast.expr] = [ast.Name(n, ast.Store()) for n in parameters.positional]
        target = ast.Tuple(names, ast.Store())
        try:
            with self.comprehensions.bound(target, Items(tuple(arguments))):
                return self.expressions.value(closure.tree.body)
        finally:
            self.scope.function = outer

    def _refuse_other_variables(self, closure: Closure) -> None:
        """Refuse a closure whose variables of generators are other ones where it is called."""
        scope = self.scope
        arguments = {part.arg for part in ast.walk(closure.tree) if isinstance(part, ast.arg)}
        read = read_names(closure.tree) - arguments - stored([closure.tree])
        for name in sorted(read & (scope.hidden | closure.hidden.keys())):
            if name not in scope.hidden or closure.hidden.get(name) is not scope.local[name]:
                raise UnsupportedError(f"{name}, which is another variable where it is called,")

    def _method_called(self, method: Method, node: ast.Call) -> Value:
        """Return the value of the call of a method."""
        owner = method.owner
        of_element = is_value(owner)
        if of_element and not is_ours(method):
            # To a method of the model, `self` is a name for the element, and so a value.
            fixed, of_element = self.sequences.fixed(method), self.scope.pure
            assert isinstance(fixed, Method)
            method = fixed
        with self.scope.reading(of_element):
            arguments = [self.expressions.value(argument) for argument in node.args]
            named = {str(part.arg): self.expressions.value(part.value) for part in node.keywords}
        if is_ours(method):
            return self.call(method, arguments, named)
        return self.of_model(method.function, [method.owner, *arguments], named, Mode.WHOLE)

    def got(self, getter: Method) -> Value:
        """Return what a property of a record is."""
        with self.scope.reading():
            return self.of_model(getter.function, [getter.owner], {}, Mode.WHOLE)

    def call(
        self, method: Method, arguments: list[Value], named: dict[str, Value] | None = None
    ) -> Value:
        """Return the value of the call of a method."""
        function = method.function
        arguments = self.in_order(function, [method.owner, *arguments], named or {})
        certain = [self.expressions.certain(argument) for argument in arguments]
        return self.invoke(function, certain, Mode.WHOLE)

    def asked(self, method: Method, arguments: list[Value]) -> Value:
        """Return the value of a method that an operator calls, which must not write."""
        with self.scope.reading():
            return self.call(method, arguments)

    def invoke(self, function: Callable[..., Any], arguments: list[Value], mode: Mode) -> Value:
        """Emit the call of a function of the model or of the search."""
        compiled = self.unit.function(function, arguments, mode, self.scope.pure)
        self.out.loops.extend(compiled.loops)
        self.scope.compiled.elements.update(compiled.elements)
        self.scope.compiled.reads.update(compiled.reads)
        passed = ", ".join(compiled.passed(arguments))
        call = f'call {compiled.returns} @"{compiled.name}"({passed})'
        if compiled.returns == "void":
            self.out.emit(call)
            return Constant(None)
        result = self.out.value(call)
        if compiled.returns == "i1":
            kinds = compiled.result_kinds
            return Truth(result, compiled.truth_only[0] if compiled.truth_only else "", *kinds)
        if compiled.count == 1:
            return Number(result, compiled.results[0], compiled.result_kinds[0])
        return Items(
            tuple(
                Number(
                    self.out.value(f"extractvalue {compiled.returns} {result}, {number}"),
                    known,
                    compiled.result_kinds[number],
                )
                for number, known in enumerate(compiled.results)
            )
        )

    def in_order(
        self, function: Callable[..., Any], positional: list[Value], named: dict[str, Value]
    ) -> list[Value]:
        """Return the arguments of a call in the order of the function's parameters."""
        parameters = Parameters.of_function(function)
        defaults = {name: Constant(value) for name, value in defaults_of(function).items()}
        try:
            bound = parameters.bind(positional, named, defaults)
        except CallError:
            raise UnsupportedError(
                f"a call of {function.__name__} that does not fit its parameters"
            ) from None
        every = (*parameters.positional, *parameters.named)
        rest: list[Value] = [Items(bound.rest)] if parameters.rest else []
        if bound.more is not None:
            rest.append(Dictionary(tuple(bound.more), tuple(bound.more.values())))
        return [*(bound.values[name] for name in every), *rest]

    def filled(self, value: Value) -> Value:
        """Return a value for its truth: for a set or a sequence, whether it has elements."""
        if isinstance(value, Places):
            each, known = self.expressions.each_place, self.expressions.known
            return each(value, _SOME, lambda name: self.filled(known(name)))
        if isinstance(value, (StateRef, Made)):
            if isinstance(value.sample, (list, tuple)):
                return Constant(len(value.sample))
            for name in ("__bool__", "__len__"):
                if method := self.records.method(value, name):
                    return self.filled(self.asked(method, []))
            return value if isinstance(value.sample, int) else Constant(True)
        if isinstance(
            value, (Bits, Cells, Dictionary, Distinct, Entries, Items, Elements, Span, View)
        ):
            return self.builtins.length(value, _SOME)
        return value

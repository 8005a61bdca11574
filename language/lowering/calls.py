"""Calls of functions, of lambdas, of methods and of classes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from collections.abc import Mapping as Named
from collections.abc import Sequence as Parts
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import EnumMeta
from functools import partial
from inspect import getattr_static
from itertools import chain
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from ...core.fields import Array, declared_parts, lowest, method_of
from ...core.fields import Field as Field_
from ...core.fields import Record as Declaration
from ...core.origins import Origin, origin
from ...core.purity import is_declared_pure
from ...core.values import as_kind, members_of
from ..calls import CallError, Parameters, defaults_of
from ..form import (
    After,
    Apply,
    Bind,
    Call,
    Constant,
    Copy,
    Do,
    Element,
    Expression,
    Function,
    Gather,
    Given,
    Local,
    Make,
    Return,
    Statement,
    Store,
)
from ..forms import refusal
from ..impure import is_users
from ..table import repair
from ..types import (
    CONTAINERS,
    NEVER,
    NOTHING,
    Closure,
    Known,
    Members,
    Never,
    NoJoinError,
    Number,
    OneOf,
    Optional,
    Record,
    Ref,
    Sequence,
    Stream,
    Text,
    Tuple,
    Type,
    is_changeable,
    join,
    join_all,
    named,
)
from ..types import Mapping as Bags
from .access import (
    chosen,
    element_type,
    nothing_behind,
    part_of,
    path,
    stored,
    write_through,
)
from .bags import OF_BAGS, fits_bag
from .displays import items_of, iterable, made_tuple
from .effects import effects, is_simple
from .frame import Frame, Variable, constant, locals_of, number
from .in_turn import in_turn
from .objects import refuse_impure
from .operators import is_set
from .owners import origin_of, root_of
from .pure import call_declared
from .retyping import retyped


@dataclass(eq=False)
class Code:
    """A function within a function, a lambda, or what ``partial`` makes.

    Attributes
    ----------
    frame
        The function that it lies in.
    given
        What its parameters have if a call leaves them out, as slots of that function.
    of
        What ``partial`` calls; then `given` has numbers for the arguments without names.
    """

    tree: ast.FunctionDef | ast.Lambda | None
    frame: Frame
    given: dict[str, Expression] = field(default_factory=dict)
    of: Expression | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return getattr(self.tree, "name", "lambda")


def closure(frame: Frame, node: ast.Lambda | ast.FunctionDef) -> tuple[list[Statement], Expression]:
    """Return a function within the function; its defaults are evaluated here."""
    arguments = node.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    pairs = list(zip(reversed(names), reversed(arguments.defaults), strict=False))
    pairs += [
        (one.arg, default)
        for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    ]
    code, binds = Code(node, frame), list[Statement]()
    for name, default in pairs:
        value = frame.expression(default)
        if not isinstance(value, Constant):
            bind, value = frame.temporary(value, default, name)
            binds.append(bind)
            frame.kept.add(bind.name)
        code.given[name] = value
    return binds, Constant(Closure(code), None)


def lambda_(frame: Frame, node: ast.Lambda) -> Expression:
    """Lower a lambda."""
    binds, value = closure(frame, node)
    if binds:
        what = f"{frame.text(node)} has a default that differs from state to state"
        raise frame.refusal(node, what, "give the function a name in a line before")
    return value


def call(frame: Frame, node: ast.Call) -> Expression:
    """Lower a call."""
    if isinstance(node.func, ast.Attribute):
        result = _method(frame, node, node.func)
        if result is not None:
            return result
    function = frame.expression(node.func)
    if isinstance(function, Constant):
        _refuse_outside(frame, function.value, node)
    positional, named_ = arguments_of(frame, node)
    return called(frame, function, positional, named_, node)


def arguments_of(frame: Frame, node: ast.Call) -> tuple[list[Expression], dict[str, Expression]]:
    """Lower the arguments of a call."""
    positional: list[Expression] = []
    for argument in node.args:
        if not isinstance(argument, ast.Starred):
            positional.append(frame.expression(argument))
            continue
        several = frame.expression(argument.value)
        kind = several.type
        if isinstance(several, Make) and isinstance(kind, (Tuple, Sequence)):
            positional += several.parts
        elif isinstance(kind, Tuple) and isinstance(several, (Local, Constant)):
            positional += items_of(several, kind)
        elif isinstance(kind, Ref) and frame.schema.is_array(kind) and is_simple(several):
            element = frame.schema.element(kind)
            count = len(frame.schema.node(kind))
            positional += [Element(element, several, number(place)) for place in range(count)]
        else:
            positional.append(Apply(kind, "starred", (several,)))
    names: dict[str, Expression] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise frame.refusal(node, f"{frame.text(node)}: arguments by **", "write them by name")
        names[keyword.arg] = frame.expression(keyword.value)
    return positional, names


def _method(frame: Frame, node: ast.Call, func: ast.Attribute) -> Expression | None:
    """Lower the call of a method of a value; None if it is a function of a module or a class."""
    owner = frame.certain(path(frame, func.value))
    kind = owner.type
    if isinstance(kind, Never):
        return owner
    if isinstance(owner, Constant) and isinstance(kind, Known):
        return frame.lowering.known_method(frame, owner, func.attr, node)
    if isinstance(kind, OneOf):
        positional, names = arguments_of(frame, node)

        def of_one(one: Expression) -> Expression:
            result = part_of(frame, one, func.attr, node)
            return called(frame, result, positional, names, node)

        return chosen(frame, owner, kind, node, of_one)
    if isinstance(kind, (*CONTAINERS, Tuple)) or frame.is_listed(kind):
        return frame.lowering.container_method(frame, owner, func.attr, node)
    if isinstance(kind, Number):
        return _method_of_member(frame, owner, kind, node, func)
    declaration = declared_by(frame, kind)
    if isinstance(kind, Text):
        raise frame.refusal(node, refusal(frame.text(node), "a method of a text"))
    if declaration is None:
        raise frame.refusal(node, f"{frame.text(node)}: {named(kind)} has no {func.attr}")
    if func.attr == "assign":
        return _assigned(frame, owner, node)
    function = method_of(declaration, func.attr)
    positional, names = arguments_of(frame, node)
    if function is None:
        result = getattr_static(declaration, func.attr, None)
        inner = getattr(result, "__func__", None)
        if isinstance(result, staticmethod):
            return called(frame, constant(inner), positional, names, node)
        if isinstance(result, classmethod):
            return called(frame, constant(inner), [constant(declaration), *positional], names, node)
        raise frame.refusal(node, f"{frame.text(node)}: {declaration.__name__} has no {func.attr}")
    return called(frame, constant(function), [owner, *positional], names, node)


def declared_by(frame: Frame, kind: Type) -> type | None:
    """Return the class of a record."""
    if isinstance(kind, Record):
        return kind.declaration
    return frame.schema.declaration(kind) if isinstance(kind, Ref) else None


def _method_of_member(
    frame: Frame, owner: Expression, kind: Number, node: ast.Call, func: ast.Attribute
) -> Expression:
    """Lower the call of a method of a number or of a member of an enumeration."""
    result = getattr_static(kind.kind, func.attr, None) if kind.kind is not None else None
    positional, names = arguments_of(frame, node)
    if isinstance(result, FunctionType) and result.__module__ != "enum":
        return called(frame, constant(result), [owner, *positional], names, node)
    if func.attr == "bit_count" and not positional:
        return Apply(Number(0, 64), "bit_count", (owner,))
    if func.attr == "bit_length" and not positional:
        return Apply(Number(0, 64), "bit_length", (owner,))
    raise frame.refusal(
        node, f"{frame.text(node)}: {named(kind)} has no {func.attr} in the language of models"
    )


def _assigned(frame: Frame, owner: Expression, node: ast.Call) -> Expression:
    """Lower ``record.assign(other)``."""
    through = write_through(frame, owner, node)
    if through is not None:
        # Python has a copy under the name, which knows where it was read.
        [other], _ = arguments_of(frame, node)
        check, there = through
        bind, again = frame.temporary(Copy(owner.type, other), node)
        statements = [bind, *check, Store(frame.line_of(node), there, again)]
        if isinstance(owner, Local):
            statements.append(Bind(frame.line_of(node), owner.name, again))
        return After(NOTHING, tuple(statements), constant(None))
    if isinstance(owner.type, Record) and not owner.type.own and root_of(owner) is not None:
        raise nothing_behind(frame, node)
    if isinstance(owner, Local) and not isinstance(owner.type, Ref):
        raise frame.refusal(
            node,
            f"{frame.text(node)} assigns to a record outside of the state",
            "write to its parts, or to the element itself: s.queue[i] = ...",
        )
    [other], _ = arguments_of(frame, node)
    statements = stored(frame, owner, other, node)
    return After(NOTHING, tuple(statements), constant(None))


def called(
    frame: Frame,
    function: Expression,
    positional: Parts[Expression],
    names: Named[str, Expression],
    node: ast.AST,
) -> Expression:
    """Return what a function gives for some arguments."""
    kind = function.type
    if isinstance(kind, Closure):
        return _closure(frame, kind, positional, names, node)
    if isinstance(kind, OneOf):
        return chosen(
            frame, function, kind, node, lambda one: called(frame, one, positional, names, node)
        )
    if isinstance(function, Constant) and callable(function.value):
        return _known(frame, function.value, positional, names, node)
    if isinstance(kind, Optional):
        return called(frame, frame.certain(function), positional, names, node)
    if isinstance(kind, Known) and callable(kind.value):
        # There is one function that it can be, and something may fail before it is called.
        result = _known(frame, kind.value, positional, names, node)
        return After(result.type, (Do(frame.line_of(node), function),), result)
    raise frame.refusal(node, f"{frame.text(node)} calls {named(kind)}")


def _known(
    frame: Frame,
    function: Any,
    positional: Parts[Expression],
    names: Named[str, Expression],
    node: ast.AST,
) -> Expression:
    """Return what a function gives that exists when the file is loaded."""
    refuse_impure(frame, function, node)
    rule = frame.lowering.library(function)
    if rule is not None:
        if function is not chain:
            refuse_stars(frame, positional, node)
        before, again, named_ = in_turn(frame, positional, names, node)
        result: Expression = rule(frame, again, named_, node)
        return After(result.type, tuple(before), result) if before else result
    if is_declared_pure(function):
        return call_declared(frame, function, positional, names, node)
    if isinstance(function, partial):
        first = [constant(one) for one in function.args]
        more = {name: constant(one) for name, one in function.keywords.items()}
        return _known(frame, function.func, [*first, *positional], {**more, **names}, node)
    if isinstance(function, MethodType):
        owner = constant(function.__self__)
        return _known(frame, function.__func__, [owner, *positional], names, node)
    if isinstance(function, EnumMeta):
        return _member(frame, function, positional, node)
    if isinstance(function, type) and issubclass(function, Declaration):
        return record(frame, function, positional, names, node)
    _refuse_outside(frame, function, node)
    if isinstance(function, FunctionType):
        return frame.lowering.call(frame, function, positional, names, node)
    if hasattr(function, "cache_info"):
        raise frame.refusal(node, refusal(frame.text(node), "a function with a cache"))
    method = getattr_static(type(function), "__call__", None)
    if isinstance(method, FunctionType):
        return _known(frame, method, [constant(function), *positional], names, node)
    raise frame.refusal(node, f"{frame.text(node)} calls {named(Known(function))}")


def _refuse_outside(frame: Frame, function: Any, node: ast.AST) -> None:
    """Refuse a function or a class of Python's that the language lacks."""
    own = isinstance(function, EnumMeta) or (
        isinstance(function, type) and issubclass(function, Declaration)
    )
    is_pythons = (
        isinstance(function, FunctionType)
        and origin(function.__code__.co_filename) is Origin.PYTHON
    )
    if not (is_pythons or isinstance(function, (BuiltinFunctionType, type))) or own:
        return
    if frame.lowering.library(function) is None and not is_declared_pure(function):
        if isinstance(function, type) and is_users(sys.modules.get(function.__module__)):
            kind = "a number" if issubclass(function, int) else "an object"
            raise frame.refusal(node, refusal(frame.text(node), f"{kind} of a class of the model"))
        raise frame.refusal(
            node,
            f"{frame.text(node)} is not in the language of models",
            repair(function),
        )


def _member(frame: Frame, kind: Any, positional: Parts[Expression], node: ast.AST) -> Expression:
    """Return the member of an enumeration that has a value."""
    if len(positional) != 1:
        raise frame.refusal(node, f"{frame.text(node)}: an enumeration is called with a number")
    if not issubclass(kind, int) or isinstance(vars(kind).get("_missing_"), classmethod):
        raise frame.refusal(node, f"{frame.text(node)}: {kind.__name__} is none of numbers alone")
    value = frame.number(positional[0], node)
    if isinstance(value, Constant):
        # A number that no member has fails the step, if that comes to it.
        with suppress(ValueError):
            return constant(kind(value.value))
    numbers = [int(one) for one in kind]
    return Apply(Number(min(numbers), max(numbers), kind), "member", (value, constant(kind)))


def record(
    frame: Frame,
    declaration: type,
    positional: Parts[Expression],
    names: Named[str, Expression],
    node: ast.AST,
) -> Expression:
    """Return a record that is made by name."""
    declared = declared_parts(declaration)
    if positional or not names.keys() <= declared.keys():
        takes = ", ".join(f"{part}=..." for part in declared)
        raise frame.refusal(node, f"{frame.text(node)}: write {declaration.__name__}({takes})")
    types = frame.schema.made(declaration)
    binds: list[Statement] = []
    values: dict[str, Expression] = {}
    for name, value in names.items():
        # They are evaluated in the order of the call, and kept in that of the declaration.
        if not isinstance(value, (Constant, Local)) and len(names) > 1:
            bind, value = frame.temporary(value, node, name)
            binds.append(bind)
        values[name] = held(frame, declared[name], types[name], value, node)
    for name, part in declared.items():
        if name not in values and (low := lowest(part)) is not None:
            values[name] = _lowest(types[name], low)
    parts = {name: values[name] for name in declared if name in values}
    kind = Record(declaration, tuple((name, one.type) for name, one in parts.items()))
    made = Make(kind, tuple(parts.values()))
    return After(kind, tuple(binds), made) if binds else made


def _lowest(kind: Type, low: Any) -> Expression:
    """Return the lowest value of a part that is left out."""
    if isinstance(kind, Record):
        parts = tuple(
            _lowest(inner, getattr(low, name)) for name, inner in kind.fields if hasattr(low, name)
        )
        names = [name for name, _ in kind.fields if hasattr(low, name)]
        made = tuple((name, one.type) for name, one in zip(names, parts, strict=True))
        return Make(replace(kind, fields=made), parts)
    if isinstance(kind, Sequence):
        elements = tuple(_lowest(kind.element, one) for one in low)
        return Make(kind, elements)
    if isinstance(kind, Bags):
        return Make(replace(kind, key=NEVER), ())
    if isinstance(kind, CONTAINERS):
        return Make(kind, ())
    return constant(low)


def held(frame: Frame, declared: Any, kind: Type, value: Expression, node: ast.AST) -> Expression:
    """Return a value as a part of a record holds it."""
    if isinstance(declared, Field_):
        refuse_no_member(frame, declared.kind, value, node)
        if not isinstance(value.type, (Number, Never)):
            raise frame.refusal(
                node, f"{frame.text(node)}: {named(value.type)} in a part that is a number"
            )
        low, high = (value.type.low, value.type.high) if isinstance(value.type, Number) else (0, 0)
        if isinstance(value, Constant) and declared.kind is int:
            return value
        return (
            replace(value, type=Number(low, high, declared.kind))
            if not isinstance(value, Constant)
            else _converted(value, declared.kind)
        )
    if isinstance(declared, Array) or isinstance(kind, CONTAINERS):
        if not fits_bag(frame, kind, value.type):
            what = f"{frame.text(node)}: {named(value.type)} in a part that is a bag"
            raise frame.refusal(node, what, OF_BAGS)
        if isinstance(kind, Members) != is_set(frame, value.type) and value.type != NEVER:
            needed = "a set" if isinstance(kind, Members) else "a list"
            raise frame.refusal(
                node, f"{frame.text(node)}: {named(value.type)} in a part that is {needed}"
            )
        value_kind = _as_part(frame, kind, value, node)
        return Apply(value_kind, "held", (value, constant(declared)))
    if isinstance(kind, Record) and declared_by(frame, value.type) is not kind.declaration:
        raise frame.refusal(
            node,
            f"{frame.text(node)}: a part is a {kind.declaration.__name__}, "
            f"and gets {named(value.type)} of another kind",
        )
    return Copy(kind if isinstance(value.type, Ref) else value.type, value)


def refuse_no_member(frame: Frame, kind: Any, value: Expression, node: ast.AST) -> None:
    """Refuse a constant that no member of an enumeration has, and neither truth value."""
    if kind is int or not isinstance(value, Constant) or not isinstance(value.type, Number):
        return
    if value.value not in members_of(kind):
        what = f"{frame.text(node)}: a part is a {kind.__name__}, never {value.value!r}"
        raise frame.refusal(node, what)


def _converted(value: Constant, kind: Any) -> Expression:
    return constant(as_kind(kind, value.value))


def _as_part(frame: Frame, kind: Type, value: Expression, node: ast.AST) -> Type:
    """Return the type of a container as a part of a record."""
    supplied = element_type(frame, value.type)
    if isinstance(supplied, Ref):
        supplied = frame.schema.value(supplied)
    try:
        if isinstance(kind, Bags):
            bag = frame.schema.value(value.type) if isinstance(value.type, Ref) else value.type
            counted = bag if isinstance(bag, Bags) else replace(kind, key=supplied)
            return replace(counted, kind=kind.kind)
        if hasattr(kind, "element"):
            joined = (
                supplied if isinstance(supplied, (Record, Number)) else join(kind.element, supplied)
            )
            return replace(kind, element=joined)  # type: ignore[type-var]
    except NoJoinError:
        raise frame.refusal(
            node, f"{frame.text(node)}: {named(value.type)} does not fit its part"
        ) from None
    return kind


# --- functions of the model


def call_function(
    frame: Frame,
    function: FunctionType,
    positional: Parts[Expression],
    names: Named[str, Expression],
    node: ast.AST,
) -> Expression:
    """Return the call of a function of the model, or of Tidegate's."""
    defaults = {name: constant(one) for name, one in defaults_of(function).items()}
    parameters = Parameters.of_function(function)
    bound, before = bound_arguments(frame, parameters, positional, names, defaults, node)
    return passed_on(
        frame,
        bound,
        before,
        node,
        lambda kinds: frame.lowering.function(function, kinds, node, frame),
    )


def refuse_stars(frame: Frame, positional: Parts[Expression], node: ast.AST) -> None:
    """Refuse arguments whose number depends on the state."""
    if any(map(_is_starred, positional)):
        raise frame.refusal(
            node,
            f"{frame.text(node)}: arguments by *, of which nobody knows how many there are",
            "name them, or pass the list itself",
        )


def _without_stars(
    frame: Frame, parameters: Parameters, positional: Parts[Expression]
) -> tuple[Parts[Expression], Expression | None]:
    """Return the arguments for parameters, and those for ``*values`` as one list of any length.

    There is no such list if the number of arguments is known.
    """
    first = len(parameters.positional)
    rest = positional[first:]
    if parameters.rest is None or not any(map(_is_starred, rest)):
        return positional, None
    pieces = [
        iterable(frame, one.arguments[0], frame.tree)  # type: ignore[attr-defined]
        if _is_starred(one)
        else Make(Sequence(one.type), (one,))
        for one in rest
    ]
    element = join_all(element_type(frame, piece.type) for piece in pieces)
    chained = Apply(Stream(element), "chain", tuple(pieces))
    return positional[:first], Gather(Sequence(element, tuple), chained)


def _is_starred(one: Expression) -> bool:
    return isinstance(one, Apply) and one.name == "starred"


def bound_arguments(
    frame: Frame,
    parameters: Parameters,
    positional: Parts[Expression],
    names: Named[str, Expression],
    defaults: Named[str, Expression],
    node: ast.AST,
) -> tuple[dict[str, Expression], list[Statement]]:
    """Return what each parameter gets, in their order, and what evaluates it before the call."""
    positional, several = _without_stars(frame, parameters, positional)
    refuse_stars(frame, positional, node)
    try:
        bound = parameters.bind(positional, names, defaults)
    except CallError:
        takes = ", ".join(parameters.names)
        raise frame.refusal(
            node, f"{frame.text(node)}: the function takes {takes or 'nothing'}"
        ) from None
    if bound.more:
        raise frame.refusal(node, f"{frame.text(node)}: arguments for **", "name the parameters")
    values = dict(bound.values)
    if parameters.rest is not None:
        values[parameters.rest] = several or made_tuple(bound.rest)
    if parameters.more is not None:
        values[parameters.more] = constant({})
    before: list[Statement] = []
    if list(names) != [name for name in values if name in names]:
        # The order of a call's keywords is that in which they are evaluated.
        for name in names:
            if not isinstance(values[name], (Constant, Local)):
                bind, values[name] = frame.temporary(values[name], node, name)
                before.append(bind)
    return {name: values[name] for name in parameters.names if name in values}, before


def passed_on(
    frame: Frame,
    arguments: Named[str, Expression],
    before: list[Statement],
    node: ast.AST,
    lower: Callable[[dict[str, Type]], Function],
) -> Expression:
    """Return a call, once it is clear what the function gets; what it changes comes back."""
    values: dict[str, Expression] = {}
    for name, value in arguments.items():
        frame.refuse_stream(value, node)
        kind, more = passed(frame, name, value, node)
        values[name] = Constant(kind, None) if isinstance(kind, Closure) else value
        values |= more
    types = {name: value.type for name, value in values.items()}
    for name, value in arguments.items():
        if isinstance(value.type, Closure):
            types[name] = passed(frame, name, value, node)[0]
    function = lower(types)
    for form in function.replaces:
        frame.replaced(form, node)
    frame.scope = replace(frame.scope, aliases=frame.scope.aliases | function.aliases)
    frame.made.aliases |= function.aliases
    back = _changed_arguments(frame, function, values, node)
    for name, form in function.stored:
        frame.stores(form, values[name])
    result = Call(function.result, function, tuple(values.values()), back)
    return After(function.result, tuple(before), result) if before else result


def _changed_arguments(
    frame: Frame, function: Function, values: Named[str, Expression], node: ast.AST
) -> tuple[tuple[str, Expression], ...]:
    """Return the names here of what a function changes, once that is noted."""
    back: list[tuple[str, Expression]] = []
    for name in function.parameters:
        if name not in function.changes:
            continue
        value = values[name]
        origin = origin_of(value, frame.scope.sharing)
        root = root_of(value)
        if isinstance(value, Constant):
            raise frame.refusal(
                node,
                f"{frame.text(node)} changes a value of the file, which outlives the step",
                "copy it first",
            )
        if root is None:
            if origin.same or origin.within:
                raise frame.refusal(
                    node,
                    f"{frame.text(node)} changes what has other names here",
                    "give it a name first, or a copy",
                )
            continue
        frame.changed(root, True, node)
        others = [other for key, other in values.items() if key != name and root_of(other) == root]
        if any(is_changeable(other.type) for other in others):
            raise frame.refusal(
                node, f"{frame.text(node)} gets one value twice, and changes it", "give it a copy"
            )
        back.append((name, value))
        retyped(frame, value, function.slots[name], node)
    return tuple(back)


def passed(
    frame: Frame, name: str, value: Expression, node: ast.AST
) -> tuple[Type, dict[str, Expression]]:
    """Return the type of an argument, and what else goes with it: what a function captures."""
    if not isinstance(value.type, Closure):
        return value.type, {}
    if name.count(".") > _DEEPEST:
        raise frame.refusal(node, refusal(value.type.function.name, "which calls itself"))
    captured: list[tuple[str, str, Type]] = []
    more: dict[str, Expression] = {}
    for inner, slot in captured_by(frame, value.type, node).items():
        place = f"{name}.{inner}"
        kind, deeper = passed(frame, place, slot, node)
        captured.append((inner, place, kind))
        more |= {place: Constant(kind, None) if isinstance(kind, Closure) else slot, **deeper}
    return Closure(value.type.function, tuple(captured)), more


_DEEPEST = 12
"""The most functions within a function each of which the next one captures."""


def captured_by(frame: Frame, kind: Closure, node: ast.AST) -> dict[str, Expression]:
    """Return what a function within the function uses of what is around it, by name."""
    code: Code = kind.function
    if kind.captured or code.frame is not frame:
        if code.frame is not frame and not kind.captured and _free(code):
            raise frame.refusal(
                node,
                f"{code.name}, a function of another function that has returned",
                "define it in the file",
            )
        return {name: _slot(slot, inner) for name, slot, inner in kind.captured}
    result: dict[str, Expression] = {}
    for name in _free(code):
        here = frame.local(name, node)
        if here is not None:
            result[name] = here
    result |= {f"={name}": value for name, value in code.given.items()}
    if code.of is not None:
        result["=of"] = code.of
    return result


def _slot(slot: str, kind: Type) -> Expression:
    if isinstance(kind, Closure):
        return Constant(kind, None)
    return Constant(kind, kind.value) if isinstance(kind, Known) else Local(kind, slot)


def _free(code: Code) -> list[str]:
    """Return the names that a function uses and the one around it has."""
    if code.tree is None:
        return []
    own, around = locals_of(code.tree), code.frame
    names = [one.id for one in ast.walk(code.tree) if isinstance(one, ast.Name)]
    return [
        name
        for name in dict.fromkeys(names)
        if name not in own and (name in locals_of(around.tree) or name in around.scope.names)
    ]


def _closure(
    frame: Frame,
    kind: Closure,
    positional: Parts[Expression],
    names: Named[str, Expression],
    node: ast.AST,
) -> Expression:
    """Return the call of a function within the function, which gets what it captures, too."""
    code: Code = kind.function
    tree = code.tree
    captured = captured_by(frame, kind, node)
    supplied = {name[1:]: value for name, value in captured.items() if name.startswith("=")}
    if tree is None:
        first = [supplied[str(n)] for n in range(len(supplied)) if str(n) in supplied]
        named_ = {
            name: one for name, one in supplied.items() if not name.isdigit() and name != "of"
        }
        return called(frame, supplied["of"], [*first, *positional], {**named_, **names}, node)
    parameters = Parameters.of(tree.args)
    bound, before = bound_arguments(frame, parameters, positional, names, supplied, node)
    free = {name: value for name, value in captured.items() if not name.startswith("=")}

    def lower(kinds: dict[str, Type]) -> Function:
        return frame.lowering.closure(code, tree, kinds, node)

    return passed_on(frame, {**bound, **{f"^{n}": v for n, v in free.items()}}, before, node, lower)


# --- functions as arguments of Python's


def given(frame: Frame, function: Expression, kinds: Parts[Type], node: ast.AST) -> Given:
    """Return a function that one of Python's calls, for arguments of some types."""
    names = [f"x{number}" for number in range(len(kinds))]
    made = Function("key", frame.made.file, frame.line_of(node), tuple(names))
    inner = Frame(frame.lowering, frame.function, frame.tree, made)
    captured: dict[str, Expression] = {}
    if isinstance(function.type, Closure):
        kind, captured = passed(frame, "f", function, node)
        function = Constant(kind, None)
    elif not isinstance(function, Constant):
        raise frame.refusal(
            node, f"{frame.text(node)}: the function is chosen in the call", "choose it before"
        )
    made.parameters = (*names, *captured)
    made.slots |= dict(zip(names, kinds, strict=True))
    made.slots |= {name: one.type for name, one in captured.items()}
    for name, one in made.slots.items():
        inner.scope = inner.scope.given(
            name, Variable(name, one), origin_of(constant(0), inner.scope.sharing)
        )
    arguments = [inner.local(name, node) or constant(0) for name in names]
    result = called(inner, function, arguments, {}, node)
    made.body, made.result = (Return(frame.line_of(node), result),), result.type
    if made.changes or effects(result, reads=True):
        raise frame.refusal(
            node, f"{frame.text(node)}: the function changes what it gets", "write a loop"
        )
    return Given(result.type, made, tuple(captured.values()))


EXPRESSIONS: dict[type[ast.AST], Callable[[Frame, Any], Expression]] = {
    ast.Call: call, ast.Lambda: lambda_,
}  # fmt: skip
"""How each kind of expression of this module is lowered."""

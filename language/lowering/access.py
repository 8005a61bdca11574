"""Names, attributes, indices and slices: what an expression reads, and where a statement writes."""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import replace
from enum import Enum
from inspect import getattr_static
from types import FunctionType
from typing import Any

from ...core.containers import Bag, Set
from ...core.errors import lacks
from ...core.fields import declared_parts, getter_of, method_of
from ...core.indices import literal_of
from ..form import (
    After,
    Apply,
    Arithmetic,
    Choose,
    Constant,
    Element,
    Expression,
    Fail,
    Gather,
    If,
    Item,
    Length,
    Local,
    Lookup,
    Make,
    Not,
    Part,
    Slice,
    Statement,
    Store,
)
from ..schema import Schema
from ..types import (
    BOOL,
    NEVER,
    Known,
    Mapping,
    Never,
    Number,
    OneOf,
    Optional,
    Record,
    Ref,
    Sequence,
    Span,
    Text,
    Tuple,
    Type,
    join_all,
    named,
)
from . import objects
from .effects import adds_entry, effects, form_of, names_in, writes_state
from .frame import Frame, LoweringError, Read, constant, locals_of, number
from .owners import root_of
from .retyping import keyed, retyped


def name(frame: Frame, node: ast.Name) -> Expression:
    """Lower a name."""
    if node.id in frame.lazy:
        return frame.expression(frame.lazy[node.id])
    known = frame.local(node.id, node)
    if known is not None:
        return known
    if node.id in locals_of(frame.tree):
        # It is assigned later, in a loop that comes back to here.
        return Local(NEVER, node.id, sure=False)
    return frame.free(node.id, node)


def literal(frame: Frame, node: ast.Constant) -> Expression:
    """Lower a number, a truth value, a text or None."""
    frame.refuse_fraction(node.value, node)
    return constant(node.value)


def attribute(frame: Frame, node: ast.Attribute) -> Expression:
    """Lower the reading of an attribute."""
    if node.attr == "get" and isinstance(node.value, ast.Name):
        owner = frame.expression(node.value)
        if isinstance(owner.type, Mapping):
            # As an argument, ``max(votes, key=votes.get)``, it is a function of a key.
            return frame.expression(_as_function(node))
    return part_of(frame, frame.expression(node.value), node.attr, node)


def _as_function(node: ast.Attribute) -> ast.Lambda:
    """Return the function of a method with one argument: ``lambda key: votes.get(key)``."""
    key = ast.arg("key")
    call = ast.Call(node, [ast.Name("key", ast.Load())], [])
    none: list[Any] = []
    function = ast.Lambda(ast.arguments(none, [key], None, none, none, None, none), call)
    ast.copy_location(function, node)
    return ast.fix_missing_locations(function)


def part_of(frame: Frame, owner: Expression, attr: str, node: ast.AST) -> Expression:
    """Return an attribute of a value."""
    owner = frame.certain(owner)
    kind = owner.type
    if isinstance(kind, Never):
        return owner
    if isinstance(kind, Ref):
        result = frame.schema.part(kind, attr)
        if result is not None:
            return Part(result, owner, attr)
        declaration = frame.schema.declaration(kind)
        if declaration is not None:
            return _defined(frame, owner, declaration, attr, node)
    if isinstance(kind, Record):
        field = kind.field(attr)
        if field is not None:
            return Part(field, owner, attr)
        return _defined(frame, owner, kind.declaration, attr, node)
    if isinstance(kind, Number) and kind.kind is not None and issubclass(kind.kind, Enum):
        return _of_member(frame, owner, kind.kind, attr, node)
    if isinstance(kind, OneOf):
        return _of_one(frame, owner, kind, attr, node)
    if isinstance(owner, Constant):
        return _of_known(frame, owner, attr, node)
    repair = "write the operator itself, as in lambda i: TABLE[i]" if attr[:2] == "__" else ""
    raise frame.refusal(node, f"{frame.text(node)}: {named(kind)} has no {attr}", repair)


def _defined(
    frame: Frame, owner: Expression, declaration: type, attr: str, node: ast.AST
) -> Expression:
    """Return what a declaration defines besides its parts."""
    getter = getter_of(declaration, attr)
    if getter is not None:
        read = frame.lowering.call(frame, getter, [owner], {}, node)
        if writes_state(read) or effects(read):
            raise frame.refusal(
                node, f"{frame.text(node)} is a property that writes", "write a method, and call it"
            )
        return read
    result = getattr_static(declaration, attr, None)
    if isinstance(result, (int, str, tuple, frozenset)) and not attr.startswith("__"):
        return constant(result)
    if method_of(declaration, attr) is not None or result is not None:
        raise frame.refusal(
            node, f"{frame.text(node)}, a method without a call", "call it where it is used"
        )
    raise frame.refusal(node, lacks(declaration.__name__, declared_parts(declaration), attr))


def _of_member(frame: Frame, owner: Expression, kind: type, attr: str, node: ast.AST) -> Expression:
    """Return an attribute of a member of an enumeration."""
    result = getattr_static(kind, attr, None)
    getter = result.fget if isinstance(result, property) else None
    if isinstance(getter, FunctionType) and getter.__module__ != "enum":
        return frame.lowering.call(frame, getter, [owner], {}, node)
    if isinstance(owner, Constant):
        return _of_known(frame, owner, attr, node)
    if attr == "value":
        return replace(owner, type=_plain_number(owner.type))
    members: Any = kind
    table = {int(member): getattr(member, attr) for member in members}
    return Lookup(join_all(constant(one).type for one in table.values()), constant(table), owner)


def _plain_number(kind: Type) -> Type:
    return replace(kind, kind=int) if isinstance(kind, Number) else kind


def _of_known(frame: Frame, owner: Constant, attr: str, node: ast.AST) -> Expression:
    """Return an attribute of what exists when the file is loaded."""
    value = owner.value
    if attr in frame.lowering.switches:
        return Part(BOOL, owner, attr)
    computed = objects.read(frame, owner, attr, node)
    if computed is not None:
        return computed
    try:
        result = getattr(value, attr)
    except Exception as error:
        what = f"{frame.text(node)}: {type(error).__name__}: {error}"
        if isinstance(error, AttributeError) and attr not in dir(value):
            what = lacks(getattr(value, "__name__", type(value).__name__), dir(value), attr)
        raise frame.refusal(node, what) from error
    frame.refuse_fraction(result, node)
    return constant(result)


def _of_one(frame: Frame, owner: Expression, kind: OneOf, attr: str, node: ast.AST) -> Expression:
    """Return an attribute of one of several known values."""
    return chosen(frame, owner, kind, node, lambda one: part_of(frame, one, attr, node))


def chosen(frame: Frame, which: Expression, kind: OneOf, node: ast.AST, lower: Any) -> Expression:
    """Return the result for each of several known values, by which of them it is."""
    before: list[Statement] = []
    if not isinstance(which, Local):
        bind, which = frame.temporary(which, node, "which")
        before.append(bind)
    results = frame.branches(*(lambda one=one: lower(constant(one)) for one in kind.options))
    common = join_all(one.type for one in results)
    result = results[-1]
    for option, one in reversed(list(zip(kind.options, results, strict=True))[:-1]):
        test = Apply(BOOL, "is", (which, constant(option)))
        result = Choose(common, test, one, result)
    return After(common, tuple(before), result) if before else result


def subscript(frame: Frame, node: ast.Subscript) -> Expression:
    """Lower an index or a slice."""
    owner = frame.certain(frame.expression(node.value))
    if isinstance(node.slice, ast.Slice):
        return sliced(frame, owner, node, node.slice)
    return element_of(frame, owner, node.slice, node)


def element_of(
    frame: Frame, owner: Expression, index: ast.expr, node: ast.AST, read: bool = True
) -> Expression:
    """Return what lies at an index or under a key."""
    if isinstance(owner.type, Never):
        return owner
    answer = frame.lowering.asked(frame, owner, ("__getitem__",), node, [index])
    if answer is not None:
        return answer
    kind = owner.type
    if isinstance(kind, Mapping):
        key = frame.expression(index)
        if read and effects(key):
            bind, again = frame.temporary(key, index)
            return After(
                kind.value, (bind,), read_entry(frame, lookup(owner, kind, again, None), node)
            )
        result = lookup(owner, kind, key, None)
        return read_entry(frame, result, node) if read else result
    if isinstance(owner, Constant) and isinstance(kind, Known):
        return _of_table(frame, owner, index, node)
    if isinstance(kind, Ref) and isinstance(frame.schema.node(kind), Bag):
        at = frame.number(frame.expression(index), index)
        counts = Part(Ref(f"{kind.form}.counts"), owner, "counts")
        return Element(frame.schema.element(Ref(f"{kind.form}.counts")), counts, at)
    if isinstance(kind, Tuple):
        return _item(frame, owner, kind, frame.expression(index), node)
    if isinstance(kind, Ref) and isinstance(frame.schema.node(kind), Set):
        raise frame.refusal(node, f"{frame.text(node)}: a set has no indices", "write x in the set")
    if not isinstance(kind, Sequence) and not frame.is_listed(kind) and not isinstance(kind, Span):
        raise frame.refusal(node, f"{frame.text(node)}: {named(kind)} has no elements by number")
    return at_index(frame, owner, index, node, read)


def at_index(
    frame: Frame, owner: Expression, index: ast.expr, node: ast.AST, read: bool = True
) -> Expression:
    """Return the element with an index; one that is written below 0 counts from the end."""
    kind = owner.type
    element = element_type(frame, kind)
    own = not isinstance(kind, Ref)
    back = literal_of(index)
    if back is None:
        at = frame.number(frame.expression(index), index)
        if own and read and effects(at):
            bind, again = frame.temporary(at, index)
            return After(element, (bind,), Element(element, owner, again, from_end=own))
        return Element(element, owner, at, from_end=own)
    if not isinstance(kind, Ref):
        return Element(element, owner, number(back), from_end=True)
    last = Arithmetic(
        Number(back, frame.schema.most(kind)), "sub", Length(Number(0), owner), number(-back)
    )
    return Element(element, owner, last)


def element_type(frame: Frame, kind: Type) -> Type:
    """Return the type of what something yields, one by one."""
    return yielded_type(frame.schema, kind)


def yielded_type(schema: Schema, kind: Type) -> Type:
    """Return the type of what something yields, one by one."""
    if isinstance(kind, Ref):
        return schema.element(kind)
    if isinstance(kind, Span):
        return kind.numbers
    if isinstance(kind, Tuple):
        return join_all(kind.items)
    if isinstance(kind, Mapping):
        return kind.key
    return kind.element if hasattr(kind, "element") else NEVER


def _item(
    frame: Frame, owner: Expression, kind: Tuple, index: Expression, node: ast.AST
) -> Expression:
    """Return an item of a tuple whose length is known."""
    at = frame.number(index, node)
    if isinstance(at, Constant):
        if not -len(kind.items) <= at.value < len(kind.items):
            raise frame.refusal(node, f"{frame.text(node)}: the tuple has {len(kind.items)} items")
        place = at.value % len(kind.items)
        return Item(kind.items[place], owner, place)
    common = join_all(kind.items)
    return Element(common, owner, at, from_end=True)


def lookup(owner: Expression, kind: Mapping, key: Expression, default: Expression | None) -> Lookup:
    """Return what a dictionary has for a key, or the default."""
    value = kind.value
    if default is not None:
        value = join_all([value, default.type])
    return Lookup(value, owner, key, default)


def read_entry(frame: Frame, one: Expression, node: ast.AST) -> Expression:
    """Return an entry for reading; a defaultdict has the key from then on."""
    if isinstance(one, Lookup) and adds_entry(one) and isinstance(one.of.type, Mapping):
        note_change(frame, one.of, node, is_part=False)
        kind = keyed(frame, one.of.type, one.key.type, one.type, node)
        retyped(frame, one.of, kind, node)
    return one


def _of_table(frame: Frame, owner: Constant, index: ast.expr, node: ast.AST) -> Expression:
    """Return the entry of a table of functions, classes or records of the file."""
    objects.refuse_computed(frame, owner, ("__getitem__", "__missing__"), node)
    at, table = frame.expression(index), owner.value
    if isinstance(at, Constant):
        try:
            return constant(table[at.value])
        except (LookupError, TypeError) as error:
            raise frame.refusal(
                node, f"{frame.text(node)}: {type(error).__name__}: {error}"
            ) from error
    if not isinstance(table, (dict, list, tuple)):
        raise frame.refusal(
            node, f"{frame.text(node)}: {named(owner.type)} has no elements by number"
        )
    entries = table.values() if isinstance(table, dict) else table
    options = list({id(entry): entry for entry in entries}.values())
    kind = constant(options[0]).type if len(options) == 1 else OneOf(tuple(options))
    if isinstance(table, dict):
        return Lookup(kind, owner, at)
    return Element(kind, owner, frame.number(at, index), from_end=True)


def sliced(frame: Frame, owner: Expression, node: ast.AST, chosen: ast.Slice) -> Expression:
    """Lower a slice."""
    kind = owner.type
    if isinstance(kind, Never):
        return owner
    if isinstance(kind, Sequence) and kind.kind is deque:
        raise frame.refusal(
            node, f"{frame.text(node)}: a deque has no slices", "write list(...) around it"
        )
    if isinstance(kind, Text) or not (
        isinstance(kind, (Sequence, Tuple, Span)) or frame.is_listed(kind)
    ):
        raise frame.refusal(node, f"{frame.text(node)}: {named(kind)} has no slices")
    if isinstance(kind, Span):
        kind = Sequence(kind.numbers)
        owner = Gather(kind, owner)
    if isinstance(kind, Tuple):
        result = _sliced_tuple(frame, owner, kind, chosen)
        if result is not None:
            return result
    result_type: Type
    if isinstance(kind, Ref):
        result_type = Sequence(element_type(frame, kind))
    elif isinstance(kind, Tuple):
        result_type = Sequence(join_all(kind.items), tuple)
    else:
        result_type = kind if isinstance(kind, Sequence) else Sequence(NEVER)
    if chosen.step is not None and ast.unparse(chosen.step) == "-1":
        return Apply(result_type, "backwards", (owner,))
    ends = [_end(frame, owner, one) for one in (chosen.lower, chosen.upper)]
    if not any(one is not None and writes_state(one) for one in ends):
        return Slice(result_type, owner, *ends)
    # What they change, the slice has.
    binds, owner = settled(frame, owner, node, all_of_it=True)
    again: list[Expression | None] = []
    for one in ends:
        if one is not None:
            bind, one = frame.temporary(one, node)
            binds.append(bind)
        again.append(one)
    return After(result_type, tuple(binds), Slice(result_type, owner, *again))


def _sliced_tuple(
    frame: Frame, owner: Expression, kind: Tuple, chosen: ast.Slice
) -> Expression | None:
    """Return some of the items of a tuple whose length is known, if the bounds are known, too."""
    ends = [None if one is None else frame.expression(one) for one in (chosen.lower, chosen.upper)]
    if any(one is not None and not isinstance(one, Constant) for one in ends):
        return None
    if not isinstance(owner, Local) and not isinstance(owner, (Constant, Make)):
        return None
    first, last = (one.value if isinstance(one, Constant) else None for one in ends)
    step = -1 if chosen.step is not None and ast.unparse(chosen.step) == "-1" else None
    some = range(len(kind.items))[first:last:step]
    if isinstance(owner, Constant):
        return constant(owner.value[first:last:step])
    parts = (
        owner.parts
        if isinstance(owner, Make)
        else tuple(Item(kind.items[i], owner, i) for i in range(len(kind.items)))
    )
    return Make(Tuple(tuple(kind.items[i] for i in some)), tuple(parts[i] for i in some))


def _end(frame: Frame, owner: Expression, node: ast.expr | None) -> Expression | None:
    """Return the bound of a slice."""
    if node is None:
        return None
    back = literal_of(node)
    if back is not None:
        return number(back)
    value = frame.expression(node)
    if isinstance(value.type, Optional):
        return value
    if isinstance(value, Constant) and value.value is None:
        return None
    bound = frame.number(value, node)
    if isinstance(owner.type, Ref) and isinstance(bound, Constant) and bound.value < 0:
        # Only one that is written as a number counts from the end, so this one fails.
        return After(Number(), (Fail(frame.line_of(node)),), bound)
    return bound


# --- where a statement writes


def _is_in_set(frame: Frame, owner: Expression) -> bool:
    """Whether a path leads into a member of a set or a bag of records, which is in order."""
    while isinstance(owner, (Part, Element, Item)):
        kind, listed = owner.of.type, isinstance(owner, Element)
        if listed and isinstance(kind, Ref) and not frame.schema.is_sequence(kind):
            return True
        owner = owner.of
    return False


def target_of(frame: Frame, node: ast.expr) -> Expression:
    """Return what an assignment replaces: a variable, a part, an element or the value of a key."""
    if isinstance(node, ast.Attribute):
        owner = path(frame, node.value)
        if isinstance(owner.type, Never):
            return owner
        if _is_in_set(frame, owner):
            what = f"{frame.text(node)} is written, and is a value of a set or a bag"
            raise frame.refusal(node, what, "remove it, and add another one")
        result = part_of(frame, owner, node.attr, node)
        if not isinstance(result, Part):
            raise frame.refusal(node, f"{frame.text(node)} is assigned, and declares nothing")
        return result
    assert isinstance(node, ast.Subscript)
    return element_of(frame, path(frame, node.value), node.slice, node, read=False)


def path(frame: Frame, node: ast.expr) -> Expression:
    """Lower the target of a change: a place of the state, or a part of what a name stands for."""
    if isinstance(node, ast.Attribute):
        return part_of(frame, path(frame, node.value), node.attr, node)
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        one = element_of(frame, path(frame, node.value), node.slice, node, read=False)
        if isinstance(one, Lookup) and adds_entry(one) and root_of(one.of) in names_in(one.key):
            raise frame.refusal(
                node,
                f"{frame.text(node)} may add a key, and {frame.text(node.slice)} reads the keys",
                f"give {frame.text(node.slice)} a name in a line before this one",
            )
        return read_entry(frame, one, node)
    return frame.expression(node)


def is_path(owner: Expression) -> bool:
    """Whether an expression says where something lies, and so can be changed."""
    while isinstance(owner, (Part, Element, Item, Lookup)) and not isinstance(owner.type, Ref):
        if isinstance(owner, Lookup) and owner.default is not None:
            return False
        owner = owner.of
    return isinstance(owner, (Local, Constant)) or isinstance(owner.type, Ref)


def stored(frame: Frame, target: Expression, value: Expression, node: ast.AST) -> list[Statement]:
    """Return the writing of a value where a target says."""
    line = frame.line_of(node)
    frame.refuse_stream(value, node)
    if not is_path(target):
        raise frame.refusal(
            node, f"{frame.text(node)} changes what has no name", "give it a name first"
        )
    through = write_through(frame, target, node)
    if through is not None:
        if (root := root_of(target)) is not None:
            frame.changed(root, deep=False, node=node)
        bind, again = frame.temporary(value, node)
        check, there = through
        return [bind, *check, Store(line, there, again), Store(line, target, again)]
    note_change(frame, target, node, is_part=True)
    return [Store(line, target, value)]


def note_change(frame: Frame, target: Expression, node: ast.AST, is_part: bool) -> None:
    """Note which name's value changes, if it is not the state.

    Parameters
    ----------
    is_part
        Whether the target is a part of what changes, and not the container itself.
    """
    root = root_of(target)
    inner: Expression = target
    depth = 0
    while isinstance(inner, (Part, Element, Item, Lookup)) and not isinstance(inner.type, Ref):
        if isinstance(inner.of.type, Ref):
            frame.written(form_of(inner), node)
            return
        inner, depth = inner.of, depth + 1
    if isinstance(inner.type, Ref):
        frame.written(inner.type.form, node)
        return
    if root is None:
        if isinstance(inner, Constant):
            raise frame.refusal(
                node,
                f"{frame.text(node)} was made when the file was loaded, and outlives the step",
                "make it a variable of the state",
            )
        return
    frame.changed(root, depth > is_part, node)


def settled(
    frame: Frame, place: Expression, node: ast.AST, all_of_it: bool = False
) -> tuple[list[Statement], Expression]:
    """Return a place whose indices can be evaluated again, and what evaluates them once before.

    Parameters
    ----------
    all_of_it
        Whether that holds for each index; else for those alone that change something.
    """
    binds: list[Statement] = []

    def again(one: Expression) -> Expression:
        if isinstance(one, (Part, Item)):
            return replace(one, of=again(one.of))
        if not isinstance(one, (Element, Lookup)):
            return one
        owner = again(one.of)
        at = one.index if isinstance(one, Element) else one.key
        if not isinstance(at, (Constant, Local)) and (all_of_it or effects(at)):
            bind, at = frame.temporary(at, node)
            binds.append(bind)
        if isinstance(one, Element):
            return replace(one, of=owner, index=at)
        return replace(one, of=owner, key=at)

    return binds, again(place)


def write_through(
    frame: Frame, target: Expression, node: ast.AST
) -> tuple[list[Statement], Expression] | None:
    """Return the check and the place of a write through a name for an element of the state.

    None if the target is written directly.

    Raises
    ------
    LoweringError
        If it is a value that nothing in the state stands behind.
    """
    chain: list[Part | Element | Item] = []
    inner = target
    while isinstance(inner, (Part, Element, Item)) and not isinstance(inner.of.type, Ref):
        chain.append(inner)
        inner = inner.of
    if not isinstance(inner, Local) or not isinstance(inner.type, Record):
        if _goes_through_value(target):
            raise nothing_behind(frame, node)
        return None
    if inner.type.own:
        return None
    variable = next((v for v in frame.scope.names.values() if v.slot == inner.name), None)
    if variable is None or variable.read is None:
        raise nothing_behind(frame, node)
    read = variable.read
    element = Element(inner.type, read.of, Local(Number(0), read.index))
    check = _unchanged(frame, read, element, inner, node)
    there: Expression = element
    for one in reversed(chain):
        there = replace(one, of=there)
    return check, there


def _goes_through_value(target: Expression) -> bool:
    """Whether a path leads through a record that was read from the state, as a value."""
    while isinstance(target, (Part, Element, Item, Lookup)) and not isinstance(target.of.type, Ref):
        target = target.of
        is_value = isinstance(target.type, Record) and not target.type.own
        if is_value and not _is_of_state(target):
            return True
    return False


def _is_of_state(target: Expression) -> bool:
    """Whether an expression says where a part of the state lies."""
    while isinstance(target, (Part, Element)):
        if isinstance(target.of.type, Ref):
            return True
        target = target.of
    return False


def nothing_behind(frame: Frame, node: ast.AST) -> LoweringError:
    """Return the refusal of a write to a value that nothing in the state stands behind."""
    return frame.refusal(
        node,
        f"{frame.text(node)}: this is a value that was read from a sequence, so writing to it "
        "would change nothing in the state",
        "write to the element itself, as in s.queue[i].x = 1, or take it out with pop or popleft",
    )


def _unchanged(
    frame: Frame, read: Read, element: Expression, copy: Expression, node: ast.AST
) -> list[Statement]:
    """Return the check that an element is what it was when a name read it."""
    line = frame.line_of(node)
    length = frame.compared("eq", Length(Number(0), read.of), Local(Number(0), read.length))
    same = frame.all([length, Apply(BOOL, "same", (element, copy))])
    return [If(line, Not(BOOL, same), (Fail(line),), ())]


EXPRESSIONS: dict[type[ast.AST], Any] = {
    ast.Name: name, ast.Constant: literal, ast.Attribute: attribute, ast.Subscript: subscript,
}  # fmt: skip
"""How each kind of expression of this module is lowered."""

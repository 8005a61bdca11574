"""Assignments, branches, loops, and the ways out of a function."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

from ...core.fields import declared_parts
from ..form import (
    Block,
    Change,
    Constant,
    Do,
    Element,
    Expression,
    Fail,
    For,
    Gather,
    If,
    Leave,
    Length,
    Local,
    Lookup,
    Not,
    Part,
    Return,
    Slice,
    Statement,
    Store,
    While,
)
from ..types import (
    BOOL,
    Closure,
    Mapping,
    Members,
    Never,
    NoJoinError,
    Nothing,
    Number,
    Optional,
    Record,
    Ref,
    Sequence,
    Stream,
    Tuple,
    Type,
    is_changeable,
    join_all,
    named,
)
from .access import (
    element_of,
    element_type,
    is_path,
    note_change,
    path,
    read_entry,
    settled,
    sliced,
    stored,
    target_of,
    write_through,
)
from .calls import closure, held
from .changes import evaluated_before
from .displays import entered, items_of, iterable, taken_apart
from .effects import assignments, effects, iterated, overlaps, whole, writes_state
from .fitting import refuse_element, refuse_unfit
from .frame import Frame, Loop, Read, Scope, constant, forms_of
from .operators import OPERATORS, combined, is_of_state, is_set, refuse_operator, truth_of
from .owners import is_of_value, origin_of, root_of
from .patterns import match
from .retyping import joined, joined_element, retyped


def passed_over(frame: Frame, node: ast.Pass) -> list[Statement]:
    """Lower ``pass``."""
    return []


def expression(frame: Frame, node: ast.Expr) -> list[Statement]:
    """Lower an expression that is evaluated for what it does."""
    if isinstance(node.value, ast.Constant):
        return []
    if isinstance(node.value, ast.Yield) and node.value.value is None:
        # An initial state is as the variables are now.
        return []
    if isinstance(node.value, ast.YieldFrom):
        return _yielded_from(frame, node.value)
    value = frame.expression(node.value)
    if isinstance(node.value, ast.Call) and isinstance(value.type, Never):
        # It fails, as assert_never does.
        frame.alive = False
    return [] if isinstance(value, (Constant, Local)) else [Do(node.lineno, value)]


def _yielded_from(frame: Frame, node: ast.YieldFrom) -> list[Statement]:
    """Lower the call of another function that yields initial states."""
    inner = node.value
    function = frame.expression(inner.func) if isinstance(inner, ast.Call) else None
    if not isinstance(function, Constant) or not isinstance(function.value, FunctionType):
        raise frame.refusal(node, f"{frame.text(node)}, of which the function is not known")
    frame.lowering.yielding.add(function.value)
    return [Do(frame.line_of(node), frame.expression(inner))]


def assign(frame: Frame, node: ast.Assign) -> list[Statement]:
    """Lower an assignment to one target or to several."""
    if isinstance(node.value, ast.Lambda) and len(node.targets) == 1:
        # Its defaults are evaluated here, and belong to the name.
        binds, value = closure(frame, node.value)
        return [*binds, *assigned(frame, node.targets[0], value, node.value)]
    value = frame.expression(node.value)
    if len(node.targets) == 1:
        return assigned(frame, node.targets[0], value, node.value)
    bind, again = frame.temporary(value, node)
    out: list[Statement] = [bind]
    for target in node.targets:
        out += assigned(frame, target, again if not isinstance(value, Constant) else value)
    return out


def annotated(frame: Frame, node: ast.AnnAssign) -> list[Statement]:
    """Lower an assignment with an annotation, which says nothing."""
    if node.value is None:
        return []
    return assigned(frame, node.target, frame.expression(node.value), node.value)


def assigned(
    frame: Frame, target: ast.expr, value: Expression, source: ast.expr | None = None
) -> list[Statement]:
    """Return the assignment of a value to a target."""
    if isinstance(target, ast.Name):
        return _named(frame, target, value, source)
    if isinstance(target, (ast.Tuple, ast.List)):
        return taken_apart(frame, target, value)
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
        return _spliced(frame, target, target.slice, value)
    before: list[Statement] = []
    if not isinstance(value, (Constant, Local)) and not _is_simple(target):
        # Python evaluates the value first, and then where it goes.
        bind, value = frame.temporary(value, target)
        before.append(bind)
    place = target_of(frame, target)
    if isinstance(place.type, Never) and not isinstance(place, Lookup):
        # An array without elements: Python fails before it assigns anything.
        return [*before, Do(target.lineno, place)]
    binds, place = settled(frame, place, target)
    return before + binds + _put(frame, place, value, target)


def _is_simple(target: ast.expr) -> bool:
    """Whether a target can be evaluated at any time: names, attributes and known indices."""
    simple = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context)
    return all(isinstance(part, simple) for part in ast.walk(target))


def _named(
    frame: Frame, target: ast.Name, value: Expression, source: ast.expr | None
) -> list[Statement]:
    """Return the assignment to a name; one that reads an element remembers where."""
    kind = value.type
    if isinstance(kind, Closure) and isinstance(source, ast.Attribute):
        what = f"{frame.text(source)}, a method without a call, has a name"
        raise frame.refusal(target, what, "call it where it is used")
    if source is not None and frame.put_off(target.id, value, source):
        return []
    is_read = isinstance(value, Element) and isinstance(value.of.type, Ref)
    if is_read and isinstance(kind, Record) and not kind.own and _is_written(frame, target.id):
        assert isinstance(value, Element)
        return _read_by_index(frame, target, value)
    return [frame.bind(target.id, value, target)]


def _is_written(frame: Frame, name: str) -> bool:
    """Whether a function writes through a name."""
    return any(
        isinstance(part, (ast.Attribute, ast.Subscript))
        and isinstance(part.ctx, ast.Store)
        and _root(part) == name
        for part in ast.walk(frame.tree)
    )


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _read_by_index(frame: Frame, target: ast.Name, value: Element) -> list[Statement]:
    """Return the reading of an element, whose index and length are kept for writing to it."""
    owner: Expression = value.of
    binds: list[Statement] = []
    if not isinstance(owner, Local):
        bind, owner = frame.temporary(owner, target, target.id)
        binds.append(bind)
    at, index = frame.temporary(value.index, target, target.id)
    long, length = frame.temporary(Length(Number(0), owner), target, target.id)
    read = Read(owner, at.name, long.name)
    element = replace(value, of=owner, index=index)
    assert isinstance(length, Local)
    return [*binds, at, long, frame.bind(target.id, element, target, read)]


def _put(frame: Frame, place: Expression, value: Expression, node: ast.expr) -> list[Statement]:
    """Return the writing of a value, once it is clear that it fits."""
    kind = place.type
    if isinstance(place, (Part, Element)) and isinstance(place.of.type, Ref):
        refuse_unfit(frame, kind, value, node)
        if isinstance(place, Element) and isinstance(kind, Ref) and value.type == kind:
            raise frame.refusal(
                node,
                f"{frame.text(node)} would be another name for an element of its array",
                f"write {frame.text(node)}.assign(...), which copies the values",
            )
        out = stored(frame, place, value, node)
        if isinstance(kind, Ref):
            _replace(frame, kind.form, value, node)
        return out
    if isinstance(place, Part) and isinstance(place.of.type, Record):
        declared = declared_parts(place.of.type.declaration)[place.name]
        new = held(frame, declared, kind, value, node)
        out = stored(frame, place, new, node)
        retyped(frame, place, new.type, node)
        return out
    out = stored(frame, place, value, node)
    if not isinstance(place, (Part, Element, Lookup)):
        raise frame.refusal(node, f"{frame.text(node)} is assigned, and is {named(kind)}")
    if isinstance(place.of.type, Tuple) or (
        isinstance(place.of.type, Sequence) and place.of.type.kind is tuple
    ):
        raise frame.refusal(
            node, f"{frame.text(node)}: an item of a tuple is assigned", "use a list"
        )
    _hold(frame, place, value, node)
    retyped(frame, place, value.type, node)
    return out


def _replace(frame: Frame, form: str, value: Expression, node: ast.AST) -> None:
    """Note that a part of the state is another object until the step ends."""
    frame.replaced(form, node)
    frame.stores(form, value)


def _hold(frame: Frame, place: Expression, value: Expression, node: ast.AST) -> None:
    """Note that what lies at a place is known by other names, too."""
    root = root_of(place)
    if root is not None:
        frame.holds(root, [value], node)


def _spliced(
    frame: Frame, target: ast.Subscript, chosen: ast.Slice, value: Expression
) -> list[Statement]:
    """Return the replacement of the elements of a slice."""
    before: list[Statement] = []
    value = iterable(frame, value, target)
    kind = value.type
    of_state = isinstance(kind, Ref) and frame.schema.is_sequence(kind)
    if not of_state and not isinstance(kind, (Sequence, Tuple, Never)):
        value = Gather(Sequence(element_type(frame, kind)), value)
    if not isinstance(value, (Constant, Local)):
        bind, value = frame.temporary(value, target)
        before.append(bind)
    owner = path(frame, target.value)
    _refuse_unsliced(frame, owner, target)
    if write_through(frame, Part(owner.type, owner, ""), target) is not None:
        what = f"{frame.text(target)} changes a container through a name for an element"
        raise frame.refusal(target, what, "write to the element itself, as in s.queue[i].row[:]")
    if chosen.step is not None:
        raise frame.refusal(
            target,
            f"{frame.text(target)}: a slice with a step is assigned",
            "write its elements one by one",
        )
    chosen_part = sliced(frame, owner, target, chosen)
    if not isinstance(chosen_part, Slice) or not is_path(owner):
        raise frame.refusal(target, f"{frame.text(target)} is assigned")
    in_array = isinstance(owner.type, Ref) and frame.schema.is_array(owner.type)
    ends = [end for end in (chosen_part.first, chosen_part.last) if end is not None]
    if in_array and not all(isinstance(end, Constant) for end in ends):
        what = f"{frame.text(target)}: a part of an array whose bounds a state says"
        raise frame.refusal(target, what, "write its elements one by one")
    note_change(frame, owner, target, is_part=False)
    element = element_type(frame, value.type)
    if isinstance(owner.type, Ref) and in_array:
        _refuse_own_elements(frame, owner.type, element, target)
    if isinstance(owner.type, Ref):
        refuse_element(frame, owner.type, element, target)
    if isinstance(owner.type, Sequence):
        _hold(frame, owner, value, target)
        joined = joined_element(frame, owner.type, element, target)
        retyped(frame, owner, joined, target)
    return [*before, Store(frame.line_of(target), chosen_part, value)]


def _refuse_own_elements(frame: Frame, array: Ref, element: Type, target: ast.expr) -> None:
    """Refuse elements of an array in other places of it; and names for those that are replaced."""
    if any(overlaps(one, array.form) for one in forms_of(element)):
        what = f"{frame.text(target)} gets elements of the array itself, which would have two names"
        raise frame.refusal(target, what, "copy them: [copy.copy(one) for one in ...]")
    replaced = frame.schema.element(array)
    if isinstance(replaced, Ref):
        frame.replaced(replaced.form, target)


def _refuse_unsliced(frame: Frame, owner: Expression, target: ast.expr) -> None:
    """Refuse to put elements in place of others, or to remove them, where they have no order."""
    kind = owner.type
    if isinstance(kind, Ref) and not frame.schema.is_sequence(kind):
        raise frame.refusal(
            target,
            f"{frame.text(target)}: {named(kind)} has no elements by number",
            "remove and add members",
        )
    if isinstance(kind, Tuple) or (isinstance(kind, Sequence) and kind.kind is tuple):
        raise frame.refusal(target, f"{frame.text(target)}: a tuple does not change", "use a list")


def augmented(frame: Frame, node: ast.AugAssign) -> list[Statement]:
    """Lower ``x += y``, which changes a list or a set where it is."""
    refuse_operator(frame, node)
    name = OPERATORS[type(node.op)]
    binds, old = _once(frame, node.target)
    if isinstance(old.type, Never) and not isinstance(old, Lookup):
        return [*binds, Do(node.lineno, old)]
    read_entry(frame, old, node.target)
    value = frame.expression(node.value)
    updated = _in_place(frame, old, name, value, node)
    if updated is not None:
        return [*binds, *updated]
    if isinstance(node.target, ast.Name):
        result = combined(frame, name, old, value, node)
        return [*binds, frame.bind(node.target.id, result, node.target)]
    if isinstance(old, Lookup) and isinstance(old.of.type, Mapping):
        result = combined(frame, name, old, value, node)
        return [*binds, *_put(frame, old, result, node.target)]
    result = combined(frame, name, old, value, node)
    return [*binds, *_put(frame, old, result, node.target)]


def _once(frame: Frame, target: ast.expr) -> tuple[list[Statement], Expression]:
    """Return a target that can be read and written, whose indices are evaluated once."""
    if isinstance(target, ast.Name):
        result = frame.local(target.id, target)
        if result is None:
            raise frame.refusal(
                target, f"{target.id} has no value here", f"begin with {target.id} = 0"
            )
        return [], result
    place = target_of(frame, target)
    return settled(frame, place, target, all_of_it=True)


_UPDATES = {
    "or_": "update",
    "and_": "intersection_update",
    "sub": "difference_update",
    "xor": "symmetric_difference_update",
    "add": "extend",
}


def _in_place(
    frame: Frame, old: Expression, name: str, value: Expression, node: ast.AugAssign
) -> list[Statement] | None:
    """Return the change of a list or a set where it is; None of what does not change."""
    if isinstance(old.type, Optional) and isinstance(old.type.of, Ref):
        old = frame.certain(old)
    kind = old.type
    if isinstance(kind, Optional) and is_changeable(kind.of):
        what = f"{frame.text(node.target)} may be None, and changes here"
        raise frame.refusal(node, what, "test it first, and change it by its own name")
    if name == "add" and isinstance(kind, Ref) and frame.schema.is_array(kind):
        what = f"{frame.text(node)}: an array has as many elements in each state"
        raise frame.refusal(node, what, "declare a sequence: sequence_of(...)")
    if not _changes(frame, kind, name, value, node):
        return None
    if name == "add":
        value = iterable(frame, value, node)
    elif not isinstance(kind, Mapping) and not is_set(frame, value.type):
        what = f"{frame.text(node)}: {named(value.type)} in place of a set"
        raise frame.refusal(node, what, f"write {frame.text(node.target)}.update(...)")
    if isinstance(kind, Ref):
        refuse_element(frame, kind, element_type(frame, value.type), node)
    _refuse_meanwhile(frame, old, value, node)
    before: list[Statement] = []
    if isinstance(kind, Ref) and writes_state(value):
        [value] = evaluated_before(frame, [value], before, node)
    note_change(frame, old, node, is_part=False)
    method = _UPDATES[name]
    if not isinstance(kind, Ref):
        _hold(frame, old, value, node)
        if isinstance(kind, Mapping) and isinstance(value.type, Mapping):
            new: Type = joined(
                frame, [kind, replace(value.type, kind=kind.kind, factory=kind.factory)], node
            )
        elif method in ("update", "symmetric_difference_update", "extend"):
            new = joined_element(frame, kind, element_type(frame, value.type), node)
        else:
            new = kind
        retyped(frame, old, new, node)
    return [*before, Do(node.lineno, Change(constant(None).type, old, method, (value,)))]


def _changes(frame: Frame, kind: Type, name: str, value: Expression, node: ast.AugAssign) -> bool:
    """Whether an operator changes its left operand where that is."""
    if isinstance(kind, Members) and not kind.ordered and is_of_state(frame, value.type):
        # Python's sets leave that to the other one, which gives a new set.
        return False
    if isinstance(kind, Mapping) and name in ("add", "sub"):
        raise frame.refusal(
            node, f"{frame.text(node)} joins two Counters", "write counter.update(...)"
        )
    if isinstance(kind, Mapping):
        return name == "or_" and kind.kind is not Counter
    if name != "add":
        return name in _UPDATES and _is_changing_set(frame, kind)
    if isinstance(kind, Ref):
        return frame.schema.is_sequence(kind) and not frame.schema.is_array(kind)
    return isinstance(kind, Sequence) and kind.kind is not tuple


def _refuse_meanwhile(
    frame: Frame, old: Expression, value: Expression, node: ast.AugAssign
) -> None:
    """Refuse the change of what lies in a value, or moves while the other operand is evaluated."""
    if (is_of_value(old) and writes_state(value)) or (
        isinstance(old, (Element, Lookup)) and root_of(old) in effects(value)
    ):
        what = f"{frame.text(node)} changes the list of its element meanwhile"
        raise frame.refusal(node, what, "write two lines")
    if write_through(frame, Part(old.type, old, ""), node) is not None:
        what = f"{frame.text(node)} changes a container through a name for an element"
        repair = "write to the element itself, as in s.queue[i].members |= {x}"
        raise frame.refusal(node, what, repair)


def _is_changing_set(frame: Frame, kind: Type) -> bool:
    return is_set(frame, kind) and not (isinstance(kind, Members) and kind.frozen)


def delete(frame: Frame, node: ast.Delete) -> list[Statement]:
    """Lower ``del`` of elements."""
    out: list[Statement] = []
    for target in node.targets:
        if not isinstance(target, ast.Subscript):
            raise frame.refusal(
                target, f"del {frame.text(target)} is not in the language of models"
            )
        owner = path(frame, target.value)
        if isinstance(owner.type, Ref) and frame.schema.is_array(owner.type):
            raise frame.refusal(
                target,
                f"del {frame.text(target)}: an array has as many elements in each state",
                "declare a sequence: sequence_of(...)",
            )
        if not isinstance(owner.type, Mapping):
            _refuse_unsliced(frame, owner, target)
        note_change(frame, owner, target, is_part=False)
        if isinstance(target.slice, ast.Slice):
            chosen_part = sliced(frame, owner, target, target.slice)
            out.append(Do(node.lineno, Change(constant(None).type, chosen_part, "delete", ())))
            continue
        one = element_of(frame, owner, target.slice, target, read=False)
        binds, one = settled(frame, one, target)
        out += binds
        if not isinstance(one, (Element, Lookup)) or not is_path(owner):
            raise frame.refusal(
                target, f"del {frame.text(target)} removes it from what has no name", "name it"
            )
        out.append(Do(node.lineno, Change(constant(None).type, one, "delete", ())))
    return out


def branch(frame: Frame, node: ast.If) -> list[Statement]:
    """Lower ``if``; a way that is never taken is left out."""
    test = truth_of(frame, node.test)
    if isinstance(test, Constant):
        return list(frame.block(node.body if test.value else node.orelse))
    body, orelse = frame.branches(lambda: frame.block(node.body), lambda: frame.block(node.orelse))
    return [If(node.lineno, test, body, orelse)]


def loop(frame: Frame, node: ast.For) -> list[Statement]:
    """Lower ``for``."""
    over = iterable(frame, frame.expression(node.iter), node.iter)
    if isinstance(over.type, Tuple) and not _is_of_one_kind(over.type):
        return _written_out(frame, node, over, over.type)
    slot = ""
    # A path and what yields its elements one by one see what the loop changes.
    is_stream = isinstance(over.type, Stream)
    lives = is_path(over) or is_stream
    shared = set(origin_of(over, frame.scope.sharing).names)
    ahead: list[Statement] = []
    if shared and not lives and is_changeable(element_type(frame, over.type)):
        # Its elements are those of a name as it is before the loop.
        bind, over = frame.temporary(over, node)
        ahead.append(bind)

    def round_(one: Loop) -> tuple[Statement, ...]:
        nonlocal slot, over
        if is_stream:
            # Its conditions read names as a round leaves them.
            over = iterable(frame, frame.expression(node.iter), node.iter)
        slot, apart = entered(frame, node.target, over, node.iter, own=False)
        return (*apart, *frame.block(node.body))

    one, body = frame.rounds(round_)
    bound = {name for _, name in assignments(body)}
    if lives and any(bound & whole(source) for source in iterated(over)):
        # Python's iterator keeps what the name had.
        if is_stream or is_changeable(element_type(frame, over.type)):
            what = f"{frame.text(node.iter)} has a name that the loop binds again"
            raise frame.refusal(node, what, "give the value in the loop another name")
        lives = False
        bind, over = frame.temporary(over, node)
        ahead.append(bind)
    if not lives and shared & set[str]().union(*map(effects, body)):
        what = f"{frame.text(node.iter)} changes in the loop over it"
        raise frame.refusal(node, what, "give it a name before the loop")
    return [*ahead, For(node.lineno, one.label, slot, over, body)]


def _is_of_one_kind(kind: Tuple) -> bool:
    try:
        join_all(kind.items)
    except NoJoinError:
        return False
    return True


def _written_out(frame: Frame, node: ast.For, over: Expression, kind: Tuple) -> list[Statement]:
    """Lower a loop over a tuple of values of several kinds: a round for each."""
    binds: list[Statement] = []
    if not isinstance(over, (Local, Constant)):
        bind, over = frame.temporary(over, node)
        binds.append(bind)
    if isinstance(node.target, ast.Name) and any(isinstance(k, Nothing) for k in kind.items):
        frame.sometimes_none.add(node.target.id)
    label, breaks, rounds = frame.label(), list[Scope](), list[Statement]()
    for item in items_of(over, kind):
        if not frame.alive:
            break
        one = Loop(label, frame.label(), breaks)
        frame.loops.append(one)
        body = (*taken_apart(frame, node.target, item), *frame.block(node.body))
        frame.loops.pop()
        frame.meet(one.continues)
        rounds.append(Block(node.lineno, one.round, body))
    frame.meet(breaks)
    return [*binds, Block(node.lineno, label, tuple(rounds))]


def while_loop(frame: Frame, node: ast.While) -> list[Statement]:
    """Lower ``while``."""
    test: Expression = constant(True)
    runs_on = isinstance(node.test, ast.Constant) and bool(node.test.value)

    def round_(one: Loop) -> tuple[Statement, ...]:
        nonlocal test
        test = truth_of(frame, node.test)
        if not runs_on:
            # Where it is false the loop ends.
            one.breaks.append(frame.scope)
        if isinstance(test, Constant) and not test.value:
            frame.alive = False
            return ()
        return frame.block(node.body)

    one, body = frame.rounds(round_, runs_once=True)
    return [While(node.lineno, one.label, test, body)]


def leave(frame: Frame, node: ast.Break | ast.Continue) -> list[Statement]:
    """Lower ``break`` and ``continue``."""
    inner = frame.loops[-1]
    again = isinstance(node, ast.Continue)
    (inner.continues if again else inner.breaks).append(frame.scope)
    frame.alive = False
    if again and inner.round != inner.label:
        return [Leave(node.lineno, inner.round)]
    return [Leave(node.lineno, inner.label, again)]


def returned(frame: Frame, node: ast.Return) -> list[Statement]:
    """Lower ``return``."""
    value = constant(None) if node.value is None else frame.expression(node.value)
    frame.ended(value, node)
    frame.alive = False
    return [Return(node.lineno, value)]


def asserted(frame: Frame, node: ast.Assert) -> list[Statement]:
    """Lower ``assert``; its text only shows something."""
    if not __debug__:
        raise frame.refusal(node, SKIPPED)
    test = truth_of(frame, node.test)
    if isinstance(test, Constant):
        if test.value:
            return []
        frame.alive = False
        return [Fail(node.lineno, frame.is_users)]
    return [If(node.lineno, Not(BOOL, test), (Fail(node.lineno, frame.is_users),), ())]


SKIPPED = "python -O skips this assertion, so that another model would be searched; leave out -O"


def raised(frame: Frame, node: ast.Raise) -> list[Statement]:
    """Lower ``raise``: the step fails, whatever the error is."""
    frame.alive = False
    error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    is_assertion = isinstance(error, ast.Name) and error.id == "AssertionError"
    return [Fail(node.lineno, is_assertion and frame.is_users)]


def defined(frame: Frame, node: ast.FunctionDef) -> list[Statement]:
    """Lower a function within the function."""
    if node.decorator_list:
        raise frame.refusal(node, f"{node.name}, which is decorated,", "call what decorates it")
    binds, value = closure(frame, node)
    return [*binds, frame.bind(node.name, value, node)]


STATEMENTS: dict[type[ast.stmt], Callable[[Frame, Any], list[Statement]]] = {
    ast.Pass: passed_over, ast.Expr: expression, ast.Assign: assign, ast.AnnAssign: annotated,
    ast.AugAssign: augmented, ast.Delete: delete, ast.If: branch, ast.For: loop,
    ast.While: while_loop, ast.Break: leave, ast.Continue: leave, ast.Return: returned,
    ast.Assert: asserted, ast.Raise: raised, ast.FunctionDef: defined, ast.Match: match,
}  # fmt: skip
"""How each kind of statement is lowered."""

"""Tuples, lists, sets, dictionaries and comprehensions, and what a loop goes over."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Sequence as Parts
from dataclasses import replace
from enum import EnumMeta
from itertools import groupby
from typing import Any

from ...core.containers import Bag
from ..form import (
    Apply,
    Bind,
    Clause,
    Combine,
    Comprehension,
    Constant,
    Copy,
    Expression,
    Gather,
    Item,
    Local,
    Make,
    Statement,
)
from ..types import (
    Closure,
    Known,
    Mapping,
    Members,
    Never,
    NoJoinError,
    Ref,
    Sequence,
    Span,
    Stream,
    Tuple,
    Type,
    is_changeable,
    join_all,
    named,
    type_of,
)
from .access import element_type
from .effects import assignments, early_in, iterated, whole
from .frame import Frame, Loop, Variable, constant, met, plain_name
from .objects import refuse_computed
from .operators import truth_of
from .order import OF_OBJECTS
from .owners import NEW, Origin, origin_of
from .retyping import joined, member_type
from .rounds import is_numbered


def displayed_tuple(frame: Frame, node: ast.Tuple) -> Expression:
    """Lower a tuple."""
    if any(isinstance(part, ast.Starred) for part in node.elts):
        return _starred(frame, node, tuple)
    return made_tuple([_item(frame, part) for part in node.elts])


def made_tuple(parts: Parts[Expression]) -> Expression:
    """Return a tuple of some values."""
    known = [part.value for part in parts if _is_known(part)]  # type: ignore[attr-defined]
    if parts and len(known) == len(parts):
        return constant(tuple(known))
    return Make(Tuple(tuple(part.type for part in parts)), tuple(parts))


def _is_known(part: Expression) -> bool:
    """Whether a value exists when the file is loaded; a function within the function does not."""
    return isinstance(part, Constant) and not isinstance(part.type, Closure)


def _item(frame: Frame, node: ast.expr) -> Expression:
    """Lower a part of a display."""
    value = frame.expression(node)
    frame.refuse_stream(value, node)
    return value


def _joined(frame: Frame, parts: Parts[Expression], node: ast.AST) -> Type:
    """Return the type of the elements of a display."""
    try:
        return join_all(part.type for part in parts)
    except NoJoinError:
        kinds = " and ".join(dict.fromkeys(named(part.type) for part in parts))
        raise frame.refusal(
            node, f"{frame.text(node)} has {kinds}", "use a tuple, or a list for each kind"
        ) from None


def displayed_list(frame: Frame, node: ast.List) -> Expression:
    """Lower a list."""
    if any(isinstance(part, ast.Starred) for part in node.elts):
        return _starred(frame, node, list)
    parts = [_item(frame, part) for part in node.elts]
    return Make(Sequence(_joined(frame, parts, node)), tuple(parts))


def displayed_set(frame: Frame, node: ast.Set) -> Expression:
    """Lower a set."""
    if any(isinstance(part, ast.Starred) for part in node.elts):
        gathered = _starred(frame, node, set)
        return Gather(Members(element_type(frame, gathered.type)), gathered)
    parts = [as_member(frame, _item(frame, part)) for part in node.elts]
    element = _joined(frame, parts, node)
    frame.refuse_unhashable(element, node)
    return Make(Members(element), tuple(parts))


def as_member(frame: Frame, value: Expression) -> Expression:
    """Return a member of a set: a record of the state is one by its present values."""
    kind = member_type(frame, value.type)
    return value if kind is value.type else Copy(kind, value)


def _starred(frame: Frame, node: ast.Tuple | ast.List | ast.Set, kind: type) -> Expression:
    """Lower a display with stars."""
    values = [
        iterable(frame, frame.expression(part.value), part.value)
        if isinstance(part, ast.Starred)
        else _item(frame, part)
        for part in node.elts
    ]
    pieces: list[Expression] = []
    if kind is tuple:
        items = _known_items(node.elts, values)
        if items is not None:
            return made_tuple(items)
    for part, value in zip(node.elts, values, strict=True):
        if isinstance(part, ast.Starred):
            pieces.append(value)
        else:
            value = as_member(frame, value) if kind is set else value
            pieces.append(Make(Sequence(value.type), (value,)))
    element = _joined_elements(frame, pieces, node, kind is set)
    return Gather(
        Sequence(element, list if kind is set else kind),
        Apply(Stream(element), "chain", tuple(pieces)),
    )


def _known_items(nodes: Parts[ast.expr], values: Parts[Expression]) -> list[Expression] | None:
    """Return the items of a tuple whose starred parts have known lengths; None of any other."""
    items: list[Expression] = []
    for node, value in zip(nodes, values, strict=True):
        if not isinstance(node, ast.Starred):
            items.append(value)
        elif isinstance(value.type, Tuple) and isinstance(value, (Local, Constant, Make)):
            items += items_of(value, value.type)
        else:
            return None
    return items


def items_of(value: Expression, kind: Tuple) -> list[Expression]:
    """Return the items of a tuple that can be evaluated again."""
    if isinstance(value, Make):
        return list(value.parts)
    if isinstance(value, Constant):
        return [constant(item) for item in value.value]
    return [Item(part, value, number) for number, part in enumerate(kind.items)]


def _joined_elements(
    frame: Frame, pieces: Parts[Expression], node: ast.AST, as_members: bool = False
) -> Type:
    elements = [element_type(frame, piece.type) for piece in pieces]
    try:
        return join_all(member_type(frame, one) if as_members else one for one in elements)
    except NoJoinError:
        raise frame.refusal(
            node, f"{frame.text(node)} has elements of several kinds", "use a list for each kind"
        ) from None


def displayed_dict(frame: Frame, node: ast.Dict) -> Expression:
    """Lower a dictionary."""
    if None in node.keys:
        return _merged(frame, node)
    return _pairs(frame, list(zip(node.keys, node.values, strict=True)), node)


def _merged(frame: Frame, node: ast.Dict) -> Expression:
    """Lower a dictionary that takes in others by two stars: it is their union, in order."""
    pieces: list[Expression] = []
    for starred, some in groupby(zip(node.keys, node.values, strict=True), lambda p: p[0] is None):
        if not starred:
            pieces.append(_pairs(frame, list(some), node))
            continue
        for _, value in some:
            other = frame.expression(value)
            if not isinstance(other.type, Mapping):
                raise frame.refusal(node, f"{frame.text(node)}: {named(other.type)} has no keys")
            kind = replace(other.type, kind=dict, factory=None)
            pieces.append(Gather(kind, other))
    result = pieces[0]
    for piece in pieces[1:]:
        kinds = [part.type for part in (result, piece)]
        result = Combine(joined(frame, kinds, node), "or_", result, piece)
    return result


def _pairs(
    frame: Frame, pairs: Parts[tuple[ast.expr | None, ast.expr]], node: ast.Dict
) -> Expression:
    """Lower a dictionary of keys and values that are written out."""
    parts: list[Expression] = []
    for key, value in pairs:
        if key is not None:
            parts += [_item(frame, key), _item(frame, value)]
    keys, values = parts[::2], parts[1::2]
    kind = Mapping(_joined(frame, keys, node), _joined(frame, values, node))
    return Make(kind, tuple(parts))


# --- what a loop goes over


def iterable(frame: Frame, value: Expression, node: ast.AST) -> Expression:
    """Return what yields values one by one, refused if a value does not."""
    value = frame.certain(value)
    kind = value.type
    if isinstance(value, Constant) and isinstance(kind, Known):
        return _of_known(frame, value, node)
    if isinstance(kind, (Sequence, Members, Mapping, Stream, Span, Tuple, Never)):
        return value
    if frame.is_listed(kind):
        if isinstance(kind, Ref) and isinstance(frame.schema.node(kind), Bag):
            raise frame.refusal(
                node,
                f"{frame.text(node)} is a bag of numbers, which cannot be gone over",
                "go over the numbers, as in for n in range(3): s.bag[n]",
            )
        return value
    raise frame.refusal(node, f"{frame.text(node)} is {named(kind)}, which has no elements")


def _of_known(frame: Frame, value: Constant, node: ast.AST) -> Expression:
    """Return the elements of a table of the file, or the members of an enumeration."""
    if not isinstance(value.value, (EnumMeta, dict, list, tuple, set, frozenset, range)):
        raise frame.refusal(
            node, f"{frame.text(node)} is {named(value.type)}, which has no elements"
        )
    refuse_computed(frame, value, ("__iter__",), node)
    if isinstance(value.value, (set, frozenset)):
        raise frame.refusal(node, f"{frame.text(node)}: {OF_OBJECTS}")
    every = tuple(value.value)
    if isinstance(value.value, range):
        return constant(list(every))
    try:
        return Constant(Sequence(join_all(map(type_of, every)), tuple), every)
    except NoJoinError:
        raise frame.refusal(
            node, f"{frame.text(node)} has elements of several kinds", "use a tuple for each kind"
        ) from None


def element_of_stream(frame: Frame, over: Expression, node: ast.AST) -> Type:
    """Return the type of what a loop gets in each round."""
    try:
        return element_type(frame, over.type)
    except NoJoinError:
        raise frame.refusal(
            node, f"{frame.text(node)} has elements of several kinds", "use a tuple for each kind"
        ) from None


def entered(
    frame: Frame, target: ast.expr, over: Expression, node: ast.AST, own: bool
) -> tuple[str, list[Statement]]:
    """Give a loop's names the value of a round.

    Parameters
    ----------
    own
        Whether the names are those of a comprehension, which nobody knows outside of it.

    Returns
    -------
    str, list of Statement
        The slot of the value, and what takes that apart.
    """
    kind = element_of_stream(frame, over, node)
    origin = _origin_of_elements(frame, over) if is_changeable(kind) else NEW
    if isinstance(target, ast.Name):
        slot = frame.fresh(target.id) if own else frame.slot_for(target.id, kind)
        if own:
            frame.made.slots[slot] = kind
        frame.scope = frame.scope.given(target.id, Variable(slot, kind), origin)
        return slot, []
    slot = frame.fresh("each")
    frame.made.slots[slot] = kind
    sharing = frame.scope.sharing.given(slot, origin)
    frame.scope = replace(frame.scope, sharing=sharing)
    return slot, taken_apart(frame, target, Local(kind, slot), own)


def _origin_of_elements(frame: Frame, over: Expression) -> Origin:
    """Return where the values come from that something yields."""
    if isinstance(over, Local):
        sharing = frame.scope.sharing
        around = {over.name, *sharing.equal(over.name), *sharing.around(over.name)}
        return Origin(frozenset(sharing.inside(over.name)), frozenset(around))
    result = origin_of(over, frame.scope.sharing)
    return Origin(within=result.same | result.within, same=result.holds) if result != NEW else NEW


def taken_apart(
    frame: Frame, target: ast.expr, value: Expression, own: bool = False
) -> list[Statement]:
    """Return the assignment of the parts of a value to the names of a pattern."""
    if isinstance(target, ast.Name):
        if own:
            slot = frame.fresh(target.id)
            frame.made.slots[slot] = value.type
            origin = origin_of(value, frame.scope.sharing)
            frame.scope = frame.scope.given(target.id, Variable(slot, value.type), origin)
            return [Bind(frame.line_of(target), slot, value)]
        return [frame.bind(target.id, value, target)]
    if not isinstance(target, (ast.Tuple, ast.List)):
        return frame.lowering.assigned(frame, target, value)
    kind = frame.certain(value).type
    value = frame.certain(value)
    binds: list[Statement] = []
    if isinstance(value, Make):
        binds, value = _each_by_itself(frame, value, target)
    elif not isinstance(value, (Local, Constant)):
        bind, value = frame.temporary(value, target)
        binds.append(bind)
    if any(isinstance(part, ast.Starred) for part in target.elts):
        return binds + starred_apart(frame, target, value, own)
    if isinstance(kind, Tuple):
        if len(kind.items) != len(target.elts):
            raise frame.refusal(
                target,
                f"{frame.text(target)}: there are {len(kind.items)} values for "
                f"{len(target.elts)} names",
            )
        for part, item in zip(target.elts, items_of(value, kind), strict=True):
            binds += taken_apart(frame, part, item, own)
        return binds
    return binds + unpacked(frame, target, value, own)


def _each_by_itself(frame: Frame, value: Make, target: ast.expr) -> tuple[list[Statement], Make]:
    """Return a tuple that is written out, each of whose items was evaluated before."""
    changed = early_in(value)
    if changed is not None:
        raise frame.refusal(
            target,
            f"{plain_name(changed)} changes in this line after it is read",
            "write two lines",
        )
    binds: list[Statement] = []
    parts: list[Expression] = []
    for part in value.parts:
        if not isinstance(part, Constant):
            bind, part = frame.temporary(part, target)
            binds.append(bind)
        parts.append(part)
    return binds, replace(value, parts=tuple(parts))


def _listed(frame: Frame, value: Expression, node: ast.AST) -> Expression:
    """Return values of which each gets a name, with their elements by number."""
    if is_numbered(value, frame.schema):
        return value
    return Gather(Sequence(element_of_stream(frame, value, node)), value)


def unpacked(
    frame: Frame, target: ast.Tuple | ast.List, value: Expression, own: bool
) -> list[Statement]:
    """Return the assignment of a list's elements to as many names; it fails if they are others."""
    value = _listed(frame, iterable(frame, value, target), target)
    element = element_of_stream(frame, value, target)
    kind = Tuple((element,) * len(target.elts))
    bind, parts = frame.temporary(Apply(kind, "unpacked", (value,)), target)
    out: list[Statement] = [bind]
    for part, item in zip(target.elts, items_of(parts, kind), strict=True):
        out += taken_apart(frame, part, item, own)
    return out


def starred_apart(
    frame: Frame, target: ast.Tuple | ast.List, value: Expression, own: bool
) -> list[Statement]:
    """Return the assignment of a value's parts to names, one of which gets the rest as a list."""
    value = _listed(frame, iterable(frame, value, target), target)
    [at] = [n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    after = len(target.elts) - at - 1
    if isinstance(value.type, Tuple):
        items = items_of(value, value.type)
        if len(items) < at + after:
            raise frame.refusal(
                target, f"{frame.text(target)}: there are {len(items)} values for it"
            )
        rest = items[at : len(items) - after]
        kind = _joined(frame, rest, target)
        parts = [*items[:at], Make(Sequence(kind), tuple(rest)), *items[len(items) - after :]]
    else:
        element = element_of_stream(frame, value, target)
        shape = Tuple((*[element] * at, Sequence(element), *[element] * after))
        call = Apply(shape, "starred_apart", (value, constant(at), constant(after)))
        bind, again = frame.temporary(call, target)
        return [bind, *_each(frame, target, items_of(again, shape), own)]
    return _each(frame, target, parts, own)


def _each(
    frame: Frame, target: ast.Tuple | ast.List, parts: Parts[Expression], own: bool
) -> list[Statement]:
    out: list[Statement] = []
    for part, item in zip(target.elts, parts, strict=True):
        name = part.value if isinstance(part, ast.Starred) else part
        out += taken_apart(frame, name, item, own)
    return out


# --- comprehensions


def comprehension(
    frame: Frame,
    generators: Parts[ast.comprehension],
    result: Callable[[], Expression],
    node: ast.AST,
) -> Comprehension:
    """Lower the clauses of a comprehension, and what it yields."""
    start = frame.scope
    own = {
        part.id
        for clause in generators
        for part in ast.walk(clause.target)
        if isinstance(part, ast.Name)
    }
    made = _clauses(frame, generators, result, node)
    old, new = start.names, frame.scope.names
    if any(old.get(name) != new.get(name) for name in (old.keys() | new.keys()) - own):
        # What it changes or assigns for one element, it reads for the next one.

        def round_(_: Loop) -> tuple[Statement, ...]:
            _clauses(frame, generators, result, node)
            return ()

        frame.scope = start
        frame.rounds(round_)
        before = frame.scope
        made = _clauses(frame, generators, result, node)
        frame.scope = met([before, frame.scope])
    _refuse_bound_again(frame, made, node)
    names = {name: one for name, one in frame.scope.names.items() if name not in own}
    names |= {name: start.names[name] for name in own if name in start.names}
    frame.scope = replace(frame.scope, names=names, mixed=start.mixed)
    return made


def _refuse_bound_again(frame: Frame, made: Comprehension, node: ast.AST) -> None:
    """Refuse a name that gets another value while the comprehension goes over what it had."""
    for number, clause in enumerate(made.clauses):
        later = replace(made, clauses=made.clauses[number + 1 :])
        bound = {name for _, name in assignments([*clause.conditions, later])}
        if any(bound & whole(source) for source in iterated(clause.over)):
            what = f"{frame.text(node)} goes over a name that it binds again"
            raise frame.refusal(node, what, "write a loop")


def _clauses(
    frame: Frame,
    generators: Parts[ast.comprehension],
    result: Callable[[], Expression],
    node: ast.AST,
) -> Comprehension:
    clauses: list[Clause] = []
    for clause in generators:
        over = iterable(frame, frame.expression(clause.iter), clause.iter)
        kind = element_of_stream(frame, over, clause.iter)
        slot, body = entered(frame, clause.target, over, clause.iter, own=True)
        tests = [truth_of(frame, test) for test in clause.ifs]
        tests = [test for test in tests if not (isinstance(test, Constant) and test.value)]
        clauses.append(Clause(slot, kind, over, tuple(body), tuple(tests)))
    value = result()
    frame.refuse_stream(value, node)
    return Comprehension(Stream(value.type), tuple(clauses), value)


def generator(frame: Frame, node: ast.GeneratorExp) -> Expression:
    """Lower a generator."""
    return comprehension(frame, node.generators, lambda: frame.expression(node.elt), node)


def listed(frame: Frame, node: ast.ListComp) -> Expression:
    """Lower a comprehension of a list."""
    result = comprehension(frame, node.generators, lambda: frame.expression(node.elt), node)
    return Gather(Sequence(result.result.type), result)


def collected(frame: Frame, node: ast.SetComp) -> Expression:
    """Lower a comprehension of a set."""
    result = comprehension(
        frame, node.generators, lambda: as_member(frame, frame.expression(node.elt)), node
    )
    frame.refuse_unhashable(result.result.type, node)
    return Gather(Members(result.result.type), result)


def keyed(frame: Frame, node: ast.DictComp) -> Expression:
    """Lower a comprehension of a dictionary."""

    def pair() -> Expression:
        parts = frame.expression(node.key), frame.expression(node.value)
        return Make(Tuple(tuple(part.type for part in parts)), parts)

    result = comprehension(frame, node.generators, pair, node)
    kind = result.result.type
    assert isinstance(kind, Tuple)
    return Gather(Mapping(kind.items[0], kind.items[1]), result)


EXPRESSIONS: dict[type[ast.AST], Callable[[Frame, Any], Expression]] = {
    ast.Tuple: displayed_tuple, ast.List: displayed_list, ast.Set: displayed_set,
    ast.Dict: displayed_dict, ast.GeneratorExp: generator, ast.ListComp: listed,
    ast.SetComp: collected, ast.DictComp: keyed,
}  # fmt: skip
"""How each kind of expression of this module is lowered."""

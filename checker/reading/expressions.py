"""Reads expressions: what their values may be, and whether a model may have them.

Reads comprehensions and generator expressions.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce
from math import isinf
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...core.containers import Bag, Ordered, Set, Sorted
from ...core.fields import Record, declared_parts, getter_of, method_of
from ...language.methods import WRITING
from .calls import Calls
from .comparisons import Comparisons, always_true, decided, is_nothing, shortened
from .contents import as_group
from .notes import ORDER
from .operators import as_text, computed
from .published import ONLY, WITHIN
from .values import (
    ANYTHING,
    NUMBER,
    TEXT,
    TRUTH,
    Bound,
    Element,
    Group,
    Items,
    Known,
    Local,
    Made,
    Number,
    Object,
    Place,
    Unknown,
    Value,
    either,
    element_of,
    gathered,
    is_array,
    is_number,
    is_of_container,
    is_optional,
    is_record,
    is_text,
    is_unordered,
    joined,
    kind_of,
    marked,
    of_part,
    options,
)

if TYPE_CHECKING:
    from .body import Body


KINDS: dict[type[ast.expr], str] = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.GeneratorExp: "iter",
    ast.DictComp: "dict",
}


class Comprehensions:
    """Reads the comprehensions of one function."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions, self.body = expressions, expressions.body

    def read(self, node: ast.expr) -> Group:
        """Return what a comprehension makes."""
        assert isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp))
        body, group = self.body, self.expressions.site(node, KINDS[type(node)])
        # Its names are its own.
        outer, body.variables = body.variables, dict(body.variables)
        depends = False
        for clause in node.generators:
            depends = self._clause(clause, group) or depends
        written = body.written
        if isinstance(node, ast.DictComp):
            key, value = self.expressions.value(node.key), self.expressions.value(node.value)
        else:
            key, value = None, self.expressions.value(node.elt)
        group.add(marked(value, depends), key)
        group.blur(Unknown(depends))
        if group.unordered and any(isinstance(part, ast.NamedExpr) for part in ast.walk(node)):
            body.find(node, f"{shortened(node)} keeps the last of a set: {ORDER}")
        if group.unordered and body.written > written:
            body.find(node, f"{shortened(node)} writes: {ORDER}")
        body.variables = outer
        return group

    def _clause(self, clause: ast.comprehension, group: Group) -> bool:
        """Read a clause, and return whether the number of its rounds depends on history."""
        source = self.expressions.value(clause.iter)
        element = self.expressions.elements(source, clause.iter, ordered=False)
        group.blur(Group("iter", unordered=is_unordered(source)))
        self.body.assign(clause.target, ANYTHING if element is None else element)
        tests = [self.expressions.condition(test).history for test in clause.ifs]
        return any(tests) or (source.history and not is_array(source))


class Expressions:
    """Reads the expressions of one function."""

    def __init__(self, body: Body) -> None:
        self.body, self.reader = body, body.reader
        self.objects = body.reader.objects
        self.calls = Calls(self)
        self.comparisons = Comparisons(self)
        self.comprehensions = Comprehensions(self)

    def value(self, node: ast.expr) -> Value:
        """Return what an expression may be."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        value: Value = ANYTHING if method is None else method(node)
        for one in options(value):
            if isinstance(one, Known) and isinstance(node, (ast.Name, ast.Attribute)):
                self.objects.mention(self.body, node, one.value)
                if isinstance(one.value, float):
                    what = "an infinite number" if isinf(one.value) else "a fraction"
                    self.body.refuse_outside(node, ast.unparse(node), what)
        return value

    def is_state(self, value: Value) -> bool:
        """Whether a value is the state itself, with all histories that it holds."""
        root = any(isinstance(one, Place) and one.root for one in options(value))
        return root and bool(self.reader.histories)

    def condition(self, node: ast.expr) -> Value:
        """Return what an expression may be of which the truth is asked."""
        value = self.value(node)
        if isinstance(node, ast.Call) and is_nothing(value):
            text = f"{shortened(node)} returns None, which counts as false; write return"
            self.body.find(node, text)
        self.as_truth(node, value)
        return value

    def as_truth(self, node: ast.AST, value: Value | None) -> None:
        """Refuse the truth of what has none, and of a variable that may be NONE."""
        if value is not None and (sort := always_true(value)):
            self.body.find(node, f"{shortened(node)} is {sort}, which is always true")
        if value is not None and is_optional(value):
            self.body.find(
                node,
                f"the truth of {shortened(node)}: it may be NONE, which counts as true, while 0 "
                "counts as false; write != NONE",
            )

    def callee(self, node: ast.expr) -> Value:
        """Return the callee; a function is read with the arguments of the call."""
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Subscript) and (known := self._of_table(node)) is not None:
            return known
        if isinstance(node, ast.Attribute) and node.attr in WRITING:
            # It writes the element, as an assignment of its variables does.
            owner = self.place(node.value)
            if node.attr == Record.assign.__name__ or any(map(is_of_container, options(owner))):
                return self.attribute(node, owner, node.attr)
        return self._attribute(node) if isinstance(node, ast.Attribute) else self.value(node)

    def _of_table(self, node: ast.Subscript) -> Value | None:
        """Return the functions of a constant table, if it has nothing else."""
        table = self._name(node.value) if isinstance(node.value, ast.Name) else None
        if not isinstance(table, Known) or not isinstance(table.value, (dict, list, tuple)):
            return None
        parts = table.value.values() if isinstance(table.value, dict) else table.value
        if isinstance(node.slice, ast.Slice) or not all(map(self.objects.is_read, parts)):
            return None
        chosen = self.subscripted(node, table, self.value(node.slice))
        return chosen if all(isinstance(one, Known) for one in options(chosen)) else None

    def place(self, node: ast.expr) -> Value:
        """Return the target of a write: an element that is named by its index is a place.

        So is one with a name that has elements only: Python's copy knows which one it is of.
        """
        if isinstance(node, ast.Name) and node.id in self.body.elements:
            named = [self.place(read) for read in self.body.elements[node.id]]
            if all(isinstance(one, Place) for one in named):
                return either(named) or ANYTHING
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            owner = self.place(node.value)
            index = self.value(node.slice)
            if isinstance(owner, Place):
                return marked(self._element(owner, writing=True), index.history)
            return self.subscripted(node, owner, index)
        if isinstance(node, ast.Attribute):
            owner = self.place(node.value)
            part = self.attribute(node, owner, node.attr)
            if isinstance(owner, Made) and isinstance(part, Element):
                # What a record of one's own holds is one's own, too.
                return Made(part.declared, part.history)
            return part
        return self.value(node)

    def elements(self, value: Value, node: ast.AST, ordered: bool = True) -> Value | None:
        """Return any element that an iteration yields; None if there is surely none.

        Parameters
        ----------
        ordered
            Whether the result depends on their order.
        """
        value = self.iterated(value, node)
        if ordered and is_unordered(value):
            self.body.find(node, f"{shortened(node)}: {ORDER}")
        results = either(self._elements_of(one) for one in options(value))
        return None if results is None else marked(results, value.history and not is_array(value))

    def iterated(self, value: Value, node: ast.AST) -> Value:
        """Return what a loop iterates over: what the ``__iter__`` of a model's object returns."""
        return either(self._iterated(one, node) for one in options(value)) or value

    def _iterated(self, value: Value, node: ast.AST) -> Value:
        kind = value.kind if isinstance(value, Object) else None
        kind = type(value.value) if isinstance(value, Known) else kind
        if kind is None or not self.objects.is_own(kind):
            return value
        method = self.objects.of_class(self.body, node, value, kind, "__iter__")
        if isinstance(method, Bound) and method.function is not None:
            return self.reader.call(self.body, method.function, [value], {})
        return value

    def _elements_of(self, value: Value) -> Value | None:
        if isinstance(value, Items):
            return reduce(gathered, value.items, None)
        if isinstance(value, Group):
            return value.key if value.kind == "dict" else value.element
        if isinstance(value, Known):
            return self.objects.elements(self.body, value.value)
        if isinstance(value, (Place, Element)):
            return self._element(value)
        return TEXT if is_text(value) else ANYTHING

    def unpacked(self, target: ast.Tuple | ast.List, value: Value) -> Sequence[Value]:
        """Return a value for each part of a target."""
        count = len(target.elts)
        starred = any(isinstance(part, ast.Starred) for part in target.elts)
        if isinstance(value, Items) and len(value.items) == count and not starred:
            return value.items
        known = value.value if isinstance(value, Known) else None
        if isinstance(known, (tuple, list)) and not starred and len(known) == count:
            return [Known(part, value.history) for part in known]
        element = self.elements(value, target)
        return [ANYTHING if element is None else element] * count

    def _constant(self, node: ast.Constant) -> Value:
        # It may be the name of an attribute, as in attrgetter("size").
        self.reader.unresolved.update([node.value] if isinstance(node.value, str) else [])
        return Known(node.value)

    def _name(self, node: ast.Name) -> Value:
        body: Body | None = self.body
        while body is not None:
            if node.id in body.variables:
                return body.variables[node.id]
            if node.id in body.assigned:
                return ANYTHING
            if body.outer is None:
                break
            body = body.outer
        assert body is not None
        return self.objects.name(body, node)

    def _namedexpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.body.assign(node.target, value)
        return value

    def _tuple(self, node: ast.Tuple) -> Value:
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return self._group("tuple", node, node.elts)
        return Items(tuple(map(self.value, node.elts)))

    def _list(self, node: ast.List) -> Value:
        return self._group("list", node, node.elts)

    def _set(self, node: ast.Set) -> Value:
        return self._group("set", node, node.elts)

    def _group(self, kind: str, node: ast.expr, parts: Sequence[ast.expr]) -> Group:
        group = self.site(node, kind)
        for part in parts:
            if isinstance(part, ast.Starred):
                source = self.iterated(self.value(part.value), part)
                group.add(self.elements(source, part, ordered=False))
                group.blur(source)
            else:
                group.add(self.value(part))
        return group

    def _dict(self, node: ast.Dict) -> Value:
        group = self.site(node, "dict")
        for key, part in zip(node.keys, node.values, strict=True):
            value = self.value(part)
            if key is not None:
                group.add(value, self.value(key))
            else:
                for one in options(value):
                    within = as_group(self, one)
                    group.add(within.element if within else ANYTHING, within and within.key)
                group.blur(value)
        return group

    def site(self, node: ast.AST, kind: str) -> Group:
        """Return the group that is made at a place of the code, the same in every round."""
        return self.body.sites.setdefault((id(node), kind), Group(kind))

    def _comprehended(self, node: ast.expr) -> Value:
        return self.comprehensions.read(node)

    _listcomp = _setcomp = _generatorexp = _dictcomp = _comprehended

    def _lambda(self, node: ast.Lambda) -> Value:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.value(default)
        return Local(node, self.body)

    def _call(self, node: ast.Call) -> Value:
        return self.calls.call(node)

    def _starred(self, node: ast.Starred) -> Value:
        return self.value(node.value)

    def _await(self, node: ast.Await) -> Value:
        self.value(node.value)
        return ANYTHING

    def _yield(self, node: ast.Yield) -> Value:
        value = self.value(node.value) if node.value is not None else Known(None)
        self._yielded(node).add(value)
        return ANYTHING

    def _yieldfrom(self, node: ast.YieldFrom) -> Value:
        source = self.iterated(self.value(node.value), node)
        self._yielded(node).add(self.elements(source, node.value, ordered=False))
        self._yielded(node).blur(source)
        return ANYTHING

    def _yielded(self, node: ast.expr) -> Group:
        if self.body.yields is None:
            self.body.yields, self.body.yields_at = Group("iter"), self.body.source.line(node)
        self.body.yields.blur(Unknown(self.body.depends))
        return self.body.yields

    def _joinedstr(self, node: ast.JoinedStr) -> Value:
        values = [
            self.value(part.value if isinstance(part, ast.FormattedValue) else part)
            for part in node.values
        ]
        for value in values:
            as_text(self, value, node)
        if all(isinstance(value, Known) and isinstance(value.value, str) for value in values):
            return Known("".join(value.value for value in values if isinstance(value, Known)))
        return marked(TEXT, any(value.history or self.is_state(value) for value in values))

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.condition(node.test)
        result = joined(self.value(node.body), self.value(node.orelse))
        return marked(result or ANYTHING, test.history)

    def _boolop(self, node: ast.BoolOp) -> Value:
        values = [*map(self.condition, node.values[:-1]), self.value(node.values[-1])]
        # Whoever continues after `x and` has a true x, and so on; the last one is as it is.
        kept = [*map(decided(isinstance(node.op, ast.And)), values[:-1]), values[-1]]
        return marked(either(kept) or ANYTHING, any(value.history for value in values))

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return marked(TRUTH, self.condition(node.operand).history)
        value = self.value(node.operand)
        return Number(int, value.history) if is_number(value) else Unknown(value.history)

    def _binop(self, node: ast.BinOp) -> Value:
        return computed(self, node, node.op, (self.value(node.left), self.value(node.right)))

    def _compare(self, node: ast.Compare) -> Value:
        return self.comparisons.compare(node)

    def _subscript(self, node: ast.Subscript) -> Value:
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            read = [self.value(part) for part in bounds if part is not None]
            return marked(self._sliced(node, owner), any(value.history for value in read))
        return self.subscripted(node, owner, self.value(node.slice))

    def _sliced(self, node: ast.Subscript, owner: Value) -> Value:
        if is_text(owner):
            return marked(TEXT, owner.history)
        group = self.site(node, "list")
        group.add(self.elements(owner, node.value))
        group.blur(Unknown(owner.history))
        return group

    def subscripted(self, node: ast.expr, owner: Value, index: Value) -> Value:
        """Return an element of a value by its index, read by a subscript or a call."""
        of = node.value if isinstance(node, ast.Subscript) else node
        results: list[Value | None] = []
        for one in options(owner):
            if isinstance(one, (Place, Element)):
                results.append(self._element(one))
            elif isinstance(one, Known):
                results.append(self.objects.item(self.body, node, one.value, index))
            elif isinstance(one, Items) and isinstance(index, Known) and type(index.value) is int:
                inside = -len(one.items) <= index.value < len(one.items)
                results.append(one.items[index.value] if inside else ANYTHING)
            elif isinstance(one, Group) and one.kind == "dict":
                results.append(one.element)
            else:
                results.append(self.elements(one, of))
        return marked(either(results) or ANYTHING, index.history or owner.history)

    def _element(self, owner: Place | Element, writing: bool = False) -> Value:
        """Return any element of an array or a container, to read or to write it."""
        declared, history = owner.declared, owner.history
        read = isinstance(owner, Element)
        if is_array(owner):
            return element_of(declared, history, read)
        if not is_record(declared):
            return Unknown(history)
        if issubclass(declared, Ordered):
            items: Any = declared_parts(declared)["items"]
            # A member of a set is never written: its place in the order would be another one.
            read = read or not writing or issubclass(declared, Sorted)
            return of_part(items.element, history, read)
        if issubclass(declared, (Set, Bag)):
            return Number(int, history)
        return Unknown(history)

    def _attribute(self, node: ast.Attribute) -> Value:
        return self.attribute(node, self.value(node.value), node.attr)

    def attribute(self, node: ast.expr, owner: Value, name: str) -> Value:
        """Return an attribute of a value."""
        if name in WITHIN:
            self.body.find(node, f"{shortened(node)} says how Python runs the model; {ONLY}")
        results = either(self._attribute_of(node, one, name) for one in options(owner))
        return marked(results or ANYTHING, owner.history and not isinstance(results, Bound))

    def _attribute_of(self, node: ast.expr, owner: Value, name: str) -> Value | None:
        if isinstance(owner, (Bound, Local)) and name == "__call__":
            return owner
        if isinstance(owner, Known):
            return self.objects.attribute(self.body, node, owner.value, name)
        if isinstance(owner, (Place, Element, Made)):
            return self._part(node, owner, name)
        if isinstance(owner, Object):
            return self.objects.of_class(self.body, node, owner, owner.kind, name)
        kind = kind_of(owner)
        if kind is not None and kind not in (int, bool):
            if name in ("name", "value"):
                return TEXT if name == "name" else NUMBER
            return self.objects.of_class(self.body, node, owner, kind, name)
        if isinstance(owner, Unknown):
            self.reader.unresolved.add(name)
            return owner
        return Bound(name, owner)

    def _got(self, node: ast.expr, owner: Value, getter: FunctionType) -> Value:
        """Return what a property of a record is; no reader of ``s.x`` expects that it writes."""
        written = self.body.written
        value = self.reader.call(self.body, getter, [owner], {})
        if self.body.written > written:
            self.body.find(node, f"{shortened(node)} is a property that writes; make it a method")
        return value

    def _part(self, node: ast.expr, owner: Place | Element | Made, name: str) -> Value:
        declared: Any = owner.declared
        if not is_record(declared):
            return Bound(name, owner)
        parts = declared_parts(declared)
        if name in parts:
            history = owner.history
            if isinstance(owner, Place) and owner.root:
                history = name in self.reader.histories
            return of_part(parts[name], history, not isinstance(owner, Place))
        if is_of_container(owner) or hasattr(Record, name):
            return Bound(name, owner)
        if (getter := getter_of(declared, name)) is not None:
            return self._got(node, owner, getter)
        method = method_of(declared, name)
        return Unknown(owner.history) if method is None else Bound(name, owner, method)

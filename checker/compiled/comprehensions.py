"""From a plain Python function to LLVM: generators, comprehensions, and what goes over them.

``any``, ``sum``, ``max`` and kin take a generator, which is a loop, or whatever else is iterated.
"""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Callable, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import reduce
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ...language.methods import FUNCTIONS, MUTATING, OPERATIONS
from ...language.names import looked_up
from .containers import is_list
from .distinct import is_member
from .function import Scope
from .tables import UNROLLED
from .values import (
    NOWHERE,
    WORD,
    Bits,
    Cells,
    Closure,
    Constant,
    Distinct,
    Items,
    Made,
    Number,
    Numbers,
    Perhaps,
    Range,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    Zipped,
    common,
    is_none,
    kind_of,
    span,
    union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .calls import Calls
    from .expressions import Expressions


_ONLY_SHOWING = frozenset({*OPERATIONS, "count", "get", "index", "items", "keys", "values"})
"""Methods of containers that change nothing."""

_ASKING = (ast.Attribute, ast.Call, ast.Subscript)
"""What gives another value after something has changed."""


def _binds(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


_READING = (
    abs, all, any, bool, divmod, enumerate, int, len, max, min, range, reversed, sorted, sum, zip,
    itertools.chain, itertools.pairwise,
)  # fmt: skip
"""Functions of Python's that write nothing, as long as they get no function."""


def _makes(function: Value) -> bool:
    """Whether a function of two arguments returns a new value, and neither of them."""
    if isinstance(function, Closure):
        return isinstance(function.tree, ast.Lambda) and isinstance(function.tree.body, ast.BinOp)
    return isinstance(function, Constant) and function.value in FUNCTIONS


class Comprehensions:
    """Translates generators, and calls that go over them."""

    def __init__(self, scope: Scope, expressions: Expressions, calls: Calls) -> None:
        self.scope, self.out, self.expressions = scope, scope.out, expressions
        self.loops, self.calls = calls.loops, calls
        self._consumers = 0

    def each(
        self,
        clauses: Sequence[ast.comprehension],
        body: Callable[[], None],
        names: Sequence[str],
        any_order: bool = False,
    ) -> None:
        """Translate the loops of a generator; `body` emits the code for one element.

        Parameters
        ----------
        names
            Names besides the generator's own that the body assigns.
        any_order
            Whether the order in which a set is iterated does not matter.
        """
        if not clauses:
            body()
            return
        clause, *inner = clauses
        if clause.is_async:
            raise UnsupportedError("an asynchronous generator")

        def inside(element: Value, following: str, end: str) -> None:
            with self.bound(clause.target, element):
                for condition in clause.ifs:
                    chosen, test = self.out.label("if"), self.expressions.decision(condition)
                    self.out.branch(test, chosen, following)
                    if isinstance(test, Constant) and not test.value:
                        # The rest may make sense only where the condition holds.
                        return
                    self.out.place_label(chosen)
                self.each(inner, body, names, any_order)

        self.loops.loop(clause.iter, inside, names, any_order)

    @contextmanager
    def bound(self, target: ast.expr, element: Value) -> Iterator[None]:
        """Give names that are local to an expression their values in this block."""
        scope, own = self.scope, dict(self._parts(target, element))
        outer = scope.local, scope.variables, scope.assigned, scope.hidden
        scope.local = {**outer[0], **own}
        scope.variables = {n: at for n, at in outer[1].items() if n not in own}
        scope.assigned = {n: where for n, where in outer[2].items() if n not in own}
        scope.hidden = outer[3] | own.keys()
        try:
            yield
        finally:
            scope.local, scope.variables, scope.assigned, scope.hidden = outer

    def _parts(self, target: ast.expr, element: Value) -> Iterator[tuple[str, Value]]:
        if isinstance(target, ast.Name):
            yield target.id, element
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise UnsupportedError(f"{ast.unparse(target)} as the variable of a generator")
        yield from (
            pair
            for part, item in zip(
                target.elts,
                self.expressions.taken_apart(element, len(target.elts)),
                strict=True,
            )
            for pair in self._parts(part, item)
        )

    def elements(
        self,
        node: ast.expr,
        body: Callable[[Value], None],
        names: Sequence[str] = (),
        any_order: bool = False,
    ) -> None:
        """Translate a loop over an argument, whether it is a generator or something else."""
        if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
            element, free = node.elt, any_order and self._shows_no_order(node)
            reads = any_order and self._only_reads(node)
            with self.consuming() if reads else nullcontext():
                self.each(
                    node.generators, lambda: body(self.expressions.value(element)), names, free
                )
        else:
            with self.consuming():
                value = self.expressions.value(node)
            self.loops.over(
                node, value, lambda element, following, end: body(element), names, any_order
            )

    def _shows_no_order(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp) -> bool:
        """Whether a generator does nothing that shows in which order it got its elements."""
        return not any(map(self._shows_order, ast.walk(node)))

    def _shows_order(self, node: ast.AST) -> bool:
        """Whether an expression may change a name or a list of the function."""
        if not isinstance(node, ast.Call):
            return isinstance(node, (ast.NamedExpr, ast.Lambda))
        names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        gets_list = any(is_list(self.scope.local.get(name, Constant(None))) for name in names)
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in MUTATING or gets_list
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        return name in self.scope.assigned or (gets_list and not hasattr(builtins, name))

    @contextmanager
    def consuming(self) -> Iterator[None]:
        """Allow in this block what Python evaluates element by element, since all is wanted."""
        self._consumers += 1
        try:
            yield
        finally:
            self._consumers -= 1

    def _only_reads(self, node: ast.expr) -> bool:
        """Whether an expression calls nothing that may write."""
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
        named = [None if call.keywords else self.named(call.func, node) for call in calls]
        return all(one in _READING for one in named)

    def refuse_order(self, first: ast.expr, second: ast.expr | None) -> None:
        """Refuse an argument that is evaluated here before an earlier one, if that can matter.

        Python evaluates only what a generator goes over before the next argument.
        """
        if second is None:
            return
        if isinstance(first, ast.GeneratorExp):
            first = first.generators[0].iter
        both = [*ast.walk(first), *ast.walk(second)]
        if any(isinstance(part, ast.NamedExpr) for part in both) or (
            any(isinstance(part, _ASKING) for part in ast.walk(second))
            and (self._acts(first) or self._acts(second))
        ):
            raise UnsupportedError(
                f"{ast.unparse(second)}, which Python evaluates after {ast.unparse(first)},"
            )

    def _acts(self, node: ast.expr) -> bool:
        """Whether an expression may change what another one asks."""
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
        passed = [one for call in calls for one in (*call.args, *(k.value for k in call.keywords))]
        if any(isinstance(self.named(one, node), FunctionType) for one in passed) or any(
            isinstance(one, ast.Name) and isinstance(self.scope.local.get(one.id), Closure)
            for one in passed
        ):
            return True
        return not all(
            call.func.attr in _ONLY_SHOWING
            if isinstance(call.func, ast.Attribute)
            else getattr(self.named(call.func, node), "__module__", "") == builtins.__name__
            for call in calls
        )

    def named(self, function: ast.expr, around: ast.expr) -> object:
        """Return the function of a call, if it is one of the module or of one that it imports."""
        root = function.value if isinstance(function, ast.Attribute) else function
        own = {part.id for part in ast.walk(around) if isinstance(part, ast.Name) and _binds(part)}
        function_of, scope = self.scope.function, self.scope
        if not isinstance(root, ast.Name) or root.id in own | scope.hidden:
            return None
        if root.id in {*scope.assigned, *function_of.__code__.co_freevars}:
            local = scope.local.get(root.id)
            named = local.value if isinstance(local, Constant) else None
        else:
            named = looked_up(function_of, root.id)
        if not isinstance(function, ast.Attribute):
            return named
        return getattr(named, function.attr, None) if isinstance(named, ModuleType) else None

    def refuse_lazy(self, node: ast.expr, own: bool = False) -> None:
        """Refuse what Python evaluates while a loop goes on that may change what it reads.

        Parameters
        ----------
        own
            Whether it reads a list of the function's own, which changes also where nothing is
            written to the state.
        """
        if not self._consumers and (own or not self.scope.pure):
            raise UnsupportedError(f"{ast.unparse(node)}, which Python evaluates bit by bit,")

    def quantified(self, node: ast.Call, wanted: bool) -> Value:
        """Translate any() or all(), as a loop that ends early."""
        argument, out = self._only(node), self.out
        result, end = out.variable(), out.label("decided")
        out.emit(f"store i64 {0 if wanted else 1}, ptr {result}")
        is_generator = isinstance(argument, ast.GeneratorExp)
        outer, self.loops.out_of_order = self.loops.out_of_order, False

        def decide(test: Value) -> None:
            hit, following = out.label("found"), out.label("next")
            out.branch(test, *((hit, following) if wanted else (following, hit)))
            out.place_label(hit)
            out.emit(f"store i64 {1 if wanted else 0}, ptr {result}")
            # All of a list is evaluated before any of it is looked at.  Which elements of a set
            # come before, and may fail, is not known: all are evaluated.
            out.jump(end if is_generator and not self.loops.out_of_order else following)
            out.place_label(following)

        if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
            element, free = argument.elt, self._shows_no_order(argument)
            with self.consuming() if self._only_reads(argument) else nullcontext():
                self.each(
                    argument.generators,
                    lambda: decide(self.expressions.decision(element)),
                    (),
                    free,
                )
        else:
            with self.consuming():
                value = self.expressions.value(argument)

            def judge(element: Value, following: str, end: str) -> None:
                truth = self.expressions.truth_of(element)
                self.scope.marks.mark(truth, node)
                decide(truth)

            self.loops.over(argument, value, judge, any_order=True)
        self.loops.out_of_order = outer
        out.place_label(end)
        loaded = out.value(f"load i64, ptr {result}")
        return Truth(out.value(f"icmp ne i64 {loaded}, 0"))

    def total(self, node: ast.Call) -> Value:
        """Translate sum()."""
        out = self.out
        named = {part.arg: part.value for part in node.keywords}
        if len(node.args) > 2 or named.keys() - {"start"}:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        first = node.args[1] if len(node.args) == 2 else named.get("start")
        self.refuse_order(node.args[0], first)
        start = self.expressions.known(first) if first else Constant(0)
        result = out.variable()
        out.emit(f"store i64 {out.number(start)}, ptr {result}")

        def add(value: Value) -> None:
            before = Number(out.value(f"load i64, ptr {result}"), None)
            after = self.expressions.computed(ast.Add(), before, self.expressions.certain(value))
            out.emit(f"store i64 {out.number(after)}, ptr {result}")

        self.elements(node.args[0], add, any_order=True)
        return Number(out.value(f"load i64, ptr {result}"), None, int)

    def extreme(self, node: ast.Call, which: Any, several: ast.Tuple | None = None) -> Value:
        """Translate min() or max() of what one argument yields, or of `several`."""
        named = {str(part.arg): part.value for part in node.keywords}
        argument = several or self._only(node, {"key", "default"})
        key = self.expressions.expression(named["key"]) if "key" in named else None
        self.refuse_order(argument, named.get("default"))
        default = self.expressions.value(named["default"]) if "default" in named else None
        begun = self.out.variable()
        self.out.emit(f"store i64 0, ptr {begun}")
        if key is None and not self._has_parts(argument):
            return self._number(argument, which, begun, default)
        best, best_key = (self.scope.new_name(hint) for hint in ("best", "key"))
        slots, out = self.scope.slots, self.out

        def compare(element: Value) -> None:
            element = self.expressions.certain(element)
            measure = element if key is None else self._measured(key, element, node)
            # Without a first element there is nothing to compare with.
            other, better, end = (out.label(hint) for hint in ("other", "better", "end"))
            none_yet = Truth(out.value(f"icmp eq i64 {out.value(f'load i64, ptr {begun}')}, 0"))
            slots.expect(best_key, measure)
            out.branch(none_yet, better, other)
            out.place_label(other)
            wins = ast.Lt() if which is min else ast.Gt()
            test = self.expressions.compared(wins, measure, slots.load(best_key))
            self.scope.marks.mark(test, node)
            out.branch(test, better, end)
            out.place_label(better)
            slots.store(best, element)
            slots.store(best_key, measure)
            out.emit(f"store i64 1, ptr {begun}")
            out.place_label(end)
            out.settle(best)
            out.settle(best_key)

        self.elements(argument, compare, (best, best_key), any_order=key is None)
        if best not in slots:
            return default or self._failed()
        return self._or_default(begun, slots.load(best), default)

    def _measured(self, key: Value, element: Value, node: ast.Call) -> Value:
        """Return what an element is compared by, which is not None."""
        measure = self.calls.called_with(key, [element], node)
        return self._failed() if is_none(measure) else self.expressions.certain(measure)

    def reduced(self, node: ast.Call) -> Value:
        """Translate functools.reduce()."""
        if node.keywords or len(node.args) not in (2, 3):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        function = self.expressions.expression(node.args[0])
        slots, out, so_far = self.scope.slots, self.out, self.scope.new_name("reduced")
        begun, has_initial = out.variable(), len(node.args) == 3
        out.emit(f"store i64 {int(has_initial)}, ptr {begun}")
        if has_initial:
            self.refuse_order(node.args[1], node.args[2])
            initial = self.expressions.value(node.args[2])
            bits = self.calls.collections.bits(initial)
            if bits is not None:
                # An empty set is in order, as what sets of the state make of it is.
                initial = replace(bits, ordered=bits.ordered or bits.mask == Constant(0))
            slots.store(so_far, initial)

        def take(element: Value) -> None:
            element = self.expressions.certain(element)
            if isinstance(element, Bits) and element.address and not _makes(function):
                raise UnsupportedError(f"{ast.unparse(node)}, which may be a set that changes,")
            element = self.calls.collections.numbers(element) or element
            first, other, end = (out.label(hint) for hint in ("first", "other", "end"))
            none_yet = Truth(out.value(f"icmp eq i64 {out.value(f'load i64, ptr {begun}')}, 0"))
            if not has_initial:
                slots.expect(so_far, element)
            out.branch(none_yet, first, other)
            out.place_label(other)
            both = [slots.load(so_far), element]
            slots.store(so_far, self.calls.called_with(function, both, node))
            out.jump(end)
            out.place_label(first)
            if not has_initial:
                slots.store(so_far, element)
                out.emit(f"store i64 1, ptr {begun}")
            out.jump(end)
            out.place_label(end)
            out.settle(so_far)

        self.elements(node.args[1], take, (so_far,))
        if so_far not in slots:
            return self._failed()
        return self._or_default(begun, slots.load(so_far), None)

    def _has_parts(self, argument: ast.expr) -> bool:
        """Whether a generator yields tuples."""
        return isinstance(argument, (ast.GeneratorExp, ast.ListComp)) and isinstance(
            argument.elt, ast.Tuple
        )

    def _number(self, argument: ast.expr, which: Any, begun: str, default: Value | None) -> Value:
        """Translate min() or max() of numbers."""
        out = self.out
        result = out.variable()
        out.emit(f"store i64 0, ptr {result}")
        ranges: list[Range] = []
        kinds: list[type | None] = []

        def take(value: Value) -> None:
            value = self.expressions.certain(value)
            ranges.append(span(value))
            kinds.append(kind_of(value))
            before = Number(out.value(f"load i64, ptr {result}"), None)
            first = out.value(f"icmp eq i64 {out.value(f'load i64, ptr {begun}')}, 0")
            extreme = out.extreme(which.__name__, before, value)
            after = out.select(Truth(first), value, extreme, None)
            out.emit(f"store i64 {out.number(after)}, ptr {result}")
            out.emit(f"store i64 1, ptr {begun}")

        self.elements(argument, take, any_order=True)
        if not ranges:
            return default or self._failed()
        known, kind = reduce(union, ranges), reduce(common, kinds)
        extreme = Number(out.value(f"load i64, ptr {result}"), known, kind)
        return self._or_default(begun, extreme, default)

    def _or_default(self, begun: str, extreme: Value, default: Value | None) -> Value:
        """Return the result of a loop, or a default; without one it fails if no round had one."""
        out = self.out
        none = out.value(f"icmp eq i64 {out.value(f'load i64, ptr {begun}')}, 0")
        if default is None:
            out.fail_if(none)
            return extreme
        return self.expressions.either(Truth(none), default, extreme)

    def _failed(self) -> Value:
        """Emit the failure of a call that needs an element, and gets none."""
        self.out.fail_if("true")
        return NOWHERE

    def _as_generator(self, node: ast.expr) -> ast.expr:
        """Return ``iter(values)`` as a generator of its elements; anything else as it is."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return node
        if len(node.args) != 1 or self.expressions.expression(node.func) != Constant(iter):
            return node
        name = self.scope.new_name("element")
        each = ast.comprehension(ast.Name(name, ast.Store()), node.args[0], [], 0)
        return ast.copy_location(ast.GeneratorExp(ast.Name(name, ast.Load()), [each]), node)

    def first(self, node: ast.Call) -> Value:
        """Translate next() of a generator."""
        argument = self._as_generator(node.args[0]) if node.args else None
        if not isinstance(argument, ast.GeneratorExp) or len(node.args) > 2 or node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        name, end, element = self.scope.new_name("next"), self.out.label("found"), argument.elt
        slots = self.scope.slots
        slots.nullable.add(name)
        # Python evaluates all arguments before the generator yields anything.
        self.refuse_order(argument, node.args[1] if len(node.args) > 1 else None)
        default = self.expressions.value(node.args[1]) if len(node.args) > 1 else None
        stored: list[Value] = []

        def store(value: Value) -> None:
            slots.store(name, value)
            stored.append(value)

        def take() -> None:
            store(self.expressions.value(element))
            self.out.jump(end)

        self.each(argument.generators, take, (name,))
        if not self.out.terminated:
            if default is not None:
                store(default)
            elif not stored:
                return self._failed()
            else:
                self.out.fail_if("true")
                slots.store(name, Constant(None))
        self.out.place_label(end)
        first = slots.load(name)
        assert isinstance(first, Perhaps)
        maybe_none = any(isinstance(value, Perhaps) or is_none(value) for value in stored)
        return first if maybe_none or first.value is None else first.value

    def collected(self, node: ast.expr, kind: type) -> Cells | Items:
        """Return a list of what an expression yields."""
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            items = self._all(node)
            if items is not None:
                return Items(tuple(items), kind)
        cells = self.scope.lists.new(kind)
        append, certain = self.scope.lists.append, self.expressions.certain
        self.elements(node, lambda element: append(cells, certain(element)))
        # No element was translated, as where a condition is known to fail: the list is empty.
        return cells if cells.shapes else Items((), kind)

    def _all(self, node: ast.ListComp | ast.GeneratorExp) -> list[Value] | None:
        """Return all elements of a comprehension; None if their number is not known."""
        [clause, *inner] = node.generators
        if inner or clause.ifs or clause.is_async:
            return None
        with self.out.aside() as aside:
            iterable = self.expressions.known(clause.iter)
            fixed = isinstance(iterable, (Constant, Items, Numbers, Zipped)) or (
                isinstance(iterable, (StateRef, Made))
                and isinstance(iterable.sample, (list, tuple))
            )
            chosen = self.loops.indexed(iterable, clause.iter) if fixed else None
            length = chosen.length() if chosen else None
        if chosen is None or not isinstance(length, Constant) or length.value > UNROLLED:
            return None
        self.out.append(aside)
        items = []
        for number in range(length.value):
            with self.bound(clause.target, chosen.at(Constant(number))):
                items.append(self.expressions.value(node.elt))
        return items

    def members(self, node: ast.expr) -> Bits | Distinct:
        """Return a set of what an expression yields."""
        certain = self.expressions.certain
        if isinstance(node, ast.SetComp):
            element, value = node.elt, self.expressions.value
            return self.gathered(
                lambda add: self.each(
                    node.generators, lambda: add(value(element)), (), self._shows_no_order(node)
                )
            )
        return self.gathered(
            lambda add: self.elements(node, lambda one: add(certain(one)), any_order=True)
        )

    def gathered(self, each: Callable[[Callable[[Value], None]], None]) -> Bits | Distinct:
        """Return a set; `each` emits a loop in which it calls its argument for a member."""
        lists, out, sets = self.scope.lists, self.out, self.calls.collections.distinct
        growing, distinct = lists.growing_set(least=-1), sets.new()
        ranges: list[Range] = []

        def add(member: Value) -> None:
            if is_member(member) or distinct.cells.shapes:
                sets.add(distinct, member)
                return
            bit = lists.bit(member)
            ranges.append(span(bit))
            lists.change(growing, lists.merged("or", lists.mask(growing), bit))

        each(add)
        if distinct.cells.shapes and ranges:
            raise UnsupportedError("a set of tuples or records, and of something else,")
        if distinct.cells.shapes:
            return distinct
        if not ranges:
            return Bits(Constant(0))
        known = reduce(union, [(0, 0), *ranges]) or WORD
        return Bits(Number(out.number(lists.mask(growing)), known))

    def ordered(self, node: ast.Call) -> Value:
        """Translate sorted()."""
        named = {str(part.arg): part.value for part in node.keywords}
        argument = self._only(node, {"key", "reverse"})
        key = self.expressions.expression(named["key"]) if "key" in named else None
        reverse: Value = Constant(False)
        if "reverse" in named:
            reverse = self.expressions.known(named["reverse"])
        if not isinstance(reverse, Constant):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        operator = ast.Gt() if self.expressions.true(reverse) else ast.Lt()
        lists = self.scope.lists
        # Elements are sorted together with what they are sorted by.
        pairs, result = lists.new(), lists.new()

        def put(element: Value) -> None:
            element = self.expressions.certain(element)
            measure = element if key is None else self._measured(key, element, node)
            lists.insert_sorted(pairs, Items((measure, element)), before)

        def before(one: Value, other: Value) -> Value:
            assert isinstance(one, Items)
            assert isinstance(other, Items)
            return self.expressions.compared(operator, one.items[0], other.items[0])

        def keep(pair: Value, following: str, end: str) -> None:
            assert isinstance(pair, Items)
            lists.append(result, pair.items[1])

        self.elements(argument, put, any_order=key is None)
        if pairs.shapes:
            self.loops.over(node, pairs, keep)
        return result

    @staticmethod
    def _only(node: ast.Call, named: set[str] = frozenset()) -> ast.expr:  # type: ignore[assignment]
        """Return the only argument of a call besides those of some names."""
        if len(node.args) != 1 or {part.arg for part in node.keywords} - named:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        return node.args[0]

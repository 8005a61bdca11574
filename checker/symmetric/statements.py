"""Follows statements in two runs that differ by a permutation of replicas.

After renaming, a loop over all replicas visits them in another order.  The result is the same if no
round reads what another one writes, and if their writes commute: sums, unions, extremes, and
constants.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from ...core.fields import Field
from ...language.scopes import bound, stored
from . import own, sets
from .calls import Reading, arrays_of
from .comprehensions import FAILS, Comprehensions
from .expressions import drops_the_lowest, named
from .names import carried, described, is_list, kind_of, may_be_none_at, shape
from .parts import Result
from .values import (
    FOLLOWING,
    NOTHING,
    Carried,
    Constant,
    Each,
    Effects,
    Flow,
    Location,
    Made,
    NotShownError,
    Number,
    Own,
    Part,
    Picked,
    Replica,
    Several,
    Unclear,
    Value,
    Write,
    not_followed,
)

MOST_ROUNDS = 12
"""The most passes over a loop until the flow at its head no longer changes."""

ADDING: dict[type[ast.operator], str] = {
    ast.Add: "sum", ast.Sub: "sum", ast.Mult: "product",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
"""Operators that commute if a variable is only accumulated by them."""


@dataclass
class Loop:
    """A loop in analysis: the flow at each ``break`` and each ``continue``."""

    breaks: list[Flow] = field(default_factory=list)
    continues: list[Flow] = field(default_factory=list)


_CHANGES = "changes from round to round what a name stands for"


class Statements(Comprehensions):
    """Follows the statements of one function."""

    tree: ast.FunctionDef
    _statement: ast.stmt
    _loop = Loop()
    _uses: own.OneName | None = None

    def block(self, statements: list[ast.stmt]) -> None:
        """Follow statements in order; unreachable ones are left out."""
        for statement in statements:
            if self.over:
                return
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise not_followed(statement)
            self._statement = statement
            method(statement)

    def go_on(self, before: Flow, refused: ast.stmt) -> None:
        """Go on after a statement that was refused, of which nothing is known."""
        self.flow, self.over, self._loop = before, False, Loop()
        self.flow.loaded.clear()
        for name in stored([refused]) | bound(refused) | self._grown(refused):
            self.flow.local[name] = FOLLOWING

    def is_alone(self, node: ast.expr) -> bool:
        """Whether an expression is all that its statement evaluates before its effect."""
        statement = self._statement
        if isinstance(statement, ast.If):
            test = statement.test
            return node is test or (isinstance(test, ast.UnaryOp) and node is test.operand)
        return isinstance(statement, ast.Expr | ast.Assign | ast.Return) and node is statement.value

    def path(self, flow: Flow | None, statements: list[ast.stmt]) -> Flow | None:
        """Follow statements from a place on; return the flow after them.

        None is an unreachable place.
        """
        if flow is None:
            return None
        self.flow, self.over = flow, False
        self.block(statements)
        return None if self.over else self.flow

    def continue_at(self, flow: Flow | None) -> None:
        """Continue at a place where paths merged; None if it is unreachable."""
        self.over = flow is None
        self.flow = flow or self.flow

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        if (change := own.changed(node.value)) is not None and self._is_own(change[0]):
            name, source = change
            self._refuse_shared(name, node.value)
            self._given([ast.Name(name, ast.Store())], source)
        elif not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def _is_own(self, name: str) -> bool:
        """Whether a name has a list or a set of the function's own, or a tuple."""
        value = self.flow.local.get(name)
        if isinstance(value, Carried):
            value = value.value
        if isinstance(value, Constant):
            return isinstance(value.value, list | set)
        return isinstance(value, Own | Each) or (value is not None and is_list(value))

    @property
    def _names(self) -> own.OneName:
        """How the function uses the names of its own lists and sets."""
        if self._uses is None:
            self._uses = own.OneName(self.tree, self.function.__globals__)
        return self._uses

    def _refuse_shared(self, name: str, node: ast.AST) -> None:
        """Refuse to change a list or a set that may have another name, too."""
        if not self._names.is_alone(name):
            raise NotShownError(
                node,
                f"changes {name}, which may have another name",
            )

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._given([node.target], node.value)

    def _assign(self, node: ast.Assign) -> None:
        self._given(node.targets, node.value)

    def _given(self, targets: list[ast.expr], source: ast.expr) -> None:
        if not (len(targets) == 1 and self._accumulated(targets[0], source)):
            value = self.expression(source)
            for target in targets:
                self.assign_to(target, value, source if len(targets) == 1 else None)

    def _accumulated(self, target: ast.expr, source: ast.expr) -> bool:
        """Accumulate into a variable in a round of a loop; False if it is not only accumulated."""
        name = target.id if isinstance(target, ast.Name) else ""
        now, added = self.flow.local.get(name), _added(name, source)
        if not isinstance(now, Carried) or now.value is None or added is None:
            return False
        (how, operand), before = added, now.value
        if now.how not in ("", how):
            return False
        if isinstance(before, Unclear):
            raise NotShownError(source, before.why)
        value = total = self.expression(operand)
        if isinstance(source, ast.BinOp):
            total = self.operated(source.op, before, value, operand, is_ordered=False)
        elif isinstance(source, ast.Call):
            total = self.extreme(self.expression(source.func), [before, value], source)
        # How many rounds add to it is unknown.
        if isinstance(total, Number):
            total = Number()
        elif isinstance(total, Own) and isinstance(total.mask, Number):
            total = Own(Number())
        total = self.names.joined(before, total, self.flow, self.flow)
        if isinstance(total, Unclear):
            raise NotShownError(operand, total.why)
        self.flow.local[name] = Carried(how, total)
        return True

    def assign_to(self, target: ast.expr, value: Value, source: ast.expr | None = None) -> None:
        """Give a target its value; the expression for it, if it is for nothing else."""
        if isinstance(target, ast.Name):
            self.flow.local[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            if not isinstance(value, Several) or len(value.items) != len(target.elts):
                raise NotShownError(target, "unpacks a tuple that does not have that length")
            for part, item in zip(target.elts, value.items, strict=True):
                self.assign_to(part, item)
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            self._replaced(target, self.element_of(value, target))
        elif isinstance(target, ast.Subscript) and self.is_sequence(self.place(target.value)):
            self._replaced(target, value)
        else:
            declared, place = self.written(target)
            if not isinstance(declared, Field) and isinstance(target, ast.Attribute):
                if not self.may_be_another(declared):
                    raise NotShownError(
                        target, f"puts an object of Python's in place of {place.form}"
                    )
                if not (source and self._is_new(source, value)):
                    why = f"gives {place.form} an object that may have another name"
                    raise NotShownError(target, why)
                self.replaced(place.form, target)
            # Python copies to an element at once, and the rest when the step ends.
            self.fill(declared, place, value, target)

    def _is_new(self, source: ast.expr, value: Value) -> bool:
        """Whether nothing else has, or will have, the object that an expression is."""
        if isinstance(source, ast.IfExp):
            return self._is_new(source.body, value) and self._is_new(source.orelse, value)
        if isinstance(source, ast.Name) and source.id in self.flow.local:
            return self._names.is_alone(source.id)
        if isinstance(source, ast.Call) and isinstance(value, Made):
            called = self.expression(source.func)
            return isinstance(called, Constant) and called.value is value.declared
        is_made = isinstance(source, ast.BinOp | ast.Tuple) or self._names.makes(source)
        return is_made and not isinstance(value, Part)

    def _replaced(self, target: ast.Subscript, element: Value | None) -> None:
        """Put a value in place of some elements of a sequence."""
        owner = self.place(target.value)
        if not isinstance(owner, Part) or not self.is_sequence(owner):
            raise NotShownError(target, f"writes to {described(owner)}")
        if isinstance(target.slice, ast.Slice):
            self.slice_of(owner, target.slice, target)
        elif not isinstance(at := self.expression(target.slice), Number):
            raise NotShownError(target, f"uses {described(at)} as an index of {owner.form}")
        self.rebuilt(owner, [] if element is None else [element], target)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Subscript):
                raise NotShownError(
                    node, "deletes what is not an element", repair="delete by index: del values[0]"
                )
            self._replaced(target, None)

    def _changed(self, node: ast.AugAssign) -> bool:
        """Change a set or a sequence where it is; False if the target is neither."""
        read = set(self.effects.reads)
        owner: Value | None
        if isinstance(node.target, ast.Name):
            owner = self.flow.local.get(node.target.id)
        else:
            owner = self.place(node.target)
        if not isinstance(owner, Part):
            # Whether a variable that is added to counts as read is decided elsewhere.
            self.effects.reads = read
            return False
        place = self.mask_place(owner)
        value = self.expression(node.value)
        if place and isinstance(node.op, sets.OPERATORS):
            mask = self.mask(value)
            if mask is None:
                raise NotShownError(node, f"computes with {described(value)}")
            self.changed_set(*place, node.op, mask, node.target)
        elif self.is_sequence(owner) and isinstance(node.op, ast.Add):
            added = self.element_of(value, node)
            self.rebuilt(owner, [] if added is None else [added], node.target)
        else:
            raise NotShownError(node, f"changes {described(owner)}")
        return True

    def _augassign(self, node: ast.AugAssign) -> None:
        if self._changed(node):
            return
        if isinstance(node.target, ast.Name):
            if self._is_own(node.target.id):
                self._refuse_shared(node.target.id, node)
            loaded = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            source = ast.copy_location(ast.BinOp(loaded, node.op, node.value), node)
            self._given([node.target], source)
            return
        thins = isinstance(node.op, ast.BitAnd) and drops_the_lowest(node.target, node.value)
        how = "" if thins else ADDING.get(type(node.op), "")
        declared, place = self.target(node.target)
        read = set(self.effects.reads)
        before = self._loaded(declared, place)
        if how:
            # Adding to a variable does not count as reading it.
            self.effects.reads = read
        if thins:
            value = self.thinned(before, node)
        else:
            value = self.names.computed(node.op, before, self.expression(node.value), node)
        self.store(node.target, value, how)

    def _if(self, node: ast.If) -> None:
        yes, no = self.split(node.test)
        after = self.path(yes, node.body)
        self.continue_at(self.names.joined_flow(after, self.path(no, node.orelse)))

    def _match(self, node: ast.Match) -> None:
        """Follow the cases of values as the conditions that they are."""
        subject = ast.copy_location(ast.Name(f"the value of {ast.unparse(node.subject)}"), node)
        self.flow.local[subject.id] = self.expression(node.subject)
        following: list[ast.stmt] = []
        for case in reversed(node.cases):
            tests = [*_tests(case.pattern, subject), *([case.guard] if case.guard else [])]
            test: ast.expr = ast.BoolOp(ast.And(), tests) if len(tests) > 1 else ast.Constant(True)
            test = tests[0] if len(tests) == 1 else test
            following = [ast.copy_location(ast.If(test, case.body, following), case.pattern)]
        self.block(following)

    def _assert(self, node: ast.Assert) -> None:
        # What is after it runs if it does not fail, in the other run, too.
        yes, no = self.split(node.test)
        self.effects.fails = self.effects.fails or no is not None
        self.continue_at(yes)

    def _return(self, node: ast.Return) -> None:
        value = NOTHING if node.value is None else self.expression(node.value)
        self.results.append(Result(value, self.flow, node))
        self.over = True

    def _raise(self, node: ast.Raise) -> None:
        self.effects.fails = self.over = True

    def _break(self, node: ast.Break) -> None:
        self._loop.breaks.append(self.flow)
        self.over = True

    def _continue(self, node: ast.Continue) -> None:
        self._loop.continues.append(self.flow)
        self.over = True

    def _round(self, flow: Flow | None, body: list[ast.stmt]) -> tuple[Flow | None, list[Flow]]:
        """Follow a round of a loop; return the flow at its end, and at each break."""
        outer, self._loop = self._loop, Loop()
        after = self.path(flow, body)
        loop, self._loop = self._loop, outer
        for other in loop.continues:
            after = self.names.joined_flow(after, other)
        return after, loop.breaks

    def _while(self, node: ast.While) -> None:
        self._repeated(node.body, lambda: self.split(node.test))

    def _repeated(
        self, body: list[ast.stmt], head: Callable[[], tuple[Flow | None, Flow | None]]
    ) -> None:
        """Follow a loop whose rounds are the same in both runs, until nothing changes.

        `head` returns the flow at the start of a round, and at the end of the loop.
        """
        start = self.flow
        for _ in range(MOST_ROUNDS):
            self.flow = start.copy()
            begun, end = head()
            after, breaks = self._round(begun, body)
            following = self.names.joined_flow(start, after) or start
            # What no round writes is known in every one of them.
            if shape(following) == shape(start) and following.loaded == start.loaded:
                for flow in breaks:
                    end = self.names.joined_flow(end, flow)
                self.continue_at(end)
                return
            start = _widened(following)
        raise NotShownError(body[0], _CHANGES)

    def _for(self, node: ast.For) -> None:
        what = self.expression(node.iter)
        self.attempted(
            self.readings(what, node.iter), lambda inner, reading: inner._rounds(reading, node)
        )

    def _rounds(self, reading: Reading, node: ast.For) -> None:
        """Follow a loop over replicas, in any order, or over anything else, in its own order."""
        if isinstance(reading, Several):
            self._one_after_the_other(reading.items, node)
            return
        loading = self.inside()
        element, replica = loading.element(reading)
        self.adopt(loading)
        if replica is not None:
            # A round reads an element of the state when it begins, after the rounds before it.
            is_live = not any(array.copy for array in arrays_of(reading))
            self._visited(element, replica, node, loading.effects if is_live else Effects())
            return

        def head() -> tuple[Flow, Flow]:
            end = self.flow.copy()
            self.flow.local |= named(node.target, self.element(reading)[0])
            return self.flow, end

        self._repeated(node.body, head)

    def _one_after_the_other(self, items: tuple[Value, ...], node: ast.For) -> None:
        """Follow a loop over the items of a tuple, whose order is the same in both runs."""
        left: Flow | None = None
        following: Flow | None = self.flow
        for item in items:
            if following is not None:
                following.local |= named(node.target, item)
            following, breaks = self._round(following, node.body)
            for flow in breaks:
                left = self.names.joined_flow(left, flow)
        self.continue_at(self.names.joined_flow(left, following))

    def _visited(self, element: Value, replica: int, node: ast.For, loading: Effects) -> None:
        """Follow a loop over replicas, of which no round may depend on earlier ones."""
        before, assigned = self.flow, stored([node]) | bound(node) | self._grown(node)
        starts = {name: _at_start(before.local.get(name)) for name in assigned}
        for _ in range(MOST_ROUNDS):
            inner = self.inside()
            inner.effects.add(loading)
            inner.flow.local |= {**starts, **named(node.target, element)}
            rounds, breaks = inner._round(inner.flow, node.body)
            if self._forgets_what_is_written(inner.effects):
                continue
            ends = {
                name: self.names.after_rounds(name, start, rounds, breaks)
                for name, start in starts.items()
            }
            # A round adds to the values that earlier rounds have accumulated.
            following = {
                name: replace(start, value=end.value)
                for name, start in starts.items()
                if isinstance(end := ends[name], Carried) and end.how[:1] != "="
            }
            if all(
                kind_of(starts[name].value, before) == kind_of(start.value, before)
                for name, start in following.items()
            ):
                break
            starts |= following
        else:
            raise NotShownError(node, _CHANGES)
        self._check_order(replica, node, inner.effects)
        inner.results = [_of_any_round(result, assigned) for result in inner.results]
        _check_ends(inner.results, node, bool(inner.effects.writes), bool(breaks))
        if inner.effects.fails and (inner.results or breaks):
            raise NotShownError(node, FAILS)
        for name, end in ends.items():
            if isinstance(end, Carried) and not isinstance(before.local.get(name), Carried):
                ends[name] = end.value or Unclear(Carried.why)
        inner.flow, inner.over = before, False
        before.local |= ends
        self.adopt(inner)

    def _grown(self, node: ast.AST) -> set[str]:
        """Return the names of lists and sets of the function's own that a piece of code changes."""
        changes = (own.changed(part) for part in ast.walk(node))
        return {change[0] for change in changes if change and self._is_own(change[0])}

    def _forgets_what_is_written(self, effects: Effects) -> bool:
        """Forget the variables that a round of a loop writes; return whether any was known."""
        known = len(self.flow.loaded)
        for write in effects.writes:
            self.flow.forget(write.location[0])
        if effects.unknown:
            self.flow.loaded.clear()
        return len(self.flow.loaded) < known

    @staticmethod
    def _check_order(replica: int, node: ast.For, effects: Effects) -> None:
        """Refuse a loop whose rounds read or write in a way that depends on their order."""
        if effects.unknown:
            why = f"calls {effects.unknown} for each replica, which is declared symmetric by itself"
            raise NotShownError(node, why)
        for form in sorted({write.location[0] for write in effects.writes}):
            reads = {read for read in effects.reads if read[0] == form}
            writes = {write for write in effects.writes if write.location[0] == form}
            if not _independent(replica, reads, writes):
                why = f"changes {form} for each replica in a way that depends on their order"
                raise NotShownError(node, why)


def _at_start(value: Value | None) -> Carried:
    """Return what a variable that a loop assigns is at the beginning of a round."""
    return value if isinstance(value, Carried) else Carried("", value)


def _of_any_round(result: Result, assigned: set[str]) -> Result:
    """Return a result of a loop over replicas, which may be that of any replica."""
    value, flow, node = result.value, result.flow, result.node
    if result.is_picked or _is_the_same(node, assigned) or carried(value):
        return result
    certain = isinstance(value, Replica) and not may_be_none_at(value, flow)
    if certain or isinstance(value, Several):
        return Result(Picked(), flow, node, is_picked=True)
    raise NotShownError(node, "returns a value that depends on the order of replicas")


def _is_the_same(node: ast.AST, assigned: set[str]) -> bool:
    """Whether a statement returns the same in all rounds of a loop over replicas."""
    return not any(
        isinstance(part, ast.Call) or (isinstance(part, ast.Name) and part.id in assigned)
        for part in ast.walk(node)
    )


def _check_ends(results: list[Result], node: ast.For, writes: bool, breaks: bool) -> None:
    """Refuse a loop over replicas whose end depends on their order."""
    ends: dict[str, ast.AST] = {}
    for one in results:
        same = carried(one.value)
        ends["" if one.is_picked else same.how if same else ast.unparse(one.node)] = one.node
    first = next(iter(ends.values()), node)
    if writes and (ends or breaks):
        raise NotShownError(first, "ends a loop over replicas that has written for some of them")
    if len(ends) + breaks > 1:
        raise NotShownError(first, "may end a loop over replicas in several ways")


def _independent(replica: int, reads: Iterable[Location], writes: Iterable[Write]) -> bool:
    """Whether the accesses of rounds to one variable have the same result in any order."""
    places = [*reads, *(write.location for write in writes)]
    if any(all(at[p] == replica for _, at in places) for p in range(len(places[0][1]))):
        return True
    hows = {write.how for write in writes}
    return not reads and len(hows) == 1 and hows != {""}


def _tests(pattern: ast.pattern, subject: ast.Name) -> list[ast.expr]:
    """Return the conditions under which a pattern of values matches."""
    test: ast.expr
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None:
        return []
    if isinstance(pattern, ast.MatchValue):
        test = ast.Compare(subject, [ast.Eq()], [pattern.value])
    elif isinstance(pattern, ast.MatchOr):
        each = [_tests(one, subject) for one in pattern.patterns]
        if [] in each:
            return []
        test = ast.BoolOp(ast.Or(), [one for [one] in each])
    else:
        why, repair = "is a pattern of more than values", "write if and elif, and compare the parts"
        raise NotShownError(pattern, why, repair=repair)
    return [ast.fix_missing_locations(ast.copy_location(test, pattern))]


def _added(name: str, source: ast.expr) -> tuple[str, ast.expr] | None:
    """Return the way and the operand by which a name is accumulated; None if it is not."""
    if isinstance(source, ast.BinOp) and type(source.op) in ADDING:
        how, operands = ADDING[type(source.op)], [source.left, source.right]
        commutes = not isinstance(source.op, ast.Sub)
    elif isinstance(source, ast.Call) and isinstance(source.func, ast.Name):
        how, operands = source.func.id, source.args
        commutes = how in ("min", "max") and len(operands) == 2 and not source.keywords
        if not commutes:
            return None
    else:
        return None
    for old, new in (operands, operands[::-1]) if commutes else (operands,):
        if isinstance(old, ast.Name) and old.id == name:
            return how, new
    return None


def _widened(flow: Flow) -> Flow:
    """Return the flow at the head of a loop, without the numbers that may change."""
    for name, value in flow.local.items():
        if isinstance(value, Number) and value.values is not None and len(value.values) > 1:
            flow.local[name] = Number()
    return flow

"""What the statements of a function do in two runs that differ by a permutation of replicas."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .calls import SUBSET, Attempt, Element
from .expressions import drops_the_lowest
from .names import may_be_none_at, shape
from .operations import computed
from .values import NOTHING, Constant, Flow, NotShownError, Number, Picked, Replica, Several, Value
from .visits import ADDING, Visits

MOST_ROUNDS = 12
"""Of a loop, until what is known at its head is what is known after its body."""


@dataclass
class Loop:
    """A loop that is being analysed: what is known where it is left, and where it goes on."""

    breaks: list[Flow] = field(default_factory=list)
    continues: list[Flow] = field(default_factory=list)


class Statements(Visits):
    """Follows the statements of one function.

    Attributes
    ----------
    results
        What it returns, what is known there, and the statement.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.results: list[tuple[Value, Flow, ast.AST]] = []
        self.over = False
        self._loops: list[Loop] = []

    def block(self, statements: list[ast.stmt]) -> None:
        """Follow statements in order; those that nobody gets to are left out."""
        for statement in statements:
            if self.over:
                return
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise NotShownError(statement, "is not analysed", SUBSET)
            method(statement)

    def path(self, flow: Flow | None, statements: list[ast.stmt]) -> Flow | None:
        """Follow statements from a place on; return what is known after them, if one gets there.

        None stands for a place that nobody gets to.
        """
        if flow is None:
            return None
        self.flow, self.over = flow, False
        self.block(statements)
        return None if self.over else self.flow

    def go_on(self, flow: Flow | None) -> None:
        """Go on at a place where paths met."""
        self.over = flow is None
        self.flow = flow or self.flow

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._given([node.target], node.value)

    def _assign(self, node: ast.Assign) -> None:
        self._given(node.targets, node.value)

    def _given(self, targets: list[ast.expr], source: ast.expr) -> None:
        [target, *others] = targets
        alone = isinstance(target, ast.Name) and not others
        if alone and self.accumulated(ast.unparse(target), source):
            return
        value = self.expression(source)
        for target in targets:
            self.assign_to(target, value)

    def assign_to(self, target: ast.expr, value: Value) -> None:
        """Give a target its value."""
        if isinstance(target, ast.Name):
            self.flow.local[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            if not isinstance(value, Several) or len(value.items) != len(target.elts):
                raise NotShownError(target, "takes apart what is no tuple of that length")
            for part, item in zip(target.elts, value.items, strict=True):
                self.assign_to(part, item)
        else:
            self.store(target, value)

    def _augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name) and self.added(node.target.id, node.op, node.value):
            return
        thins = isinstance(node.op, ast.BitAnd) and drops_the_lowest(node.target, node.value)
        if isinstance(node.target, ast.Name):
            loaded = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            before = self.expression(loaded)
        else:
            declared, place = self.target(node.target)
            read = set(self.effects.reads)
            before = self._loaded(declared, place)
            if not thins:
                # Who adds to a variable does not ask what it is.
                self.effects.reads = read
        how = "" if thins else ADDING.get(type(node.op), "")
        if thins:
            value = self.thinned(before, node)
        else:
            value = computed(self.names, node.op, before, self.expression(node.value), node)
        if isinstance(node.target, ast.Name):
            self.flow.local[node.target.id] = value
            return
        if not how:
            self.effects.reads.add((place.form, place.indices))
        self.store(node.target, value, how)

    def _if(self, node: ast.If) -> None:
        yes, no = self.split(node.test)
        after = self.path(yes, node.body)
        self.go_on(self.names.joined_flow(after, self.path(no, node.orelse)))

    def _return(self, node: ast.Return) -> None:
        value = NOTHING if node.value is None else self.expression(node.value)
        if self.visits:
            value = self.returned(value, node)
        self.results.append((value, self.flow, node))
        self.over = True

    def _break(self, node: ast.Break) -> None:
        loop = self._loops[-1]
        loop.breaks.append(self.flow)
        self.over = True

    def _continue(self, node: ast.Continue) -> None:
        self._loops[-1].continues.append(self.flow)
        self.over = True

    def _while(self, node: ast.While) -> None:
        if node.orelse:
            raise NotShownError(node, "is not analysed", SUBSET)
        self._repeated(node.body, lambda: self.split(node.test))

    def _repeated(self, body: list[ast.stmt], head: Any) -> None:
        """Follow a loop whose rounds are the same in both runs, until nothing new is known.

        `head` returns what is known where a round begins, and where there is none any more.
        """
        self.flow.loaded.clear()
        start = self.flow
        for _ in range(MOST_ROUNDS):
            loop = Loop()
            self._loops.append(loop)
            self.flow = start.copy()
            round_, end = head()
            after = self.path(round_, body)
            self._loops.pop()
            for flow in loop.continues:
                after = self.names.joined_flow(after, flow)
            following = self.names.joined_flow(start, after)
            assert following is not None
            following.loaded.clear()
            if shape(following) == shape(start):
                for flow in loop.breaks:
                    end = self.names.joined_flow(end, flow)
                self.go_on(end)
                return
            start = _widened(following)
        raise NotShownError(
            body[0], "is not analysed: the loop changes what its variables are", SUBSET
        )

    def _for(self, node: ast.For) -> None:
        if node.orelse or not isinstance(node.target, ast.Name):
            raise NotShownError(node, "is not analysed", SUBSET)
        target = node.target.id
        what = self.expression(node.iter)
        attempts: list[Attempt] = [
            partial(self._rounds, make, node, target) for make in self.elements(what, node.iter)
        ]
        if isinstance(what, Several):
            attempts.append(partial(self._one_after_the_other, what.items, node, target))
        self.attempted(attempts)

    def _rounds(self, make: Element, node: ast.For, target: str) -> None:
        """Follow a loop over replicas in any order, or over anything else in its own."""
        element, replica = make()
        if replica is not None:
            self._visited(element, replica, node, target)
            return

        def head() -> tuple[Flow, Flow]:
            end = self.flow.copy()
            self.flow.local[target] = make()[0]
            return self.flow, end

        self._repeated(node.body, head)

    def _visited(self, element: Value, replica: int, node: ast.For, target: str) -> None:
        """Follow one round of a loop over replicas, which must not depend on the rounds before."""
        visit = self.begin_visit(replica, node)
        loop = Loop()
        self._loops.append(loop)
        self.flow.local[target] = element
        self.path(self.flow, node.body)
        self._loops.pop()
        visit.is_left = bool(loop.breaks)
        self.go_on(self.end_visit(visit))

    def _one_after_the_other(self, items: tuple[Value, ...], node: ast.For, target: str) -> None:
        """Follow a loop over the items of a tuple, whose order is the same in both runs."""
        left: Flow | None = None
        following: Flow | None = self.flow
        for item in items:
            loop = Loop()
            self._loops.append(loop)
            if following is not None:
                following.local[target] = item
            following = self.path(following, node.body)
            self._loops.pop()
            for flow in loop.continues:
                following = self.names.joined_flow(following, flow)
            for flow in loop.breaks:
                left = self.names.joined_flow(left, flow)
        self.go_on(self.names.joined_flow(left, following))

    def kept(self) -> tuple[Any, ...]:
        """Return what an attempt that fails must leave as it is."""
        loops = [(loop, len(loop.breaks), len(loop.continues)) for loop in self._loops]
        return len(self.results), loops, self.kept_visits(), super().kept()

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Take back what an attempt has done."""
        results, loops, visits, rest = kept
        del self.results[results:]
        self._loops = []
        for loop, breaks, continues in loops:
            del loop.breaks[breaks:]
            del loop.continues[continues:]
            self._loops.append(loop)
        self.restore_visits(visits)
        super().restore(rest)
        self.over = False

    def returned(self, value: Value, node: ast.Return) -> Value:
        """Return what a result is that may be one of several: that of the first replica, say."""
        if isinstance(value, Constant) or self.is_the_same(node.value):
            self.leaves(ast.unparse(node), node)
            return value
        if isinstance(value, Number) and value.values and len(value.values) == 1:
            self.leaves(f"return {min(value.values)}", node)
            return value
        certain = isinstance(value, Replica) and not may_be_none_at(value, self.flow)
        if certain or isinstance(value, Several):
            self.leaves("one of several results", node)
            return Picked()
        raise NotShownError(
            node,
            "returns what the order of replicas decides",
            "return a truth value, or what is the same for all of them",
        )


def _widened(flow: Flow) -> Flow:
    """Return what is known at the head of a loop, without the numbers that may change."""
    for name, value in flow.local.items():
        if isinstance(value, Number) and value.values is not None and len(value.values) > 1:
            flow.local[name] = Number()
    return flow

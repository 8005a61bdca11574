"""Follows statements in two runs that differ by a permutation of replicas."""

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
"""The most passes over a loop until what is known at its head no longer changes."""


@dataclass
class Loop:
    """A loop in analysis: what is known at each ``break`` and each ``continue``."""

    breaks: list[Flow] = field(default_factory=list)
    continues: list[Flow] = field(default_factory=list)


class Statements(Visits):
    """Follows the statements of one function.

    Attributes
    ----------
    results
        Its results, each with what is known there, and the statement.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.results: list[tuple[Value, Flow, ast.AST]] = []
        self.over = False
        self._loops: list[Loop] = []

    def block(self, statements: list[ast.stmt]) -> None:
        """Follow statements in order; unreachable ones are left out."""
        for statement in statements:
            if self.over:
                return
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise NotShownError(statement, "is not analysed", SUBSET)
            method(statement)

    def path(self, flow: Flow | None, statements: list[ast.stmt]) -> Flow | None:
        """Follow statements from a place on; return what is known after them.

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
                raise NotShownError(target, "unpacks a value that is no tuple of that length")
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
                # Adding to a variable does not count as reading it.
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
        self.continue_at(self.names.joined_flow(after, self.path(no, node.orelse)))

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
        """Follow a loop whose iterations are the same in both runs, until nothing changes.

        `head` returns what is known at the start of an iteration, and at the end of the loop.
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
                self.continue_at(end)
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
        """Follow a loop over replicas, in any order, or over anything else, in its own order."""
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
        """Follow one iteration of a loop over replicas, which must not depend on earlier ones."""
        visit = self.begin_visit(replica, node)
        loop = Loop()
        self._loops.append(loop)
        self.flow.local[target] = element
        self.path(self.flow, node.body)
        self._loops.pop()
        visit.is_left = bool(loop.breaks)
        self.continue_at(self.end_visit(visit))

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
        self.continue_at(self.names.joined_flow(left, following))

    def kept(self) -> tuple[Any, ...]:
        """Return what has to be restored after a failed attempt."""
        loops = [(loop, len(loop.breaks), len(loop.continues)) for loop in self._loops]
        return len(self.results), loops, self.kept_visits(), super().kept()

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Undo a failed attempt."""
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
        """Return a result within a loop over replicas, which may be that of any replica."""
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
            "returns a value that depends on the order of replicas",
            "return a truth value, or a value that is the same for all of them",
        )


def _widened(flow: Flow) -> Flow:
    """Return what is known at the head of a loop, without the numbers that may change."""
    for name, value in flow.local.items():
        if isinstance(value, Number) and value.values is not None and len(value.values) > 1:
            flow.local[name] = Number()
    return flow

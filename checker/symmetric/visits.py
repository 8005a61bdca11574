"""Loops over replicas, whose result must not depend on the order of the replicas.

After renaming, a loop over all replicas visits them in another order.  The result is the same if no
iteration reads what another one writes, and if their writes commute: sums, unions, extremes, and
constants.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from .calls import SUBSET, Calls
from .operations import computed
from .values import Constant, Effects, Flow, Location, NotShownError, Number, Unclear, Value, Write

ADDING: dict[type[ast.operator], str] = {
    ast.Add: "sum", ast.Sub: "sum", ast.Mult: "product",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
"""Operators that commute if a variable is only accumulated by them."""

EXTREMES = (min, max)

_LAST = "is that of the replica that the loop visited last"

_UNKNOWN = ast.Tuple([], ast.Load())
"""Stands for a value that has no expression."""


@dataclass
class Sum:
    """A local variable that a loop only accumulates, by one operator, with its value so far."""

    how: str
    value: Value


@dataclass
class Visit:
    """A loop over replicas in analysis.

    Attributes
    ----------
    replica
        The symbol of the iteration's replica.
    before
        What was known before the loop.
    assigned
        The names that the loop assigns.
    sums
        The names among them that it only accumulates, and that no enclosing loop accumulates.
    constants
        The names among them that always get the same value.
    ends
        The ways in which an iteration returns from the function, as text.
    is_left
        Whether an iteration may end the loop.
    """

    replica: int
    node: ast.For
    before: Flow
    effects: Effects
    outer_sums: dict[str, Sum]
    assigned: frozenset[str]
    sums: dict[str, Sum]
    constants: dict[str, Value]
    ends: dict[str, ast.AST] = field(default_factory=dict)
    is_left: bool = False


class Visits(Calls):
    """Follows loops over replicas.

    Attributes
    ----------
    visits
        The loops in analysis, the outermost first.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.visits: list[Visit] = []
        self._sums: dict[str, Sum] = {}

    def begin_visit(self, replica: int, node: ast.For) -> Visit:
        """Begin an iteration of a loop over replicas: the effects of other ones are unknown."""
        before = self.flow
        assigned = assignments([node])
        sums: dict[str, Sum] = {}
        constants: dict[str, Value] = {}
        for name, sources in assigned.items():
            hows = {how for how, _ in sources}
            if len(hows) == 1 and (how := hows.pop()):
                outer = self._sums.get(name)
                if name in before.local and (outer is None or outer.how != how):
                    sums[name] = Sum(how, before.local[name])
            elif self._is_constant(sources, assigned):
                constants[name] = self.expression(sources[0][1])
        visit = Visit(
            replica,
            node,
            before.copy(),
            self.effects,
            self._sums,
            frozenset(assigned),
            sums,
            constants,
        )
        self.visits.append(visit)
        self.effects = Effects()
        self._sums = {**self._sums, **sums}
        self.flow = before.copy()
        self.flow.loaded.clear()
        why = "carries a value from one replica to the next, so that their order matters"
        self.flow.local |= dict.fromkeys(visit.assigned, Unclear(why))
        return visit

    @staticmethod
    def _is_constant(sources: list[tuple[str, ast.expr]], assigned: dict[str, list[Any]]) -> bool:
        """Whether all assignments to a name have the same constant or unchanged name."""
        texts = {ast.unparse(source) for how, source in sources if not how}
        plain = all(
            isinstance(source, ast.Constant)
            or (isinstance(source, ast.Name) and source.id not in assigned)
            for _, source in sources
        )
        return plain and len(texts) == 1 and all(not how for how, _ in sources)

    def end_visit(self, visit: Visit) -> Flow:
        """Check that the order of iterations does not matter; return what is known after them."""
        assert self.visits.pop() is visit
        effects, self.effects = self.effects, visit.effects
        self._sums = visit.outer_sums
        self._check_order(visit, effects)
        self.effects.add(effects)
        after = visit.before
        if effects.writes:
            after.loaded.clear()
        breaks = _lists_that_break(visit.node.body)
        for name in visit.assigned:
            if name in visit.sums and not visit.is_left:
                after.local[name] = visit.sums[name].value
            elif name in visit.constants and self._decides(name, visit, breaks):
                value = visit.constants[name]
                known = after.local.get(name, value)
                after.local[name] = self.names.joined(known, value, after, after)
            elif name in self._sums and not visit.is_left:
                continue
            else:
                after.local[name] = last = Unclear(_LAST)
                if name in self._sums:
                    self._sums[name].value = last
        return after

    @staticmethod
    def _decides(name: str, visit: Visit, breaks: list[list[ast.stmt]]) -> bool:
        """Whether a name has the same value, whichever iterations assign it."""
        if not visit.is_left:
            return True
        at_once = [block for block in breaks if _assigned_at_the_end(name, block)]
        all_stores = [n for statement in visit.node.body for n in stored(statement) if n == name]
        return len(at_once) == len(breaks) == len(all_stores)

    def _check_order(self, visit: Visit, effects: Effects) -> None:
        """Refuse a loop whose result depends on the order of its iterations."""
        where = visit.node
        if effects.unknown:
            raise NotShownError(
                where,
                f"calls {effects.unknown} for each replica, which is declared symmetric by itself",
                "declare the function that has the loop",
            )
        leaving = next(iter(visit.ends.values()), where)
        if effects.writes and (visit.ends or visit.is_left):
            raise NotShownError(
                leaving, "ends a loop over replicas that has written for some of them"
            )
        if len(visit.ends) > 1 or (visit.ends and visit.is_left):
            raise NotShownError(leaving, "may end a loop over replicas in several ways")
        for form in sorted({write.location[0] for write in effects.writes}):
            reads = {read for read in effects.reads if read[0] == form}
            writes = {write for write in effects.writes if write.location[0] == form}
            if not _independent(visit.replica, reads, writes):
                raise NotShownError(
                    where,
                    f"changes {form} for each replica in a way that depends on their order",
                )

    def accumulated(self, name: str, source: ast.expr) -> bool:
        """Accumulate into a variable that a loop only accumulates; False if it is none."""
        added = _added(name, source)
        if added is None or not self._is_carried(name):
            return False
        _, operand = added
        if isinstance(source, ast.Call):
            if self.expression(source.func) not in [Constant(which) for which in EXTREMES]:
                raise NotShownError(source, "is not analysed", SUBSET)
            value = self.expression(operand)
            for other in (value, self._sums[name].value):
                if isinstance(other, Unclear):
                    raise NotShownError(source, other.why)
                if not isinstance(other, Number):
                    raise NotShownError(source, "orders a value that is no plain number")
            self._sums[name].value = Number()
            return True
        assert isinstance(source, ast.BinOp)
        return self.added(name, source.op, operand)

    def added(self, name: str, operator: ast.operator, operand: ast.expr) -> bool:
        """Accumulate into a variable by an operator; False if it is not only accumulated."""
        if not self._is_carried(name):
            return False
        value = self.expression(operand)
        total = self._sums[name]
        if isinstance(total.value, Unclear):
            raise NotShownError(operand, total.value.why)
        result = computed(self.names, operator, total.value, value, operand)
        # How many rounds add to it is unknown.
        result = Number() if isinstance(result, Number) else result
        total.value = self.names.joined(total.value, result, self.flow, self.flow)
        if isinstance(total.value, Unclear):
            raise NotShownError(operand, total.value.why)
        computed(self.names, operator, total.value, value, operand)
        return True

    def _is_carried(self, name: str) -> bool:
        """Whether a name is a sum, and was not assigned otherwise in this iteration."""
        return name in self._sums and isinstance(self.flow.local.get(name), Unclear)

    def is_the_same(self, node: ast.expr | None) -> bool:
        """Whether an expression is the same in all iterations of the loops over replicas."""
        if node is None:
            return True
        changing = frozenset().union(*(visit.assigned for visit in self.visits))
        return not changing & names_in(node) and not any(
            isinstance(part, ast.Call) for part in ast.walk(node)
        )

    def leaves(self, how: str, node: ast.AST) -> None:
        """Record that the iterations of all loops may return from the function."""
        for visit in self.visits:
            visit.ends.setdefault(how, node)

    def kept_visits(self) -> tuple[Any, ...]:
        """Return what has to be restored after a failed attempt."""
        ends = [(visit, dict(visit.ends)) for visit in self.visits]
        sums = {name: replace(total) for name, total in self._sums.items()}
        return ends, self._sums, sums

    def restore_visits(self, kept: tuple[Any, ...]) -> None:
        """Undo a failed attempt."""
        ends, self._sums, sums = kept
        self.visits = []
        for visit, before in ends:
            visit.ends = before
            self.visits.append(visit)
        for name, total in sums.items():
            self._sums[name].value = total.value


def _independent(replica: int, reads: Iterable[Location], writes: Iterable[Write]) -> bool:
    """Whether the accesses of iterations to one variable have the same result in any order."""
    writes = list(writes)
    places = [*reads, *(write.location for write in writes)]
    if any(all(at[p] == replica for _, at in places) for p in range(len(places[0][1]))):
        return True
    hows = {write.how for write in writes}
    return not list(reads) and len(hows) == 1 and hows != {""}


def _added(name: str, source: ast.expr) -> tuple[str, ast.expr] | None:
    """Return the operator and operand by which a name is accumulated; None if it is not."""
    if isinstance(source, ast.BinOp) and type(source.op) in ADDING:
        if isinstance(source.left, ast.Name) and source.left.id == name:
            return ADDING[type(source.op)], source.right
        commutes = not isinstance(source.op, ast.Sub)
        if commutes and isinstance(source.right, ast.Name) and source.right.id == name:
            return ADDING[type(source.op)], source.left
    if not (isinstance(source, ast.Call) and isinstance(source.func, ast.Name)):
        return None
    if source.func.id in ("min", "max") and len(source.args) == 2 and not source.keywords:
        for old, new in (source.args, source.args[::-1]):
            if isinstance(old, ast.Name) and old.id == name:
                return source.func.id, new
    return None


def assignments(body: list[ast.stmt]) -> dict[str, list[tuple[str, ast.expr]]]:
    """Return for each assigned name its operators of accumulation, if any, and its values."""
    assigned: dict[str, list[tuple[str, ast.expr]]] = {}
    for node in (part for statement in body for part in ast.walk(statement)):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            how = ADDING.get(type(node.op), "")
            assigned.setdefault(node.target.id, []).append((how, node.value if how else _UNKNOWN))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for name in stored(target):
                    added = _added(name, node.value) if isinstance(target, ast.Name) else None
                    plain = ("", node.value) if isinstance(target, ast.Name) else ("", _UNKNOWN)
                    assigned.setdefault(name, []).append(added or plain)
        elif isinstance(node, ast.For | ast.comprehension):
            for name in stored(node.target):
                assigned.setdefault(name, []).append(("", _UNKNOWN))
    return assigned


def stored(node: ast.AST) -> Iterator[str]:
    """Yield each assigned name, as often as it is assigned."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def names_in(node: ast.AST) -> frozenset[str]:
    """Return all names in a piece of code."""
    return frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _assigned_at_the_end(name: str, block: list[ast.stmt]) -> bool:
    """Whether statements that end with a break assign a name right before it."""
    end = next(n for n, statement in enumerate(block) if isinstance(statement, ast.Break))
    for statement in reversed(block[:end]):
        if not isinstance(statement, ast.Assign):
            return False
        if name in stored(statement):
            return True
    return False


def _lists_that_break(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    """Return the lists of statements that end with a break of this loop."""
    bodies: list[list[ast.stmt]] = []
    for statement in body:
        if isinstance(statement, ast.Break):
            bodies.append(body)
        elif isinstance(statement, ast.If):
            bodies += _lists_that_break(statement.body) + _lists_that_break(statement.orelse)
    return bodies

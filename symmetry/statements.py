"""Follows statements, and loops: over participants in any order, over anything else in its own."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ..language import form
from ..language.lowering.effects import assignments, children, effects, is_simple
from ..language.lowering.owners import root_of
from ..language.types import Places, Ref
from .expressions import UnreachedError
from .flow import Effects, Flow, Location, Result, Write
from .functions import Functions, line_of
from .iteration import FAILS, Round, is_ordered, picked, refuse_writes
from .joining import LAST, carried, made_of
from .library import Library
from .refusals import NotShownError, refused_at
from .relations import (
    ORDER,
    Carried,
    Made,
    Never,
    Picked,
    Place,
    Relation,
    Unclear,
    known_number,
)
from .words import described

MOST_ROUNDS = 40
"""The most times that a loop is followed until nothing changes: its relations are few."""

COMMUTING = ("add", "sub", "mul", "and_", "or_", "xor", "min", "max")
"""The operators by which a loop may add up."""

_CHANGES = "changes what a name stands for in each round"


class Statements(Library):
    """Follows the statements of one function."""

    def __init__(self, functions: Functions, function: form.Function) -> None:
        super().__init__(functions)
        self.function, self.line = function, function.line

    @property
    def here(self) -> str:
        """The function, with the line that is followed."""
        return line_of(self.function, self.line)

    def block(self, body: Iterable[form.Statement]) -> None:
        """Follow statements, up to one after which nothing runs."""
        for one in body:
            if not self.flow.alive:
                return
            self.line = one.line
            try:
                _STATEMENTS[type(one)](self, one)
            except UnreachedError:
                self.flow.alive = False
            except NotShownError as refused:
                refused.at(one)
                refused.where = refused.where or self.here
                raise

    # --- names and parts

    def _bind(self, node: form.Bind) -> None:
        old = self.flow.local.get(node.name)
        step = _step(node.value, node.name) if isinstance(old, Carried) else None
        if step is None or not isinstance(old, Carried):
            self.flow.local[node.name] = self.value(node.value)
            return
        value = self._added(node.value, old.value, step[1])
        self.accumulate(node.name, step[0], value)

    def accumulate(self, slot: str, how: str, value: Relation) -> None:
        """Note that a round adds to what other rounds may have added."""
        old = self.flow.local[slot]
        assert isinstance(old, Carried)
        if old.how not in ("", how):
            raise NotShownError(ORDER)
        joined = self.joining.joined(old.value, value)
        self.flow.local[slot] = made_of(lambda one: Carried(how, one), joined)

    def _added(self, node: form.Expression, old: Relation, operand: form.Expression) -> Relation:
        """Return what a name or a place has after something is added to it."""
        assert isinstance(node, form.Arithmetic)
        added = self.value(operand)
        with refused_at(node):
            return self.group.computed(node.operator, old, added)

    def _store(self, node: form.Store) -> None:
        target = node.target
        if isinstance(target, form.Slice):
            self.replace_slice(target, self.loaded(node.value))
            return
        if root_of(target) is not None:
            self.assign(target, self.loaded(node.value))
            return
        place = self.raw(target)
        if not isinstance(place, Place):
            raise NotShownError(f"writes to {described(place)}")
        step = _step(node.value, target)
        if step is None:
            value = self.loaded(node.value)
        else:
            # Adding to a variable does not count as reading it.
            before = self.places.load(place, Effects())
            value = self._added(node.value, before, step[1])
        number = known_number(value)
        how = step[0] if step else f"={number}" if number is not None else ""
        self.places.store(place, value, self.flow.effects, how)

    def assign(self, path: form.Expression, value: Relation) -> None:
        """Note that what the function has itself lies at a path from a name now."""
        if isinstance(path, form.Local):
            self.flow.local[path.name] = value
            return
        owner = self.raw(path.of) if isinstance(path, form.Part) else None
        if isinstance(owner, Carried):
            raise NotShownError(ORDER)
        if not isinstance(path, form.Part) or not isinstance(owner, Made):
            raise NotShownError("changes an element of what the function has itself")
        parts = dict(owner.parts) | {path.name: value}
        self.assign(path.of, Made(owner.declaration, tuple(parts.items())))

    def _do(self, node: form.Do) -> None:
        with refused_at(node.value):
            self.raw(node.value)

    # --- branches

    def _if(self, node: form.If) -> None:
        known = self.truth(node.test)
        ways = {None: (node.body, node.orelse), True: (node.body,), False: (node.orelse,)}
        self.branched(partial(self.block, body) for body in ways[known])

    def _block(self, node: form.Block) -> None:
        self.block(node.body)
        left = self.flow.left.pop((node.label, False), [])
        self.meet([*([self.flow.local] if self.flow.alive else []), *left])

    def _leave(self, node: form.Leave) -> None:
        self.flow.left.setdefault((node.label, node.again), []).append(dict(self.flow.local))
        self.flow.alive = False

    def _return(self, node: form.Return) -> None:
        self.end(self.loaded(node.value))

    def end(self, value: Relation) -> None:
        """Note that the function returns a value here."""
        self.flow.results.append(Result(value))
        self.flow.alive = False

    def _fail(self, node: form.Fail) -> None:
        self.flow.effects.fails = True
        self.flow.alive = False

    # --- loops

    def _while(self, node: form.While) -> None:
        ends = form.If(node.line, node.test, node.body, (form.Leave(node.line, node.label),))
        self._repeated(node.label, (ends,))

    def _for(self, node: form.For) -> None:
        self._refuse_changed(node)
        lazy = isinstance(node.over, (form.Comprehension, form.Apply))
        value = None if lazy else self.value(node.over)
        outer, self.flow.effects = self.flow.effects, Effects()
        followed: list[Round] = []

        def follow(one: Round) -> None:
            # Whatever yields the value runs as the round begins.
            followed.append(one)
            one.loads.add(self.flow.effects)
            if one.ordered:
                self._repeated(node.label, node.body, (node.slot, one.element))
            else:
                self._visited(one, node)

        try:
            if value is None:
                self.each(node.over, follow)
            else:
                self.over(value, follow, is_ordered(node.over.type))
            if not followed:
                refuse_writes(self.flow.effects)
        finally:
            outer.add(self.flow.effects.settled(self.functions.depth))
            self.flow.effects = outer
        self.flow.local = {n: self.settled(one) for n, one in self.flow.local.items()}
        self.flow.results = [
            one._replace(value=self.settled(one.value)) for one in self.flow.results
        ]
        self.flow.left = {
            label: [{n: self.settled(one) for n, one in local.items()} for local in each]
            for label, each in self.flow.left.items()
        }

    def _refuse_changed(self, node: form.For) -> None:
        """Refuse a loop that changes the list or the set that it goes over."""
        names = read_in(node.over) & _grown(node.body)
        if names:
            name = min(names).partition("'")[0]
            raise NotShownError(f"changes {name} while it goes over it", "change another one")

    def _repeated(
        self,
        label: int,
        body: tuple[form.Statement, ...],
        element: tuple[str, Relation] | None = None,
    ) -> None:
        """Follow a loop whose rounds are the same in both runs, until nothing changes."""
        begun, start = self.flow.copy(), dict(self.flow.local)
        for _ in range(MOST_ROUNDS):
            again = begun.copy()
            self.flow.results, self.flow.left = again.results, again.left
            self.flow.local, self.flow.alive = dict(start), True
            if element is not None:
                self.flow.local[element[0]] = element[1]
            self.block(body)
            rounds = self.flow.left.pop((label, True), [])
            rounds += [self.flow.local] if self.flow.alive else []
            following = start
            for one in rounds:
                following = self.joining.flows(following, one)
            if following == start:
                # What goes over values ends before any round; another loop ends by leaving it.
                ends = [start] if element is not None else []
                self.meet([*ends, *self.flow.left.pop((label, False), [])])
                return
            start = following
        raise NotShownError(_CHANGES)

    def _visited(self, one: Round, node: form.For) -> None:
        """Follow a loop over participants, of which no round may depend on earlier ones."""
        before, outer = dict(self.flow.local), self.flow
        changed = {slot for _, slot in assignments(node.body)} | _grown(node.body)
        starts = {slot: _at_start(before.get(slot, Never())) for slot in changed}
        after = self._any_round(one, node, outer, starts)
        self._check_order(one.symbol, self.flow.effects)
        results = [self._of_any_round(result) for result in self.flow.results]
        self._check_ends(results, self.flow.effects)
        if self.flow.left:
            raise NotShownError("ends several loops over replicas", "end them one by one")
        for slot, end in after.items():
            if isinstance(end, Carried) and not isinstance(before.get(slot), Carried):
                after[slot] = end.value
        outer.local = {**before, **after, node.slot: LAST}
        outer.effects.add(self.flow.effects)
        outer.results += results
        self.flow = outer

    def _any_round(
        self, one: Round, node: form.For, outer: Flow, starts: dict[str, Carried]
    ) -> dict[str, Relation]:
        """Follow a round over participants until it knows what others may have left.

        Parameters
        ----------
        outer
            The flow before the loop.
        starts
            What the slots have, at first, that a round changes.
        """
        for _ in range(MOST_ROUNDS):
            self.flow = inner = outer.copy()
            inner.effects, inner.results, inner.left = one.loads.copy(), [], {}
            inner.local |= {**starts, node.slot: one.element}
            self.block(node.body)
            rounds = self.flow.left.pop((node.label, True), [])
            rounds += [self.flow.local] if self.flow.alive else []
            if (node.label, False) in self.flow.left:
                raise NotShownError("leaves a loop over replicas, so that the last one matters")
            ends = {slot: self._after_rounds(slot, start, rounds) for slot, start in starts.items()}
            # A round adds to the values that earlier rounds have accumulated.
            following = {
                slot: Carried(start.how, end.value)
                for slot, start in starts.items()
                if isinstance(end := ends[slot], Carried) and end.how[:1] != "="
            }
            if all(starts[n] == start for n, start in following.items()):
                return ends
            starts = starts | following
        raise NotShownError(_CHANGES)

    def _after_rounds(
        self, slot: str, start: Carried, rounds: list[dict[str, Relation]]
    ) -> Relation:
        """Return what a slot has after a loop over participants: `Carried` or `Unclear`."""
        value: Relation = start
        for flow in rounds:
            value = self.joining.rounds(value, flow.get(slot, start))
        return self.joining.rounds(start, value)

    @staticmethod
    def _check_order(symbol: int, done: Effects) -> None:
        """Refuse a loop whose rounds read or write in a way that depends on their order."""
        if done.unknown:
            why = f"calls {done.unknown} for each replica, which is declared symmetric by itself"
            raise NotShownError(why)
        for written in sorted({write.location.form for write in done.writes}):
            reads = {read for read in done.reads if read.form == written}
            writes = {write for write in done.writes if write.location.form == written}
            if not _independent(symbol, reads, writes):
                why = f"changes {written} for each replica in a way that depends on their order"
                raise NotShownError(why)

    def _of_any_round(self, result: Result) -> Result:
        """Return a result of a loop over participants, which may be that of any of them."""
        value = result.value
        if result.is_picked or carried(value) or isinstance(value, Picked):
            return result
        one = picked(value)
        if isinstance(one, Unclear):
            raise NotShownError("returns a value that depends on the order of replicas")
        return result._replace(value=one, is_picked=True)

    @staticmethod
    def _check_ends(results: list[Result], done: Effects) -> None:
        """Refuse a loop over participants whose end depends on their order."""
        ends = {same.how if (same := carried(one.value)) else "" for one in results}
        if done.writes and ends:
            raise NotShownError("ends a loop over replicas that has written for some of them")
        if len(ends) > 1:
            raise NotShownError("may end a loop over replicas in several ways")
        if done.fails and ends:
            raise NotShownError(FAILS)


def _step(node: form.Expression, target: Any) -> tuple[str, form.Expression] | None:
    """Return the way and the operand by which a name or a place is added to; None if it is not."""
    if not isinstance(node, form.Arithmetic) or node.operator not in COMMUTING:
        return None
    how = "add" if node.operator == "sub" else node.operator
    pairs = [(node.left, node.right)]
    if node.operator != "sub":
        pairs.append((node.right, node.left))
    for old, operand in pairs:
        is_it = isinstance(old, form.Local) and old.name == target
        if (is_it or old == target) and is_simple(old):
            return how, operand
    return None


def _grown(body: tuple[form.Statement, ...]) -> set[str]:
    """Return the slots of what the function has itself that statements change where it is."""
    return {slot for one in body for slot in effects(one)}


def read_in(node: form.Expression | form.Statement) -> set[str]:
    """Return the slots that a part of a function reads, but for names of places."""
    names = set()
    if isinstance(node, form.Local) and not isinstance(node.type, (Ref, Places)):
        names.add(node.name)
    return names.union(*map(read_in, children(node)))


def _at_start(value: Relation) -> Carried:
    """Return what a slot that a loop changes has at the beginning of a round."""
    return value if isinstance(value, Carried) else Carried("", value)


def _independent(symbol: int, reads: Iterable[Location], writes: Iterable[Write]) -> bool:
    """Whether the accesses of rounds to one variable have the same result in any order."""
    places = [*reads, *(write.location for write in writes)]
    if symbol and any(
        all(at.indices[p] == symbol for at in places) for p in range(len(places[0].indices))
    ):
        return True
    hows = {write.how for write in writes}
    return not reads and len(hows) == 1 and hows != {""}


_STATEMENTS: dict[type, Any] = {
    form.Bind: Statements._bind, form.Store: Statements._store, form.Do: Statements._do,
    form.If: Statements._if, form.Block: Statements._block, form.Leave: Statements._leave,
    form.Return: Statements._return, form.Fail: Statements._fail, form.While: Statements._while,
    form.For: Statements._for,
}  # fmt: skip

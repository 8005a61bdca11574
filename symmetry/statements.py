"""Follows statements, and loops: over participants in any order, over anything else in its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..language import form
from ..language.lowering.effects import assignments, children, effects, is_simple
from ..language.lowering.owners import root_of
from ..language.types import Members, Places, Ref
from .expressions import UnreachedError
from .flow import Effects, Flow, Location, Result, Write
from .functions import Functions, line_of
from .iteration import FAILS, Round, picked, refuse_writes
from .joining import LAST, carried
from .library import Library
from .refusals import NotShownError
from .relations import (
    ORDER,
    Carried,
    Indexed,
    Listed,
    Made,
    Never,
    Picked,
    Place,
    Relation,
    Replica,
    Same,
    Several,
    Table,
    Unclear,
    known_number,
)
from .words import described

MOST_ROUNDS = 40
"""The most times that a loop is followed until nothing changes: its relations are few."""

COMMUTING = {
    "add": "add", "sub": "add", "mul": "mul", "and_": "and_", "or_": "or_", "xor": "xor",
    "min": "min", "max": "max",
}  # fmt: skip
"""The operators by which a loop may add up, with what they are among themselves."""

FOLLOWING = Unclear("follows from another fault")
"""What a name has after a statement that was refused."""

HAS_WRITTEN = "ends a loop over replicas that has written for some of them"
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

    def go_through(self, body: Iterable[form.Statement]) -> None:
        """Follow statements, also after one that is refused.

        Raises
        ------
        NotShownError
            The first refusal, with those of later statements that do not follow from it.
        """
        faults: list[NotShownError] = []
        for one in body:
            before = self.flow.copy()
            try:
                self.block([one])
            except NotShownError as refused:
                if refused.why != FOLLOWING.why:
                    faults += [refused, *refused.others]
                self.flow = before
                slots = {slot for _, slot in assignments([one])} | effects(one)
                self.flow.local |= dict.fromkeys(slots, FOLLOWING)
        if faults:
            first, *first.others = faults
            raise first

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
        if isinstance(old, Carried) and (step := _step(node.value, node.name)) is not None:
            how, operand = step
            value = self._added(node.value, old.value, operand)
            self.accumulate(node.name, how, value)
        else:
            self.flow.local[node.name] = self.value(node.value)

    def _added(self, node: form.Expression, old: Relation, operand: form.Expression) -> Relation:
        """Return what a name or a place has after something is added to it."""
        assert isinstance(node, form.Arithmetic)
        added = self.value(operand)
        try:
            return self.group.computed(node.operator, old, added)
        except NotShownError as refused:
            refused.at(node)
            raise

    def accumulate(self, slot: str, how: str, value: Relation) -> None:
        """Note that a round adds to what other rounds may have added."""
        old = self.flow.local[slot]
        assert isinstance(old, Carried)
        if old.how not in ("", how):
            raise NotShownError(ORDER)
        joined = self.joining.joined(old.value, value)
        self.flow.local[slot] = joined if isinstance(joined, Unclear) else Carried(how, joined)

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
        assert isinstance(path, (form.Part, form.Element, form.Item, form.Lookup))
        owner = self.holder(path.of)
        if isinstance(owner, Carried):
            raise NotShownError(ORDER)
        self.assign(path.of, self._with(self.joining.opened(owner), path, value))

    def _with(self, owner: Relation, path: form.Expression, value: Relation) -> Relation:
        """Return a record, a list or a dictionary of which a part has another value."""
        if isinstance(path, form.Part) and isinstance(owner, Made):
            parts = dict(owner.parts) | {path.name: value}
            return Made(owner.declaration, tuple(parts.items()))
        if isinstance(path, form.Lookup) and isinstance(owner, Table):
            index = self.loaded(path.key)
            self._note(path.of, index, value)
            key = self.joining.joined(owner.key, index)
            held = self.joining.joined(owner.value, value)
            return self.clear(lambda one: Table(one, held, owner.ordered), key, held)
        if isinstance(path, form.Element):
            index = self.value(path.index)
            if isinstance(index, Replica):
                indexed = self.joining.as_indexed(owner, index.kind)
                if indexed is not None and not index.may_be_none:
                    self._note(path.of, index, value)
                    element = self.joining.joined(indexed.element, value)
                    return self.clear(lambda one: type(indexed)(indexed.kind, one), element)
            elif isinstance(index, Same) and isinstance(owner, (Several, Listed)):
                return self._with_element(owner, index, value)
            raise NotShownError(f"uses {described(index)} as an index of {described(owner)}")
        raise NotShownError(f"writes to a part of {described(owner)}")

    def _note(self, of: form.Expression, index: Relation, value: Relation) -> None:
        """Note a write to an entry of what a loop over participants changes entry by entry."""
        if at := self.entry_of(of, index):
            number = known_number(value)
            self.flow.effects.writes.add(Write(at, "" if number is None else f"={number}"))

    def _with_element(self, owner: Several | Listed, index: Same, value: Relation) -> Relation:
        number = known_number(index)
        if isinstance(owner, Several) and number is not None:
            items = list(owner.items)
            if not -len(items) <= number < len(items):
                raise UnreachedError
            items[number] = value
            return Several(tuple(items))
        held = owner.items if isinstance(owner, Several) else (owner.element,)
        return self.clear(Listed, self.joining.all([*held, value]))

    def _do(self, node: form.Do) -> None:
        try:
            self.raw(node.value)
        except NotShownError as refused:
            refused.at(node.value)
            raise

    # --- branches

    def _if(self, node: form.If) -> None:
        known = self.truth(node.test)
        begun = dict(self.flow.local)
        ends: list[dict[str, Relation]] = []
        for way, body in ((True, node.body), (False, node.orelse)):
            if known is not None and known is not way:
                continue
            self.flow.local, self.flow.alive = dict(begun), True
            self.block(body)
            if self.flow.alive:
                ends.append(self.flow.local)
        self._meet(ends)

    def _meet(self, ends: list[dict[str, Relation]]) -> None:
        """Go on where several ways meet, if any gets there."""
        self.flow.alive = bool(ends)
        if ends:
            first, *rest = ends
            for one in rest:
                first = self.joining.flows(first, one)
            self.flow.local = first

    def _block(self, node: form.Block) -> None:
        self.block(node.body)
        self._leaving(node.label)

    def _leaving(self, label: int) -> None:
        """Go on after a block or a loop, also from where it was left."""
        left = self.flow.left.pop((label, False), [])
        self._meet([*([self.flow.local] if self.flow.alive else []), *left])

    def _leave(self, node: form.Leave) -> None:
        self.flow.left.setdefault((node.label, node.again), []).append(dict(self.flow.local))
        self.flow.alive = False

    def _return(self, node: form.Return) -> None:
        self.end(self.loaded(node.value))

    def end(self, value: Relation) -> None:
        """Note that the function returns a value here."""
        changed = {name: self.flow.local[name] for name in self.function.changes}
        self.flow.results.append(Result(value, changed))
        self.flow.alive = False

    def _fail(self, node: form.Fail) -> None:
        self.flow.effects.fails = True
        self.flow.alive = False

    # --- loops

    def _while(self, node: form.While) -> None:
        self._repeated(node.label, node.body, node.test)

    def _for(self, node: form.For) -> None:
        lazy = isinstance(node.over, (form.Comprehension, form.Apply))
        if not is_fresh(node.over):
            self._refuse_changed(node)
        value = None if lazy else self.value(node.over)
        outer, self.flow.effects = self.flow.effects, Effects()
        followed: list[Round] = []

        def follow(one: Round) -> None:
            # Whatever yields the value runs as the round begins.
            followed.append(one)
            one.loads.add(self.flow.effects)
            if one.ordered:
                self._repeated(node.label, node.body, None, (node.slot, one.element))
            else:
                self._visited(one, node)

        try:
            if value is None:
                self.each(node.over, follow)
            else:
                ordered = isinstance(node.over.type, Members) and node.over.type.ordered
                self.over(value, follow, ordered=ordered)
            if not followed:
                refuse_writes(self.flow.effects)
        except UnreachedError:
            outer.add(self.flow.effects)
            self.flow.effects = outer
            raise
        outer.add(self.flow.effects.settled(self.functions.depth))
        self.flow.effects = outer
        self.flow.local = {n: self.settled(one) for n, one in self.flow.local.items()}
        self.flow.results = [
            one._replace(
                value=self.settled(one.value),
                changed={n: self.settled(value) for n, value in one.changed.items()},
            )
            for one in self.flow.results
        ]
        self.flow.left = {
            label: [{n: self.settled(one) for n, one in local.items()} for local in each]
            for label, each in self.flow.left.items()
        }

    def _refuse_changed(self, node: form.For) -> None:
        """Refuse a loop that changes the list, the set or the dictionary that it goes over."""
        names = read_in(node.over) & self._grown(node.body)
        if names:
            name = min(names).partition("'")[0]
            raise NotShownError(f"changes {name} while it goes over it", f"go over list({name})")

    def _repeated(
        self,
        label: int,
        body: tuple[form.Statement, ...],
        test: form.Expression | None,
        element: tuple[str, Relation] | None = None,
    ) -> None:
        """Follow a loop whose rounds are the same in both runs, until nothing changes."""
        begun, start = self.flow.copy(), dict(self.flow.local)
        for _ in range(MOST_ROUNDS):
            again = begun.copy()
            self.flow.results, self.flow.left = again.results, again.left
            self.flow.local, self.flow.alive = dict(start), True
            ends: list[dict[str, Relation]] = []
            known: bool | None = None
            if test is not None:
                known = self.truth(test)
            if known is not True:
                ends.append(dict(self.flow.local))
            if known is not False:
                if element is not None:
                    self.flow.local[element[0]] = element[1]
                self.block(body)
            else:
                self.flow.alive = False
            rounds = self.flow.left.pop((label, True), [])
            rounds += [self.flow.local] if self.flow.alive else []
            following = start
            for one in rounds:
                following = self.joining.flows(following, one)
            if following == start:
                self._meet([*ends, *self.flow.left.pop((label, False), [])])
                return
            start = following
        raise NotShownError(_CHANGES)

    def _visited(self, one: Round, node: form.For) -> None:
        """Follow a loop over participants, of which no round may depend on earlier ones."""
        before, outer = dict(self.flow.local), self.flow
        changed = {slot for _, slot in assignments(node.body)} | self._grown(node.body)
        lists = self._of_each(one, changed, before, node.body)
        starts = {slot: _at_start(before.get(slot, Never())) for slot in changed - lists.keys()}
        outside, self.shared_out = self.shared_out, self.shared_out | lists.keys()
        try:
            after, breaks = self._any_round(one, node, outer, starts, lists)
        finally:
            self.shared_out = outside
        self._check_order(one.symbol, self.flow.effects)
        results = [self._of_any_round(result) for result in self.flow.results]
        self._check_ends(results, self.flow.effects, breaks)
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
        self,
        one: Round,
        node: form.For,
        outer: Flow,
        starts: dict[str, Carried],
        lists: dict[str, Relation],
    ) -> tuple[dict[str, Relation], bool]:
        """Follow a round over participants until it knows what others may have left.

        Parameters
        ----------
        outer
            The flow before the loop.
        starts
            What the slots have, at first, that a round changes.
        lists
            The lists and dictionaries of which it changes no more than entries.

        Returns
        -------
        tuple
            What they have after the loop, and whether a round may end that.
        """
        for _ in range(MOST_ROUNDS):
            self.flow = inner = outer.copy()
            inner.effects, inner.results, inner.left = one.loads.copy(), [], {}
            inner.local |= {**lists, **starts, node.slot: one.element}
            self.block(node.body)
            rounds = self.flow.left.pop((node.label, True), [])
            rounds += [self.flow.local] if self.flow.alive else []
            breaks = self.flow.left.pop((node.label, False), [])
            ends = {slot: self._after_rounds(slot, starts[slot], rounds, breaks) for slot in starts}
            # A round adds to the values that earlier rounds have accumulated.
            following = {
                slot: Carried(start.how, end.value)
                for slot, start in starts.items()
                if isinstance(end := ends[slot], Carried) and end.how[:1] != "="
            }
            entries = {
                slot: self.joining.all([start, *(flow[slot] for flow in (*rounds, *breaks))])
                for slot, start in lists.items()
            }
            if entries == lists and all(starts[n] == start for n, start in following.items()):
                return {**lists, **ends}, bool(breaks)
            starts, lists = starts | following, entries
        raise NotShownError(_CHANGES)

    def _grown(self, body: tuple[form.Statement, ...]) -> set[str]:
        """Return the slots of what the function has itself that a round changes where it is."""
        return {slot for one in body for slot in effects(one, reads=True)}

    def _of_each(
        self,
        one: Round,
        changed: set[str],
        before: dict[str, Relation],
        body: tuple[form.Statement, ...],
    ) -> dict[str, Relation]:
        """Return the lists and dictionaries of which a round changes no more than entries."""
        assigned = {slot for part in body for slot in changed_as_a_whole(part)}
        result: dict[str, Relation] = {}
        for slot in changed & before.keys() - assigned:
            value: Relation | None = before[slot]
            if isinstance(value, Several) and isinstance(one.element, Replica):
                value = self.joining.as_indexed(value, one.element.kind)
            by_key = isinstance(value, Table) and isinstance(value.key, (Replica, Never))
            if by_key:
                # A round may add its key.
                value = Table(value.key, value.value)  # type: ignore[union-attr]
            if value is not None and (by_key or isinstance(value, Indexed)):
                result[slot] = value
        return result

    def _after_rounds(
        self,
        slot: str,
        start: Carried,
        rounds: list[dict[str, Relation]],
        breaks: list[dict[str, Relation]],
    ) -> Relation:
        """Return what a slot has after a loop over participants: `Carried` or `Unclear`."""
        value: Relation = start
        for flow in rounds:
            value = self.joining.rounds(value, flow.get(slot, start))
        if breaks:
            # Which round is the last one matters, unless that one alone writes, a constant.
            ends = [flow.get(slot, start) for flow in breaks]
            hows = {end.how if (end := carried(one)) else "" for one in ends}
            carries = any(isinstance(one, Carried) for one in ends)
            alone = len(hows) == 1 and hows != {""} and not carries
            if value != start or not (alone or all(one == start for one in ends)):
                return LAST
            value = ends[0]
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
                what = next(iter(writes)).location.shown
                why = f"changes {what} for each replica in a way that depends on their order"
                raise NotShownError(why)

    def _of_any_round(self, result: Result) -> Result:
        """Return a result of a loop over participants, which may be that of any of them."""
        value, changed = result.value, dict(result.changed)
        for name, held in changed.items():
            if isinstance(held, Carried):
                if held.how:
                    raise NotShownError(HAS_WRITTEN)
                changed[name] = held.value
        result = result._replace(changed=changed)
        if result.is_picked or carried(value) or isinstance(value, Picked):
            return result
        one = picked(value)
        if isinstance(one, Unclear):
            raise NotShownError("returns a value that depends on the order of replicas")
        return result._replace(value=one, is_picked=True)

    @staticmethod
    def _check_ends(results: list[Result], done: Effects, breaks: bool) -> None:
        """Refuse a loop over participants whose end depends on their order."""
        ends = {same.how if (same := carried(one.value)) else "" for one in results}
        if done.writes and (ends or breaks):
            raise NotShownError(HAS_WRITTEN)
        if len(ends) + breaks > 1:
            raise NotShownError("may end a loop over replicas in several ways")
        if done.fails and (results or breaks):
            raise NotShownError(FAILS)


def _step(node: form.Expression, target: Any) -> tuple[str, form.Expression] | None:
    """Return the way and the operand by which a name or a place is added to; None if it is not."""
    if not isinstance(node, form.Arithmetic) or node.operator not in COMMUTING:
        return None
    how = COMMUTING[node.operator]
    pairs = [(node.left, node.right)]
    if node.operator != "sub":
        pairs.append((node.right, node.left))
    for old, operand in pairs:
        is_it = isinstance(old, form.Local) and old.name == target
        if (is_it or old == target) and is_simple(old):
            return how, operand
    return None


def is_fresh(node: form.Expression) -> bool:
    """Whether an expression makes what a loop goes over, before the first round."""
    if isinstance(node, form.Call):
        return not node.function.shares
    made = (form.Gather, form.Make, form.Combine, form.Slice, form.Copy, form.Constant, form.Range)
    return isinstance(node, made)


def read_in(node: form.Expression | form.Statement) -> set[str]:
    """Return the slots that a part of a function reads, but for names of places."""
    names = set()
    if isinstance(node, form.Local) and not isinstance(node.type, (Ref, Places)):
        names.add(node.name)
    return names.union(*map(read_in, children(node)))


def changed_as_a_whole(node: form.Expression | form.Statement) -> set[str]:
    """Return the slots that a part of a function assigns, or of which it changes all."""
    slots = {slot for _, slot in assignments([node])}
    places = []
    if isinstance(node, (form.Change, form.Store)):
        places.append(node.of if isinstance(node, form.Change) else node.target)
    elif isinstance(node, form.Call):
        places += [where for _, where in node.back]
    for place in places:
        path = place
        while isinstance(path, (form.Part, form.Element, form.Item, form.Lookup, form.Slice)):
            entry = isinstance(path, (form.Element, form.Lookup))
            if entry and isinstance(path.of, form.Local):
                break
            path = path.of
        if isinstance(path, form.Local):
            slots.add(path.name)
    return slots.union(*map(changed_as_a_whole, children(node)))


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

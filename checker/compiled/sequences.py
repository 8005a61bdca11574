"""From a plain Python function to LLVM: records, sequences and slices.

A record, or a slice of a sequence, is loaded variable by variable before any of it is written, so
that source and target may overlap.  An element read from a sequence is a value in Python: it is
loaded where it is read, unless nothing can be written before it is used.
"""

from __future__ import annotations

import ast
import types
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

from ...core.containers import Bag, Ordered, RecordBag, RecordSeq, RecordSet, Seq, Set, Sorted
from ...core.errors import acts_for_caller, printed
from ...core.fields import Record, declaration_of, getter_of, method_of, part_names
from ...core.indices import literal_of
from .arithmetic import COMPARISONS, FOLDED
from .function import Scope
from .tables import UNROLLED, Indexed
from .values import (
    NOWHERE,
    Backwards,
    Bits,
    Cells,
    Constant,
    Elements,
    Entries,
    Items,
    Made,
    Mapped,
    Method,
    Number,
    Perhaps,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    Zipped,
    ask,
    integer_of,
    is_left_out,
    known_items,
    span,
    union,
)

if TYPE_CHECKING:
    from .expressions import Expressions


ITERATIONS = (Seq.__iter__, RecordSeq.__iter__, Sorted.__iter__)
"""The methods by which sequences are iterated."""

_EQUALITIES = (Seq.__eq__, RecordSet.__eq__, RecordBag.__eq__, Bag.__eq__)
ELEMENTS = (Seq.at, RecordSeq.at, Sorted.at)
"""The methods by which an element of a sequence is read."""


class Records:
    """Finds the parts and the methods of records, including sets, sequences and bags."""

    def __init__(self, scope: Scope) -> None:
        self.unit, self.out = scope.unit, scope.out

    def method(self, owner: StateRef | Made, name: str) -> Method | None:
        """Return a method of a record; None if it has none of that name."""
        if isinstance(owner.sample, (list, tuple)):
            return None
        kind = owner.kind if isinstance(owner, Made) else type(owner.sample)
        if isinstance(owner.sample, type):
            own = method_of(kind, name) is not None
        else:
            own = isinstance(vars(kind).get(name), types.FunctionType)
        if not own and not (name == "assign" and issubclass(kind, Record)):
            return None
        return Method(ask(getattr, kind, name), owner)

    def getter(self, owner: StateRef | Made, name: str) -> Method | None:
        """Return the function of a property of a record; None if it has none of that name."""
        if isinstance(owner.sample, (list, tuple)):
            return None
        getter = getter_of(declared_by(owner), name)
        return None if getter is None else Method(getter, owner)

    def element_method(self, owner: StateRef | Made, name: str) -> Method | None:
        """Return the method by which a record reads or writes an element.

        For a sequence it is the method for an index alone, since Python's also takes slices.
        """
        method = self.method(owner, name)
        if method is not None and method.function in (Seq.__getitem__, Seq.__setitem__):
            return self.method(owner, "at" if name == "__getitem__" else "set")
        return method

    def item_of(self, owner: Items | Constant, index: Constant, node: ast.Subscript) -> Value:
        """Return an item of a tuple, or of a known value."""
        number = integer_of(index.value)
        if isinstance(owner, Items):
            length = len(owner.items)
        elif type(owner.value) in (tuple, list, range):
            length = len(owner.value)
        else:
            return Constant(ask(getitem, owner.value, index.value))
        if number is None:
            raise UnsupportedError(f"an index that is not a number in {ast.unparse(node)}")
        if not -length <= number < length:
            self.out.fail_if("true")
            return NOWHERE
        if isinstance(owner, Items):
            return owner.items[number]
        return Constant(ask(getitem, owner.value, index.value))

    @staticmethod
    def part(owner: StateRef, name: str) -> StateRef:
        """Return a variable, record or array of a record."""
        form = f"{owner.form}.{name}" if owner.form else name
        if not hasattr(owner.sample, name):
            raise UnsupportedError(f"the state has no {form}")
        part = getattr(owner.sample, name)
        return StateRef(owner.base, form, owner.indices, part, owner.element)

    def loaded(self, place: StateRef | None) -> Value:
        """Return the value at a place if it is a variable, otherwise the place itself."""
        if place is None:
            return NOWHERE
        if isinstance(place.sample, int):
            return self.unit.places.load(self.out, place)
        return place

    def variable(self, owner: StateRef | Made, name: str) -> Value:
        """Return the value of a variable of a record, or a part that is not a variable."""
        if isinstance(owner, StateRef):
            return self.loaded(self.part(owner, name))
        if isinstance(owner.sample, type):
            known = f".{name}" in owner.paths
        else:
            known = isinstance(owner.sample, Record) and name in part_names(owner.sample)
        if not known:
            raise UnsupportedError(f"{name} of a record that is not a part of the state")
        return self._within(owner, f".{name}", getattr(owner.sample, name))

    @staticmethod
    def _within(owner: Made, step: str, sample: object) -> Value:
        """Return a part of a record or an array outside of the state."""
        inside = tuple(zip(owner.paths, owner.values, strict=True))
        values: dict[str, Value] = {
            path.removeprefix(step): value
            for path, value in inside
            if path == step or path.startswith((f"{step}.", f"{step}["))
        }
        part: Value = Made(tuple(values), tuple(values.values()), sample)
        if values and all(map(is_left_out, values.values())):
            raise UnsupportedError(f"{step[1:]} of a record that was made without it")
        return values.get("", part)

    def item(self, array: StateRef | Made, index: Value) -> Value:
        """Return the value of an element of an array, or the element if that is not a variable."""
        if isinstance(array, StateRef):
            return self.loaded(self.element(array, index))
        known = self._checked(array, index)
        if known is None:
            return NOWHERE
        items = self.items(array)
        if isinstance(known, Constant):
            return items[int(known.value)]
        result = items[0]
        for number, other in enumerate(items[1:], 1):
            here = self.out.compare("eq", known, Constant(number))
            result = self.chosen(here, other, result)
        return result

    def items(self, array: Made) -> list[Value]:
        """Return the elements of an array outside of the state."""
        return [self._within(array, f"[{i}]", part) for i, part in enumerate(array.sample)]

    def chosen(self, test: Value, yes: Value, no: Value) -> Value:
        """Emit a choice between two elements of an array."""
        if isinstance(yes, Made) and isinstance(no, Made):
            pairs = zip(yes.values, no.values, strict=True)
            chosen = tuple(self.chosen(test, one, other) for one, other in pairs)
            return Made(yes.paths, chosen, yes.sample)
        return self.out.select(test, yes, no, reduce(union, (span(yes), span(no))))

    def element(self, array: StateRef, index: Value) -> StateRef | None:
        """Return an element of an array; None if the index is certainly wrong."""
        known = self._checked(array, index)
        if known is None:
            return None
        sample = array.sample[known.value if isinstance(known, Constant) else 0]
        indices = (*array.indices, known)
        return StateRef(array.base, f"{array.form}[]", indices, sample, array.element)

    def _checked(self, array: StateRef | Made, index: Value) -> Constant | Number | None:
        """Return an index, and emit its check; None if it is certainly wrong."""
        length = len(array.sample)
        if index is NOWHERE:
            self.out.fail_if("true")
            return None
        if isinstance(index, Truth):
            index = Number(self.out.number(index), (0, 1))
        if isinstance(index, Constant):
            index = Constant(integer_of(index.value))
        if not isinstance(index, (Constant, Number)) or index == Constant(None):
            where = array.form if isinstance(array, StateRef) else "an array"
            raise UnsupportedError(f"an index of {where} that is not a number")
        if (isinstance(index, Constant) and not 0 <= index.value < length) or not length:
            self.out.fail_if("true")
            return None
        if isinstance(index, Number):
            self.unit.places.beyond(self.out, index, length)
            return index if length > 1 else Constant(0)
        return index


OF_SEQUENCES = (Seq.copy, Seq.extend, Seq.insert, Seq.pop, Seq.popleft)
"""Methods of sequences that are emitted in place, since they take or return elements."""

Contents = dict[str, Value]
"""The values of a record's variables, by their paths in it; a number has the path ``""``."""

New = list[Value] | Cells | Elements | StateRef | Made | Span
"""The new elements for a slice; they are read after the slice is evaluated, as in Python."""


_EQUALITY = (ast.Eq, ast.NotEq)

_SEQUENCE = ast.Name("a sequence", ast.Load())
_WHOLE = ast.Subscript(_SEQUENCE, ast.Slice(), ast.Load())


class Sequences:
    """Translates reads and writes of whole records, sequences and slices of the state."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.scope, self.unit, self.out = scope, scope.unit, scope.out
        self.mark, self.records = scope.marks.mark, expressions.records
        self.expressions, self.known = expressions, expressions.known

    def index(self, owner: Value, node: ast.expr) -> Value:
        """Return an index; one that is written as a negative number counts from the end."""
        literal = literal_of(node)
        if literal is None or not isinstance(owner, (StateRef, Made)):
            return self._checked(owner, self.expressions.expression(node), node)
        if isinstance(owner.sample, (list, tuple)):
            return Constant(literal + len(owner.sample))
        method = self.records.method(owner, "__getitem__")
        if method is None or method.function is not Seq.__getitem__:
            return Constant(literal)
        length = self.records.variable(owner, "length")
        return self.out.arithmetic("add", length, Constant(literal))

    def _checked(self, owner: Value, value: Value, node: ast.expr) -> Value:
        """Return an index, which must not be known to be None, or a text."""
        index = self.expressions.certain(value)
        if (
            not isinstance(index, Constant)
            or not isinstance(owner, (StateRef, Made))
            or index is NOWHERE
            or integer_of(index.value) is not None
        ):
            return index
        at = self.records.element_method(owner, "__getitem__")
        if at is None or at.function in ELEMENTS:
            raise UnsupportedError(f"{ast.unparse(node)} as an index, where a number is needed,")
        return index

    def fixed(self, value: Value) -> Value:
        """Return what Python keeps of an expression: of an element or a slice, its values now."""
        return value if self.scope.pure else self.kept(value)

    def kept(self, value: Value) -> Value:
        """Return what lies in memory of a value: of an element or a slice, its values now."""
        if isinstance(value, StateRef) and value.element:
            contents = self.contents(value)
            return Made(tuple(contents), tuple(contents.values()), value.sample)
        if isinstance(value, Span):
            return self._copied(value)
        if isinstance(value, Method):
            owner = self.kept(value.owner)
            return Method(value.function, owner) if isinstance(owner, Made) else value
        if isinstance(value, Items):
            return Items(tuple(map(self.kept, value.items)), value.kind)
        return value

    def _copied(self, chosen: Span) -> Elements:
        """Emit the loading of a slice."""
        sample = self.records.variable(chosen.owner, "items")
        assert isinstance(sample, (StateRef, Made))
        elements: list[Value] = []
        for number, contents in enumerate(self._elements(chosen)):
            kind = sample.sample[number]
            made = Made(tuple(contents), tuple(contents.values()), kind)
            elements.append(contents.get("", made))
        return Elements(tuple(elements), self.out.arithmetic("sub", chosen.last, chosen.first))

    def element_of(self, owner: StateRef | Made, index: Value) -> Value:
        """Return an element of an array, or of a record with elements."""
        at = self.records.element_method(owner, "__getitem__")
        if at is None:
            return self.records.item(owner, index)
        if at.function not in ELEMENTS:
            return self.expressions.calls.asked(at, [index])
        if isinstance(index, Constant) and (integer_of(index.value) or 0) < 0:
            self.out.fail_if("true")
            return NOWHERE
        length = self.out.number(self.records.variable(owner, "length"))
        self.out.fail_if(self.out.value(f"icmp uge i64 {self.out.number(index)}, {length}"))
        return self.read(owner, index)

    def read(self, owner: StateRef | Made, index: Value) -> Value:
        """Return an element of a sequence, whatever its length is."""
        items = self.records.variable(owner, "items")
        assert isinstance(items, (StateRef, Made))
        element = self.records.item(items, index)
        return replace(element, element=True) if isinstance(element, StateRef) else element

    def length_of(self, owner: Value) -> Value:
        """Return the length of a sequence; 0 for an array, which always has the same."""
        ordered = isinstance(owner, (StateRef, Made)) and isinstance(owner.sample, Ordered)
        return self.records.variable(owner, "length") if ordered else Constant(0)  # type: ignore[arg-type]

    def still_there(self, owner: Value, index: Value, length: Value, copy: Value) -> Constant:
        """Emit the test that an element of a sequence is as it was when it was read."""
        if isinstance(copy, Made):
            grown = self.out.compare("ne", self.length_of(owner), length)
            element = self.read(owner, index)  # type: ignore[arg-type]
            same = self._all_equal(self.contents(element), self.contents(copy))
            for changed in (grown, self.expressions.negation(same)):
                self.out.fail_if(self.out.truth(changed))
        return Constant(None)

    def copied_into(self, target: Value, source: Value) -> Constant:
        """Emit the writing of all variables of a record."""
        if isinstance(target, Made):
            raise UnsupportedError("writing to a record that is not a part of the state")
        if isinstance(target, StateRef):
            self._fill(target, self.contents(source))
        return Constant(None)

    def replaced(self, place: StateRef, value: Value) -> None:
        """Emit the replacement of an element of an array by the values of another one."""
        if place.element or not place.form.endswith("[]"):
            raise UnsupportedError(f"{place.form}, which is not a variable, as a target")
        if isinstance(value, StateRef) and not value.element:
            raise UnsupportedError(f"{place.form} as another name for a part of the state")
        self.copied_to_part(place, value)

    def copied_to_part(self, place: StateRef, value: Value) -> None:
        """Emit the writing of the values of a record or a container to a part of the state."""
        if isinstance(place.sample, list):
            self.fill_array(place, self.new_elements(value))
        elif (parts := self._parts_for(place, value)) is not None:
            for number, part in enumerate(parts):
                element = self.records.element(place, Constant(number))
                assert element is not None
                self.copied_to_part(element, part)
        elif isinstance(place.sample, Set):
            mask = self.expressions.calls.collections.mask_of(value, _SEQUENCE)
            self._fill(place, {".mask": mask})
        elif isinstance(place.sample, RecordSet):
            self.expressions.calls.collections.distinct.replaced(place, value)
        elif self.records.method(place, "drop_last") is not None:
            everything = self.span_of(place, _WHOLE, ast.Slice())
            self._replace(everything, self.new_elements(value), _SEQUENCE)
        else:
            self.copied_into(place, value)

    def _parts_for(self, place: StateRef, value: Value) -> tuple[Value, ...] | None:
        """Return the values for an array of records or containers, if each is one of its own."""
        parts = known_items(value) if isinstance(place.sample, tuple) else None
        return parts if parts is not None and len(parts) == len(place.sample) else None

    def fill_array(self, place: StateRef, new: New, places: Sequence[int] | None = None) -> None:
        """Emit the writing of all elements of an array of variables, or of those in some places."""
        places = range(len(place.sample)) if places is None else places
        length = len(places)
        if isinstance(new, (StateRef, Made)) and isinstance(new.sample, (list, tuple)):
            new = [self.records.item(new, Constant(number)) for number in range(len(new.sample))]
        elements, count = self.loaded(new, length)
        self.out.fail_if(self.out.truth(self.out.compare("ne", count, Constant(length))))
        if len(elements) < length:
            self.out.fail_if("true")
            return
        written = zip(places, elements, strict=False)
        new_values = {f"[{i}]{p}": v for i, element in written for p, v in element.items()}
        others = self.contents(place) if length < len(place.sample) else {}
        self._fill(place, others | new_values)

    def leaves(self, place: StateRef, path: str = "") -> dict[str, StateRef]:
        """Return the variables of a part of the state, by their paths in it."""
        if isinstance(place.sample, int):
            return {path: place}
        leaves: dict[str, StateRef] = {}
        if isinstance(place.sample, (list, tuple)):
            for index in range(len(place.sample)):
                element = self.records.element(place, Constant(index))
                assert element is not None
                leaves |= self.leaves(element, f"{path}[{index}]")
        else:
            for name in part_names(place.sample):
                leaves |= self.leaves(self.records.part(place, name), f"{path}.{name}")
        return leaves

    def contents(self, value: Value) -> Contents:
        """Return the values of a record's variables, or a number."""
        if isinstance(value, StateRef):
            return {path: self.records.loaded(leaf) for path, leaf in self.leaves(value).items()}
        if isinstance(value, Made):
            return dict(zip(value.paths, value.values, strict=True))
        return {"": value}

    def _fill(self, place: StateRef, contents: Contents) -> None:
        """Emit the writing of a variable, or of all of those of a record."""
        self.scope.write(f"writing {place.form}")
        leaves = self.leaves(place)
        if isinstance(contents.get("", None), Constant) and "" not in leaves:
            # The source is beyond an array, or a number: Python refuses to copy that, too.
            self.out.fail_if("true")
            return
        if leaves.keys() != contents.keys():
            raise UnsupportedError(
                f"a value of another kind, written to an element of {place.form},"
            )
        for path, leaf in leaves.items():
            self.unit.places.store(self.out, leaf, self._stored(leaf, contents[path]))

    def _stored(self, leaf: StateRef, value: Value) -> Value:
        """Return the value to store in a variable, for one that a record may lack."""
        return self.unit.places.lowest(leaf) if is_left_out(value) else value

    def fitted(self, record: Value, items: Value) -> Value:
        """Return a record as it is stored among others."""
        if not isinstance(record, Made) or not isinstance(items, StateRef) or not items.sample:
            return record
        contents, place = self.contents(record), self.records.element(items, Constant(0))
        assert place is not None
        leaves = self.leaves(place)
        if leaves.keys() != contents.keys():
            raise UnsupportedError("records of two declarations compared")
        values = (self._stored(leaf, contents[path]) for path, leaf in leaves.items())
        return Made(tuple(leaves), tuple(values), place.sample)

    def records_compared(self, comparison: ast.cmpop, left: Value, right: Value) -> Value:
        """Return how a record or a slice compares with another one."""
        if (known := self._with_known(comparison, left, right)) is not None:
            return known
        if isinstance(left, Constant) or isinstance(right, Constant):
            # One side is beyond an array, or a number: Python refuses to compare that, too.
            self.out.fail_if("true")
            return Constant(False)
        differs = isinstance(comparison, ast.NotEq)
        name = "eq" if differs else FOLDED[type(comparison)].__name__
        records = isinstance(left, (StateRef, Made)) and isinstance(right, (StateRef, Made))
        method = self.records.method(left, f"__{name}__") if records else None  # type: ignore[arg-type]
        slices = isinstance(left, (Span, Elements)) and isinstance(right, (Span, Elements))
        if method is not None and method.function in _EQUALITIES:
            method = self.records.method(left, "same")  # type: ignore[arg-type]
        if method is not None:
            compared = self.expressions.calls.asked(method, [right])
        elif name == "eq" and slices:
            compared = self._slices_equal(*map(self.loaded, (left, right)))  # type: ignore[arg-type]
        elif name == "eq" and _is_record(left) and _is_record(right):
            compared = self._all_equal(self.contents(left), self.contents(right))
        else:
            return self.out.compare(COMPARISONS[type(comparison)], left, right)
        return self.expressions.negation(compared) if differs else compared

    def _with_known(self, comparison: ast.cmpop, left: Value, right: Value) -> Value | None:
        """Return how a bag compares with known counts, or a set of records with an empty set."""
        if type(comparison) not in _EQUALITY:
            return None
        for owner, other in ((left, right), (right, left)):
            if not isinstance(owner, (StateRef, Made)) or not _is_record(owner):
                continue
            kind = declared_by(owner)
            known = other.value if isinstance(other, Constant) else None
            if issubclass(kind, Bag) and type(known) is dict:
                equal = self._has_counts(owner, known)
            elif issubclass(kind, RecordSet) and (known == set() or other == Bits(Constant(0))):
                length = self.records.variable(owner, "length")
                equal = self.out.compare("eq", length, Constant(0))
            else:
                continue
            negated = isinstance(comparison, ast.NotEq)
            return self.expressions.negation(equal) if negated else equal
        return None

    def _has_counts(self, bag: StateRef | Made, known: dict[Any, Any]) -> Value:
        """Emit whether a bag has so many of each number."""
        counts, equal = self.records.variable(bag, "counts"), "true"
        assert isinstance(counts, (StateRef, Made))
        wanted = [known.get(number, 0) for number in range(len(counts.sample))]
        others = [n for n, count in known.items() if count != 0 and n not in range(len(wanted))]
        if not all(isinstance(count, int) for count in wanted):
            raise UnsupportedError(
                f"a bag compared with {printed(known)}, whose counts are not numbers,"
            )
        if others:
            return Constant(False)
        for number, count in enumerate(wanted):
            there = self.records.item(counts, Constant(number))
            same = self.out.truth(self.out.compare("eq", there, Constant(count)))
            equal = self.out.value(f"and i1 {equal}, {same}")
        return Truth(equal)

    def _all_equal(self, one: Contents, other: Contents) -> Truth:
        """Emit whether all variables of two records are the same."""
        if one.keys() != other.keys():
            raise UnsupportedError("records of two declarations compared")
        equal = "true"
        for path, value in one.items():
            if is_left_out(value) or is_left_out(other[path]):
                raise UnsupportedError("a record compared that was made without a variable")
            same = self.out.truth(self.out.compare("eq", value, other[path]))
            equal = self.out.value(f"and i1 {equal}, {same}")
        return Truth(equal)

    def precedes(self, left: Value, right: Value) -> Value:
        """Emit whether a record comes before another one, field by field."""
        if isinstance(left, Constant) or isinstance(right, Constant):
            # One side is beyond an array, or a number: Python refuses that, too.
            self.out.fail_if("true")
            return Constant(False)
        one, other = self.contents(left), self.contents(right)
        if one.keys() != other.keys():
            raise UnsupportedError("records of two declarations compared")
        before = "false"
        for path, value in reversed(one.items()):
            less = self.out.truth(self.out.compare("slt", value, other[path]))
            same = self.out.truth(self.out.compare("eq", value, other[path]))
            later = self.out.value(f"and i1 {same}, {before}")
            before = self.out.value(f"or i1 {less}, {later}")
        return Truth(before)

    def _slices_equal(
        self, one: tuple[list[Contents], Value], other: tuple[list[Contents], Value]
    ) -> Truth:
        """Emit whether two slices have as many elements, and the same."""
        out = self.out
        (elements, count), (others, other_count) = one, other
        equal = out.truth(out.compare("eq", count, other_count))
        for number, (left, right) in enumerate(zip(elements, others, strict=False)):
            beyond = out.truth(out.compare("sle", count, Constant(number)))
            same = self._all_equal(left, right).register
            equal = out.value(f"and i1 {equal}, {out.value(f'or i1 {beyond}, {same}')}")
        return Truth(equal)

    def span_of(self, owner: Value, node: ast.Subscript, chosen: ast.Slice) -> Span:
        """Return a slice of a sequence, which counts from its beginning."""
        is_record = isinstance(owner, (StateRef, Made))
        contents = self.records.method(owner, "__iter__") if is_record else None  # type: ignore[arg-type]
        if contents is None or contents.function not in ITERATIONS or chosen.step is not None:
            raise UnsupportedError(f"{ast.unparse(node)}, no slice of a sequence,")
        with self.scope.reading(is_value(owner)):
            lower, upper = (
                None if bound is None else self._from_beginning(bound)
                for bound in (chosen.lower, chosen.upper)
            )
        # Bounds may call what changes the sequence, so its length is read after them.
        length = self.records.variable(contents.owner, "length")
        lower = self._bound(chosen.lower, lower, length, Constant(0))
        upper = self._bound(chosen.upper, upper, length, length)
        first = Constant(0) if lower is None else self.out.extreme("min", lower, length)
        last = length if upper is None else self.out.extreme("min", upper, length)
        if lower is not None:
            last = self.out.extreme("max", first, last)
        return Span(contents.owner, first, last)

    def slice_of_list(self, owner: Value, node: ast.Subscript, chosen: ast.Slice) -> Cells:
        """Return a slice of a list or a tuple outside of the state."""
        if chosen.step is not None or getattr(owner, "kind", None) is deque:
            what = "a slice with a step" if chosen.step else "a slice of a deque"
            raise UnsupportedError(f"{ast.unparse(node)}, {what},")
        every = self.expressions.calls.loops.indexed(owner, node)
        if every.most is None:
            raise UnsupportedError(f"{ast.unparse(node)}, of what has no end,")
        # A bound may change the list: its length is read after them.
        known = self.expressions.known
        lower = None if chosen.lower is None else known(chosen.lower)
        upper = None if chosen.upper is None else known(chosen.upper)
        length = every.length()
        first = self._clipped(lower, chosen.lower, length, Constant(0), every.most)
        last = self._clipped(upper, chosen.upper, length, length, every.most)
        kind = owner.kind if isinstance(owner, (Cells, Items)) else list
        return replace(self.between(every, first, last), kind=kind)

    def _clipped(
        self,
        bound: Value | None,
        node: ast.expr | None,
        length: Value,
        default: Value,
        most: int,
    ) -> Value:
        """Return a bound within a list of Python's: a negative one counts from the end."""
        if bound is None or bound == Constant(None):
            return default
        known = span(bound) if isinstance(bound, (Constant, Number, Truth)) else None
        if not isinstance(bound, (Number, Truth)) and known is None:
            raise UnsupportedError(f"{ast.unparse(node or _SEQUENCE)} as a bound of a slice")
        out, within = self.out, self.out.extreme("min", bound, length)
        if known and known[0] >= 0:
            return within
        from_end = out.extreme("max", out.arithmetic("add", length, bound), Constant(0))
        is_negative = out.compare("slt", bound, Constant(0))
        return out.select(is_negative, from_end, within, (0, most))

    def reversed_list(self, owner: Value) -> Cells:
        """Return a list of the elements of another one, or of a sequence, from the end."""
        cells = self.scope.lists.new()
        self.expressions.calls.collections.add_all(cells, Backwards(owner))
        return replace(cells, kind=owner.kind if isinstance(owner, Cells) else list)

    def between(self, chosen: Indexed, first: Value, last: Value) -> Cells:
        """Emit the making of a list of the elements from one index up to before another one."""
        cells, out = self.scope.lists.new(most=max(chosen.most or 0, 1)), self.out
        if (chosen.most or 0) > UNROLLED:
            self.append_all(cells, chosen, first, last)
            return cells
        for number in range(chosen.most or 0):
            index, within, on = Constant(number), out.label("within"), out.label("on")
            begun = out.truth(out.compare("sge", index, first))
            goes_on = out.truth(out.compare("slt", index, last))
            out.branch(Truth(out.value(f"and i1 {begun}, {goes_on}")), within, on)
            out.place_label(within)
            self.scope.lists.append(cells, chosen.at(index))
            out.place_label(on)
        return cells

    def append_all(
        self,
        cells: Cells,
        chosen: Indexed,
        first: Value = Constant(0),  # noqa: B008
        last: Value | None = None,
    ) -> None:
        """Emit the addition of elements, from one index up to before another one, to a list."""
        append = self.scope.lists.append
        self.each_of(chosen, lambda value: append(cells, value), first, last)

    def each_of(
        self,
        chosen: Indexed,
        body: Callable[[Value], None],
        first: Value = Constant(0),  # noqa: B008
        last: Value | None = None,
    ) -> None:
        """Emit a loop over elements, from one index up to before another one."""
        stop = chosen.length() if last is None else last
        counted = self.expressions.calls.loops.counted
        at = chosen.at
        counted(_SEQUENCE, first, lambda: stop, 1, lambda i, following, end: body(at(i)), ())

    def slice_of_array(
        self, array: StateRef | Made, node: ast.Subscript, chosen: ast.Slice
    ) -> Value:
        """Return a list of some elements of an array of numbers."""
        if chosen.step is not None or not all(isinstance(one, int) for one in array.sample):
            raise UnsupportedError(f"{ast.unparse(node)}, no slice of a sequence,")
        count = Constant(len(array.sample))
        with self.scope.reading(is_value(array)):
            bounds = [
                None if bound is None else self._from_beginning(bound)
                for bound in (chosen.lower, chosen.upper)
            ]
        written = [
            part if bound is None or literal is None else Constant(literal)
            for part, bound, literal in (
                (part, bound, None if bound is None else literal_of(bound))
                for part, bound in zip(bounds, (chosen.lower, chosen.upper), strict=True)
            )
        ]
        known = [part.value for part in written if isinstance(part, Constant)]
        if len(known) == len(written) - written.count(None):
            ends = [part.value if isinstance(part, Constant) else None for part in written]
            indices = range(count.value)[slice(*ends)]
            return Items(tuple(self.records.item(array, Constant(i)) for i in indices), list)
        lower = self._bound(chosen.lower, bounds[0], count, Constant(0)) or Constant(0)
        upper = self._bound(chosen.upper, bounds[1], count, count) or count
        every = Indexed(count.value, lambda: count, lambda index: self.records.item(array, index))
        return self.between(every, lower, upper)

    def _bound(
        self, node: ast.expr | None, bound: Value | None, length: Value, default: Value
    ) -> Value | None:
        """Return a bound of a slice that may be written as a negative number, or be None."""
        if isinstance(bound, Perhaps) and bound.value is not None:
            known = union(span(bound.value), span(default))
            return self.out.select(Truth(bound.none), default, bound.value, known)
        literal = None if node is None else literal_of(node)
        if literal is None:
            return bound
        return self.out.extreme(
            "max", self.out.arithmetic("add", length, Constant(literal)), Constant(0)
        )

    def _from_beginning(self, node: ast.expr) -> Value | None:
        """Return a bound of a slice; one that is computed and negative makes the step fail."""
        if literal_of(node) is not None:
            return Constant(0)
        bound = self.expressions.expression(node)
        if bound == Constant(None):
            return None
        inner = bound.value if isinstance(bound, Perhaps) else bound
        inner = Constant(0) if inner is NOWHERE else inner
        known = None if inner is None else span(inner)
        if not isinstance(inner, (Constant, Number, Truth)) or (
            isinstance(inner, Constant) and known is None
        ):
            raise UnsupportedError(f"{ast.unparse(node)} as a bound of a slice")
        if known is None or known[0] < 0:
            negative = self.out.value(f"icmp slt i64 {self.out.number(inner)}, 0")
            if isinstance(bound, Perhaps):
                there = self.out.value(f"xor i1 {bound.none}, true")
                negative = self.out.value(f"and i1 {there}, {negative}")
            self.out.fail_if(negative)
            inner = self.out.extreme("max", inner, Constant(0))
        return replace(bound, value=inner) if isinstance(bound, Perhaps) else inner

    def sequence_call(self, method: Method, node: ast.Call) -> Value:
        """Return the value of the call of one of ``OF_SEQUENCES``."""
        owner = method.owner
        if method.function is Seq.copy and not node.args:
            return self.fixed(self.span_of(owner, _WHOLE, ast.Slice()))
        if isinstance(owner, Made):
            raise UnsupportedError(f"the call {ast.unparse(node)} for a copy of a sequence")
        takes = {Seq.extend: (1,), Seq.insert: (2,), Seq.pop: (0, 1), Seq.popleft: (0,)}
        if node.keywords or len(node.args) not in takes.get(method.function, ()):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        self.scope.write(f"the call {ast.unparse(node)}")
        if method.function is Seq.insert:
            return self._inserted(owner, node)
        if method.function is Seq.pop and node.args:
            return self._popped(owner, node)
        with self.scope.reading(is_value(owner)):
            values = self.values(node.args[0]) if method.function is Seq.extend else []
        if method.function is Seq.extend:
            self.extend(owner, values, node)
            return Constant(None)
        length = self.records.variable(owner, "length")
        first = method.function is Seq.popleft
        index = Constant(0) if first else self.out.arithmetic("sub", length, Constant(1))
        taken = self.element_of(owner, index)
        contents = self.contents(taken)
        drop = self.records.method(owner, "drop_first" if first else "drop_last")
        assert drop is not None
        self.expressions.calls.call(drop, [])
        if not isinstance(taken, StateRef):
            return taken
        return Made(tuple(contents), tuple(contents.values()), taken.sample)

    def _index_passed(self, owner: StateRef, node: ast.Call, or_last: bool) -> Value:
        """Return the index that a method gets first; None may stand for the last one."""
        with self.scope.reading(is_value(owner)):
            if literal_of(node.args[0]) is not None:
                return self.index(owner, node.args[0])
            passed = self.expressions.expression(node.args[0])
        if or_last and isinstance(passed, Perhaps) and passed.value is not None:
            length = self.records.variable(owner, "length")
            last = self.out.arithmetic("sub", length, Constant(1))
            return self.out.select(Truth(passed.none), last, passed.value, None)
        index = self._checked(owner, passed, node.args[0])
        if not isinstance(index, (Constant, Number, Truth)) or index is NOWHERE:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        return index

    def _popped(self, owner: StateRef, node: ast.Call) -> Value:
        """Translate ``pop`` of the element with an index."""
        index = self._index_passed(owner, node, or_last=True)
        taken = self.element_of(owner, index)
        if taken is NOWHERE:
            return taken
        contents = self.contents(taken)
        first = self.out.extreme("max", index, Constant(0))
        last = self.out.arithmetic("add", first, Constant(1))
        self._replace(Span(owner, first, last), [], node)
        if not isinstance(taken, StateRef):
            return taken
        return Made(tuple(contents), tuple(contents.values()), taken.sample)

    def _inserted(self, owner: StateRef, node: ast.Call) -> Value:
        """Translate ``insert``, which adds at the end what would be beyond."""
        index = self._index_passed(owner, node, or_last=False)
        value = self.expressions.value(node.args[1])
        self.out.fail_if(self.out.value(f"icmp slt i64 {self.out.number(index)}, 0"))
        length = self.records.variable(owner, "length")
        at = self.out.extreme("max", self.out.extreme("min", index, length), Constant(0))
        self._replace(Span(owner, at, at), [value], node)
        return Constant(None)

    def extend(self, place: StateRef, values: New, node: ast.expr) -> None:
        """Emit the addition of elements at the end of a sequence."""
        length = self.records.variable(place, "length")
        self._replace(Span(place, length, length), values, node)

    def delete(self, target: ast.expr) -> None:
        """Translate the removal of an element or a slice of a sequence."""
        if not isinstance(target, ast.Subscript):
            raise UnsupportedError(f"del {ast.unparse(target)}")
        if isinstance(target.slice, ast.Slice):
            chosen = self.span_of(self.expressions.expression(target.value), target, target.slice)
        else:
            owner = self.expressions.expression(target.value)
            calls = self.expressions.calls
            if isinstance(owner, Cells) and owner.kind is list:
                calls.collections.remove_at(owner, target.slice)
                return
            if isinstance(owner, Entries):
                # A Counter has a count for each key.
                default = Constant(0) if owner.kind is Counter else None
                calls.growing.taken(owner, self.expressions.known(target.slice), default)
                return
            chosen = self.span_of(owner, target, ast.Slice())
            with self.scope.reading(is_value(chosen.owner)):
                index = self.index(chosen.owner, target.slice)
            self.element_of(chosen.owner, index)
            first = self.out.extreme("max", index, Constant(0))
            chosen = Span(chosen.owner, first, first)
            last = self.out.arithmetic("add", chosen.first, Constant(1))
            chosen = Span(chosen.owner, chosen.first, last)
        self._replace(chosen, [], target)

    def spliced(self, node: ast.Assign) -> bool:
        """Translate an assignment if its only target is a slice; return whether it is."""
        [target, *others] = node.targets
        if (
            others
            or not isinstance(target, ast.Subscript)
            or not isinstance(target.slice, ast.Slice)
        ):
            return False
        values = self.values(node.value)
        owner = self.expressions.expression(target.value)
        if isinstance(owner, StateRef) and isinstance(owner.sample, list):
            self._replace_array(owner, values, target)
        else:
            self._replace(self.span_of(owner, target, target.slice), values, target)
        return True

    def _replace_array(self, owner: StateRef, values: New, target: ast.Subscript) -> None:
        """Translate the assignment of all elements of an array of variables, or of a slice."""
        chosen = target.slice
        assert isinstance(chosen, ast.Slice)
        if owner.element or chosen.step:
            raise UnsupportedError(f"{ast.unparse(target)}, a part of an array, as a target")
        ends = [self._fixed_end(node, target) for node in (chosen.lower, chosen.upper)]
        self.fill_array(owner, values, range(len(owner.sample))[slice(*ends)])

    def _fixed_end(self, node: ast.expr | None, target: ast.Subscript) -> int | None:
        """Return a bound of a slice that is known; a negative one must be written as one."""
        if node is None:
            return None
        value = self.expressions.known(node)
        number = integer_of(value.value) if isinstance(value, Constant) else None
        if number is None or (number < 0 and not literal_of(node)):
            raise UnsupportedError(f"{ast.unparse(target)}, a part of an array, as a target")
        return number

    def values(self, node: ast.expr) -> New:
        """Return the elements of an expression, or the sequence or slice that has them."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.expressions.value(part) for part in node.elts]
        return self.new_elements(self.expressions.value(node), node)

    def new_elements(self, value: Value, node: ast.expr = _SEQUENCE) -> New:
        """Return the elements that a value has, or the sequence or slice that has them."""
        if isinstance(value, Items):
            return list(value.items)
        if isinstance(value, (Mapped, Zipped, Backwards)):
            # All is evaluated before any of it is written, and must write nothing itself.
            with self.scope.reading():
                return self._all_of(value, node)
        of_queue = isinstance(value, Cells) and value.kind is deque
        if of_queue or not isinstance(value, (StateRef, Span, Elements, Made, Cells)):
            raise UnsupportedError(f"{ast.unparse(node)} in place of a slice")
        return value

    def _all_of(self, value: Value, node: ast.expr) -> New:
        """Return all elements of what yields them one by one."""
        chosen = self.expressions.calls.loops.indexed(value, node)
        length = chosen.length()
        if isinstance(length, Constant):
            return [self.fixed(chosen.at(Constant(number))) for number in range(length.value)]
        cells = self.scope.lists.new()
        self.expressions.calls.collections.add_all(cells, value)
        return cells

    def loaded(self, new: New, most: int = 0) -> tuple[list[Contents], Value]:
        """Emit the loading of new elements; return all that may exist, and how many do.

        Of a list, `most` elements are loaded.
        """
        if isinstance(new, Cells):
            lists = self.scope.lists
            indices = map(Constant, range(min(new.most, most)))
            return [self.contents(lists.at(new, at)) for at in indices], lists.length(new)
        if isinstance(new, list):
            return [self.contents(value) for value in new], Constant(len(new))
        if isinstance(new, Elements):
            return [self.contents(value) for value in new.items], new.count
        if isinstance(new, (StateRef, Made)):
            new = self.span_of(new, _WHOLE, ast.Slice())
        return self._elements(new), self.out.arithmetic("sub", new.last, new.first)

    def _elements(self, chosen: Span) -> list[Contents]:
        """Emit the loading of the elements of a slice, and return all that may exist."""
        items = self.records.variable(chosen.owner, "items")
        assert isinstance(items, (StateRef, Made))
        return [
            self.contents(self.records.item(items, self._within(items, chosen.first, number)))
            for number in range(len(items.sample))
        ]

    def _within(self, items: StateRef | Made, first: Value, more: int) -> Number:
        """Return the index `more` after the first, clamped to the last one."""
        index = self.out.arithmetic("add", first, Constant(more))
        last = len(items.sample) - 1
        return Number(self.out.number(self.out.extreme("min", index, Constant(last))), (0, last))

    def _replace(self, chosen: Span, new: New, node: ast.expr) -> None:
        """Emit the replacement of a slice by new elements."""
        self.scope.write(f"writing {ast.unparse(node)}")
        out, owner = self.out, chosen.owner
        if isinstance(owner, Made):
            raise UnsupportedError(f"writing {ast.unparse(node)}, a copy of a sequence,")
        if isinstance(owner.sample, Sorted):
            raise UnsupportedError(f"writing {ast.unparse(node)}, in a set of records,")
        items, length = self.records.part(owner, "items"), self.records.variable(owner, "length")
        most = len(items.sample)
        elements, count = self.loaded(new, most)
        after = self._elements(Span(owner, chosen.last, length))
        remaining = out.arithmetic("sub", length, chosen.last)
        following = out.arithmetic("add", chosen.first, count)
        result = out.arithmetic("add", following, remaining)
        out.fail_if(out.value(f"icmp ugt i64 {result.register}, {most}"))
        writes = [(elements, count, chosen.first), (after, remaining, following)] if most else []
        for part, (written, limit, first) in enumerate(writes):
            for number, contents in enumerate(written):
                within = out.compare("sgt", limit, Constant(number))
                place = self.records.element(items, self._within(items, first, number))
                self._where(within, (node, part, number), place, contents)
        blank = self.contents(self.records.loaded(self.records.part(owner, "blank")))
        for number in range(most):
            beyond = out.compare("sle", result, Constant(number))
            self._where(
                beyond, (node, 2, number), self.records.element(items, Constant(number)), blank
            )
        self.unit.places.store(out, self.records.part(owner, "length"), result)

    def _where(
        self, test: Value, point: tuple[Any, ...], place: StateRef | None, contents: Contents
    ) -> None:
        """Emit the writing of an element if a condition holds."""
        if place is None:
            return
        write, on = self.out.label("write"), self.out.label("on")
        self.mark(test, *point)
        self.out.branch(test, write, on)
        self.out.place_label(write)
        self._fill(place, contents)
        self.out.place_label(on)


def is_ours(method: Method) -> bool:
    """Whether a method is one of Tidegate's: called for an element, it writes to the sequence."""
    return acts_for_caller(method.function.__code__)


def is_value(owner: Value) -> bool:
    """Whether a part of the state is read from a sequence, and is still to be loaded."""
    return isinstance(owner, StateRef) and owner.element


def declared_by(value: StateRef | Made) -> type:
    """Return the class that declares a record; the class of a part that is none."""
    sample = value.sample
    return sample if isinstance(sample, type) else declaration_of(sample)


def _is_record(value: Value) -> bool:
    return isinstance(value, Made) or (
        isinstance(value, StateRef) and isinstance(value.sample, Record)
    )

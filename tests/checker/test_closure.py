"""What is kept of a translation is found again by all that it was made of, and by nothing less."""

import dataclasses
import types

import pytest

from tidegate.bounds import parse
from tidegate.checker.compiled import closure
from tidegate.checker.compiled.closure import Closure, closure_hash
from tidegate.checker.compiled.generate import Generator
from tidegate.checker.compiled.unit import Unit
from tidegate.invariants import PROPERTIES
from tidegate.layout import Record, array, integer
from tidegate.model import PROTOCOLS
from tidegate.model.mutants import mutants
from tidegate.symmetry import Symmetry

NAMES = [protocol.name for protocol in PROTOCOLS]


@pytest.mark.parametrize("name", NAMES)
def test_all_that_a_translation_looks_up_is_in_the_closure(system, name, monkeypatch):
    looked_up, kept = [], []
    lookup, ends = Unit.lookup, Closure.hexdigest

    def noted(self, function, variable):
        found = lookup(self, function, variable)
        looked_up.extend([function, found.value])
        return found

    def kept_to_the_end(self):
        kept.extend(map(id, self._kept))
        return ends(self)

    monkeypatch.setattr(Unit, "lookup", noted)
    monkeypatch.setattr(Closure, "hexdigest", kept_to_the_end)
    toy = system(name, "")
    properties = PROPERTIES[family_of(name)]
    Generator(toy, properties, True, None).module()
    assert closure_hash(toy, properties, True, None) is not None
    own = [value for value in looked_up if "tidegate.model" in getattr(value, "__module__", "")]
    assert len(own) > 20
    assert {id(value) for value in own} <= set(kept)


def family_of(name):
    [protocol] = [p for p in PROTOCOLS if p.name == name]
    return protocol.family.name


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=NAMES)
def test_every_mutant_store_and_property_has_a_hash_of_its_own(protocol):
    small = parse(protocol.family.bounds, [])
    original = protocol.system(small, frozenset())
    applied = {instance.action.apply for instance in original.instances}
    hashes = [closure_hash(original, [], True, None)]
    for mutant in mutants(protocol):
        system = mutant.protocol.system(small, frozenset())
        weaker = {instance.action.apply for instance in system.instances} != applied
        # A guard of an action that these bounds leave no instance of makes no difference.
        if weaker or mutant.protocol.rules != protocol.rules:
            hashes.append(closure_hash(system, [], True, None))
    hashes.append(closure_hash(original, [], False, None))
    for prop in PROPERTIES[protocol.family.name]:
        judged = protocol.system(small, frozenset(prop.needs))
        hashes.append(closure_hash(judged, [prop], True, None))
    assert None not in hashes
    assert len(set(hashes)) == len(hashes) > 10


def test_symmetry_is_part_of_it(system):
    toy = system("published/kip-320", "")
    assert closure_hash(toy, [], True, None) != closure_hash(toy, [], True, Symmetry(toy))


class Line(Record):
    at: int = integer(0, 5, "place")
    seen: list[int] = array(2, integer(0, 1, "seen"))


LIMIT = 5


def far(s, k):
    return s.at >= LIMIT


def right(s, k):
    if far(s, k):
        return False
    s.at += 1
    return True


def at_nothing(s, k):
    yield


@dataclasses.dataclass(frozen=True)
class Steps:
    width: int = 1
    how: object = right


def hash_of(make_toy, make_action, apply=right, constants=None):
    toy = make_toy(Line, constants, [make_action("right", apply)], at_nothing)
    return closure_hash(toy, [], True, None)


def test_what_a_helper_or_a_global_is_counts(make_toy, make_action, monkeypatch):
    found = {hash_of(make_toy, make_action)}
    monkeypatch.setitem(globals(), "LIMIT", 4)
    found.add(hash_of(make_toy, make_action))
    monkeypatch.setitem(globals(), "far", at_nothing)
    found.add(hash_of(make_toy, make_action))
    for constants in (Steps(), Steps(2), Steps(2, far)):
        found.add(hash_of(make_toy, make_action, constants=constants))
    assert len(found) == 6
    assert None not in found


def test_the_source_counts_from_which_is_translated(make_toy, make_action, tmp_path):
    file = tmp_path / "own.py"
    file.write_text("def right(s, k):\n    s.at = 1\n    return True\n")
    space = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    before = hash_of(make_toy, make_action, space["right"])
    file.write_text("def right(s, k):\n    s.at = 2\n    return True\n")
    assert before != hash_of(make_toy, make_action, space["right"])
    file.unlink()
    assert hash_of(make_toy, make_action, space["right"]) is None


def test_a_helper_within_a_module_within_a_module_counts(make_toy, make_action, tmp_path):
    inner, outer = types.ModuleType("inner"), types.ModuleType("outer")
    outer.inner = inner
    found = set()
    for limit in (3, 4):
        helper = tmp_path / f"helper{limit}.py"
        helper.write_text(f"def far(s):\n    return s.at >= {limit}\n")
        exec(compile(helper.read_text(), str(helper), "exec"), inner.__dict__)
        file = tmp_path / "own.py"
        file.write_text("def right(s, k):\n    return not outer.inner.far(s)\n")
        space = {"outer": outer}
        exec(compile(file.read_text(), str(file), "exec"), space)
        found.add(hash_of(make_toy, make_action, space["right"]))
    assert None not in found
    assert len(found) == 2


class Odd:
    """Whose content nobody knows."""


def test_what_is_not_understood_has_no_hash(make_toy, make_action):
    assert hash_of(make_toy, make_action, constants=Steps(1, Odd())) is None
    assert hash_of(make_toy, make_action, constants=Odd()) is None


def test_the_translator_is_part_of_it(make_toy, make_action, monkeypatch):
    before = hash_of(make_toy, make_action)
    monkeypatch.setattr(closure, "_translator", lambda: "another one")
    assert hash_of(make_toy, make_action) != before

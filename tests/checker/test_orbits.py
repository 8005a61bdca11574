"""Representatives in machine code: the least state of the orbit, as Python computes it."""

import random
from array import array
from contextlib import closing
from dataclasses import replace

import pytest

from tests.conftest import make_system
from tidegate.checker.check import check
from tidegate.checker.compiled import orbits
from tidegate.checker.compiled.build import Code, object_code
from tidegate.checker.compiled.emitter import Emitter
from tidegate.checker.compiled.intrinsics import DECLARATIONS
from tidegate.checker.compiled.orbits import Kind, signature_of
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.core.spec import EngineError
from tidegate.core.symmetry import Symmetry

SMALL = "records=1 crashes=1 elections=1"
SYSTEMS = {
    "2 replicas, of which one leads": ("kip-320", f"replicas=2 {SMALL}"),
    "3 replicas": ("kip-320", f"replicas=3 {SMALL}"),
    "4 replicas": ("kip-101", "replicas=4 records=2 crashes=1 elections=2 moves"),
    "5 replicas": ("kip-595", f"replicas=5 {SMALL}"),
    "5 replicas with kraft": ("kip-595", f"replicas=5 {SMALL} moves isr_propagation=kraft"),
    "4 replicas, any leads": (
        "tidegate.examples.published:kip_320",
        "replicas=4 log_size=1 records=1",
    ),
    "4 replicas, versions": ("tidegate.examples.async_isr:async_isr", "replicas=4 max_version=2"),
}

REPRESENT = """\
define i64 @tidegate_represent(i64 %first, i64 %count) {{
entry:
  br label %loop
loop:
  %number = phi i64 [0, %entry], [%next, %one]
  %finished = icmp eq i64 %number, %count
  br i1 %finished, label %end, label %one
one:
  %offset = mul i64 %number, {size}
  %state = add i64 %first, %offset
  call void @canonical(i64 %state)
  %next = add i64 %number, 1
  br label %loop
end:
  ret i64 %number
}}"""


def represented(system, group, states):
    """Return what machine code takes for the representatives of states."""
    layout, out = system.layout, Emitter()
    orbits.emit_least(out, layout, group, "%state")
    text = [DECLARATIONS, orbits.masks(layout), *orbits.declarations(group)]
    text += [out.definition("void @canonical(i64 %state)", "noinline")]
    text += [REPRESENT.format(size=8 * layout.words)]
    code = Code(object_code("\n".join(text), optimised=False))
    words = array("Q", [word for state in states for word in layout.pack(state)])
    assert code.function("represent", 2)(words.buffer_info()[0], len(states)) == len(states)
    starts = range(0, len(words), layout.words)
    return [layout.unpack(words[at : at + layout.words]) for at in starts]


def arbitrary(layout, dice):
    """Return a state with arbitrary values in their ranges, more or fewer of them the lowest."""
    share = dice.choice((0.1, 0.4, 1))
    values = [
        dice.randint(0, v.high - v.low) if dice.random() < share else 0 for v in layout.stored
    ]
    return bytes(values) if isinstance(layout.dump(), bytes) else tuple(values)


def reachable(system, dice, count):
    """Return states on random behaviors."""
    states = []
    while len(states) < count:
        state = next(iter(system.initial_states()))
        for _ in range(dice.randint(1, 40)):
            successors = [after for _, after in system.successors(state) if system.inside()]
            if not successors:
                break
            state = dice.choice(successors)
            states.append(state)
    return states[:count]


@pytest.mark.parametrize(("protocol", "bounds"), SYSTEMS.values(), ids=SYSTEMS)
def test_machine_code_finds_the_least_state_of_the_orbit(protocol, bounds):
    system, dice = make_system(protocol, bounds, frozenset()), random.Random(7)
    symmetry = Symmetry(system)
    states = [arbitrary(system.layout, dice) for _ in range(100)] + reachable(system, dice, 200)
    states = [dice.choice(symmetry.permutations_of(state)) for state in states]
    expected = [symmetry.canonical(state) for state in states]
    assert represented(system, symmetry.group, states) == expected
    assert len(set(expected)) > 50


@pytest.mark.parametrize(("protocol", "bounds"), SYSTEMS.values(), ids=SYSTEMS)
def test_all_permutations_of_a_state_have_one_representative_among_them(protocol, bounds):
    system, dice = make_system(protocol, bounds, frozenset()), random.Random(11)
    symmetry = Symmetry(system)
    some = [arbitrary(system.layout, dice) for _ in range(10)] + reachable(system, dice, 20)
    orbits_of_them = [symmetry.permutations_of(state) for state in some]
    answers = represented(
        system, symmetry.group, [one for orbit in orbits_of_them for one in orbit]
    )
    for number, orbit in enumerate(orbits_of_them):
        start = number * len(symmetry.group)
        [representative] = set(answers[start : start + len(symmetry.group)])
        assert representative in orbit


@pytest.mark.slow
def test_many_states_of_many_settings_have_the_least_representative():
    dice = random.Random(20261123)
    options = ["moves", "late_request", "purgatory", "deletions=1", "isr_propagation=zookeeper",
               "isr_propagation=records reassignments=1 spare_broker", "elr min_isr=2"]  # fmt: skip
    for _ in range(60):
        replicas, protocol = dice.choice((3, 4, 5)), dice.choice(("hw", "kip-101", "kip-595"))
        more = dice.choice(options) if protocol == "kip-595" else dice.choice(("", "moves"))
        bounds = (
            f"replicas={replicas} records={dice.choice((1, 2))} elections={dice.choice((1, 2))}"
        )
        system = make_system(protocol, f"{bounds} {more}", frozenset())
        symmetry = Symmetry(system)
        states = [arbitrary(system.layout, dice) for _ in range(300)]
        states += reachable(system, dice, 300)
        states = [dice.choice(symmetry.permutations_of(state)) for state in states]
        expected = [symmetry.canonical(state) for state in states]
        assert represented(system, symmetry.group, states) == expected, (protocol, bounds, more)


@pytest.mark.parametrize(
    ("protocol", "bounds"),
    [
        ("kip-320", "replicas=4 records=0 crashes=1 elections=1"),
        pytest.param("kip-101", f"replicas=4 {SMALL}", marks=pytest.mark.slow),
        pytest.param(
            "kip-595", "replicas=5 records=0 crashes=1 elections=1", marks=pytest.mark.slow
        ),
    ],
)
def test_the_orbits_together_are_the_states_without_symmetry(protocol, bounds):
    system, compiled = make_system(protocol, bounds, frozenset()), Resources(engine="compiled")
    symmetry = Symmetry(system)
    search = CompiledSearch(SearchRequest(system, [], symmetry=symmetry, resources=compiled))
    with closing(search):
        search.run()
        representatives = [state for level in search.states() for state in level]
        assert search.stopped_by is None
        assert len(set(representatives)) == search.distinct_states
    every = sum(len(set(symmetry.permutations_of(state))) for state in representatives)
    assert every == check(system, [], resources=compiled).distinct_states > 3 * len(representatives)


@pytest.mark.parametrize("protocol", ["kip-320", "kip-595"])
def test_most_reachable_states_are_sorted_by_signature_alone(protocol):
    """A state is entangled if a replica that does not lead has what renaming changes."""
    system = make_system(protocol, f"replicas=4 {SMALL}", frozenset())
    signature = signature_of(system.layout, Symmetry(system).group)
    assert signature.free == (1, 2, 3)
    assert signature.leader.path == "partition.leader"
    positions = {variable.path: at for at, variable in enumerate(system.layout.stored)}
    for state in reachable(system, random.Random(3), 300):
        leader = state[positions["partition.leader"]] + signature.leader.low
        for replica, renamed in zip(signature.free, signature.renamed, strict=True):
            present = any(state[positions[variable.path]] & mask for variable, mask in renamed)
            assert not present or replica == leader


def test_a_group_that_is_no_full_symmetric_group_has_no_signature():
    system = make_system(
        "tidegate.examples.published:kip_320", "replicas=4 log_size=1 records=1", frozenset()
    )
    group = [(0, 1, 2, 3), (1, 0, 3, 2)]
    assert signature_of(system.layout, group) is None
    dice = random.Random(5)
    states = [arbitrary(system.layout, dice) for _ in range(50)]
    symmetry = Symmetry(system)
    symmetry._others = [
        apply
        for permutation, apply in zip(symmetry.group[1:], symmetry._others, strict=True)
        if permutation in group
    ]
    expected = [symmetry.canonical(state) for state in states]
    assert represented(system, group, states) == expected


def without_the_first_part(layout, group):
    """Return a signature that says nothing of who leads."""
    signature = signature_of(layout, group)
    return replace(signature, parts=tuple(parts[1:] for parts in signature.parts))


def of_the_other_replica(layout, group):
    """Return a signature in which two replicas have each other's values."""
    signature = signature_of(layout, group)
    values = [[p for p in parts if p.kind is Kind.VALUE] for parts in signature.parts]
    one, other, *more = signature.parts
    swapped = [
        tuple(replace(p, sources=q.sources) if p.kind is Kind.VALUE else p
              for p, q in zip(own, theirs, strict=True))
        for own, theirs in ((one, other), (other, one))
    ]  # fmt: skip
    assert all(values)
    return replace(signature, parts=(*swapped, *more))


@pytest.mark.parametrize("wrong", [without_the_first_part, of_the_other_replica])
def test_a_wrong_signature_ends_the_search(monkeypatch, tmp_path, wrong):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(orbits, "signature_of", wrong)
    system = make_system("kip-320", f"replicas=3 {SMALL}", frozenset())
    with pytest.raises(EngineError, match="machine code and Python disagree about symmetry"):
        check(system, [], symmetry=True, resources=Resources(engine="compiled"))

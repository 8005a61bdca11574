"""Along random behaviors of every protocol, under random bounds, its states are well formed."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import EVERY_HISTORY
from tests.published import ASYNC_ISR, PUBLISHED
from tidegate.core.bounds import declared
from tidegate.core.symmetry import Symmetry, permuted
from tidegate.library.names import find_protocol
from tidegate.model import PROTOCOLS
from tidegate.model.broker.bounds import RECORDS, ZOOKEEPER

LARGEST = 3
"""The largest value that is drawn for a bound."""

STEPS = 25


@st.composite
def systems(draw, protocol):
    """Draw bounds of a protocol that do not contradict each other, and make its system."""
    values = {}
    for name, (bound, default) in declared(protocol.model.bounds).items():
        value = draw(st.integers(bound.low, min(bound.high, max(bound.low, LARGEST))))
        values[name] = bool(value) if isinstance(default, bool) else value
    if protocol.is_kafkas:
        values["min_isr"] = min(values["min_isr"], values["replicas"])
        values["log_size"] = min(values["log_size"], values["records"])
        if values["isr_propagation"] != ZOOKEEPER:
            values["controller_crashes"] = 0
        values["last_known_leader"] &= values["elr"]
        values["reassignments"] *= values["isr_propagation"] == RECORDS and values["replicas"] > 1
        values["spare_broker"] &= bool(values["reassignments"])
        values["deletions"] *= bool(values["log_size"])
    return protocol.system(protocol.model.bounds(**values), EVERY_HISTORY)


def behavior(system, seed):
    """Yield the states of a random behavior, the initial one first, as far as is explored."""
    dice = random.Random(seed)
    state = next(iter(system.initial_states()))
    for _ in range(STEPS):
        yield state
        inside = [found for _, found in system.successors(state) if system.inside()]
        if not inside:
            return
        state = dice.choice(inside)


every_protocol = pytest.mark.parametrize(
    "protocol",
    [*PROTOCOLS, PUBLISHED[-1], find_protocol(ASYNC_ISR)],
    ids=lambda protocol: protocol.name,
)
seeds = st.integers(0, 2**32)
few = settings(max_examples=15, deadline=None)


@every_protocol
@few
@given(data=st.data(), seed=seeds)
def test_no_step_leaves_the_declared_ranges_and_none_writes_before_it_refuses(protocol, data, seed):
    """Every instance of every action is tried in every state on the way, also out of the bounds."""
    system = data.draw(systems(protocol))
    layout = system.layout
    for state in behavior(system, seed):
        for instance in system.instances:
            layout.load(state)
            before = layout.values()
            if instance.action.apply(system.record, system.constants, *instance.arguments):
                assert layout.range_errors() == [], instance.step
            else:
                assert layout.values() == before, instance.step


@every_protocol
@few
@given(data=st.data(), seed=seeds)
def test_states_that_are_reached_can_be_packed_and_stored_without_loss(protocol, data, seed):
    system = data.draw(systems(protocol))
    layout = system.layout
    for state in behavior(system, seed):
        assert layout.unpack(layout.pack(state)) == state
        layout.load(state)
        assert layout.dump() == state


@every_protocol
@few
@given(data=st.data(), seed=seeds)
def test_canonical_is_idempotent_and_blind_to_permutation(protocol, data, seed):
    system = data.draw(systems(protocol))
    symmetry = Symmetry(system)
    renamings = [permuted(system.layout, permutation) for permutation in symmetry.group]
    for state in behavior(system, seed):
        canonical = symmetry.canonical(state)
        assert symmetry.canonical(canonical) == canonical
        for apply in renamings:
            assert symmetry.canonical(apply(state)) == canonical

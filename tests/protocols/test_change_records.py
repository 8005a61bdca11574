"""Partition change records: relative partition epochs decide what numbers would decide."""

import pytest

from tests.protocols import numbered
from tidegate.core.result import Resources
from tidegate.core.spec import Outcome
from tidegate.invariants.broker import INVARIANTS

LOST = "NoCommittedRecordLost"

ANY_EPOCH = "knows_partition_epoch = in_any_partition_epoch"

NAMES = [prop.name for prop in INVARIANTS]

ON = "isr_propagation=records"


def described(system, state):
    """Return a state as the numbers read it."""
    return system.layout.describe(state)


def agree(numbers, shown):
    """Assert that a state has the queues, the bits and the leaders' ISRs that the numbers have."""
    alive = [replica["alive"] for replica in shown["replica"]]
    held = {
        epoch: ([frozenset(isr) for isr in sent["isrs"] if isr], bool(sent["known"]))
        for epoch, sent in enumerate(shown["leader_and_isr"])
        if any(sent["isrs"])
    }
    assert held == numbered.queues(numbers, alive)
    late = {b for b, message in enumerate(shown["alter_partition"]) if message["outdated"]}
    assert late == numbered.outdated(numbers)
    for broker, replica in enumerate(shown["replica"]):
        if replica["alive"] and replica["leader"] == broker:
            known = numbers.brokers[broker]
            assert replica["isr"] == known.isr
            assert replica["proposed"] == (known.pending.isr if known.pending else set())


def explored(system, applies_known, most):
    """Yield each step of a search with the numbers after it, up to so many states."""
    initial = next(iter(system.initial_states()))
    numbers = {initial: numbered.begin(system.constants.replicas)}
    frontier = [initial]
    while frontier and len(numbers) < most:
        state = frontier.pop(0)
        before = described(system, state)
        for index, following in list(system.successors(state)):
            step, after = system.instances[index].step, described(system, following)
            beside = numbered.follow(numbers[state], step, before, after, applies_known)
            yield step, beside, after
            if following not in numbers:
                numbers[following] = beside
                frontier.append(following)


def slow(*values):
    """Leave a case to the slow tests."""
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("protocol", "settings", "most"),
    [
        ("kip-595", "records=1 elections=1 crashes=1", 800),
        ("kip-595-reset", "replicas=3 records=1 crashes=1 elections=0 min_isr=2", 700),
        ("kip-595", "records=0 crashes=2 elections=2 elr last_known_leader", 800),
        slow("kip-595", "records=1 elections=2 crashes=1 moves", 20_000),
        slow("kip-595-reset", "records=1 elections=1 crashes=1 moves", 20_000),
        slow("kip-595", "min_isr=2 elr crashes=1 moves records=1", 20_000),
        slow("kip-595", "replicas=3 records=1 crashes=1 moves", 20_000),
    ],
)
def test_the_queues_hold_what_partition_epochs_as_numbers_say(system, protocol, settings, most):
    made = system(protocol, f"{ON} {settings}", frozenset())
    taken = set()
    for step, numbers, after in explored(made, protocol == "kip-595", most):
        agree(numbers, after)
        taken.add(step.action)
    assert {"ApplyChangeRecord", "FenceFollower", "HandleAlterPartition"} <= taken


@pytest.mark.parametrize(
    ("settings", "name", "steps"),
    [
        ("elections=0", "LeaderCandidateCompleteness", 7),
        slow("elections=1", LOST, 9),
    ],
)
def test_without_partition_epochs_a_change_is_accepted_that_a_fence_has_overtaken(
    search, settings, name, steps
):
    settings = f"replicas=3 records=1 crashes=0 moves {settings}"
    assert len(decide(search, f"kip-595-reset~{ANY_EPOCH}", settings, name).trace.steps) == steps
    assert decide(search, "kip-595-reset", settings, name).outcome is Outcome.HOLDS


def decide(search, protocol, settings, name=LOST):
    [verdict] = search(protocol, f"{ON} {settings}", [name]).verdicts
    return verdict


@pytest.mark.parametrize(
    ("settings", "steps"),
    [("records=2 crashes=1", 15), slow("records=2 crashes=0 moves", 14)],
)
def test_a_known_record_drops_a_proposal_that_the_controller_has_accepted(search, settings, steps):
    wrong = decide(search, "kip-595", settings)
    assert wrong.outcome is Outcome.VIOLATED
    assert len(wrong.trace.steps) == steps
    assert "ApplyChangeRecord" in {step.action for step in wrong.trace.steps}
    assert decide(search, "kip-595-reset", settings).outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    "settings",
    ["records=1 crashes=1", "records=2 elections=0 crashes=1", slow("records=2 crashes=0")],
)
def test_one_bound_lower_a_known_record_loses_nothing(search, settings):
    assert decide(search, "kip-595", settings).outcome is Outcome.HOLDS


@pytest.mark.parametrize("protocol", ["kip-595", slow("kip-595-reset"), slow("kip-320")])
def test_live_replicas_recover_and_no_isr_change_stays_pending(search, protocol):
    assert decide(search, protocol, "records=1 crashes=1", "Stuck").outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    ("protocol", "settings", "names"),
    [
        ("kip-595", "records=1 crashes=1", [LOST, "EligibleIsr"]),
        slow("kip-595", "records=1 crashes=1", NAMES),
        slow("hw", "records=1 elections=2 crashes=1", NAMES),
        slow("kip-320", "records=1 crashes=0 moves late_request hw_waits", NAMES),
        slow("kip-595", "records=1 crashes=1 moves elr min_isr=2", NAMES),
        slow("kip-595-reset", "replicas=3 records=0 elections=1 crashes=1", NAMES),
    ],
)
def test_both_engines_find_the_same(search, protocol, settings, names):
    one, other = (
        search(
            protocol,
            f"{ON} {settings}",
            names,
            keep_going=True,
            resources=Resources(engine=engine),
        )
        for engine in ("interpreted", "compiled")
    )
    assert (one.distinct_states, one.depth) == (other.distinct_states, other.depth)
    assert [(v.outcome, v.trace and v.trace.steps) for v in one.verdicts] == [
        (v.outcome, v.trace and v.trace.steps) for v in other.verdicts
    ]


SHRUNK = """
Produce 0
ProposeShrink 0 1
HandleAlterPartition 0
"""


def test_a_fence_of_a_follower_begins_no_leader_epoch(begin):
    behavior = begin("kip-595", f"{ON} replicas=3").follow("Crash 1\nFenceFollower 1")
    assert (behavior.record.partition.epoch, behavior.record.partition.isr) == (0, 0b101)
    assert not behavior.can("Fence", 2), "Fence is for leaders"
    assert behavior.record.replica[0].isr == 0b111
    behavior.take("ApplyChangeRecord", 0, 0, 0)
    assert behavior.record.replica[0].isr == 0b101


def test_a_leader_keeps_its_remote_leos_when_it_applies_a_record_of_its_epoch(begin):
    behavior = begin("kip-595", f"{ON} replicas=3").follow(
        "Produce 0\nSendFetch 0 2\nHandleFetch 0 2\nHandleFetchResponse 0 2\nSendFetch 0 2\n"
        "HandleFetch 0 2\nCrash 1\nFenceFollower 1"
    )
    assert behavior.record.replica[0].hw == 0
    behavior.take("ApplyChangeRecord", 0, 0, 0)
    assert behavior.record.replica[0].remote_leo[2] == 1
    assert behavior.record.replica[0].hw == 1, "the high watermark no longer waits for broker 1"


def test_a_request_that_a_fence_has_overtaken_is_outdated(begin):
    behavior = begin("kip-595", f"{ON} replicas=3").follow("Produce 0\nProposeShrink 0 1\nCrash 2")
    behavior.follow("FenceFollower 2\nHandleAlterPartition 0")
    assert behavior.record.partition.isr == 0b011
    behavior.take("HandleAlterPartitionResponse", 0)
    assert behavior.record.replica[0].proposed == 0b101, "it waits for the record"
    behavior.take("ApplyChangeRecord", 0, 0, 0)
    assert (behavior.record.replica[0].isr, behavior.record.replica[0].proposed) == (0b011, 0)


def test_a_leader_applies_several_records_at_once(begin):
    behavior = begin("kip-595", f"{ON} replicas=3").follow(
        "Crash 1\nCrash 2\nFenceFollower 1\nFenceFollower 2"
    )
    assert not behavior.can("ApplyChangeRecord", 0, 0, 2)
    behavior.take("ApplyChangeRecord", 0, 0, 1)
    assert behavior.record.replica[0].isr == 0b001
    assert not behavior.can("ApplyChangeRecord", 0, 0, 0)


def test_a_record_may_arrive_before_the_response(begin):
    behavior = begin("kip-595", ON).follow(f"{SHRUNK}\nApplyChangeRecord 0 0 0")
    assert (behavior.record.replica[0].isr, behavior.record.replica[0].proposed) == (0b01, 0)
    behavior.take("HandleAlterPartitionResponse", 0)
    assert behavior.record.replica[0].isr == 0b01
    assert not behavior.can("ApplyChangeRecord", 0, 0, 0)


def test_no_room_is_taken_while_the_option_is_off(system):
    names = {"leader_and_isr[0].isrs[0]", "leader_and_isr[0].known", "alter_partition[0].outdated"}
    off = {v.path for v in system("kip-595", "isr_propagation=kraft").layout.stored}
    on = {v.path for v in system("kip-595", ON).layout.stored}
    assert not names & off
    assert names <= on
    assert "leader_and_isr[0].isr" in off - on

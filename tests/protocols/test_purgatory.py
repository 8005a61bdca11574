"""Requests that wait at the leader: what they do, and that leaving them out changes no verdict.

A state counts here without messages in flight and waiting requests.  Each such picture that is
reached without the option ``purgatory`` is reached with it.  Conversely, each that is reached with
it corresponds to one without it that has at least the same acknowledged records: a waiting produce
is acknowledged later, or never.  A produce may also be acknowledged that fails without the option:
where the ISR has shrunk below min.insync.replicas and grown again before its check.  Such a record
is committed in both.  With fenced fetches (kip-320) that is all.  Without, a leader may
apply an epoch while a fetch of the previous one waits: it answers that fetch without updating the
remote LEO again, so there is a picture without the option that differs only
in remote LEOs and in the ISRs, each of which has all the members that it has with it.  What holds
of records that are acknowledged, or of members of an ISR, holds of fewer of them.
"""

import pytest

from tests.conftest import EVERY_HISTORY
from tidegate.core.fields import NONE
from tidegate.core.spec import Outcome
from tidegate.invariants.broker import INVARIANTS
from tidegate.model.broker.messages import DELAYED_FETCH, FETCH_RESPONSE, IDLE

slow = pytest.mark.slow

PROTOCOLS = [
    "hw",
    pytest.param("kip-101", marks=slow),
    pytest.param("kip-279", marks=slow),
    "kip-320",
    pytest.param("kip-595", marks=slow),
]

FENCED = ("kip-320", "kip-595")

UNDER_WAY = ("message[", "late_fetch[", "delayed_produce[", "aux_produce[", "leader_and_isr[")

CHECKED_LATE = [("kip-595", "records=1 min_isr=2 crashes=1 elections=0")]
"""Bounds at which only the option acknowledges a record with these crashes.

The ISR shrinks to the leader, the high watermark passes the record, and the follower bounces and
joins again before the produce is checked.  Without the option the produce fails at the shrink, and
no other run has such a bounce: since 2.2 a bounced follower leaves the ISR, which is an election.
Where the high watermark waits for min.insync.replicas members (3.7) no produce can fail so.
"""

BOUNDS = [
    pytest.param("records=1 crashes=2 elections=2", marks=slow),
    pytest.param("records=2 crashes=1", marks=slow),
    "records=1 elections=2 crashes=0 moves",
    "records=1 min_isr=2 crashes=1 elections=0",
    "records=1 min_isr=2 crashes=1 elections=0 hw_needs_min_isr",
    pytest.param("records=1 crashes=1 late_request lost_messages=1 power_losses=1", marks=slow),
    "records=1 crashes=1 elections=0 late_request lost_messages=1 power_losses=1",
    "records=1 min_isr=2 crashes=1 power_losses=1 elections=2 elr",
    pytest.param("replicas=3 records=1 min_isr=2 crashes=0 elections=0", marks=slow),
    pytest.param("records=2 elections=2 crashes=0 moves", marks=slow),
    pytest.param("records=2 crashes=1 hw_checkpoint=step unclean_election", marks=slow),
    pytest.param("replicas=3 records=1 crashes=1", marks=slow),
    pytest.param("replicas=3 records=1 min_isr=2 crashes=1 elections=0", marks=slow),
    pytest.param("replicas=3 records=1 crashes=0 elections=2 moves", marks=slow),
]


def pictures(system):
    """Return every reachable picture: (what counts, ISRs, remote LEOs, committed): acknowledged.

    An ISR is a set of bits, as are the sets of committed and of acknowledged records.
    """
    paths = [variable.path for variable in system.layout.variables]
    kept = [i for i, path in enumerate(paths) if not path.startswith(UNDER_WAY)]
    acked_epochs = [
        i for i in kept if paths[i].startswith("aux_acked") and paths[i].endswith("epoch")
    ]
    committed = [
        i for i in kept if paths[i].startswith("aux_committed") and paths[i].endswith("record")
    ]
    sets = [i for i in kept if paths[i].endswith((".isr", ".elr"))]
    remote = [i for i in kept if "remote_leo" in paths[i]]
    apart = {*sets, *remote, *(i for i in kept if paths[i].startswith("aux_acked"))}
    core = [i for i in kept if i not in apart]
    found = {}
    frontier = seen = set(system.initial_states())
    while frontier:
        following = set()
        for state in frontier:
            system.layout.load(state)
            values = system.layout.values()
            parts = [tuple(values[i] for i in part) for part in (core, sets, remote)]
            parts.append(sum(1 << values[i] for i in committed if values[i] != NONE))
            acked = sum(1 << n for n, i in enumerate(acked_epochs) if values[i] != NONE)
            found.setdefault(tuple(parts), set()).add(acked)
            following.update(successor for _, successor in system.successors(state))
        frontier = following - seen
        seen = seen | frontier
    return found


def covers(most, least):
    """Whether sets of bits have all the members of others."""
    return all(few & ~many == 0 for many, few in zip(most, least, strict=True))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("settings", BOUNDS)
def test_each_state_with_it_is_one_without_it_that_claims_no_less(system, protocol, settings):
    without = pictures(system(protocol, settings))
    waiting = pictures(system(protocol, f"{settings} purgatory"))
    assert all(acked <= waiting.get(picture, set()) for picture, acked in without.items())
    if protocol in FENCED:
        assert set(waiting) == set(without)
    by_core = {}
    for (core, sets, *_), acked in without.items():
        by_core.setdefault(core, []).append((sets, acked))
    for picture, acked in waiting.items():
        for claimed in acked:
            if not any(covers([more], [claimed]) for more in without.get(picture, ())):
                if (protocol, settings) in CHECKED_LATE:
                    *_, committed = picture
                    assert covers([committed], [claimed])
                    continue
                assert protocol not in FENCED
                core, sets, *_ = picture
                assert any(
                    covers([*larger, more], [*sets, claimed])
                    for larger, pictures in by_core[core]
                    for more in pictures
                )


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param("records=2 crashes=2", marks=slow),
        "records=2 crashes=1 elections=2",
        pytest.param("records=1 power_losses=1 crashes=1", marks=slow),
        "records=1 crashes=0 elections=2 moves",
        pytest.param("records=2 crashes=0 elections=2 moves", marks=slow),
        pytest.param("records=2 min_isr=2 crashes=1", marks=slow),
        "records=1 min_isr=2 crashes=1 power_losses=1 elections=2 elr",
        "records=1 unclean_election crashes=1",
        "records=1 crashes=1 acks=1",
        "records=1 crashes=1 isr_propagation=kraft",
        pytest.param("records=2 crashes=2 elections=3", marks=slow),
        pytest.param("records=3 crashes=2 elections=2", marks=slow),
        pytest.param("replicas=3 records=1 crashes=1 elections=2", marks=slow),
        pytest.param("replicas=3 records=1 crashes=1 power_losses=1 min_isr=2", marks=slow),
    ],
)
def test_no_verdict_of_any_invariant_changes(search, protocol, settings):
    """Steps may be one more where a record must be acknowledged first, and are never fewer."""
    names = [prop.name for prop in INVARIANTS]
    without = search(protocol, settings, names, keep_going=True)
    waiting = search(protocol, f"{settings} purgatory", names, keep_going=True)
    assert without.complete
    assert waiting.complete
    for one, other in zip(without.verdicts, waiting.verdicts, strict=True):
        assert one.property is other.property
        assert one.outcome is other.outcome, one.property.name
        if one.outcome is Outcome.VIOLATED:
            more = len(other.trace.steps) - len(one.trace.steps)
            assert more in ({0, 1} if one.property.name == "NoAckedRecordLost" else {0})


WAITS = "records=2 purgatory"

BOTH_KNOW = """
SendFetch 0 1
HandleFetch 0 1
"""
"""The follower has all the leader has: its fetch waits."""


def test_a_fetch_waits_until_the_leader_appends(begin):
    behavior = begin("kip-320", WAITS).follow(BOTH_KNOW)
    assert behavior.record.message[1].kind == DELAYED_FETCH
    assert not behavior.can("SendFetch", 0, 1)
    behavior.follow("Produce 0\nCompleteFetch 0 1\nHandleFetchResponse 0 1")
    assert behavior.records(1) == [0]


def test_a_fetch_that_would_bring_a_newer_high_watermark_does_not_wait(begin):
    behavior = begin("kip-320", WAITS).follow(BOTH_KNOW)
    behavior.follow("Produce 0\nCompleteFetch 0 1\nHandleFetchResponse 0 1")
    behavior.follow("SendFetch 0 1\nHandleFetch 0 1")
    assert (behavior.record.message[1].kind, behavior.record.message[1].hw) == (FETCH_RESPONSE, 1)


def test_a_fetch_that_has_waited_for_too_long_is_answered_with_nothing(begin):
    behavior = begin("kip-320", WAITS).follow(BOTH_KNOW).take("CompleteFetch", 0, 1)
    assert behavior.record.message[1].kind == FETCH_RESPONSE
    assert behavior.record.message[1].records[0].record == NONE


def test_a_fetch_that_waits_is_refused_where_its_leader_takes_up_another_epoch(begin):
    """Since KIP-320; before that the leader answers it in its new epoch."""
    bounds = f"{WAITS} replicas=3 crashes=1"
    taken_up = f"{BOTH_KNOW}Crash 2\nFence 2\nBecomeLeader 0 1"
    behavior = begin("kip-320", bounds).follow(taken_up)
    assert not behavior.can("CompleteFetch", 0, 1)
    assert behavior.take("RefuseRequest", 0, 1).record.message[1].kind == IDLE
    assert begin("kip-279", bounds).follow(taken_up).can("CompleteFetch", 0, 1)


def test_a_produce_waits_until_the_high_watermark_passes_it(begin):
    behavior = begin("kip-320", WAITS).take("Produce", 0)
    assert behavior.record.delayed_produce[0].leader == 0
    assert not behavior.can("CompleteProduce", 0, 0)
    behavior.follow("SendFetch 0 1\nHandleFetch 0 1\nHandleFetchResponse 0 1")
    behavior.follow("SendFetch 0 1\nHandleFetch 0 1")
    assert behavior.record.aux_acked[0].epoch == NONE
    behavior.take("CompleteProduce", 0, 0)
    assert behavior.record.aux_acked[0].epoch == 0
    assert behavior.record.delayed_produce[0].leader == NONE


def test_not_enough_replicas_after_append_acknowledges_nothing(begin):
    """The shrink that commits the record leaves too few members: its producer receives an error."""
    behavior = begin("kip-320", f"{WAITS} min_isr=2").follow("Produce 0\nShrinkIsr 0 1")
    assert behavior.record.replica[0].hw == 1
    behavior.take("CompleteProduce", 0, 0)
    assert behavior.record.aux_acked[0].epoch == NONE
    assert behavior.record.delayed_produce[0].leader == NONE


GROWN_AGAIN = """
Produce 0
SendFetch 0 1
HandleFetch 0 1
HandleFetchResponse 0 1
ShrinkIsr 0 1
SendFetch 0 1
HandleFetch 0 1
"""
"""The ISR shrinks before the leader knows that the follower has the record, and grows again."""


def test_a_produce_checked_after_the_isr_has_grown_again_is_acknowledged(begin):
    """What checks it runs after the lock under which the ISR shrank: maybeShrinkIsr@2.6.0."""
    behavior = begin("kip-320", f"{WAITS} min_isr=2").follow(GROWN_AGAIN)
    assert behavior.record.partition.isr == 0b11
    behavior.take("CompleteProduce", 0, 0)
    assert behavior.record.aux_acked[0].epoch == 0
    at_once = begin("kip-320", "records=2 min_isr=2").follow(GROWN_AGAIN)
    assert at_once.record.partition.isr == 0b11
    assert at_once.record.aux_acked[0].epoch == NONE, "it failed when the ISR shrank"


def test_no_produce_is_checked_late_where_the_high_watermark_waits_for_min_isr(begin):
    for waits in ("records=2", WAITS):
        behavior = begin("kip-595", f"{waits} min_isr=2 hw_needs_min_isr").follow(GROWN_AGAIN)
        if waits == WAITS:
            behavior.take("CompleteProduce", 0, 0)
        assert behavior.record.aux_acked[0].epoch == 0


def test_a_produce_that_times_out_is_not_acknowledged(begin):
    behavior = begin("kip-320", WAITS).follow("Produce 0\nExpireProduce 0 0\nShrinkIsr 0 1")
    assert behavior.record.replica[0].hw == 1
    assert not behavior.can("CompleteProduce", 0, 0)
    assert behavior.record.aux_acked[0].epoch == NONE


def test_a_produce_fails_with_its_leader_and_with_its_epoch(begin):
    crashed = begin("kip-320", WAITS).follow("Produce 0\nCrash 0")
    assert crashed.record.delayed_produce[0].leader == NONE
    replaced = begin("kip-320", f"{WAITS} moves").follow("Produce 0\nElect 1")
    assert replaced.record.delayed_produce[0].leader == 0, "the zombie does not know yet"
    replaced.take("BecomeFollower", 0, 1)
    assert replaced.record.delayed_produce[0].leader == NONE


def test_no_room_is_taken_while_the_option_is_off(system):
    off = {variable.path for variable in system("kip-320", "", frozenset()).layout.stored}
    assert not [path for path in off if path.startswith("delayed_produce")]
    on = system("kip-320", "purgatory", EVERY_HISTORY).layout.stored
    assert "delayed_produce[0].leader" in {variable.path for variable in on}

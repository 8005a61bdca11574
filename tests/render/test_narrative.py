"""The intermediate form: arrows, changes, reasons, and where it went wrong."""

import re

import pytest

from tidegate.core.behavior import Behavior
from tidegate.core.fields import Record, integer
from tidegate.core.layout import Layout
from tidegate.core.spec import Action, Step, Trace, TransitionSystem
from tidegate.library.names import find_protocol
from tidegate.library.properties import with_every_history
from tidegate.model import PROTOCOLS
from tidegate.model.broker.presentation import events as broker_events
from tidegate.render.narrative import IN_FLIGHT, LOST, RECEIVED, narrate

ALL_OPTIONS = (
    "replicas=3 records=3 elections=4 crashes=3 power_losses=2 lost_messages=3 moves "
    "hw_checkpoint=step late_request"
)


def test_a_message_is_an_arrow_from_where_it_is_sent_to_where_it_is_received(loss):
    arrows = {(a.sender, a.receiver, a.sent, a.ended, a.fate): a.text for a in loss.arrows}
    assert arrows["broker 1", "broker 0", 2, 3, RECEIVED] == "fetch at 0"
    assert arrows["broker 0", "broker 1", 3, 4, RECEIVED] == "m0 (e0), HW 0"
    assert arrows["clients", "broker 0", 1, 1, RECEIVED] == "write m0"
    assert arrows["controller", "broker 1", 11, 12, RECEIVED] == "e1: 1 leads"


def test_a_response_that_a_crash_overtakes_is_lost(loss):
    [lost] = [arrow for arrow in loss.arrows if arrow.fate == LOST]
    assert (lost.text, lost.sent, lost.ended) == ("no records, HW 1", 6, 7)
    assert lost.why == "dropped: broker 1 crashed"
    assert "before the response of broker 0 (no records, HW 1) reaches it: its HW is still 0" in (
        loss.moments[7].event.sentence
    )
    assert loss.moments[7].title == "Crash"


def test_a_message_that_is_not_received_by_the_end_is_in_flight():
    system = with_every_history(find_protocol("hw"), [])
    start = next(system.initial_states())
    step = Step("SendFetch", ("leader", "follower"), (0, 1))
    told = narrate(Behavior(system, Trace((start, system.take(start, step)), (step,))))
    assert [(a.text, a.fate) for a in told.arrows] == [("fetch at 0", IN_FLIGHT)]


def test_clients_receive_an_acknowledgement_when_a_record_is_committed(loss):
    [told] = [arrow for arrow in loss.arrows if arrow.receiver == "clients"]
    assert (told.sender, told.sent, told.text) == ("broker 0", 6, "m0 committed in e0, acked")


def test_the_steps_in_which_it_went_wrong_are_flagged(loss):
    assert {m.number: m.flags for m in loss.moments if m.flags} == {
        1: ("m0 (e0) enters the log of broker 0",),
        4: ("m0 (e0) enters the log of broker 1",),
        6: ("m0 committed in e0", "m0 acked"),
        9: ("m0 (e0) leaves the log of broker 1",),
        12: ("NoCommittedRecordLost is violated here",),
    }


@pytest.mark.parametrize("name", ["divergence under hw", "what KIP-279 repairs"])
def test_of_a_divergence_both_records_are_flagged(trace, name):
    told = trace(name)
    flags = " ".join(flag for moment in told.moments for flag in moment.flags)
    assert len(told.places) == 2
    assert flags.count("is written at offset") == 2
    assert "is now below its HW" in flags


def test_a_step_says_why_it_was_enabled(loss):
    [needs] = [it for it in loss.moments[7].reasons if "crashed" in it.needs]
    assert str(needs) == "s.crashed != k.crashes (s.crashed = 0, k.crashes = 2)"
    assert needs.source.startswith("model/broker/actions/faults.py:")
    named = [str(it) for it in loss.moments[2].reasons]
    assert "s.message[1].kind == IDLE (s.message[1].kind = nothing)" in named


def test_every_reason_of_every_step_holds(told):
    for moment in told.moments[1:]:
        assert moment.reasons
        assert moment.event.actor in told.lanes
        assert moment.event.sentence.endswith((".", "?"))


def test_every_action_has_its_words():
    names = {a.name for p in PROTOCOLS for a in p.actions}
    assert names == set(broker_events.EVENTS)


@pytest.mark.parametrize("protocol", [p.name for p in PROTOCOLS])
@pytest.mark.parametrize("seed", range(1))
def test_any_behavior_can_be_narrated(walk, protocol, seed):
    settings = "replicas=3" if protocol.startswith("published") else ALL_OPTIONS
    told = walk(protocol, settings, 60, seed)
    for moment in told.moments[1:]:
        assert not re.search(r"\{[^0-9}]", moment.event.sentence)
    for arrow in told.arrows:
        assert {arrow.sender, arrow.receiver} <= set(told.lanes)
        assert 0 <= arrow.sent <= arrow.ended <= told.steps


class Clock(Record):
    """An hour."""

    hour: int = integer(0, 11, "the hour")


def tick(s, k):
    """Let an hour pass."""
    if s.hour == k:
        return False
    s.hour += 1
    return True


def test_a_system_without_a_view_is_told_by_its_variables():
    def midnight(s, k):
        yield

    action = Action("Tick", tick, "clock", lambda k: [()], "Lamport")
    system = TransitionSystem("clock", {}, "", 11, Layout(Clock, 11), [action], midnight)
    start = next(system.initial_states())
    step = Step("Tick")
    told = narrate(Behavior(system, Trace((start, system.take(start, step)), (step,))))
    assert [str(change.text) for change in told.moments[1].changes] == ["hour 1"]
    assert [reason.needs for reason in told.moments[1].reasons] == ["s.hour != k"]


@pytest.mark.parametrize(
    ("protocol", "sends", "leader", "follower", "error"),
    [
        ("hw", "SendFetch", 0, 1, "NOT_LEADER_FOR_PARTITION"),
        ("kip-320", "SendFetch", 0, 1, "FENCED_LEADER_EPOCH"),
        ("kip-320", "SendEpochRequest", 1, 0, "UNKNOWN_LEADER_EPOCH"),
        ("kip-595", "SendFetch", 1, 0, "UNKNOWN_LEADER_EPOCH"),
    ],
)
def test_a_refused_request_names_its_error(protocol, sends, leader, follower, error):
    """Broker 1 is elected; broker 0 has applied epoch 1, broker 1 has not."""
    system = with_every_history(find_protocol(protocol), ["moves"])
    steps = (
        Step("Elect", ("broker",), (1,)),
        Step("BecomeFollower", ("follower", "epoch"), (0, 1)),
        Step(sends, ("leader", "follower"), (leader, follower)),
        Step("RefuseRequest", ("leader", "follower"), (leader, follower)),
    )
    states = [next(system.initial_states())]
    for step in steps:
        states.append(system.take(states[-1], step))
    event = narrate(Behavior(system, Trace(tuple(states), steps))).moments[-1].event
    assert f": {error}." in event.sentence
    assert event.exchange == ((f"broker {leader}", f"broker {follower}", error),)


EXITS = """
Produce 0
SendFetch 0 1
HandleFetch 0 1
HandleFetchResponse 0 1
SendFetch 0 1
HandleFetch 0 1
Crash 1
Restart 1
BecomeFollower 1 0
Crash 0
Elect 1
BecomeLeader 1 1
Restart 0
BecomeFollower 0 1
SendFetch 1 0
HandleFetch 1 0
HandleOutOfRange 1 0
HandleListOffsets 1 0
HandleListOffsetsResponse 1 0
"""
"""Broker 1 truncates m0, which is committed, and leads; broker 0 has a longer log."""


@pytest.fixture
def told_with(begin):
    """Take the steps of a script and return the behavior in the intermediate form."""

    def take(protocol, settings, script):
        behavior = begin(protocol, settings).follow(script)
        trace = Trace(tuple(behavior.states), tuple(behavior.steps))
        return narrate(Behavior(behavior.system, trace))

    return take


def test_a_follower_whose_log_is_longer_asks_its_leader_and_exits(told_with):
    told = told_with("hw", "", EXITS)
    arrows = {(a.sender, a.receiver, a.text): (a.sent, a.ended, a.fate) for a in told.arrows}
    assert arrows["broker 1", "broker 0", "out of range"] == (16, 17, RECEIVED)
    assert arrows["broker 0", "broker 1", "log end?"] == (17, 18, RECEIVED)
    assert arrows["broker 1", "broker 0", "log end 0"] == (18, 19, RECEIVED)
    assert told.moments[16].event.sentence == (
        "The fetch offset 1 is beyond the log end of broker 1, and broker 1 responds: out of range."
    )
    assert told.moments[19].event.sentence == (
        "The log of broker 0 ends at offset 1, that of broker 1 at 0: the process of broker 0 "
        "exits."
    )


def test_where_unclean_elections_are_allowed_it_truncates_instead(told_with):
    told = told_with("hw", "unclean_election", EXITS)
    assert told.moments[19].event.sentence == (
        "Broker 0 truncates its log to the log end of broker 1, 0."
    )


def test_a_leader_that_has_written_enough_in_the_meantime_makes_it_continue(told_with):
    script = EXITS.replace("HandleListOffsets 1 0", "Produce 1\nHandleListOffsets 1 0", 1)
    told = told_with("hw", "", script)
    assert told.moments[20].event.sentence == (
        "The log of broker 1 now reaches the fetch offset of broker 0, which continues to fetch."
    )


def test_a_live_follower_that_is_fenced_keeps_its_leader(told_with):
    told = told_with("hw", "moves", "Fence 1")
    assert told.moments[1].event.sentence == (
        "Broker 1 is shutting down, or is considered dead; the controller removes it from the ISR: "
        "0 leads e1, isr {0}."
    )


def test_an_election_names_the_epochs_of_which_the_new_leader_has_records_to_apply(told_with):
    told = told_with(
        "kip-595",
        "replicas=3 moves elections=2 isr_propagation=records",
        "Produce 0\nProposeShrink 0 2\nHandleAlterPartition 0\nElect 1\nElect 0",
    )
    assert [told.moments[number].event.sentence for number in (4, 5)] == [
        "The controller elects broker 1, which is in the ISR {0,1}: 1 leads e1, isr {0,1}, fenced "
        "{}.",
        "The controller elects broker 0, which is in the ISR {0,1}: 0 leads e2, isr {0,1}, fenced "
        "{}; broker 0 has yet to apply records of e0.",
    ]


def test_what_a_line_replaces_is_a_line_of_its_kind(told_with):
    """A produce that begins to wait replaces no epoch cache."""
    changes = told_with("kip-101", "purgatory", "Produce 0").moments[1].changes
    texts = [change.text for change in changes if change.who == "broker 0"]
    assert "epoch cache: e0 from offset 0 (was: epoch cache: empty)" in texts
    assert "in purgatory: produce of m0 waits" in texts

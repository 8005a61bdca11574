"""Rules do as Kafka does where other protocols lead them, or the search says that they do not."""

from dataclasses import replace

import pytest

from tests.docs.tickets import EMPTY_CACHE, EMPTY_CACHE_2_1
from tidegate import Property, check, simulate
from tidegate.model import KIP_595, release
from tidegate.model.broker.actions import faults, isr_changes

WRAPPED = """
from dataclasses import replace

from tidegate.model import KIP_595
from tidegate.model.broker.actions import isr_changes


def handle(s, k, leader):
    if not isr_changes.handle_alter_partition(s, k, leader):
        return False
    s.partition.isr &= ~(1 << leader)
    return True


LOSING = replace(
    KIP_595, name="losing", parent=KIP_595, expected=(), actions=tuple(
        replace(action, apply=handle) if action.name == "HandleAlterPartition" else action
        for action in KIP_595.actions
    ),
)
"""

FORGETS = """
from dataclasses import replace

from tidegate import NONE
from tidegate.model import KIP_320
from tidegate.model.broker.actions import leader as leaders


def produce(s, k, leader):
    if not leaders.produce(s, k, leader):
        return False
    s.replica[leader].epoch_cache[s.replica[leader].epoch] = NONE
    return True


FORGETS = replace(
    KIP_320, name="forgets", parent=KIP_320, expected=(), actions=tuple(
        replace(action, apply=produce) if action.name == "Produce" else action
        for action in KIP_320.actions
    ),
)
"""


@pytest.mark.parametrize(
    ("protocol", "steps"), [(EMPTY_CACHE, None), (EMPTY_CACHE_2_1, 15)], ids=["2.8", "2.1"]
)
def test_a_follower_without_epochs_truncates_to_its_high_watermark(protocol, steps):
    """With kip-320 a bounce goes unnoticed, and what was committed is above the HW on the disk."""
    checked = check(protocol, {"records": 2, "crashes": 2, "elections": 2}, ["LogMatching"])
    assert checked.holds if steps is None else len(checked.trace_of("LogMatching")) - 1 == steps


def test_without_that_the_logs_diverge():
    def fetch_at_once(s, k, follower_):
        """Leave the log as it is."""

    rules = replace(EMPTY_CACHE.rules, begin_following=fetch_at_once)
    changed = replace(EMPTY_CACHE, rules=rules)
    checked = check(changed, {"records": 2, "crashes": 2, "elections": 2}, ["LogMatching"])
    assert len(checked.trace_of("LogMatching")) - 1 == 10


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(
    ("text", "rule", "steps"),
    [(WRAPPED, "handle_alter_partition", 3), (FORGETS, "cache_at_once", 1)],
)
def test_a_broken_assumption_is_no_verdict(tmp_path, engine, text, rule, steps):
    path = tmp_path / "changed.py"
    path.write_text(text)
    bounds = KRAFT if rule == "handle_alter_partition" else {"records": 1}
    checked = check(str(path), bounds, ["HwWithinLog"], engine=engine)
    broken = checked._result.broken_assumption
    assert (broken.steps, len(broken.trace.steps)) == (steps, steps)
    why = checked.undecided["HwWithinLog"]
    assert why.startswith(f"stopped by a broken assumption: {rule} assumes that")
    assert f"which step {steps}, {broken.trace.steps[-1]}, breaks" in why


def test_what_is_violated_before_is_a_verdict(tmp_path):
    path = tmp_path / "changed.py"
    path.write_text(WRAPPED)
    asks = Property("Asks", "Nobody asks.", "", lambda s, k: s.alter_partition[0].kind == 0)
    assert check(str(path), KRAFT, [asks]).violated == ("Asks",)


def test_no_verdict_names_what_holds_throughout():
    checked = check(KIP_595, {"records": 1, "crashes": 1}, ["HwWithinLog"])
    assert checked.holds
    assert "assume" not in str(checked)


def test_a_walk_that_breaks_an_assumption_says_so(tmp_path):
    path = tmp_path / "changed.py"
    path.write_text(WRAPPED)
    walked = simulate(str(path), {"isr_propagation": "kraft"}, ["TypeOk"], walks=2000, jobs=1)
    assert "assumes that the leader is in the ISR" in walked.undecided["TypeOk"]


KRAFT = {"isr_propagation": "kraft", "records": 1, "crashes": 1}
MOVED = {"moves": True, "records": 1, "crashes": 1, "elections": 2}


@pytest.mark.parametrize("name", ["3.3", pytest.param("3.4.1", marks=pytest.mark.slow)])
def test_a_request_from_before_a_registration_is_refused(name):
    protocol = release(name, "kraft")
    assert check(protocol, MOVED, ["NoAckedRecordLost"]).holds


def test_without_that_a_record_is_lost(monkeypatch):
    def note_registration(s, k, broker):
        """Mark this broker's epoch as old in the requests of others."""
        for leader in range(k.replicas):
            request = s.alter_partition[leader]
            if request.kind in (1, 2) and request.isr >> broker & 1:
                request.rebooted |= 1 << broker

    monkeypatch.setattr(faults, "note_registration", note_registration)
    checked = check(release("3.3", "kraft"), MOVED, ["NoAckedRecordLost"], engine="compiled")
    assert len(checked.trace_of("NoAckedRecordLost")) - 1 == 14
    assert isr_changes.note_registration is not note_registration


@pytest.mark.parametrize(("name", "steps"), [("2.0.0", 15), ("2.0.1", None)])
def test_2_0_0_knows_no_epoch_below_its_first(name, steps):
    bounds = {"records": 3, "crashes": 0, "elections": 2, "moves": True}
    checked = check(release(name), bounds, ["LogMatching"])
    assert checked.holds if steps is None else len(checked.trace_of("LogMatching")) - 1 == steps

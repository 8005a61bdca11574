"""Each property on one state that satisfies it and one that violates it."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from tests.behaviors import REPLICATED
from tidegate import invariants, model
from tidegate.invariants.broker import INVARIANTS, PROPERTIES
from tidegate.model.broker.family import BROKER
from tidegate.model.broker.messages import LIST_OFFSETS_RESPONSE


def forget_committed(s):
    """Let broker 1 lead epoch 1 with an empty log."""
    s.partition.leader, s.partition.epoch = 1, 1
    s.replica[0].leader = 1
    s.replica[1].leader, s.replica[1].epoch = 1, 1
    s.replica[1].hw = s.replica[1].leo = 0
    s.replica[1].log[0].record = s.replica[1].log[0].epoch = -1


def elect_1_without_its_log(s):
    """Name broker 1 leader of epoch 1, which it has not applied; its log is empty."""
    s.partition.leader, s.partition.epoch = 1, 1
    s.replica[1].hw = s.replica[1].leo = 0
    s.replica[1].log[0].record = s.replica[1].log[0].epoch = -1


def lose_it_everywhere(s):
    for replica in s.replica:
        replica.hw = replica.leo = 0
        replica.log[0].record = replica.log[0].epoch = -1


def follower_without_it(s):
    s.replica[1].hw = s.replica[1].leo = 0
    s.replica[1].log[0].record = s.replica[1].log[0].epoch = -1


def leader_with_another(s):
    s.replica[0].log[0].record = 1


def hw_back(s):
    s.replica[0].hw = 0


def leader_out_of_sync(s):
    s.partition.isr = 0b10


def other_record(s):
    s.replica[1].log[0].record = 1


def fenced_member(s):
    s.partition.fenced = 0b10


def two_leaders(s):
    s.replica[1].leader = 1


def hw_beyond_log(s):
    s.replica[1].leo = 0


def out_of_range(s):
    s.partition.epoch = 7


def start_above_its_hw(s):
    s.replica[1].failed = 1


def longer_than_its_leader(s):
    s.message[1].kind = LIST_OFFSETS_RESPONSE
    s.message[1].end_offset = 0


CASES = {
    "NoCommittedRecordLost": (forget_committed, r"m0 .*at offset 0.*acknowledged.*Broker 1"),
    "NoAckedRecordLost": (forget_committed, r"m0 .*acks=all.*offset 0.*Only replica 0"),
    "LeaderCompleteness": (
        elect_1_without_its_log,
        r"m0 was committed at offset 0.*Broker 1 is the elected leader.*log ends at 0",
    ),
    "LeaderCandidateCompleteness": (
        elect_1_without_its_log,
        r"m0 was committed at offset 0.*Broker 1 is a member of the ISR in epoch 1",
    ),
    "CommittedSomewhere": (lose_it_everywhere, r"m0 was committed at offset 0.*no replica"),
    "ConsistentRead": (leader_with_another, r"read m0 at offset 0.*broker 0.*now answers m1"),
    "HighWatermarkMonotonic": (hw_back, r"seen the high watermark at 1; broker 0.*has it at 0"),
    "ListedOffsetsMonotonic": (hw_back, r"returned 1 .*broker 0.*returns 0"),
    "NoReadRecordLost": (forget_committed, r"read m0 at offset 0.*epoch 0; broker 1.*epoch 1"),
    "EligibleIsr": (fenced_member, r"fenced broker 1.*in the ISR \{0,1\}"),
    "WeakIsr": (follower_without_it, r"m0 at offset 0; replica 1 .*own view of the ISR.*ends at 0"),
    "StrongIsr": (follower_without_it, r"replica 1 is in the partition state's ISR.*ends at 0"),
    "KnownLeaderInIsr": (leader_out_of_sync, r"names broker 0 leader.*its ISR is \{1\}\."),
    "LogMatchingEverywhere": (other_record, r"replica 0 has m0 and replica 1 has m1"),
    "LogMatching": (other_record, r"offset 0.*replica 0 has m0 and replica 1 has m1"),
    "EpochLogMatching": (other_record, r"differ at offset 0 \(m0 of epoch 0 and m1 of epoch 0\)"),
    "AtMostOneLeaderPerEpoch": (two_leaders, r"Brokers 0 and 1 both lead in leader epoch 0"),
    "HwWithinLog": (hw_beyond_log, r"Replica 1 has high watermark 1, but its log ends at 0"),
    "NoFetcherFails": (start_above_its_hw, r"above the high watermark of broker 1, 1: .*fails"),
    "NoBrokerExits": (longer_than_its_leader, r"broker 1 ends at offset 1.*broker 0, at 0\."),
    "TypeOk": (out_of_range, r"partition\.epoch is 7, declared 0\.\.1"),
}


def test_every_invariant_has_a_case():
    missing = {prop.name for prop in INVARIANTS} - set(CASES)
    assert not missing, f"write a state that violates {missing}, with its explanation, into CASES"


@pytest.mark.parametrize("file", sorted(Path(invariants.__file__).parent.glob("[!_]*.py")))
def test_a_family_has_every_property_of_a_file(file):
    importlib.import_module(name := f"tidegate.invariants.{file.stem}")
    declared = {
        prop.name
        for prop in BROKER.properties
        if (prop.witness or prop.predicate).__module__ == name
    }
    missing = declared - {prop.name for prop in PROPERTIES}
    assert not missing, f"{missing}: name {file.stem} in invariants/broker.py"


@pytest.mark.parametrize(
    "prop", [prop for prop in INVARIANTS if prop.name in CASES], ids=lambda prop: prop.name
)
def test_one_state_satisfies_it_and_one_violates_it(begin, prop):
    breaks, words = CASES[prop.name]
    options = {"EligibleIsr": "isr_propagation=kraft", "NoFetcherFails": "deletions=1"}
    behavior = begin("hw", f"records=2 {options.get(prop.name, '')}").follow(REPLICATED)
    system = behavior.system
    assert not system.violates(prop, behavior.state)

    system.layout.load(behavior.state)
    breaks(system.record)
    assert system.judge([prop])() == [prop]
    violating = system.layout.dump()
    assert re.search(words, system.explain(prop, violating))


@pytest.mark.parametrize("prop", INVARIANTS, ids=lambda prop: prop.name)
def test_it_says_what_it_says_and_where_it_is_from(prop):
    assert prop.statement.endswith(".")
    assert prop.source


def test_a_committed_record_that_follows_a_lost_one_is_distinguished_from_it(begin):
    """What another leader has at the offset is named."""
    behavior = begin("hw", "records=3 crashes=1 power_losses=1")
    behavior.follow(REPLICATED)
    behavior.follow("LosePower 1 0\nRestart 1\nCrash 0\nElect 1\nBecomeLeader 1 1\nProduce 1")
    [prop] = [p for p in INVARIANTS if p.name == "NoCommittedRecordLost"]
    assert "with m1 at that offset instead" in behavior.system.explain(prop, behavior.state)


def test_no_guard_and_no_rule_reads_history():
    """Auxiliary variables are written by the history module; properties and pictures read them."""
    files = [*(Path(model.__file__).parent / "broker").rglob("*.py")]
    assert len(files) > 5
    for file in files:
        tree = ast.parse(file.read_text("utf-8"))
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        read = {name for name in names if name.startswith("aux_")}
        # What a consumer has read is where it goes on; no broker sees that.
        by_file = file.name in ("consumer.py", "history.py", "scenes.py")
        allowed = by_file or file.parent.name == "presentation"
        assert allowed or not read, f"{file} reads {read}"

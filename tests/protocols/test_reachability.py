"""What a toy could not do: each of these can happen, and a witness shows how.

A probe looks at a step and the states around it; the witness is the first step that it accepts in
a breadth-first search, and the behavior that leads there.
"""

import pytest

from tidegate.core.fields import NONE
from tidegate.model.broker.leadership import leads
from tidegate.model.broker.messages import FETCH_RESPONSE, IDLE, OUT_OF_RANGE


def snapshot(system, state):
    """Return what the probes look at, since the record itself is reused."""
    return system.layout.describe(state)


def find_witness(system, actions, probe):
    """Return the steps of a shortest behavior that ends in a step which `probe` accepts."""
    parents = dict.fromkeys(system.initial_states())
    frontier = list(parents)
    while frontier:
        following = []
        for state in frontier:
            for index, successor in list(system.successors(state)):
                step = system.instances[index].step
                if step.action in actions:
                    before, after = snapshot(system, state), snapshot(system, successor)
                    arguments = dict(zip(step.parameters, step.arguments, strict=True))
                    if probe(before, arguments, after):
                        return [*path(parents, state), step]
                if successor not in parents:
                    parents[successor] = (state, step)
                    following.append(successor)
        frontier = following
    return None


def path(parents, state):
    """Return the steps that lead to a state."""
    steps = []
    while parents[state] is not None:
        state, step = parents[state]
        steps.append(step)
    return steps[::-1]


def response_overtaken_by_a_crash(before, step, after):
    message = before["message"][1 - step["broker"]]
    return message["kind"] == "fetch response" and message["records"][0]["record"] != NONE


def stale_leader_and_isr_taken_up_late(before, step, after):
    return step["epoch"] < before["partition"]["epoch"]


def bounce_that_nobody_notices(before, step, after):
    broker, partition = step["broker"], before["partition"]
    return partition["epoch"] == 0 and broker in partition["isr"] and partition["leader"] != broker


def append_by_a_zombie_leader(before, step, after):
    leader, partition = step["leader"], before["partition"]
    older = before["replica"][leader]["epoch"] < partition["epoch"]
    return older and partition["leader"] != leader


def suffix_cut_by_a_power_loss(before, step, after):
    return 0 < step["kept"] < before["replica"][step["broker"]]["leo"]


def restart_from_an_old_checkpoint(before, step, after):
    broker = step["broker"]
    return after["replica"][broker]["hw"] < before["replica"][broker]["hw"]


def fetch_out_of_range(before, step, after):
    return after["message"][step["follower"]]["kind"] == "offset out of range"


def metadata_taken_up_twice_after_a_restart(before, step, after):
    """All brokers have applied epoch 0 at first."""
    return step["epoch"] == 0


def late_fetch_of_a_dead_follower(before, step, after):
    return not before["replica"][step["follower"]]["alive"]


def request_lost_by_the_network(before, step, after):
    return before["message"][step["follower"]]["kind"] == "fetch request"


def election_with_an_outdated_cache(before, step, after):
    return before["controller"]["isr"] != before["partition"]["isr"]


def write_to_a_former_leader_that_metadata_still_names(before, step, after):
    leader, partition = step["leader"], before["partition"]
    return partition["leader"] not in (leader, NONE) and before["producer"]["leader"] == leader


def read_from_a_former_leader(before, step, after):
    return before["partition"]["leader"] not in (step["leader"], NONE)


def client_with_older_metadata_than_before(before, step, after):
    return (
        before["producer"]["leader"] == before["partition"]["leader"] != after["producer"]["leader"]
    )


def change_that_is_never_announced(before, step, after):
    return bool(before["replica"][step["broker"]]["change_set"])


def notification_that_is_read_twice(before, step, after):
    return before["controller"]["handling"] != "nothing" and after["controller"]["notification"]


def second_change_after_a_notification_in_progress(before, step, after):
    return before["controller"]["handling"] != "nothing"


def change_of_the_isr_that_a_dead_leader_asked_for(before, step, after):
    asked = before["alter_partition"][step["leader"]]["kind"]
    return "died" in asked and before["partition"]["isr"] != after["partition"]["isr"]


def commit_while_a_change_is_pending(before, step, after):
    replica = before["replica"][step["leader"]]
    pending = replica["proposed"] - replica["isr"]
    return pending and after["replica"][step["leader"]]["hw"] > replica["hw"]


def change_that_commits(before, step, after):
    leader = step["leader"]
    return after["replica"][leader]["hw"] > before["replica"][leader]["hw"]


def append_that_a_lone_leader_commits(before, step, after):
    leader = step["leader"]
    alone = before["replica"][leader]["isr"] == {leader}
    return alone and after["replica"][leader]["hw"] > before["replica"][leader]["hw"]


def answered(kind):
    """Return a probe for a response of that kind."""

    def probe(before, step, after):
        return kind in after["alter_partition"][step["leader"]]["kind"]

    return probe


def refused_for_a_registration_since_its_fetch(before, step, after):
    request = before["alter_partition"][step["leader"]]
    fenced = request["isr"] & before["partition"]["fenced"]
    return request["rebooted"] and not fenced and answered("ineligible")(before, step, after)


ZOOKEEPER, KRAFT = "isr_propagation=zookeeper", "isr_propagation=kraft"

PROBES = [
    (election_with_an_outdated_cache, "kip-320", ZOOKEEPER, ["Elect"]),
    (
        write_to_a_former_leader_that_metadata_still_names,
        "kip-320",
        f"{ZOOKEEPER} moves",
        ["Produce"],
    ),
    (read_from_a_former_leader, "kip-320", f"{ZOOKEEPER} moves", ["Consume"]),
    (client_with_older_metadata_than_before, "kip-320", f"{ZOOKEEPER} moves", ["RefreshProducer"]),
    (change_that_is_never_announced, "kip-320", ZOOKEEPER, ["Crash"]),
    (
        notification_that_is_read_twice,
        "kip-320",
        f"{ZOOKEEPER} controller_crashes=1",
        ["CrashController"],
    ),
    (second_change_after_a_notification_in_progress, "kip-320", ZOOKEEPER, ["WriteNotification"]),
    (change_that_commits, "kip-320", "", ["ShrinkIsr"]),
    (change_that_commits, "kip-320", "", ["BecomeLeader"]),
    (append_that_a_lone_leader_commits, "kip-320", "", ["Produce"]),
    (change_that_commits, "kip-320", ZOOKEEPER, ["ShrinkIsr"]),
    (change_that_commits, "kip-320", KRAFT, ["HandleAlterPartitionResponse"]),
    (
        change_of_the_isr_that_a_dead_leader_asked_for,
        "kip-320",
        KRAFT,
        ["HandleAlterPartition"],
    ),
    (commit_while_a_change_is_pending, "kip-320", KRAFT, ["HandleFetch"]),
    (answered("outdated"), "kip-320", f"{KRAFT} moves", ["HandleAlterPartition"]),
    (answered("ineligible"), "kip-320", KRAFT, ["HandleAlterPartition"]),
    (
        refused_for_a_registration_since_its_fetch,
        "kip-320",
        KRAFT,
        ["HandleAlterPartition"],
    ),
    (response_overtaken_by_a_crash, "hw", "", ["Crash"]),
    (stale_leader_and_isr_taken_up_late, "kip-101", "elections=2", ["BecomeFollower"]),
    (stale_leader_and_isr_taken_up_late, "kip-101", "elections=2", ["BecomeLeader"]),
    (bounce_that_nobody_notices, "hw", "", ["Restart"]),
    (append_by_a_zombie_leader, "kip-101", "moves", ["Produce"]),
    (suffix_cut_by_a_power_loss, "hw", "power_losses=1 crashes=0", ["LosePower"]),
    (restart_from_an_old_checkpoint, "hw", "hw_checkpoint=step crashes=1", ["Crash"]),
    (fetch_out_of_range, "hw", "", ["HandleFetch"]),
    (fetch_out_of_range, "kip-101", "power_losses=1 unclean_election", ["HandleFetch"]),
    (metadata_taken_up_twice_after_a_restart, "hw", "", ["BecomeFollower"]),
    (late_fetch_of_a_dead_follower, "hw", "late_request", ["HandleLateFetch"]),
    (request_lost_by_the_network, "hw", "lost_messages=1", ["LoseMessage"]),
]


@pytest.mark.parametrize(("probe", "protocol", "settings", "actions"), PROBES)
def test_it_can_happen(system, begin, probe, protocol, settings, actions):
    steps = find_witness(system(protocol, settings), actions, probe)
    assert steps is not None
    behavior = begin(protocol, settings)
    for step in steps[:-1]:
        behavior.take(step.action, *step.arguments)
    before = snapshot(behavior.system, behavior.state)
    behavior.take(steps[-1].action, *steps[-1].arguments)
    after = snapshot(behavior.system, behavior.state)
    last = dict(zip(steps[-1].parameters, steps[-1].arguments, strict=True))
    assert probe(before, last, after)


def test_a_zombie_needs_a_leader_that_the_controller_replaced(system):
    """With 2 replicas and no suspicion, only a broker that lost its memory is ever replaced."""
    small = system("kip-101", "records=1 elections=1")
    assert find_witness(small, ["Produce"], append_by_a_zombie_leader) is None


def test_before_kip_380_a_bounced_leader_leads_the_same_epoch_again(begin):
    """A controller failover sends LeaderAndIsr to every live broker, with the stored ISR."""
    behavior = begin("kip-320", "crashes=1 elections=1")
    behavior.follow("Produce 0\nShrinkIsr 0 1\nCrash 0\nRestart 0")
    assert not behavior.can("Elect", 0), "the controller sees that the leader lives"
    behavior.take("BecomeLeader", 0, 0)
    assert leads(behavior.record, 0)
    assert behavior.record.replica[0].isr == 0b01


def test_an_old_leader_and_isr_has_the_isr_of_its_time(begin):
    behavior = begin("kip-320", "crashes=1 stale_leader_and_isr")
    behavior.follow("Produce 0\nShrinkIsr 0 1\nCrash 0\nRestart 0\nBecomeLeader 0 0")
    assert behavior.record.replica[0].isr == 0b11


def test_since_kip_380_a_bounce_is_noticed(begin):
    """It is a failure and a startup: a new election, and a member leaves the ISR."""
    behavior = begin("kip-595", "crashes=1 elections=2").take("Crash", 0)
    assert not behavior.can("Restart", 0)
    behavior.follow("Fence 0\nRestart 0\nElect 1\nBecomeLeader 1 2")
    assert behavior.record.partition.isr == 0b10


def test_an_epoch_without_a_leader_is_ignored_except_with_kraft(begin):
    """A former leader leads on with ZooKeeper, and steps down with KRaft."""
    with_zookeeper = begin("kip-595", "moves").take("Fence", 0)
    assert not with_zookeeper.can("BecomeFollower", 0, 1)
    with_kraft = begin("kip-595", "moves isr_propagation=kraft").take("Fence", 0)
    assert not leads(with_kraft.take("BecomeFollower", 0, 1).record, 0)


def test_a_live_follower_that_is_fenced_leaves_the_isr_and_the_leader_stays(begin):
    behavior = begin("hw", "moves").take("Fence", 1)
    partition = behavior.record.partition
    assert (partition.leader, partition.isr, partition.epoch) == (0, 0b01, 1)


@pytest.mark.parametrize(
    ("protocol", "skips_next", "skips_later"),
    [("hw", True, True), ("kip-279", True, False), ("kip-320", False, False)],
)
def test_which_epochs_of_the_same_leader_a_follower_skips(begin, protocol, skips_next, skips_later):
    """0.8.2.0 to 2.0.0: every one; 2.0.1: the very next one; since 2.1 none (KAFKA-7164)."""
    fetching = "SendFetch 0 1\nFence 2\n"
    behavior = begin(protocol, "replicas=3 moves elections=3")
    behavior.follow(fetching + "BecomeFollower 1 1")
    assert (behavior.record.message[1].kind != IDLE) is skips_next
    behavior = begin(protocol, "replicas=3 moves elections=3")
    behavior.follow(fetching + "Elect 1\nElect 0\nBecomeFollower 1 3")
    assert (behavior.record.message[1].kind != IDLE) is skips_later


@pytest.mark.parametrize(("protocol", "resets"), [("kip-320", False), ("kip-595-reset", True)])
def test_who_leads_already_keeps_its_remote_leos_across_a_missed_epoch(begin, protocol, resets):
    behavior = begin(protocol, "records=1 moves elections=2").follow(
        "Produce 0\nSendFetch 0 1\nHandleFetch 0 1\nHandleFetchResponse 0 1\n"
        "SendFetch 0 1\nHandleFetch 0 1\nElect 1\nElect 0\nBecomeLeader 0 2"
    )
    assert behavior.record.replica[0].remote_leo[1] == (0 if resets else 1)


def test_what_waits_is_acknowledged_in_a_later_epoch_of_the_same_leader(begin):
    behavior = begin("hw", "records=1 moves").follow("Produce 0\nFence 1\nBecomeLeader 0 1")
    assert behavior.record.aux_acked[0].epoch == 1


def test_before_kip_320_a_follower_with_the_whole_log_may_leave_the_isr(begin):
    assert begin("kip-279").can("ShrinkIsr", 0, 1)
    assert not begin("kip-320").can("ShrinkIsr", 0, 1)


def test_the_responses_before_kafka_7104_carry_the_newer_high_watermark(begin):
    steps = (
        "Produce 0\nSendFetch 0 1\nHandleFetch 0 1\nHandleFetchResponse 0 1\nProduce 0\n"
        "SendFetch 0 1\nHandleFetch 0 1"
    )
    assert begin("kip-101").follow(steps).record.message[1].hw == 0
    older = begin("kip-101~hw_with_records = after_the_fetch").follow(steps)
    assert older.record.message[1].hw == 1


def test_what_is_under_way_dies_with_either_end(begin):
    for broker in (0, 1):
        behavior = begin("hw").follow("Produce 0\nSendFetch 0 1\nHandleFetch 0 1")
        assert behavior.record.message[1].kind == FETCH_RESPONSE
        assert behavior.take("Crash", broker).record.message[1].kind != FETCH_RESPONSE


def test_out_of_range_does_not_update_the_follower_state(begin):
    """A fetch above the leader's log end sets no remote LEO."""
    behavior = begin("hw").follow(
        """
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
        """
    )
    assert behavior.record.message[0].kind == OUT_OF_RANGE
    assert behavior.record.replica[1].remote_leo[0] == 0

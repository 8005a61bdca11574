"""What a toy could not do: each of these can happen, and a witness shows how.

A probe looks at a step and the states around it; the witness is the first step that it accepts in
a breadth-first search, and the behavior that leads there.
"""

import pytest

from tidegate.core.layout import NONE
from tidegate.model.broker.leadership import leads
from tidegate.model.broker.messages import FETCH_RESPONSE, OUT_OF_RANGE


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
    return before["replica"][step["follower"]]["restarted"] and step["epoch"] == 0


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
    (append_by_a_zombie_leader, "kip-101", "replicas=3 records=1 elections=2", ["Produce"]),
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


def test_a_restarted_leader_never_resumes_its_epoch(begin):
    """KIP-380: it refuses the epoch it went down in, until it is elected again."""
    behavior = begin("kip-320", "crashes=1 elections=1").follow("Crash 0\nRestart 0")
    assert not behavior.can("BecomeLeader", 0, 0)
    behavior.take("Elect", 0).take("BecomeLeader", 0, 1)
    assert leads(behavior.record, 0)


def test_stale_leader_and_isr_lets_it_resume(begin):
    behavior = begin("kip-320", "crashes=1 stale_leader_and_isr").follow("Crash 0\nRestart 0")
    assert behavior.can("BecomeLeader", 0, 0)


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

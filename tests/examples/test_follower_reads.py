"""Follower reads add what a consumer has read, and take nothing away from KIP-595."""

from pathlib import Path

from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for
from tidegate.model import KIP_595

EXAMPLE = Path(__file__).parents[2] / "examples" / "follower_reads.py"
SETTINGS = ["records=1", "crashes=1"]


def _states(protocol):
    """Return every state, as people see it, without what the consumer has read."""
    system = system_for(protocol, SETTINGS, [])
    reached = set(system.initial_states())
    todo = list(reached)
    while todo:
        for _, successor in list(system.successors(todo.pop())):
            if successor not in reached:
                reached.add(successor)
                todo.append(successor)
    shown = [system.layout.describe(state) for state in reached]
    return len(shown), {str({**state, "consumed": None}) for state in shown}


def test_without_the_reads_its_states_are_those_of_kip_595():
    count, states = _states(find_protocol(str(EXAMPLE)))
    plain, expected = _states(KIP_595)
    assert states == expected
    assert plain == len(expected) < count

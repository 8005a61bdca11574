"""Each rule decides something with every option with which the reference says that it is asked."""

from dataclasses import fields, replace
from random import Random

import pytest

from tidegate.core.fields import NONE
from tidegate.core.spec import TidegateError
from tidegate.library.names import find_protocol
from tidegate.library.properties import with_every_history
from tidegate.model.broker.asked import where_asked
from tidegate.model.broker.rules import Rules

ROUNDS, STEPS, LENGTH = 30, 1500, 40
"""How often each protocol is walked through, the steps of that, and those of one walk."""

PROPAGATION = ("instant", "zookeeper", "kraft", "records")

FUNCTIONS = [one.name for one in fields(Rules) if callable(one.default)]

WRITING = {
    "begin_following", "drop_in_flight", "assign_epoch", "begin_leading", "truncate_by_answer",
    "without_leader",
}  # fmt: skip
"""The rules that write to the state: a constant answer in their place writes nothing."""

BASE = (
    ("hw", "records=1 elections=2 crashes=0 power_losses=1"),
    ("kip-279", "records=1 elections=2 crashes=0 moves"),
    ("kip-595-reset", "records=2 elections=2 crashes=0 moves"),
)

GROUPS = {
    **{(one,): (f"isr_propagation={one}", BASE) for one in PROPAGATION},
    **{
        (one, "deletions"): (
            f"isr_propagation={one} deletions=1",
            (
                ("hw", "records=1 elections=1 crashes=0 moves"),
                ("kip-595", "records=1 elections=0 crashes=0 power_losses=1"),
                ("kip-595", "records=2 elections=2 crashes=0 moves"),
            ),
        )
        for one in PROPAGATION
    },
    **{
        (one, "elr"): (
            f"isr_propagation={one} elr last_known_leader",
            (("kip-595", "replicas=1 records=0 elections=2 crashes=1"),),
        )
        for one in PROPAGATION
    },
    **{
        (one, "hw_waits"): (
            f"isr_propagation={one} hw_waits",
            (("hw", "records=0 elections=1 crashes=0 moves"),),
        )
        for one in PROPAGATION[:2]
    },
    **{
        (one, "late_request"): (
            f"isr_propagation={one} late_request",
            (("kip-595", "records=1 elections=1 crashes=0 power_losses=1"),),
        )
        for one in PROPAGATION[2:]
    },
    ("records", "reassignments"): (
        "isr_propagation=records reassignments=1 spare_broker elr",
        (("kip-595", "records=0 elections=1 crashes=0 min_isr=2"),),
    ),
    ("instant", "purgatory"): ("purgatory", BASE),
}
"""Options, with the protocols and bounds that show what rules decide there."""


def answers(rule, k):
    """Return the constant answers of a rule: yes and no, or the ends of its range."""
    everyone = (1 << k.replicas) - 1
    kind = str(Rules.__annotations__[rule]).rpartition(", ")[2]
    if kind.startswith("None"):
        return (None,)
    if kind.startswith("bool"):
        return (True, False)
    if "tuple" in str(Rules.__annotations__[rule]):
        return ((NONE, NONE), (k.elections, k.log_size))
    is_set = rule.startswith(("isr_", "eligible_"))
    return (0, everyone if is_set else k.log_size)


def constant(answer, rule):
    """Return a rule that always answers the same, in whose place the state is the same."""

    def answering(*arguments):
        return answer

    answering.__wrapped__ = rule
    return answering


class Decisions:
    """What the rules of a protocol decide: each is replaced by each constant answer.

    A rule decides something if in some state a step leads elsewhere by such an answer, or is
    enabled or not.  Histories that only properties read are part of the state.
    """

    def __init__(self, protocol, settings):
        self.protocol, self.settings = find_protocol(protocol), settings.split()
        self.found, self.seen, self.calls = set(), set(), []
        rules = self.protocol.rules
        self.noting = self.system({one: self.noted(one, getattr(rules, one)) for one in FUNCTIONS})
        k = self.noting.constants
        self.others = {
            one: [
                (answer, self.system({one: constant(answer, getattr(rules, one))}))
                for answer in answers(one, k)
            ]
            for one in FUNCTIONS
        }
        [self.initial] = self.noting.initial_states()
        self.state, self.length, self.chance = self.initial, 0, Random(0)

    def system(self, changed):
        rules = replace(self.protocol.rules, **changed)
        return with_every_history(replace(self.protocol, rules=rules), self.settings)

    def noted(self, name, rule):
        def ask(*arguments):
            answer = rule(*arguments)
            self.calls.append((name, answer))
            return answer

        ask.__wrapped__ = rule
        return ask

    def walk(self):
        """Walk on at random, and look in each new state."""
        for _ in range(STEPS):
            self.calls.clear()
            steps = list(self.noting.successors(self.state))
            if self.state not in self.seen:
                self.seen.add(self.state)
                self.compare(self.state, steps)
            self.length += 1
            if not steps or self.length == LENGTH:
                self.state, self.length = self.initial, 0
            else:
                self.state = self.chosen(steps)

    def chosen(self, steps):
        """Choose an action, and then a step: one with many choices is not taken more often."""
        by_action = {}
        for index, successor in steps:
            name = self.noting.instances[index].action.name
            by_action.setdefault(name, []).append(successor)
        return self.chance.choice(by_action[self.chance.choice(list(by_action))])

    def compare(self, state, steps):
        said = {}
        for name, answer in self.calls:
            said.setdefault(name, set()).add(answer)
        for name, given in said.items():
            for answer, other in self.others.get(name, ()):
                if (name in WRITING or given != {answer}) and self.steps(other, state) != steps:
                    self.found.add(name)
                    del self.others[name]
                    break

    def steps(self, system, state):
        try:
            return list(system.successors(state))
        except (TidegateError, LookupError):
            # The answer leads to what no state can hold.
            return None

    @property
    def asked(self):
        """The rules that are said to be asked in this protocol with these options."""
        on = {one.partition("=")[0]: one.partition("=")[2] or "on" for one in self.settings}
        rules = self.protocol.rules
        return {
            one
            for one in FUNCTIONS
            if where_asked(one).has_options(on) and where_asked(one).has_protocol(rules)
        }


SLOW = ("instant",), ("records",), *((one, "deletions") for one in PROPAGATION if one != "kraft")
"""What .ci/run leaves out: the others ask the same rules in most of the same steps."""


@pytest.mark.parametrize(
    "group",
    [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in GROUPS],
    ids=" ".join,
)
def test_each_rule_decides_something_where_it_is_said_to_be_asked(group):
    settings, systems = GROUPS[group]
    options = set(group[1:]) - {"purgatory"}
    of_group = {
        one
        for one in FUNCTIONS
        if options & {*where_asked(one).options} or not (options or where_asked(one).options)
    }
    decided = [Decisions(protocol, f"{settings} {bounds}") for protocol, bounds in systems]
    wanted = set().union(*(one.asked for one in decided)) & of_group
    assert wanted
    found = set()
    for one in decided * ROUNDS:
        one.walk()
        assert one.found <= one.asked, f"{one.settings}: {sorted(one.found - one.asked)} decide"
        found |= one.found
        if wanted <= found:
            break
    assert wanted <= found, f"{sorted(wanted - found)} decide nothing with {settings}"

"""What a sentence claims beside the change of a step is so in the state, whatever the rules are."""

import random
import re
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace

import pytest

from tidegate.core.fields import NONE
from tidegate.core.spec import ModelError
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol
from tidegate.library.properties import with_every_history
from tidegate.model import KIP_101, KIP_320, KIP_595
from tidegate.model.broker.rules import explained

WALKS, STEPS = 25, 40


def proposed_alone(s, k, leader):
    """Wait for the proposed ISR only."""
    return s.replica[leader].proposed or s.replica[leader].isr


def nobody(s, k, leader):
    """Wait for the leader alone."""
    return 1 << leader


def always(s, k, *_):
    """Decide everything by yes."""
    return True


def never(s, k, *_):
    """Decide everything by no."""
    return False


def all_but_the_first(s, k, broker, epoch):
    """Drop every entry of the epoch cache but the new one."""
    for cached in range(k.elections + 1):
        s.replica[broker].epoch_cache[cached] = NONE
    s.replica[broker].epoch_cache[epoch] = s.replica[broker].leo


def keep_all(s, k, broker, epoch):
    """Contradict nothing."""
    s.replica[broker].epoch_cache[epoch] = s.replica[broker].leo


def nobody_in_sync(s, k):
    """Elect from the ELR whoever is in the ISR."""
    return 0


KRAFT = ("records=2", "isr_propagation=kraft")
RECORDS = ("records=2", "isr_propagation=records", "elections=2")
ELR = ("replicas=3", "min_isr=2", "elr", "power_losses=1", "elections=2")

CHANGED = [
    (KIP_595, {"isr_for_hw": proposed_alone}, KRAFT),
    (KIP_595, {"isr_for_hw": nobody}, RECORDS),
    (KIP_320, {"isr_for_hw": nobody}, ("records=2", "hw_waits", "purgatory")),
    (KIP_595, {"has_committed": always, "has_epoch_start": always}, ("replicas=3", "moves")),
    (KIP_595, {"diverges": always}, ("records=2", "elections=2", "moves")),
    (KIP_595, {"assign_epoch": all_but_the_first}, ("elections=3", "moves")),
    (KIP_320, {"assign_epoch": keep_all}, ("elections=3", "moves")),
    (KIP_320, {"isr_for_election": nobody_in_sync}, ELR),
    (KIP_101, {"has_new_leader": never, "may_lag": always}, ("elections=3", "moves")),
]
"""Protocols with rules of our own, and bounds at which these decide."""


def values(system, state):
    """Return a state as a record of its own."""
    system.layout.load(state)
    return deepcopy(system.record)


def entries(replica):
    """Return what is in a log, by offset."""
    held = range(replica.start, replica.leo)
    return {at: (replica.log[at].record, replica.log[at].epoch) for at in held}


def members(text):
    return [int(number) for number in text.strip("{}").split(",") if number]


def lost(s, member, leader):
    """Return the names of what a log lacks of what is below the leader's high watermark."""
    mine, start = entries(s.replica[member]), s.replica[member].start
    held = entries(s.replica[leader]).items()
    below = {at: entry for at, entry in held if start <= at < s.replica[leader].hw}
    return [f"m{entry[0]}" for at, entry in below.items() if mine.get(at) != entry]


def have_all(match, step, before, after):
    leader = step.chosen["leader"]
    sets = after.partition.isr, after.replica[leader].isr
    return not [
        n
        for isr in sets
        for n in range(len(after.replica))
        if isr >> n & 1 and lost(after, n, leader)
    ]


def lack(match, step, before, after):
    leader, isr = step.chosen["leader"], members(match[3])
    bits = after.partition.isr if match[2] == "the" else after.replica[leader].isr
    named = {int(n): re.findall(r"m\d", text) for n, text in re.findall(MISSED, match[1])}
    missed = {n: lost(after, n, leader) for n in isr if lost(after, n, leader)}
    return bits == sum(1 << n for n in isr) and named == missed != {}


MISSED = r"broker (\d) lacks ((?:m\d \(e\d\)(?:, )?)+)"
CLAIMS = {
    r"every ISR member has the records below": have_all,
    r"although (broker \d lacks .*?) \((the|its) ISR is (\{[\d,]*\})\)": lack,
    r"(raises|lowers) its HW from (\d) to (\d)": lambda m, step, before, after: (
        (before.replica[step.chosen["leader"]].hw, after.replica[step.chosen["leader"]].hw)
        == (int(m[2]), int(m[3]))
        and (m[1] == "raises") == (int(m[3]) > int(m[2]))
    ),
    r"Broker (\d) (?:sets|leaves) the remote LEO of broker (\d) (?:to|at) (\d)": (
        lambda m, step, before, after: after.replica[int(m[1])].remote_leo[int(m[2])] == int(m[3])
    ),
    r"which lags|because broker \d lags": lambda m, step, before, after: (
        before.replica[step.chosen["leader"]].remote_leo[step.chosen["follower"]]
        != before.replica[step.chosen["leader"]].leo
    ),
    r"[Nn]o (?:leader )?epoch begins|The leader, the ISR and the epoch stay": (
        lambda m, step, before, after: before.partition.epoch == after.partition.epoch
    ),
    r"The logs (diverge|do not diverge)": lambda m, step, before, after: (
        (m[1] == "diverge")
        == bool(
            entries(before.replica[step.chosen["follower"]]).items()
            - entries(before.replica[step.chosen["leader"]]).items()
        )
    ),
    r"epoch cache of broker (\d) drops ([^:;.]*): it keeps no entry that starts at the log end": (
        lambda m, step, before, after: all(
            int(start) >= after.replica[int(m[1])].leo
            for start in re.findall(r"from offset (\d)", m[2])
        )
    ),
    r"which drops ([^(;.]*) \(not before offset (\d)": lambda m, step, before, after: all(
        int(start) >= int(m[2]) for start in re.findall(r"from offset (\d)", m[1])
    ),
    r"removes it from (leadership)?(?: and )?(the ISR)?:": lambda m, step, before, after: (
        (before.partition.leader != after.partition.leader) == bool(m[1])
        and (before.partition.isr != after.partition.isr) == bool(m[2])
    ),
    r"Its leader stays the same": lambda m, step, before, after: (
        before.replica[step.chosen["follower"]].leader
        == after.replica[step.chosen["follower"]].leader
    ),
    r"passed m(\d), whose produce": lambda m, step, before, after: (
        int(m[1])
        in [
            entry[0]
            for at, entry in entries(after.replica[step.chosen["leader"]]).items()
            if at < after.replica[step.chosen["leader"]].hw
        ]
    ),
}
"""What a sentence may claim, each with how the states show it."""


def check_claims(protocol, settings, seed, walks=WALKS):
    """Take random walks; return how often each claim was made, each time truly."""
    system = with_every_history(protocol, settings)
    dice, made = random.Random(seed), Counter()
    for _ in range(walks):
        state = next(iter(system.initial_states()))
        for _ in range(STEPS):
            following = []
            # A mutant may write a value out of range: then there is no state to describe.
            with suppress(ModelError):
                following += system.successors(state)
            if not following:
                break
            number, successor = dice.choice(following)
            step = system.instances[number].step
            told = system.event(step, *system.scenes([state, successor])).sentence
            matches = {claim: match for claim in CLAIMS if (match := re.search(claim, told))}
            made.update(matches.keys())
            if matches:
                before, after = (values(system, one) for one in (state, successor))
            for claim, match in matches.items():
                assert CLAIMS[claim](match, step, before, after), (str(step), told)
            assert "waits for both" not in told
            state = successor
    return made


def test_a_claim_is_true_of_the_state_under_a_changed_rule():
    made = Counter()
    for parent, rules, bounds in CHANGED:
        own = replace(parent.rules, **rules)
        made += check_claims(replace(parent, name="changed", parent=parent, rules=own), bounds, 7)
    assert made.keys() == CLAIMS.keys()


def test_which_members_lack_records_is_said_under_the_rule_of_an_engineer():
    rules = replace(KIP_595.rules, isr_for_hw=proposed_alone)
    changed = replace(KIP_595, name="changed", parent=KIP_595, rules=rules)
    lacking = next(claim for claim in CLAIMS if claim.startswith("although"))
    assert check_claims(changed, KRAFT, seed=7)[lacking] > 3
    assert check_claims(KIP_595, KRAFT, seed=7)[lacking] == 0


@pytest.mark.parametrize("name", ["kip-101", "kip-320", "kip-595"])
def test_a_claim_is_true_of_the_state_under_a_mutant(name):
    for number, mutant in enumerate([*mutants(find_protocol(name))][::7]):
        check_claims(mutant.protocol, ("records=2", "elections=2"), number, walks=1)


@pytest.mark.parametrize("rule", ["assign_epoch", "truncates_cache"])
def test_the_legend_states_a_rule_only_where_it_is_kafkas(rule):
    changed = replace(
        KIP_595, name="changed", parent=KIP_595, rules=replace(KIP_595.rules, **{rule: keep_all})
    )
    systems = [with_every_history(protocol, ["records=1"]) for protocol in (KIP_595, changed)]
    kafkas, ours = (
        " ".join(system.legends(system.scenes([next(iter(system.initial_states()))])))
        for system in systems
    )
    said = explained(getattr(KIP_595.rules, rule)).partition(": ")[2]
    assert said
    assert said in kafkas
    assert said not in ours

"""What the laboratory searches: examples, brokers, and models of what was compiled wrongly once."""

from dataclasses import dataclass

HERE = "tests/miscompiled/models"


@dataclass(frozen=True)
class Case:
    """A search.

    Attributes
    ----------
    tier
        Which tier of machine code gets the defect: ``first``, or ``second``.
    optimise_from
        Distinct states from which on there is a second tier.
    """

    name: str
    model: str
    bounds: str = ""
    symmetry: bool = False
    keep_going: bool = False
    tier: str = "first"
    optimise_from: int = 1 << 60


FIRST = [
    Case("sums", f"{HERE}/sums.py", "most=120"),
    Case("remainders", f"{HERE}/remainders.py", "most=60"),
    Case("rounds", f"{HERE}/rounds.py", "most=9 weight=4"),
    Case("leases", f"{HERE}/leases.py", "nodes=2 time=10"),
    Case("paxos", "examples/paxos.py"),
    Case("raft", "examples/raft.py", "terms=2", keep_going=True),
    Case("two-phase", "examples/two_phase_commit.py", "managers=5"),
    Case("ewd998", "examples/ewd998.py", "sum=1"),
    Case("ring", "examples/chang_roberts.py", "nodes=5"),
    Case("mutex", "examples/lamport_mutex.py", "clock=4"),
    Case("philosophers", "examples/dining_philosophers.py", "philosophers=8", keep_going=True),
    Case("hw", "hw", "records=1 elections=2", keep_going=True),
    Case("kip-101", "kip-101", "records=1"),
    Case("kip-320", "kip-320", "records=1 elections=2"),
    Case("kip-595", "kip-595", "records=1 elections=2"),
    Case(
        "published",
        "tidegate.examples.published:kip_320",
        "replicas=3 records=1 max_leader_epoch=1",
    ),
    Case(
        "published-symmetric",
        "tidegate.examples.published:kip_320",
        "replicas=3 records=1 max_leader_epoch=2",
        symmetry=True,
    ),
    Case("two-phase-symmetric", "examples/two_phase_commit.py", "managers=6", symmetry=True),
    Case("kip-101-symmetric", "kip-101", "records=1 crashes=1 replicas=3", symmetry=True),
    Case("kip-320-symmetric", "kip-320", "records=1 crashes=1 replicas=3", symmetry=True),
    Case("kip-595-symmetric", "kip-595", "records=1 crashes=1 replicas=3", symmetry=True),
]

SECOND = [
    Case(
        f"{case.name}-second",
        case.model,
        case.bounds,
        case.symmetry,
        case.keep_going,
        "second",
        200,
    )
    for case in FIRST
]

CASES = FIRST + SECOND

STRANGERS = "tests/strangers/models"

OTHERS = [
    Case("every", f"{HERE}/every.py", "jobs=2 most=2", keep_going=True),
    Case("aliases", f"{STRANGERS}/attack_a06_alias.py"),
    Case("aliases-slices", f"{STRANGERS}/limits_alias.py", keep_going=True),
    Case("bag-of-records", f"{STRANGERS}/bag_of_records.py", "nodes=2 top=2 most=8"),
    Case("counts", f"{STRANGERS}/network_of_counts.py"),
    Case("counter-of-records", f"{STRANGERS}/counter_of_records.py"),
    Case("dispatch", f"{STRANGERS}/dispatch_get.py"),
    Case("gossip", f"{STRANGERS}/gossip_sets.py"),
    Case("flow", f"{STRANGERS}/limits_flow.py"),
    Case("sequences", f"{STRANGERS}/limits_seqs.py"),
    Case("sets", f"{STRANGERS}/limits_sets.py"),
    Case("changed-while-read", f"{STRANGERS}/plain_mutate_iter.py"),
    Case("guards-of-match", f"{STRANGERS}/plain_match_guard.py", keep_going=True),
    Case("greatest-record", f"{STRANGERS}/plain_rec_max.py", keep_going=True),
    Case("records", f"{STRANGERS}/plain_rec_alias.py", keep_going=True),
    Case("copies", f"{STRANGERS}/plain_copy_state.py", keep_going=True),
    Case("mailbox", f"{STRANGERS}/python_m10_mailbox.py", keep_going=True),
    Case("scheduler", f"{STRANGERS}/python_m11_scheduler.py", keep_going=True),
    Case("suffixes", f"{STRANGERS}/python_m12_compiled_seq.py", "log=1"),
    Case("ring-of-tokens", f"{STRANGERS}/ring_tokens.py"),
    Case("match", f"{STRANGERS}/tla_m01_lease.py"),
    Case("elevator", f"{STRANGERS}/tla_m05_elevator.py"),
    Case("bank", f"{STRANGERS}/tla_m07_bank.py"),
    Case("sum-symmetric", f"{STRANGERS}/tla_m08_symmetry_sum.py", symmetry=True),
    Case("set-of-votes", f"{STRANGERS}/tla_m13_paxos_votes.py"),
    Case("tables", f"{STRANGERS}/tla_m14_enum_tables.py", keep_going=True),
    Case("queue", f"{STRANGERS}/tla_m14_queue_dedup.py"),
    Case("truth-values", f"{STRANGERS}/tla_m15_bool_arith.py"),
    Case("decorated", f"{STRANGERS}/tla_m20_scheduler_decorator.py"),
    Case("swapped-places", f"{STRANGERS}/tla_m20_swap_places.py"),
    Case("bag", f"{STRANGERS}/tla_m22_bag.py"),
    Case("votes", f"{STRANGERS}/votes.py"),
]
"""Models with containers, records and patterns, which the others have few of."""

LOWERED = FIRST + OTHERS
"""Searches with a changed node of the typed form, which both tiers would be made of."""

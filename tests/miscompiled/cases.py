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

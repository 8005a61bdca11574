"""The models of `examples.py`: bounds, the specification that TLC runs, and SPIN's constants.

Bounds are those at which TLC takes about ten CPU seconds, and larger ones.  Our driver modules add
what the specifications lack: majorities as quorums, limits as constants, a name for an invariant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

Bounds = dict[str, int]


@dataclass(frozen=True)
class Model:
    """An example, and its models for the other checkers.

    Parameters
    ----------
    example
        The name of its file in ``examples`` and of SPIN's model in ``benchmarks/promela``.
    sizes
        Its bounds, smaller ones first.
    folder
        The folder of TLC's modules: below the clone's ``specifications``, or empty for
        ``examples/tla``.
    module
        TLC's root module.
    constants
        Returns the lines under CONSTANTS at some bounds.
    invariants
        TLC's invariants, which correspond to the properties of the example.
    properties
        Tidegate's properties, in addition to the ranges of variables, which it always watches;
        empty for the example's own.
    driver
        The root module's text, if it is ours.
    constraint
        TLC's constraint, if any.
    stubs
        Modules that only the proofs need, as stubs.
    defines
        Returns the constants of SPIN's model, if there is one.
    stateright
        The name of stateright's own example, if there is one; bounds are its arguments.
    judged
        Whether it counts in the medians.
    specification
        The formula that TLC checks.
    """

    example: str
    sizes: tuple[Bounds, ...]
    folder: str
    module: str
    constants: Callable[[Bounds], list[str]]
    invariants: str
    properties: tuple[str, ...] = ()
    driver: str = ""
    constraint: str = ""
    stubs: dict[str, str] = field(default_factory=dict)
    defines: Callable[[Bounds], Bounds] | None = None
    stateright: str = ""
    judged: bool = True
    specification: str = "Spec"


def _named(letter: str, number: int) -> str:
    """Return a set of that many model values."""
    return f"{{{', '.join(f'{letter}{n}' for n in range(1, number + 1))}}}"


def _sizes(names: str, *rows: str) -> tuple[Bounds, ...]:
    """Return bounds from a line of names and lines of numbers."""
    return tuple(dict(zip(names.split(), map(int, row.split()), strict=True)) for row in rows)


TWO_PHASE = Model(
    "two_phase_commit",
    _sizes("managers", "7", "8"),
    "transaction_commit",
    "MCTwoPhase",
    lambda b: [f"RM = {_named('r', b['managers'])}"],
    "TPTypeOK Consistent",
    specification="TPSpec",
    driver="EXTENDS TwoPhase\nConsistent == TC!TCConsistent",
    defines=lambda b: {"N": b["managers"]},
    stateright="2pc",
)

COMMIT = Model(
    "transaction_commit",
    _sizes("managers", "11", "13"),
    "transaction_commit",
    "TCommit",
    TWO_PHASE.constants,
    "TCTypeOK TCConsistent",
    specification="TCSpec",
)

DIE_HARD = Model(
    "die_hard",
    ({},),
    "DieHard",
    "DieHard",
    lambda b: [],
    "TypeOK",
    properties=("TypeOk",),
    judged=False,
)

BUFFER = Model(
    "bounded_buffer",
    _sizes("producers consumers capacity", "8 7 7", "9 8 8"),
    "",
    "BoundedBuffer",
    lambda b: [
        f"P = {b['producers']} C = {b['consumers']} Cap = {b['capacity']} NotifyAll = FALSE"
    ],
    "TypeOK",
    properties=("TypeOk",),
    defines=lambda b: {
        "P": b["producers"],
        "C": b["consumers"],
        "CAP": b["capacity"],
        "N": b["producers"] + b["consumers"],
    },
)

DINING = Model(
    "dining_philosophers",
    _sizes("philosophers", "15", "17"),
    "DiningPhilosophers",
    "DiningPhilosophers",
    lambda b: [f"NP = {b['philosophers']}"],
    "TypeOK ExclusiveAccess",
    properties=("ExclusiveAccess",),
    defines=lambda b: {"N": b["philosophers"]},
)

CHANG_ROBERTS = Model(
    "chang_roberts",
    _sizes("nodes", "7", "8"),
    "chang_roberts",
    "MCChangRoberts",
    lambda b: [f"N = {b['nodes']}"],
    "TypeOK Correctness",
)

EWD840 = Model(
    "ewd840",
    _sizes("nodes", "7", "8"),
    "ewd840",
    "EWD840",
    lambda b: [f"N = {b['nodes']}"],
    "TypeOK TerminationDetection Inv",
    properties=("TerminationDetection", "Inv"),
)

MUTEX = Model(
    "lamport_mutex",
    _sizes("processes clock", "3 5", "3 7"),
    "lamport_mutex",
    "MCLamportMutex",
    lambda b: [
        f"N = {b['processes']} maxClock = {b['clock']} MaxNat = {b['clock'] + 1}",
        "Nat <- NatOverride",
    ],
    "TypeOK BoundedNetwork Mutex",
    constraint="ClockConstraint",
    defines=lambda b: {"N": b["processes"], "CLOCK": b["clock"]},
)

PAXOS = Model(
    "paxos",
    _sizes("acceptors ballots values", "3 3 1", "3 3 3"),
    "Paxos",
    "MCMajorities",
    lambda b: [
        f"Acceptor = {_named('a', b['acceptors'])}",
        f"Value = {_named('v', b['values'])}",
        f"MaxBallot = {b['ballots'] - 1}",
        "None = None",
        "Quorum <- Majorities",
        "Ballot <- Ballots",
        "Ballot <-[Voting] Ballots",
    ],
    "TypeOK Consistency",
    driver="""\
EXTENDS Paxos, FiniteSets
CONSTANT MaxBallot
Majorities == {Q \\in SUBSET Acceptor : 2 * Cardinality(Q) > Cardinality(Acceptor)}
Ballots == 0..MaxBallot
Consistency == \\A v, w \\in V!chosen : v = w""",
    stubs={
        "TLAPS": "PTL == TRUE\nExpandENABLED == TRUE",
        "FiniteSetTheorems": "FS_EmptySet == TRUE\nFS_Singleton == TRUE",
    },
)

EWD998 = Model(
    "ewd998",
    _sizes("nodes counter pending sum", "3 2 2 6", "3 3 3 9"),
    "ewd998",
    "MCLimits",
    lambda b: [
        f"N = {b['nodes']} MaxCounter = {b['counter']} MaxPending = {b['pending']}"
        f" MaxSum = {b['sum']}"
    ],
    "TypeOK TerminationDetection Inv",
    driver="""\
EXTENDS EWD998
CONSTANTS MaxCounter, MaxPending, MaxSum
Limits == /\\ \\A i \\in Node : counter[i] <= MaxCounter /\\ pending[i] <= MaxPending
          /\\ token.q <= MaxSum""",
    constraint="Limits",
)

RAFT = Model(
    "raft",
    _sizes("servers terms log flight", "3 2 2 1", "3 2 1 3"),
    "",
    "Raft",
    lambda b: [
        f"N = {b['servers']} MaxTerm = {b['terms']} MaxLog = {b['log']} MaxFlight = {b['flight']}",
        'Loss = FALSE Bug = "none"',
    ],
    "TypeOK ElectionSafety LogMatching StateMachineSafety LeaderCompleteness",
)

MODELS = (
    DIE_HARD,
    COMMIT,
    TWO_PHASE,
    BUFFER,
    DINING,
    CHANG_ROBERTS,
    EWD840,
    MUTEX,
    PAXOS,
    EWD998,
    RAFT,
)

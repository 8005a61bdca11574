"""A lease with fencing tokens: clients acquire, expire and write; the storage rejects older tokens.

Claims that accepted tokens never go down, and that some older client is really rejected.
"""
from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from tidegate import NONE, Model, Record, Seq, array, enumeration, integer, number, optional, sequence_of


@dataclass(frozen=True)
class Bounds:
    clients: int = number(2, 1, 4, "clients", main=True)
    tokens: int = number(3, 1, 5, "tokens")


class Phase(IntEnum):
    IDLE = 0
    HOLDING = 1
    REJECTED = 2


class Client(Record):
    phase: Phase = enumeration(Phase, "what it does")
    token: int = optional(lambda k: k.tokens - 1, "its fencing token")


class State(Record):
    holder: int = optional(lambda k: k.clients - 1, "who has the lease")
    next_token: int = integer(0, lambda k: k.tokens, "the next token")
    client: list[Client] = array(lambda k: k.clients, Client, by="client")
    accepted: Seq = sequence_of(integer(0, lambda k: k.tokens, "token"), lambda k: k.tokens + 1, "tokens of accepted writes")


model = Model(Bounds, State, participants={"client": lambda k: k.clients}, deadlock=False)


@model.action("client")
def acquire(s: State, k: Bounds, client: int) -> bool:
    """Get the lease and a fresh token."""
    me = s.client[client]
    if s.holder != NONE or me.phase is not Phase.IDLE or s.next_token >= k.tokens:
        return False
    s.holder, me.token, me.phase = client, s.next_token, Phase.HOLDING
    s.next_token += 1
    return True


@model.action("environment")
def expire(s: State, k: Bounds) -> bool:
    """The lease runs out; the holder does not notice."""
    if s.holder == NONE:
        return False
    s.holder = NONE
    return True


@model.action("client")
def write(s: State, k: Bounds, client: int) -> bool:
    """Write with the token; the storage answers."""
    match s.client[client].phase, s.client[client].token:
        case Phase.HOLDING, token if not s.accepted or token >= s.accepted[len(s.accepted) - 1]:
            if token in s.accepted:
                return False
            s.accepted.append(token)
        case Phase.HOLDING, _:
            s.client[client].phase = Phase.REJECTED
        case _:
            return False
    return True


@model.action("client")
def forget(s: State, k: Bounds, client: int) -> bool:
    me = s.client[client]
    if me.phase is Phase.IDLE or s.holder == client:
        return False
    me.token = NONE
    me.phase = Phase.IDLE
    return True


@model.invariant("Accepted tokens go up.")
def monotonic(s: State, k: Bounds) -> bool:
    tokens = [t for t in s.accepted]
    return tokens == sorted(set(tokens))


@model.sometimes("A stale client is rejected.")
def stale(s: State, k: Bounds) -> bool:
    return Phase.REJECTED in [c.phase for c in s.client]
# expect: holds 263

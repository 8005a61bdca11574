"""At-least-once delivery: a producer retries, the channel drops or duplicates, a consumer removes duplicates.

Batches of (id, payload) records lie in a sequence; the payload is twice the id modulo 3.
"""
from dataclasses import dataclass
from functools import partial, reduce
from operator import attrgetter

from tidegate import Fairness, Kind, Model, Record, Seq, Set, integer, number, sequence_of, set_of


@dataclass(frozen=True)
class Bounds:
    messages: int = number(3, 1, 4, "messages", main=True)
    channel: int = number(2, 1, 3, "messages on their way")
    losses: int = number(1, 0, 3, "losses")


class Message(Record):
    number: int = integer(0, lambda k: k.messages - 1, "its id")
    payload: int = integer(0, 2, "what it says")


class State(Record):
    channel: Seq[Message] = sequence_of(Message, lambda k: k.channel, "on their way")
    acked: Set = set_of(lambda k: k.messages, "acknowledged")
    seen: Set = set_of(lambda k: k.messages, "ids that the consumer has seen")
    output: Seq = sequence_of(integer(0, 2, "payload"), lambda k: k.messages, "what was processed")
    lost: int = integer(0, lambda k: k.losses, "losses so far")


model = Model(Bounds, State, deadlock=False)


def make(number: int, *, modulus: int) -> Message:
    return Message(number=number, payload=2 * number % modulus)


make3 = partial(make, modulus=3)
number_of = attrgetter("number")


@model.action("producer", n=lambda k: range(k.messages))
def send(s: State, k: Bounds, n: int) -> bool:
    """Send what is not acknowledged."""
    if n in s.acked or len(s.channel) == k.channel or n in map(number_of, s.channel):
        return False
    s.channel.append(make3(n))
    return True


@model.action("network", fairness=Fairness.NONE)
def drop(s: State, k: Bounds) -> bool:
    if not s.channel or s.lost >= k.losses:
        return False
    s.channel.popleft()
    s.lost += 1
    return True


@model.action("consumer")
def receive(s: State, k: Bounds) -> bool:
    if not s.channel:
        return False
    message = s.channel.popleft()
    if message.number not in s.seen:
        s.seen.add(message.number)
        s.output.append(message.payload)
    return True


@model.action("consumer", n=lambda k: range(k.messages))
def ack(s: State, k: Bounds, n: int) -> bool:
    """Acknowledge something seen."""
    if not n in s.seen or n in s.acked:
        return False
    s.acked.add(n)
    return True


@model.invariant("Each message is processed once.")
def once(s: State, k: Bounds) -> bool:
    expected = reduce(lambda total, n: total + 2 * n % 3, s.seen, 0)
    return len(s.output) == len(s.seen) and sum(s.output) == expected


@model.invariant("What is acknowledged was seen.")
def acked_seen(s: State, k: Bounds) -> bool:
    return s.acked <= s.seen


@model.liveness(Kind.EVENTUALLY, "All is acknowledged.")
def all_acked(s: State, k: Bounds) -> bool:
    return len(s.acked) == k.messages


@model.sometimes("The payloads come in another order.")
def reordered(s: State, k: Bounds) -> bool:
    return list(s.output) == [2 * n % 3 for n in reversed(range(k.messages))]
# expect: holds 1580

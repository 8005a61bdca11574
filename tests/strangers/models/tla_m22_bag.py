"""A network as a bag: duplicates count, loss, a coordinator gathers answers; some answers are refused by kind."""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Bag, Fairness, Kind, Model, Record, Set, array, bag_of, enumeration, number, set_of, optional, NONE


class Answer(IntEnum):
    NO = 0
    YES = 1


@dataclass(frozen=True)
class Bounds:
    members: int = number(2, 1, 3, "members", main=True)
    copies: int = number(2, 1, 3, "copies of a message")


class State(Record):
    net: Bag = bag_of(lambda k: 2 * k.members, lambda k: k.copies, "2 * member + answer")
    voted: Set = set_of(lambda k: k.members, "who has voted")
    yes: Set = set_of(lambda k: k.members, "who said yes")
    outcome: int = optional(1, "the outcome, an Answer")


model = Model(Bounds, State, participants={"member": lambda k: k.members}, deadlock=False)


@model.action("member", answer=lambda k: Answer)
def vote(s: State, k: Bounds, member: int, answer: Answer) -> bool:
    if member in s.voted:
        return False
    s.voted.add(member)
    s.net.add(2 * member + answer)
    return True


@model.action("network", message=lambda k: range(2 * k.members), fairness=Fairness.NONE)
def duplicate(s: State, k: Bounds, message: int) -> bool:
    if message not in s.net or s.net[message] == k.copies:
        return False
    s.net.add(message)
    return True


@model.action("coordinator", member="member", answer=lambda k: Answer)
def gather(s: State, k: Bounds, member: int, answer: Answer) -> bool:
    if 2 * member + answer not in s.net or s.outcome != NONE:
        return False
    s.net.remove(2 * member + answer)
    match answer:
        case Answer.NO:
            s.outcome = Answer.NO
        case Answer.YES:
            s.yes.add(member)
            if len(s.yes) == k.members:
                s.outcome = answer
    return True


@model.invariant("YES needs all.")
def unanimous(s: State, k: Bounds) -> bool:
    return s.outcome != Answer.YES or s.yes == s.voted and len(s.voted) == k.members


@model.liveness(Kind.EVENTUALLY, "There is an outcome.")
def decided(s: State, k: Bounds) -> bool:
    return s.outcome != NONE


@model.liveness(Kind.LEADS_TO, "Yes of all leads to commit.", premise=lambda s, k: len(s.yes) == k.members)
def commits(s: State, k: Bounds) -> bool:
    return s.outcome == Answer.YES
# expect: holds 108

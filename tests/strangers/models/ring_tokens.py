"""Tokens on a ring: a rule is chosen from a table, rows are lists of lists."""
from dataclasses import dataclass
from functools import reduce
import operator
from tidegate import NONE, Model, Record, Seq, array, boolean, integer, number, optional, sequence_of


@dataclass(frozen=True)
class Bounds:
    size: int = number(3, 2, 4, "size", main=True)


class State(Record):
    at: list[int] = array(lambda k: k.size, optional(lambda k: k.size - 1, "next"))
    weight: list[int] = array(lambda k: k.size, integer(0, 3, "weight"))
    up: list[bool] = array(lambda k: k.size, boolean("up"))
    path: Seq[int] = sequence_of(4, 4, "path")


model = Model(Bounds, State, deadlock=False)


def heavier(s, i):
    s.weight[i] = min(s.weight[i] + 1, 3)
    return True


def lighter(s, i):
    if not s.weight[i]:
        return False
    s.weight[i] -= 1
    return True


RULES = {True: heavier, False: lighter}


@model.action("node", i=lambda k: range(k.size))
def turn(s: State, k: Bounds, i: int) -> bool:
    rule = RULES.get(s.up[i])
    if rule is None or not rule(s, i):
        return False
    s.up[i] = not s.up[i]
    return True


@model.action("node", i=lambda k: range(k.size), j=lambda k: range(k.size))
def point(s: State, k: Bounds, i: int, j: int) -> bool:
    if i == j or s.at[i] != NONE:
        return False
    rows = [[n for n in range(k.size) if s.at[n] == m] for m in range(k.size)]
    if any(i in row and j in row for row in rows):
        return False
    rows[j].append(i)
    longest = max(rows, key=len)
    s.path = [v % 4 for v in longest][:4]
    s.at[i] = j
    return True


@model.action("node", i=lambda k: range(k.size))
def drop(s: State, k: Bounds, i: int) -> bool:
    match (s.at[i], s.weight[i]):
        case (-1, _):
            return False
        case (_, w) if w > 1:
            s.at[i] = NONE
            del s.path[:1]
        case _:
            return False
    return True


@model.invariant("Not all are heavy.")
def some_light(s: State, k: Bounds) -> bool:
    return not reduce(operator.and_, (w == 3 for w in s.weight), True) or reduce(operator.or_, s.up, False)


@model.invariant("Paths are short.")
def short(s: State, k: Bounds) -> bool:
    first, *rest = [*s.path, 0]
    return len(rest) < k.size + 1 and (first, 0) <= (3, 9)

# By a search of its own, of plain tuples.
# expect: holds 36

"""A bank with overdraft: negative ranges, // and % of negatives, shifts, **, divmod, chained comparison, abs, ranges."""
from dataclasses import dataclass

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    accounts: int = number(2, 1, 3, "accounts", main=True)
    credit: int = number(3, 0, 5, "how far below zero")


class State(Record):
    money: list[int] = array(lambda k: k.accounts, integer(lambda k: -k.credit, 9, "money"), by="account")
    fees: int = integer(-8, 8, "fees, rounded")


model = Model(Bounds, State, participants={"account": lambda k: k.accounts}, deadlock=False)


@model.initial
def start(s: State, k: Bounds):
    for account in range(k.accounts):
        s.money[account] = 2 - account
    s.fees = 0
    yield


@model.action("account", to="account", amount=lambda k: (1, 3))
def transfer(s: State, k: Bounds, account: int, to: int, amount: int) -> bool:
    if account == to or not -k.credit <= s.money[account] - amount < 10 or s.money[to] + amount > 5:
        return False
    s.money[account] -= amount
    s.money[to] += amount
    s.fees = (s.money[account] // 2 + s.money[to] % 3 * (1 << amount)) % 9 - abs(s.money[account]) % 2
    return True


@model.invariant("Money is kept.")
def kept(s: State, k: Bounds) -> bool:
    return sum(m for m in s.money) == sum(2 - a for a in range(k.accounts))


@model.invariant("A fee is a remainder.")
def fee(s: State, k: Bounds) -> bool:
    low = min(s.money[a] for a in range(k.accounts))
    quotient, rest = divmod(low, 2)
    return -1 <= s.fees <= 8 and quotient * 2 + rest == low and (-7) // 2 == -4 and low >> 1 == quotient
# expect: holds 16

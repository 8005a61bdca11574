"""Values read before a change: a transfer reads both balances, then writes both; nothing is lost."""

from dataclasses import dataclass

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    accounts: int = number(3, 2, 4, "accounts")


class Account(Record):
    money: int = integer(0, 4, "its balance")
    last: int = integer(0, 4, "the last transfer's amount")


class State(Record):
    account: list[Account] = array(lambda k: k.accounts, Account, by="account")


model = Model(Bounds, State, participants={"account": lambda k: k.accounts}, deadlock=False)


@model.initial
def rich(s: State, k: Bounds):
    s.account[0].money = 4
    yield


@model.action("account", target="account")
def transfer(s: State, k: Bounds, account: int, target: int) -> bool:
    """Transfer half of what is there."""
    here, there = s.account[account], s.account[target]
    before = here.money
    if account == target or before < 2:
        return False
    here.money, there.money = before - before // 2, there.money + before // 2
    there.last = before - here.money
    return True


@model.invariant("No money is lost.")
def kept(s: State, k: Bounds) -> bool:
    return sum(account.money for account in s.account) == 4


@model.invariant("The last amount is one or two.")
def small(s: State, k: Bounds) -> bool:
    return all(account.last in (0, 1, 2) for account in s.account)

# expect: holds 28

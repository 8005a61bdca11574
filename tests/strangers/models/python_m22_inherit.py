"""Kinds of accounts by inheritance and a mixin: the state's records share variables and methods of a base class."""

from dataclasses import dataclass

from tidegate import Model, Record, array, boolean, integer, nested, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 3, "most", main=True)


class Account(Record):
    money: int = integer(0, lambda k: k.most, "money")

    def room(self, k: Bounds) -> bool:
        return self.money < k.most

    def pay(self) -> bool:
        if self.money == 0:
            return False
        self.money -= 1
        return True


class Frozen(Account):
    frozen: bool = boolean("frozen")

    def pay(self) -> bool:
        if self.frozen:
            return False
        return Account.pay(self)


class State(Record):
    mine: list[Frozen] = array(2, Frozen)
    bank: Account = nested(Account)


model = Model(Bounds, State, participants={"owner": lambda k: 2}, deadlock=False)


@model.action("bank", to="owner")
def grant(s: State, k: Bounds, to: int) -> bool:
    if not s.mine[to].room(k) or s.bank.money + sum(a.money for a in s.mine) == k.most:
        return False
    s.mine[to].money += 1
    return True


@model.action("owner", frm="owner", to="owner")
def transfer(s: State, k: Bounds, frm: int, to: int) -> bool:
    if frm == to or not s.mine[to].room(k):
        return False
    if not s.mine[frm].pay():
        return False
    s.mine[to].money += 1
    return True


@model.action("owner")
def deposit(s: State, k: Bounds, owner: int) -> bool:
    if not s.bank.room(k) or not s.mine[owner].pay():
        return False
    s.bank.money += 1
    return True


@model.action("bank", account="owner")
def freeze(s: State, k: Bounds, account: int) -> bool:
    it = s.mine[account]
    if it.frozen:
        return False
    it.frozen = True
    return True


@model.invariant("Money is not made.")
def conserved(s: State, k: Bounds) -> bool:
    return s.bank.money + sum(a.money for a in s.mine) <= k.most
# expect: holds 40

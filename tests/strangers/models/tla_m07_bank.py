"""Transfers through a ledger of pending entries: the total is preserved at every moment.

Transfers debit first, then credit when the entry is settled; `lossy` drops a pending one.
"""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, integer, number, sequence_of, switch


@dataclass(frozen=True)
class Bounds:
    accounts: int = number(2, 2, 4, "accounts", main=True)
    money: int = number(2, 1, 4, "what each account begins with")
    pending: int = number(2, 1, 3, "pending transfers")
    lossy: bool = switch("pending transfers may be lost")


class Transfer(Record):
    source: int = integer(0, lambda k: k.accounts - 1, "from")
    target: int = integer(0, lambda k: k.accounts - 1, "to")
    amount: int = integer(1, lambda k: k.money, "how much")


class State(Record):
    balance: list[int] = array(lambda k: k.accounts, integer(0, lambda k: k.accounts * k.money, "money"), by="account")
    pending: Seq[Transfer] = sequence_of(Transfer, lambda k: k.pending, "transfers in progress")


model = Model(Bounds, State, participants={"account": lambda k: k.accounts})


@model.initial
def rich(s: State, k: Bounds):
    for a in range(k.accounts):
        s.balance[a] = k.money
    yield


@model.action("source", source_account="account", target="account", amount=lambda k: range(1, k.money + 1))
def send(s: State, k: Bounds, source_account: int, target: int, amount: int) -> bool:
    """Debit the source."""
    if source_account == target or len(s.pending) >= k.pending:
        return False
    if (left := s.balance[source_account] - amount) < 0:
        return False
    s.balance[source_account] = left
    s.pending.append(Transfer(source=source_account, target=target, amount=amount))
    return True


@model.action("bank", index=lambda k: range(k.pending))
def settle(s: State, k: Bounds, index: int) -> bool:
    """Credit the target, in any order."""
    if index >= len(s.pending):
        return False
    transfer = s.pending[index]
    del s.pending[index]
    s.balance[transfer.target] += transfer.amount
    return True


@model.action("network", when=lambda k: k.lossy)
def lose(s: State, k: Bounds) -> bool:
    if not s.pending:
        return False
    s.pending.pop()
    return True


def total(*parts: int) -> int:
    return sum(parts)


@model.invariant("Money is neither made nor lost.")
def preserved(s: State, k: Bounds) -> bool:
    return total(*s.balance, *(t.amount for t in s.pending)) == k.accounts * k.money


@model.invariant("No account has everything while another transfer is pending to it from itself.")
def no_self(s: State, k: Bounds) -> bool:
    return not any(t.source == t.target for t in s.pending)
# expect: holds 51

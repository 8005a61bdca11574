"""A key-value store with snapshot isolation.

Source: KeyValueStore.tla in tlaplus/Examples.
"""

from dataclasses import dataclass

from tidegate import NONE, Model, Record, Set, array, number, optional, set_of


@dataclass(frozen=True)
class Bounds:
    keys: int = number(2, 1, 4, "keys", main=True)
    values: int = number(2, 1, 4, "values", main=True)
    transactions: int = number(2, 1, 4, "transactions", main=True)


class Transaction(Record):
    snapshot: list[int] = array(
        lambda k: k.keys, optional(lambda k: k.values - 1, "what it saw and wrote")
    )
    written: Set = set_of(lambda k: k.keys, "keys that it wrote")
    missed: Set = set_of(lambda k: k.keys, "keys that others wrote since it began")


class State(Record):
    store: list[int] = array(lambda k: k.keys, optional(lambda k: k.values - 1, "the store"))
    open: Set = set_of(lambda k: k.transactions, "open transactions")
    tx: list[Transaction] = array(lambda k: k.transactions, Transaction, by="transaction")


model = Model(Bounds, State, participants={"transaction": lambda k: k.transactions})


def keys(k: Bounds):
    return range(k.keys)


@model.action("transaction")
def open_tx(s: State, k: Bounds, transaction: int) -> bool:
    """A transaction takes its snapshot."""
    if transaction in s.open:
        return False
    s.open.add(transaction)
    for key, value in enumerate(s.store):
        s.tx[transaction].snapshot[key] = value
    return True


@model.action("transaction", key=keys, value=lambda k: range(k.values))
def add(s: State, k: Bounds, transaction: int, key: int, value: int) -> bool:
    """A transaction writes a key that its snapshot lacks."""
    tx = s.tx[transaction]
    if transaction not in s.open or tx.snapshot[key] != NONE:
        return False
    tx.snapshot[key] = value
    tx.written.add(key)
    return True


@model.action("transaction", key=keys, value=lambda k: range(k.values))
def update(s: State, k: Bounds, transaction: int, key: int, value: int) -> bool:
    """A transaction changes a key."""
    tx = s.tx[transaction]
    if transaction not in s.open or tx.snapshot[key] in (NONE, value):
        return False
    tx.snapshot[key] = value
    tx.written.add(key)
    return True


@model.action("transaction", key=keys)
def remove(s: State, k: Bounds, transaction: int, key: int) -> bool:
    """A transaction removes a key."""
    tx = s.tx[transaction]
    if transaction not in s.open or tx.snapshot[key] == NONE:
        return False
    tx.snapshot[key] = NONE
    tx.written.add(key)
    return True


def forget(tx: Transaction) -> None:
    tx.snapshot[:] = [NONE] * len(tx.snapshot)
    tx.written.clear()
    tx.missed.clear()


@model.action("transaction")
def rollback(s: State, k: Bounds, transaction: int) -> bool:
    """A transaction is abandoned."""
    if transaction not in s.open:
        return False
    s.open.remove(transaction)
    forget(s.tx[transaction])
    return True


@model.action("transaction")
def commit(s: State, k: Bounds, transaction: int) -> bool:
    """A transaction commits, unless others wrote what it wrote."""
    tx = s.tx[transaction]
    if transaction not in s.open or not tx.written.isdisjoint(tx.missed):
        return False
    for key in tx.written:
        s.store[key] = tx.snapshot[key]
    s.open.remove(transaction)
    for other in s.open:
        s.tx[other].missed |= tx.written
    forget(tx)
    return True


@model.invariant("A closed transaction has nothing.")
def clean(s: State, k: Bounds) -> bool:
    return all(
        t in s.open or (all(v == NONE for v in tx.snapshot) and not tx.written and not tx.missed)
        for t, tx in enumerate(s.tx)
    )


@model.invariant("What a transaction neither wrote nor missed is what the store has.")
def snapshot_isolation(s: State, k: Bounds) -> bool:
    for t in s.open:
        tx = s.tx[t]
        for key in keys(k):
            if s.store[key] != tx.snapshot[key]:
                if key not in tx.written and key not in tx.missed:
                    return False
    return True

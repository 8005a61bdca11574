"""A client that counts its requests in a list of its base class, through super(): the second one waits.

Whether it waits depends on earlier calls; the append must be refused.
"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


class Client:
    log: list[int] = []

    def request(self, n: int) -> int:
        self.log.append(n)  # here
        return len(self.log)


class Polite(Client):
    def request(self, n: int) -> int:
        return super().request(n) % 1000


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Requests are counted.")
def counted(s: State, k: Bounds) -> bool:
    return Polite().request(s.sent) < 1000
# expect: refused 47

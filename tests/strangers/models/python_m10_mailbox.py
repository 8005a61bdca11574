"""A mail server: messages with retries, the head is rotated, the tail is dropped, neighbours change places.

Names for what was read, swaps, slices with negative bounds, loops over a sequence that shrinks and grows.
"""

from dataclasses import dataclass

from tidegate import Model, Record, Seq, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    size: int = number(3, 1, 4, "size of the queue", main=True)


class Mail(Record):
    to: int = integer(0, 1, "to whom")
    tries: int = integer(0, 2, "tries")

    def tired(self) -> bool:
        return self.tries == 2

    def before(self, other) -> bool:
        return (self.to, self.tries) < (other.to, other.tries)


class State(Record):
    queue: Seq[Mail] = sequence_of(Mail, lambda k: k.size, "queue")
    dead: int = integer(0, 4, "dead letters")
    last: int = integer(0, 5, "code of what was last looked at")


model = Model(Bounds, State, deadlock=False)


@model.action("client", to=lambda k: range(2))
def send(s: State, k: Bounds, to: int) -> bool:
    if len(s.queue) == k.size:
        return False
    s.queue.append(Mail(to=to, tries=0))
    return True


@model.action("server")
def retry(s: State, k: Bounds) -> bool:
    """The head fails and goes to the end."""
    if not s.queue or s.queue[0].tired():
        return False
    s.queue[0].tries += 1
    tail = s.queue[0]
    s.queue.popleft()
    s.queue.append(tail)
    s.last = tail.to * 3 + tail.tries
    return True


@model.action("server")
def bury(s: State, k: Bounds) -> bool:
    """All mails that are tired are dropped, looking from the front."""
    if not any(mail.tired() for mail in s.queue):
        return False
    i = 0
    while i < len(s.queue):
        if s.queue[i].tired():
            del s.queue[i]
            s.dead = (s.dead + 1) % 5
        else:
            i += 1
    return True


@model.action("server", i=lambda k: range(k.size - 1))
def bubble(s: State, k: Bounds, i: int) -> bool:
    if i + 1 >= len(s.queue):
        return False
    left, right = s.queue[i], s.queue[i + 1]
    if not right.before(left):
        return False
    s.queue[i], s.queue[i + 1] = right, left
    s.last = left.to * 3 + left.tries
    return True


@model.action("server")
def rotate(s: State, k: Bounds) -> bool:
    if len(s.queue) < 2:
        return False
    rest = s.queue[1:]
    first = s.queue[0]
    s.queue.clear()
    s.queue.extend(rest)
    s.queue.append(first)
    return True


@model.action("server")
def double(s: State, k: Bounds) -> bool:
    """Each mail to 1 is followed by a copy to 0, as long as there is room."""
    if len(s.queue) == 0 or len(s.queue) == k.size:
        return False
    changed = False
    for mail in s.queue:
        if mail.to == 1 and len(s.queue) < k.size:
            s.queue.append(Mail(to=0, tries=mail.tries))
            changed = True
    return changed


@model.invariant("Nobody tries more than twice and the queue is short.")
def short(s: State, k: Bounds) -> bool:
    return len(s.queue) <= k.size and all(mail.tries <= 2 for mail in s.queue)


@model.invariant("The last one that was looked at was never tired and alone.")
def lonely(s: State, k: Bounds) -> bool:
    return not (s.last == 5 and len(s.queue) == 1 and s.dead == 3)
# expect: violated Lonely 7

"""Bounded buffer: producers and consumers share a monitor with one wait set, and may all sleep.

A thread that finds the buffer full (a producer) or empty (a consumer) goes to sleep.  Whoever puts
or gets an item wakes one sleeper, which may be of its own kind: then the wake-up is wasted, and
with more threads than twice the capacity all may end up asleep.  `notify_all` repairs that.

Source: examples/tla/BoundedBuffer.tla, written after BlockingQueue by Markus Kuppe.
"""

from dataclasses import dataclass

from tidegate import Model, Record, array, boolean, integer, number, switch


@dataclass(frozen=True)
class Bounds:
    producers: int = number(3, 1, 12, "threads that put items, the first ones", main=True)
    consumers: int = number(2, 1, 12, "threads that get items", main=True)
    capacity: int = number(2, 1, 12, "items that the buffer has room for", main=True)
    notify_all: bool = switch("whoever puts or gets an item wakes all sleepers, not only one")


def threads(k: Bounds) -> int:
    return k.producers + k.consumers


def producers(k: Bounds) -> range:
    return range(k.producers)


def consumers(k: Bounds) -> range:
    return range(k.producers, threads(k))


class State(Record):
    count: int = integer(0, lambda k: k.capacity, "items in the buffer")
    waiting: list[bool] = array(threads, boolean("whether it is in the wait set"), by="thread")


model = Model(Bounds, State, participants={"thread": threads})


def must_choose(s: State, k: Bounds) -> bool:
    """Whether there are sleepers of which one is to be woken."""
    return not k.notify_all and any(waits for waits in s.waiting)


def wake_all(s: State) -> None:
    for thread in range(len(s.waiting)):
        s.waiting[thread] = False


@model.action("thread", producer=producers)
def put(s: State, k: Bounds, producer: int) -> bool:
    """A producer puts an item, and whoever sleeps wakes up."""
    if s.waiting[producer]:
        return False
    if s.count == k.capacity or must_choose(s, k):
        return False
    s.count += 1
    wake_all(s)
    return True


@model.action("thread", producer=producers, sleeper="thread")
def put_and_notify(s: State, k: Bounds, producer: int, sleeper: int) -> bool:
    """A producer puts an item, and wakes one sleeper."""
    if s.waiting[producer]:
        return False
    if s.count == k.capacity or k.notify_all or not s.waiting[sleeper]:
        return False
    s.count += 1
    s.waiting[sleeper] = False
    return True


@model.action("thread", producer=producers)
def put_wait(s: State, k: Bounds, producer: int) -> bool:
    """A producer finds the buffer full, and goes to sleep."""
    if s.waiting[producer] or s.count < k.capacity:
        return False
    s.waiting[producer] = True
    return True


@model.action("thread", consumer=consumers)
def get(s: State, k: Bounds, consumer: int) -> bool:
    """A consumer gets an item, and whoever sleeps wakes up."""
    if s.waiting[consumer]:
        return False
    if s.count == 0 or must_choose(s, k):
        return False
    s.count -= 1
    wake_all(s)
    return True


@model.action("thread", consumer=consumers, sleeper="thread")
def get_and_notify(s: State, k: Bounds, consumer: int, sleeper: int) -> bool:
    """A consumer gets an item, and wakes one sleeper."""
    if s.waiting[consumer]:
        return False
    if s.count == 0 or k.notify_all or not s.waiting[sleeper]:
        return False
    s.count -= 1
    s.waiting[sleeper] = False
    return True


@model.action("thread", consumer=consumers)
def get_wait(s: State, k: Bounds, consumer: int) -> bool:
    """A consumer finds the buffer empty, and goes to sleep."""
    if s.waiting[consumer] or s.count > 0:
        return False
    s.waiting[consumer] = True
    return True

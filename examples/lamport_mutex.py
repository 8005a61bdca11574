"""Lamport's mutual exclusion: processes agree by logical clocks on who is in the critical section.

Source: Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, 1978;
LamportMutex.tla in tlaplus/Examples.  A process asks all others, who note its request by its clock
and acknowledge it; the oldest request goes first.  Clocks grow without end, so a constraint limits
them, as ClockConstraint does there.
"""

from dataclasses import dataclass

from tidegate import (
    Model,
    Record,
    Seq,
    Set,
    array,
    boolean,
    integer,
    number,
    one_of,
    sequence_of,
    set_of,
)

MOST_CLOCK = 12
RELEASE, ACKNOWLEDGEMENT, REQUEST = 0, 1, 1
"""Messages are numbers: a request is REQUEST plus its clock, which is at least 1."""
MESSAGES = ("release", "acknowledgement", *(f"request {c}" for c in range(1, MOST_CLOCK + 1)))
NO_REQUEST = 0
"""What a process knows of one that does not ask, in place of the clock of its request."""


@dataclass(frozen=True)
class Bounds:
    processes: int = number(3, 1, 6, "processes", main=True)
    clock: int = number(6, 1, MOST_CLOCK, "clock beyond which nothing is explored", main=True)


class Process(Record):
    clock: int = integer(1, lambda k: k.clock + 1, "logical clock")
    request: list[int] = array(
        lambda k: k.processes, integer(NO_REQUEST, lambda k: k.clock, "clock of a known request")
    )
    acknowledged: Set = set_of(lambda k: k.processes, "who acknowledged its request")
    critical: bool = boolean("whether it is in the critical section")
    channel: list[Seq] = array(
        lambda k: k.processes,
        sequence_of(one_of(MESSAGES, "message", lambda k: REQUEST + k.clock), 4, "messages to it"),
    )

    def beats(self, own: int, other: int) -> bool:
        """Whether its own request goes before that of another process, as far as it knows."""
        if self.request[other] == NO_REQUEST or self.request[own] < self.request[other]:
            return True
        return self.request[own] == self.request[other] and own < other

    def broadcast(self, own: int, message: int) -> None:
        """Send a message to all other processes."""
        for receiver in range(len(self.channel)):
            if receiver != own:
                self.channel[receiver].append(message)


class State(Record):
    process: list[Process] = array(lambda k: k.processes, Process, by="process")


def within_clock(s: State, k: Bounds) -> bool:
    return all(process.clock <= k.clock for process in s.process)


model = Model(
    Bounds, State, participants={"process": lambda k: k.processes}, constraint=within_clock
)


@model.action("process")
def request(s: State, k: Bounds, process: int) -> bool:
    """A process asks all others for the critical section."""
    me = s.process[process]
    if me.request[process] != NO_REQUEST:
        return False
    me.request[process] = me.clock
    me.broadcast(process, REQUEST + me.clock)
    me.acknowledged.clear()
    me.acknowledged.add(process)
    return True


@model.action("process")
def enter(s: State, k: Bounds, process: int) -> bool:
    """A process enters the critical section, as all acknowledged and its request is the oldest."""
    me = s.process[process]
    if len(me.acknowledged) < k.processes:
        return False
    if not all(me.beats(process, other) for other in range(k.processes) if other != process):
        return False
    me.critical = True
    return True


@model.action("process")
def leave(s: State, k: Bounds, process: int) -> bool:
    """A process leaves the critical section, and tells all others."""
    me = s.process[process]
    if not me.critical:
        return False
    me.critical = False
    me.request[process] = NO_REQUEST
    me.broadcast(process, RELEASE)
    me.acknowledged.clear()
    return True


@model.action("process", sender="process")
def receive_request(s: State, k: Bounds, process: int, sender: int) -> bool:
    """A process notes a request, moves its clock beyond it, and acknowledges it."""
    me, channel = s.process[process], s.process[sender].channel[process]
    if not channel or channel[0] <= REQUEST:
        return False
    clock = channel.popleft() - REQUEST
    me.request[sender] = clock
    me.clock = max(clock, me.clock) + 1
    me.channel[sender].append(ACKNOWLEDGEMENT)
    return True


@model.action("process", sender="process")
def receive_acknowledgement(s: State, k: Bounds, process: int, sender: int) -> bool:
    """A process learns that its request was received."""
    channel = s.process[sender].channel[process]
    if not channel or channel[0] != ACKNOWLEDGEMENT:
        return False
    channel.popleft()
    s.process[process].acknowledged.add(sender)
    return True


@model.action("process", sender="process")
def receive_release(s: State, k: Bounds, process: int, sender: int) -> bool:
    """A process learns that a request is done with."""
    channel = s.process[sender].channel[process]
    if not channel or channel[0] != RELEASE:
        return False
    channel.popleft()
    s.process[process].request[sender] = NO_REQUEST
    return True


@model.invariant("At most one process is in the critical section.")
def mutex(s: State, k: Bounds) -> bool:
    return sum(1 for process in s.process if process.critical) <= 1


@model.invariant("No more than three messages are on their way from one process to another.")
def bounded_network(s: State, k: Bounds) -> bool:
    return all(all(len(queue) <= 3 for queue in process.channel) for process in s.process)

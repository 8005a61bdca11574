"""The place of a replica sees what is written; the slice of its log does not."""

from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    replicas: int = number(2, 1, 3, "replicas")
    size: int = number(2, 1, 3, "log size")


class Replica(Record):
    log: Seq = sequence_of(integer(0, 1, "record"), lambda k: k.size, "its log")
    end: int = integer(0, 3, "log end")


class State(Record):
    replica: list[Replica] = array(lambda k: k.replicas, Replica, by="replica")
    copied: int = integer(0, 9, "how many were copied in the end")


model = Model(Bounds, State, participants={"replica": lambda k: k.replicas}, deadlock=False)


@model.action("replica", value=lambda k: range(2))
def write(s: State, k: Bounds, replica: int, value: int) -> bool:
    """Replica 0 writes."""
    if replica != 0 or len(s.replica[0].log) == k.size:
        return False
    me = s.replica[replica]
    before = me.log[:]
    me.log.append(value)
    me.end = len(me.log)
    s.copied = len(before) + me.end
    return True


@model.action("replica")
def copy(s: State, k: Bounds, replica: int) -> bool:
    """Another replica copies what it lacks, after it dropped what differs."""
    me, leader = s.replica[replica], s.replica[0]
    if replica == 0 or me.end >= leader.end:
        return False
    mine = me.log[:]
    me.log.clear()
    me.log.extend(mine)
    me.log.extend(leader.log[len(mine):])
    s.copied = len(me.log) - len(mine)
    me.end = len(me.log)
    return True


@model.invariant("Logs are prefixes of the leader's.")
def prefix(s: State, k: Bounds) -> bool:
    return all(replica.log[:] == s.replica[0].log[: replica.end] for replica in s.replica)

# expect: holds 21

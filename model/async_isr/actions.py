"""The steps of the async-isr family.  Their names are those of the original."""

from __future__ import annotations

from ...core.layout import NONE
from .bounds import LEADER, Constants
from .state import AsyncIsrState


def high_watermark(s: AsyncIsrState, k: Constants) -> int:
    """Return the leader's high watermark: the least log end of the replicas that it waits for."""
    waits_for = k.rules.waits_for(s, k)
    least = s.leader.offset[LEADER]
    for replica in range(k.replicas):
        if waits_for >> replica & 1:
            least = min(least, s.leader.offset[replica])
    return least


def within(s: AsyncIsrState, k: Constants) -> bool:
    """Whether a state is within the bounds: the constraint, which the original leaves to the user.

    No follower's log is longer than the leader's, and no version newer than the controller's.
    """
    return s.leader.offset[LEADER] <= k.max_offset and s.controller.version <= k.max_version


def _change_isr(s: AsyncIsrState, isr: int) -> None:
    """Begin a new version of the ISR at the controller and send it to the leader."""
    s.controller.version += 1
    s.controller.isr = isr
    s.update[s.controller.version] = isr


def _request(s: AsyncIsrState, replica: int) -> None:
    """Request the leader's ISR with one replica added or removed, and mark it pending."""
    version = s.leader.version
    s.request[version] |= 1 << replica
    s.leader.pending_isr |= s.leader.isr ^ 1 << replica
    s.leader.pending_version = version


def controller_shrink_isr(s: AsyncIsrState, k: Constants, replica: int) -> bool:
    """Remove a follower from the ISR, as if it had failed, without a request."""
    if not s.controller.isr >> replica & 1:
        return False
    _change_isr(s, s.controller.isr & ~(1 << replica))
    return True


def controller_handle_request(s: AsyncIsrState, k: Constants, version: int, replica: int) -> bool:
    """Apply a request: the ISR of its version, with one replica added or removed."""
    if not s.request[version] >> replica & 1:
        return False
    if not k.rules.may_apply(s, k, version):
        return False
    _change_isr(s, s.update[version] ^ 1 << replica)
    return True


def leader_request_shrink_isr(s: AsyncIsrState, k: Constants, replica: int) -> bool:
    """Request to remove a follower from the ISR, at any time."""
    if not s.leader.isr >> replica & 1:
        return False
    _request(s, replica)
    return True


def leader_request_expand_isr(s: AsyncIsrState, k: Constants, replica: int) -> bool:
    """Request to add a follower to the ISR that has all records below the high watermark."""
    if s.leader.isr >> replica & 1:
        return False
    if s.leader.offset[replica] < high_watermark(s, k):
        return False
    _request(s, replica)
    return True


def leader_write(s: AsyncIsrState, k: Constants) -> bool:
    """Append a record to the leader's log; only the constraint limits how many there are."""
    s.leader.offset[LEADER] += 1
    return True


def leader_handle_update(s: AsyncIsrState, k: Constants, version: int) -> bool:
    """Apply the ISR of a newer version, and drop the pending requests."""
    if version > s.controller.version:
        return False
    if version <= s.leader.version:
        return False
    s.leader.isr = s.update[version]
    s.leader.version = version
    s.leader.pending_isr = 0
    s.leader.pending_version = NONE
    return True


def follower_replicate(s: AsyncIsrState, k: Constants, replica: int) -> bool:
    """Copy the leader's next record; the leader knows at once."""
    if s.leader.offset[replica] >= s.leader.offset[LEADER]:
        return False
    s.leader.offset[replica] += 1
    return True

"""A state in Kafka's terms, a column per participant, for traces."""

from __future__ import annotations

from ...core.layout import NONE, members
from ..broker.replica_sets import replicas
from .actions import high_watermark
from .bounds import LEADER, Constants
from .state import AsyncIsrState

LEGEND = """\
v1 isr 0,1 is version 1 of the ISR. Under the controller, "v0: isr 0" is a request that the leader
made in version 0. "requested 0,1" names the members of all ISRs that the leader has requested \
since its last update; leo is the log end offset, hw the high watermark."""


def columns(s: AsyncIsrState, k: Constants) -> dict[str, str]:
    """Return the heading and the text of each column: the controller, then every replica."""
    shown = {"controller": _controller(s)}
    for replica in range(k.replicas):
        leo = f"leo {s.leader.offset[replica]}"
        shown[f"replica {replica}"] = leo if replica != LEADER else f"{_leader(s, k)}\n{leo}"
    return shown


def _controller(s: AsyncIsrState) -> str:
    lines = [f"v{s.controller.version} isr {replicas(s.controller.isr)}"]
    for version, changed in enumerate(s.request):
        wanted = [s.update[version] ^ 1 << replica for replica in members(changed)]
        lines += [f"v{version}: isr {replicas(isr)}" for isr in wanted]
    return "\n".join(lines)


def _leader(s: AsyncIsrState, k: Constants) -> str:
    known = f"v{s.leader.version} isr {replicas(s.leader.isr)}"
    if s.leader.pending_version != NONE:
        known += f"\nrequested {replicas(s.leader.pending_isr)}"
    return f"{known}\nhw {high_watermark(s, k)}"

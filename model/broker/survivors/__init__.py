"""Surviving mutants of the broker family's protocols, and why they survive: a file per subject.

"No additional state" was counted for hw, kip-279 and kip-320, histories included: with 2 replicas,
every fault, a checkpoint written in a separate step and late fetches, and with 3 replicas.
"""

from __future__ import annotations

from . import by_protocol, deletions, every_protocol, isr_changes, reassignments

SURVIVORS = {
    **every_protocol.GUARDS_AND_RULES,
    **every_protocol.FAIRNESS,
    **isr_changes.SURVIVORS,
    **deletions.SURVIVORS,
    **reassignments.SURVIVORS,
    **{
        f"{name}: {mutant}": note
        for name, own in by_protocol.SURVIVORS.items()
        for mutant, note in own.items()
    },
}
"""By name; by protocol and name if the reason holds for that protocol only."""

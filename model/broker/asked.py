"""Where the steps ask each rule: with which options, and in which protocols.

A rule that is not listed is asked with all options and in all protocols.  Elsewhere no answer of a
rule changes anything: it is asked in vain, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .bounds import WITH_KRAFT

if TYPE_CHECKING:
    from .rules import Rules

WITHOUT_KRAFT = ("instant", "zookeeper")
"""The values of ``isr_propagation``, as they are written, of clusters with ZooKeeper."""


@dataclass(frozen=True)
class Where:
    """Where the steps ask a rule: all of this has to be so.

    Parameters
    ----------
    propagation
        The values of ``isr_propagation``; empty for all.
    options
        Options that have to be on, or bounds above 0.
    epoch_cache
        Whether only protocols ask it whose replicas have an epoch cache.
    truncation_on_fetch
        Whether only protocols ask it whose fetches carry an epoch, or only those whose fetches
        carry none; None for both.
    """

    propagation: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    epoch_cache: bool = False
    truncation_on_fetch: bool | None = None

    def has_options(self, settings: Mapping[str, str]) -> bool:
        """Whether these options are on; what is not named is off."""
        propagation = settings.get("isr_propagation", "instant")
        is_on = all(settings.get(one, "off") not in ("off", "0") for one in self.options)
        return is_on and (not self.propagation or propagation in self.propagation)

    def has_protocol(self, rules: Rules) -> bool:
        """Whether a protocol with these rules may ask it."""
        if self.epoch_cache and not rules.epoch_cache:
            return False
        wanted = self.truncation_on_fetch
        return wanted is None or rules.truncation_on_fetch is wanted

    def phrases(self) -> Iterator[str]:
        """Yield what has to be so, in words."""
        if self.propagation:
            yield f"with ``isr_propagation={'`` or ``'.join(self.propagation)}``"
        for one in self.options:
            yield f"with ``{one}``"
        if self.truncation_on_fetch:
            yield "where a fetch carries the epoch of the last record (``truncation_on_fetch``)"
        elif self.epoch_cache and self.truncation_on_fetch is False:
            yield "where followers send OffsetsForLeaderEpoch"
        elif self.truncation_on_fetch is False:
            longer = "a log longer than its leader's is out of range"
            yield f"where a fetch carries no epoch, so that {longer}"
        elif self.epoch_cache:
            yield "where replicas have an epoch cache (``epoch_cache``)"


ALWAYS = Where()

_ZOOKEEPER = Where(WITHOUT_KRAFT)
_KRAFT = Where(WITH_KRAFT)
_WITH_EPOCHS = Where(epoch_cache=True)
_ON_FETCH = Where(truncation_on_fetch=True)
_DELETIONS = Where(options=("deletions",))

ASKED: Mapping[str, Where] = {
    "without_leader": _ZOOKEEPER,
    "may_register_unfenced": _KRAFT,
    "may_serve_epoch_request": Where(epoch_cache=True, truncation_on_fetch=False),
    "end_offset_for_epoch": _WITH_EPOCHS,
    "truncate_by_answer": _WITH_EPOCHS,
    "offset_without_common_epoch": _WITH_EPOCHS,
    "exits_if_longer": Where(truncation_on_fetch=False),
    "truncates_cache": _WITH_EPOCHS,
    "assign_epoch": _WITH_EPOCHS,
    "begin_leading": _WITH_EPOCHS,
    "may_change_isr": _ZOOKEEPER,
    "keeps_rejected_change": Where(WITHOUT_KRAFT, ("hw_waits",)),
    "may_propose": _KRAFT,
    "may_alter_partition": _KRAFT,
    "may_be_members": _KRAFT,
    "may_still_be_members": _KRAFT,
    "keeps_broker_epoch": Where(WITH_KRAFT, ("late_request",)),
    "knows_partition_epoch": _KRAFT,
    "applies_known_record": Where(("records",)),
    "where_logs_diverge": _ON_FETCH,
    "counts_diverging_fetch": _ON_FETCH,
    "applies_diverging_hw": _ON_FETCH,
    "elects_last_known_leader": Where(options=("elr", "last_known_leader")),
    "eligible_leaders": Where(options=("elr",)),
    "eligible_at_registration": Where(options=("elr",)),
    "may_delete": _DELETIONS,
    "follows_log_start": _DELETIONS,
    "raises_hw": _DELETIONS,
    "finds_low_hw": _DELETIONS,
    "diverges_below_start": Where(options=("deletions",), truncation_on_fetch=True),
    "may_complete": Where(("records",), ("reassignments",)),
    "removed_are_eligible": Where(("records",), ("reassignments", "elr")),
}
"""Where each rule is asked that is not asked everywhere."""


def where_asked(rule: str) -> Where:
    """Return where the steps ask a rule."""
    return ASKED.get(rule, ALWAYS)


def where_text(rule: str) -> str:
    """Return in a sentence where the steps ask a rule; empty if everywhere.

    >>> where_text("removed_are_eligible")
    'Asked only with ``isr_propagation=records``, with ``reassignments`` and with ``elr``.'
    """
    phrases = [*where_asked(rule).phrases()]
    if not phrases:
        return ""
    *before, last = phrases
    return f"Asked only {', '.join(before)}{' and ' if before else ''}{last}."

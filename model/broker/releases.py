"""Kafka's releases as protocols: the rules that each release of the brokers runs.

Most rules belong to a release's code.  Others belong to the protocol between brokers and take
effect with ``inter.broker.protocol.version`` (``metadata.version`` with KRaft): leader epochs
(0.11), the epoch in the answer (2.0), fences (2.1), truncation on fetch (2.7), broker epochs of
fetches (3.5) and partition epochs without leader epochs (3.6).

A bug that a patch release fixed is in the releases before it, except KAFKA-18991.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import groupby
from typing import Any

from ...core.errors import TidegateError
from ..protocol import Protocol
from . import assignment, log, older, rules
from .asked import where_asked
from .protocols import kip279, kip595
from .protocols.hw import HW
from .protocols.kip101 import KIP_101
from .protocols.kip279 import KIP_279
from .protocols.kip320 import KIP_320
from .protocols.kip595 import KIP_595

Version = tuple[int, ...]

ZOOKEEPER, KRAFT = "zookeeper", "kraft"
"""Where a cluster keeps its metadata."""

RELEASES = (
    "0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0",
    "1.0", "1.1", "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8",
    "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "4.0", "4.1", "4.2",
    "4.3", "4.4",
)  # fmt: skip
"""The releases whose sources were read; a patch number may follow.

Of 4.4.0 there are no sources on Maven Central: its classes were compared with those of 4.3.1.
"""

FIRST_WITH_KRAFT, FIRST_WITHOUT_ZOOKEEPER = (3, 3), (4, 0)

NEWEST_PATCH = 99
"""Stands for the newest patch release, if none is named."""

PREFIX = "kafka-"

OF_WORKLOAD = ("hw_waits", "late_request", "deletions", "reassignments")
"""Options of what happens in a cluster, of whatever release."""


class ReleaseError(TidegateError):
    """An unknown release, or one that cannot have the chosen metadata or protocol version."""


@dataclass(frozen=True)
class Release:
    """A release of Kafka in one kind of cluster.

    Parameters
    ----------
    name
        As given, such as "2.6" (its newest patch release) or "2.6.0".
    metadata
        ``ZOOKEEPER`` or ``KRAFT``.
    protocol_version
        What inter.broker.protocol.version or metadata.version is set to; that of `name` if empty.

    Raises
    ------
    ReleaseError
        If there is no such release, or it does not run like that.
    """

    name: str
    metadata: str
    protocol_version: str = ""

    def __post_init__(self) -> None:
        if self.metadata == KRAFT and self.code < FIRST_WITH_KRAFT:
            raise ReleaseError(
                f"Kafka {self.name} has no KRaft for production, which begins with 3.3; use "
                f"--metadata {ZOOKEEPER}"
            )
        if self.metadata == ZOOKEEPER and self.code >= FIRST_WITHOUT_ZOOKEEPER:
            raise ReleaseError(
                f"Kafka {self.name} does not run with ZooKeeper, which ends with 3.9; use "
                f"--metadata {KRAFT}"
            )
        if self.wire > self.code:
            raise ReleaseError(
                f"the protocol version {self.protocol_version} is newer than Kafka {self.name}; "
                "set it to that release or an older one"
            )

    @property
    def code(self) -> Version:
        """The version of the brokers' code."""
        return parse_version(self.name)

    @property
    def wire(self) -> Version:
        """The version of the protocol between brokers."""
        return parse_version(self.protocol_version) if self.protocol_version else self.code

    @property
    def settings(self) -> tuple[str, ...]:
        """The options of the model that such a cluster runs with."""
        options = []
        if self.metadata == KRAFT:
            records = self.wire >= (3, 6)
            options.append(f"isr_propagation={'records' if records else 'kraft'}")
        if self.code >= (3, 7):
            options.append("hw_needs_min_isr")
        if self.wire >= (4, 1):
            options += ["elr", "last_known_leader"]
        return tuple(options)

    @cached_property
    def protocol(self) -> Protocol:
        """The protocol with this release's rules."""
        base = _base(self.code, self.wire)
        version = f"-{self.protocol_version}" if self.protocol_version else ""
        return replace(
            base,
            name=f"{PREFIX}{self.name}-{self.metadata}{version}",
            parent=base,
            summary=f"Kafka {self.name} with {self.metadata}: the rules of that release.",
            rules=replace(base.rules, **_changes(self, bool(base.rules.epoch_cache))),
            older_rules=(),
            settings=self.settings,
        )


def parse_version(name: str) -> Version:
    """Return a release's version, with the newest patch release if none is named.

    Raises
    ------
    ReleaseError
        If its sources were not read.

    >>> parse_version("2.0"), parse_version("0.8.2.1")
    ((2, 0, 99), (0, 8, 2, 1))
    """
    known = next((one for one in RELEASES if f"{name}.".startswith(f"{one}.")), None)
    patch = name[len(known) + 1 :] if known else ""
    if known is None or (patch and not patch.isdecimal()):
        raise ReleaseError(
            f"there is no release {name!r}; use one of {', '.join(RELEASES)}, or one of their "
            "patch releases such as 2.0.1"
        )
    numbers = tuple(int(number) for number in known.split("."))
    return (*numbers, int(patch) if patch else NEWEST_PATCH)


def default_metadata(name: str) -> str:
    """Return where a cluster of this release keeps its metadata, if there is only one way.

    Raises
    ------
    ReleaseError
        If there are two.
    """
    version = parse_version(name)
    if version >= FIRST_WITHOUT_ZOOKEEPER:
        return KRAFT
    if version < FIRST_WITH_KRAFT:
        return ZOOKEEPER
    raise ReleaseError(
        f"Kafka {name} runs with ZooKeeper or with KRaft; add --metadata {ZOOKEEPER} or "
        f"--metadata {KRAFT}"
    )


def release(name: str, metadata: str = "", protocol_version: str = "") -> Protocol:
    """Return what a release of Kafka runs: its rules, and the options that come with it.

    Parameters
    ----------
    name
        Such as "2.6" (its newest patch release) or "2.6.0".
    metadata
        "zookeeper" or "kraft", where a cluster of this release may have either.
    protocol_version
        What inter.broker.protocol.version or metadata.version is set to; that of `name` if empty.

    Raises
    ------
    ReleaseError
        If there is no such release, or it does not run like that.

    Examples
    --------
    >>> release("4.0").name, release("4.0").settings
    ('kafka-4.0-kraft', ('isr_propagation=records', 'hw_needs_min_isr'))
    """
    return Release(name, metadata or default_metadata(name), protocol_version).protocol


def every_release() -> Iterator[Release]:
    """Yield each release in each kind of cluster in which it runs."""
    for metadata in (ZOOKEEPER, KRAFT):
        for name in RELEASES:
            version = parse_version(name)
            if metadata == ZOOKEEPER and version < FIRST_WITHOUT_ZOOKEEPER:
                yield Release(name, metadata)
            if metadata == KRAFT and version >= FIRST_WITH_KRAFT:
                yield Release(name, metadata)


def overview() -> list[dict[str, str]]:
    """Return the releases in groups that are based on one protocol with the same options."""
    rows: list[dict[str, str]] = []
    for release in every_release():
        base = release.protocol.parent
        assert base is not None
        row = {
            "releases": release.name,
            "metadata": release.metadata,
            "protocol": base.name,
            "options": " ".join(release.settings),
        }
        same = ("metadata", "protocol", "options")
        if rows and all(rows[-1][key] == row[key] for key in same):
            rows[-1]["releases"] = f"{rows[-1]['releases'].partition(' to ')[0]} to {release.name}"
        else:
            rows.append(row)
    return rows


@cache
def _releases() -> tuple[Release, ...]:
    return tuple(every_release())


def deciding(name: str, rule: Any) -> str:
    """Return the releases of Kafka whose brokers decide like this, as ranges."""
    ranges = []
    decided = groupby(_releases(), lambda one: (one.metadata, _decides(one, name, rule)))
    for (metadata, same), group in decided:
        names = [one.name for one in group]
        if same:
            until = f" to {names[-1]}" if len(names) > 1 else ""
            ranges.append(f"{names[0]}{until} ({metadata})")
    return ", ".join(ranges) or "none"


def _decides(release: Release, name: str, rule: Any) -> bool:
    """Whether the brokers of a release ask this rule, and decide by this function."""
    where = where_asked(name)
    settings = [*release.settings, *OF_WORKLOAD]
    options = {one.partition("=")[0]: one.partition("=")[2] or "on" for one in settings}
    has_rule = where.has_options(options) and where.has_protocol(release.protocol.rules)
    return has_rule and bool(getattr(release.protocol.rules, name) == rule)


@cache
def named_release(name: str) -> Release | None:
    """Return the release that a protocol's name stands for, such as "kafka-3.9-kraft"."""
    if not name.startswith(PREFIX):
        return None
    version, _, rest = name[len(PREFIX) :].partition("-")
    metadata, _, protocol_version = rest.partition("-")
    if metadata not in (ZOOKEEPER, KRAFT):
        return None
    return Release(version, metadata, protocol_version)


def _base(code: Version, wire: Version) -> Protocol:
    """Return the protocol of brokers with this code that talk in this version."""
    if wire < (0, 11):
        return HW
    if wire < (2, 0):
        return KIP_101
    if wire < (2, 1):
        return KIP_279
    return KIP_320 if wire < (2, 7) or code < (2, 8) else KIP_595


def _changes(release: Release, epoch_cache: bool) -> Mapping[str, Any]:
    """Return the rules that belong to a release's code."""
    code, tables = release.code, [_SINCE]
    if epoch_cache:
        tables.append(_SINCE_WITH_EPOCHS)
    if release.metadata == KRAFT:
        tables.append(_SINCE_WITH_KRAFT)
    changed: dict[str, Any] = {}
    for table in tables:
        for name, versions in table.items():
            changed[name] = [rule for since, rule in versions.items() if since <= code][-1]
    if release.metadata == KRAFT and release.wire < (3, 5):
        changed["may_still_be_members"] = older.whatever_it_was
    if (2, 0) <= code < (2, 0, 1) and epoch_cache:
        changed["end_offset_for_epoch"] = kip279.unless_below_the_first
        changed["offset_without_common_epoch"] = kip279.the_answered_offset
    return changed


_SINCE: Mapping[str, Mapping[Version, Any]] = {
    "may_restart": {(0,): rules.bounce_unnoticed, (2, 2): rules.once_fenced},
    "fails_produces": {(0,): older.keep_waiting, (0, 10): rules.fail_at_once},
    "without_leader": {(0,): older.lose_checkpoint, (0, 8, 2): rules.ignore_epoch},
    "forgets_remote_leos": {(0,): older.at_every_new_epoch, (0, 9): rules.unless_leading},
    "exits_if_longer": {
        (0,): kip279.never_exit, (0, 8, 2): rules.exit_unless_unclean, (2, 0, 1): kip279.never_exit,
    },
    "may_lag": {(0,): rules.at_any_time, (2, 1): rules.not_at_log_end},
    "has_epoch_start": {(0,): rules.at_any_offset, (2, 0, 1): rules.at_or_above_epoch_start},
    "may_list_offsets": {(0,): rules.list_at_once, (2, 2): kip595.list_from_epoch_start},
    "has_new_leader": {
        (0,): rules.at_every_epoch, (0, 8, 2): rules.if_leader_changes,
        (2, 0, 1): kip279.unless_next_epoch, (2, 1): rules.at_every_epoch,
    },
    "hw_with_records": {
        (0,): older.after_the_fetch, (0, 8, 2): rules.before_the_fetch,
        (1, 0): older.after_the_fetch, (1, 0, 2): rules.before_the_fetch,
        (1, 1): older.after_the_fetch, (1, 1, 1): rules.before_the_fetch,
    },
    "fetch_advances_hw": {(0,): rules.at_any_fetch, (2, 4): rules.if_log_end_moves},
    "keeps_rejected_change": {(0,): rules.drop_rejected, (2, 8): rules.keep_rejected},
    "counts_diverging_fetch": {
        (0,): rules.not_if_diverging, (2, 8): older.also_if_diverging,
        (2, 8, 1): rules.not_if_diverging,
    },
    "applies_diverging_hw": {
        (0,): rules.truncate_first, (2, 8): older.before_truncating,
        (3, 4, 1): rules.truncate_first,
    },
    "may_delete": {(0,): log.up_to_log_end, (0, 11, 0, 1): log.up_to_hw},
    "raises_hw": {
        (0,): log.never_raised, (2, 4): log.unless_starting_over,
        (2, 4, 1): log.always_raised,
    },
    "finds_low_hw": {(0,): log.begin_at_log_start, (2, 4): log.position_unknown},
    "diverges_below_start": {
        (0,): log.out_of_range_first, (2, 8): log.epochs_first,
        (2, 8, 1): log.out_of_range_first,
    },
}  # fmt: skip
"""The rules of any release, each since the version before it."""

_SINCE_WITH_EPOCHS: Mapping[str, Mapping[Version, Any]] = {
    "begin_leading": {(0,): rules.cache_with_first_record, (2, 0, 1): kip279.cache_at_once},
    "assign_epoch": {(0,): rules.append_only, (2, 0, 1): kip279.replace_conflicting},
    "truncates_cache": {(0,): older.only_if_log_shrinks, (2, 6, 1): rules.also_if_log_stays},
}
"""Those of a release whose replicas have an epoch cache."""

_SINCE_WITH_KRAFT: Mapping[str, Mapping[Version, Any]] = {
    "may_complete": {(0,): assignment.all_in_isr, (4, 3): assignment.added_in_isr},
    "may_register_unfenced": {
        (0,): older.before_its_fence, FIRST_WITHOUT_ZOOKEEPER: rules.once_its_fence_is_stored,
    },
    "keeps_broker_epoch": {
        (0,): rules.of_the_fetch, (3, 5): older.of_the_latest_fetch, (3, 7): rules.of_the_fetch,
    },
    "elects_last_known_leader": {
        (0,): rules.once_unfenced, (3, 7): older.even_if_fenced, (4, 1): rules.once_unfenced,
    },
}  # fmt: skip
"""Those of a cluster with KRaft."""

"""Known bugs of Kafka: the rule that each is in, its repair, and whether a trace shows it.

Each bug of the catalogue that one rule decides is here; the last three are in current Kafka.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ..core.bounds import unknown
from ..core.errors import SelectionError, TidegateError
from ..core.layout import State
from ..core.spec import Property, ReplayError, Trace, TransitionSystem
from ..model.protocol import Protocol

_PACKAGE = __name__.partition(".")[0]

RULES = re.compile(r"\w+ = \w+(, \w+ = \w+)*")
"""How rules of a protocol are named that are decided otherwise."""


@dataclass(frozen=True)
class Known:
    """A known bug.

    Parameters
    ----------
    name
        That of its page in the catalogue.
    title
        What it is called there, without what is in brackets.
    rule, older
        The rule that it is in, and the name of the function that decides it wrongly.
    """

    name: str
    title: str
    rule: str
    older: str


CURRENT = 3
"""How many of them, the last ones, are in current Kafka."""

UNFENCED = "kafka-7395-fetch"
"""Brokers with this bug lose records in many ways."""

KNOWN = (
    Known("kafka-2960", "KAFKA-2960", "fails_produces", "keep_waiting"),
    Known("kafka-7235", "KAFKA-7235", "may_restart", "bounce_unnoticed"),
    Known("kafka-7164", "KAFKA-7164", "has_new_leader", "if_leader_changes"),
    Known("kafka-7128", "KAFKA-7128", "has_epoch_start", "at_any_offset"),
    Known("kafka-7395-fetch", "KAFKA-7395, fetches", "may_serve_fetch", "serve_anyone"),
    Known(
        "kafka-7395-truncation", "KAFKA-7395, truncation", "may_serve_epoch_request", "serve_anyone"
    ),
    Known("kafka-7415", "KAFKA-7415", "begin_leading", "cache_with_first_record"),
    Known("kafka-10706", "KAFKA-10706", "truncates_cache", "only_if_log_shrinks"),
    Known("kafka-2334", "KAFKA-2334", "may_list_offsets", "list_at_once"),
    Known("kafka-13141", "KAFKA-13141", "counts_diverging_fetch", "also_if_diverging"),
    Known("kafka-18991", "KAFKA-18991", "drop_in_flight", "drop_requests_only"),
    Known("kafka-5634", "KAFKA-5634", "may_delete", "up_to_log_end"),
    Known("kafka-1367", "KAFKA-1367", "isr_for_election", "cached_isr"),
    Known("version-check", "Version check", "may_change_isr", "leads_in_any_epoch"),
    Known("kip-497", "KIP-497", "isr_for_hw", "current_isr"),
    Known("kip-497-epochs", "KIP-497, epochs", "may_alter_partition", "in_any_epoch"),
    Known(
        "kip-497-partition-epochs", "KIP-497, partition epochs", "knows_partition_epoch",
        "in_any_partition_epoch",
    ),
    Known("kafka-12686", "KAFKA-12686", "may_propose", "nothing_proposed"),
    Known("kip-841", "KIP-841", "may_be_members", "anybody"),
    Known("kip-903", "KIP-903", "may_still_be_members", "whatever_it_was"),
    Known("kafka-15221", "KAFKA-15221", "keeps_broker_epoch", "of_the_latest_fetch"),
    Known(
        "registered-unfenced", "Registered before its fence", "may_register_unfenced",
        "before_its_fence",
    ),
    Known("kafka-19522", "KAFKA-19522", "elects_last_known_leader", "even_if_fenced"),
    Known("remote-leos", "Remote LEOs of a missed epoch", "forgets_remote_leos", "unless_leading"),
    Known("known-record", "A known record", "applies_known_record", "also_if_known"),
    Known(
        "removed-replica", "A removed replica is eligible", "removed_are_eligible", "stay_eligible"
    ),
)  # fmt: skip


@cache
def _newest() -> Protocol:
    # A check of a custom model imports none of Kafka's.
    from ..model.broker.protocols.kip595_reset import KIP_595_RESET

    return KIP_595_RESET


def _right(known: Known) -> Callable[..., Any]:
    """Return the function that decides the rule of a bug rightly."""
    right: Callable[..., Any] = getattr(_newest().rules, known.rule)
    return right


def repairs(protocol: Protocol) -> dict[str, tuple[str, Any]]:
    """Return the rules that the newest protocol decides otherwise, by their names."""
    if not protocol.is_kafkas:
        return {}
    rules = {}
    for known in KNOWN:
        right = _right(known)
        if getattr(protocol.rules, known.rule) is not right:
            rules[f"{known.rule} = {right.__name__}"] = known.rule, right
    return rules


def with_rules(protocol: Protocol, text: str, mutants: Mapping[str, Protocol]) -> Protocol | None:
    """Return a protocol with other rules, older or repaired; None if `text` names no such rules."""
    if not RULES.fullmatch(text):
        return None
    changed, repaired = {}, repairs(protocol)
    for one in text.split(", "):
        rule = one.partition(" = ")[0]
        if one in repaired:
            changed[rule] = repaired[one][1]
        elif one in mutants:
            changed[rule] = getattr(mutants[one].rules, rule)
        else:
            return None
    summary = f"{protocol.name} with {text}."
    return replace(
        protocol, name=f"{protocol.name}~{text}", summary=summary, story=summary, parent=protocol,
        expected=(), rules=replace(protocol.rules, **changed),
    )  # fmt: skip


def _own(protocol: Protocol) -> Protocol:
    """Return the protocol that one with other rules was made of, or that protocol itself."""
    return protocol.parent if "~" in protocol.name and protocol.parent else protocol


def repaired(protocol: Protocol, known: Sequence[Known]) -> str:
    """Return the name of a protocol with the repairs of known bugs.

    Raises
    ------
    SelectionError
        If it has no such bug, or is itself named by something else than rules.
    """
    base, tilde, mutant = protocol.name.partition("~")
    if tilde and not RULES.fullmatch(mutant):
        raise SelectionError(f"--repaired: {protocol.name} is a mutant; name a protocol")
    own = _own(protocol)
    fixed = {one.rule for one in known}
    rules = mutant.split(", ") if tilde else []
    names = [one for one in rules if one.partition(" = ")[0] not in fixed]
    for one in known:
        if not _has(protocol, one):
            raise SelectionError(
                f"--repaired {one.name}: {protocol.name} does not have it; it has "
                f"{', '.join(other.name for other in bugs_of(protocol)) or 'no known bug'}"
            )
        right = _right(one)
        if getattr(own.rules, one.rule) is not right:
            names.append(f"{one.rule} = {right.__name__}")
    return f"{base}~{', '.join(names)}" if names else base


def find_known(name: str) -> Known:
    """Return a known bug by its name.

    Raises
    ------
    SelectionError
        If there is none of that name.
    """
    every = {one.name: one for one in KNOWN}
    if name.lower() not in every:
        raise SelectionError(unknown("known bug", name, every))
    return every[name.lower()]


def bugs_of(protocol: Protocol) -> Iterator[Known]:
    """Yield the known bugs that a protocol has, those of current Kafka first."""
    yield from (known for known in reversed(KNOWN) if _has(protocol, known))


def _suspects(protocol: Protocol) -> Iterator[Known]:
    """Yield the known bugs that may be why a protocol violates a property.

    Those of current Kafka are in protocols with fences; those of a release or a mutant are in what
    distinguishes it from the built-in protocol that it is based on.
    """
    fenced = not _has(protocol, find_known(UNFENCED))
    based_on = protocol.parent and (_built_in(protocol.parent) or protocol.parent)
    for known in bugs_of(protocol):
        if known in KNOWN[-CURRENT:]:
            if fenced:
                yield known
        elif based_on and not _has(based_on, known):
            yield known


def needed(
    protocol: Protocol,
    trace: Trace,
    prop: Property,
    system_of: Callable[[Protocol], TransitionSystem[Any, Any]],
) -> Iterator[tuple[Known, Protocol]]:
    """Yield the known bugs whose older rules a trace needs, each with the protocol without it.

    Parameters
    ----------
    system_of
        Returns the system of a protocol within the bounds of the search.
    """
    _, tilde, mutant = protocol.name.partition("~")
    if trace.loop is not None or (tilde and not RULES.fullmatch(mutant)):
        return
    for known in _suspects(protocol):
        _, _, text = repaired(protocol, [known]).partition("~")
        changed = with_rules(_own(protocol), text, dict.fromkeys(mutant.split(", "), protocol))
        other = changed or _own(protocol)
        if not has_trace(system_of(other), prop, trace):
            yield known, other


def by_itself(protocol: Protocol, known: Known) -> tuple[Protocol, Protocol] | None:
    """Return the built-in protocol that a protocol is made of, with and without one known bug.

    The first is the protocol itself where it differs in nothing else; None if it is made of none.
    """
    base = _built_in(protocol)
    if base is None:
        return None
    repair, bug = (f"{known.rule} = {name}" for name in (_right(known).__name__, known.older))
    has_it = _has(base, known)
    one = base if has_it else with_rules(base, bug, {bug: protocol})
    other = with_rules(base, repair, {}) if has_it else base
    assert one is not None
    assert other is not None
    return (protocol if _searched_as(one) == _searched_as(protocol) else one), other


def _built_in(protocol: Protocol) -> Protocol | None:
    """Return the nearest built-in protocol that a protocol is made of, or that it is."""
    base: Protocol | None = protocol
    while base is not None and not _is_built_in(base):
        base = base.parent
    return base


def _is_built_in(protocol: Protocol) -> bool:
    """Whether it is a protocol of this package, or what a release runs."""
    from ..model import PROTOCOLS
    from ..model.broker.releases import named_release

    if protocol in PROTOCOLS:
        return True
    with suppress(TidegateError):
        release = named_release(protocol.name)
        return release is not None and release.protocol == protocol
    return False


def _searched_as(protocol: Protocol) -> tuple[object, ...]:
    """Return what of a protocol a search depends on."""
    return protocol.rules, protocol.actions, protocol.state, protocol.limits, protocol.model


def _has(protocol: Protocol, known: Known) -> bool:
    decides = getattr(protocol.rules, known.rule, None) if protocol.is_kafkas else None
    # A user's function may have the name of an older rule.
    ours = getattr(decides, "__module__", "").startswith(f"{_PACKAGE}.")
    return ours and getattr(decides, "__name__", "") == known.older


def has_trace(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> bool:
    """Whether a system takes the steps of a trace, and then violates the property as well."""
    for state in list(system.initial_states()):
        at: State | None = state
        for step in trace.steps:
            try:
                at = system.take(at, step) if at is not None else None
            except ReplayError:
                return False
        if at is not None and system.violates(prop, at):
            return True
    return False

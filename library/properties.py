"""Finds properties by their names, and makes the system that they are checked in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from shlex import quote
from typing import Any

from ..core.bounds import unknown
from ..core.errors import SelectionError
from ..core.result import DEFAULT, undecidable
from ..core.spec import ASSERTION, DEADLOCK, TYPE_OK, Kind, ModelError, Property, TransitionSystem
from ..core.vocabulary import built_in
from ..invariants import NOT_PROMISED
from ..model import Protocol
from .histories import asserts, every_history, histories, names_of_history
from .names import custom_property, is_custom


def properties_of(protocol: Protocol) -> tuple[Property, ...]:
    """Return every property that can be checked of a protocol.

    Where its actions have assertions, ``Assertion`` is one of them.  One of its own may have the
    name of a built-in one, which every model has, but not that of another one of its family.

    Raises
    ------
    ModelError
        If it gives one of its own the name of another.
    """
    own = properties = protocol.properties
    if protocol.is_kafkas:
        from ..invariants.broker import PROPERTIES

        named = (built_in(one, own) if one in (TYPE_OK, DEADLOCK) else one for one in PROPERTIES)
        properties = (*properties, *named)
    if asserts(protocol):
        properties = (*properties, built_in(ASSERTION, own))
    names = [prop.name.lower() for prop in properties]
    for prop in protocol.properties:
        if names.count(prop.name.lower()) > 1:
            raise ModelError(
                f"{protocol.name}: its property {prop.name} has the name of another one; rename it"
            )
    return properties


def invariants_of(protocol: Protocol) -> tuple[Property, ...]:
    """Return every invariant of a protocol, but for what Kafka does not promise."""
    return tuple(
        prop
        for prop in properties_of(protocol)
        if prop.kind.is_invariant and _is_promised(protocol, prop)
    )


def all_of(protocol: Protocol) -> tuple[Property, ...]:
    """Return what ``all`` stands for: every property that a protocol declares.

    Deadlock and Stuck belong to it only where they are checked by default.  In Kafka's protocols
    the bounds end every behavior, so that all protocols violate Deadlock, and Stuck is decided
    state by state in Python.  What Kafka does not promise never belongs to it.
    """
    return tuple(
        prop
        for prop in properties_of(protocol)
        if prop.name in protocol.default_properties
        or (prop.kind not in (Kind.DEADLOCK, Kind.STUCK) and _is_promised(protocol, prop))
    )


def _is_promised(protocol: Protocol, prop: Property) -> bool:
    """Whether a property is none of those that Kafka does not promise."""
    return not (protocol.is_kafkas and prop.name in NOT_PROMISED)


def with_custom(protocol: Protocol, names: Iterable[str]) -> Protocol:
    """Return a protocol with those of some properties that files define: it has them, too.

    Raises
    ------
    SelectionError
        If there is no such property, or its file cannot be used.
    """
    have = {prop.name for prop in protocol.properties}
    own = [
        custom_property(protocol, name) for name in names if is_custom(name) and name not in have
    ]
    return replace(protocol, properties=(*protocol.properties, *own)) if own else protocol


@dataclass(frozen=True)
class Selection:
    """Properties of a protocol that are chosen by name.

    Parameters
    ----------
    properties
        Those to decide, in order.
    named
        Names of those that the user named one by one: where one cannot be decided, that is an
        error.
    others
        Names of the protocol's properties that are not chosen.
    listing
        The command that lists them, where the choice was left to a protocol of Kafka's brokers.
    """

    properties: tuple[Property, ...]
    named: frozenset[str]
    others: tuple[str, ...] = ()
    listing: str = ""


def find_properties(protocol: Protocol, names: Sequence[str]) -> list[Property]:
    """Return properties by name, 'all', 'none', or the protocol's default properties."""
    return list(select(protocol, names).properties)


def select(protocol: Protocol, names: Sequence[str]) -> Selection:
    """Choose properties by name: 'all', 'none', or for no names the protocol's default properties.

    A custom property is named by its file: ``promises.py:NO_GAP``.  ``Assertion`` is chosen
    wherever there is one.

    Raises
    ------
    SelectionError
        If there is no such property, or names contradict each other.
    """
    protocol = with_custom(protocol, names)
    known = {prop.name.lower(): prop for prop in properties_of(protocol)}
    asserted = [prop for prop in known.values() if prop.kind is Kind.ASSERTION]
    if not names and not protocol.default_properties and not asserted:
        raise SelectionError(
            f"{protocol.name} has no property that is checked by default; declare one, or ask for "
            "what there is, such as -p TypeOk, or -p none to count states"
        )
    chosen = [name.lower() for name in names or protocol.default_properties]
    if len(chosen) > 1 and "none" in chosen:
        raise SelectionError("property 'none' contradicts the others; use it alone")
    wanted: dict[str, Property] = {}
    for written, name in zip(names or chosen, chosen, strict=True):
        if name == "all":
            wanted.update({prop.name: prop for prop in all_of(protocol)})
        elif name in known:
            wanted[known[name].name] = known[name]
        elif name != "none":
            everything = [*(prop.name for prop in known.values()), "all", "none"]
            own = "; name a custom property by its file (promises.py:NO_GAP)"
            raise SelectionError(unknown("property", written, everything) + own)
    # A step whose assertion fails leads nowhere, so a search that has one decides it.
    wanted.update({prop.name: prop for prop in asserted})
    return Selection(
        tuple(wanted.values()),
        frozenset(known[name].name for name in chosen if name in known) if names else frozenset(),
        tuple(_others(protocol, known, wanted)),
        "" if names or not protocol.is_kafkas else _listing(protocol.name),
    )


def _others(
    protocol: Protocol, known: Mapping[str, Property], wanted: Mapping[str, Property]
) -> Iterable[str]:
    """Yield the names of the properties that are not chosen.

    Every custom model has TypeOk and Deadlock; it need not mean them.
    """
    for prop in known.values():
        declared = protocol.is_kafkas or prop.kind not in (Kind.TYPE, Kind.DEADLOCK)
        if prop.name not in wanted and (declared or prop.name in protocol.default_properties):
            yield prop.name


def _listing(name: str) -> str:
    """Return the command that lists the properties of a protocol, or of what a mutant is made of.

    >>> _listing("kip-320~may_serve_fetch = serve_anyone")
    'tidegate list properties kip-320'
    """
    return f"tidegate list properties {quote(name.partition('~')[0])}"


def select_violable(protocol: Protocol, names: Sequence[str]) -> Selection:
    """Choose those of the properties that a behavior can violate, for commands that show one.

    Raises
    ------
    SelectionError
        If the user names a property of the kind ``SOMETIMES``.
    """
    selection = select(protocol, names)
    sought = [prop.name for prop in selection.properties if prop.kind is Kind.SOMETIMES]
    for name in sought:
        if name in selection.named:
            raise SelectionError(
                f"-p {name}: it says that a state can be reached, and no behavior violates that; "
                "use 'tidegate check' for it"
            )
    kept = tuple(prop for prop in selection.properties if prop.name not in sought)
    return replace(selection, properties=kept)


def find_violable(protocol: Protocol, names: Sequence[str]) -> list[Property]:
    """Return those of the properties that a behavior can violate: see :func:`select_violable`."""
    return list(select_violable(protocol, names).properties)


def select_of_states(protocol: Protocol, names: Sequence[str]) -> Selection:
    """Choose those of the properties that single states violate, and those that the user names."""
    selection = select_violable(protocol, names)
    kept = (
        prop
        for prop in selection.properties
        if not prop.kind.is_liveness or prop.name in selection.named
    )
    return replace(selection, properties=tuple(kept))


def find_of_states(protocol: Protocol, names: Sequence[str]) -> list[Property]:
    """Return the properties that :func:`select_of_states` chooses."""
    return list(select_of_states(protocol, names).properties)


def system_for(
    protocol: Protocol, settings: Iterable[str], properties: Iterable[Property]
) -> TransitionSystem[Any, Any]:
    """Return the transition system of a protocol, with the histories that some properties read.

    Parameters
    ----------
    settings
        Its bounds, as on the command line.

    Raises
    ------
    BoundsError
        For bounds that do not exist or contradict each other.
    ModelError
        For code that is not a function of the state, or that a reader takes for something else.
    """
    chosen = list(properties)
    needs = frozenset(each for prop in chosen for each in histories(prop, protocol))
    system = _system(protocol, settings, needs)
    system.changed_rules = changed_rules(protocol)
    if not _is_all_ours(protocol, chosen):
        # What lowers models takes a while to import.
        from ..checker.refusals import refuse_outside

        names = names_of_history(protocol)
        lowered = with_every_history(protocol, settings) if names else system
        refuse_outside(lowered, chosen, names)
        system.declared_pure, system.unproven = lowered.declared_pure, lowered.unproven
    return system


def changed_rules(protocol: Protocol) -> tuple[str, ...]:
    """Return in which rules a custom protocol, or a mutant, differs from its parent, by name.

    Of a protocol of Kafka's brokers as it comes, and of a release, the reference says where each
    rule is asked.
    """
    parent = protocol.parent
    if parent is None or _is_kafkas_own(protocol):
        return ()
    own = protocol.rules
    return tuple(
        one.name
        for one in fields(own)
        if callable(getattr(own, one.name))
        and getattr(own, one.name) is not getattr(parent.rules, one.name, None)
    )


def _is_kafkas_own(protocol: Protocol) -> bool:
    """Whether this is a protocol of Kafka's brokers as it comes, or what a release runs."""
    if not protocol.is_kafkas:
        return False
    from ..model import PROTOCOLS
    from ..model.broker.releases import named_release

    if any(protocol is one for one in PROTOCOLS):
        return True
    return not protocol.is_mutant and named_release(protocol.name) is not None


def _is_all_ours(protocol: Protocol, properties: Iterable[Property]) -> bool:
    """Whether this is a protocol of Kafka's brokers as it comes, and no property is a user's."""
    if not protocol.is_kafkas:
        return False
    from ..model import PROTOCOLS

    ours = (*properties_of(protocol), DEADLOCK, TYPE_OK)
    return any(protocol is one for one in PROTOCOLS) and all(prop in ours for prop in properties)


def left_undecided(
    protocol: Protocol, settings: Iterable[str], selection: Selection
) -> dict[str, str]:
    """Return which of the chosen properties no search decides, by name, each with the reason."""
    system = system_for(protocol, settings, selection.properties)
    return undecidable(system, selection.properties, selection.named, DEFAULT, symmetry=False)


def with_every_history(protocol: Protocol, settings: Iterable[str]) -> TransitionSystem[Any, Any]:
    """Return a protocol's system whose states have every history that they can keep.

    No guard reads histories, so every behavior of the protocol is one of this system.
    """
    return _system(protocol, settings, every_history(protocol))


def _system(
    protocol: Protocol, settings: Iterable[str], needs: frozenset[str]
) -> TransitionSystem[Any, Any]:
    """Return a protocol's system, in which a step whose assertion fails leads nowhere.

    That is so whatever the properties of a search are; only ``Assertion`` is violated by it.
    """
    system = protocol.system(protocol.within(settings), needs)
    system.asserts = asserts(protocol)
    return system

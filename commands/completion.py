"""What a shell offers for a protocol, a property, a bound and its value.

Completion runs no file: of a custom protocol, it offers only the path.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from click import Argument, Context, Parameter
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from ..core.bounds import Bound, declared
from ..invariants import properties_of
from ..model.protocol import Protocol

Offers = list[CompletionItem]


@add_completion_class
class Bash(BashComplete):
    """Bash, which takes ``NAME=VALUE`` for three words and replaces only the last of them."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)",
        "COMPREPLY+=($value); [[ $value == *= ]] && compopt -o nospace",
    )
    """Click's script; but no space follows what ends with ``=``."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, and the one at the cursor, with ``=`` inside."""
        words, last = super().get_completion_args()
        joined: list[str] = []
        for word in [*words, last]:
            if joined and (word == "=" or joined[-1].endswith("=")):
                joined[-1] += word
            else:
                joined.append(word)
        return joined[:-1], joined[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """Return what replaces the last word: of ``NAME=VALUE``, the value."""
        _, equals, value = item.value.partition("=")
        replaced = "=" in os.environ["COMP_WORDS"].split()[-2:]
        return f"{item.type},{value if equals and replaced else item.value}"


def protocols(context: Context, parameter: Parameter, incomplete: str) -> Offers:
    """Return built-in protocols that begin like this; files if there are none."""
    from ..model import PROTOCOLS

    offers = [
        CompletionItem(protocol.name, help=protocol.summary)
        for protocol in PROTOCOLS
        if protocol.name.startswith(incomplete.lower())
    ]
    return offers or [CompletionItem(incomplete, type="file")]


def releases(context: Context, parameter: Parameter, incomplete: str) -> Offers:
    """Return releases of Kafka."""
    from ..model.broker.releases import RELEASES

    return _beginning(incomplete, ((name, "") for name in RELEASES))


def bugs(context: Context, parameter: Parameter, incomplete: str) -> Offers:
    """Return known bugs of Kafka."""
    from ..analysis.known import KNOWN

    return _beginning(incomplete, ((one.name, one.title) for one in KNOWN))


def properties(context: Context, parameter: Parameter, incomplete: str) -> Offers:
    """Return the properties of the protocol that is named before, or of every family."""
    from ..model import PROTOCOLS

    known = [properties_of(protocol) for protocol in _protocols(context) or PROTOCOLS]
    statements = {prop.name: prop.statement for props in known for prop in props}
    every = {"all": "every property of the protocol", "none": "count the states"}
    return _beginning(incomplete, {**statements, **every}.items())


def settings(context: Context, parameter: Parameter, incomplete: str) -> Offers:
    """Return bounds, or after ``NAME=`` the values of that bound."""
    from ..model import PROTOCOLS

    models = {one.family: one.model for one in _protocols(context) or PROTOCOLS}
    known: dict[str, Bound] = {}
    for model in models.values():
        known.update({name: bound for name, (bound, _) in declared(model.bounds).items()})
    name, equals, _ = incomplete.partition("=")
    if not equals:
        return _beginning(
            incomplete, ((_written(key, value), value.doc) for key, value in known.items())
        )
    if name not in known:
        return []
    bound = known[name]
    numbers = map(str, range(bound.low, bound.high + 1))
    values = numbers if bound.names is None else bound.shown_names()
    return _beginning(incomplete, ((f"{name}={value}", "") for value in values))


def words(known: Sequence[str]) -> Callable[[Context, Parameter, str], Offers]:
    """Return what offers one of a few words."""
    return lambda context, parameter, incomplete: _beginning(
        incomplete, ((word, "") for word in known)
    )


def _written(name: str, bound: Bound) -> str:
    """Return how a setting of a bound begins; a switch is complete without a value."""
    return name if bound.names is not None and "on" in bound.names else f"{name}="


def _protocols(context: Context) -> list[Protocol]:
    """Return the built-in protocols that the words before the cursor name.

    Click leaves arguments unassigned where an option still lacks its value.
    """
    from ..model import PROTOCOLS

    named = [
        context.params.get(parameter.name or "")
        for parameter in context.command.params
        if isinstance(parameter, Argument)
    ]
    known = {protocol.name: protocol for protocol in PROTOCOLS}
    return [known[name] for name in [*named, *context.args] if name in known]


def _beginning(incomplete: str, offers: Iterable[tuple[str, str]]) -> Offers:
    """Return the offers that begin with what is written, in any case."""
    start = incomplete.lower()
    return [
        CompletionItem(value, help=text or None)
        for value, text in offers
        if value.lower().startswith(start)
    ]


OF_OPTIONS = {
    "release": releases,
    "protocol_version": releases,
    "repaired": bugs,
}
"""What is offered for the options of records, by their fields."""

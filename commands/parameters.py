"""Options of the command line: those that records declare, and the arguments that name a model.

What a shell offers for a protocol, a property, a bound and its value.

Completion runs no file: of a custom protocol, it offers only the path.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click import Context, Parameter
from click.core import ParameterSource
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from ..core.bounds import Bound, declared
from ..core.options import TIME, Declared, Unit, option, options
from ..library.properties import properties_of
from ..render.forms import FORMS

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
    from ..library.known_bugs import KNOWN

    return _beginning(incomplete, ((one.name, one.title) for one in KNOWN))


def properties(context: Context, parameter: Parameter, incomplete: str) -> Offers:
    """Return the properties of Kafka's brokers."""
    from ..model import PROTOCOLS

    statements = {prop.name: prop.statement for prop in properties_of(PROTOCOLS[0])}
    every = {"all": "every property of the protocol", "none": "count the states"}
    return _beginning(incomplete, {**statements, **every}.items())


def settings(context: Context, parameter: Parameter, incomplete: str) -> Offers:
    """Return bounds, or after ``NAME=`` the values of that bound."""
    from ..model.broker.bounds import Constants

    known = {name: bound for name, (bound, _) in declared(Constants).items()}
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


def _beginning(incomplete: str, offers: Iterable[tuple[str, str]]) -> Offers:
    """Return the offers that begin with the text so far, in any case."""
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
"""The offers for the options of records, by their fields."""


Command = Callable[..., Any]


class Quantity(click.ParamType):  # type: ignore[type-arg]
    """A quantity, such as a time, in the unit in which users write it."""

    name = "quantity"

    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the quantity as a number."""
        if isinstance(value, (int, float)):
            return value
        number = self.unit.read(str(value))
        if number is None:
            self.fail(f"{value!r} {self.unit.wrong}")
        return number


def takes(record: type, name: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of a record, which the command receives made.

    Parameters
    ----------
    name
        The parameter of the command that receives it.
    """

    def add(command: Command) -> Command:
        def with_record(**values: Any) -> Any:
            chosen = {one.field: values.pop(one.field) for one in options(record)}
            return command(**values, **{name: record(**chosen)})

        added: Command = wraps(command)(with_record)
        for one in reversed(options(record)):
            added = _click_option(one)(added)
        return added

    return add


def _click_option(one: Declared) -> Callable[[Command], Command]:
    """Return the option of the command line that a record declares."""
    declared = one.option
    flags = declared.flags or (f"--{one.name.replace('_', '-')}",)
    if one.kind == "bool":
        return click.option(*flags, one.field, is_flag=True, help=declared.help)
    shown = declared.unset or one.default not in (None, "", ())
    return click.option(
        *flags,
        one.field,
        type=_click_type(one),
        default=f"{one.default:g}s" if declared.unit is TIME and shown else one.default,
        show_default=shown if not declared.unset else declared.unset,
        metavar=declared.unit.name if declared.unit else declared.metavar,
        multiple=one.kind == "tuple",
        help=declared.help,
        shell_complete=OF_OPTIONS.get(one.field),
    )


def _click_type(one: Declared) -> click.ParamType | type:  # type: ignore[type-arg]
    declared = one.option
    if declared.unit:
        return Quantity(declared.unit)
    if declared.choices:
        return click.Choice(tuple(declared.choices))
    if declared.metavar == "FILE":
        return click.Path(dir_okay=False, allow_dash=True)
    if one.kind == "Path":
        return click.Path(file_okay=False, path_type=Path)
    if one.kind == "int":
        return click.IntRange(_whole(declared.low), _whole(declared.high))
    return click.FloatRange(declared.low, declared.high) if one.kind == "float" else str


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def model_options(asks: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the options for bounds and properties.

    Parameters
    ----------
    asks
        The beginning of the help of ``-p``.
    """

    def add(command: Command) -> Command:
        command = click.option(
            "-p",
            "--property",
            "names",
            metavar="PROPERTY",
            multiple=True,
            shell_complete=properties,
            help=f"{asks} (repeatable), or 'all', or 'none'.",
        )(command)
        return bound_option()(command)

    return add


def bound_option(
    about: str = "Set a bound or an option of the protocol (repeatable); "
    "'tidegate list bounds' shows them all.",
    written: Sequence[str] = ("-b", "--bound", "settings"),
) -> Callable[[Command], Command]:
    """Return the option that sets a bound, or another one that is written like it."""
    return click.option(
        *written,
        metavar="NAME=VALUE",
        multiple=True,
        shell_complete=settings,
        help=about,
    )


def protocol_argument(name: str = "protocol", **options: Any) -> Callable[[Command], Command]:
    """Return an argument that names a protocol."""
    return click.argument(name, shell_complete=protocols, **options)


def trace_options(command: Command) -> Command:
    """Add the options of a trace's protocol.

    Code that a trace names is run only if the user names it too, or trusts the file.
    """
    command = click.option(
        "--trust",
        "trusted",
        is_flag=True,
        help="Trust TRACE.json: run the Python code that it names.",
    )(command)
    return click.option(
        "--protocol",
        "named",
        metavar="PROTOCOL",
        shell_complete=protocols,
        help="Replay under this protocol instead of the one that TRACE.json names.",
    )(command)


def form_options(what: str) -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each form of a trace.

    The command receives as ``forms`` the file of each requested form, by its name.

    Parameters
    ----------
    what
        The content of the file, for the help.
    """

    def add(command: Command) -> Command:
        def with_forms(**values: Any) -> Any:
            paths = {name: values.pop(f"{name}_file") for name in FORMS}
            forms = {name: path for name, path in paths.items() if path is not None}
            return command(**values, forms=forms)

        added: Command = wraps(command)(with_forms)
        for name, form in reversed(list(FORMS.items())):
            added = click.option(
                f"--{name}",
                f"{name}_file",
                type=click.Path(dir_okay=False, allow_dash=True),
                metavar="FILE",
                help=f"Write {what} as {form.what}.",
            )(added)
        return added

    return add


def set_options(record: type) -> dict[str, Any]:
    """Return the options of a record that the command line of this run sets, by their fields."""
    context = click.get_current_context()
    return {
        one.field: context.params[one.field]
        for one in options(record)
        if context.get_parameter_source(one.field) is ParameterSource.COMMANDLINE
    }


@dataclass(frozen=True)
class Output:
    """What a command prints, and writes."""

    json_file: str | None = option(
        None,
        "Write the result as JSON, '-' for standard output (nothing else is printed there).",
        flags=("--json",),
        metavar="FILE",
    )
    quiet: bool = option(
        False, "Print only the verdict; show no progress.", flags=("-q", "--quiet")
    )


@dataclass(frozen=True)
class TraceOutput(Output):
    """What a command prints, and writes, that finds a counterexample."""

    full: bool = option(False, "Print every variable of every state of the trace.")

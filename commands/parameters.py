"""Options that several commands share, and the values they take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from ..checker.engines import EngineChoiceError
from ..checker.memory import parse_size
from ..checker.result import Cluster, Limits, StateStore
from . import completion


class Size(click.ParamType):  # type: ignore[type-arg]
    """An amount of memory: a number of bytes, or of K, M, G or T (powers of 1024)."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the amount in bytes."""
        if isinstance(value, int):
            return value
        size = parse_size(str(value))
        if size is None:
            self.fail(f"{value!r} is not an amount of memory of at least 64M, such as 500M or 12G")
        return size


class Duration(click.ParamType):  # type: ignore[type-arg]
    """A time: a number of seconds, or of ``s``, ``m``, ``h`` or ``d``, as in ``1h30m``."""

    name = "duration"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the time in seconds."""
        if isinstance(value, float):
            return value
        text = str(value)
        parts = re.findall(r"(\d+(?:[.]\d+)?)([smhd])", text)
        written = "".join(number + unit for number, unit in parts)
        try:
            seconds = float(text)
        except ValueError:
            seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
            seconds = seconds if written == text else 0
        if not 0 < seconds <= _LONGEST:
            self.fail(f"{text!r} is not a time; write seconds, or such as 90s, 5m or 1h30m")
        return seconds


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}

_LONGEST = 1e9
"""Seconds of the longest time limit."""

Command = Callable[..., Any]


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
            shell_complete=completion.properties,
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
        shell_complete=completion.settings,
        help=about,
    )


def protocol_argument(name: str = "protocol", **options: Any) -> Callable[[Command], Command]:
    """Return an argument that names a protocol."""
    return click.argument(name, shell_complete=completion.protocols, **options)


def cluster_options(command: Command) -> Command:
    """Add the options that say on which cluster ``--engine spark`` searches."""
    for option in (
        click.option(
            "--ship", is_flag=True, help="Spark: send this version of Tidegate to the executors."
        ),
        click.option(
            "--conf",
            metavar="spark.NAME=VALUE",
            multiple=True,
            help="Spark: a configuration setting (repeatable).",
        ),
        click.option(
            "--local-levels",
            type=click.IntRange(min=0),
            metavar="N",
            help="Spark: search levels with fewer than N candidates in the driver, without a job.  "
            "[default: 50000]",
        ),
        click.option(
            "--master",
            metavar="URL",
            help="Spark: the master, such as spark://host:7077, yarn or local[4].  "
            "[default: local[*]]",
        ),
    ):
        command = option(command)
    return command


SECRET = re.compile(r"secret|password|token|access[.]?key|api[.]?key", re.IGNORECASE)
"""Names of settings whose values Spark redacts, too."""

CLUSTER = ("master", "partitions", "local_levels", "conf", "ship", "export")
"""Options of ``--engine spark``, by the names of what they set."""


@dataclass(frozen=True)
class SearchOptions:
    """The options that determine the answer of a search, and so belong to a checkpoint.

    ``store`` is as on the command line; ``cluster`` is for ``--engine spark``.
    """

    protocol: str
    settings: tuple[str, ...]
    names: tuple[str, ...]
    engine: str
    store: str
    keep_going: bool
    symmetry: bool
    debug: bool
    cluster: Cluster | None

    def about(self) -> dict[str, Any]:
        """Return them for a manifest, without secrets."""
        cluster = self.cluster and replace(self.cluster, conf=_plain(self.cluster.conf))
        return asdict(replace(self, cluster=cluster))


@dataclass(frozen=True)
class RunOptions:
    """The options of one run: when it stops, what it may use, and what it writes where."""

    max_states: int | None
    max_depth: int | None
    time_limit: float | None
    max_memory: int | None
    workers: int | None
    checkpoint: Path | None
    checkpoint_every: float
    quiet: bool
    full: bool
    json_file: str | None
    html_file: str | None

    @property
    def limits(self) -> Limits:
        """When it stops."""
        return Limits(self.max_states, self.max_depth, self.time_limit)


Options = TypeVar("Options", SearchOptions, RunOptions)


def chosen(kind: type[Options], options: Mapping[str, Any], **more: Any) -> Options:
    """Return a record of options with those of a command that belong to it, and with `more`."""
    names = {field.name for field in fields(kind)} - more.keys()
    return kind(**{name: options[name] for name in names}, **more)


def state_store(engine: str, store: str) -> StateStore:
    """Return how states are stored, by ``--store``; with Spark it may name a directory instead.

    Raises
    ------
    EngineChoiceError
        For a directory with another engine.
    """
    try:
        return StateStore(store)
    except ValueError:
        if engine == "spark":
            return StateStore.EXACT
        raise EngineChoiceError(
            f"--store {store}: is neither {' nor '.join(StateStore)}; a directory is for "
            "--engine spark"
        ) from None


def cluster(
    engine: str,
    location: str | None,
    options: Mapping[str, Any],
    recorded: Cluster | None = None,
) -> Cluster | None:
    """Return the cluster to search on: as the options say, and else as `recorded` in a store.

    Parameters
    ----------
    location
        That of the store, which all executors share; None for a temporary one.

    Raises
    ------
    EngineChoiceError
        If an option is set that the engine does not take.
    """
    chosen = {name: options.get(name) for name in CLUSTER}
    values = {
        name: value
        for name, value in chosen.items()
        if value not in ((), None) and value is not False
    }
    if engine != "spark":
        for name in values:
            option = name.replace("_", "-")
            raise EngineChoiceError(
                f"--{option} needs --engine spark; add that, or leave out --{option}"
            )
        return None
    if "conf" in values:
        values["conf"] = tuple(values["conf"])
    return replace(recorded or Cluster(), **values, store=location)


def _plain(conf: Sequence[str]) -> tuple[str, ...]:
    """Return settings of Spark without secrets."""
    return tuple(one for one in conf if not SECRET.search(one.partition("=")[0]))


def search_options(command: Command) -> Command:
    """Add the options that say how long, and with what, to search."""
    for option in (
        time_limit_option(),
        click.option(
            "--max-depth", type=click.IntRange(min=1), help="Stop at behaviors of N states."
        ),
        click.option(
            "--max-states", type=click.IntRange(min=1), help="Stop after N distinct states."
        ),
        click.option(
            "--max-memory",
            type=Size(),
            metavar="SIZE",
            help="Stop before using more than SIZE, such as 500M or 12G.  "
            "[default: 80% of free memory]",
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1, max=256),
            help="Threads of the compiled engine.  [default: cores]",
        ),
    ):
        command = option(command)
    return command


def time_limit_option(
    about: str = "Stop after TIME.", default: str | None = None
) -> Callable[[Command], Command]:
    """Return the option that says how long."""
    return click.option(
        "--time-limit",
        type=Duration(),
        default=default,
        show_default=default is not None,
        metavar="TIME",
        help=f"{about} TIME is in seconds, or such as 90s, 5m or 1h30m.",
    )


def json_option(what: str) -> Callable[[Command], Command]:
    """Return the option that says where something is written for programs."""
    return click.option(
        "--json",
        "json_file",
        type=click.Path(dir_okay=False, allow_dash=True),
        metavar="FILE",
        help=f"Write {what} as JSON, '-' for standard output (nothing else is printed there).",
    )


def file_options(helps: dict[str, str]) -> Callable[[Command], Command]:
    """Return what adds an option for a file for each name.

    Parameters
    ----------
    helps
        The help text of each option, by its name.
    """

    def add(command: Command) -> Command:
        for name, about in reversed(helps.items()):
            command = click.option(
                f"--{name}",
                f"{name}_file",
                type=click.Path(dir_okay=False, allow_dash=True),
                metavar="FILE",
                help=about,
            )(command)
        return command

    return add


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
        shell_complete=completion.protocols,
        help="Replay under this protocol instead of the one that TRACE.json names.",
    )(command)


quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print only the verdict; show no progress."
)
"""The option that leaves out all but the answer."""


def output_options(command: Command) -> Command:
    """Add the options that say what is written where."""
    for option in (
        quiet_option,
        click.option(
            "--html",
            "html_file",
            type=click.Path(dir_okay=False),
            metavar="FILE",
            help="Write the counterexample as a self-contained HTML page.",
        ),
        json_option("the report"),
        click.option(
            "--full", is_flag=True, help="Print every variable of every state of the trace."
        ),
    ):
        command = option(command)
    return command

"""Code that a file names is run only if the user names it too, or trusts the file.

Traces, reports, checkpoints and stores name their protocol.  They travel in issues, in mails and as
CI artifacts, so opening one must not run the code that it names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ..core.errors import SelectionError
from ..core.result import Cluster, SearchOptions
from ..core.spec import TidegateError
from ..core.tracefile import Recorded
from ..library.names import find_protocol, is_custom, is_same
from ..library.properties import with_custom
from ..model import Protocol
from .invocation import command_with

_ON_THIS_MACHINE = re.compile(r"local(-cluster)?(\[[0-9*, ]*\])?")
"""Master URLs of Spark's local modes."""


class UntrustedError(TidegateError):
    """A file names code to run, and the user has not trusted it."""


def recorded_protocol(
    file: str, recorded: str, named: str | None, trusted: bool, option: Sequence[str]
) -> str:
    """Return the name of the protocol of a trace, a checkpoint or a store.

    Anybody may have made `file`: Python code that it names is run only if the user names the
    protocol too, or trusts the file.

    Parameters
    ----------
    recorded
        The name in the file.
    named
        The protocol that the user names, if any; it takes precedence.
    option
        What stands before such a name on the command line.

    Raises
    ------
    UntrustedError
        If the user has done neither; with the command to run.
    """
    if named is not None:
        return named
    if is_custom(recorded) and not trusted:
        error = UntrustedError(
            f"{file} names the protocol {recorded}, which is Python code; a file from somebody "
            "else can name any code. If you trust that code, run:"
        )
        error.details = (command_with(*option, _argument(recorded)),)
        raise error
    return recorded


def _argument(protocol: str) -> str:
    """Return a custom protocol's name as an argument, which is never taken for an option."""
    return f"./{protocol}" if protocol.startswith("-") else protocol


def recorded_properties(
    file: str, recorded: Sequence[str], named: Sequence[str], trusted: bool
) -> tuple[str, ...]:
    """Return the names of the properties of a trace, a checkpoint or a store.

    Custom properties are Python code, as custom protocols are.  One that has moved is named by
    where it is now: by the user's --property, which has the same name after the colon.

    Parameters
    ----------
    file, trusted
        As for :func:`recorded_protocol`.
    recorded
        The names in the file.
    named
        The user's --property.

    Raises
    ------
    UntrustedError
        If the user has neither named them nor trusts the file; with the command to run.
    """
    own = [name for name in named if is_custom(name)]
    here = {name: _among(own, name) for name in recorded if is_custom(name)}
    unnamed = [] if trusted else [name for name, now in here.items() if now is None]
    if unnamed:
        error = UntrustedError(
            f"{file} names the property {unnamed[0]}, which is Python code; a file from somebody "
            "else can name any code. If you trust that code, run:"
        )
        error.details = (command_with(*(f"--property={name}" for name in unnamed)),)
        raise error
    used = {(here.get(name) or name).lower() for name in recorded}
    if other := [name for name in named if name.lower() not in used]:
        has = ", ".join(name for name in recorded if name) or "no property"
        raise SelectionError(f"{file}: it has {has}, not {other[0]}; leave out -p {other[0]}")
    return tuple(here.get(name) or name for name in recorded)


def _among(named: Sequence[str], name: str) -> str | None:
    """Return the custom property that the user names and that is the recorded one, if any."""
    same = [entry for entry in named if is_same(entry, name)]
    ending = name.rpartition(":")[2]
    return next(
        iter([*same, *(entry for entry in named if entry.rpartition(":")[2] == ending)]), None
    )


def protocol_to_replay(
    file: str,
    recorded: Recorded,
    named: str | None,
    trusted: bool,
    properties: Sequence[str] = (),
) -> tuple[Protocol, Recorded]:
    """Return the protocol under which to replay a trace, and the trace.

    If the trace is of that protocol, it gets the name that the protocol has here.  A custom
    property that it violates becomes one of the protocol.

    Parameters
    ----------
    file, named, trusted
        As for :func:`recorded_protocol`.
    properties
        The user's --property.

    Raises
    ------
    SelectionError
        If there is no such protocol or property, if the trace is of another model, or if the trace
        names untrusted code.
    """
    name = recorded_protocol(file, recorded.protocol, named, trusted, ["--protocol"])
    chosen = find_protocol(name)
    of_kafka = chosen.is_kafkas
    if trusted or not is_custom(recorded.protocol):
        with suppress(SelectionError):
            # The protocol of the trace may no longer exist; the trace has all of it.
            of_kafka = find_protocol(recorded.protocol).is_kafkas
    if of_kafka != chosen.is_kafkas:
        model = "Kafka's brokers" if of_kafka else "its own model"
        raise SelectionError(
            f"the trace is of {recorded.protocol}, whose steps differ from those of {chosen.name}; "
            f"name a protocol of {model}"
        )
    if is_same(name, recorded.protocol):
        recorded = replace(recorded, protocol=chosen.name)
    [prop] = recorded_properties(file, [recorded.property], properties, trusted)
    return with_custom(chosen, [prop]), replace(recorded, property=prop)


def protocol_to_resume(place: str, recorded: str, named: str | None, trusted: bool) -> str:
    """Return the name of the protocol whose search a checkpoint or a store holds.

    A custom protocol may have moved: a recorded hash shows that its code is the same.

    Raises
    ------
    TidegateError
        If `named` is another protocol, or the recorded code is not trusted.
    """
    if named is not None and not is_custom(recorded) and named.lower() != recorded.lower():
        raise SelectionError(
            f"{place}: the search is of {recorded}, not of {named}; leave out {named}"
        )
    return recorded_protocol(place, recorded, named, trusted, [])


def refuse_outside(
    place: str, recorded: Cluster | None, trusted: bool, chosen: Collection[str]
) -> None:
    """Refuse recorded cluster options that act outside the store, unless the store is trusted.

    Spark settings can name programs to run; another machine receives Tidegate and the states;
    tables are written to any place.

    Parameters
    ----------
    chosen
        Options that the user sets again, which are not affected.

    Raises
    ------
    UntrustedError
        With the command that trusts the store.
    """
    outside = _outside(recorded, chosen) if recorded else []
    if outside and not trusted:
        error = UntrustedError(
            f"{place} records {', '.join(outside)}; with these, a store from somebody else can "
            "run programs or write files. If you trust the store, run:"
        )
        error.details = (command_with("--trust"),)
        raise error


def _outside(recorded: Cluster, chosen: Collection[str]) -> list[str]:
    """Return the recorded options that act outside a store and that the user did not set again."""
    outside, master = [], recorded.master
    if master and "master" not in chosen and not _ON_THIS_MACHINE.fullmatch(master):
        outside.append(f"--master {master}")
    if "conf" not in chosen:
        outside += [f"--conf {setting}" for setting in recorded.conf]
    if recorded.export:
        outside.append(f"--export {recorded.export}")
    return outside


def resume_command(place: Path | str, search: SearchOptions) -> str:
    """Return the command that resumes the user's own search from a checkpoint or a store."""
    if search.cluster is not None and _outside(search.cluster, ()):
        vouched = ["--trust"]
    else:
        vouched = [_argument(search.protocol)] if is_custom(search.protocol) else []
        vouched += [f"--property={name}" for name in search.names if is_custom(name)]
    return shlex.join(["tidegate", "check", "--resume", str(place), *vouched])

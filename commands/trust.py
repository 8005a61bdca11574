"""Code that a file names is run only if the user names it too, or trusts the file.

Traces, reports, checkpoints and stores name their protocol.  They travel in issues, in mails and as
CI artifacts, so opening one must not run the code that it names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..analysis.named import SelectionError, find_protocol, is_own, is_same
from ..checker.result import Cluster
from ..checker.tracefile import Recorded
from ..core.spec import TidegateError
from ..model import Protocol
from .again import command_with

_ON_THIS_MACHINE = re.compile(r"local(-cluster)?(\[[0-9*, ]*\])?")
"""Master URLs of Spark's local modes."""


class UntrustedError(TidegateError):
    """A file names code to run, and the user has not trusted it."""


def recorded_protocol(file: str, recorded: str, named: str | None, trusted: bool) -> str:
    """Return the name of the protocol of a trace, a checkpoint or a store.

    Anybody may have made `file`: Python code that it names is run only if the user names the
    protocol too, or trusts the file.

    Parameters
    ----------
    recorded
        The name in the file.
    named
        The user's --protocol, if any; it takes precedence.

    Raises
    ------
    UntrustedError
        If the user has done neither; with the command to run.
    """
    if named is not None:
        return named
    if is_own(recorded) and not trusted:
        error = UntrustedError(
            f"{file} names the protocol {recorded}, which is Python code; a file from somebody "
            "else can name any code. If you trust that code, run:"
        )
        error.details = (command_with("--protocol", recorded),)
        raise error
    return recorded


def protocol_to_replay(
    file: str, recorded: Recorded, named: str | None, trusted: bool
) -> tuple[Protocol, Recorded]:
    """Return the protocol under which to replay a trace, and the trace.

    If the trace is of that protocol, it gets the name that the protocol has here.

    Parameters
    ----------
    file, named, trusted
        As for :func:`recorded_protocol`.

    Raises
    ------
    SelectionError
        If there is no such protocol, if the trace is of another family, or if the trace names
        untrusted code.
    """
    name = recorded_protocol(file, recorded.protocol, named, trusted)
    chosen = find_protocol(name)
    family = chosen.family.name
    if trusted or not is_own(recorded.protocol):
        with suppress(SelectionError):
            # The protocol of the trace may no longer exist; the trace has all of it.
            family = find_protocol(recorded.protocol).family.name
    if family != chosen.family.name:
        raise SelectionError(
            f"the trace is of {recorded.protocol} ({family} family), whose steps differ from "
            f"those of {chosen.name} ({chosen.family.name}); name a protocol of the {family} family"
        )
    if is_same(name, recorded.protocol):
        recorded = replace(recorded, protocol=chosen.name)
    return chosen, recorded


def protocol_to_resume(place: str, recorded: str, named: str | None, trusted: bool) -> str:
    """Return the name of the protocol whose search a checkpoint or a store holds.

    A custom protocol may have moved: a recorded hash shows that its code is the same.

    Raises
    ------
    TidegateError
        If `named` is another protocol, or the recorded code is not trusted.
    """
    if named is not None and not is_own(recorded) and named.lower() != recorded.lower():
        raise SelectionError(
            f"{place}: the search is of {recorded}, not of {named}; leave out --protocol"
        )
    return recorded_protocol(place, recorded, named, trusted)


def refuse_outside(place: str, recorded: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse recorded cluster options that act outside the store, unless the store is trusted.

    Spark settings can name programs to run; another machine receives Tidegate and the states;
    tables are written to any place.  Options that the user sets again are not affected.

    Raises
    ------
    UntrustedError
        With the command that trusts the store.
    """
    outside = _outside(recorded, options)
    if outside and not options["trusted"]:
        error = UntrustedError(
            f"{place} records {', '.join(outside)}; with these, a store from somebody else can "
            "run programs or write files. If you trust the store, run:"
        )
        error.details = (command_with("--trust"),)
        raise error


def _outside(recorded: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """Return the recorded options that act outside a store and that the user did not set again."""
    master, conf, export = (recorded.get(name) for name in ("master", "conf", "export"))
    outside = []
    if master and not options.get("master") and not _ON_THIS_MACHINE.fullmatch(master):
        outside.append(f"--master {master}")
    if conf and not options.get("conf"):
        outside += [f"--conf {setting}" for setting in conf]
    if export:
        outside.append(f"--export {export}")
    return outside


def resume_command(place: Path | str, protocol: str, on: Cluster | None) -> str:
    """Return the command that resumes the user's own search.

    Parameters
    ----------
    place
        The checkpoint or the store.
    on
        The cluster of the search, if any.
    """
    if on is not None and _outside(asdict(on), {}):
        vouched = ["--trust"]
    else:
        vouched = ["--protocol", protocol] if is_own(protocol) else []
    return shlex.join(["tidegate", "resume", str(place), *vouched])

"""What a file names is run only if the user names it too, or vouches for the file.

A trace, a report, a checkpoint and a store say which protocol they are of.  They travel: with
issues, in mails, as artifacts of CI.  So to open one must not run what it names.
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
"""URLs of a master that Spark starts itself."""


class UntrustedError(TidegateError):
    """A file says what to run, and nobody has said that it may."""


def recorded_protocol(file: str, recorded: str, named: str | None, trusted: bool) -> str:
    """Return the name of the protocol that a trace, a checkpoint or a store is of.

    Anybody may have made `file`: a Python file or a module whose name is recorded there is run only
    if the user names the protocol too, or trusts the file.

    Parameters
    ----------
    recorded
        The name in the file.
    named
        The one that the user gave, if any; it is taken instead.

    Raises
    ------
    UntrustedError
        If the user has done neither; it says how to.
    """
    if named is not None:
        return named
    if is_own(recorded) and not trusted:
        error = UntrustedError(
            f"{file} names the protocol {recorded}, which is Python code, and a file that somebody "
            "else made can name any. If you know that code, go on with:"
        )
        error.details = (command_with("--protocol", recorded),)
        raise error
    return recorded


def protocol_to_replay(
    file: str, recorded: Recorded, named: str | None, trusted: bool
) -> tuple[Protocol, Recorded]:
    """Return the protocol under which to take the steps of a trace, and the trace.

    The trace is said to be of that protocol by the name that the protocol has here, if it is.

    Parameters
    ----------
    file, named, trusted
        As for :func:`recorded_protocol`.

    Raises
    ------
    SelectionError
        If there is none of that name, if its steps are those of another family, or if the trace
        names code that it is not trusted to run.
    """
    name = recorded_protocol(file, recorded.protocol, named, trusted)
    chosen = find_protocol(name)
    family = chosen.family.name
    if trusted or not is_own(recorded.protocol):
        with suppress(SelectionError):
            # The protocol of the trace may be gone; what it was is in the trace.
            family = find_protocol(recorded.protocol).family.name
    if family != chosen.family.name:
        raise SelectionError(
            f"the trace is of {recorded.protocol}, whose family ({family}) takes other steps than "
            f"that of {chosen.name} ({chosen.family.name}); name a protocol of the {family} family"
        )
    if is_same(name, recorded.protocol):
        recorded = replace(recorded, protocol=chosen.name)
    return chosen, recorded


def protocol_to_resume(place: str, recorded: str, named: str | None, trusted: bool) -> str:
    """Return the name of the protocol whose search a checkpoint or a store holds.

    A user's own protocol may be elsewhere now: that its code is the same is seen by the hash of it
    that is kept there.

    Raises
    ------
    TidegateError
        If `named` is another one, or the code that is recorded there is not trusted.
    """
    if named is not None and not is_own(recorded) and named.lower() != recorded.lower():
        raise SelectionError(
            f"{place}: the search is of {recorded}, not of {named}; leave out --protocol"
        )
    return recorded_protocol(place, recorded, named, trusted)


def refuse_outside(place: str, recorded: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse what a store records of its cluster that acts outside the store, unless it is trusted.

    Settings of Spark can name programs to run; another machine is handed Tidegate and the states;
    tables are written wherever they are said to be.  What the user gives anew is none of it.

    Raises
    ------
    UntrustedError
        With the command that says that the store is trusted.
    """
    outside = _outside(recorded, options)
    if outside and not options["trusted"]:
        error = UntrustedError(
            f"{place} records {', '.join(outside)}, by which a store that somebody else made can "
            "run programs or write files. If it is yours, go on with:"
        )
        error.details = (command_with("--trust"),)
        raise error


def _outside(recorded: Mapping[str, Any], anew: Mapping[str, Any]) -> list[str]:
    """Return, as options, what a cluster has that acts outside a store and is not given anew."""
    master, conf, export = (recorded.get(name) for name in ("master", "conf", "export"))
    outside = []
    if master and not anew.get("master") and not _ON_THIS_MACHINE.fullmatch(master):
        outside.append(f"--master {master}")
    if conf and not anew.get("conf"):
        outside += [f"--conf {setting}" for setting in conf]
    if export:
        outside.append(f"--export {export}")
    return outside


def resume_command(place: Path | str, protocol: str, on: Cluster | None) -> str:
    """Return the command that goes on with a search of one's own.

    Parameters
    ----------
    place
        The checkpoint or the store.
    on
        The cluster that searched, if one did.
    """
    if on is not None and _outside(asdict(on), {}):
        vouched = ["--trust"]
    else:
        vouched = ["--protocol", protocol] if is_own(protocol) else []
    return shlex.join(["tidegate", "resume", str(place), *vouched])

"""The other process of a comparison: answers questions about a protocol at a revision."""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ...core.errors import EngineError, ModelError, TidegateError, is_users

MODEL = ("model", "invariants")
"""Packages that are taken from the revision where it is one of Tidegate itself."""


@dataclass(frozen=True)
class Origin:
    """Where the files of a revision are.

    Parameters
    ----------
    model
        Directory of the model and the properties, where they are of the revision; else empty.
    files
        Directory of the user's files, for a custom protocol; else empty.
    checkout
        Root of the repository.
    """

    model: str
    files: str
    checkout: str


def serve() -> None:
    """Answer each question on standard input on standard output, until there are no more.

    A question is a method of :class:`Side` with its arguments; the first one names the protocol.
    An answer is ``("answer", value)``, ``("usage", text)`` for what the user can repair,
    ``("failure", text)``, or ``("interrupt", None)``.
    """
    # What the code of the revision prints must not get between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    side: Any = None
    while True:
        try:
            method, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        except KeyboardInterrupt:
            continue
        try:
            if side is None:
                side, answer = _side(*arguments), None
            else:
                answer = getattr(side, method)(*arguments)
            reply = ("answer", answer)
        except (ModelError, EngineError) as error:
            reply = ("failure", str(error))
        except TidegateError as error:
            reply = ("usage", str(error))
        except KeyboardInterrupt:
            reply = ("interrupt", None)
        except Exception as error:  # noqa: BLE001 - the code of another time may fail in any way
            reply = ("failure", f"{type(error).__name__}: {error}")
        pickle.dump(reply, answers)
        answers.flush()


def _side(protocol: str, origin: Origin) -> Any:
    """Return what answers for a protocol.

    Modules are imported from the revision; those that it does not have yet, from the present code.
    """
    present = Path(__file__).resolve().parents[2]
    if origin.model:
        package = __package__.split(".")[0]
        import_module(package).__path__[:0] = [origin.model]
        for name in MODEL:
            import_module(f"{package}.{name}").__path__.append(str(present / name))
    from .sides import Side

    side = Side(protocol)
    if origin.files:
        _refuse_present(protocol, Path(origin.files), Path(origin.checkout))
    return side


def _refuse_present(protocol: str, files: Path, checkout: Path) -> None:
    """Refuse a protocol whose code was found in the checkout, not among the files of the revision.

    That happens if the checkout is installed for development.
    """
    modules = {
        name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()
    }
    place = modules.get(protocol.rpartition(":")[0], "")
    wrong = [place] if place and not Path(place).is_relative_to(files) else []
    wrong += [
        file
        for file in modules.values()
        if is_users(file)
        and Path(file).is_relative_to(checkout)
        and not Path(file).is_relative_to(files)
    ]
    if wrong:
        raise TidegateError(
            f"{wrong[0]} was imported as it is now, not as it was at the revision, since it is "
            "installed; name the protocol by its file, and let it import what lies beside it"
        )

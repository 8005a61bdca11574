"""The other process of a comparison: answers what is asked of a protocol at a revision."""

from __future__ import annotations

import os
import pickle
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import EngineError, ModelError, TidegateError

MODEL = ("model", "invariants")
"""Packages that are taken from the revision where it is one of Tidegate itself."""


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


def _side(protocol: str, model: str) -> Any:
    """Return what answers for a protocol, in the model of that directory if one is given.

    The packages of that directory come before the present ones; what these have beside, and the
    revision had not yet, is found all the same.
    """
    present = Path(__file__).resolve().parents[1]
    if model:
        package = __package__.rpartition(".")[0]
        import_module(package).__path__[:0] = [model]
        for name in MODEL:
            import_module(f"{package}.{name}").__path__.append(str(present / name))
    from .sides import Side

    return Side(protocol)

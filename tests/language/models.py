"""All models at hand, whose rules are lowered: examples, models by strangers, and small ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from tests.language.evaluator import StepError, VerdictError, run
from tests.strangers import small
from tests.strangers.test_strangers import FILES, claim_of
from tidegate.core.spec import TransitionSystem
from tidegate.language.form import Function
from tidegate.language.lowering.rules import Rule

EXAMPLES = Path(__file__).parents[2] / "examples"

_VARIANT = re.compile(
    r"^(?:(\w+) = (?:Model|replace)\(|@model\.variant\([^@]*?\n\)\ndef (\w+))", re.MULTILINE
)


@dataclass(frozen=True)
class Source:
    """A model, and how it is searched.

    Attributes
    ----------
    text
        What its file has, if it is not a file of its own.
    """

    name: str
    model: str
    bounds: tuple[str, ...] = ()
    text: str = ""


def sources() -> Iterator[Source]:
    """Yield all models that are accepted."""
    for path in sorted(EXAMPLES.glob("*.py")):
        for one, other in _VARIANT.findall(path.read_text("utf-8")):
            name = path.stem if one == "model" else f"{path.stem}:{one or other}"
            yield Source(name, f"{path}:{one or other}")
    for path in FILES:
        claim = claim_of(path)
        if claim.expect[0] != "refused":
            bounds = tuple(f"{name}={value}" for name, value in claim.bounds.items())
            yield Source(path.stem, f"{path.name}:{claim.name}".rstrip(":"), bounds)
    for number, (name, (right, text)) in enumerate(small.MODELS.items()):
        if right not in ("refused", "outside"):
            file = f"small{number}.py"
            yield Source(f"small, {name}", file, (), f"{small.HEAD}\n{text}\n\n\n{small.TAIL}")


def reached(system: TransitionSystem[Any, Any], number: int) -> list[Any]:
    """Return some of the states that a system reaches, in the order in which they are."""
    known = dict.fromkeys(islice(system.initial_states(), number))
    waiting = list(known)
    for state in waiting:
        if len(known) >= number:
            break
        try:
            following = [after for _, after in system.successors(state)]
        except Exception:  # noqa: BLE001 - a step that fails leads nowhere
            continue
        waiting += (after for after in following if after not in known)
        known |= dict.fromkeys(following)
    return list(known)[:number]


def differences(
    system: TransitionSystem[Any, Any], rule: Rule, form: Function, states: list[Any]
) -> Iterator[str]:
    """Yield where a rule means something else in Python than in the form."""
    for state in states:
        for number in rule.instances or (None,):
            own = () if number is None else system.instances[number].arguments
            given = [system.layout.record, system.constants, *own]
            python = _outcome(system, state, number, rule.function, given)
            # What `*values` gets is one argument of the form.
            last = len(form.parameters) - 1
            packed = given if len(given) == last + 1 else [*given[:last], tuple(given[last:])]
            meant = _outcome(system, state, number, partial(run, form), [packed])
            if python != meant:
                yield f"{rule.name}{own} in {state}: {python} in Python, {meant} in the form"


def _outcome(
    system: TransitionSystem[Any, Any], state: Any, number: int | None, rule: Any, given: list[Any]
) -> Any:
    """Return what comes of a rule: its value, a step, nothing, a failure or a verdict."""
    layout = system.layout
    layout.load(state)
    try:
        result = rule(*given)
        if number is None:
            return tuple(result) if hasattr(result, "__iter__") else result
        if result not in (True, False) or (result and not layout.sound()):
            return "fails"
        return layout.dump() if result else "not enabled"
    except (AssertionError, VerdictError):
        return "verdict"
    except StepError:
        return "fails"
    except Exception as error:  # noqa: BLE001 - a model may raise anything, the form a StepError
        return repr(error) if isinstance(rule, partial) else "fails"
    finally:
        layout.reset()

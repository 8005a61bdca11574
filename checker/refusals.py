"""Refuses a model whose rules are not in the language, before any engine sees it.

The rules are what decides a search: its actions, its properties and its constraint.  Each is
lowered, and all that is refused is said at once, so that it can be repaired at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from ..core.errors import Line, ModelError, Reason, TidegateError, shown
from ..core.origins import is_written
from ..core.purity import DeclaredPure
from ..core.sources import line_of
from ..core.spec import Property, TransitionSystem
from ..language.form import Function
from ..language.lowering.frame import ByPythonAloneError, FollowingError
from ..language.lowering.influence import Influence
from ..language.lowering.lower import Lowering
from ..language.lowering.rules import Rule, Rules, rules_of
from .before_search import look_through
from .families import decided_one_by_one

ENOUGH, MOST = 32, 256
"""Instances of actions that are tried by themselves if some are refused, and if none is."""

MOST_REFUSALS = 12
"""The most lines of an error that lists what else is refused."""


def refuse_outside(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    histories: Collection[str] = (),
) -> None:
    """Lower the rules of a system, and refuse what is not in the language.

    What the lowering leaves to others is noted in the system: the functions declared pure, and what
    runs before the search and is not in the language.

    Parameters
    ----------
    system
        Its states keep every history that there is.
    histories
        The variables that a state holds only if a property needs them, and the constants that say
        which it holds.  They must not decide anything else.

    Raises
    ------
    ModelError
        With the first line that is refused; ``details`` lists the others.
    """
    # With histories, constants are not taken for known.
    rules = Rules(system) if histories else rules_of(system)
    rules.lowering.switches = frozenset(histories)
    refusals, _ = _of_rules(rules, properties)
    if histories and not refusals:
        refusals = dict.fromkeys(_decided_by(rules, histories))
    if not refusals:
        refusals = dict.fromkeys(look_through(rules, properties))
    if refusals:
        raise _error(refusals)
    declared = rules.lowering.declared
    system.declared_pure = tuple(sorted(declared, key=lambda one: (one.line, one.function)))


def note_python_alone(system: TransitionSystem[Any, Any], properties: Sequence[Property]) -> None:
    """Make the tables of functions declared pure, and note in the system where there is none.

    Raises
    ------
    ModelError
        If a line that computes with what such a function gives is not in the language.
    """
    if not system.declared_pure:
        return
    refusals, alone = _of_rules(rules_of(system, tables=True), properties)
    if refusals:
        raise _error(refusals)
    system.by_python_alone = dict(sorted(alone.items(), key=lambda one: one[0].place or ("", 0)))


Refusals = dict[tuple[Line | None, str], None]
"""Refusals by line and text, in order."""


def _of_rules(
    rules: Rules, properties: Sequence[Property]
) -> tuple[Refusals, dict[Reason, DeclaredPure]]:
    """Return the refusals in rules, and the lines that Python alone can run."""
    rules.lowering.refusals = []
    refusals, alone = Refusals(), dict[Reason, DeclaredPure]()
    decided = decided_one_by_one(rules.system, properties)
    for rule in (*rules.properties(decided), *rules.actions()):
        for error in _errors_in(rules, rule):
            text = Exception.__str__(error).removesuffix(",")
            if isinstance(error, ByPythonAloneError):
                alone[Reason(text, error.function, error.place)] = error.declared
            else:
                refusals[error.place or line_of(rule.function), text] = None
    rules.lowering.refusals = None
    return refusals, alone


def _error(refusals: Refusals) -> ModelError:
    """Return the error that lists refusals, in the order of files and lines."""
    (place, text), *others = sorted(refusals, key=lambda one: one[0] or ("", 0))
    error = ModelError(text)
    error.place = place
    error.details = tuple(
        f"{shown(line)}: {what}" if line else what for line, what in others[: MOST_REFUSALS - 1]
    )
    return error


def _errors_in(rules: Rules, rule: Rule) -> list[TidegateError]:
    """Return all that is wrong with a rule; of many instances, with some of them."""
    errors = list(_errors(rules, rule))
    return _of_instances(rules, rule) if errors and len(rule.instances) > 1 else errors


def _decided_by(rules: Rules, histories: Collection[str]) -> Iterator[tuple[Line | None, str]]:
    """Yield the lines in a user's actions and rules that depend on history, which must not."""
    influence = Influence(histories, is_written)
    for what, function in _deciding(rules):
        if not influence.is_named(function.file):
            continue
        writes = influence.of(function).writes
        recorded = [one.inside for one in writes if not one.is_answer]
        if what.startswith("action") and recorded and all(recorded):
            continue
        for one in writes:
            if one.depends and not one.inside:
                kind = "answer" if one.is_answer else "write"
                yield (one.file, one.line), f"{what}: this {kind} depends on {_HISTORY}"


def _deciding(rules: Rules) -> Iterator[tuple[str, Function]]:
    """Yield what decides which steps there are, lowered: actions, the constraint, rules."""
    for rule in (*rules.actions(), *rules.properties(())):
        with suppress(FollowingError):
            yield rule.name, rules.lowered(rule)
    for name, rule_ in rules.of_family():
        code = rule_.__code__
        for function in rules.lowering.functions:
            if (function.file, function.line) == (code.co_filename, code.co_firstlineno):
                yield f"rule {name}", function


_HISTORY = (
    "history (aux_...), which is part of the state only if a property reads it, so that the "
    "protocol would change with the properties that are checked; use a variable of your own"
)


def _of_instances(rules: Rules, rule: Rule) -> list[TidegateError]:
    """Return the refusals in instances by themselves: some may never get to such a line."""
    instances = list(rules.alone(rule))
    Random(0).shuffle(instances)
    errors: list[TidegateError] = []
    for tried, one in enumerate(instances):
        if tried >= (ENOUGH if errors else MOST):
            break
        errors += _errors(rules, one)
    return errors


def _errors(rules: Rules, rule: Rule) -> Iterator[TidegateError]:
    return errors_of(rules.lowering, lambda: rules.lowered(rule))


def errors_of(lowering: Lowering, make: Callable[[], object]) -> Iterator[TidegateError]:
    """Yield all that is wrong with a rule, which something lowers.

    Parameters
    ----------
    lowering
        What collects refusals.
    """
    collected = lowering.refusals
    assert collected is not None
    try:
        make()
    except FollowingError:
        pass
    except TidegateError as error:
        yield error
    yield from collected
    collected.clear()

"""How the code of two protocols differs: their rules, actions, guards, helpers and fairness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from .code import ActionCode, Code, Function, Rule


@dataclass(frozen=True)
class RuleChange:
    """A rule that differs; one of the two is None if only one model has it."""

    name: str
    old: Rule | None
    new: Rule | None

    @property
    def decides(self) -> str:
        """The description of the rule."""
        rule = self.new or self.old
        return rule.decides if rule else ""


@dataclass(frozen=True)
class ActionChange:
    """An action that differs.

    Parameters
    ----------
    old, new
        The action; None if there is none of that name.
    removed, added
        Guards that only the old, or only the new one has.
    changed
        Guards that replaced each other: the old and the new condition.
    moved
        Guards that both have, in another order.
    effect
        Whether its code after the guards differs.
    fairness
        The old and the new fairness, if they differ.
    wraps
        Whether the ``"new"`` function calls the ``"old"`` one, or the reverse; then guards are not
        compared, since it has those of the function that it calls, too.  Empty if neither.
    """

    name: str
    old: ActionCode | None
    new: ActionCode | None
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    moved: tuple[str, ...] = ()
    effect: bool = False
    fairness: tuple[str, str] | None = None
    wraps: str = ""


@dataclass(frozen=True)
class HelperChange:
    """A function that both call and that differs, with the actions and rules that use it."""

    name: str
    old: Function
    new: Function
    used_by: tuple[str, ...]


@dataclass(frozen=True)
class CodeDiff:
    """Everything that differs between the code of two protocols.

    ``fairness`` has each fairness of several actions together that differs: of which actions, and
    the old and the new one; "none" if only one protocol has it.
    """

    rules: tuple[RuleChange, ...]
    actions: tuple[ActionChange, ...]
    helpers: tuple[HelperChange, ...]
    fairness: tuple[tuple[str, str, str], ...]

    def __bool__(self) -> bool:
        return bool(self.rules or self.actions or self.helpers or self.fairness)


def differences(old: Code, new: Code) -> CodeDiff:
    """Return what differs between the code of two protocols."""
    return CodeDiff(
        tuple(_rules(old, new)),
        tuple(_actions(old, new)),
        tuple(_changed_helpers(old, new)),
        tuple(_fairness(old, new)),
    )


def _fairness(old: Code, new: Code) -> Iterator[tuple[str, str, str]]:
    for name in {**old.fairness, **new.fairness}:
        before, after = (code.fairness.get(name, "none") for code in (old, new))
        if before != after:
            yield name, before, after


def _rules(old: Code, new: Code) -> Iterator[RuleChange]:
    for name in [*old.rules, *(name for name in new.rules if name not in old.rules)]:
        before, after = old.rules.get(name), new.rules.get(name)
        if before is None or after is None or _decision(before) != _decision(after):
            yield RuleChange(name, before, after)


def _decision(rule: Rule) -> object:
    """Return the code or the value of a rule; renaming a function changes nothing."""
    return rule.function.does if rule.function else rule.value


def _actions(old: Code, new: Code) -> Iterator[ActionChange]:
    for name in [*old.actions, *(name for name in new.actions if name not in old.actions)]:
        before, after = old.actions.get(name), new.actions.get(name)
        if before is None or after is None:
            yield ActionChange(name, before, after)
        elif before.function.does != after.function.does or before.fairness != after.fairness:
            if _calls(new, after, before):
                yield replace(_change(before, before), old=before, new=after, wraps="new")
            elif _calls(old, before, after):
                yield replace(_change(after, after), old=before, new=after, wraps="old")
            else:
                yield _change(before, after)


def _calls(code: Code, action: ActionCode, other: ActionCode) -> bool:
    """Whether the function of an action calls that of another protocol's."""
    called = (code.helpers[name] for name in action.function.helpers if name in code.helpers)
    return any(function.place == other.function.place for function in called)


def _change(old: ActionCode, new: ActionCode) -> ActionChange:
    """Return the differences of an action that both have."""
    before, after = old.function.guards, new.function.guards
    removed: list[str] = []
    added: list[str] = []
    changed: list[tuple[str, str]] = []
    for tag, i, j, m, n in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == n - m:
            changed += zip(before[i:j], after[m:n], strict=True)
        elif tag != "equal":
            removed += before[i:j]
            added += after[m:n]
    fairness = (old.fairness, new.fairness) if old.fairness != new.fairness else None
    effect = old.function.effect != new.function.effect
    moved = tuple(guard for guard in removed if guard in added)
    return ActionChange(
        old.name,
        old,
        new,
        tuple(guard for guard in removed if guard not in moved),
        tuple(guard for guard in added if guard not in moved),
        tuple(changed),
        moved,
        effect,
        fairness,
    )


def changed_constants(old: Function, new: Function) -> Iterator[tuple[str, str, str]]:
    """Yield the constants whose values differ in two versions of a function, with the values."""
    before, after = dict(old.constants), dict(new.constants)
    for name in before:
        if name in after and before[name] != after[name]:
            yield name, before[name], after[name]


def _changed_helpers(old: Code, new: Code) -> Iterator[HelperChange]:
    """Yield the helpers that differ; if only one has a helper, its caller differs anyway."""
    for name in old.helpers:
        if name in new.helpers and old.helpers[name].does != new.helpers[name].does:
            yield HelperChange(name, old.helpers[name], new.helpers[name], tuple(_users(new, name)))


def _users(code: Code, helper: str) -> Iterator[str]:
    """Yield the actions and rules that call a helper, directly or through other helpers."""
    calling = {helper}
    while True:
        more = {name for name, helper in code.helpers.items() if helper.helpers & calling} - calling
        if not more:
            break
        calling |= more
    for action in code.actions.values():
        if action.function.helpers & calling:
            yield action.name
    for rule in code.rules.values():
        if rule.function and rule.function.helpers & calling:
            yield rule.name

"""For tests of a model: where one fails, the trace that broke it, or what differs, is printed.

A test whose state has a value out of range at its end fails.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any

import pytest

from ..core.callbacks import followers, state_followers
from ..core.containers import Ordered, RecordSet, Set
from ..core.fields import Record, declaration_of
from ..core.layout import Layout
from ..core.text import Members, briefly, differences, named, shown_part

if TYPE_CHECKING:
    from .python import Checked


_layouts: list[Layout[Any]] = []
"""Of the states of the present test."""


def pytest_configure() -> None:
    """Keep the layout of each state that a test or its fixtures make."""
    state_followers.append(_layouts.append)


def pytest_unconfigure() -> None:
    """Keep none any more."""
    state_followers.remove(_layouts.append)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget the states of the test before."""
    _layouts.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Add what did not hold to the report of a test that fails."""
    seen: list[Checked] = []
    followers.append(seen.append)
    try:
        result = yield
        refuse_unsound(_layouts)
        return result
    except AssertionError:
        for checked in seen:
            if not checked.holds:
                item.add_report_section("call", "tidegate", str(checked))
        raise
    finally:
        followers.pop()


def refuse_unsound(layouts: Iterable[Layout[Any]]) -> None:
    """Let a test fail if a state has a value out of range, which no search would store.

    It may have had one before: actions may write such values as long as they do not stay.
    """
    for layout in layouts:
        if not layout.sound():
            pytest.fail(f"the test, or an action that it called, {layout.mistake()}", pytrace=False)


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Say which variables differ where two states, or parts or lists of parts, were to be equal."""
    if op != "==" or not (_has_records(left) or _has_records(right)):
        return None
    kind = _kind_of(left)
    if not kind or kind != _kind_of(right):
        return None
    one, other = _shown(left), _shown(right)
    if isinstance(one, Members) or isinstance(other, Members):
        one, other = Members(one), Members(other)
    lines = [
        f"{path or kind}: {_said(here)} != {_said(there)}"
        for path, here, there in differences(one, other)
    ]
    return [f"{kind} == {kind}", *lines] if lines else None


def _has_records(value: object) -> bool:
    """Whether a value is a part of a state, or a list of some."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return len(value) > 0 and all(_has_records(part) for part in value)
    return isinstance(value, Record)


def _kind_of(value: object) -> str:
    """Return what a text calls a value that is compared; "" for one that no state has."""
    if isinstance(value, (Set, RecordSet, set, frozenset)):
        return "set"
    if isinstance(value, (Ordered, list, tuple)):
        return "list"
    return declaration_of(value).__name__ if isinstance(value, Record) else ""


def _shown(value: Any) -> Any:
    """Return a value that is compared as people see it."""
    if isinstance(value, Record):
        return shown_part(value, declaration_of(value))
    if isinstance(value, (set, frozenset)) and _has_records(value):
        return Members(sorted(map(_shown, value), key=str))
    return [*map(_shown, value)] if isinstance(value, (list, tuple)) else named(value)


def _said(value: object) -> str:
    """Return a part of a state as traces show it, a truth value as Python does."""
    return str(value) if isinstance(value, bool) else briefly(value)

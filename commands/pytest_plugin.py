"""For tests that check a model: where one fails, the trace that broke it is printed."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from ..core.containers import Ordered, Set
from ..core.fields import Record, declaration_of
from ..core.followers import followers
from ..core.text import Members, briefly, differences, named, shown_part

if TYPE_CHECKING:
    from .python import Checked


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Add what did not hold to the report of a test that fails."""
    seen: list[Checked] = []
    followers.append(seen.append)
    try:
        return (yield)
    except AssertionError:
        for checked in seen:
            if not checked.holds:
                item.add_report_section("call", "tidegate", str(checked))
        raise
    finally:
        followers.pop()


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Say which variables differ where two states, or parts or lists of parts, were to be equal."""
    if op != "==" or not (_has_records(left) or _has_records(right)):
        return None
    kind = _kind_of(left)
    if not kind or kind != _kind_of(right):
        return None
    one, other = _shown(left), _shown(right)
    if Members in (type(one), type(other)):
        one, other = Members(one), Members(other)
    lines = [
        f"{path or kind}: {_said(here)} != {_said(there)}"
        for path, here, there in differences(one, other)
    ]
    return [f"{kind} == {kind}", *lines] if lines else None


def _has_records(value: object) -> bool:
    """Whether a value is a part of a state, or a list of some."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(_has_records(part) for part in value)
    return isinstance(value, Record)


def _kind_of(value: object) -> str:
    """Return what a text calls a value that is compared; "" for one that no state has."""
    if isinstance(value, (Ordered, list, tuple)):
        return "list"
    if isinstance(value, (Set, set, frozenset)):
        return "set"
    return declaration_of(value).__name__ if isinstance(value, Record) else ""


def _shown(value: Any) -> Any:
    """Return a value that is compared as people see it."""
    if isinstance(value, Record):
        return shown_part(value, declaration_of(value))
    return [*map(_shown, value)] if isinstance(value, (list, tuple)) else named(value)


def _said(value: object) -> str:
    """Return a part of a state as traces show it, a truth value as Python does."""
    return str(value) if isinstance(value, bool) else briefly(value)

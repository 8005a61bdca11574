"""For tests that check a model: where one fails, the trace that broke it is printed."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from ..core.fields import Record, declaration_of
from ..core.followers import followers
from ..core.text import differences, shown_part

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
    """Say which variables differ where two states or parts of states were to be equal."""
    if op != "==" or not (isinstance(left, Record) and isinstance(right, Record)):
        return None
    kind = declaration_of(left)
    if kind is not declaration_of(right):
        return None
    lines = [
        f"{path or kind.__name__}: {one!s} != {other!s}"
        for path, one, other in differences(shown_part(left, kind), shown_part(right, kind))
    ]
    return [f"{kind.__name__} == {kind.__name__}", *lines]

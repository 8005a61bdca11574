"""For tests that check a model: where one fails, the trace that broke it is printed."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from ..core.followers import followers

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

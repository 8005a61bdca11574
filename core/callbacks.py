"""Callbacks for results of checks and states of tests; few imports, so that pytest starts fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

followers: list[Callable[[Any], None]] = []
"""Called with every ``Checked``; the pytest plugin shows what did not hold if the test fails."""

state_followers: list[Callable[[Any], None]] = []
"""Called with the layout of each ``Model.state()``; the pytest plugin looks at it after a test."""

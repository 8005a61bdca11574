"""Callbacks for the result of every check; few imports, so that pytest starts fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

followers: list[Callable[[Any], None]] = []
"""Called with every ``Checked``; the pytest plugin shows what did not hold if the test fails."""

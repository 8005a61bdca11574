"""Who is called with the result of every check; it imports nothing, so that pytest starts fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

followers: list[Callable[[Any], None]] = []
"""Called with every ``Checked``; the plugin for pytest shows what did not hold where a test fails.
"""

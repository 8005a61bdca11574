"""What terminals are sent: rich's text and console, in which what others wrote is only text.

No other module makes a ``Text`` or a ``Console`` of rich itself, or writes to a standard stream; a
test in ``tests/house`` watches that.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, Any, cast

from rich import console as rich_console
from rich import text as rich_text

from ..core.errors import inert, printable


class Text(rich_text.Text):
    """Rich's text, in which every character shows: it is laid out as it will be printed."""

    def __init__(self, text: str = "", *arguments: Any, **options: Any) -> None:
        super().__init__(printable(text), *arguments, **options)

    def append(self, text: rich_text.Text | str, style: Any = None) -> Text:
        """Add text at the end."""
        super().append(printable(text) if isinstance(text, str) else text, style)
        return self

    @classmethod
    def assemble(cls, *parts: str | rich_text.Text | tuple[str, Any], **options: Any) -> Text:
        """Return a text of parts, each with its style if it is a pair."""
        return cast("Text", super().assemble(*parts, **options))


class Console(rich_console.Console):
    """Rich's console, which prints strings as they are: no markup, no emoji, no colours in them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    @property
    def file(self) -> IO[str]:
        """The stream that is printed to, on which no line is a command to GitHub Actions."""
        return cast("IO[str]", _Inert(super().file))

    @file.setter
    def file(self, stream: IO[str]) -> None:
        self._file = stream

    def on_broken_pipe(self) -> None:
        """Raise the error, as rich would not: the command line decides what a closed pipe means."""
        raise BrokenPipeError

    def render_str(self, text: str, **options: Any) -> rich_text.Text:
        """Return a string as text; rich calls this for every string that it prints."""
        return super().render_str(printable(text), **options)


def printed(show: Callable[[Console], object]) -> str:
    """Return what `show` prints on a console of 100 columns, without colours."""
    text = io.StringIO()
    show(Console(file=text, width=100))
    return text.getvalue()


class _Inert:
    """A stream like `stream`, on which no line is a command to GitHub Actions."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write whole lines, as rich does."""
        return self._stream.write(inert(text))

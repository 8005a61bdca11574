r"""Makes foreign text safe to print: no cursor moves, no invisible characters.

Names, docstrings and messages come from traces, from gate files and from users' protocols.
Characters that a terminal, a log or a document would act on, or would not show, are escaped as in
Java, JSON and Python: ``\n``, ``\u001b``, ``\u202e``.
"""

from __future__ import annotations

import re

_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0, DEL and C1: terminals act on them, and XML has few of them
    "\xad\u061c\u180e\u200b-\u200f\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible
    "\u2028-\u202e"  # ends of lines and paragraphs, and changes of the direction of writing
    "\ud800-\udfff"  # half of a surrogate pair, which no file in UTF-8 can hold
    "\ufdd0-\ufdef\ufffe\uffff"  # never characters; XML has no U+FFFE and U+FFFF
    "\U000e0000-\U000e007f"  # tags, which are invisible
)
_HIDDEN_IN_LINES = re.compile(f"[{_HIDDEN}]")
_HIDDEN_IN_A_LINE = re.compile(f"[\t\n{_HIDDEN}]")

_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

_COMMAND = re.compile(r"^(\s*)(?=::)|(?<=#)(?=#\[)", re.MULTILINE)


def one_line(text: str) -> str:
    r"""Return text as one line, with every character visible.

    >>> print(one_line("HOLDS\n\x1b[2J\u202e"))
    HOLDS\n\u001b[2J\u202e
    """
    return text if text.isprintable() else _HIDDEN_IN_A_LINE.sub(_written_out, text)


def printable(text: str) -> str:
    r"""Return text with every character visible; line ends and tabs stay.

    >>> print(printable("two\nlines\r\x9b0m"))
    two
    lines\r\u009b0m
    """
    return text if text.isprintable() else _HIDDEN_IN_LINES.sub(_written_out, text)


def inert(text: str) -> str:
    r"""Return text in which GitHub Actions finds no command.

    Its runner obeys ``::`` at the beginning of a line, after any spaces, and ``##[`` anywhere
    (actions/runner, ``src/Runner.Common/ActionCommand.cs``).

    >>> print(inert("a::b\n  ::error::c\n##[add-path]d"))
    a::b
      \::error::c
    #\#[add-path]d
    """
    return _COMMAND.sub(r"\1\\", text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT.get(match[0]) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


__all__ = ["inert", "one_line", "printable"]

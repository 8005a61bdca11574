"""A page that takes long is written beside the old one, which it replaces when it is complete."""

import sys
from contextlib import contextmanager


@contextmanager
def replacing(page):
    """Open a file beside a page; if that is stopped, both stay, and a line says where the file is.

    Each line is in the file as soon as it is written.
    """
    part = page.with_suffix(".partial")
    try:
        with part.open("w", encoding="utf-8", buffering=1) as target:
            yield target
    except BaseException:
        sys.stderr.write(f"{part} has what was made so far; {page.name} is as it was.\n")
        raise
    part.replace(page)

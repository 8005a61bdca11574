"""Prints tables of Markdown, row by row."""

import sys


def put(cells):
    """Print a row."""
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()

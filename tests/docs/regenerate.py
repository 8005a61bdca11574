"""Makes the generated pages of docs/ again: ``sh scripts/regenerate`` runs it."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tests.docs import (
    architecture,
    bounds,
    catalogue,
    checks,
    pictures,
    readme,
    reference,
    releases,
    verdicts,
)
from tests.protocols import pairs


@dataclass(frozen=True)
class Generated:
    """Pages that one search or one run of commands makes.

    ``slow`` says that this takes minutes; the default tests do not compare such pages.
    """

    write: Callable[[], None]
    what: str
    slow: bool = True


PAGES = {
    "readme": Generated(readme.write, "output of commands in README.md and docs/", slow=False),
    "reference": Generated(reference.write, "docs/reference/", slow=False),
    "checks": Generated(checks.write, "docs/checks.md", slow=False),
    "ways": Generated(architecture.write, "docs/pictures/ways.svg", slow=False),
    "pictures": Generated(pictures.write, "docs/pictures/; needs Chromium"),
    "releases": Generated(releases.write, "docs/releases.md"),
    "catalogue": Generated(catalogue.write, "docs/catalogue/"),
    "bounds": Generated(bounds.write, "docs/bounds.md"),
    "pairs": Generated(pairs.write, "tests/protocols/pairs.json"),
    "verdicts": Generated(verdicts.write, "docs/verdicts.md; takes an hour"),
}


def chosen(arguments):
    """Return the names of the pages that the arguments of the command choose."""
    width = max(map(len, PAGES))
    lines = [f"  {name:{width}}  {page.what}" for name, page in PAGES.items()]
    parser = argparse.ArgumentParser(
        "sh scripts/regenerate",
        description="Make the generated pages again, all unless some are named:\n\n"
        + "\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pages", metavar="PAGE", nargs="*")
    parser.add_argument("--fast", action="store_true", help="leave out what takes minutes")
    given = parser.parse_args(arguments)
    for name in given.pages:
        if name not in PAGES:
            parser.error(f"no page {name!r}; there are {', '.join(PAGES)}")
    names = given.pages or list(PAGES)
    return [name for name in names if not (given.fast and PAGES[name].slow)]


def main():
    """Make the chosen pages."""
    for name in chosen(sys.argv[1:]):
        sys.stderr.write(f"{name} ...\n")
        PAGES[name].write()


if __name__ == "__main__":
    main()

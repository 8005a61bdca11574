"""How Sphinx makes a site of these pages; ``sh scripts/site`` runs it.

The pages are plain Markdown, as a Git host shows them.  What a site needs beyond that is added
here: what belongs to which group, and where a trace can be stepped through.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

from tidegate.library.links import linked

ROOT = Path(__file__).parents[1]

project = "Tidegate"
author = "Tidegate contributors"
html_title = "Tidegate"
html_theme = "furo"
html_static_path = ["site.css", "site.js"]
html_css_files, html_js_files = ["site.css"], ["site.js"]
html_search_scorer = str(ROOT / "docs" / "search.js")
templates_path = ["landing"]
html_additional_pages = {"index": "landing.html"}
html_copy_source = html_show_sourcelink = html_show_copyright = False

extensions = ["myst_parser"]
root_doc = "docs/index"
source_suffix = {".md": "markdown"}
include_patterns = ["docs/**", "*.md", "benchmarks/*.md"]
exclude_patterns = ["**/.*", "docs/pictures"]

# Links to headings are checked as links to pages are.
myst_heading_anchors = 4
nitpicky = True

GROUPS = {"docs/index": None, "docs/catalogue": "catalogue/", "docs/adr/README": ""}
"""Pages whose links say what belongs below them: in groups by heading, or by this beginning."""

LINK = re.compile(r"\[([^\[\]]+)\]\(([^()#:]+\.md)\)")


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Make the links of a list of pages its table of contents."""
    if page not in GROUPS:
        return
    begins, text = GROUPS[page], source[0]
    if begins is None:
        for section in re.split(r"^## ", text, flags=re.M)[1:]:
            heading = section.splitlines()[0]
            source[0] += _contents(LINK.findall(section), heading)
    else:
        links = LINK.findall(text)
        source[0] += _contents([(title, link) for title, link in links if link.startswith(begins)])


def _contents(links: list[tuple[str, str]], heading: str = "") -> str:
    caption = f":caption: {heading}\n" if heading else ""
    listed = "\n".join(f"{title} <{link}>" for title, link in links)
    return f"\n\n```{{toctree}}\n:hidden:\n{caption}\n{listed}\n```\n"


def add_trace(app: Sphinx, page: str, source: list[str]) -> None:
    """Put a link to a bug's trace, as a page with steps, under the title of the bug's page."""
    folder, _, name = page.rpartition("/")
    if folder == "docs/catalogue":
        title, _, rest = source[0].partition("\n")
        link = f'<p><a href="../../traces/{name}.html">Step through this trace</a></p>'
        source[0] = f"{title}\n\n{link}\n{rest}"


def unlink_directories(app: Sphinx, page: str, source: list[str]) -> None:
    """Show a link to a directory of the repository as its text: a site has no page of that."""
    folder = (ROOT / page).parent

    def shown(link: re.Match[str]) -> str:
        return link[1] if (folder / link[2]).is_dir() else link[0]

    source[0] = re.sub(r"\[([^\[\]]+)\]\(([^()#:\s]+)\)", shown, source[0])


def link_names(app: Sphinx, page: str, source: list[str]) -> None:
    """Link each ticket, KIP and function of Kafka that a page names."""
    source[0] = linked(source[0])


def setup(app: Sphinx) -> None:
    """Connect the above."""
    app.connect("source-read", add_navigation)
    app.connect("source-read", add_trace)
    app.connect("source-read", unlink_directories)
    app.connect("source-read", link_names)

"""The documentation site, in a real browser: pages, search, and traces to step through."""

import os
import re
import subprocess
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.docs.catalogue import bugs
from tests.library.test_links import is_kafkas
from tests.render.conftest import PATIENCE
from tidegate.library.links import KIPS, NAMED, SOURCES, TICKETS, kips

sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ROOT = Path(__file__).parents[2]
BUGS = bugs((ROOT / "docs" / "catalogue.md").read_text("utf-8"))


class Silent(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the directory of a site: the one named in TIDEGATE_SITE, or one made now."""
    if made := os.environ.get("TIDEGATE_SITE"):
        return Path(made)
    if os.environ.get("TIDEGATE_REQUIRE_BROWSER") != "1":
        pytest.importorskip("furo")
    target = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        ["sh", str(ROOT / "scripts" / "site"), str(target)],
        env={**os.environ, "TIDEGATE_PYTHON": sys.executable},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def address(site):
    """Serve the site on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def page(chromium, address):
    """Open a page of the site; it may ask no other machine for anything."""
    context = chromium.new_context(base_url=address)
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    asked = []
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    context.close()
    assert [url for url in asked if not url.startswith((address, "data:"))] == []


def test_a_trace_of_the_catalogue_is_stepped_through(page):
    page.goto("/")
    page.click(".sidebar-tree a:text-is('Known bugs')")
    page.click("article a[href='catalogue/kafka-6361.html']")
    page.click("text=Step through this trace")
    sync_api.expect(page.locator("#state-15")).to_be_visible()
    for number in (14, 13):
        page.keyboard.press("ArrowLeft")
        sync_api.expect(page.locator(f"#state-{number}")).to_be_visible()
        sync_api.expect(page).to_have_url(re.compile(f"/traces/kafka-6361.html#step={number}$"))
    sync_api.expect(page.locator("#state-15")).to_be_hidden()


def test_a_step_has_a_permalink(page):
    page.goto("/traces/kip-101-divergence.html#step=7")
    sync_api.expect(page.locator("#state-7")).to_be_visible()
    sync_api.expect(page.locator("#state-15")).to_be_hidden()


def test_every_bug_of_the_catalogue_has_its_trace(page, site):
    for bug in BUGS:
        name = bug.page.removesuffix(".md")
        shown = (site / "traces" / f"{name}.html").read_text("utf-8")
        assert f"{bug.violated} is violated" in shown
        assert f'id="state-{bug.steps}"' in shown
        explained = (site / "docs" / "catalogue" / f"{name}.html").read_text("utf-8")
        assert f'href="../../traces/{name}.html"' in explained


def test_search_leads_to_the_page(page):
    page.goto("/docs/index.html")
    page.fill("input[name=q]", "OffsetsForLeaderEpoch")
    page.press("input[name=q]", "Enter")
    sync_api.expect(page.locator("ul.search a:text-is('The broker family')")).to_be_visible()


class Unlinked(HTMLParser):
    """Collects what a page names outside of links and blocks of code."""

    APART = "a", "pre", "script", "style", "title"

    def __init__(self):
        super().__init__()
        self.depth, self.found = 0, []

    def handle_starttag(self, tag, attributes):
        self.depth += tag in self.APART

    def handle_endtag(self, tag):
        self.depth -= tag in self.APART

    def handle_data(self, data):
        if not self.depth:
            self.found += [one for one in NAMED.findall(data) if is_kafkas(one)]


def test_every_ticket_kip_and_function_of_kafka_is_a_link(site):
    pages = [*site.rglob("*.html")]
    assert len(pages) > 100
    for path in pages:
        parser = Unlinked()
        parser.feed(path.read_text("utf-8"))
        assert (path.name, parser.found) == (path.name, [])


def test_a_link_leads_to_the_ticket_the_kip_and_the_source_at_its_tag(page):
    page.goto("/docs/checks.html")
    row = page.locator("tr", has=page.get_by_text("KafkaZkClient.shouldReCreateEphemeralZNode"))
    assert [link.get_attribute("href") for link in row.locator("a.external").all()] == [
        f"{SOURCES}2.2.0/core/src/main/scala/kafka/zk/KafkaZkClient.scala#L1702",
        f"{TICKETS}KAFKA-7165",
    ]
    page.goto("/docs/catalogue/kip-903.html")
    assert page.locator("h1 a.external").first.get_attribute("href") == KIPS + kips()["KIP-903"]


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("release", "Glossary"),
        ("--symmetry", "Engines"),
        ("exit status", "The command line"),
        ("unclean election", "Glossary"),
    ],
)
def test_search_ranks_what_is_looked_up_before_what_is_told(page, word, first):
    page.goto(f"/search.html?{urlencode({'q': word})}")
    results = page.locator("ul.search li > a")
    sync_api.expect(results.nth(5)).to_be_visible()
    assert results.first.inner_text() == first
    for result in results.all()[:6]:
        assert not re.search("CHANGELOG|docs/adr/", result.get_attribute("href"))


def test_the_site_opens_with_what_it_is_a_picture_and_three_ways_in(page):
    page.goto("/")
    sync_api.expect(page.locator("h1")).to_have_text("Tidegate")
    assert page.locator("article img").evaluate("image => image.naturalWidth") > 100
    ways = page.locator("article li > a")
    assert ways.count() == 3
    for place in [page.locator("article a:has(img)"), *ways.all()]:
        target = page.evaluate("link => link.href", place.element_handle())
        assert page.request.get(target).ok


def test_readers_are_not_told_how_pages_are_made(site):
    for path in (site / "docs").rglob("*.html"):
        shown = re.sub("<!--.*?-->", "", path.read_text("utf-8"), flags=re.S)
        assert "do not edit" not in shown, path
    assert "scripts/site" not in (site / "docs" / "index.html").read_text("utf-8")


WIDER = """() => document.documentElement.scrollWidth > innerWidth || [
  ...document.querySelectorAll("table")
].some(table => table.getBoundingClientRect().right > innerWidth
  || table.parentElement.scrollWidth > table.parentElement.clientWidth)"""
"""Whether a page, or a table of it, is wider than what shows it."""


@pytest.mark.parametrize("width", [1280, 390])
def test_no_table_is_wider_than_the_page(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    paths = [*site.glob("docs/**/*.html"), *site.glob("benchmarks/*.html"), *site.glob("*.html")]
    wide = []
    for path in paths:
        page.goto(f"/{path.relative_to(site)}")
        if page.evaluate(WIDER):
            wide.append(path.name)
    assert len(paths) > 90
    assert wide == []


def test_a_cell_on_a_narrow_screen_has_the_heading_of_its_column(page):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto("/docs/reference/bounds.html")
    cell = page.locator("table td").nth(1)
    assert "default" in cell.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert page.locator("table thead").first.is_hidden()


def test_pages_are_grouped_by_what_they_are_for(page):
    page.goto("/docs/index.html")
    groups = page.locator(".sidebar-tree .caption").all_inner_texts()
    assert [group.lower() for group in groups] == [
        "tutorials", "how to", "reference", "explanation",
    ]  # fmt: skip

"""The page in a real browser: from disk, by keyboard and click, without network, accessible."""

import re

import pytest

from tests.render.conftest import PATIENCE
from tidegate.render.page import page as written

sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = pytest.mark.browser

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


VISIBLE = """[...document.querySelectorAll("article.step")]
  .filter(step => step.offsetParent !== null).map(step => step.dataset.step)"""
"""Numbers of the steps that can be seen."""


class Opened:
    """A page that was opened from disk, with what it complained of and asked the network for."""

    def __init__(self, context, path, fragment=""):
        self.complaints, self.requests = [], []
        self.page = context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri() + fragment)

    @property
    def step(self):
        """The one step that is shown."""
        [shown] = self.page.evaluate(VISIBLE)
        return int(shown)

    def shows(self, number):
        """Wait until a step is the one that is shown: a page handles links and keys later."""
        sync_api.expect(self.page.locator(f"#state-{number}")).to_be_visible()
        assert self.step == number

    def text(self):
        return self.page.inner_text(f"#state-{self.step}")


@pytest.fixture
def opened(chromium, tmp_path):
    """Open a trace as a page."""
    contexts = []

    def go(told, scheme="light", size=WIDE, fragment="", full=False, **options):
        path = tmp_path / "trace.html"
        path.write_text(written(told, full), encoding="utf-8")
        contexts.append(
            chromium.new_context(color_scheme=scheme, viewport=size, offline=True, **options)
        )
        contexts[-1].set_default_timeout(PATIENCE)
        return Opened(contexts[-1], path, fragment)

    yield go
    for context in contexts:
        context.close()


def test_it_opens_from_disk_without_a_word_and_without_network(opened, loss):
    it = opened(loss)
    for _ in range(loss.steps):
        it.page.keyboard.press("ArrowLeft")
    assert it.complaints == []
    assert [url for url in it.requests if not url.startswith("file:")] == []
    assert len(it.requests) == 1


def test_it_opens_at_the_violation_and_marks_the_lost_record(opened, loss):
    it = opened(loss)
    it.shows(12)
    missing = it.page.query_selector("#state-12 .box.missing")
    assert "m0 is missing" in missing.inner_text()
    assert "offset 0" in missing.inner_text()
    name = missing.evaluate("box => box.closest('.log').getAttribute('aria-label')")
    assert name == "log of broker 1"


def test_two_records_are_marked_once_both_are_there(opened, trace):
    told = trace("divergence under hw")
    it = opened(told)
    marked = [
        it.page.locator(f"#state-{number} .box.wrong").count() for number in range(told.steps + 1)
    ]
    assert set(marked) == {0, 2}
    assert marked.index(2) == 15
    assert marked[-1] == 2


def test_arrow_keys_step(opened, loss):
    it = opened(loss)
    it.page.keyboard.press("ArrowRight")
    it.shows(12)
    for number in range(11, -1, -1):
        it.page.keyboard.press("ArrowLeft")
        it.shows(number)
        sync_api.expect(it.page).to_have_url(re.compile(f"#step={number}$"))
    it.page.keyboard.press("ArrowLeft")
    it.shows(0)
    assert it.page.is_disabled("#back")


def test_buttons_and_rows_step(opened, loss):
    it = opened(loss)
    it.page.click("#back")
    it.shows(11)
    it.page.click("#on")
    it.shows(12)
    it.page.click('svg .row[data-step="7"] .title')
    it.shows(7)
    assert "Broker 1 crashes" in it.text()
    assert "chosen" in it.page.get_attribute('svg .row[data-step="7"]', "class")


def test_the_keyboard_alone_reaches_everything(opened, loss):
    it = opened(loss, fragment="#step=9")
    seen = set()
    for _ in range(40):
        it.page.keyboard.press("Tab")
        seen.add(it.page.evaluate("document.activeElement.outerHTML.slice(0, 40)"))
    joined = " ".join(seen)
    for part in ('id="back"', 'id="on"', "#step=6", "<summary>", 'class="diagram"'):
        assert part in joined


def test_a_step_can_be_linked(opened, loss):
    it = opened(loss, fragment="#step=7")
    it.shows(7)
    it.page.click(".moments a:text-is('Step 9')")
    it.shows(9)
    assert "m0 (e0) leaves the log of broker 1" in it.text()


@pytest.mark.parametrize("fragment", ["#step=999", "#step=<b>"])
def test_a_wrong_link_does_no_harm(opened, loss, fragment):
    it = opened(loss, fragment=fragment)
    it.shows(12)
    assert it.complaints == []


def test_it_says_why_a_step_was_enabled(opened, loss):
    it = opened(loss, fragment="#step=7")
    it.page.click("#state-7 summary:has-text('Preconditions of this step')")
    assert "s.crashed != k.crashes" in it.text()
    assert "s.crashed = 0" in it.text()


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", WIDE), ("dark", PHONE)], ids=["wide", "phone"]
)
def test_it_passes_an_accessibility_check(opened, loss, scheme, size):
    assert violations(opened(loss, scheme, size).page) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_trace_passes_an_accessibility_check(opened, told, scheme):
    assert violations(opened(told, scheme).page) == []


def violations(page):
    """Return what axe finds fault with, everything unfolded."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = Axe().run(page).response["violations"]
    return [(it["id"], it["nodes"][0]["html"][:200]) for it in found]


def test_a_phone_need_not_be_scrolled_sideways(opened, loss):
    it = opened(loss, size=PHONE)
    assert it.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_it_is_readable_without_scripts(opened, loss):
    it = opened(loss, java_script_enabled=False)
    articles = it.page.locator("article.step")
    assert articles.count() == 13
    assert all(articles.nth(number).is_visible() for number in range(13))


def test_it_prints_every_step(opened, loss):
    it = opened(loss)
    it.page.emulate_media(media="print")
    assert it.page.is_hidden("#back")
    printed = it.page.pdf()
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= 2


def test_hostile_names_do_nothing(opened, loss, hostile_trace):
    it = opened(hostile_trace(loss), full=True)
    for _ in range(loss.steps):
        it.page.keyboard.press("ArrowLeft")
    assert it.complaints == []
    assert it.page.query_selector("img") is None
    assert "<img src=x" in it.page.inner_text("h1")


def test_a_trace_of_200_steps_and_5_replicas_stays_usable(opened, walk):
    settings = (
        "replicas=5 records=8 elections=8 crashes=8 power_losses=4 lost_messages=8 moves "
        "hw_checkpoint=step"
    )
    told = walk("kip-320", settings, 200, seed=1)
    assert told.steps == 200
    it = opened(told)
    it.shows(200)
    for number in range(199, 150, -1):
        it.page.keyboard.press("ArrowLeft")
        it.shows(number)
    row = it.page.query_selector('svg .row[data-step="151"]').bounding_box()
    frame = it.page.query_selector(".diagram").bounding_box()
    assert frame["y"] < row["y"] + row["height"] / 2 < frame["y"] + frame["height"]


@pytest.mark.parametrize("name", ["loss under hw", "three replicas"])
def test_at_1280_pixels_no_lane_is_clipped(opened, trace, name):
    it = opened(trace(name), size={"width": 1280, "height": 800})
    inner, full = it.page.evaluate(
        "(() => { const d = document.querySelector('.diagram'); "
        "return [d.clientWidth, d.scrollWidth]; })()"
    )
    assert full <= inner


def test_a_model_without_a_legend_has_no_empty_heading(opened, trace):
    it = opened(trace("without a legend"))
    headings = it.page.locator("footer h2").all_inner_texts()
    assert "Bounds" in headings
    assert "How to read it" not in headings


OVERLAPPING = """(() => {
  const labels = [...document.querySelectorAll("svg text:not(.number, .flag)")]
    .filter(text => text.checkVisibility());
  const boxes = labels.map(text => [text.textContent, text.getBoundingClientRect()]);
  return boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1
                    && a.top < b.bottom - 4 && b.top < a.bottom - 4)
    .map(([other]) => [one, other]));
})()"""
"""Pairs of labels of the diagram that lie over each other; a box is higher than its letters.

The numbers of steps stay where a phone scrolls, on a ground of their own.
"""


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("name", ["a bank", "without a legend", "three replicas"])
def test_labels_do_not_overlap(opened, trace, name, size):
    it = opened(trace(name), size=size)
    assert it.page.locator("svg text").count() > 10
    assert it.page.evaluate(OVERLAPPING) == []


def test_a_short_value_of_the_run_stands_in_one_line(opened, trace):
    it = opened(trace("a bank"), size={"width": 1280, "height": 800})
    lines = it.page.evaluate("""
        [...document.querySelectorAll("footer dd")].filter(d => d.textContent.length < 9).map(d => {
          const text = document.createRange();
          text.selectNodeContents(d);
          return text.getClientRects().length;
        })
    """)
    assert len(lines) > 3
    assert {*lines} == {1}


def test_each_step_of_each_participant_has_its_mark(opened, trace):
    it = opened(trace("a bank"))
    marked = it.page.evaluate(
        "[...document.querySelectorAll('svg .sign')].map(s => s.dataset.step)"
    )
    assert marked == ["1", "2", "3"]

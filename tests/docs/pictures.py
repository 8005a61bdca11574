"""Makes the pictures in docs/pictures from the present code.

Needs the extras test and explore, and Chromium (on Debian: apt install chromium).
"""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

from tests.docs.commands import output
from tidegate.checker.explore import Exploration
from tidegate.library.selection import assemble
from tidegate.render.explorer import Explorer

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


def write():
    """Take a picture of a page of a trace, and one of the explorer."""
    # Only whoever makes pictures needs a browser.
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("pictures: chromium is missing; on Debian: apt install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        loss, explorer = Path(folder, "loss.html"), Path(folder, "explore.svg")
        output("check", "hw", "--quiet", "--html", str(loss))
        explorer.write_text(asyncio.run(_explored()))
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 1100}, color_scheme="light")
        page.goto(loss.as_uri())
        clip = {"x": 0, "y": 0, "width": 1280, "height": 1580}
        page.screenshot(path=PICTURES / "loss.png", clip=clip, full_page=True)
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(explorer.as_uri())
        page.screenshot(path=PICTURES / "explore.png")
        browser.close()


async def _explored():
    """Return the explorer as it looks a step before a violation."""
    app = Explorer(Exploration(*assemble("hw", [], [])), str, 50_000)
    async with app.run_test(size=(120, 34)) as pilot:
        for key in ("v", "b"):
            await pilot.press(key)
            await pilot.pause()
        app.clear_notifications()
        await pilot.pause()
        return app.export_screenshot(title=app.title)

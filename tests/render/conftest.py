"""Traces that the tests of every form tell."""

import dataclasses
import os
import shutil
from functools import cache
from pathlib import Path

import pytest

from tidegate.checker.check import check
from tidegate.checker.simulate import walk as walk_at_random
from tidegate.core.behavior import Behavior
from tidegate.core.scene import Event
from tidegate.core.spec import Trace
from tidegate.library.full_history import with_histories
from tidegate.library.names import find_protocol
from tidegate.library.properties import with_every_history
from tidegate.library.selection import assemble
from tidegate.render.narrative import narrate

EXAMPLES = Path(__file__).parents[2] / "examples"

HOSTILE = '</script><img src=x onerror=alert(1)>\n!include /etc/passwd\n"; end | `b` <style>'

TRACES = {
    "loss under hw": ("hw", "", None),
    "divergence under hw": ("hw", "", "LogMatching"),
    "what KIP-279 repairs": ("kip-101", "records=3 crashes=0 elections=2 moves", None),
    "what KIP-320 repairs": ("kip-279", "records=1 crashes=0 elections=3 moves", None),
    "what the fence of fetches averts": (
        "kip-320~may_serve_fetch = serve_anyone", "records=1 crashes=0 elections=3 moves", None,
    ),
    "published hw": ("tidegate.examples.published:hw", "", None),
    "an ISR change that stays pending": (
        "kip-595~may_propose = nothing_proposed",
        "isr_propagation=kraft records=1 crashes=1", "IsrChangeResolves",
    ),
}  # fmt: skip
"""Protocol and bounds of each trace that has to be understood; its property if not the first."""


PAGES = {
    "three replicas": ("kip-101", "replicas=3 crashes=1 records=1 acks=1", None),
    "without a legend": (str(EXAMPLES / "die_hard.py"), "", None),
    "a bank": (str(Path(__file__).with_name("bank.py")), "", None),
}
"""The same of traces that are only looked at as pages."""


@cache
def found(name):
    """Search for a trace and return it told."""
    protocol, settings, prop = {**TRACES, **PAGES}[name]
    system, properties = assemble(protocol, settings.split(), [prop] if prop else [])
    first = check(system, properties).first
    numbers = [("depth", "13"), ("all states within the bounds were explored", "no")]
    behavior = Behavior(system, first.trace, first.property)
    return narrate(with_histories(behavior, find_protocol(protocol), settings.split()), numbers)


@pytest.fixture(params=TRACES)
def told(request):
    """Each of the traces, in the intermediate form."""
    return found(request.param)


@pytest.fixture
def trace():
    """Return a trace by its name, in the intermediate form."""
    return found


@pytest.fixture
def loss():
    """The loss of a committed record under hw, in the intermediate form."""
    return found("loss under hw")


def walked(protocol, settings, steps, seed):
    """Return a random behavior of at most so many steps, in the intermediate form."""
    system = with_every_history(find_protocol(protocol), settings.split())
    taken = walk_at_random(system, [], seed, 0, steps)
    steps = tuple(system.instances[index].step for index in taken.instances)
    return narrate(Behavior(system, Trace(taken.states, steps)))


@pytest.fixture
def walk():
    """Take a random behavior."""
    return walked


PATIENCE = 120_000
"""Milliseconds to wait for what a page must do: only one that never does it takes so long."""


@pytest.fixture(scope="module")
def chromium():
    """Start the browser; without one the test is skipped, unless it is required."""
    place = shutil.which("chromium") or shutil.which("chromium-browser")
    if place is None:
        message = "these tests need Chromium; on Debian: apt install chromium"
        if os.environ.get("TIDEGATE_REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    if os.environ.get("TIDEGATE_REQUIRE_BROWSER") != "1":
        pytest.importorskip("playwright")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as driver:
        # A container's root has no sandbox to put the browser in.
        browser = driver.chromium.launch(
            executable_path=place, args=["--no-sandbox"], timeout=PATIENCE
        )
        yield browser
        browser.close()


def hostile(told):
    """Return a trace whose every name is an attack."""
    rename = {lane: f"{lane} {HOSTILE}" for lane in told.lanes}

    def scene(it):
        who = [dataclasses.replace(p, name=rename[p.name], role=HOSTILE) for p in it.participants]
        said = [
            dataclasses.replace(m, sender=rename[m.sender], receiver=rename[m.receiver],
                                text=HOSTILE)
            for m in it.messages
        ]  # fmt: skip
        return dataclasses.replace(it, participants=tuple(who), messages=tuple(said))

    def moment(it):
        changes = tuple(
            dataclasses.replace(c, who=rename[c.who], text=HOSTILE, short=HOSTILE)
            for c in it.changes
        )
        step = it.step and dataclasses.replace(it.step, action=HOSTILE)
        return dataclasses.replace(
            it, scene=scene(it.scene), changes=changes, step=step, flags=(HOSTILE,),
            event=Event(rename.get(it.event.actor, ""), HOSTILE, it.event.sign),
            variables=tuple((f"{n}{HOSTILE}", HOSTILE) for n, _ in it.variables),
        )  # fmt: skip

    arrows = tuple(
        dataclasses.replace(
            a, sender=rename[a.sender], receiver=rename[a.receiver], text=HOSTILE, why=HOSTILE
        )
        for a in told.arrows
    )
    return dataclasses.replace(
        told, protocol=HOSTILE, about=HOSTILE, headline=HOSTILE, bounds={HOSTILE: HOSTILE},
        violated=HOSTILE, statement=HOSTILE, explanation=HOSTILE, cause=HOSTILE,
        repeats=HOSTILE, fairness=HOSTILE, after=HOSTILE,
        lanes=tuple(rename.values()),
        moments=tuple(map(moment, told.moments)), arrows=arrows, legend=(HOSTILE,),
        numbers=((HOSTILE, HOSTILE),),
    )  # fmt: skip


@pytest.fixture
def hostile_trace():
    """Turn every name in a trace into an attack."""
    return hostile

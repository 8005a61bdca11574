"""A rule that never ends: the time limit and Ctrl-C end it, and say where it is."""

import json
import re
import signal
import sys
import time

import pytest

from tests.cli.conftest import BEGUN, ENDLESS, wait_until
from tidegate.checker.check import check
from tidegate.core.interrupts import Alarm
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import Outcome
from tidegate.library.names import find_protocol

WHERE = r"in \w+\(.*\), which has not returned \(apply, own\.py:1[0-3]\)"
"""The loop is on either of two lines when somebody looks, after one that may be before it."""

LIMIT = ["--time-limit", "1"]

NESTED = """mixed = 1
for one in range(1 << 40):
    for other in range(1 << 40):
        mixed = (mixed * 3 + one + other) & 255
return mixed == version"""
"""Ends, but not in a million years; no compiler sees through it."""


def caught(shell, process):
    """Wait until a process has been in a rule for so long that it is said not to return."""
    wait_until(shell.begun, process)
    time.sleep(1.5)


COMMANDS = {
    "check": ["check", "own.py", "-p", "TypeOk", "--json", "report.json"],
    "check, watched": ["check", "own.py", "--debug", "--json", "report.json"],
    "simulate": ["simulate", "own.py", "--jobs", "1", "--json", "report.json"],
    "simulate, two jobs": ["simulate", "own.py", "--jobs", "2", "--json", "report.json"],
    "bounds": ["bounds", "own.py", "-p", "TypeOk", "--json", "report.json"],
    "diff": ["diff", "tidegate.examples.async_isr:async_isr", "own.py", "--json", "report.json"],
}


def most_slow(cases, default):
    """Return cases as parameters of which all but some take too long for every day."""
    return [
        pytest.param(case, id=name, marks=[] if name in default else [pytest.mark.slow])
        for name, case in cases.items()
    ]


@pytest.mark.parametrize("arguments", most_slow(COMMANDS, ("check", "simulate, two jobs")))
def test_the_time_limit_ends_a_rule_that_never_ends_and_says_where_it_is(shell, arguments):
    shell.own(ENDLESS)
    done = shell.run(*arguments, *LIMIT)
    assert done.returncode == 3, done.errors
    assert re.search(rf"--time-limit [01.5]+ {WHERE}", done.output), done.output
    assert re.search(WHERE, (shell.path / "report.json").read_text())
    assert shell.names() == {"own.py", "report.json"}


@pytest.mark.slow
def test_explain_says_which_rule_never_ended(shell):
    shell.own(ENDLESS)
    done = shell.run("explain", "own.py", *LIMIT)
    assert done.returncode == 3
    assert re.search(rf"stopped by --time-limit 1 {WHERE}", done.errors), done.errors


@pytest.mark.slow
def test_a_mutant_that_never_ends_counts_as_not_decided(shell):
    shell.own(ENDLESS)
    bounds = ["-b", "replicas=2", "-p", "TypeOk", "--jobs", "2"]
    done = shell.run("mutate", "own.py", *bounds, "--time-limit", "0.2")
    assert done.returncode == 3
    assert "(some searches ran out of time)" in done.output


@pytest.mark.parametrize("arguments", most_slow(COMMANDS, ("check",)))
def test_ctrl_c_ends_a_rule_that_never_ends_and_says_where_it_is(shell, arguments):
    shell.own(BEGUN + ENDLESS)
    with shell.start(*arguments) as process:
        caught(shell, process)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        done = shell.ended(process)
    assert time.monotonic() - sent < 30
    assert done.returncode == 130, done.errors
    assert re.search(rf"an interrupt {WHERE}", done.output), done.output
    assert re.search(WHERE, (shell.path / "report.json").read_text())


@pytest.mark.slow
def test_ctrl_c_of_a_graph_says_which_rule_never_ends(shell):
    shell.own(BEGUN + ENDLESS)
    with shell.start("graph", "own.py", "--graphml", "graph.xml") as process:
        caught(shell, process)
        process.send_signal(signal.SIGINT)
        done = shell.ended(process)
    assert done.returncode == 130
    assert re.fullmatch(rf"Error: interrupted {WHERE}", done.errors), done.errors
    assert shell.names() == {"own.py"}


LOOPS = {
    "endless": (ENDLESS, 1),
    "endless, two workers": (ENDLESS, 2),
    "nested": (NESTED, 1),
    "nested, two workers": (NESTED, 2),
}


@pytest.mark.parametrize("case", most_slow(LOOPS, ("nested, two workers",)))
def test_machine_code_that_never_ends_is_ended_by_the_time_limit(shell, case):
    body, workers = case
    shell.own(body)
    how = ["-p", "TypeOk", "--engine", "compiled", "--workers", workers, "--json", "report.json"]
    # To compile takes a while the first time.
    shell.run("check", "own.py", *how, "--max-depth", "1")
    sent = time.monotonic()
    done = shell.run("check", "own.py", *how, "--time-limit", "2")
    assert time.monotonic() - sent < 60
    assert done.returncode == 3, done.errors
    report = json.loads((shell.path / "report.json").read_text())
    assert report["outcome"] == "incomplete"
    assert report["distinct_states"] > 0
    assert report["stopped_by"].startswith("--time-limit 2")
    # Either machine code is left running, or the interpreted engine went to see where it is.
    named = re.search(WHERE, report["stopped_by"])
    assert named or "machine code had not returned" in report["stopped_by"]


@pytest.mark.slow
def test_machine_code_that_never_ends_is_ended_by_ctrl_c(shell):
    shell.own(NESTED)
    how = ["-p", "TypeOk", "--engine", "compiled", "--json", "report.json"]
    shell.run("check", "own.py", *how, "--max-depth", "1")
    with shell.start("check", "own.py", *how) as process:
        # Machine code leaves no file behind.
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        done = shell.ended(process)
    assert done.returncode == 130, done.errors
    report = json.loads((shell.path / "report.json").read_text())
    assert report["outcome"] == "incomplete"
    assert report["stopped_by"].startswith("an interrupt")


SWALLOWS = """
try:
    while True:
        pass
except KeyboardInterrupt:
    pass
"""


def test_a_rule_that_swallows_ctrl_c_does_not_make_the_property_hold(shell):
    """The step that it takes then is not the one that it would have taken."""
    shell.own(f"{BEGUN}outside({SWALLOWS!r})\nreturn False")
    with shell.start("check", "own.py", "-p", "TypeOk") as process:
        wait_until(shell.begun, process)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
        done = shell.ended(process)
    assert done.returncode == 130
    assert "HOLDS" not in done.output


def test_a_search_in_another_thread_is_left_alone():
    """There no signal arrives; it looks at the clock itself."""
    from concurrent.futures import ThreadPoolExecutor

    protocol = find_protocol("kip-320")
    system = protocol.system(protocol.model.bounds(replicas=3, records=3))
    limits, resources = Limits(seconds=0.3), Resources(engine="interpreted")
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(check, system, [], limits=limits, resources=resources).result(60)
    assert (found.outcome, str(found.stopped_by)) == (Outcome.INCOMPLETE, "--time-limit 0.3")


def test_the_alarm_of_whoever_calls_is_left_as_it_was():
    def mine(number, frame):
        pass

    protocol = find_protocol("tidegate.examples.async_isr:async_isr")
    system = protocol.system(protocol.model.bounds())
    before = signal.signal(signal.SIGALRM, mine)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1000)
        assert check(system, [], limits=Limits(seconds=100)).outcome is Outcome.HOLDS
        assert signal.getsignal(signal.SIGALRM) is mine
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 900
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert check(system, [], limits=Limits(seconds=100)).outcome is Outcome.HOLDS
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_alarm_that_rings_while_it_is_set_or_stopped_does_not_ring_after_its_block():
    """It may ring at any call; an error amid the end of the block would leave it as it is."""

    def ring(frame, event, called):
        handler = signal.getsignal(signal.SIGALRM)
        if callable(handler):
            handler(signal.SIGALRM, frame)
            handler(signal.SIGALRM, frame)

    before = signal.getsignal(signal.SIGALRM)
    alarm = Alarm(100.0, time.perf_counter(), at_once=True)
    sys.setprofile(ring)
    with alarm:
        pass
    sys.setprofile(None)
    assert str(alarm.stopped_by) == "--time-limit 100"
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)

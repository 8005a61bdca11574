"""Ctrl-C, SIGTERM and SIGHUP end every command cleanly, whatever it is at."""

import configparser
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import BEGUN, ENDLESS, GOOD, children, runs, wait_until

SIGNALS = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
"""What ends a command, and its exit status then."""


def ended_by(shell, name, process, ready):
    """Send a signal when a process is ready for it, and return how that ended."""
    wait_until(ready, process)
    workers = children(process.pid)
    process.send_signal(getattr(signal, name))
    done = shell.ended(process)
    assert done.returncode == SIGNALS[name], done.errors
    wait_until(lambda: not any(map(runs, workers)))
    return done


FILES = ["-b", "replicas=3", "-b", "max_offset=3", "--json", "report.json"]

LARGE = [
    "tidegate.examples.published:kip_320", "-b", "replicas=3", "-b", "records=3", "-b",
    "max_leader_epoch=3",
]  # fmt: skip
"""What is still searched when a signal comes."""


@pytest.mark.parametrize("name", SIGNALS)
def test_a_search_that_a_signal_ends_reports_what_was_covered(shell, name):
    shell.own(BEGUN + GOOD)
    with shell.start("check", "own.py", *FILES, "--html", "page.html") as process:
        done = ended_by(shell, name, process, shell.begun)
    assert "INCOMPLETE own.py" in done.output
    assert "stopped by an interrupt" in done.output
    assert shell.names() == {"own.py", "report.json"}, "nothing half-written, no page of no trace"
    assert json.loads((shell.path / "report.json").read_text())["outcome"] == "incomplete"


def test_mutants_that_a_signal_ends_leave_no_worker_behind(shell):
    with shell.start("mutate", "kip-320", "--jobs", "2") as process:
        done = ended_by(shell, "SIGTERM", process, lambda: len(children(process.pid)) == 2)
    assert "INCOMPLETE interrupted: not every mutant was decided at" in done.output
    assert re.search(r"\d+ of \d+ mutants killed, \d+ undecided", done.output)


def test_what_has_nothing_to_report_yet_leaves_nothing_behind(shell):
    shell.own(BEGUN + GOOD)
    with shell.start("graph", "own.py", *FILES, "--max-states", "10000000") as process:
        done = ended_by(shell, "SIGTERM", process, shell.begun)
    assert done.errors.startswith("Error: interrupted")
    assert shell.names() == {"own.py"}


GATE = """
[[case]]
protocols = "kip-320"
bounds = "replicas=3 records=3 elections=3"
engine = "interpreted"
holds = "TypeOk"
"""


def test_a_gate_that_a_signal_ends_reports_what_was_covered(shell):
    shell.write("tidegate.toml", GATE)

    with shell.start("gate", "--json", "report.json") as process:
        done = ended_by(shell, "SIGTERM", process, lambda: len(children(process.pid)) >= 3)
    assert "1 not decided, interrupted" in done.output
    report = json.loads((shell.path / "report.json").read_text())
    assert report["cells"][0]["status"] == "stopped"
    assert shell.names() == {"tidegate.toml", "report.json"}


@pytest.mark.parametrize(
    ("name", "to"), [("SIGINT", "its group"), ("SIGTERM", "the command"), ("SIGHUP", "its group")]
)
def test_a_simulation_that_a_signal_ends_leaves_no_worker_behind(shell, name, to):
    """When a terminal is closed, for instance, the workers get the signal too."""
    how = ["--walks", "10000000", "--jobs", "2", "--json", "report.json"]
    with shell.start("simulate", "hw", *how, start_new_session=True) as process:
        wait_until(lambda: len(children(process.pid)) == 2, process)
        workers = children(process.pid)
        (os.killpg if to == "its group" else os.kill)(process.pid, getattr(signal, name))
        done = shell.ended(process)
    assert done.returncode == SIGNALS[name], done.errors
    assert "stopped by an interrupt" in done.output
    assert shell.names() == {"report.json"}
    wait_until(lambda: not any(map(runs, workers)))


def test_what_nohup_has_ignored_stays_ignored(shell):
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    shell.own(BEGUN + GOOD)
    with shell.start("check", "own.py", *FILES, preexec_fn=ignore) as process:
        wait_until(shell.begun, process)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        assert shell.ended(process).returncode == SIGNALS["SIGTERM"]


def test_a_compiled_search_that_is_terminated_can_be_resumed(shell):
    how = ["--checkpoint", "run", "--checkpoint-every", "0", "--workers", "2"]
    with shell.start("check", *LARGE, *how) as process:
        ready = shell.path / "run" / "manifest.json"
        done = ended_by(shell, "SIGTERM", process, ready.exists)
    assert "Resume with: tidegate check --resume run" in done.output
    resumed = shell.run("check", "--resume", "run", "--trust", "--max-states", "1")
    assert resumed.returncode == 3, resumed.errors


LATE = """
import os, signal, sys, threading, time
from tidegate.__main__ import main
from tidegate.checker.compiled import machine, search

class Late(machine.Machine):
    def _use(self, code):
        super()._use(code)
        late = {late}
        owner = self.table if late == "_grow" else self
        def called(*numbers, called=getattr(owner, late)):
            if late == "_grow":
                os.kill(os.getpid(), signal.SIGTERM)
            second = threading.current_thread().name.endswith("_1")
            time.sleep(0.5 if late == "_grow" or second else 0.05)
            return called(*numbers)
        setattr(owner, late, called)

def start(thread, started=threading.Thread.start):
    started(thread)
    if {late} == "work" and thread.name.endswith("_1"):
        signal.raise_signal(signal.SIGTERM)

threading.Thread.start, search.Machine = start, Late
sys.exit(main())
"""
"""Sends the signal while a thread begins to search, or moves a table, and the thread is slow."""


@pytest.mark.parametrize("late", ["work", "_grow"])
def test_memory_is_not_given_back_while_a_thread_of_a_terminated_search_is_slow(shell, late):
    shell.write("late.py", LATE.format(late=repr(late)))
    how = ["--engine", "compiled", "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "late.py", "check", *LARGE, *how],
        cwd=shell.path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == SIGNALS["SIGTERM"], done.stderr
    assert "stopped by an interrupt" in " ".join(done.stdout.split())


INTERRUPTING = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{signal})

sys.meta_path.insert(0, Finder())
"""

MODULES = ["click", "tidegate.commands.check"]
STARTS = [("script", "tidegate.cli"), *(("module", module) for module in MODULES)]


@pytest.mark.parametrize(("start", "module"), STARTS)
def test_ctrl_c_during_the_imports_gets_one_line(shell, start, module):
    shell.write("sitecustomize.py", INTERRUPTING.format(module=module, signal="SIGINT"))
    script = "import sys\nfrom tidegate.__main__ import main\nsys.exit(main())"
    command = ["-m", "tidegate"] if start == "module" else ["-c", script]
    done = subprocess.run(
        [sys.executable, *command, "check", "hw", "-b", "crashes=0", "-b", "elections=0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(shell.path), *known_path()])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == "Error: interrupted"


def known_path():
    """Return the directories that the environment adds to Python's path."""
    return [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]


def test_the_console_script_begins_where_ctrl_c_is_caught():
    config = configparser.ConfigParser()
    config.read(Path(__file__).parents[2] / "setup.cfg", encoding="utf-8")
    scripts = config["options.entry_points"]["console_scripts"]
    assert scripts.split() == ["tidegate", "=", "tidegate.__main__:main"]


def test_a_rule_that_never_ends_is_terminated_too(shell):
    shell.own(BEGUN + ENDLESS)
    with shell.start("check", "own.py", *FILES) as process:
        done = ended_by(shell, "SIGTERM", process, shell.begun)
    assert "stopped by an interrupt" in done.output
    assert shell.names() == {"own.py", "report.json"}


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("moment", ["Java starts", "levels are found"])
def test_a_search_by_spark_that_a_signal_ends_leaves_no_java_behind(shell, name, moment):
    how = ["--engine", "spark", "--master", "local[2]", "--store", "store", "--local-levels", "0"]

    def ready():
        started = bool(children(process.pid)) and (shell.path / "store" / "manifest.json").exists()
        levels = len(list(shell.path.glob("store/levels/*")))
        return started if moment == "Java starts" else levels >= 3

    with shell.start("check", *LARGE, *how, "--json", "report.json") as process:
        done = ended_by(shell, name, process, ready)
    assert "stopped by an interrupt" in done.output
    assert "Resume with: tidegate check --resume store" in done.output
    assert shell.names() == {"store", "report.json"}

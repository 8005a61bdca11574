"""A violation that was found is reported with its status, whatever the model does with its report.

The attacks are by somebody who had not read the tests.
"""

import json
import resource
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.waiting import use_processor
from tidegate.cli import main
from tidegate.core import text

MODEL = """
import sys
from dataclasses import dataclass

from tidegate import Event, Model, Record, Scene, View, integer, nested, number


@dataclass(frozen=True)
class Bounds:
    n: int = number(5, 1, 1000, "n", main=True)


class Part(Record):
    x: int = integer(0, 12, "x")

    @classmethod
    def shown(cls, part):
        {shown}
        return "p"


class State(Record):
    x: int = integer(0, 12, "x")
    y: int = integer(0, 12, "y")
    part: Part = nested(Part)


def scene(s, k):
    {scene}
    return Scene()


def event(action, arguments, before, after):
    return Event()


model = Model(Bounds, State, deadlock=False{view})


def deep(number: int) -> int:
    return deep(number + 1) + 1


@model.action("x")
def go(s: State, k: Bounds) -> bool:
    if s.x == 10:
        {error}
        return False
    s.x += 1
    return True


@model.action("y")
def up(s: State, k: Bounds) -> bool:
    if s.y == 12:
        return False
    s.y += 1
    return True


def text(s, k):
    {text}
    return "t"


@model.invariant("x stays away from 3.", explain=text)
def inv(s: State, k: Bounds) -> bool:
    return s.x != 3


@model.invariant("x is small.")
def small(s: State, k: Bounds) -> bool:
    return s.x < 12
"""

ENDLESS = "while True:\n        pass"
TIDEGATE = [sys.executable, "-m", "tidegate"]


@pytest.fixture
def written(tmp_path):
    """Write a model that does something odd."""

    def write(view="", **odd):
        text = MODEL.replace("{view}", view)
        for name in ("shown", "scene", "error", "text"):
            text = text.replace(f"{{{name}}}", odd.get(name, "pass"))
        path = tmp_path / "model.py"
        path.write_text(text)
        return str(path)

    return write


@pytest.mark.parametrize(
    ("view", "odd"),
    [
        ("", {"text": ENDLESS}),
        ("", {"shown": ENDLESS.replace("    pass", "        pass")}),
        (", view=View(scene, event)", {"scene": ENDLESS}),
    ],
    ids=["explain", "shown", "view"],
)
def test_a_text_that_never_returns_is_left_out(written, tmp_path, monkeypatch, view, odd):
    monkeypatch.setattr(text, "SECONDS", 0.3)
    page, report = tmp_path / "page.html", tmp_path / "report.json"
    arguments = ["check", written(view, **odd), "--html", str(page), "--json", str(report)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 12
    assert "Inv is violated after 3 steps" in " ".join(result.output.split())
    assert json.loads(report.read_text())["outcome"] == "violated"
    assert "not return within 0.3 s" in report.read_text() + page.read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_text_and_the_verdict_follows(written, number):
    process = subprocess.Popen(
        [*TIDEGATE, "check", written(text=ENDLESS)], stdout=subprocess.PIPE, text=True
    )
    use_processor(process, 1.5)
    process.send_signal(number)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 12
    assert "VIOLATED" in said


@pytest.mark.parametrize(
    "text",
    [
        "raise KeyboardInterrupt",
        "sys.stdout.close()",
        "raise MemoryError",
    ],
)
def test_a_text_that_fails_costs_nothing(written, tmp_path, text):
    report = tmp_path / "report.json"
    command = [*TIDEGATE, "check", written(text=text), "--json", str(report), "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 12, done.stderr
    assert json.loads(report.read_text())["outcome"] == "violated"
    assert "Traceback" not in done.stderr


def test_a_full_output_costs_no_status(written):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*TIDEGATE, "check", written(), "-q"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 12
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("s.x = 99", "wrote a value out of range"),
        ("s.x //= s.y - s.y", "ZeroDivisionError"),
        ("raise ValueError('x')", "ValueError"),
        ("return deep(1) > 0", "RecursionError"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("return None", "neither True nor False"),
    ],
)
def test_what_was_violated_before_the_model_fails_stays_violated(written, tmp_path, error, said):
    report = tmp_path / "report.json"
    arguments = ["check", written(error=error), "--continue", "--json", str(report)]
    result = CliRunner().invoke(main, [*arguments, "--engine", "interpreted"])
    output = " ".join(result.output.split())
    if result.exit_code == 70:
        # Its reading finds it before the search.
        assert "distinct states" not in output
        return
    assert result.exit_code == 12
    assert "Inv is violated after 3 steps. Not decided: Small (stopped by an error of" in output
    assert said in output
    assert json.loads(report.read_text())["properties"][0]["outcome"] == "violated"


def test_the_soft_limit_of_cpu_time_ends_a_search_with_its_report(written):
    path = written()
    with open(path) as file:
        text = file.read().replace("integer(0, 12,", "integer(0, 4000,").replace("== 12", "== 4000")
    text = text.replace("s.x != 3", "s.x >= 0").replace("s.x == 10", "s.x == 4000")
    with open(path, "w") as file:
        file.write(text.replace("s.x < 12", "s.x < 5000"))
    limit = (1, resource.RLIM_INFINITY)
    done = subprocess.run(
        [*TIDEGATE, "check", path, "--engine", "interpreted", "-q"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGXCPU, done.stderr
    assert "INCOMPLETE" in done.stdout

"""Whose code a file holds does not depend on where it was installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.core.origins import Origin, is_library, is_users, origin

ROOT = Path(tidegate.__file__).parent

FOLLOWER_READS = Path(__file__).parents[2] / "examples" / "follower_reads.py"


@pytest.mark.parametrize(
    ("file", "whose"),
    [
        (str(ROOT / "core" / "spec.py"), Origin.TIDEGATE),
        (str(ROOT / "examples" / "raft.py"), Origin.TIDEGATE),
        # In a clone lie a virtual environment, tests, and what a user tries there.
        (str(ROOT / "tests" / "lock.py"), Origin.USER),
        (str(ROOT / "my_protocol.py"), Origin.USER),
        (str(ROOT / "first-change" / "my_protocol.py"), Origin.USER),
        (numpy.__file__, Origin.LIBRARY),
        (str(ROOT / ".venv" / "lib" / "site-packages" / "numpy" / "x.py"), Origin.LIBRARY),
        ("/usr/lib/python3/dist-packages/apt/cache.py", Origin.LIBRARY),
        ("/home/me/.local/lib/python3.12/site-packages/rich/text.py", Origin.LIBRARY),
        (json.__file__, Origin.PYTHON),
        (str(Path(os.__file__).resolve()), Origin.PYTHON),
        ("<frozen abc>", Origin.PYTHON),
        ("<string>", Origin.USER),
        ("/home/me/models/lock.py", Origin.USER),
    ],
)
def test_a_file_is_known_by_its_directories(file, whose):
    assert origin(file) is whose
    assert is_library(file) == (whose in (Origin.PYTHON, Origin.LIBRARY))


def test_only_what_is_on_disk_is_a_file_of_the_user(tmp_path):
    file = tmp_path / "lock.py"
    assert not is_users(str(file))
    file.touch()
    assert is_users(str(file))
    assert not is_users("<string>")


@pytest.fixture
def installed(tmp_path):
    """Return what runs Python where Tidegate lies among the libraries, in an empty directory."""
    libraries, project = tmp_path / "site-packages", tmp_path / "project"
    libraries.mkdir()
    project.mkdir()
    (libraries / "tidegate").symlink_to(ROOT)

    def start(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(libraries)}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)

    return start


PRINT = """
from tidegate.core.origins import PACKAGE, origin
print(PACKAGE.parent.name, *(origin(str(PACKAGE.parent / name)).name for name in {names}))
"""


def test_an_installed_tidegate_is_no_library(installed):
    names = ("tidegate/model/broker/log.py", "tidegate/examples/raft.py", "numpy/matlib.py")
    done = installed("-c", PRINT.format(names=names))
    assert done.stdout == "site-packages TIDEGATE TIDEGATE LIBRARY\n", done.stderr


def test_an_installed_tidegate_reads_its_own_helpers(installed):
    """`leads` and `acting_leader` are of this package, and an example calls them."""
    bounds = ["-b", "records=1", "-b", "crashes=0", "-b", "elections=0"]
    done = installed("-m", "tidegate", "check", str(FOLLOWER_READS), *bounds)
    assert (done.returncode, done.stderr) == (0, "")


LOCK = '''"""A lock."""

from dataclasses import dataclass

from tidegate import Model, Property, Record, number, set_of

from .helpers import is_free


@dataclass(frozen=True)
class Bounds:
    clients: int = number(2, 1, 5, "clients")


class State(Record):
    saw_it_free = set_of(lambda k: k.clients, "clients that saw the lock free")
    holders = set_of(lambda k: k.clients, "clients that hold the lock")


model = Model(Bounds, State, participants={"client": lambda k: k.clients}, deadlock=False)


@model.action("client")
def look(s: State, k: Bounds, client: int) -> bool:
    if not is_free(s) or client in s.saw_it_free:
        return False
    s.saw_it_free.add(client)
    return True


@model.action("client")
def take(s: State, k: Bounds, client: int) -> bool:
    if client not in s.saw_it_free:
        return False
    s.saw_it_free.discard(client)
    s.holders.add(client)
    assert len(s.holders) < 2, "two hold it"
    return True
'''

RULES = '''"""KIP-320, where everybody joins the ISR."""

from dataclasses import replace

from tidegate.model import KIP_320

from .helpers import is_there


def has_committed(s, k, leader, offset):
    return is_there(offset)


JOINS = replace(
    KIP_320,
    name="joins",
    parent=KIP_320,
    rules=replace(KIP_320.rules, has_committed=has_committed),
)
'''

HELPERS = """
def is_free(s):
    return not s.holders


def is_there(offset):
    return offset >= 0
"""

PROMISES = """
from tidegate import Property


def is_small(s):
    return s.replica[0].hw <= 0


NOTHING_COMMITTED = Property("NothingCommitted", "", "", lambda s, k: is_small(s))
"""


OTHERS = """
def count(numbers):
    return len(numbers)
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Install a package of a user's models beside a library, and go to an empty directory."""
    libraries, project = tmp_path / "site-packages", tmp_path / "project"
    sources = {"lock": LOCK, "rules": RULES, "promises": PROMISES, "helpers": HELPERS}
    (libraries / "own_models").mkdir(parents=True)
    (libraries / "own_models" / "__init__.py").touch()
    for name, text in sources.items():
        (libraries / "own_models" / f"{name}.py").write_text(text)
    (libraries / "others.py").write_text(OTHERS)
    project.mkdir()
    monkeypatch.syspath_prepend(libraries)
    monkeypatch.chdir(project)
    yield libraries
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("own_models", "others")
    ]:
        del sys.modules[name]


BOUNDS = ["-b", "records=1", "-b", "crashes=0", "-b", "elections=1"]


def line(begins):
    """Return the line of the lock that begins so."""
    lines = LOCK.splitlines()
    return next(n for n, text in enumerate(lines, 1) if text.strip().startswith(begins))


def test_a_model_that_is_installed_is_read_with_its_helpers(models):
    result = CliRunner().invoke(main, ["check", "own_models.lock:model", "-p", "Assertion"])
    assert result.exit_code == 12, result.output
    said = "".join(result.output.split())
    assert f"own_models/lock.py:{line('assert')}):twoholdit" in said


def test_a_protocol_that_is_installed_is_read_with_its_helpers(models):
    arguments = [
        "check",
        "own_models.rules:JOINS",
        *BOUNDS,
        "-p",
        "own_models.promises:NOTHING_COMMITTED",
    ]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 12, result.output
    assert "own_models.promises:NOTHING_COMMITTED is violated" in " ".join(result.output.split())


def test_a_model_in_one_file_is_installed_like_a_package(models):
    text = LOCK.replace("from .helpers import is_free\n", HELPERS)
    (models / "own_models.py").write_text(text)
    for file in (models / "own_models").iterdir():
        file.unlink()
    (models / "own_models").rmdir()
    checked = tidegate.check("own_models:model", {"clients": 1}, ["Assertion"])
    assert checked.holds, str(checked)


def test_what_a_model_imports_of_another_package_is_lowered_as_its_own(models):
    text = LOCK.replace("from .helpers import is_free", "from others import count")
    text = text.replace("not is_free(s)", "count(s.holders) > 0")
    (models / "own_models" / "lock.py").write_text(text)
    result = CliRunner().invoke(main, ["check", "own_models.lock:model"])
    assert "Assertion is violated after 3 steps" in result.output


def test_a_gate_searches_an_installed_model_every_time(models, monkeypatch):
    """Its version may stay while its code changes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(models / "cache"))
    case = 'protocols = "own_models.lock:model"\nbounds = "clients=1"\nholds = "Assertion"\n'
    Path("tidegate.toml").write_text(f"[[case]]\n{case}")
    for _ in range(2):
        result = CliRunner().invoke(main, ["gate", "--cached"])
        assert result.output.startswith("pass"), result.output

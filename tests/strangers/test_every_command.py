"""Every command takes what check accepts: it ends as documented, and not with an internal error."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tidegate.checker.explore import Exploration
from tidegate.checker.reasons import why
from tidegate.cli import COMMANDS, main
from tidegate.library.names import find_protocol
from tidegate.library.properties import find_of_states, with_every_history

from .test_strangers import FILES, MODELS, claim_of

EXAMPLES = Path(__file__).parents[2] / "examples"

DOCUMENTED = frozenset({0, 2, 3, *range(10, 16)})
"""The exit statuses of commands that are neither interrupted nor wrong."""

REFUSED = frozenset({2, 70})
"""Those of a check that does not accept a model."""

SECONDS = ("--time-limit", "0.2")

STATES = ("--max-states", "200")

FORMS = ("--html", "--markdown", "--mermaid", "--tla", "--itf")


@dataclass(frozen=True)
class Case:
    """A model with its bounds and properties, as they are named on the command line."""

    name: str
    bounds: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """The options that choose the bounds and the properties."""
        chosen = [("-b", one) for one in self.bounds] + [("-p", one) for one in self.properties]
        return [word for pair in chosen for word in pair]

    def __str__(self) -> str:
        return self.name


def _of_stranger(path: Path) -> Case:
    claim = claim_of(path)
    name = f"{path.name}:{claim.name}" if claim.name else path.name
    return Case(name, tuple(map("=".join, claim.bounds.items())), tuple(claim.properties))


NAMED = {
    "async_isr.py": "async_isr.py:async_isr",
    "published.py": "published.py:kip_320",
}
"""What to take of an example that has several protocols."""

CASES = [
    *(Case(NAMED.get(path.name, path.name)) for path in EXAMPLES.glob("*.py")),
    *(_of_stranger(path) for path in FILES if claim_of(path).expect[0] != "refused"),
    Case("two_asserts.py:good"),
    Case("waiting_commits.py:PATCHED", ("purgatory", "records=1", "crashes=0")),
]
CASES.sort(key=str)

FEW = [case for case in CASES if case.name != "limits_many2.py"]
"""Those without the one that has so many steps that a command takes long."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy all models to one folder, since a model may import those beside it."""
    folder = shutil.copytree(MODELS, tmp_path_factory.mktemp("strangers") / "models")
    for example in EXAMPLES.glob("*.py"):
        shutil.copy(example, folder)
    return folder


def forms(folder: Path, which: str) -> list[str]:
    """Return the options that write every form of a trace."""
    return [word for form in FORMS for word in (form, str(folder / f"{which}{form[1:]}"))]


def checked(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield a check with every report, and what takes the trace that it writes."""
    trace = folder / "check.json"
    more = ["--continue", "--full", "--json", str(trace), *forms(folder, "check")]
    yield ["check", case.name, *case.options, *STATES, *more]
    if json.loads(trace.read_text("utf-8")).get("trace"):
        yield ["replay", str(trace), "--trust", "--full", *forms(folder, "replay")]
        yield ["explain", str(trace), "--trust", *SECONDS, "--json", str(folder / "explain.json")]


def watched(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield a check in which Python watches every step, and one up to symmetry."""
    python = [*case.options, *STATES, "--engine", "interpreted"]
    yield ["check", case.name, *python, "--debug"]
    yield ["check", case.name, *python, "--symmetry"]


def compiled(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield checks by the compiled engine, which may refuse a model."""
    yield ["check", case.name, *case.options, *STATES, "--engine", "compiled"]


def described(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield what describes a model."""
    for how in ((), ("--rules",), ("--json",)):
        yield ["show", case.name, *how]
    for kind in ("properties", "fairness", "bounds"):
        yield ["list", kind, case.name]


def explained(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield the explanation of whatever is violated."""
    yield ["explain", case.name, *case.options, *SECONDS]


def differing(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield the comparison of a model with itself and with its parent."""
    parent = find_protocol(case.name).parent
    for other in (case.name, *([parent.name] if parent else [])):
        report = ["--json", str(folder / "diff.json")]
        yield ["diff", other, case.name, *case.options, *SECONDS, *STATES, *report]


def bounded(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield the search for minimal bounds."""
    names = {setting.partition("=")[0] for setting in case.bounds}
    known = find_protocol(case.name).model.bounds
    if set(known.__dataclass_fields__) - names:
        yield ["bounds", case.name, *case.options, *SECONDS, "--json", str(folder / "bounds.json")]


def graphed(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield the graph of a model, and a trace from it."""
    trace, graph = folder / "farthest.json", [*case.options, *STATES]
    for form in ("--dot", "--graphml", "--json"):
        yield ["graph", case.name, *graph, form, str(folder / f"graph{form[1:]}")]
    yield ["graph", case.name, *graph, "--farthest", "--full", "--trace", str(trace)]
    if trace.exists():
        yield ["replay", str(trace), "--trust"]


def simulated(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield random walks, with every form of what they find."""
    walks = [*case.options, "--walks", "2", "--steps", "12", "--jobs", "1"]
    report = ["--json", str(folder / "walk.json"), *forms(folder, "walk")]
    yield ["simulate", case.name, *walks, "--full", *report]
    yield ["simulate", case.name, *walks, "--choose", "rare"]


def mutated(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield the searches of its mutants."""
    yield ["mutate", case.name, *case.options, *SECONDS, "--jobs", "1"]


def explored(case: Case, folder: Path) -> Iterator[list[str]]:
    """Take steps by hand, as the explorer does, and ask why others are not enabled."""
    chosen = find_protocol(case.name)
    properties = find_of_states(chosen, case.properties)
    exploration = Exploration(with_every_history(chosen, case.bounds), properties)
    for _ in range(5):
        exploration.violated()
        exploration.disabled()
        if not (enabled := exploration.enabled()):
            break
        why(exploration.system, exploration.state, enabled[-1])
        assert exploration.take(enabled[-1])
    exploration.jump(100)
    # Without a terminal it says that it needs one.
    yield ["explore", case.name, *case.options]


def conforming(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield the comparison with brokers that are not there."""
    yield [
        "conform",
        case.name,
        "--kafka",
        str(folder / "no-kafka"),
        *case.options[: 2 * len(case.bounds)],
    ]


def gated(case: Case, folder: Path) -> Iterator[list[str]]:
    """Yield a gate that has the model."""
    file = folder / "tidegate.toml"
    row = {"protocols": [str(Path(case.name).absolute())], "bounds": [" ".join(case.bounds)]}
    text = "\n".join(f"{key} = {json.dumps(value)}" for key, value in row.items())
    limits = 'max_states = 200\nseconds = 5\nholds = ["TypeOk"]'
    file.write_text(f'[[case]]\ntitle = "it"\n{text}\n{limits}\n', "utf-8")
    reports = [f"--{form}={folder / form}" for form in ("json", "junit", "sarif", "summary")]
    yield ["gate", "--config", str(file), "--jobs", "1", *reports]


WAYS: tuple[Any, ...] = (
    checked, explained, differing, explored, simulated, mutated, bounded, graphed, watched, gated,
    described, conforming,
)  # fmt: skip


def check_accepts(case: Case) -> None:
    """Refuse a model that check does not accept; it runs in the folder of the models."""
    limits = ["-q", "--max-states", "500"]
    ended = CliRunner().invoke(main, ["check", case.name, *case.options, *limits])
    assert ended.exit_code not in REFUSED, ended.output


def takes(case: Case, way: Any, folder: Path) -> None:
    """Run the commands of one way."""
    for command in way(case, folder):
        ended = CliRunner().invoke(main, command)
        unexpected = ended.exception if not isinstance(ended.exception, SystemExit) else None
        assert unexpected is None, command
        assert ended.exit_code in DOCUMENTED, (command, ended.output)
        assert "Traceback" not in ended.output, command


def test_every_command_has_its_turn() -> None:
    mentioned = {"check", "replay", "explain", "show", "list", "diff", "bounds", "graph"}
    mentioned |= {"simulate", "mutate", "explore", "conform", "gate"}
    assert set(COMMANDS) - mentioned == {"init", "cache"}, "neither takes a model"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_command_takes_a_model_whose_assertion_fails(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Any
) -> None:
    monkeypatch.chdir(models)
    case = Case("two_asserts.py:bad")
    check_accepts(case)
    takes(case, way, tmp_path)


@pytest.mark.parametrize("number", range(len(FEW)), ids=lambda number: str(FEW[number]))
def test_some_commands_take_each_model_that_check_accepts(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Each model takes a part of the commands, and each command a part of the models."""
    monkeypatch.chdir(models)
    check_accepts(FEW[number])
    for way in WAYS[number % 8 :: 8]:
        takes(FEW[number], way, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_command_takes_each_model_that_check_accepts(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.chdir(models)
    check_accepts(case)
    for way in (*WAYS, compiled):
        takes(case, way, tmp_path)

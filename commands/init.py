"""``tidegate init``: write a first gate, or a first custom model."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from shlex import quote

import click

from ..core.spec import TidegateError
from ..render.output import report_file
from ..render.terminal import say
from .status import EXIT_HOLDS, Ended

FILES = {"tidegate.toml": "tidegate.toml", "my_protocol.py": "protocol.py"}
"""The files to write, with their templates."""

STATES = {"kip-320": 328, "kip-595": 232}
"""The protocols to derive from, with the distinct states that the gate pins; the first is named in
the templates.
"""


class ProjectError(TidegateError):
    """A file of the new project exists, or its directory cannot be created."""


MODEL = "two_phase_commit.py"
"""The example that ``--model`` writes."""


@click.command()
@click.argument(
    "directory", metavar="[DIR]", default=".", type=click.Path(file_okay=False, path_type=Path)
)
@click.option(
    "--model",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a small model of your own, two-phase commit, to FILE instead.",
)
@click.option(
    "--from",
    "parent",
    metavar="PROTOCOL",
    type=click.Choice([*STATES]),
    default=next(iter(STATES)),
    show_default=True,
    help="The protocol to derive from.",
)
def init(directory: Path, model: Path | None, parent: str) -> Ended:
    """Write tidegate.toml and my_protocol.py, a protocol derived from another one, to DIR.

    Existing files are not overwritten. The new files pass 'tidegate gate'.

    \b
    Examples:
      tidegate init
      tidegate init --from kip-595
      tidegate init verification && cd verification && tidegate gate
      tidegate init --model two_phase.py && tidegate check two_phase.py
    """
    if model is not None:
        return _write_model(model)
    there = [name for name in FILES if (directory / name).exists()]
    if there:
        raise ProjectError(
            f"{', '.join(str(directory / name) for name in there)} exists already; nothing was "
            "written. Move it away, or name another directory"
        )
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProjectError(
            f"{directory}: cannot create it ({error.strerror}); name another directory"
        ) from None
    templates = files("tidegate.gate") / "templates"
    for name, template in FILES.items():
        with report_file(str(directory / name), "DIR") as target:
            target.write(_derived((templates / template).read_text("utf-8"), parent))
        say(f"wrote {directory / name}")
    where = "" if directory == Path() else f"cd {quote(str(directory))} && "
    say(f"Now run: {where}tidegate gate")
    return Ended(EXIT_HOLDS)


def _derived(text: str, parent: str) -> str:
    """Return a template for another parent than the one that it names."""
    first, states = next(iter(STATES.items()))
    for spelling in (str.upper, lambda name: name.replace("-", ""), _constant, str):
        text = text.replace(spelling(first), spelling(parent))
    return text.replace(str(states), str(STATES[parent]))


def _constant(name: str) -> str:
    return name.upper().replace("-", "_")


def _write_model(file: Path) -> Ended:
    """Write a model to begin with."""
    if file.exists():
        raise ProjectError(f"{file} exists already; nothing was written. Name another file")
    if file.suffix != ".py" or not file.stem.isidentifier():
        raise ProjectError(f"{file}: name a Python file, as in: --model two_phase.py")
    with report_file(str(file), "--model") as target:
        target.write((files("tidegate") / "examples" / MODEL).read_text("utf-8"))
    say(f"wrote {file}")
    say(f"Now run: tidegate check {quote(str(file))}")
    return Ended(EXIT_HOLDS)

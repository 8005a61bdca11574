"""The kernel is compiled once for each host, however many processes need it at once."""

import os
import subprocess
import sys

import pytest

COMPILE = """
import sys, time
from pathlib import Path

from tidegate.checker.compiled import build, object_files
from tidegate.checker.compiled.blocks import EXPORTED
from tidegate.checker.compiled.generate import Generator
from tidegate.library.selection import assemble

folder, name = Path(sys.argv[1]), sys.argv[2]

def noted(text, tick):
    with open(folder / "compiled", "a") as file:
        file.write(f"{name}\\n")
    return build.object_code(text, tick)

object_files.object_code = noted
system, _ = assemble("tidegate.examples.published:hw", ["records=1"], ["none"])
text, module = Generator(system, [], True, None).module(EXPORTED)
(folder / f"ready-{name}").touch()
while len(list(folder.glob("ready-*"))) < 2:
    time.sleep(0.01)
(folder / f"code-{name}").write_bytes(object_files.code_of(module, text))
"""


@pytest.mark.parametrize("kept", [True, False])
def test_two_processes_at_once_compile_it_once(tmp_path, kept):
    """Without a place that both can write to there is nothing to share, and each compiles."""
    kept_in = tmp_path / "cache"
    if not kept:
        kept_in.write_text("not a directory")
    environment = {**os.environ, "XDG_CACHE_HOME": str(kept_in)}
    processes = [
        subprocess.Popen([sys.executable, "-c", COMPILE, str(tmp_path), name], env=environment)
        for name in ("one", "other")
    ]
    assert [process.wait() for process in processes] == [0, 0]
    compiled = (tmp_path / "compiled").read_text().split()
    assert len(compiled) == (1 if kept else 2)
    codes = {file.read_bytes() for file in tmp_path.glob("code-*")}
    assert len(codes) == 1
    assert codes != {b""}

"""A limit of the address space (ulimit -v) is kept to, and what it keeps from loading is named."""

import os
import resource
from pathlib import Path

import pytest

from tidegate.core import memory

LARGE = ["tidegate.examples.published:kip_320", "-b", "max_leader_epoch=2", "-p", "TypeOk", "-q"]


def limited(megabytes):
    """Return what limits the address space of a process that is to be started."""
    most = megabytes << 20
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))


def test_by_default_a_compiled_search_keeps_to_the_address_space(shell):
    done = shell.run("check", *LARGE, "--engine", "compiled", preexec_fn=limited(900))
    assert done.returncode == 0, done.errors
    assert done.output.startswith("HOLDS tidegate.examples.published:kip_320")


def test_where_llvm_has_no_room_auto_searches_without_it(shell):
    how = ["--checkpoint-every", "0", "--json", "-"]
    done = shell.run("check", *LARGE, *how, "-b", "records=3", preexec_fn=limited(200))
    assert done.returncode == 0, done.errors
    assert '"engine": "interpreted"' in done.output
    assert '"outcome": "holds"' in done.output


@pytest.mark.parametrize("engine", [["--engine", "compiled"], ["--checkpoint", "run"]])
def test_where_llvm_has_no_room_whoever_asks_for_it_is_told_so(shell, engine):
    done = shell.run("check", *LARGE, *engine, preexec_fn=limited(200))
    assert done.returncode == 2
    assert f"Error: {engine[0] if engine[1] == 'run' else '--engine compiled'}: LLVM" in done.errors
    assert "of address space" in done.errors
    assert "ulimit -v" in done.errors
    assert "cannot write the output" not in done.errors


BROKEN = """import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "llvmlite.binding":
            raise OSError("libllvmlite.so: failed to map segment from shared object")

sys.meta_path.insert(0, Finder())
"""


def test_llvm_that_cannot_be_loaded_is_named_and_auto_goes_on(shell, monkeypatch):
    shell.write("sitecustomize.py", BROKEN)
    monkeypatch.setenv("PYTHONPATH", str(shell.path), prepend=os.pathsep)
    done = shell.run("check", *LARGE, "--engine", "compiled")
    assert done.returncode == 2
    assert "LLVM cannot be loaded (OSError: libllvmlite.so: failed to map" in done.errors
    assert "cannot write the output" not in done.errors
    done = shell.run("check", *LARGE, "-b", "records=3")
    assert done.returncode == 0, done.errors


@pytest.mark.slow
def test_a_search_that_gets_no_more_memory_is_incomplete(shell):
    large = ["kip-320", "-b", "replicas=4", "-b", "records=4", "-p", "TypeOk"]
    how = ["--engine", "interpreted", "--json", "report.json"]
    done = shell.run("check", *large, *how, preexec_fn=limited(60))
    assert done.returncode == 3, done.errors
    assert "INCOMPLETE kip-320" in done.output
    assert "stopped by a lack of memory (ulimit -v)" in done.output


def test_each_of_several_searches_has_an_address_space_of_its_own():
    before = resource.getrlimit(resource.RLIMIT_AS)
    assert memory.address_space() is None or before[0] != resource.RLIM_INFINITY
    try:
        # The tests before may have mapped many gigabytes.
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        used = pages * resource.getpagesize() + (8 << 30)
        resource.setrlimit(resource.RLIMIT_AS, (used, before[1]))
        space = memory.address_space()
        assert 0 < space < used
        most = (space - memory.LLVM_BYTES) // memory.SETS_ASIDE
        assert abs(memory.available_memory() - most) < 1 << 20 or memory.available_memory() < most
        assert memory.available_memory(4) <= memory.available_memory()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_liveness_is_decided_where_llvm_cannot_be_loaded(shell, monkeypatch):
    shell.write("sitecustomize.py", BROKEN)
    monkeypatch.setenv("PYTHONPATH", str(shell.path), prepend=os.pathsep)
    for protocol, status in (("kip-320 -b records=1 -b crashes=0", 0), ("hw", 13)):
        done = shell.run("check", *protocol.split(), "-p", "Converges", "-q")
        assert done.returncode == status, done.errors

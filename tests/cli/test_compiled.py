"""The compiled engine from the command line: memory, interrupts, what is kept on disk."""

import functools
import json
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from tidegate.checker.compiled import tiers, verification
from tidegate.cli import main

LARGE = ["check", "tidegate.examples.published:kip_320", "-b", "replicas=3", "-b", "records=3"]
LARGE += ["-b", "max_leader_epoch=3"]
SMALL = ["check", "tidegate.examples.async_isr:async_isr", "--engine", "compiled"]


def run(*arguments, **options):
    """Run the command line in this process."""
    return CliRunner().invoke(main, arguments, **options)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def tidegate(*arguments, **options):
    """Start the command line as its own process."""
    command = [sys.executable, "-m", "tidegate", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes, **options)


def answered(result):
    """Return a JSON report but for what may differ."""
    report = json.loads(result.stdout)
    del report["seconds"], report["symmetry"]
    return report


MEASURED = """
import resource, subprocess, sys
status = subprocess.call([sys.executable, "-m", "tidegate", *sys.argv[1:]])
sys.stderr.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
"""
"""Runs the command line in a child of a small process, since a child counts its parent's memory."""


def test_too_little_memory_ends_the_search_with_what_was_covered():
    arguments = [*LARGE, "--engine", "compiled", "--max-memory", "64M", "--json", "-"]
    command = [sys.executable, "-c", MEASURED, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == 3
    assert (report["outcome"], report["stopped_by"]) == ("incomplete", "--max-memory 64M")
    assert report["distinct_states"] > 100_000
    assert sum(report["actions"].values()) > report["distinct_states"]
    most = int(done.stderr.split()[-1])
    assert 64 << 10 < most < 600 << 10, "64 MiB, and what Python and LLVM take"


def test_fingerprints_say_how_much_memory_they_need():
    result = run(*SMALL, "--store", "fingerprint", "--max-memory", "1G")
    assert result.exit_code == 2
    assert "--max-memory 1024M is too little" in flat(result)
    assert "allow more, or use --store exact" in flat(result)


@pytest.mark.parametrize("size", ["1", "0", "-5", "63M", "lots", "1e9", "12GG", "2000T", ""])
def test_what_is_no_amount_of_memory_is_refused(size):
    result = run(*SMALL, "--max-memory", size)
    assert result.exit_code == 2
    assert "is not an amount of memory of at least 64M, such as 500M or 12G" in flat(result)


def test_more_memory_than_there_can_be_is_refused():
    result = run(*SMALL, "--max-memory", "1000T")
    assert result.exit_code == 2
    assert "lower --max-memory" in flat(result)


@pytest.mark.parametrize("workers", ["0", "257", "many"])
def test_a_number_of_workers_out_of_range_is_refused(workers):
    assert run(*SMALL, "--workers", workers).exit_code == 2


def has_levels(folder):
    """Whether a checkpoint has any level yet."""
    manifest = folder / "manifest.json"
    return manifest.exists() and bool(json.loads(manifest.read_text())["manifest"]["levels"])


def test_ctrl_c_with_workers_reports_what_was_covered(tmp_path):
    folder = tmp_path / "run"
    how = ["--workers", "3", "--checkpoint", folder, "--checkpoint-every", "0", "--json", "-"]
    with tidegate(*LARGE, *how) as process:
        while not has_levels(folder):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        report = json.loads(process.stdout.read())
    assert process.returncode == 130
    assert (report["outcome"], report["stopped_by"]) == ("incomplete", "an interrupt")
    assert report["engine"] == "compiled"
    result = run(
        "check",
        "--resume",
        str(folder),
        "--trust",
        "--max-depth",
        str(report["depth"]),
        "--json",
        "-",
    )
    assert result.exit_code == 3
    assert json.loads(result.stdout)["stopped_by"] == f"--max-depth {report['depth']}"


def test_small_models_never_wait_for_the_compiler():
    code = (
        "import sys; from tidegate.cli import main; main(sys.argv[1:], standalone_mode=False);"
        "sys.exit('llvmlite' in sys.modules)"
    )
    for arguments in (["check", "kip-101", "-b", "records=1"], ["check", "hw", "-q"], ["list"]):
        process = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, check=False
        )
        assert process.returncode in (0, 12), process.stderr


def test_large_models_end_compiled():
    arguments = [
        "check",
        "tidegate.examples.published:kip_320",
        "-b",
        "replicas=3",
        "-b",
        "max_leader_epoch=2",
    ]
    report = json.loads(run(*arguments, "-b", "records=1", "--json", "-").stdout)
    assert (report["engine"], report["distinct_states"]) == ("compiled", 97_531)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Keep machine code in a directory of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tidegate" / "compiled"


@pytest.fixture
def compiled_once(monkeypatch):
    """Compile the same text but once; what is kept on disk is as it would be."""
    once = functools.cache(tiers.object_code)
    monkeypatch.setattr(tiers, "object_code", lambda text, tick, optimised: once(text))


@pytest.mark.usefixtures("compiled_once")
def test_a_damaged_cache_changes_no_answer(cache, monkeypatch):
    # Where Python finds all again, no file says that the code was verified.
    monkeypatch.setattr(verification, "SMALL", 0)
    monkeypatch.setattr(verification, "BEGUN", 0.0)
    expected = answered(run(*SMALL, "--json", "-"))
    files = [path for path in cache.iterdir() if path.stat().st_size]
    assert len(files) == 2
    for file, elsewhere in zip(files, [*files[1:], files[0]], strict=True):
        whole = file.read_bytes()
        flipped = bytearray(whole)
        flipped[-5] ^= 1
        wrong = [b"", bytes(flipped)] if file is files[0] else []
        for content in (*wrong, elsewhere.read_bytes()):
            file.write_bytes(content)
            assert answered(run(*SMALL, "--json", "-")) == expected
            assert file.read_bytes() == whole, "it is repaired"


@pytest.mark.usefixtures("compiled_once")
def test_a_cache_that_cannot_be_written_changes_no_answer(cache, tmp_path, monkeypatch):
    expected = answered(run(*SMALL, "--json", "-"))
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", "/proc/self"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
        assert answered(run(*SMALL, "--json", "-")) == expected
        result = run("cache")
        assert (result.exit_code, result.output[:7]) == (0, "0 bytes"), result.output
        result = run("cache", "--clear")
        assert (result.exit_code, result.output[:7]) == (0, "removed"), result.output


@pytest.mark.slow
def test_two_runs_at_once_fill_an_empty_cache(cache):
    runs = [tidegate(*SMALL, "--json", "-") for _ in range(2)]
    reports = []
    for process in runs:
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        report = json.loads(output)
        del report["seconds"], report["symmetry"]
        reports.append(report)
    assert reports[0] == reports[1] == answered(run(*SMALL, "--json", "-"))
    assert len([path for path in cache.iterdir() if path.stat().st_size]) == 2


def test_the_cache_is_shown_and_cleared(cache):
    passes = cache.parent / "gate"
    nothing = f"0 bytes in {cache}\n0 bytes in {passes}\n"
    assert run("cache").output == nothing
    run(*SMALL)
    passes.mkdir()
    (passes / "entry").write_text("12345")
    shown = run("cache").output
    assert int(shown.split()[0].replace(",", "")) > 10_000
    assert shown.endswith(f" in {cache}\n5 bytes in {passes}\n")
    assert run("cache", "--clear").output.startswith(f"removed {shown.split()[0]} bytes")
    assert not cache.exists()
    assert not passes.exists()
    assert run("cache").output == nothing
    assert run("cache", "--clear").exit_code == 0

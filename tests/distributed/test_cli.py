"""``--engine spark`` as its users meet it: one line says what is wrong."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

pytestmark = pytest.mark.usefixtures("java")

TIDEGATE = [sys.executable, "-m", "tidegate"]
SMALL = [
    "check",
    "tidegate.examples.published:hw",
    "-b",
    "records=1",
    "-b",
    "log_size=1",
    "--engine",
    "spark",
]
LARGE = [
    "check",
    "tidegate.examples.published:kip_320",
    "-b",
    "replicas=3",
    "-b",
    "max_leader_epoch=2",
]


def run(*arguments, **options):
    """Run the command line in this process."""
    return CliRunner().invoke(main, arguments, **options)


def flat(text):
    """Return text without line breaks; a path may fill a line up to its comma."""
    return " ".join(text.split()).replace(" ,", ",")


def test_levels_that_are_small_need_no_spark():
    result = run(*SMALL, "--continue", "-p", "TypeOk")
    assert result.exit_code == 0
    assert "353 distinct states, depth 12" in flat(result.output)
    assert "spark engine (0 levels by Spark)" in flat(result.output)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--conf", "cores=3"], r"--conf 'cores=3': not of the form spark\.NAME=VALUE"),
        (["--master", "spark://127.0.0.1:9", "--store", "new"], "nobody answers there"),
        (["--master", "yarn"], "needs a store that all executors share"),
        (["--checkpoint", "new"], "takes no --checkpoint, since its store is one"),
        (["--partitions", "0"], "0 is not in the range"),
        (["--debug"], "takes no --debug"),
    ],
)
def test_bad_input_is_refused(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    result = run(*SMALL, "--local-levels", "0", *arguments)
    assert result.exit_code == 2
    assert re.search(said, flat(result.output))
    assert "Traceback" not in result.output


@pytest.mark.parametrize("arguments", [["--partitions", "2"], ["--ship"], ["--local-levels", "0"]])
def test_options_of_spark_need_spark(arguments):
    result = run("check", "hw", *arguments)
    assert result.exit_code == 2
    assert f"{arguments[0]} needs --engine spark" in result.output


def test_a_directory_is_a_store_for_spark_alone():
    result = run("check", "hw", "--store", "somewhere")
    assert result.exit_code == 2
    assert "somewhere: is neither exact nor fingerprint; a directory is for --engine" in (
        flat(result.output)
    )


@pytest.mark.parametrize(
    ("says", "said"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "needs Java 17 or newer, and .*java is Java 11"),
        ('java version "1.8.0_292"', "is Java 8"),
        ("no Java at all", "does not say which Java it is"),
    ],
)
def test_java_that_is_too_old_is_refused(tmp_path, monkeypatch, says, said):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    result = run(*SMALL)
    assert result.exit_code == 2
    assert re.search(said, flat(result.output))
    assert "apt install default-jre-headless" in result.output


def test_without_java_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    result = run(*SMALL)
    assert result.exit_code == 2
    assert "there is none on the PATH; on Debian: apt install default-jre-headless" in (
        flat(result.output)
    )


def test_a_full_store_ends_the_search_and_can_be_resumed(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    store = str(tmp_path / "store")
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, hard))
    try:
        result = run(*LARGE, "--engine", "spark", "--store", store, "--local-levels", "1000000000")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert result.exit_code == 3
    assert f"{store}, which cannot be written to (File too large)" in flat(result.output)
    assert f"Resume with: tidegate check --resume {store}" in flat(result.output)
    resumed = run("check", "--resume", store, "--trust", "--local-levels", "1000000000")
    assert resumed.exit_code == 0
    assert "737,794 distinct states, depth 26" in flat(resumed.output)


FULL_DISK = """
mount -t tmpfs -o size=40m tmpfs "$1" || exit 99
shift
"$@"
status=$?
mount -o remount,size=600m "${store%/*}"
python=$1
"$python" -m tidegate check --resume "$store" --trust --json "$report"
exit $status
"""


@pytest.mark.slow
@pytest.mark.spark
def test_a_disk_that_is_full_amid_a_job_ends_the_search_and_it_can_be_resumed(tmp_path):
    """The disk is one that only these processes see, and it holds Spark's own files too."""
    disk, report = tmp_path / "disk", tmp_path / "report.json"
    disk.mkdir()
    apart = ["unshare", "--user", "--map-root-user", "--mount"]
    try:
        tried = subprocess.run([*apart, "mount", "-t", "tmpfs", "tmpfs", str(disk)], check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if tried.returncode:
        pytest.skip("mounting is not allowed here")
    store = disk / "store"
    bounds = ["-b", "records=3", "-b", "log_size=3", "-p", "none"]
    where = ["--engine", "spark", "--store", str(store), "--master", "local[2]"]
    command = [*TIDEGATE, *LARGE, *bounds, *where, "--local-levels", "20000"]
    done = subprocess.run(
        [*apart, "sh", "-c", FULL_DISK, "sh", str(disk), *command],
        env={**os.environ, "store": str(store), "report": str(report)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert re.search(
        r"\(stopped by (a full disk: there is no room|--store \S+, which)", flat(done.stdout)
    )
    assert f"Resume with: tidegate check --resume {store}" in flat(done.stdout)
    assert "Traceback" not in done.stderr
    assert json.loads(report.read_text())["distinct_states"] == 4_093_531


def test_a_store_keeps_how_it_was_begun_but_no_secrets(tmp_path):
    store = str(tmp_path / "store")
    conf = ["--conf", "spark.hadoop.fs.s3a.secret.key=hidden", "--conf", "spark.executor.cores=2"]
    result = run(*SMALL, "--store", store, "--partitions", "5", *conf, "--max-depth", "3")
    assert result.exit_code == 3
    manifest = (tmp_path / "store" / "manifest.json").read_text()
    assert "hidden" not in manifest
    about = json.loads(manifest)["manifest"]["about"]
    assert about["cluster"]["conf"] == ["spark.executor.cores=2"]
    assert about["cluster"]["partitions"] == 5


@pytest.fixture
def bare_python(tmp_path):
    """Make an interpreter that has what is installed, but not this package."""
    [site] = {str(Path(path)) for path in sys.path if path.endswith("site-packages")}
    if (Path(site) / "tidegate").exists():
        pytest.skip("the package is installed as a copy, so that no interpreter lacks it")
    wrapper = tmp_path / "python"
    wrapper.write_text(
        f'#!/bin/sh\nPYTHONPATH={site}:${{MORE:-}}:$PYTHONPATH exec {sys.executable} -S "$@"\n'
    )
    wrapper.chmod(0o755)
    return wrapper


ONE_JOB = ["--local-levels", "0", "--master", "local[1]", "--max-depth", "2", "--partitions", "1"]


@pytest.mark.slow
@pytest.mark.spark
def test_executors_without_the_package_can_be_sent_it(bare_python):
    environment = {**os.environ, "PYSPARK_PYTHON": str(bare_python)}
    command = [*TIDEGATE, *SMALL, *ONE_JOB]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == ("Error: an executor cannot import tidegate; send it along with --ship\n")
    done = subprocess.run([*command, "--ship"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "")
    assert "(1 level by Spark)" in flat(done.stdout)


@pytest.mark.slow
@pytest.mark.spark
def test_executors_with_other_code_are_refused(bare_python, tmp_path):
    """Were they not, a change of the format of runs would go unnoticed."""
    from tidegate.checker.distributed.session import write_package

    archive = tmp_path / "other.zip"
    write_package(archive)
    other = tmp_path / "other"
    shutil.unpack_archive(archive, other)
    runs = other / "tidegate" / "checker" / "distributed" / "runs.py"
    runs.write_text(runs.read_text() + "\n# Changed.\n")
    environment = {**os.environ, "PYSPARK_PYTHON": str(bare_python), "MORE": str(other)}
    command = [*TIDEGATE, *SMALL, *ONE_JOB]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(
        r"Error: the executor on .* runs other code than the driver; .*--ship\n", done.stderr
    )


@pytest.mark.slow
@pytest.mark.spark
def test_an_interrupted_job_says_what_was_covered_and_prints_nothing_else(tmp_path):
    store = tmp_path / "store"
    where = ["--engine", "spark", "--store", str(store), "--master", "local[2]"]
    command = [*TIDEGATE, *LARGE, "-b", "records=3", "-b", "log_size=3", *where]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "--local-levels", "20000"], **pipes) as process:
        begun = time.monotonic()
        while len({run.parent for run in store.glob("levels/*/*-of-00002.run")}) < 2:
            assert process.poll() is None
            assert time.monotonic() - begun < 100
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert (process.returncode, stderr) == (130, "")
    assert "(stopped by an interrupt)" in flat(stdout)
    assert f"Resume with: tidegate check --resume {store}" in flat(stdout)
    assert (store / "spark.log").exists()
    with subprocess.Popen(
        [*TIDEGATE, "check", "--resume", str(store), "--trust", "--max-states", "1", "--json", "-"],
        **pipes,
    ) as process:
        report = json.loads(process.communicate()[0])
    assert f"{report['distinct_states']:,} distinct states" in flat(stdout)
    assert report["spark_levels"] > 0

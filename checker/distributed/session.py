"""The Spark context of a search: an existing one, or one that is started quietly.

Packs the package into one file, for executors that do not have it.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import threading
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ...core.imports import safe_path
from ...core.result import Cluster
from .java import SparkError
from .manifest import LOG_SETTINGS, SPARK_LOG

if TYPE_CHECKING:
    from pyspark import SparkContext


PACKAGE = __package__.partition(".")[0]


def write_package(target: Path) -> None:
    """Write all modules of this package into a ZIP file, from which Python can import them."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, files(PACKAGE), PACKAGE)


def _add(archive: zipfile.ZipFile, folder: Traversable, name: str) -> None:
    for part in sorted(folder.iterdir(), key=lambda part: part.name):
        if part.is_dir():
            # In a clone the package's directory has other directories, too.
            if part.joinpath("__init__.py").is_file():
                _add(archive, part, f"{name}/{part.name}")
        elif part.name.endswith(".py") and part.name != "setup.py":
            archive.writestr(f"{name}/{part.name}", part.read_bytes())


JAVA_OPTIONS = "spark.driver.extraJavaOptions"

DEFAULTS = {
    "spark.app.name": "tidegate",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    # Candidates begin with a hash, which cannot be compressed.
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
    # Up to 200 partitions Spark would have each task write a file for each other one.
    "spark.shuffle.sort.bypassMergeThreshold": "8",
    # The shuffle files of a finished level are useless; Java's garbage collection removes them.
    "spark.cleaner.periodicGC.interval": "1min",
    # Workers are on the same host as their executor.
    "spark.python.unix.domain.socket.enabled": "true",
    # Java only moves bytes here; optimising it further costs more than it saves.
    JAVA_OPTIONS: "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}
"""The settings unless ``--conf`` has others."""

LOG = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss}} %p %c{{1}}: %m%n%ex
"""

_TAG = "spark.tidegate.session"


def settings(conf: tuple[str, ...]) -> dict[str, str]:
    """Return the settings from ``--conf``.

    Raises
    ------
    SparkError
        If one of them is not a setting of Spark.
    """
    chosen = {}
    for setting in conf:
        name, equals, value = setting.partition("=")
        if not equals or not name.startswith("spark."):
            raise SparkError(
                f"--conf {setting!r}: not of the form spark.NAME=VALUE, such as "
                "spark.executor.memory=4g"
            )
        chosen[name] = value
    return chosen


@contextmanager
def spark_context(cluster: Cluster, folder: Path | None) -> Iterator[SparkContext]:
    """Return Spark's context: the one of this process, or one that ends with the block.

    Parameters
    ----------
    folder
        The directory for Spark's log and temporary files; None for Spark's default.

    Raises
    ------
    SparkError
        If it cannot be started.
    """
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException

    tag = uuid.uuid4().hex
    conf = SparkConf()
    for name, value in {**_configuration(cluster, folder), _TAG: tag}.items():
        conf.set(name, value)
    master = conf.get("spark.master") or "that of spark-submit"
    log = folder / SPARK_LOG if folder else None
    handler = signal.getsignal(signal.SIGINT)
    try:
        with _output_to(log), _ending_java():
            context = SparkContext.getOrCreate(conf)
    except (Py4JError, PySparkException, OSError, RuntimeError) as error:
        raise SparkError(
            f"--master {master}: Spark cannot be started: {_why(error, log)}"
        ) from None
    finally:
        # Spark replaces it by its own, with which a search could not report what it covered.
        with suppress(ValueError):
            signal.signal(signal.SIGINT, handler)
    with ExitStack() as stack:
        if context.getConf().get(_TAG) == tag:
            stack.callback(_stop, context, log)
        if cluster.ship:
            archive = Path(stack.enter_context(TemporaryDirectory(prefix="tidegate-")))
            write_package(archive / "tidegate.zip")
            context.addPyFile(str(archive / "tidegate.zip"))
        # Its worker processes get this environment, on whichever machine.
        stack.enter_context(safe_path(context.environment))
        yield context


def _configuration(cluster: Cluster, folder: Path | None) -> dict[str, str]:
    """Return the settings to start Spark with; spark-submit has most of them itself."""
    chosen = settings(cluster.conf)
    if cluster.master is not None:
        chosen["spark.master"] = cluster.master
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return chosen
    master = chosen.setdefault("spark.master", "local[*]")
    _require_master(master)
    places = _places(master, folder)
    if JAVA_OPTIONS in places:
        options = chosen.get(JAVA_OPTIONS, DEFAULTS[JAVA_OPTIONS])
        chosen[JAVA_OPTIONS] = f"{options} {places[JAVA_OPTIONS]}"
    return {**DEFAULTS, **places, **chosen}


def first_line(error: BaseException) -> str:
    """Return the line of a Spark error that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if re.match(r"(Caused by: |[\w.]+(Error|Exception): )", line)]
    return (causes or lines or [type(error).__name__])[0]


def _places(master: str, folder: Path | None) -> Mapping[str, str]:
    """Return the settings of addresses and directories, and prepare these."""
    settings = {}
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_HOME", str(_spark_home()))
    if master.startswith("local") or "//127.0.0.1" in master or "//localhost" in master:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if folder is not None:
        properties = folder / LOG_SETTINGS
        properties.write_text(LOG.format(log=folder / SPARK_LOG), encoding="utf-8")
        settings[JAVA_OPTIONS] = f"-Dlog4j2.configurationFile=file:{properties}"
        if master.startswith("local"):
            settings["spark.local.dir"] = str(folder / "spark")
    return settings


def _spark_home() -> Path:
    """Return where the Spark of PySpark is; PySpark itself would look in ``..`` first."""
    import pyspark

    package = Path(pyspark.__file__).parent
    places = (package / "spark-distribution", package, package.parents[1])
    return next((place for place in places if (place / "bin/spark-submit").is_file()), package)


def _require_master(master: str) -> None:
    """Refuse a standalone master that does not answer; Spark would try for minutes."""
    if not master.startswith("spark://"):
        return
    failed = ""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=5):
                return
        except (OSError, ValueError) as error:
            failed = str(error)
    raise SparkError(
        f"--master {master}: nobody answers there ({failed}); start it, or correct the address"
    )


@contextmanager
def _ending_java() -> Iterator[None]:
    """End the Java process that the block starts, if it is interrupted before Java answers.

    Java would wait for ever for a call of this process.
    """
    from pyspark import SparkContext

    before = _children()
    try:
        yield
    except KeyboardInterrupt:
        for child in _children() - before if SparkContext._gateway is None else ():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        raise


def _children() -> set[int]:
    """Return the running children of this thread, if the system knows them."""
    place = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    try:
        return {int(child) for child in place.read_text(encoding="ascii").split()}
    except OSError:
        return set()


def _stop(context: SparkContext, log: Path | None) -> None:
    with _output_to(log):
        context.stop()


def _why(error: BaseException, log: Path | None) -> str:
    """Return why Spark did not start; if Java ended, its message."""
    line = first_line(error)
    if "JAVA_GATEWAY_EXITED" in line and log is not None and log.exists():
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        whys = [line for line in lines[-60:] if re.search(r"(Error|Exception): |Too ", line)]
        return whys[0].strip() if whys else line
    return line


@contextmanager
def _output_to(log: Path | None) -> Iterator[None]:
    """Append to a file what Java and Spark print while they start or stop."""
    if log is None:
        yield
        return
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [(number, os.dup(number)) for number in (1, 2)]
    try:
        with open(log, "ab") as file:
            for number, _ in kept:
                os.dup2(file.fileno(), number)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in kept:
            os.dup2(copy, number)
            os.close(copy)

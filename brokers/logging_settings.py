"""What a process of Kafka logs, and where: log4j, and log4j 2 since 4.0."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .distribution import Distribution

_LOG4J1 = """\
log4j.rootLogger=INFO, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={file}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=[%d{{ISO8601}}] %p %m (%c)%n
{levels}"""

_LOG4J2 = """\
appender.file.type=File
appender.file.name=file
appender.file.fileName={file}
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=[%d] %p %m (%c)%n
rootLogger.level=INFO
rootLogger.appenderRef.file.ref=file
{levels}"""


def logging_settings(distribution: Distribution, folder: Path) -> dict[str, str]:
    """Return the system property that names the configuration in a folder."""
    name = "log4j2.configurationFile" if _log4j2(distribution) else "log4j.configuration"
    return {name: f"file:{_configuration(folder)}"}


def write_logging(
    distribution: Distribution, folder: Path, file: Path, levels: Mapping[str, str]
) -> None:
    """Write the configuration of what a process logs to a file.

    Parameters
    ----------
    levels
        By the names of loggers; everything else is logged from INFO on.
    """
    if _log4j2(distribution):
        listed = "".join(
            f"logger.l{number}.name={name}\nlogger.l{number}.level={level}\n"
            for number, (name, level) in enumerate(levels.items())
        )
        text = _LOG4J2.format(file=file, levels=listed)
    else:
        listed = "".join(f"log4j.logger.{name}={level}\n" for name, level in levels.items())
        text = _LOG4J1.format(file=file, levels=listed)
    _configuration(folder).write_text(text, encoding="utf-8")


def _configuration(folder: Path) -> Path:
    return folder / "logging.properties"


def _log4j2(distribution: Distribution) -> bool:
    """Whether a release logs with log4j 2."""
    return distribution.release >= (4,)

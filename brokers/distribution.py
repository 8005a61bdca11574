"""A distribution of Kafka: a directory with its jars, and the version that they are of."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from .report import KafkaError, MissingKafkaError

_KAFKA_JAR = re.compile(r"kafka_\d+\.\d+-(?P<version>\d+(?:\.\d+)+)(?P<rest>[^/]*)\.jar")
_NO_CODE = ("-sources", "-javadoc", "-test", "-scaladoc")


@dataclass(frozen=True)
class Distribution:
    """Jars of Kafka.

    Parameters
    ----------
    version
        As the name of its jar says, such as ``0.10.2.2``.
    java
        Path of the program.
    """

    folder: Path
    version: str
    jars: tuple[Path, ...]
    java: str

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers."""
        return tuple(map(int, self.version.split(".")))

    @property
    def has_zookeeper(self) -> bool:
        """Whether it brings ZooKeeper, as releases before 4.0 do."""
        return any(jar.name.startswith("zookeeper-") for jar in self.jars)

    @property
    def has_kraft(self) -> bool:
        """Whether it runs without ZooKeeper in production, as releases since 3.3 do."""
        return self.release >= (3, 3)

    @property
    def classpath(self) -> str:
        """The jars, as Java takes them."""
        return ":".join(map(str, self.jars))


def find_distribution(folder: str, named: str = "--kafka") -> Distribution:
    """Find Kafka's jars in a directory: an unpacked distribution, or any directory of jars.

    Parameters
    ----------
    named
        What the user named the directory with, for messages.

    Raises
    ------
    MissingKafkaError
        If there is none, or no Java.
    KafkaError
        If there is more than one version.
    """
    place = Path(folder)
    if not place.is_dir():
        raise MissingKafkaError(f"{named} {folder}: no such directory; {_FETCH}")
    libs = place / "libs" if (place / "libs").is_dir() else place
    jars = [jar for jar in sorted(libs.glob("*.jar")) if not jar.stem.endswith(_NO_CODE)]
    versions = {match["version"] for jar in jars if (match := _KAFKA_JAR.fullmatch(jar.name))}
    if not versions:
        text = "no jar named kafka_SCALA-VERSION.jar there"
        raise MissingKafkaError(f"{named} {folder}: {text}; {_FETCH}")
    if len(versions) > 1:
        listed = ", ".join(sorted(versions))
        raise KafkaError(f"{named} {folder}: it holds jars of {listed}; name a directory of one")
    java = shutil.which("java")
    if java is None:
        raise MissingKafkaError("java was not found; Kafka needs Java 11 or newer on the PATH")
    return Distribution(place, versions.pop(), tuple(jar.resolve() for jar in jars), java)


_FETCH = "name an unpacked distribution of Kafka, such as kafka_2.13-3.9.2 from kafka.apache.org"

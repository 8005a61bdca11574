"""The Java that Spark runs on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from ...core.spec import TidegateError

JAVA = 17
"""The oldest Java that Spark 4 runs on."""

INSTALL = "on Debian: apt install default-jre-headless"


class SparkError(TidegateError):
    """Spark cannot be started, or could not continue, with the reason."""


def require_java() -> None:
    """Refuse to continue without a Java that Spark runs on.

    Raises
    ------
    SparkError
        If there is none, or it is too old.
    """
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME ({home})" if home else "on the PATH"
        raise SparkError(
            f"--engine spark needs Java {JAVA} or newer, and there is none {where}; {INSTALL}"
        )
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise SparkError(f"{java}: cannot be run ({error.strerror}); {INSTALL}") from None
    output = done.stderr + done.stdout
    version = re.search(r'version "(\d+)(?:\.(\d+))?', output)
    if version is None:
        first = output.strip().splitlines()[:1]
        raise SparkError(f"{java} -version does not say which Java it is: {first}; {INSTALL}")
    # Up to Java 8 the number after the first one counts.
    number = int(version[2] or 0) if version[1] == "1" else int(version[1])
    if number < JAVA:
        raise SparkError(
            f"--engine spark needs Java {JAVA} or newer, and {java} is Java {number}; {INSTALL}, "
            "or set JAVA_HOME to a newer one"
        )

"""The lines of Kafka's functions in ``library/kafka.txt``, found in a clone of Kafka.

``python -m tests.docs.sources CLONE`` writes them again: each function that a page or a docstring
names, at each tag that a link to it needs.
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from tidegate.library.links import (
    ADDRESSES,
    FUNCTION,
    chosen,
    release_named,
    spelt_out,
)

ROOT = Path(__file__).parents[2]

DECLARED = r"\b(class|object|trait|interface|record)"


def texts():
    """Yield the pages and the code whose docstrings are printed."""
    for pattern in ("*.md", "docs/**/*.md", "model/**/*.py", "invariants/*.py"):
        for path in sorted(ROOT.glob(pattern)):
            yield path.read_text("utf-8")


def named():
    """Return the releases that texts name with each function, and whether they mean one before."""
    releases = {}
    for text in texts():
        for found in re.finditer(rf"\b{FUNCTION}\b", text):
            releases.setdefault(spelt_out(found[0]), {})[release_named(text, *found.span())] = None
    return releases


def git(clone, *command):
    """Return what git prints; nothing if it finds nothing."""
    done = subprocess.run(
        ["git", "-C", clone, *command], capture_output=True, text=True, errors="replace"
    )
    return done.stdout


@cache
def tags(clone):
    """Return the tags of releases from 0.8.0 on, in order."""
    found = [tag for tag in git(clone, "tag").split() if re.fullmatch(r"\d+(\.\d+){2,3}", tag)]
    return sorted(tuple(map(int, tag.split("."))) for tag in found if tag != "0.8.1.0")


@cache
def classes(clone, tag):
    """Return the files of a tag that declare each class."""
    patterns = "*/src/main/*.scala", "*/src/main/*.java"
    files = {}
    for line in git(clone, "grep", "-E", DECLARED, tag, "--", *patterns).splitlines():
        _, path, code = line.split(":", 2)
        for found in re.finditer(rf"{DECLARED} (\w+)", code):
            files.setdefault(found[2], []).append(path)
    return files


@cache
def source(clone, tag, path):
    """Return the text of a file."""
    return git(clone, "show", f"{tag}:{path}")


def place(clone, tag, name):
    """Return the file and line of a function at a tag; "" if it is not there."""
    kind, _, function = name.partition(".")
    scala = rf"^ *(?:[\w\[\]]+ +)*(?:def|val|var) +{function}\b"
    java = rf"^ *(?!return|throw|else|new\b)(?:[\w<>\[\],.?]+ +)+{function} *\("
    for path in sorted(classes(clone, tag).get(kind, ()), key=lambda path: Path(path).stem != kind):
        text = source(clone, tag, path)
        of_class = re.search(rf"{DECLARED} {kind}\b", text)
        declared = re.compile(scala if path.endswith(".scala") else java, re.M)
        if of_class and (found := declared.search(text, of_class.end())):
            return f"{path}#L{text.count(chr(10), 0, found.end()) + 1}"
    return ""


def lines(clone):
    """Yield a line for each function at each tag that some link to it needs."""
    for name, releases in sorted(named().items()):
        places = {tag: place(clone, dotted(tag), name) for tag in tags(clone)}
        having = [tag for tag, where in places.items() if where]
        if having:
            for tag in sorted({chosen(having, *one) for one in [*releases, ((), False)]}):
                yield f"{name} {dotted(tag)} {places[tag]}"


def dotted(release):
    """Return a release as its tag is called."""
    return ".".join(map(str, release))


def write(clone):
    """Write the lines of functions again; those of KIPs stay."""
    kept = [line for line in ADDRESSES.read_text("utf-8").splitlines() if line.startswith("KIP-")]
    ADDRESSES.write_text("\n".join([*kept, *lines(clone)]) + "\n", encoding="utf-8")


def clone_of_kafka(arguments):
    """Return the path of the clone, the only argument; end with how to call this otherwise."""
    [clone] = arguments if len(arguments) == 1 else [""]
    if not (Path(clone) / ".git").exists() and not (Path(clone) / "HEAD").is_file():
        sys.exit("Usage: python -m tests.docs.sources CLONE: a clone of apache/kafka with its tags")
    return clone


if __name__ == "__main__":
    write(clone_of_kafka(sys.argv[1:]))

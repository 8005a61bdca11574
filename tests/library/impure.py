"""Writes models that call a function which is declared pure, and is not, or is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

HEAD = """\
import datetime, functools, hashlib, itertools, os, random, secrets, sys, threading, time, uuid
from dataclasses import dataclass
from pathlib import Path
import tidegate
from tidegate import *
@dataclass(frozen=True)
class Bounds: n: int = number(2, 1, 9, "n")
class State(Record):
    x: int = integer(0, 7, "x")
    y: int = integer(0, 31, "y")
FILE = Path(__file__).with_suffix(".count")
calls = 0
last = 99
TABLE = [2 * (x * 5 % 8) for x in range(8)]
STREAM = random.Random(7)
NUMBERS = itertools.count()
def counter():
    count = 0
    def step():
        nonlocal count
        count += 1
        return count % 2
    return step
STEP = counter()
FLAG = [0]
def toggle():
    while True:
        time.sleep(0.02)
        FLAG[0] ^= 1
"""

# Each is a body that ends with 0 or 1, which does not depend on x alone.
IMPURE = {
    "a clock": "return time.perf_counter_ns() // 64 % 2",
    "a clock of seconds": "return int(time.time()) % 2",
    "a date": "return datetime.datetime.now().microsecond % 2",
    "chance": "return int(random.random() < 0.5)",
    "a seeded stream": "return STREAM.randrange(2)",
    "secrets": "return secrets.randbelow(2)",
    "a new identifier": "return uuid.uuid4().int % 2",
    "a counter in a global": "global calls; calls += 1; return calls % 2",
    "a counter in a closure": "return STEP()",
    "a counter in a default": "seen.append(x); return len(seen) % 2",
    "a counter in an attribute": "odd.n = getattr(odd, 'n', 0) + 1; return odd.n % 2",
    "an iterator that advances": "return next(NUMBERS) % 2",
    "the argument before": "global last; last, before = x, last; return int(before == x)",
    "a hash of a string": "return hash('leader') % 2",
    "the order of a set": "return int(next(iter({'epoch', 'leader', 'isr'})) == 'isr')",
    "an address": "return (id(object()) >> 24) % 2",
    "the number of the process": "return os.getpid() % 2",
    "a file that changes": (
        "n = int(FILE.read_text()) if FILE.exists() else 0; FILE.write_text(str(n + 1)); "
        "return n % 2"
    ),
    "the environment": "return int('PATH' in os.environ)",
    "a cache that is wrong later": "global calls; calls += 1; return int(calls > 9)",
    "a thread": (
        "FLAG[1:] or FLAG.append(threading.Thread(target=toggle, daemon=True).start()); "
        "return FLAG[0]"
    ),
}  # fmt: skip

USES = {
    "an action": "    s.y = pick(s.x)\n    return True\n",
    "a rule": "    if not may(s):\n        return False\n    s.y = s.x\n    return True\n",
    "an invariant": (
        "    return False\n@model.invariant('even')\ndef even(s, k):\n    return may(s)\n"
    ),
    "a constraint": (
        "    return False\ndef inside(s, k):\n    return may(s)\nmodel._constraint = inside\n"
    ),
    "initial states": (
        "    return False\n@model.initial\ndef begin(s, k):\n    for x in range(8):\n"
        "        s.x, s.y = x, pick(x)\n        yield\n"
    ),
    "a liveness property": (
        "    return False\n@model.liveness(Kind.EVENTUALLY_ALWAYS, 'even')\n"
        "def settled(s, k):\n    return may(s)\n"
    ),
}
"""Where the function is called; what follows the head of an action."""

MODEL = """
model = Model(Bounds, State, deadlock=False)
def may(s):
    return pick(s.x) % 2 == 0
@model.action("node", node=lambda k: range(k.n))
def go(s, k, node):
    s.x = (s.x + node + 1) % 8
    return True
@model.action("node")
def use(s, k):
"""

FINE = "@model.invariant('fine')\ndef fine(s, k):\n    return s.x < 8\n"


def impure(body: str, rare: int | None) -> str:
    """Return a declared function that is not pure, on one path only if `rare` is a number."""
    path = "" if rare is None else f"    if x != {rare}:\n        return TABLE[x]\n"
    lines = "".join(f"    {line.strip()}\n" for line in body.split("; "))
    return (
        f"def odd(x, seen=[]):\n{lines}@tidegate.pure\ndef pick(x):\n{path}"
        "    return TABLE[x] + odd(x)\n"
    )


def model(function: str, use: str) -> str:
    """Return a model that calls the function ``pick``."""
    return HEAD + function + MODEL + USES[use] + FINE


def variants(seed: int, uses: int) -> Iterator[tuple[str, str, int | None]]:
    """Yield each way to be impure with some places that use it, half of them on a rare path only.

    Parameters
    ----------
    uses
        How many places there are for each way.
    """
    chance = Random(seed)
    for number, kind in enumerate(IMPURE):
        for use in chance.sample(list(USES), uses):
            yield kind, use, chance.randrange(1, 8) if number % 2 else None


def written(folder: Path, text: str, name: str = "model") -> str:
    """Write a model to a file that no other has, and return its path."""
    file = folder / f"{name}.py"
    file.write_text(text)
    return str(file)

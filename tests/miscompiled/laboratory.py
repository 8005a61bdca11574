"""Searches with machine code that has one defect each, and what becomes of them.

Usage, from the root of the repository::

    .venv/bin/python -m tests.miscompiled.laboratory --seed 1 --count 200 [--case NAME]

Each search is made in a process of its own, since a defect may write anywhere.  What it answers is
compared with the answer without the defect:

same
    The count, the depth and all verdicts are right: the defect changes nothing here.
found
    The search ended with the report that machine code and Python disagree.
failed
    It ended with another error, or by a signal, or not in time: there is no verdict.
wrong
    A wrong count, depth or verdict.  Nothing may be here.
"""

import argparse
import json
import os
import resource
import select
import signal
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from tests.miscompiled.cases import CASES, Case
from tests.miscompiled.defects import defect
from tidegate.checker import check as checking
from tidegate.checker.compiled import tiers, verification
from tidegate.checker.compiled.generate import generator_of
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.core.spec import DisagreementError
from tidegate.core.symmetry import Symmetry
from tidegate.library.selection import assemble

SECONDS = 15
"""After which a search with a defect is taken to go on for ever."""

MEMORY = 1 << 30

Change = Callable[[str, bool], str]
"""Returns the changed text of a tier, whether it is the second one."""

REJECTED = "rejected"
"""LLVM refuses the text, or the search ends before it uses it, so that there is no such defect."""


@dataclass
class Subject:
    """A case with all that the searches share."""

    case: Case
    system: Any
    properties: list[Any]
    text: str
    module: Any
    expected: dict[str, Any]


def prepare(case: Case) -> Subject:
    """Load a case and search it without a defect."""
    system, chosen = assemble(case.model, case.bounds.split(), [])
    chosen = [prop for prop in chosen if prop.kind.is_of_state]
    symmetry = Symmetry(system) if case.symmetry else None
    # A search decides what the code assumes, too.
    decided = [*chosen, *system.assumptions]
    request = SearchRequest(system, decided, symmetry=symmetry, keep_going=case.keep_going)
    text, module = generator_of(request).module()
    subject = Subject(case, system, chosen, text, module, {})
    subject.expected = _apart(lambda: _searched(subject, lambda text, second: text), 10 * SECONDS)
    assert "distinct" in subject.expected, subject.expected
    return subject


def _searched(subject: Subject, change: Change) -> dict[str, Any]:
    """Search with changed machine code, and return the answer."""
    case = subject.case
    quick, making = tiers.object_code, tiers.Optimiser

    def object_code(text: str, tick: Any = lambda: None, optimised: bool = True) -> bytes:
        return quick(change(text, optimised), tick, optimised)

    def optimising(text: str, memory: int) -> tiers.Optimiser:
        return making(change(text, True), memory)

    used = [case.tier == "first"]
    use = tiers.Tiers.use_second

    def use_second(self: tiers.Tiers) -> None:
        used.append(True)
        use(self)

    tiers.object_code, tiers.Optimiser = object_code, optimising
    made = SimpleNamespace(module=lambda tick=None: (subject.text, subject.module))
    tiers.generator_of = lambda request, compared=frozenset(): (  # type: ignore[assignment]
        generator_of(request, compared) if compared else made
    )
    tiers.Tiers.use_second = use_second  # type: ignore[method-assign]
    tiers.PATIENCE, tiers.WORTH, tiers.LEAST = SECONDS, 0.0, 1
    resources = Resources(
        engine="compiled", workers=1, memory=MEMORY, optimise_from=case.optimise_from
    )
    try:
        result = checking.check(
            subject.system,
            subject.properties,
            keep_going=case.keep_going,
            symmetry=case.symmetry,
            resources=resources,
        )
    except DisagreementError as error:
        return {"end": "found", "why": str(error)[:200]}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict
        end = REJECTED if "LLVM rejects" in str(error) else "failed"
        return {"end": end, "why": f"{type(error).__name__}: {error}"[:200]}
    if not any(used):
        return {"end": REJECTED, "why": "the second tier was not used"}
    verdicts = {
        verdict.property.name: [str(verdict.outcome), verdict.steps] for verdict in result.verdicts
    }
    return {
        "distinct": result.distinct_states,
        "depth": result.depth,
        "outcome": str(result.outcome),
        "verdicts": verdicts,
    }


def _apart(search: Any, seconds: float = SECONDS) -> dict[str, Any]:
    """Return the answer of a search in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (1, 2):
            os.dup2(nothing, descriptor)
        try:
            answer = search()
        except BaseException as error:  # noqa: BLE001 - the parent has to know
            answer = {"end": "failed", "why": f"{type(error).__name__}: {error}"[:200]}
        os.write(write, json.dumps(answer).encode())
        os._exit(0)
    os.close(write)
    ready, _, _ = select.select([read], [], [], 3 * seconds)
    content = os.read(read, 1 << 20) if ready else b""
    os.close(read)
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if content:
        return dict(json.loads(content))
    why = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "no answer"
    return {"end": "failed", "why": why}


def tried(subject: Subject, change: Change) -> tuple[str, dict[str, Any]]:
    """Return what becomes of a search with changed machine code, and its answer."""
    answer = _apart(lambda: _searched(subject, change))
    if "end" in answer:
        return answer["end"], answer
    if answer == subject.expected:
        return "same", answer
    # What a search leaves open is no verdict.
    return "failed" if "INCOMPLETE" in answer["outcome"] else "wrong", answer


def by_chance(subject: Subject, seed: int) -> dict[str, Any]:
    """Return what becomes of a defect that is chosen by chance."""
    second = subject.case.tier == "second"
    notes, told = os.pipe()

    def change(text: str, optimised: bool) -> str:
        if optimised != second:
            return text
        found, text = defect(text, Random(seed))
        os.write(told, str(found).encode())
        return text

    end, answer = tried(subject, change)
    os.close(told)
    with os.fdopen(notes, "rb") as file:
        said = file.read().decode()
    return {"case": subject.case.name, "seed": seed, "end": end, "defect": said, "answer": answer}


def main() -> None:
    """Try defects, and print what became of them."""
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--case", action="append")
    options.add_argument("--only", type=int, help="one defect of a case")
    options.add_argument("--out", type=Path)
    options.add_argument(
        "--unconfirmed", action="store_true", help="do not make small searches again in Python"
    )
    chosen = options.parse_args()
    if chosen.unconfirmed:
        verification.SMALL, verification.BEGUN = 0, 0.03
    os.environ["XDG_CACHE_HOME"] = "/dev/null/none"
    cases = [case for case in CASES if not chosen.case or case.name in chosen.case]
    ends: Counter[str] = Counter()
    out = chosen.out.open("a", buffering=1) if chosen.out else sys.stdout
    for place, case in enumerate(cases):
        subject = prepare(case)
        share = chosen.count // len(cases) + (place < chosen.count % len(cases))
        first = chosen.seed * 1_000_003 + place * 100_003
        seeds = [chosen.only] if chosen.only else count(first)
        here: Counter[str] = Counter()
        for seed in seeds:
            if here.total() - here[REJECTED] == share:
                break
            answer = by_chance(subject, seed)
            here[answer["end"]] += 1
            if chosen.out or answer["end"] == "wrong" or chosen.only:
                out.write(json.dumps(answer) + "\n")
        sys.stdout.write(f"{case.name:30} {dict(here)}\n")
        sys.stdout.flush()
        ends += here
    sys.stdout.write(f"{dict(ends)}\n")


if __name__ == "__main__":
    main()

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
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.miscompiled.cases import CASES, Case
from tests.miscompiled.defects import Defect, defect
from tidegate.analysis.selection import assemble
from tidegate.checker import check as checking
from tidegate.checker.compiled import tiers, verification
from tidegate.checker.compiled.cache import generator_of
from tidegate.checker.compiled.values import UnsupportedError
from tidegate.checker.request import SearchRequest
from tidegate.checker.result import Resources
from tidegate.core.spec import DisagreementError
from tidegate.core.symmetry import Symmetry

SECONDS = 15
"""After which a search with a defect is taken to go on for ever."""

MEMORY = 1 << 30

REJECTED = "rejected"
"""LLVM refuses the text, so that there is no such defect."""


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
    request = SearchRequest(system, chosen, symmetry=symmetry, keep_going=case.keep_going)
    text, module = generator_of(request).module()
    subject = Subject(case, system, chosen, text, module, {})
    subject.expected = _apart(lambda: _searched(subject, None, 0), 10 * SECONDS)
    assert "distinct" in subject.expected, subject.expected
    return subject


def _searched(subject: Subject, broken: str | None, seed: int) -> dict[str, Any]:
    """Search; `broken` is the text of the first tier, unless the second one is to be changed."""
    case = subject.case
    notes: dict[str, Any] = {}
    tiers.cached_translation = lambda request: (subject.module, subject.text)
    quick, beside = tiers.object_code, tiers.Beside

    def object_code(text: str, tick: Any, optimised: bool) -> bytes:
        return quick(text if broken is None else broken, tick, optimised)

    def optimising(text: str, memory: int) -> tiers.Beside:
        if case.tier == "second" and seed:
            found, text = defect(text, Random(seed))
            notes["defect"] = str(found)
        return beside(text, memory)

    tiers.object_code, tiers.Beside = object_code, optimising
    tiers.PATIENCE, tiers.WORTH, tiers.LEAST = SECONDS, 0.0, 1
    resources = Resources(
        engine="compiled", workers=1, memory=MEMORY, optimise_from=case.optimise_from
    )
    began = time.process_time()
    try:
        result = checking.check(
            subject.system,
            subject.properties,
            keep_going=case.keep_going,
            symmetry=case.symmetry,
            resources=resources,
        )
    except UnsupportedError:
        return {**notes, "end": REJECTED}
    except DisagreementError as error:
        return {**notes, "end": "found", "why": str(error)[:200]}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict
        if "LLVM rejects" in str(error):
            return {**notes, "end": REJECTED}
        return {**notes, "end": "failed", "why": f"{type(error).__name__}: {error}"[:200]}
    verdicts = {
        v.property.name: [str(v.outcome), len(v.trace.steps) if v.trace else None]
        for v in result.verdicts
    }
    return {
        **notes,
        "distinct": result.distinct_states,
        "depth": result.depth,
        "outcome": str(result.outcome),
        "verdicts": verdicts,
        "engine": result.engine,
        "seconds": time.process_time() - began,
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


def tried(subject: Subject, seed: int) -> dict[str, Any]:
    """Return what becomes of one defect."""
    case = subject.case
    if case.tier == "second":
        answer = _apart(lambda: _searched(subject, None, seed))
        found: Defect | str = answer.get("defect", "?")
    else:
        found, text = defect(subject.text, Random(seed))
        answer = _apart(lambda: _searched(subject, text, seed))
    end = answer.get("end")
    if end is None:
        keys = ("distinct", "depth", "outcome", "verdicts")
        same = all(answer[key] == subject.expected[key] for key in keys)
        # A search that Python has to finish is right.
        end = "same" if same else "wrong"
        if end == "wrong" and "INCOMPLETE" in answer["outcome"]:
            end = "failed"
    return {
        "case": case.name,
        "seed": seed,
        "end": end,
        "defect": str(found),
        "answer": answer,
    }


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
    given = options.parse_args()
    if given.unconfirmed:
        verification.SMALL, verification.BEGUN = 0, 0.03
    os.environ["XDG_CACHE_HOME"] = "/dev/null/none"
    cases = [case for case in CASES if not given.case or case.name in given.case]
    ends: Counter[str] = Counter()
    out = given.out.open("a") if given.out else None
    for place, case in enumerate(cases):
        subject = prepare(case)
        began = time.time()
        share = given.count // len(cases) + (place < given.count % len(cases))
        here: Counter[str] = Counter()
        number = 0
        while sum(here.values()) - here[REJECTED] < share:
            seed = given.only or given.seed * 1_000_003 + place * 100_003 + number
            number += 1
            answer = tried(subject, seed)
            here[answer["end"]] += 1
            if out:
                out.write(json.dumps(answer) + "\n")
                out.flush()
            if answer["end"] == "wrong" or given.only:
                print(json.dumps(answer), flush=True)
            if given.only:
                break
        del here[REJECTED]
        ends += here
        print(
            f"{case.name:34} {time.time() - began:6.1f} s {dict(here)} {subject.expected['distinct']}",
            flush=True,
        )
    print(dict(ends))


if __name__ == "__main__":
    main()

"""Searches with machine code that has one defect each, and what becomes of them.

Usage, from the root of the repository::

    .venv/bin/python -m tests.miscompiled.laboratory --seed 1 --count 200 [--case NAME]
    .venv/bin/python -m tests.miscompiled.laboratory --of lowering --seed 1 --count 200

A defect is one changed instruction of the machine code (``defects.py``), or one changed node of the
typed form that it is made of (``nodes.py``).  Each search is made in a process of its own, since a
defect may write anywhere.  What it answers is compared with the answer without the defect:

same
    The count, the depth and all verdicts are right: the defect changes nothing here.
found
    The search ended with the report that machine code and Python disagree.
left
    A step failed in machine code alone, and so Python searched instead: its answer is right.
failed
    It ended with another error, or by a signal, or not in time: there is no verdict.
wrong HOLDS
    It said that properties hold, and one does not, or states are missing.  Nothing may be here.
wrong
    Another wrong verdict, count or depth.
"""

import argparse
import json
import os
import resource
import select
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from tests.miscompiled.cases import CASES, LOWERED, Case
from tests.miscompiled.defects import defect, reachable
from tests.miscompiled.nodes import Defect, Lowered
from tidegate.checker import check as checking
from tidegate.checker.compiled import tiers, verification
from tidegate.checker.compiled.emission.functions import Module
from tidegate.checker.compiled.generate import generator_of
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.core.spec import DisagreementError, Outcome
from tidegate.core.symmetry import Symmetry
from tidegate.language.form import Function
from tidegate.language.lowering.rules import rules_of
from tidegate.library.selection import assemble

SECONDS = 15
"""After which a search with a defect is taken to go on for ever."""

MEMORY = 1 << 30

Change = Callable[[str, bool], str]
"""Returns the changed text of a tier, whether it is the second one."""

Altered = Callable[[], AbstractContextManager[None]]
"""Changes what machine code is made of, as long as it is made."""

REJECTED = "rejected"
"""There is no such defect: no code can be made with it, LLVM refuses the code, it is the same as
without it, or the search ends before it uses it."""

HOLDS = str(Outcome.HOLDS)


@dataclass
class Subject:
    """A case with all that the searches share."""

    case: Case
    system: Any
    properties: list[Any]
    request: SearchRequest
    text: str
    module: Any
    lowered: Lowered
    expected: dict[str, Any]


def prepare(case: Case) -> Subject:
    """Load a case and search it without a defect."""
    system, chosen = assemble(case.model, case.bounds.split(), [])
    chosen = [prop for prop in chosen if prop.kind.is_of_state]
    symmetry = Symmetry(system) if case.symmetry else None
    # A search decides what the code assumes, too.
    decided = [*chosen, *system.assumptions]
    request = SearchRequest(system, decided, symmetry=symmetry, keep_going=case.keep_going)
    with _noting() as names:
        text, module = generator_of(request).module()
    used = reachable(text.split("\n"))
    # Guards are made of it once more, with a name of their own.
    functions = {id(one): one for name, one in names.items() if name in used}
    lowered = Lowered(rules_of(system).lowering.schema, list(functions.values()))
    subject = Subject(case, system, chosen, request, text, module, lowered, {})
    subject.expected = _apart(lambda: _searched(subject, unchanged), 10 * SECONDS)
    assert subject.expected.get("left") == "", subject.expected
    return subject


def unchanged(text: str, second: bool) -> str:
    """Return the text of a tier as it is."""
    return text


@contextmanager
def _noting() -> Iterator[dict[str, Function]]:
    """Note the functions of the typed form that code is made of, by their names in LLVM."""
    names: dict[str, Function] = {}
    defined = Module.defined

    def noting(self: Module, function: Function) -> Any:
        result = defined(self, function)
        # What chooses arguments is none of the model's functions.
        if not function.file.startswith("chosen_"):
            names[result[0]] = function
        return result

    Module.defined = noting  # type: ignore[method-assign]
    try:
        yield names
    finally:
        Module.defined = defined  # type: ignore[method-assign]


def _searched(subject: Subject, change: Change, altered: Altered | None = None) -> dict[str, Any]:
    """Search with changed machine code, and return the answer."""
    case, first = subject.case, (subject.text, subject.module)
    if altered is not None:
        try:
            with altered():
                first = generator_of(subject.request).module()
        except Exception as error:  # noqa: BLE001 - whatever it is, no code has the defect
            return {"end": REJECTED, "why": f"{type(error).__name__}: {error}"[:200]}
        if first[0] == subject.text:
            return {"end": REJECTED, "why": "the code is the same"}
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

    def module(request: SearchRequest, compared: frozenset[int]) -> Any:
        if not compared:
            return first
        with altered() if altered is not None else nullcontext():
            return generator_of(request, compared).module()

    tiers.generator_of = lambda request, compared=frozenset(): (  # type: ignore[assignment]
        SimpleNamespace(module=lambda tick=None: module(request, compared))
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
        "left": str(result.interpreted_because)[:200] if result.engine != "compiled" else "",
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


def tried(
    subject: Subject, change: Change = unchanged, altered: Altered | None = None
) -> tuple[str, dict[str, Any]]:
    """Return what becomes of a search with changed machine code, and its answer."""
    answer = _apart(lambda: _searched(subject, change, altered))
    if "end" in answer:
        return answer["end"], answer
    right = subject.expected
    if {**answer, "left": ""} == right:
        return "left" if answer["left"] else "same", answer
    # What a search leaves open is no verdict.
    if "INCOMPLETE" in answer["outcome"].upper():
        return "failed", answer
    is_wrongly_held = any(
        outcome == HOLDS and right["verdicts"][name][0] != HOLDS
        for name, (outcome, _) in answer["verdicts"].items()
    )
    fewer = answer["outcome"] == HOLDS and answer["distinct"] < right["distinct"]
    return "wrong HOLDS" if is_wrongly_held or fewer else "wrong", answer


def of_lowering(subject: Subject, seed: int) -> dict[str, Any]:
    """Return what becomes of a changed node of the typed form that is chosen by chance."""
    changed = subject.lowered.defect(Random(seed))
    end, answer = tried(subject, altered=lambda: changing(changed))
    return {
        "case": subject.case.name,
        "seed": seed,
        "end": end,
        "kind": changed.kind,
        "node": type(changed.spot.node).__name__,
        "defect": str(changed),
        "answer": answer,
    }


@contextmanager
def changing(changed: Defect) -> Iterator[None]:
    """Have a function with another body, which what was lowered from it before does not know."""
    function = changed.spot.function
    body = function.body
    function.body = changed.body()
    try:
        yield
    finally:
        function.body = body


def by_chance(subject: Subject, seed: int) -> dict[str, Any]:
    """Return what becomes of a changed instruction that is chosen by chance."""
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
    options.add_argument("--of", choices=["code", "lowering"], default="code")
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
    if chosen.unconfirmed and chosen.of == "lowering":
        # Most of these searches are so small that Python would be through with them in that time.
        verification.BEGUN = 0.0
    os.environ["XDG_CACHE_HOME"] = "/dev/null/none"
    every, one = (CASES, by_chance) if chosen.of == "code" else (LOWERED, of_lowering)
    cases = [case for case in every if not chosen.case or case.name in chosen.case]
    ends: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    nodes: dict[str, Counter[str]] = {}
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
            answer = one(subject, seed)
            here[answer["end"]] += 1
            for table, key in ((kinds, "kind"), (nodes, "node")):
                if key in answer:
                    table.setdefault(answer[key], Counter())[answer["end"]] += 1
            if chosen.out or answer["end"].startswith("wrong") or chosen.only:
                out.write(json.dumps(answer) + "\n")
        sys.stdout.write(f"{case.name:30} {dict(here)}\n")
        sys.stdout.flush()
        ends += here
    for table in filter(None, (kinds, nodes)):
        sys.stdout.write(f"\n{_table(table)}\n")
    sys.stdout.write(f"{dict(ends)}\n")


ENDS = ("same", "found", "left", "failed", "wrong", "wrong HOLDS", REJECTED)


def _table(rows: dict[str, Counter[str]]) -> str:
    """Return how many defects of each kind ended how."""
    lines = [f"{'':42}" + "".join(f"{end:>12}" for end in ENDS)]
    names = sorted(rows, key=lambda name: -rows[name].total())
    lines += [f"{name:42}" + "".join(f"{rows[name][end]:12}" for end in ENDS) for name in names]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()

"""Whatever is searched, and however, the report is the interpreted engine's.

Protocols and mutants of them, bounds, options and limits are random.  Each search is made once by
the interpreted engine, then many times in other ways: compiled, begun by one engine and gone on
with by another, by the distributed one in this process; with any number of workers, chunk, store
and partitions; and stopped at some levels and resumed.  What is reported at each stop is compared
too, with what the interpreted engine reports when it stops there.  In one search of four, samples
are compared besides, which takes longer than a small search.

    TIDEGATE_FUZZ=100000 python -m pytest tests/fuzz/test_settings.py -m slow

counts comparisons, each of one report with another.  A search comes of the seed
(``TIDEGATE_FUZZ_SEED``) and its number, of which ``TIDEGATE_FUZZ_FIRST`` is the first, so that
one run goes on where another ended.
"""

import shutil
import time
from dataclasses import replace
from math import exp, log
from random import Random
from typing import ClassVar

import pytest

from tests.fuzz.conftest import FIRST, MANY, SEED
from tests.fuzz.searches import drawn
from tests.published import PUBLISHED
from tidegate.checker import engines
from tidegate.checker.compiled import sampler, tiers
from tidegate.checker.compiled.generate import Generator
from tidegate.checker.compiled.sampler import samples_of
from tidegate.checker.engines import EngineChoiceError
from tidegate.core.result import Cluster, Limits
from tidegate.library.mutants import mutants
from tidegate.model import PROTOCOLS

FEW = 6

FEWEST_STATES, MOST_STATES = 100, 4_000

OUT_OF_RANGE = "goes beyond an array, a range or 64 bits"
"""Why Spark refuses a mutant that writes what the bits of a variable cannot hold."""

SAMPLED = 0.25
"""Which part of searches compares samples with Python."""


class Translator(Generator):
    """One that translates a search for Spark once, as other engines do, which keep translations."""

    kept: ClassVar = {}

    def module(self, *arguments):
        """Return what was made before of the same search."""
        key = self.symmetry is not None
        if key not in self.kept:
            self.kept[key] = super().module(*arguments)
        return self.kept[key]


@pytest.fixture
def eager(quick, monkeypatch, tmp_path):
    """Have `auto` compile small models too, and keep their code apart."""
    monkeypatch.setattr(engines, "INTERPRETED_SECONDS", 0.0)
    # Second tiers are used as soon as they are due.
    monkeypatch.setattr(tiers, "PATIENCE", 60.0)
    monkeypatch.setattr(tiers, "WORTH", 0.0)
    monkeypatch.setattr("tidegate.checker.distributed.search.Generator", Translator)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def between(random, least, most):
    """Return a number, as often a small one as a large one."""
    return int(exp(random.uniform(log(least), log(most))))


def sampled(random, monkeypatch):
    """Have the next searches compare samples, or not."""
    read = samples_of if random.random() < SAMPLED else lambda entries, words: iter(())
    monkeypatch.setattr(sampler, "samples_of", read)


class Expected:
    """What the interpreted engine reports of a search, and of its first levels.

    Others keep the states that they have seen in `store`.
    """

    def __init__(self, search, report, store):
        self.search, self.depth, self.store = search, report["depth"], store
        self._reports = {None: report}

    def of(self, level=None):
        """Return what it reports when it stops at a level."""
        if level not in self._reports:
            limits = Limits(max_depth=level)
            self._reports[level] = self.search.run(limits, engine="interpreted", memory=None)
        return self._reports[level]

    def writes_out_of_range(self, level=None):
        """Return whether it finds a value out of its declared range, up to a level."""
        depth = self.depth if level is None else level
        options = {**self.search.options, "keep_going": True}
        search = replace(self.search, options=options)
        found = search.run(Limits(max_depth=depth), engine="interpreted", memory=None)
        outcomes = {prop["name"]: prop["outcome"] for prop in found["properties"]}
        return outcomes["TypeOk"] == "violated"


def compared(random, expected, folder, monkeypatch):
    """Search in a random way; yield the way, what it reports, and what it has to, at each stop."""
    search, depth = expected.search, expected.depth
    way = random.choice(("compiled", "compiled", "auto", "resumed", "resumed", "spark"))
    how = {"workers": random.randint(1, 4), "chunk": random.choice((8, 64, 512))}
    how |= {"store": expected.store, "optimise_from": between(random, 1, 20_000)}
    sampled(random, monkeypatch)
    if way == "compiled":
        yield f"{way} {how}", search.run(**how), expected.of()
        return
    if way == "auto":
        small = between(random, 1, MOST_STATES)
        monkeypatch.setattr(engines, "SMALL", small)
        monkeypatch.setattr(engines, "LEVEL_SECONDS", 0.0)
        how["engine"] = "auto"
        yield f"{way} from {small} states on {how}", search.run(**how), expected.of()
        return
    if way == "spark":
        partitions = random.choice((None, 1, 2, 3, 7))
        cluster = Cluster(store=str(folder), partitions=partitions, local_levels=1 << 60)
        how = {"engine": "spark", "cluster": cluster, "memory": None}
    else:
        how |= {"checkpoint": folder, "checkpoint_every": random.choice((0, 60))}
    stops = sorted(random.sample(range(1, depth + 1), random.randint(0, min(3, depth))))
    for number, level in enumerate([*stops, None]):
        try:
            limits = level and Limits(max_depth=level)
            found = search.run(limits, resume=number > 0, **how)
        except EngineChoiceError as error:
            if way != "spark" or OUT_OF_RANGE not in str(error):
                raise
            assert expected.writes_out_of_range(level), f"{way} at {stops} {how}: {search}"
            break
        yield f"{way} until {level} of {stops} {how}", found, expected.of(level)
        how["workers" if way != "spark" else "memory"] = None
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "comparisons",
    [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)],
)
@pytest.mark.usefixtures("eager")
def test_every_way_of_searching_reports_the_same(comparisons, tmp_path, monkeypatch, request):
    reporter = request.config.pluginmanager.getplugin("terminalreporter")
    done, number, began = 0, FIRST, time.process_time()
    # Published protocols are compiled in a moment.
    protocols = PUBLISHED if comparisons == FEW else [*PROTOCOLS, *PUBLISHED]
    each = FEW // 2 if comparisons == FEW else 500
    while done < comparisons:
        random = Random(f"{SEED} settings {number}")
        some = protocols
        if random.random() < 0.5:
            some = [mutant.protocol for mutant in mutants(random.choice(protocols))]
        most = between(random, FEWEST_STATES, MOST_STATES)
        search, report = drawn(random, some, most, engine="interpreted", memory=None)
        # Machine code for both stores would take longer than most of the searches.
        store = random.choice(("exact", "exact", "fingerprint"))
        expected, last = Expected(search, report, store), done + each
        Translator.kept.clear()
        while done < last:
            for way, found, due in compared(random, expected, tmp_path / "kept", monkeypatch):
                again = f"TIDEGATE_FUZZ=1 TIDEGATE_FUZZ_SEED={SEED} TIDEGATE_FUZZ_FIRST={number}"
                if found["never_asked"] is None:
                    # A resumed search does not know which rules were asked before.
                    due = {**due, "never_asked": None}
                assert found == due, f"{way}: {search}\nagain: {again}"
                done += 1
        number += 1
        if comparisons != FEW:
            spent = time.process_time() - began
            line = f"seed {SEED}: searches {FIRST} to {number - 1}, {done} alike, {spent:.0f} CPU s"
            reporter.write_line(line)

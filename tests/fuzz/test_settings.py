"""Whatever is searched, and however, the report is the interpreted engine's.

Protocols and mutants of them, bounds, options and limits are random.  Each search is made once by
the interpreted engine, then many times in other ways: compiled, begun by one engine and gone on
with by another, by the distributed one in this process; with any number of workers, chunk, store
and partitions; and stopped at some level and resumed, perhaps several times.

    TIDEGATE_FUZZ=100000 python -m pytest tests/fuzz/test_settings.py -m slow

counts comparisons.  All of them come of the seed (``TIDEGATE_FUZZ_SEED``).
"""

import shutil
from random import Random

import pytest

from tests.fuzz.conftest import MANY, SEED
from tests.fuzz.searches import drawn
from tidegate.analysis.mutants import mutants
from tidegate.checker import engines
from tidegate.checker.result import Cluster, Limits
from tidegate.model import PROTOCOLS

FEW = 24

MOST_STATES = 4_000


@pytest.fixture
def eager(quick, monkeypatch, tmp_path):
    """Have `auto` compile small models too, and keep their code apart."""
    monkeypatch.setattr(engines, "INTERPRETED_SECONDS", 0.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def way_of(random, search, depth, folder, monkeypatch):
    """Search in a random way; return what it is called, and the report."""
    way = random.choice(("compiled", "compiled", "auto", "resumed", "resumed", "spark"))
    how = {"workers": random.randint(1, 4), "chunk": random.choice((8, 64, 512))}
    how["store"] = random.choice(("exact", "exact", "fingerprint"))
    if way == "compiled":
        return f"{way} {how}", search.run(**how)
    if way == "auto":
        small = random.randint(1, MOST_STATES)
        monkeypatch.setattr(engines, "SMALL", small)
        how["engine"] = "auto"
        return f"{way} from {small} states on {how}", search.run(**how)
    if way == "spark":
        partitions = random.choice((None, 1, 2, 3, 7))
        cluster = Cluster(store=str(folder), partitions=partitions, local_levels=1 << 60)
        how = {"engine": "spark", "cluster": cluster, "memory": None}
    else:
        how |= {"checkpoint": folder, "checkpoint_every": random.choice((0, 60))}
    stops = sorted(random.sample(range(1, depth + 1), random.randint(0, min(3, depth))))
    for number, level in enumerate(stops):
        search.run(Limits(max_depth=level), resume=number > 0, **how)
        how["workers" if way != "spark" else "memory"] = None
    report = search.run(resume=bool(stops), **how)
    shutil.rmtree(folder)
    return f"{way} at {stops} {how}", report


@pytest.mark.parametrize(
    "comparisons",
    [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)],
)
@pytest.mark.usefixtures("eager")
def test_every_way_of_searching_reports_the_same(comparisons, tmp_path, monkeypatch):
    random, done, number = Random(f"{SEED} settings"), 0, 0
    # Published protocols are compiled in a moment.
    protocols = [it for it in PROTOCOLS if comparisons != FEW or it.family.name == "published"]
    each = FEW // 2 if comparisons == FEW else 100
    while done < comparisons:
        some = protocols
        if random.random() < 0.5:
            some = [mutant.protocol for mutant in mutants(random.choice(protocols))]
        search, expected = drawn(random, some, MOST_STATES, engine="interpreted", memory=None)
        number += 1
        for _ in range(each):
            way, found = way_of(random, search, expected["depth"], tmp_path / "kept", monkeypatch)
            assert found == expected, f"search {number} of seed {SEED}, {way}: {search}"
            done += 1

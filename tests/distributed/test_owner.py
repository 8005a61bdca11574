"""However a share's candidates arrive at its owner, it writes the same run."""

import dataclasses
import struct
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidegate.checker.distributed import tasks
from tidegate.checker.distributed.kernel import TAIL, KernelError, least
from tidegate.checker.distributed.runs import record_of, restored
from tidegate.checker.distributed.search import SparkSearch
from tidegate.checker.distributed.tasks import Expanded, expand_share, own_share
from tidegate.checker.distributed.workers import CutOffError, whole
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Cluster, Limits, Resources

SHARES = 3

many_times = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def level(system, java, tmp_path):
    """Search some levels; return what it takes to find the next one."""
    cluster = Cluster(local_levels=10**9, store=str(tmp_path))
    toy = system("tidegate.examples.published:kip_101", "max_leader_epoch=2", frozenset())
    resources = Resources(engine="spark", cluster=cluster)
    search = SparkSearch(SearchRequest(toy, [], limits=Limits(max_depth=9), resources=resources))
    search.run()
    plan = search._plan(search.manifest.runs[-1], here=False)
    yield search, plan
    search.close()


@pytest.fixture
def sent(level, monkeypatch):
    """Expand the frontier; return each owner's candidates, one by one, and what else it is sent."""
    search, plan = level
    plan = dataclasses.replace(plan, shares=SHARES)
    parts = [[] for _ in range(SHARES)]
    for share in range(SHARES):
        for owner, part in expand_share(search.kernel, search.store, plan, share):
            parts[owner].append(part)
    size = search.kernel.candidate

    def apart(part):
        return [part[at : at + size] for at in range(0, len(part), size)]

    return plan, [
        (
            [one for part in own if isinstance(part, bytes) for one in apart(part)],
            [part for part in own if isinstance(part, Expanded)],
        )
        for own in parts
    ]


def written(search, plan, share, parts):
    """Let a share's owner do its part; return what it says, and the bytes of its run."""
    owned = own_share(search.kernel, search.store, plan, share, parts)
    name = f"{share:05d}-of-{SHARES:05d}.run"
    return owned, search.store.read(f"{plan.found}/{name}")


@many_times
@given(data=st.data())
def test_split_order_duplication_and_retries_do_not_show(level, sent, data):
    search, _ = level
    plan, owners = sent
    share = data.draw(st.integers(0, SHARES - 1))
    candidates, expanded = owners[share]
    assert len(candidates) > 100
    expected = written(search, plan, share, [b"".join(candidates), *expanded])
    numbers = st.lists(st.integers(0, len(candidates) - 1), max_size=50)
    again = [candidates[number] for number in data.draw(numbers)]
    arriving = data.draw(st.permutations([*candidates, *again]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(arriving)), max_size=8)))
    bounds = [0, *cuts, len(arriving)]
    parts = [b"".join(arriving[a:b]) for a, b in pairwise(bounds)]
    parts[data.draw(st.integers(0, len(parts))) : 0] = expanded
    for _ in range(data.draw(st.integers(1, 2))):
        assert written(search, plan, share, parts) == expected


@many_times
@given(held=st.integers(1, 2000), shares=st.integers(1, 9))
def test_how_much_is_gathered_before_it_is_sent_does_not_show(level, held, shares):
    search, plan = level
    plan = dataclasses.replace(plan, shares=shares)

    def found():
        parts = [[] for _ in range(shares)]
        counts = []
        for share in range(shares):
            for owner, part in expand_share(search.kernel, search.store, plan, share):
                parts[owner].append(part)
                counts += [part.counts.taken] if isinstance(part, Expanded) else []
        total = [sum(taken) for taken in zip(*counts, strict=True)]
        owned = [
            own_share(search.kernel, search.store, plan, n, own) for n, own in enumerate(parts)
        ]
        runs = [
            search.store.read(f"{plan.found}/{share:05d}-of-{shares:05d}.run")[:-28]
            for share in range(shares)
        ]
        return total, sum(one.states for one in owned), runs

    expected = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "HELD", held)
        assert found() == expected


@given(st.lists(st.lists(st.binary(max_size=9), max_size=4), min_size=1, max_size=4), st.data())
def test_what_was_cut_off_is_no_whole(senders, data):
    """Spark cuts off what an attempt reads when it calls the attempt off."""
    sent = [part for parts in senders for part in (*parts, sum(map(len, parts)))]
    expected = [part for parts in senders for part in parts]
    assert list(whole(len(senders), sent)) == expected
    cut = data.draw(st.integers(0, len(sent) - 1))
    with pytest.raises(CutOffError):
        list(whole(len(senders), sent[:cut]))


def test_a_table_that_runs_over_is_noticed(level, sent):
    """It would take a hash that is none to come to it, and a state would be lost."""
    search, _ = level
    plan, _ = sent
    crowded = [struct.pack("<QQ", 2**64 - 1 - number, 0) for number in range(2 * TAIL)]
    assert search.kernel.candidate == len(crowded[0])
    with pytest.raises(KernelError):
        written(search, plan, SHARES - 1, [b"".join(crowded)])


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5))
def test_a_record_stands_for_its_state(words):
    assert restored(record_of(words)) == tuple(words)


def test_of_two_parts_the_least_violation_counts():
    one, other = {0: (5, (1,)), 1: (2, (2,))}, {0: (3, (3,)), 2: (9, (4,))}
    assert least(one, other) == {0: (3, (3,)), 1: (2, (2,)), 2: (9, (4,))}

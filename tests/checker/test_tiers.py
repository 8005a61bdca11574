"""Machine code in two tiers: what the optimised one leaves out is compared all the same."""

import os
import re
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import make_system
from tidegate.checker.check import check
from tidegate.checker.compiled import code_size, tiers
from tidegate.checker.compiled.build import Code
from tidegate.checker.compiled.sampler import Sampler, samples_of
from tidegate.checker.compiled.sampling import COMPARED
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.compiled.tiers import Tiers
from tidegate.checker.request import SearchRequest
from tidegate.core.files import DiskCache
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import EngineError
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.selection import assemble
from tidegate.model.broker.protocols.kip320 import KIP_320

EXAMPLES = Path(__file__).parents[2] / "examples"
COMPILED = Resources(engine="compiled")
OPTIMISED = Resources(engine="compiled", optimise_from=100)
NAMES = ("TypeOk", "NoCommittedRecordLost", "LogConsistency", "Stuck")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """Keep second tiers of small searches out of the way of others."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def system():
    """Return kip-320 within small bounds."""
    return KIP_320.system(KIP_320.model.bounds(records=1, log_size=1, elections=1, crashes=1))


@pytest.fixture
def small():
    """Return a system of which a second tier is soon made."""
    return make_system("tidegate.examples.published:kip_101", "replicas=2 max_leader_epoch=2")


@pytest.fixture
def properties():
    return [prop for prop in PROPERTIES if prop.name in NAMES]


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Have a search wait for its second tier; these are shorter than it takes to make one."""
    monkeypatch.setattr(tiers, "PATIENCE", 60.0)
    monkeypatch.setattr(tiers, "WORTH", 0.0)


@pytest.fixture
def used(monkeypatch):
    """Return a list to which it is added whether each piece of code made is optimised."""
    made, quick, making = [], tiers.object_code, tiers.Optimiser

    def noting(text, tick, optimised):
        made.append(optimised)
        return quick(text, tick, optimised)

    def noting_optimiser(*arguments):
        made.append(True)
        return making(*arguments)

    monkeypatch.setattr(tiers, "object_code", noting)
    monkeypatch.setattr(tiers, "Optimiser", noting_optimiser)
    return made


def answers(result):
    """Return what a search says."""
    verdicts = [(verdict.property.name, str(verdict.outcome)) for verdict in result.verdicts]
    traces = [verdict.trace and verdict.trace.steps for verdict in result.verdicts]
    return result.distinct_states, result.depth, result.taken, verdicts, traces


def test_every_way_of_making_code_gives_the_same_answers(small, used):
    """A small search is not optimised, and a second tier that is kept is used at once."""
    system, properties, options = small, [], {"keep_going": True}
    expected = answers(check(system, properties, **options))
    for states, workers in ((100, 1), (100, 2), (1_000_000, 2)):
        resources = Resources(engine="compiled", workers=workers, optimise_from=states)
        result = check(system, properties, resources=resources, **options)
        assert answers(result) == expected
        if workers == 2:
            DiskCache("compiled").clear()
    assert used == [False, True, False]


def test_each_way_that_is_not_noted_is_compared_as_often_as_others(system, properties, monkeypatch):
    """What the second tier is asked takes every way that it does not note, often enough."""
    noted, generator_of = [], tiers.generator_of

    def noting(request, compared=frozenset()):
        noted.append(compared)
        return generator_of(request, compared)

    monkeypatch.setattr(tiers, "generator_of", noting)
    request = SearchRequest(system, properties, keep_going=True, resources=OPTIMISED)
    search = CompiledSearch(request)
    search.run()
    entries, module = search.tiers._entries, search.module
    search.close()
    [_, left_out] = noted
    assert len(left_out) > 100

    # The first tier notes all ways; here it is asked about one state after the other.
    first = Tiers(request)
    code = Code(first.begin(""))
    sampler = Sampler(code, module, len(system.instances))
    states = dict.fromkeys(sample.state for sample in samples_of(entries, module.words))
    for state in states:
        sampler.ask_all(state)
    assert sampler.compared() == left_out
    kept = Counter((s.query, s.number, s.state) for s in sampler.take())
    asked = Counter((s.query, s.number, s.state) for s in samples_of(entries, module.words))
    assert kept == asked
    assert COMPARED == 20
    sampler.close()


@pytest.fixture
def slip(monkeypatch):
    """Have LLVM be handed a second tier in which one comparison of `advance_hw` is wrong."""
    making = tiers.Optimiser

    def slipping(text, memory):
        begin = text.index('@"form.advance_hw$')
        at = text.index("icmp sle", begin)
        return making(f"{text[:at]}icmp sgt{text[at + len('icmp sle') :]}", memory)

    monkeypatch.setattr(tiers, "Optimiser", slipping)


@pytest.mark.usefixtures("slip")
def test_a_second_tier_that_differs_ends_the_run_and_each_later_one_at_once(system):
    with pytest.raises(EngineError, match="machine code and Python disagree about "):
        check(system, [], resources=OPTIMISED)
    search = CompiledSearch(SearchRequest(system, system.assumptions, resources=COMPILED))
    with pytest.raises(EngineError, match="machine code and Python disagree about "):
        search.run()
    assert search.distinct_states == 0, "nothing was searched"
    search.close()


@pytest.mark.usefixtures("slip")
def test_a_search_that_needs_no_second_tier_never_sees_it(system):
    assert check(system, [], resources=COMPILED).complete


def test_no_step_is_asked_of_a_state_outside_the_constraint():
    """From there, steps of this model write values out of range."""
    bounds = ["nodes=2", "counter=1", "pending=2", "sum=2"]
    system, properties = assemble(str(EXAMPLES / "ewd998.py"), bounds, ())
    expected = answers(check(system, properties, keep_going=True))
    for _ in range(2):
        resources = Resources(engine="compiled", optimise_from=100)
        result = check(system, properties, keep_going=True, resources=resources)
        assert (answers(result), result.engine) == (expected, "compiled")


def test_a_search_goes_on_with_what_another_one_began(small, tmp_path):
    """A checkpoint fits both tiers."""
    system, properties = small, []
    expected = answers(check(system, properties, keep_going=True))
    folder = tmp_path / "checkpoint"
    begun = replace(OPTIMISED, checkpoint=folder)
    check(system, properties, keep_going=True, limits=Limits(max_depth=4), resources=begun)
    # The second tier was not made yet; afterwards it is there from the beginning.
    for _ in range(2):
        resources = replace(begun, resume=True)
        result = check(system, properties, keep_going=True, resources=resources)
        assert answers(result) == expected


@pytest.fixture
def processes(monkeypatch):
    """Return a list to which each process is added that makes a second tier."""
    started, making = [], tiers.Optimiser

    def noting(*arguments):
        started.append(making(*arguments))
        return started[-1]

    monkeypatch.setattr(tiers, "Optimiser", noting)
    return started


def test_a_search_does_not_wait_for_a_second_tier(system, monkeypatch):
    """Here it never gets one; at the end nothing is left of the process that should make it."""
    stopped, making = [], tiers.Optimiser

    def stopping(*arguments):
        made = making(*arguments)
        stopped.append(made._process.pid)
        os.kill(made._process.pid, signal.SIGSTOP)
        return made

    expected = answers(check(system, []))
    monkeypatch.setattr(tiers, "Optimiser", stopping)
    monkeypatch.setattr(tiers, "PATIENCE", 0.0)
    assert answers(check(system, [], resources=OPTIMISED)) == expected
    [process] = stopped
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert answers(check(system, [], resources=OPTIMISED)) == expected
    assert len(stopped) == 1, "the same search begins none in vain again"


def test_a_second_tier_that_is_ready_at_the_end_serves_the_next_search(small, processes, used):
    """A search asks for it between two levels; this one never does."""

    def only_begin(self):
        self.tiers.begin_second(self.machine, self.memory, lambda: None)

    expected = answers(check(small, [], keep_going=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompiledSearch, "_optimise", only_begin)
        assert answers(check(small, [], keep_going=True, resources=OPTIMISED)) == expected
    assert len(processes) == 1
    assert answers(check(small, [], keep_going=True, resources=OPTIMISED)) == expected
    assert used == [False, True]


def test_a_search_without_memory_to_spare_has_no_second_tier(system, processes):
    little = replace(OPTIMISED, memory=400 << 20)
    assert answers(check(system, [], resources=little)) == answers(check(system, []))
    assert not processes


def test_a_second_tier_is_given_up_for_the_memory_that_a_search_needs(system, monkeypatch):
    monkeypatch.setattr(tiers, "SHARE", 1)
    search = CompiledSearch(
        SearchRequest(system, [], resources=replace(OPTIMISED, optimise_from=0))
    )
    used = search.machine.bytes_used
    search.memory = search.room.memory = used + (192 << 20)
    search.tiers.begin_second(search.machine, search.memory, lambda: None)
    assert search.tiers.memory() == 192 << 20
    assert not search.room.make(), "all that is left is lent"
    assert search._make_room()
    assert search.tiers.memory() == 0
    assert search.stopped_by is None
    search.close()


BAG = """
from dataclasses import dataclass
from tidegate import Model, Record, Seq, array, integer, number, sequence_of

@dataclass(frozen=True)
class Bounds:
    most: int = number(6, 1, 60, "different messages", main=True)

class Message(Record):
    to: int = integer(0, 2, "to")
    value: int = integer(0, 3, "value")
    hops: int = integer(0, 3, "hops")

class State(Record):
    value: list[int] = array(3, integer(0, 3, "value"), by="node")
    net: Seq[Message] = sequence_of(Message, lambda k: k.most, "the network")

model = Model(Bounds, State, participants={"node": lambda k: 3}, deadlock=False)

def send(s: State, to: int, value: int, hops: int) -> None:
    at = 0
    while at < len(s.net) and s.net[at].to * 4 + s.net[at].value < to * 4 + value:
        at += 1
    s.net[at:at] = [Message(to=to, value=value, hops=hops)]

@model.action("node", other="node")
def tell(s: State, k: Bounds, node: int, other: int) -> bool:
    if node == other or s.value[node] == 2 or len(s.net) == k.most:
        return False
    s.value[node] += 1
    send(s, other, s.value[node], 0)
    return True

@model.action("network", m=lambda k: range(k.most))
def receive(s: State, k: Bounds, m: int) -> bool:
    if m >= len(s.net):
        return False
    node, value, hops = s.net[m].to, s.net[m].value, s.net[m].hops
    del s.net[m : m + 1]
    if value > s.value[node]:
        s.value[node] = value
        if hops < 2 and len(s.net) < k.most:
            send(s, (node + 1) % 3, value, hops + 1)
    return True
"""


@pytest.fixture
def bag(tmp_path):
    """Return a function that makes a system with a sorted bag of so many records."""
    (tmp_path / "bag.py").write_text(BAG)
    return lambda most: assemble(str(tmp_path / "bag.py"), [f"most={most}"], ["TypeOk"])[0]


def functions_of(text):
    """Return the functions of a module: their attributes, length, and what they call."""
    found = {}
    for part in text.split("\ndefine ")[1:]:
        head, _, body = part.partition("{\nentry:")
        name = re.search(r'@"?([^"(]+)"?\(', head)[1]
        body = body.partition("\n}")[0]
        found[name] = (head, body.count("\n"), re.findall(r' call .*?@"([^"]+)"', body))
    return found


def test_what_is_copied_into_instances_is_bounded_however_large_a_model_is(bag):
    """A message may be received at each place, and each time two more be sent."""
    for most in (4, 20):
        system = bag(most)
        text, _ = tiers.generator_of(SearchRequest(system, [])).module()
        functions = functions_of(text)
        assert max(length for _, length, _ in functions.values()) > 100 * most

        def copied(name, functions=functions):
            head, length, called = functions[name]
            return length + sum(map(copied, called)) if "alwaysinline" in head else 0

        own = [
            name
            for name in functions
            if name.startswith(("form.tell$", "form.receive$", "form.send$"))
        ]
        assert len(own) > most
        for name in own:
            assert copied(name) <= code_size.MOST
            head, length, _ = functions[name]
            assert ("optnone" in head) == (length > code_size.MOST)


@pytest.mark.parametrize("limit", [1, 4_000])
def test_code_that_is_not_copied_gives_the_same_answers(bag, monkeypatch, limit):
    expected = answers(check(bag(2), [], resources=Resources(engine="interpreted")))
    monkeypatch.setattr(code_size, "MOST", limit)
    monkeypatch.setattr(code_size, "LEAST", limit)
    # A second tier takes seconds to make, so that the limit that is most unlike others has it.
    resources = OPTIMISED if limit == 1 else COMPILED
    assert answers(check(bag(2), [], resources=resources)) == expected

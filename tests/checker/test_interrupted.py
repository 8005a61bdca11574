"""A search that is ended amid its verification ends as documented, and can be resumed."""

import gc
import re
import signal
import sys
from itertools import cycle
from pathlib import Path

import pytest

from tests.checker.conftest import action, assemble, invariant, system_and_properties
from tidegate import cli
from tidegate.checker import interpreted
from tidegate.checker.check import check
from tidegate.checker.compiled import memory, sampler, search, tiers, verification
from tidegate.checker.request import SearchRequest
from tidegate.commands.status import Ended, exit_status
from tidegate.core.fields import Record, array, integer
from tidegate.core.files import DiskCache
from tidegate.core.interrupts import listening
from tidegate.core.result import Limits, Resources
from tidegate.render.report import report

HERE = Path(memory.__file__).parent
WATCHED = {
    str(HERE / f"{name}.py")
    for name in ("verification", "comparison", "sampler", "seen", "trials", "tiers")
}
"""The files whose calls are interrupted, and the calls that they make."""

HOURS = 100_000.0


class Pair(Record):
    """Two counters, and a message between them."""

    count: list[int] = array(2, integer(0, lambda k: k, "a counter"))
    sent: int = integer(-1, lambda k: k, "what is in flight")


def send(s, k, sender):
    if s.sent != -1 or s.count[sender] == k:
        return False
    s.count[sender] += 1
    s.sent = s.count[sender]
    return True


def receive(s, k, receiver):
    if s.sent == -1:
        return False
    s.count[receiver] = max(s.count[receiver], s.sent)
    s.sent = -1
    return True


def at_first(s, k):
    yield


@pytest.fixture
def pair():
    both = [action(step.__name__, step, lambda k: [(0,), (1,)]) for step in (send, receive)]
    system = assemble(Pair, 3, both, at_first)
    system.constraint = lambda s, k: s.count[0] + s.count[1] < 2 * k
    return system


class Ending:
    """Watches calls, and ends the search at one of them; each place in the source counts once."""

    def __init__(self, place=None, end=None):
        self.place, self.end = place, end
        self.places, self.stack, self.is_timed = [], [], True

    def __call__(self, frame, event, called):
        outer = frame if event == "c_call" else frame.f_back
        files = frame.f_code.co_filename, outer and outer.f_code.co_filename
        if event not in ("call", "c_call") or WATCHED.isdisjoint(files):
            return
        inner = called.__qualname__ if outer is frame else frame.f_code.co_qualname
        place = event, outer.f_code.co_qualname, outer.f_lineno, inner
        if place == self.place and not self.stack:
            caller = frame
            while caller is not None:
                self.stack.append(caller.f_code)
                caller = caller.f_back
            self.is_timed = callable(signal.getsignal(signal.SIGALRM))
            self.end(frame)
        elif self.place is None and place not in self.places:
            self.places.append(place)

    def allowed(self, status, unraised):
        """Return how the search may end, whose status is `status` if nothing ends it."""
        # Python searches again for as long as it may, and no error leaves a generator's closing.
        goes_on = unraised or interpreted.Search.run.__code__ in self.stack
        if search.CompiledSearch.__init__.__code__ in self.stack and self.end is lack_space:
            # Too little memory to begin at all, with other limits, is a wrong usage.
            return {2}
        if goes_on or (self.end is ring and not self.is_timed):
            return {status, ENDS[self.end]}
        return {12} if status == 12 else {ENDS[self.end]}


def interrupt(frame):
    signal.raise_signal(signal.SIGINT)


def ring(frame):
    """Ring twice, as an alarm does whose first ringing nobody has seen.

    It rings in the frame that is ended: this file would be a model's, called by that.
    """
    handler = signal.getsignal(signal.SIGALRM)
    if callable(handler):
        handler(signal.SIGALRM, frame)
        handler(signal.SIGALRM, frame)


def lack_memory(frame):
    raise MemoryError


def lack_space(frame):
    raise memory.MemoryLimitError("no address space")


ENDS = {interrupt: 130, ring: 3, lack_memory: 3, lack_space: 3}
"""How to end a search, and its exit status then."""


class Searching:
    """Searches one system again and again, with a checkpoint."""

    def __init__(self, system, properties, place, symmetry=False, **how):
        self.system, self.properties, self.place = system, properties, place
        self.symmetry = symmetry
        self.how = {"engine": "compiled", "checkpoint_every": HOURS, "workers": 1, **how}

    def run(self, name, resume=False, watching=None):
        """Return the exit status and what the report says; a name stands for a checkpoint."""
        documents = []

        def searched():
            sys.setprofile(watching)
            try:
                result = check(
                    self.system,
                    self.properties,
                    limits=Limits(seconds=HOURS),
                    symmetry=self.symmetry,
                    resources=Resources(checkpoint=self.place / name, resume=resume, **self.how),
                )
            finally:
                sys.setprofile(None)
            documents.append(report(self.system, result))
            return Ended(exit_status(result))

        with listening():
            status = cli._status(searched)
        said = ("outcome", "distinct_states", "depth", "actions")
        return status, [[document[key] for key in said] for document in documents]

    def ended_everywhere(self, of, every, capsys, unraised):
        """End it at each call of some functions, in one way after the other, and resume it.

        Take one in `every` of the calls.  Return the functions that all of them call.
        """
        first, ways, wrong = Ending(), cycle([interrupt, ring, lack_memory]), []
        expected = self.run("with a cache of machine code from now on")
        assert self.run("first", watching=first) == expected
        assert expected[0] == 0
        places = [place for place in first.places if re.search(of, f"{place[1]} {place[3]}")]
        chosen, met = places[::every], set()
        for number, place in enumerate(chosen):
            for end in (next(ways), *([lack_space] if place[3] == "Region.__init__" else [])):
                unraised.clear()
                ending, name = Ending(place, end), f"{number} {end.__name__}"
                status, _ = self.run(name, watching=ending)
                said = capsys.readouterr().err
                # What ends it before it begins leaves nothing to resume.
                kept = (self.place / name / "manifest.json").exists()
                resumed = self.run(name, resume=kept)
                if ending.stack:
                    met.add(place)
                    if status not in ending.allowed(expected[0], unraised):
                        wrong.append((place, name, status, said))
                if resumed != expected:
                    wrong.append((place, name, resumed, capsys.readouterr().err))
        assert wrong == [], "\n".join(map(str, wrong))
        # What is called when depends on the time a little.
        assert len(met) > 0.9 * len(chosen) - 1
        return {inner for *_, inner in places}


@pytest.fixture
def unraised(monkeypatch):
    """Yield a list of what nothing can catch: errors of a generator or file that is closed."""
    noted = []
    monkeypatch.setattr(sys, "unraisablehook", noted.append)
    yield noted
    # A file that was just open when a search was ended is closed with its frame.
    gc.collect()


@pytest.fixture(autouse=True)
def thorough(monkeypatch, translated_once, tmp_path):
    """Have each search verify its code, which is translated once, not search again in Python."""

    def translated(request, compared=()):
        return translated_once(request, frozenset(compared))

    monkeypatch.setattr(tiers, "generator_of", translated)
    monkeypatch.setattr(tiers.Tiers, "verified", lambda self: False)
    monkeypatch.setattr(verification, "SMALL", 0)
    monkeypatch.setattr(verification, "BEGUN", 0.0)
    monkeypatch.setattr(verification, "PROBED", 0.002)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def optimising(monkeypatch):
    """Have each search begin its second tier at once, which is made once, and be given it then."""
    made = {}

    class Ready(tiers.Optimiser):
        def __init__(self, text, memory):
            if text not in made:
                super().__init__(text, memory)
                made[text] = super().wait(60.0)
                assert made[text]
            self.memory, self.code = memory, made[text]

        def wait(self, seconds):
            self.memory = 0
            return self.code

        def close(self):
            self.memory = 0

    monkeypatch.setattr(tiers, "Optimiser", Ready)
    monkeypatch.setattr(tiers, "WORTH", 0.0)


def one_in(some):
    """Have a test take some of the calls, and all of them where there is time."""
    everywhere = pytest.param(1, id="everywhere", marks=pytest.mark.slow)
    return pytest.mark.parametrize("every", [pytest.param(some, id="some"), everywhere])


SUMS = invariant("Sums", lambda s, k: s.count[0] + s.count[1] <= 2 * k)


@one_in(4)
def test_a_search_that_is_ended_at_any_call_of_its_verification_is_resumed(
    pair, tmp_path, capsys, unraised, every
):
    called = Searching(pair, [SUMS], tmp_path).ended_everywhere("", every, capsys, unraised)
    assert called >= {"Sampler.successors", "Probes.run", "Census.take", "small_machine"}
    assert called >= {"iter_unpack", "Region.__init__"}


@one_in(5)
def test_one_that_is_ended_while_it_compares_permutations_is_resumed(
    tmp_path, capsys, unraised, every
):
    system, properties = system_and_properties(
        "tidegate.examples.published:kip_101", "replicas=2 max_leader_epoch=1", ("TypeOk",)
    )
    searching = Searching(system, properties, tmp_path, symmetry=True)
    of = "compare_made_up|_compare_all|verify_symmetry|level_begins|Ties.one"
    called = searching.ended_everywhere(of, every, capsys, unraised)
    assert called >= {"compare_made_up", "Machine.represent", "Ties.one"}


@pytest.mark.usefixtures("optimising")
@one_in(2)
def test_one_that_is_ended_while_it_changes_its_code_is_resumed(
    pair, tmp_path, capsys, unraised, monkeypatch, every
):
    monkeypatch.setattr(DiskCache, "keep", lambda self, name, content: None)
    searching = Searching(pair, [SUMS], tmp_path, optimise_from=1)
    of = r"Tiers\.(begin_second|is_ready|second|memory)|Sampler\.(few|compared|_unwanted|close)"
    called = searching.ended_everywhere(of, every, capsys, unraised)
    assert called >= {"Sampler.few", "Sampler.compared", "Tiers.second", "Sampler.close"}


@pytest.mark.usefixtures("optimising")
@one_in(2)
def test_one_that_is_ended_while_it_asks_optimised_code_is_resumed(
    pair, tmp_path, capsys, unraised, every
):
    searching = Searching(pair, [SUMS], tmp_path, optimise_from=1, store="fingerprint")
    of = r"Tiers\.compare|ask_again|compare_rows|samples_of|Sampler\.forget"
    called = searching.ended_everywhere(of, every, capsys, unraised)
    assert called >= {"Sampler.ask_again", "Region.write", "Region.read", "iter_unpack"}


@pytest.fixture
def sampled(pair):
    """Return the sampler of a search, and its entries about the initial state."""
    resources = Resources(engine="compiled", workers=1)
    found = search.CompiledSearch(SearchRequest(pair, [SUMS], resources=resources))
    asked = found.machine.sampler
    asked.ask_all(found.begun_from[0])
    yield asked, asked.few()
    found.close()


class LateError(Exception):
    """Stands for whatever comes amid a loop over what machine code has answered."""


class Late:
    """A number of words that raises where a state is cut to it."""

    def __init__(self, words):
        self.words = words

    def __mul__(self, times):
        return self.words * times

    def __index__(self):
        raise LateError


def test_an_error_amid_the_answers_of_machine_code_stays_what_it_is(sampled):
    asked, entries = sampled
    answers = asked.ask_again(entries, [SUMS])
    state = next(answers).state
    with pytest.raises(LateError):
        answers.throw(LateError)
    assert asked.successors([state] * 2)[0]
    asked._words = Late(asked._words)
    with pytest.raises(LateError):
        asked.successors([state] * 2)


def test_a_violation_is_reported_without_a_trace_for_which_there_is_no_space(pair, monkeypatch):
    few = invariant("Few", lambda s, k: s.count[0] + s.count[1] < 4)

    def ancestors(*arguments):
        lack_space(None)

    monkeypatch.setattr(search.Narrow, "ancestors", ancestors)
    result = check(pair, [few], resources=Resources(engine="compiled", workers=1))
    assert exit_status(result) == 12
    assert result.verdicts[0].trace is None
    assert result.verdicts[0].untraced is not None


def write_and_refuse(s, k):
    if s.sent > max(s.count):
        s.sent = -1
    return False


def test_samples_of_states_that_were_made_up_are_not_those_of_a_search(monkeypatch):
    """Where no state of a search gets, a model may make a mistake that ends a watched search."""
    both = [action(step.__name__, step, lambda k: [(0,), (1,)]) for step in (send, receive)]
    system = assemble(Pair, 3, [*both, action("write_and_refuse", write_and_refuse)], at_first)
    forget, calls = sampler.Sampler.forget, []

    def interrupted(self):
        calls.append(self)
        if len(calls) == 2:
            # All made-up states were asked about.
            raise KeyboardInterrupt
        forget(self)

    monkeypatch.setattr(sampler.Sampler, "forget", interrupted)
    monkeypatch.setattr(verification, "PROBED", 0.1)
    resources = Resources(engine="compiled", workers=1, watch=True)
    result = check(system, [SUMS], resources=resources)
    assert (len(calls), exit_status(result)) == (2, 130)


def test_a_checkpoint_has_the_counts_of_its_levels_whatever_interrupts_their_end(pair, tmp_path):
    searching, calls = Searching(pair, [SUMS], tmp_path, store="fingerprint"), []

    def amid_the_end_of_a_level(frame, event, called):
        names = frame.f_code.co_qualname, frame.f_back and frame.f_back.f_code.co_qualname
        if event == "call" and names == ("Machine.taken", "Journal.finish_level"):
            calls.append(frame)
            if len(calls) == 4:
                raise KeyboardInterrupt

    expected = searching.run("whole")
    assert searching.run("interrupted", watching=amid_the_end_of_a_level)[0] == 130
    assert len(calls) == 4
    assert searching.run("interrupted", resume=True) == expected

"""Which histories a property reads is found from its code, however indirectly it reads them."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from tests.conftest import EVERY_HISTORY
from tests.published import ASYNC_ISR, PUBLISHED
from tidegate.checker.check import check
from tidegate.cli import main
from tidegate.core.bounds import parse
from tidegate.core.fields import NONE, integer
from tidegate.core.result import Resources
from tidegate.core.spec import ModelError, Property
from tidegate.library.histories import every_history, histories
from tidegate.library.names import custom_property, find_protocol
from tidegate.library.properties import properties_of, system_for
from tidegate.model import PROTOCOLS
from tidegate.model.broker.protocols.hw import HW
from tidegate.model.broker.state import BrokerState

NONE_OF_THEM: frozenset[str] = frozenset()

READS = {
    "NoCommittedRecordLost": "committed",
    "NoAckedRecordLost": "acked",
    "LeaderCompleteness": "committed",
    "LeaderCandidateCompleteness": "committed",
    "CommittedSomewhere": "committed",
    "NoReadRecordLost": "read",
    "ConsistentRead": "committed",
    "HighWatermarkMonotonic": "high_watermark",
    "ListedOffsetsMonotonic": "listed_offsets",
    "AckedIsReadable": "acked",
}
"""The histories that were declared before they were found; the counts rest on these."""


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_every_property_of_a_family_reads_what_it_was_declared_to_read(protocol):
    for prop in properties_of(protocol):
        known = READS.get(prop.name)
        assert histories(prop, protocol) == ({known} if known else NONE_OF_THEM), prop.name


def test_a_model_has_these_histories():
    assert {every_history(protocol) for protocol in PROTOCOLS} == {EVERY_HISTORY}
    assert {every_history(protocol) for protocol in PUBLISHED} == {frozenset({"committed"})}
    assert every_history(find_protocol(ASYNC_ISR)) == NONE_OF_THEM


@pytest.mark.parametrize("protocol", PUBLISHED, ids=lambda protocol: protocol.name)
def test_one_property_of_the_published_protocols_reads_a_history(protocol):
    reading = {prop.name: histories(prop, protocol) for prop in properties_of(protocol)}
    assert {name: read for name, read in reading.items() if read} == {
        "NoCommittedRecordLost": {"committed"}
    }


def ranges(bounds, needs):
    """Return the ranges of the parts of the state of hw, by the names of these parts."""
    known = {}
    for one in HW.system(bounds, needs).layout.variables:
        part = one.path.partition(".")[0].partition("[")[0]
        known.setdefault(part, []).append((one.low, one.high))
    return known


@pytest.mark.parametrize("options", ["", "purgatory", "isr_propagation=zookeeper", "deletions=1"])
def test_a_part_of_the_state_whose_range_depends_on_a_history_is_known_to(options):
    """The reading of the limits is compared with the ranges that they give."""
    bounds = parse(HW.model.bounds, ["records=2", *options.split()])
    without = ranges(bounds, NONE_OF_THEM)
    for history in EVERY_HISTORY:
        kept = ranges(bounds, frozenset({history}))
        for part in (name for name, there in kept.items() if there != without[name]):
            assert part.startswith("aux_"), "no guard may read what depends on a property"
            reader = Property("Reader", "", "", eval(f"lambda s, k: s.{part}"))
            found = histories(reader, HW)
            deleted = {"committed", "acked", "read"}
            assert history in (deleted if part == "aux_deleted" else found)
            assert part != "aux_deleted" or found & deleted


HEAD = """
import copy, functools, operator
from dataclasses import dataclass
from functools import partial, wraps
from tidegate import NONE, Property
from tidegate.model import acting_leader

def committed_at(offset, committed):
    return committed[offset].record != NONE

def is_committed(s, k, committed):
    return any(committed_at(offset, committed) for offset in range(k.log_size))
"""

WAYS = {
    "directly": "def holds(s, k):\n    return not is_committed(s, k, s.aux_committed)",
    "alias": "def holds(s, k):\n    x = s\n    y = x\n"
    "    return not is_committed(s, k, y.aux_committed)",
    "helper": "def of(s):\n    return s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, of(s))",
    "helper of helper": "def of(s):\n    return s.aux_committed\n\n"
    "def second(s):\n    return of(s)\n\ndef third(s):\n    return second(s)\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, third(s))",
    "partial": "def of(s, k, negate):\n    return is_committed(s, k, s.aux_committed) != negate\n\n"
    "holds = partial(of, negate=True)",
    "partial in a container": "def of(which, s):\n    return s.aux_committed\n\n"
    "WAYS = [partial(of, 1)]\n\ndef holds(s, k):\n    return not is_committed(s, k, WAYS[0](s))",
    "lambda in a dictionary": "WAYS = {'a': lambda s: s.aux_committed}\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, WAYS['a'](s))",
    "lambda in a tuple in a dictionary": "WAYS = {1: (0, [lambda s: s.aux_committed])}\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, WAYS[1][1][0](s))",
    "default": "def of(s):\n    return s.aux_committed\n\n"
    "def holds(s, k, f=of):\n    return not is_committed(s, k, f(s))",
    "keyword default": "def inner(s, k, *, f=lambda s: s.aux_committed):\n"
    "    return not is_committed(s, k, f(s))\n\ndef holds(s, k):\n    return inner(s, k)",
    "nested function": "def holds(s, k):\n    def of():\n        return s.aux_committed\n\n"
    "    return not is_committed(s, k, of())",
    "closure": "def make(name):\n    def of(s):\n        return s.aux_committed\n\n"
    "    def holds(s, k):\n        return not is_committed(s, k, of(s))\n\n    return holds\n\n"
    "holds = make('x')",
    "comprehension": "def holds(s, k):\n"
    "    return not any([committed_at(0, [c for c in s.aux_committed]) for o in range(1)])",
    "class with methods": "class Ways:\n    def of(self, s):\n        return s.aux_committed\n\n"
    "WAYS = Ways()\n\ndef holds(s, k):\n    return not is_committed(s, k, WAYS.of(s))",
    "static method": "class Ways:\n    @staticmethod\n    def of(s):\n"
    "        return s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, Ways.of(s))",
    "property of a dataclass": "@dataclass(frozen=True)\nclass Seen:\n    s: object\n\n"
    "    @property\n    def of(self):\n        return self.s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, Seen(s).of)",
    "inherited method": "class Base:\n    def of(self, s):\n        return s.aux_committed\n\n"
    "class Ways(Base):\n    pass\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, Ways().of(s))",
    "function in an object": "class Ways:\n    def __init__(self):\n"
    "        self.of = lambda s: s.aux_committed\n\nWAYS = Ways()\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, WAYS.of(s))",
    "bound method": "class Ways:\n    def of(self, s):\n        return s.aux_committed\n\n"
    "OF = Ways().of\n\ndef holds(s, k):\n    return not is_committed(s, k, OF(s))",
    "callable object": "class Ways:\n    def __call__(self, s):\n        return s.aux_committed\n\n"
    "OF = Ways()\n\ndef holds(s, k):\n    return not is_committed(s, k, OF(s))",
    "slots": "class Ways:\n    __slots__ = ('of',)\n\nWAYS = Ways()\n"
    "WAYS.of = lambda s: s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, WAYS.of(s))",
    "wrapped": "def again(function):\n    @wraps(function)\n    def inner(*a):\n"
    "        return function(*a)\n\n    return inner\n\n@again\ndef of(s):\n"
    "    return s.aux_committed\n\ndef holds(s, k):\n    return not is_committed(s, k, of(s))",
    "remembered": "@functools.lru_cache\ndef where():\n    return lambda s: s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, where()(s))",
    "passed on": "def through(f, s):\n    return f(s)\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, through(lambda s: s.aux_committed, s))",
    "map": "def of(s):\n    return s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, next(map(of, [s])))",
    "attribute of a function": "def holds(s, k):\n"
    "    return not is_committed(s, k, holds.of(s))\n\nholds.of = lambda s: s.aux_committed",
    "getattr with a name": "def holds(s, k):\n"
    "    return not is_committed(s, k, getattr(s, 'aux_committed'))",
    "getattr with a computed name": "def holds(s, k):\n"
    "    return not is_committed(s, k, getattr(s, 'aux_' + 'c' + 'ommitted'))",
    "getattr by another name": "LOOK, NAME = getattr, 'aux_commi' + 'tted'\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, LOOK(s, NAME))",
    "attrgetter": "OF = operator.attrgetter('aux_committed')\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, OF(s))",
    "attrgetter in the function": "from operator import attrgetter as of\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, of('aux_committed')(s))",
    "attrgetter with a computed name": "def holds(s, k):\n"
    "    of = operator.attrgetter('aux_' + 'committed')\n"
    "    return not is_committed(s, k, of(s))",
    "methodcaller": "OF = operator.methodcaller('__getattribute__', 'aux_' + 'committed')\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, OF(s))",
    "dunder": "def holds(s, k):\n"
    "    return not is_committed(s, k, s.__getattribute__('aux_' + 'committed'))",
    "eval": "def holds(s, k):\n    return not is_committed(s, k, eval('s.aux_' + 'committed'))",
    "import": "def holds(s, k):\n    from helper_of_histories import of\n"
    "    return not is_committed(s, k, of(s))",
    "helper module": "import helper_of_histories\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, helper_of_histories.of(s))",
    "name from a helper module": "from helper_of_histories import of as renamed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, renamed(s))",
    "single dispatch": "@functools.singledispatch\ndef of(s):\n    return s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, of(s))",
    "pattern": "from tidegate.model import BrokerState\n\ndef holds(s, k):\n    match s:\n"
    "        case object(aux_committed=seen):\n"
    "            return not is_committed(s, k, seen)\n    return True",
    "global rebound": "of = None\n\ndef holds(s, k):\n    return not is_committed(s, k, of(s))\n\n"
    "def other(s):\n    return s.aux_committed\n\nof = other",
    "missing key": "class Ways(dict):\n    def __missing__(self, s):\n"
    "        return s.aux_committed\n\nWAYS = Ways()\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, WAYS[s])",
    "default dictionary": "from collections import defaultdict\n\n"
    "WAYS = defaultdict(int, {1: lambda s: s.aux_committed})\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, WAYS[1](s))",
    "class attribute": "class Ways:\n    TABLE = {1: lambda s: s.aux_committed}\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, Ways.TABLE[1](s))",
    "enumeration": "from enum import Enum\n\nclass Way(Enum):\n    ONE = 1\n\n"
    "    def of(self, s):\n        return s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, Way.ONE.of(s))",
    "member of an enumeration": "from enum import Enum, member\n\nclass Way(Enum):\n"
    "    ONE = member(partial(lambda s: s.aux_committed))\n\nONE = Way.ONE\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, ONE.value(s))",
    "named tuple": "from typing import NamedTuple\n\nclass Ways(NamedTuple):\n"
    "    of: object\n\nWAYS = Ways(lambda s: s.aux_committed)\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, WAYS.of(s))",
    "generator": "def each(s):\n    yield from s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, list(each(s)))",
    "class of a decorator": "class Again:\n    def __init__(self, f):\n        self.f = f\n\n"
    "    def __call__(self, s):\n        return self.f(s)\n\n@Again\ndef of(s):\n"
    "    return s.aux_committed\n\ndef holds(s, k):\n    return not is_committed(s, k, of(s))",
    "descriptor": "class Way:\n    def __get__(self, one, kind):\n"
    "        return lambda s: s.aux_committed\n\nclass Ways:\n    of = Way()\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, Ways().of(s))",
    "operator of a class": "class Ways:\n    def __add__(self, s):\n"
    "        return s.aux_committed\n\nWAYS = Ways()\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, WAYS + s)",
    "metaclass": "class Meta(type):\n    def of(cls, s):\n        return s.aux_committed\n\n"
    "class Ways(metaclass=Meta):\n    pass\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, Ways.of(s))",
    "another property": "def of(s, k):\n    return not is_committed(s, k, s.aux_committed)\n\n"
    "OTHER = Property('Other', 'No.', 'me', of)\n\n"
    "def holds(s, k):\n    return OTHER.predicate(s, k)",
    "a property of the package": "from tidegate.invariants.loss import committed_somewhere\n"
    "\ndef holds(s, k):\n    seen = committed_somewhere(s, k)\n"
    "    return not is_committed(s, k, s.aux_committed)",
    "partial method": "class Ways:\n    def of(self, one, s):\n        return s.aux_committed\n\n"
    "    first = functools.partialmethod(of, 1)\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, Ways().first(s))",
    "reduce": "def of(a, s):\n    return s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, functools.reduce(of, [s, s]))",
    "method of a call": "holds = (lambda s, k: not is_committed(s, k, s.aux_committed)).__call__",
    "globals": "def of(s):\n    return s.aux_committed\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, globals()['o' + 'f'](s))",
    "made by exec": "exec('def of(s):\\n    return s.aux_committed')\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, of(s))",
    "weak reference": "import weakref\n\ndef of(s):\n    return s.aux_committed\n\n"
    "REF = weakref.ref(of)\n\n"
    "def holds(s, k):\n    return not is_committed(s, k, REF()(s))",
    "class made in a function": "def holds(s, k):\n    class Ways:\n        def of(self):\n"
    "            return s.aux_committed\n\n    return not is_committed(s, k, Ways().of())",
    "walrus": "def holds(s, k):\n    return not is_committed(s, k, (y := s).aux_committed)",
    "try": "def holds(s, k):\n    try:\n        raise KeyError\n    except KeyError:\n"
    "        return not is_committed(s, k, s.aux_committed)",
    "iterator of functions": "WAYS = [lambda s: s.aux_committed]\n\n"
    "def holds(s, k):\n    for way in WAYS:\n        if is_committed(s, k, way(s)):\n"
    "            return False\n    return True",
}  # fmt: skip

MANY = "\n".join(f"def g{n}(s):\n    return s.written\n" for n in range(400))
SUM = " + ".join(f"g{n}(s)" for n in range(400))
WAYS["many names"] = (
    f"{MANY}\ndef of(s):\n    return s.aux_committed\n\ndef holds(s, k):\n"
    f"    return {SUM} >= 0 and not is_committed(s, k, of(s))"
)

SETTINGS = ("records=1", "crashes=0")


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a property and its helper, and return the property as a search has it."""
    (tmp_path / "helper_of_histories.py").write_text("def of(s):\n    return s.aux_committed\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(code, more=""):
        file = tmp_path / "lost.py"
        file.write_text(f"{HEAD}\n{code}\n\nMINE = Property('Mine', 'No.', 'me', holds{more})\n")
        return custom_property(HW, f"{file}:MINE")

    return write


def steps(prop, engine="auto"):
    """Return after how many steps hw violates a property with the histories that it reads."""
    first = check(system_for(HW, SETTINGS, [prop]), [prop], resources=Resources(engine)).first
    return len(first.trace.steps) if first else None


@pytest.fixture(scope="module")
def explicit():
    """The steps after which hw has committed a record, if its states say so."""

    def nothing(s, k):
        return all(one.record == -1 for one in s.aux_committed)

    never = Property("Never", "", "", nothing)
    verdicts = []
    for needs in (NONE_OF_THEM, frozenset({"committed"})):
        first = check(HW.system(parse(HW.model.bounds, SETTINGS), needs), [never]).first
        verdicts.append(len(first.trace.steps) if first else None)
    assert verdicts[0] is None, "without the history it holds"
    assert verdicts[1]
    return verdicts[1]


@pytest.mark.parametrize("way", WAYS)
def test_a_property_is_decided_however_it_reads_a_history(written, explicit, way):
    prop = written(WAYS[way])
    assert "committed" in histories(prop, HW)
    if way in REFUSED | OUTSIDE:
        with pytest.raises(ModelError, match=r"\w"):
            steps(prop, "interpreted")
    else:
        assert steps(prop, "interpreted") == explicit


REFUSED = {
    "eval", "globals", "made by exec", "weak reference",
}  # fmt: skip
"""Ways that no reader of the code can follow, so that a model may not go them."""

OUTSIDE = {
    "property of a dataclass", "inherited method", "remembered", "getattr with a name",
    "getattr with a computed name", "getattr by another name", "attrgetter with a computed name",
    "methodcaller", "dunder", "import", "generator", "descriptor", "partial method",
    "class made in a function", "try", "attrgetter in the function", "single dispatch", "pattern",
    "missing key", "operator of a class", "reduce", "partial", "method of a call",
}  # fmt: skip
"""Ways that are not in the language of models; an explanation may go them."""


def test_ways_that_are_combined(written, explicit):
    """A generator writes helpers that call each other by random ways; the last one reads."""
    dice = Random(8)
    links = [
        "def f{n}(s):\n    return f{m}(s)\n",
        "f{n} = lambda s: f{m}(s)\n",
        "F{n} = [None, {{'x': f{m}}}]\n\ndef f{n}(s):\n    return F{n}[1]['x'](s)\n",
        "def f{n}(s, g=f{m}):\n    return g(s)\n",
        "f{n} = partial(f{m})\n",
        "class C{n}:\n    def go(self, s):\n        return f{m}(s)\n\nf{n} = C{n}().go\n",
        "def f{n}(s):\n    def inner():\n        return [f{m}(x) for x in (s,)][0]\n"
        "    return inner()\n",
        "@wraps(f{m})\ndef f{n}(*a):\n    return f{m}(*a)\n",
    ]
    for _ in range(12):
        code = ["def f0(s):\n    x = s\n    return x.aux_committed\n"]
        depth = dice.randint(2, 6)
        code += [dice.choice(links).format(n=n, m=n - 1) for n in range(1, depth + 1)]
        text = "\n".join(code)
        prop = written(f"{text}\ndef holds(s, k):\n    return not is_committed(s, k, f{depth}(s))")
        assert histories(prop, HW) == {"committed"}, text
        assert steps(prop, "interpreted") == explicit


def test_what_reads_no_history_keeps_none(written):
    for code in (
        "def holds(s, k):\n    return s.replica[0].leo < 2",
        "def holds(s, k):\n    '''It never reads s.aux_committed in 10 % of all cases.'''\n"
        "    return max(replica.leo for replica in s.replica) < 2",
        "WAYS = {1: lambda s: s.replica}\n\ndef holds(s, k):\n    return WAYS[1](s)[0].leo < 2",
        "def holds(s, k):\n    return acting_leader(s) == NONE or k.rules.may_lag(s, k, 0, 1)",
    ):
        assert histories(written(code), HW) == NONE_OF_THEM, code


def test_a_text_of_the_whole_state_depends_on_every_history(written):
    for text in ("str(s)", "f'{s}'", "'%s' % (s,)", "'{}'.format(s)", "repr(copy.copy(s))"):
        prop = written(f"def holds(s, k):\n    return len({text}) < 10**9")
        assert histories(prop, HW) == EVERY_HISTORY, text


def test_what_an_explanation_reads_is_kept_unless_it_asks_whether_it_is_there(written):
    holds = "def holds(s, k):\n    return s.replica[0].leo < 2\n\n"
    shown = f"{holds}def shown(s, k):\n    return f'It was {{s.aux_hw}}.'"
    assert histories(written(shown, ", explain=shown"), HW) == {"high_watermark"}
    asked = f"{holds}def shown(s, k):\n    return f'{{s.aux_hw if k.track_high_watermark else 0}}'"
    assert histories(written(asked, ", explain=shown"), HW) == NONE_OF_THEM


def test_a_variable_that_several_histories_have_is_kept_with_one_of_them(written):
    code = "def holds(s, k):\n    return s.aux_deleted == 0"
    assert histories(written(code), HW) == {"committed"}
    code = "def holds(s, k):\n    return s.aux_deleted == 0 or s.aux_read[0].record == 0"
    assert histories(written(code), HW) == {"read"}


ISSUE = '''
from tidegate import NONE, Property
from tidegate.model import acting_leader

def lost(s, k):
    leader = acting_leader(s)
    if leader == NONE:
        return None
    for offset in range(k.log_size):
        record = s.aux_committed[offset].record
        if record != NONE and s.replica[leader].log[offset].record != record:
            return (leader, offset)
    return None

MINE = Property("Mine", "Committed stays.", "me", witness=lost,
                explain=lambda s, k, b, o: "gone")
'''  # fmt: skip


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_the_verdict_does_not_depend_on_the_properties_beside(tmp_path, monkeypatch, engine):
    monkeypatch.chdir(tmp_path)
    Path("lost.py").write_text(ISSUE)
    alone = ["check", "hw", "-b", "elections=1", "-p", "lost.py:MINE", "--engine", engine]
    for beside in ([], ["-p", "NoCommittedRecordLost"]):
        done = CliRunner().invoke(main, [*alone, *beside, "--continue", "--json", "-"])
        assert done.exit_code == 12, done.output
        first, *_ = json.loads(done.stdout)["properties"]
        assert (first["name"], first["steps"]) == ("lost.py:MINE", 12)


class Mine(BrokerState):
    """The state with a method, and with a variable that is kept with a history."""

    aux_mine: int = integer(0, lambda k: 1 if k.track_read else 0, "of one's own")

    def first(self):
        return self.aux_committed[0]

    def highest(self):
        return self.aux_hw


@pytest.mark.parametrize(
    ("predicate", "found"),
    [
        (lambda s, k: s.first().record == NONE, {"committed"}),
        (lambda s, k: s.highest() == 0, {"high_watermark"}),
        (lambda s, k: s.aux_mine == 0, {"read"}),
        (lambda s, k: s.written == 0, NONE_OF_THEM),
        (lambda s, k: not k.delays_produces, {"acked"}),
        (lambda s, k: not k.track_listed_offsets, {"listed_offsets"}),
    ],
)
def test_methods_and_variables_of_a_state_of_ones_own_count(predicate, found):
    own = replace(HW, state=Mine)
    assert histories(Property("Own", "", "", predicate), own) == found

"""Random actions: what is shown to treat replicas alike does, and one planted asymmetry is seen."""

import random
import re

import pytest

from tests.checker.renaming import Tiny, Twin, difference, function, shown
from tidegate.core.symmetry import SymmetryError
from tidegate.language.lowering.frame import LoweringError

REPLICA, SET, NUMBER, TRUTH = "replica", "set", "number", "truth"


class Programs:
    """Makes random actions over the tiny model.

    Parameters
    ----------
    confusion
        The chance that an expression is of another sort than belongs there.
    """

    def __init__(self, seed, confusion=0.0):
        self.dice = random.Random(seed)
        self.confusion = confusion

    def action(self):
        """Return the source of an action of a peer r."""
        self.peers, self.numbers, self.sets, self.fresh = ["r", "s.board.first"], ["1"], ["0"], 0
        self.loops, self.lists, self.terms, self.changing = [], ["s.team"], [], []
        lines = ["if s.peer[r].term == 2:", "    return False"]
        for _ in range(self.dice.randint(1, 4)):
            lines += self.statement(3)
        lines.append(f"return {self.of(TRUTH, 2)}")
        return "def f(s, k, r):\n" + "\n".join(f"    {line}" for line in lines) + "\n"

    def name(self):
        self.fresh += 1
        return f"x{self.fresh}"

    def of(self, kind, depth):
        """Return an expression of a kind, or by mistake of another."""
        if self.dice.random() < self.confusion:
            kind = self.dice.choice((REPLICA, SET, NUMBER, TRUTH))
        return getattr(self, kind)(depth)

    def peer(self):
        return f"s.peer[{self.of(REPLICA, 0)}]"

    def replica(self, depth):
        if depth and self.dice.random() < 0.1:
            return f"({self.of(REPLICA, 0)} if {self.of(TRUTH, 0)} else {self.of(REPLICA, 0)})"
        return self.dice.choice(self.peers)

    def replica_or_none(self):
        voted = f"s.voted[{self.dice.randrange(2)}]"
        other = self.dice.choice(("s.board.leader", f"{self.peer()}.follows", voted, "NONE"))
        return self.dice.choice((other, self.of(REPLICA, 1)))

    def set(self, depth):
        if not depth:
            single = f"1 << {self.of(REPLICA, 0)}"
            return self.dice.choice(("s.board.isr", f"{self.peer()}.knows", single, *self.sets))
        one, other = self.of(SET, depth - 1), self.of(SET, depth - 1)
        made = (f"({one} & {other})", f"({one} | {other})", f"({one} & ~({other}))")
        return self.dice.choice(made)

    def number(self, depth):
        plain = ("s.board.count", f"{self.peer()}.term", f"s.score[{self.of(REPLICA, 0)}]")
        if not depth:
            return self.dice.choice((*plain, "0", "2", "k.size", *self.numbers))
        one, other = self.of(NUMBER, depth - 1), self.of(NUMBER, depth - 1)
        made = (f"min({one}, {other})", f"max({one}, {other})", f"({one} + {other})")
        if self.dice.random() < 0.4:
            return self.reduced()
        return self.dice.choice((*made, f"s.slot[min(2, {one})]"))

    def reduced(self):
        """Return a sum, an extreme or a length."""
        dice, name, more = self.dice, self.name(), self.name()
        self.peers += [name, more]
        value, test, other = self.of(NUMBER, 0), self.of(TRUTH, 0), self.of(REPLICA, 0)
        self.peers = [peer for peer in self.peers if peer not in (name, more)]
        over = f"for {name} in {dice.choice(('range(k.peers)', 's.team'))}"
        if more in value + test + other:
            over += f" for {more} in {dice.choice(('range(k.peers)', 'members(s.board.isr)'))}"
        return dice.choice(
            (
                f"sum({value} {over} if {test})", f"sum({test} {over})",
                f"max(({value} {over}), default=NONE)", f"min([{value} {over} if {test}])",
                f"len({{{other} {over}}})", f"len([{other} {over} if {test}])", "len(s.queue)",
                "max(s.score)", f"len({self.own()})", f"sorted({value} {over})[0]",
                f"sum({value} {over} if {test})", "len(s.team)", f"max({value} {over})",
                *(f"{which}({name})" for name in self.terms for which in ("max", "sum", "len")),
                *(f"len({name})" for name in self.lists), *self.first(self.terms),
            )
        )  # fmt: skip

    def own(self, depth=0):
        """Return a set of peers, of the state or of Python."""
        dice, name = self.dice, self.name()
        if depth:
            return f"({self.own()} {dice.choice('|&-^')} {self.own()})"
        self.peers.append(name)
        test = self.of(TRUTH, 0)
        self.peers.remove(name)
        made = f"{{{name} for {name} in range(k.peers) if {test}}}"
        return dice.choice(("s.team", "s.team", made, f"{{{self.of(REPLICA, 0)}}}", "set()"))

    def entry(self):
        """Return a record."""
        made = f"Entry(who={self.replica_or_none()}, what=min(2, {self.of(NUMBER, 0)}))"
        return self.dice.choice((made, made, "s.last", "s.log[0]"))

    def note(self):
        """Return a record that names no replica."""
        return f"Note(what=min(2, {self.of(NUMBER, 0)}))"

    def truth(self, depth):
        dice = self.dice
        same = dice.choice(("==", "!="))
        atoms = (
            lambda: f"{self.peer()}.up",
            lambda: f"{self.replica_or_none()} {same} {self.replica_or_none()}",
            lambda: f"{self.of(SET, 1)} >> {self.of(REPLICA, 0)} & 1",
            lambda: f"{self.of(NUMBER, 1)} {dice.choice(('<', same))} {self.of(NUMBER, 0)}",
            lambda: f"{self.of(SET, 0)} {same} {self.of(SET, 0)}",
            self.quantified,
            lambda: f"{self.of(REPLICA, 0)} in {self.own(1)}",
            lambda: f"{self.own()} {dice.choice(('<=', '<', same))} {self.own(1)}",
            lambda: f"{self.entry()} {same} {self.entry()}",
            lambda: f"s.queue[1:] {same} [{self.of(REPLICA, 0)}]",
            lambda: f"{self.of(REPLICA, 0)} in s.queue",
            lambda: f"{self.note()} in s.{dice.choice(('news', 'copies'))}",
            lambda: f"s.copies.count({self.note()}) > 1",
            lambda: f"{self.of(REPLICA, 0)} in {dice.choice(self.lists)}",
        )
        if not depth or dice.random() < 0.4:
            return f"({dice.choice(atoms)()})"
        one, other = self.of(TRUTH, depth - 1), self.of(TRUTH, depth - 1)
        return dice.choice((f"({one} and {other})", f"({one} or {other})", f"(not {one})"))

    def quantified(self):
        which, name = self.dice.choice(("any", "all")), self.name()
        self.peers.append(name)
        test = self.of(TRUTH, 0)
        self.peers.remove(name)
        overs = ("range(k.peers)", f"members({self.of(SET, 0)})", *self.lists)
        over = self.dice.choice(overs)
        return f"{which}({test} for {name} in {over})"

    def statement(self, depth):
        dice = self.dice
        kinds = [self.store, self.store, self.store, self.local]
        if depth:
            kinds += [self.branch, self.loop, self.loop, self.total, self.guarded, self.each]
            kinds += [self.changed, self.changed, self.together, self.gathered, self.gathered]
        if self.loops:
            kinds += [self.leave]
        if self.changing:
            kinds += [self.added, self.added]
        return dice.choice(kinds)(depth)

    def block(self, depth):
        """Return indented statements, whose names end with them."""
        kept = [*map(list, (self.peers, self.numbers, self.sets, self.lists, self.terms))]
        lines = [line for _ in range(self.dice.randint(1, 2)) for line in self.statement(depth - 1)]
        self.peers, self.numbers, self.sets, self.lists, self.terms = kept
        return [f"    {line}" for line in lines]

    def store(self, depth):
        place = self.dice.choice(
            (
                ("s.board.leader", REPLICA), (f"{self.peer()}.follows", REPLICA),
                ("s.voted[0]", REPLICA), ("s.board.isr", SET), (f"{self.peer()}.knows", SET),
                ("s.board.count", NUMBER), (f"{self.peer()}.term", NUMBER),
                (f"{self.peer()}.up", TRUTH), ("s.slot[1]", NUMBER),
                (f"s.score[{self.of(REPLICA, 0)}]", NUMBER),
            )
        )  # fmt: skip
        target, kind = place
        if kind is SET and self.dice.random() < 0.5:
            return [f"{target} {self.dice.choice(('|=', '&=', '^='))} {self.of(SET, 0)}"]
        if kind is NUMBER and self.dice.random() < 0.4:
            return [f"{target} += {self.of(NUMBER, 0)}"]
        if self.dice.random() < 0.2:
            constant = {REPLICA: "NONE", SET: "0", NUMBER: "1", TRUTH: "True"}[kind]
            return [f"{target} = {constant}"]
        if kind is REPLICA and self.dice.random() < 0.3:
            return [f"{target} = {self.replica_or_none()}"]
        return [f"{target} = {self.of(kind, 1)}"]

    def local(self, depth):
        kind = self.dice.choice((REPLICA, SET, NUMBER))
        value, name = self.of(kind, 1), self.name()
        {REPLICA: self.peers, SET: self.sets, NUMBER: self.numbers}[kind].append(name)
        return [f"{name} = {value}"]

    def branch(self, depth):
        lines = [f"if {self.of(TRUTH, 1)}:", *self.block(depth)]
        if self.dice.random() < 0.4:
            lines += ["else:", *self.block(depth)]
        return lines

    def loop(self, depth):
        name, dice = self.name(), self.dice
        overs = ["range(k.peers)", f"members({self.of(SET, 0)})", "range(2)", "range(k.size)"]
        over = dice.choice((*overs, *self.lists, f"({self.of(REPLICA, 0)}, {self.of(REPLICA, 0)})"))
        group = self.numbers if over in overs[2:4] else self.peers
        group.append(name)
        self.loops.append(name)
        lines = [f"for {name} in {over}:", *self.block(depth)]
        self.loops.pop()
        if self.dice.random() > self.confusion:
            group.remove(name)
        return lines

    def first(self, lists):
        """Return the first elements of lists whose order may be another, by mistake."""
        return [f"{name}[0]" for name in lists if self.dice.random() < self.confusion]

    def gathered(self, depth):
        """Return a loop that puts peers or numbers into a list or a set, which is used later."""
        dice, out, name = self.dice, self.name(), self.name()
        kind, is_set = dice.choice((REPLICA, REPLICA, NUMBER)), dice.random() < 0.4
        begin = f"{{{self.of(kind, 0)}}}" if is_set else f"[{self.of(kind, 0)}]"
        lines = [f"{out} = {dice.choice((begin, 'set()' if is_set else '[]'))}"]
        self.peers.append(name)
        self.changing.append((out, kind, is_set))
        over = dice.choice(("range(k.peers)", "s.team", f"members({self.of(SET, 0)})"))
        lines += [f"for {name} in {over}:", *(f"    {line}" for line in self.added(depth))]
        if dice.random() < 0.3:
            lines += self.block(depth)
        self.peers.remove(name)
        lines += self.added(depth) if dice.random() < 0.3 else []
        if dice.random() > 2 * self.confusion:
            self.changing.pop()
        (self.lists if kind is REPLICA else self.terms).append(out)
        if not is_set and kind is REPLICA and (wrong := self.first([out])):
            self.peers += wrong
        return lines

    def added(self, depth):
        """Return a statement that changes a list or a set of the function's own."""
        dice = self.dice
        out, kind, is_set = dice.choice(self.changing)
        other = self.of(kind, 0)
        ways = (f"{out} += [{other}]", f"{out}.append({other})", f"{out} = {out} + [{other}]")
        if is_set:
            less = dice.choice((f"{out} -= {{{other}}}", f"{out}.discard({other})"))
            ways = (
                f"{out} |= {{{other}}}",
                f"{out}.add({other})",
                f"{out}.update([{other}])",
                less,
            )
        line, mistaken = dice.choice(ways), dice.random() < 2 * self.confusion
        tests = [self.of(TRUTH, 0), self.of(TRUTH, 0), f"len({out}) < 2"]
        test = tests[2 if mistaken else dice.randrange(2)]
        lines = [line] if dice.random() < 0.4 else [f"if {test}:", f"    {line}"]
        if dice.random() < self.confusion:
            other = self.name()
            lines = [f"{other} = {out}", *lines]
            self.lists.append(other)
        return lines

    def guarded(self, depth):
        """Return statements about a replica that may be NONE, after a test that it is not."""
        name, dice = self.name(), self.dice
        lines = [f"{name} = {self.replica_or_none()}"]
        tests = (f"{name} != NONE", f"{name} == {self.of(REPLICA, 0)}", f"not {name} == NONE")
        if dice.random() < 2 * self.confusion:
            tests = (f"{name} != s.board.leader", f"{name} != NONE or {self.of(TRUTH, 0)}")
        self.peers.append(name)
        lines += [f"if {dice.choice(tests)}:", *self.block(depth)]
        self.peers.remove(name)
        return lines

    def each(self, depth):
        """Return a loop in which each peer changes what is its own, as others have it or not."""
        name, dice = self.name(), self.dice
        other = dice.choice((name, name, *self.peers))
        owner = name if dice.random() > self.confusion else dice.choice(self.peers)
        assigned = dice.choice(
            (
                f"s.score[{owner}] = s.score[{other}]",
                f"s.peer[{owner}].term = min(2, s.peer[{other}].term + 1)",
                f"s.peer[{owner}].follows = s.peer[{other}].follows",
                f"s.peer[{owner}].up = s.peer[{other}].up != {self.of(TRUTH, 0)}",
            )
        )
        return [f"for {name} in range(k.peers):", f"    {assigned}"]

    def total(self, depth):
        """Return a loop that adds to a variable, which is used after it."""
        total, name, dice = self.name(), self.name(), self.dice
        self.peers.append(name)
        kind = dice.choice((NUMBER, SET, TRUTH))
        value, test = self.of(NUMBER if kind is TRUTH else kind, 0), self.of(TRUTH, 0)
        begin = {NUMBER: "0", SET: dice.choice(("0", "s.board.isr")), TRUTH: "0"}[kind]
        adds = {
            NUMBER: (f"{total} += {value}", f"{total} = max({total}, {value})"),
            SET: (f"{total} |= {value}", f"{total} = {total} & {value}"),
            TRUTH: (f"{total} = 1",),
        }[kind]
        lines = [f"{total} = {begin}", f"for {name} in range(k.peers):", f"    if {test}:"]
        lines.append(f"        {dice.choice(adds)}")
        if dice.random() < 0.3:
            lines.append("        continue")
        if dice.random() < 0.2:
            lines += [f"    {line}" for line in self.store(0)]
        self.peers.remove(name)
        (self.sets if kind is SET else self.numbers).append(total)
        return lines

    def changed(self, depth):
        """Return a change of a set, a sequence or a record."""
        dice, peer = self.dice, self.of(REPLICA, 0)
        return [
            dice.choice(
                (
                    f"s.team {dice.choice('|&-^')}= {self.own()}", f"s.team.add({peer})",
                    f"s.team.update({self.own()})", f"s.last.assign({self.entry()})",
                    f"s.log.append({self.entry()})", f"s.log[0].assign({self.entry()})",
                    f"s.queue.append({peer})", f"s.queue.insert(0, {peer})",
                    f"s.queue[0] = {peer}", "del s.queue[1:]", "s.log[:] = s.log[1:]",
                    "s.board.leader = s.queue.pop(0)", "s.queue.clear()",
                    f"s.news.add({self.note()})", f"s.news.discard({self.note()})",
                    f"s.copies.add({self.note()})", "s.copies.remove(s.copies[0])",
                    f"s.team = {{{peer}}}", f"s.team = set({dice.choice(self.lists)})",
                    f"s.team = s.team {dice.choice('|&-^')} {self.own()}",
                    f"s.last = Entry(who={peer})", f"s.queue = [{peer}, {self.of(REPLICA, 0)}]",
                    f"s.queue = s.queue[1:] + [{peer}]", f"s.log[:] = [{self.entry()}]",
                    f"s.peer[{peer}].assign(s.peer[{self.of(REPLICA, 0)}])",
                    f"s.team = {dice.choice(self.lists)}", f"s.queue = [*{self.lists[-1]}]",
                )
            )
        ]  # fmt: skip

    def together(self, depth):
        """Return a loop over arrays together."""
        name, other = self.name(), self.name()
        self.peers.append(name)
        over = self.dice.choice(("enumerate(s.peer)", "enumerate(s.score)", "zip(s.voted, s.slot)"))
        lines = [f"for {name}, {other} in {over}:", *self.block(depth)]
        self.peers.remove(name)
        return lines

    def leave(self, depth):
        ways = ("break", "continue", f"return {self.dice.choice(('True', 'False'))}")
        return [f"if {self.of(TRUTH, 0)}:", f"    {self.dice.choice(ways)}"]


PLANTS = (
    "if {replica} == 1:\n    s.board.count = 5",
    "if {replica} < {other}:\n    return False",
    "s.board.count = {replica}",
    "s.board.leader = max({replica}, {other})",
    "if {replica}:\n    s.board.count = 3",
    "s.board.count = ({replica} or 2) + 0 * {number}",
    "s.slot[{replica}] = 1",
    "s.board.leader = ({replica} + 1) % k.peers",
    "s.peer[0].up = {truth}",
    "s.board.isr |= 2",
    "s.board.isr &= s.board.isr - 1",
    "if {set} > s.peer[{replica}].knows:\n    return False",
    "s.board.count = {set}",
    "s.board.flags = {set}",
    "for p in range(k.peers):\n    if {test}:\n        s.board.leader = p",
    "for p in range(k.peers):\n    if {test}:\n        s.board.leader = p\n        break",
    "for p in range(k.peers - 1):\n    if {test}:\n        s.peer[p].up = False",
    "turn = 0\nfor p in range(k.peers):\n    turn += 1\n    s.score[p] = turn",
    "last = NONE\nfor p in members({set}):\n    last = p\ns.board.leader = last",
    "alias = {replica}\ntuple_ = (alias, 1)\nif tuple_[0] == tuple_[1]:\n    return False",
    "if max(p for p in range(k.peers)) == {replica}:\n    return False",
    "s.board.count = sum(p for p in range(k.peers) if {test})",
    "s.board.leader = min(s.team, default={replica})",
    "s.team |= {{1, {replica}}}",
    "s.marks |= {{{replica}}}",
    "s.last.assign(Entry(who={replica}, what={replica}))",
    "s.news.add(Note(what={replica}))",
    "s.copies.discard(Note(what={replica}))",
    "if Note(what={replica}) in s.news:\n    return False",
    "if [p.term for p in s.peer][0] == 1:\n    return False",
    "if any(i == 0 and p.up for i, p in enumerate(s.peer)):\n    s.board.count = 4",
    "s.queue[:] = [1]",
    "s.team = {{{replica}, 2}}",
    "s.last = Entry(who={replica}, what={other})",
    "s.queue = [p for p in range(k.peers) if {test}]",
    "if {replica} in SOME:\n    return False",
    "old = s.team\ns.team = {{{replica}}}\nif {other} in old:\n    s.board.count = 5",
    "out = []\nfor p in range(k.peers):\n    if {test}:\n        out.append(p)\n"
    "s.board.leader = out[0]",
    "out = []\nfor p in range(k.peers):\n    if {test} and len(out) < 1:\n"
    "        out.append(p)\nif {replica} in out:\n    return False",
    "out = []\nfor p in range(k.peers):\n    out.append(s.peer[p].term)\n"
    "s.board.count = out[0] - out[1] + 9",
    "out = [{replica}]\nboth = out\nfor p in range(2):\n    both.append(p)\n"
    "if len(out) > 2 and out[1] == {other}:\n    return False",
    "out = {{{replica}}}\nout.add(1)\ns.team.update(out)",
    "for p in range(k.peers):\n    s.peer[p].term = s.peer[{replica}].term\n"
    "    s.peer[{other}].term = 1",
)
"""Statements that are refused wherever they are."""


def planted(programs):
    """Return an action with one statement that tells peers apart."""
    source = programs.action()
    dice, (head, *lines) = programs.dice, source.splitlines()
    programs.peers, programs.numbers, programs.sets = ["r", "s.board.first"], ["1"], ["0"]
    programs.lists, programs.terms, programs.changing = ["s.team"], [], []
    plant = dice.choice(PLANTS).format(
        replica=programs.of(REPLICA, 0), other=dice.choice(("s.board.first", "s.voted[1]")),
        number=programs.of(NUMBER, 0), truth=programs.of(TRUTH, 1), set="s.board.isr",
        test="s.peer[p].up",
    )  # fmt: skip
    at = 2
    lines[at:at] = [f"    {line}" for line in plant.splitlines()]
    return "\n".join([head, *lines]) + "\n", plant


def is_shown(source, declaration=Tiny):
    """Whether an action is shown to treat peers alike."""
    try:
        shown(source, declaration=declaration)
    except (SymmetryError, LoweringError):
        return False
    return True


def accepted(seeds, confusion, number):
    """Check that what is shown of random actions is so; return how many of them it is shown of."""
    count = 0
    for seed in seeds:
        source = Programs(seed, confusion).action()
        if is_shown(source):
            count += 1
            assert difference(function(source), seed=seed % 7, number=number) is None, source
    return count


def test_random_actions_that_are_shown_to_treat_replicas_alike_do():
    assert accepted(range(60), 0.0, 25) > 10
    assert accepted(range(120), 0.03, 25) > 10


@pytest.mark.slow
def test_many_random_actions_that_are_shown_to_treat_replicas_alike_do():
    assert accepted(range(20_000, 23_000), 0.0, 60) > 600
    assert accepted(range(30_000, 38_000), 0.05, 60) > 600


TWINS = {
    "board": "stand", "peer": "client", "voted": "chosen", "score": "point", "r": "c",
    "team": "crew", "queue": "line", "log": "book", "last": "final",
    **{f"x{number}": f"y{number}" for number in range(1, 40)},
}  # fmt: skip
"""What stands for a peer, and for a client where it does."""


def twin(seed, confusion):
    """Return an action of a peer r and a client c, which takes one for the other by mistake."""
    dice = random.Random(seed)
    [_, *lines], [_, *more] = (
        Programs(one, 0.0).action().splitlines() for one in (seed, seed + 1_000_000)
    )
    both = {**TWINS, **{new: old for old, new in TWINS.items()}}
    word = rf"(?<!k\.)\b({'|'.join(both)})\b"
    other = [re.sub(word, lambda match: TWINS[match[0]], line) for line in more]
    body = "\n".join([*lines[:-1], *other])
    mixed = re.sub(
        word, lambda match: both[match[0]] if dice.random() < confusion else match[0], body
    )
    return f"def f(s, k, r, c):\n{mixed}\n"


def of_two_kinds(seeds, confusion, number):
    """Check that what is shown of random actions of two kinds is so; return of how many it is."""
    count = 0
    for seed in seeds:
        source = twin(seed, confusion)
        if is_shown(source, Twin):
            count += 1
            made = function(source)
            assert difference(made, seed=seed % 7, number=number, declaration=Twin) is None, source
    return count


def test_random_actions_of_two_kinds_that_are_shown_to_treat_both_alike_do():
    assert of_two_kinds(range(15), 0.0, 10) > 2
    assert of_two_kinds(range(40), 0.01, 10) > 1


@pytest.mark.slow
def test_many_random_actions_of_two_kinds_that_are_shown_to_treat_both_alike_do():
    assert of_two_kinds(range(20_000, 20_400), 0.0, 30) > 80
    assert of_two_kinds(range(30_000, 32_000), 0.02, 30) > 60


def test_a_planted_asymmetry_is_refused_in_any_surroundings():
    for seed in range(200):
        source, _ = planted(Programs(seed))
        assert not is_shown(source), source


@pytest.mark.slow
def test_planted_asymmetries_are_refused_in_many_surroundings():
    for seed in range(10_000, 15_000):
        source, _ = planted(Programs(seed))
        assert not is_shown(source), source


def test_plants_do_tell_replicas_apart():
    """Each of them does in some surroundings, so that refusing them is no mere caution."""
    apart = set()
    for seed in range(160):
        source, plant = planted(Programs(seed))
        text = next(p for p in PLANTS if p.split("{")[0] == plant[: len(p.split("{")[0])])
        if text not in apart and difference(function(source), number=40):
            apart.add(text)
    assert len(apart) > len(PLANTS) // 2

"""What is typed: predicates and options, whatever they are, end as documented."""

from contextlib import suppress

import click
import pytest

from tidegate.analysis.histories import histories
from tidegate.analysis.selection import assemble
from tidegate.checker.graph import state_graph
from tidegate.checker.predicate import PredicateError, predicate
from tidegate.cli import COMMANDS, main
from tidegate.invariants.broker import INVARIANTS
from tidegate.model.broker.protocols.hw import HW

WRITTEN = (
    "replica[1].hw == 1 and not LogMatching", "not NoCommittedRecordLost", "partition.epoch == 1",
    "replica[0].hw == 1", "partition.leader in {0, 1}",
    "1 < replica[0].leo <= 2 or replica[1].alive", "message[0].kind == 'FETCH'",
    "partition.isr == {0}", "replica[0].leo + 1 - 1 != -written",
)  # fmt: skip
"""Predicates as people write them."""

WORDS = (
    "and or not in is == != < <= > >= + - * / // % ** @ ( ) [ ] { } , : . ' \" \\ \n # ; = :=",
    "0 1 2 -1 1e9 1j 0x1 1_0 99999999999999999999 True False None 'x' b'x' f'{x}' [] {} () set()",
    "replica[0] replica[-1] replica[9] replica replica[0].hw replica[0].log[0].record",
    "partition partition.epoch partition.isr written message[0].kind LogMatching TypeOk Stuck x",
    "__class__",
    "lambda:0 (x:=1) [x for x in ()] 1if 1else 0 *x **x ... open exec('1') await yield",
    "-> ~ ^ | & replica[0].log \u202e \udc80 \x00",
)
"""What expressions of Python consist of."""


@pytest.fixture(scope="session")
def graph():
    """Return the graph of a small system, and the properties that a predicate may name."""
    system, properties = assemble("hw", ["records=1", "crashes=0"], [])
    known = {prop.name: prop for prop in INVARIANTS if not histories(prop, HW)}
    return state_graph(system, properties, 500), known


def a_predicate(source):
    """Return a predicate that is almost one."""
    if source.random() < 0.3:
        return source.mangled(source.choice(WRITTEN).encode()).decode(errors="surrogateescape")
    words = source.choice(WRITTEN).split(" ") if source.random() < 0.6 else []
    for _ in range(source.choice((1, 2, 5))):
        at = source.randrange(len(words) + 1)
        words[at : at + source.choice((0, 1))] = [source.choice(" ".join(WORDS).split(" "))]
    text = " ".join(words)
    return text if source.random() < 0.95 else "(" * source.choice((5, 90, 240)) + text


def test_a_predicate_is_read_or_refused(fuzz, graph):
    made, known = graph

    def target(source):
        text = a_predicate(source)
        try:
            holds = predicate(text, made.system, known)
        except PredicateError:
            return
        for number in source.sample(range(len(made.states)), 5):
            assert isinstance(holds(made.states[number]), bool), text

    fuzz(target)


def test_a_predicate_on_the_command_line_is_read_or_refused(fuzz, directory):
    def target(source):
        small = ["hw", "-b", "records=0", "-b", "crashes=0", "-b", "elections=0"]
        ends = [source.choice(("--from", "--to")), a_predicate(source).replace("\0", "0")]
        more = source.choice(([], ["--to", "TypeOk"], ["--farthest"], ["--trace", "out"]))
        directory.run("graph", *small, *ends, *more, makes=["out"])

    fuzz(target)


TEXTS = (
    "", " ", "-", "--", "=", "x", "out", "x/y", "/dev/null", ".", "hw", "KIP-320", "kip-101~x",
    "moves", "all", "none", "TypeOk",
    "records=1", "records=", "records=99", "replicas=٣", "1e3", "0x10",
    "1", "0", "-1", "9" * 30, "9" * 5000, "inf", "nan", "1_0", "64M", "10000T", "local[*]", "raft",
    "\n::error::x", "\x1b[2J", "\u202e", "\udc80", "[/red]", "a" * 5000, "%s", "{}", "spark.x=y",
    "no/such/file.json", "no:such", "no_such.py", "kip-320@HEAD~99999",
    "💥",
)  # fmt: skip
"""Values of arguments and options; nothing here names a file that is there."""


def arguments_of(source, command, left_out=()):
    """Return arguments for a command: what it has, and what it has not."""
    options = [
        param
        for param in command.params
        if isinstance(param, click.Option) and not set(param.opts) & set(left_out)
    ]
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    made = [source.choice(TEXTS) for _ in arguments if source.random() < 0.9]
    for option in source.sample(options, min(len(options), source.choice((0, 1, 2, 4)))):
        name = source.choice(option.opts + option.secondary_opts)
        made.append(name if source.random() < 0.98 else f"{name}{source.choice(TEXTS)}")
        if not option.is_flag or source.random() < 0.05:
            choices = list(getattr(option.type, "choices", ()))
            made.append(source.choice(choices if choices and source.random() < 0.5 else TEXTS))
    if source.random() < 0.05:
        made.insert(
            source.randrange(len(made) + 1), source.choice(("--nonsense", "-x", "--", "-h"))
        )
    return made


@pytest.fixture(scope="session")
def commands():
    """Return every command by its name."""
    context = click.Context(main)
    return {name: main.get_command(context, name) for name in COMMANDS}


def test_options_are_taken_or_refused(fuzz, commands):
    def target(source):
        name = source.choice(list(commands))
        with suppress(click.UsageError, click.exceptions.Exit):
            commands[name].make_context(name, arguments_of(source, commands[name]))

    fuzz(target)


SHORT = {
    "check": ["--engine", "interpreted", "--store", "exact", "--max-states", "50"],
    "list": [],
    "show": [],
    "replay": [],
    "explain": ["--time-limit", "0.001"],
    "diff": ["--time-limit", "0.001", "--max-states", "50"],
    "bounds": ["--time-limit", "0.001"],
    "resume": [],
    "render": [],
    "graph": ["--max-states", "50"],
    "simulate": ["--walks", "3", "--steps", "20", "--time-limit", "0.05", "--jobs", "1"],
    "gate": ["--list"],
}
"""Commands that can be kept short, with the last options of each, which see to that."""

LONG = {
    "--checkpoint",
    "--engine",
    "--store",
    "--jobs",
    "--output",
    "--save",
    "--traces",
    "--parquet",
}
"""Options that start processes or compilers, or write whole directories."""


def test_commands_end_as_documented_whatever_their_options(fuzz, commands, directory):
    def target(source):
        name = source.choice(list(SHORT))
        made = arguments_of(source, commands[name], LONG)
        end = SHORT[name] if "--" not in made else []
        arguments = [name, *made, *end] if source.random() < 0.98 else [source.choice(TEXTS), *made]
        directory.run(*arguments, makes=arguments)

    fuzz(target)

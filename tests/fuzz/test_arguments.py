"""What is typed: options, whatever they are, end as documented."""

from contextlib import suppress

import click
import pytest

from tidegate.cli import COMMANDS, main

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

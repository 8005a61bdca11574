"""What pages name is there: commands, options, files, attributes, variables, exported names.

A page may name what a reader has (``fence.py``, ``PROTOCOL``), and what others have: Kafka's
classes, the options of other tools.  Such names are listed here, or in ``library/kafka.txt``.
"""

import ast
import builtins
import importlib
import inspect
import keyword
import re
import shlex
from collections import defaultdict
from contextlib import suppress
from fnmatch import fnmatch
from functools import cache
from itertools import groupby

import click
import pytest

import tidegate
from tests.docs.pages import FENCED, ROOT, blocks, command_lines, files, pages, quoted
from tidegate.cli import COMMANDS, main
from tidegate.core.errors import TidegateError
from tidegate.library.names import find_protocol, is_custom
from tidegate.library.properties import find_properties
from tidegate.library.successors import SUCCESSORS

LISTING = ("CHANGELOG.md", "library/successors.py", "tests/docs/test_names.py")
"""Files that list names which are gone, or are others'."""


def helps():
    """Return the examples in the help of each command, as pages."""
    context = click.Context(main)
    for name in ("", *COMMANDS):
        command = main.get_command(context, name) or main
        lines = [line.strip() for line in command.help.splitlines()]
        examples = [re.sub("   .*", "", line) for line in lines if line.startswith("tidegate ")]
        yield f"tidegate {name} --help", "\n".join(["```sh", *examples, "```"])


def messages():
    """Return the commands that messages and docstrings of each module name, as pages."""
    for file in files():
        if file.endswith(".py") and not file.startswith("tests/") and file not in LISTING:
            source = re.sub(r"\{[^{}]*\}", "VALUE", (ROOT / file).read_text("utf-8"))
            named = re.findall(r"'(tidegate [^'\n\"]+)'|``(tidegate [^`\n]+)``", source)
            yield file, " ".join(f"`{one or other}`" for one, other in named)


PAGES = pages() | dict(helps()) | dict(messages())


# Commands and options.


def calls(line):
    """Yield the words of each command in a line of a shell."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    with suppress(ValueError):  # A sentence's code need not be a command.
        separated = groupby(words, key=lambda word: set(word) <= set("();<>|&"))
        yield from (list(call) for separates, call in separated if not separates)


def tidegates(text):
    """Yield the arguments of each call of Tidegate that a page shows."""
    for line in command_lines(text):
        for call in calls(line):
            at = [number for number, word in enumerate(call) if word.split("/")[-1] == "tidegate"]
            arguments = call[at[0] + 1 :] if at else []
            if arguments and re.fullmatch("[a-z]+", arguments[0]) and "install" not in call:
                yield arguments


def values_of(arguments):
    """Return the values of a command line, read as Tidegate reads it."""
    context = click.Context(main, info_name="tidegate")
    name, command, rest = main.resolve_command(context, arguments)
    if rest[-1:] == ["..."]:
        rest.pop()
    try:
        return command.make_context(name, rest, context).params
    except (click.exceptions.Exit, click.MissingParameter):
        return {}  # It is --help, or the sentence says of what.
    except click.BadOptionUsage as error:
        if "requires an argument" not in error.message:
            raise
    except click.BadParameter as error:
        if not re.search(r"'[A-Z]+'", error.message):
            raise  # A reader's own value is in capitals.
    return {}


def is_readers(name):
    """Whether a name on the command line is the reader's: in capitals, left out, or a file."""
    ours = name.startswith(("examples/", "tidegate."))
    return name == "..." or re.search("[A-Z]{3}|=N", name) or (is_custom(name) and not ours)


def commands(text):
    """Refuse a command, an option, a protocol, a bound or a property that does not exist."""
    for arguments in tidegates(text):
        values = values_of(arguments)
        protocol = values.get("protocol")
        if protocol and not is_readers(protocol):
            chosen = find_protocol(protocol)
            chosen.within([one for one in values.get("settings", ()) if not is_readers(one)])
            names = values.get("names", ())
            find_properties(chosen, [one for one in names if not is_readers(one)])


def scripts(text):
    """Refuse a script or a module that does not exist, or that lacks an option."""
    for line in command_lines(text):
        for interpreter, *call in calls(line):
            if interpreter == "sh" and call and "/" in call[0]:
                assert call[0] in files(), line
            if not interpreter.endswith("python") or not call:
                continue
            module = call[1] if call[0] == "-m" else ""
            file = f"{module.replace('.', '/')}.py" if module else call[0]
            if file.startswith(("benchmarks/", "docs/", "tests/")):
                assert file in files(), line
                source = (ROOT / file).read_text("utf-8")
                own = call[: next((n for n, word in enumerate(call) if "tidegate" in word), None)]
                flags = [word.partition("=")[0] for word in own if word.startswith("--")]
                assert [flag for flag in flags if f'"{flag}"' not in source] == [], line


OTHERS_OPTIONS = {
    "--cancel", "--execute", "--throttle",  # kafka-reassign-partitions.sh
    "--fair",  # PlusCal's translator
    "-deadlock",  # TLC
    "-m",  # pytest
}  # fmt: skip


@cache
def options_of_all():
    """Return all options of all commands."""
    context = click.Context(main)
    every = [main, *(main.get_command(context, name) for name in COMMANDS)]
    flags = {flag for command in every for one in command.params for flag in one.opts}
    return flags | {"--help"} | OTHERS_OPTIONS


def options(text):
    """Refuse an option in a sentence that no command has, and no script that the page shows."""
    shown = options_of_all() | {word for block in blocks(text, "sh") for word in block.split()}
    for code in quoted(text):
        if code.startswith("-"):
            flags = re.findall(r"(?<!\S)--?[a-z][\w-]*", code)
            assert [flag for flag in flags if flag not in shown] == [], code


def what_is_gone(text):
    """Refuse a name of 0.1.0 that is gone, also in a list of commands."""
    assert [gone for gone in SUCCESSORS if re.search(rf"(?<![\w/.]){gone}\b", text)] == []
    for listed in re.findall(r"`[a-z]+`(?:(?:, (?:and |or )?| and | or )`[a-z]+`)+", text):
        words = re.findall(r"`([a-z]+)`", listed)
        if words[0] in COMMANDS and words[1] in COMMANDS:
            assert [word for word in words if word not in COMMANDS] == [], listed


# Files, and what is in them.

READERS = {
    "fence.py", "rules/fence.py", "my_protocol.py", "broken.html", "differences/", ".kafka/",
    "model/broker/protocols/NAME.py", "Objects/setobject.c",
}  # fmt: skip
"""Files that a reader has, or makes; and one of Python's."""

PATH = re.compile(r"([\w./*-]+(?:\.(?:py|md|toml|txt|cfg|yml|json|html|svg|png|c)|/))(?::(\w+))?")


def found(path):
    """Return the files that a path means: a whole one, or its end."""
    pattern = f"*/{path.rstrip('/')}"
    return [
        each
        for each in files()
        if fnmatch(f"/{each}", pattern) or fnmatch(f"/{each}", f"{pattern}/*")
    ]


@cache
def words_of(file):
    """Return the words of a file."""
    return frozenset(re.findall(r"\w+", (ROOT / file).read_text("utf-8")))


def paths(text):
    """Refuse a file that does not exist, or that lacks the name after its colon."""
    for code in quoted(text):
        path = PATH.fullmatch(code)
        if path and path[1].strip("/") and path[1] not in READERS:
            where = found(path[1])
            assert where, code
            assert path[2] in (None, "NAME") or any(path[2] in words_of(each) for each in where)


IN_FILE = re.compile(
    r"`@?(?P<name>[\w.]+)(?:\([^`]*\))?`(?:,? of\s|,? in\s|\s\()`(?P<file>[\w/]+\.\w+)`"
    r"|`(?P<writer>[\w/]+\.py)` (?:has|reads|writes) `(?P<written>[\w.]+)`"
)
"""As in "`Level` (`checker/manifest.py`)", "`CASES` of `tests/x.py`", "`x.py` writes `y`"."""


def contents(text):
    """Refuse a file that lacks what is said to be in it."""
    for said in IN_FILE.finditer(text):
        word = (said["name"] or said["written"]).rpartition(".")[2]
        where = found(said["file"] or said["writer"])
        assert not where or any(word in words_of(each) for each in where), said[0]


# Names in the code.

OTHERS_NAMES = {
    "AlterPartitionManager", "CommittedPartitionState", "MetadataDelta", "PartitionRegistration",
    "handleLoadSnapshot", "isNewLeader", "isValidNewLeader", "pendingIsr", "quorumState",
    "retainAll", "shutdownIdleFetcherThreads", "targetElr", "targetReplicas",
    "triggerLeaderEpochBumpForReplicaReassignmentIfNeeded", "updateListenersProgress",  # Kafka
    "equalsAllowStalePartitionEpoch", "equalsIgnoreZk", "processAlterPartition",  # Kafka
    "Variant",  # Apalache
    "ACTION_CONSTRAINT", "ControllerKnowsLeader", "Nil", "VARIABLES", "minISR",  # specifications
    "pull_request", "pull_request_target", "recordIssues",  # CI
}  # fmt: skip
"""Names of others' code that is in no file of this project."""


@cache
def words():
    """Return the words of all code of the project, of Python, and of others that pages quote."""
    known = {*dir(builtins), *keyword.kwlist, *OTHERS_NAMES}
    for file in files():
        if not file.endswith((".md", ".png", ".svg")) and file not in LISTING:
            known |= words_of(file)
    return known


@cache
def kafkas():
    """Return the classes and functions of Kafka to which pages link."""
    return frozenset((ROOT / "library" / "kafka.txt").read_text("utf-8").split())


@cache
def classes():
    """Return the files of the package that define a class, by its name."""
    where = defaultdict(list)
    for file in files():
        if file.endswith(".py") and not file.startswith(("tests/", "benchmarks/", "docs/")):
            for name in re.findall(r"^class (\w+)", (ROOT / file).read_text("utf-8"), re.MULTILINE):
                where[name].append(file)
    return dict(where)


@cache
def members(name):
    """Return the names that a class declares, or gives to ``self``; its bases' included."""
    known = set()
    for file in classes().get(name, ()):
        for node in ast.parse((ROOT / file).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                known |= set(declared(node))
                bases = (base.id for base in node.bases if isinstance(base, ast.Name))
                known = known.union(*map(members, bases))
    return known


def declared(owner):
    """Yield the names that a class declares, or gives to ``self``."""
    for node in owner.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            if isinstance(target, ast.Name):
                yield target.id
    for node in ast.walk(owner):
        written = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if written and ast.unparse(node.value) == "self":
            yield node.attr


def lacking(dotted, known):
    """Return the first part of a dotted name that is not there; empty if it is whole."""
    owner, *rest = dotted.split(".")
    if dotted in kafkas() or is_setting(dotted):
        return ""
    if owner == "tidegate":
        return lacking_in(tidegate, rest)
    if rest and owner in classes():
        return "" if rest[0] in members(owner) else rest[0]
    if importable(dotted):
        return ""
    return next((part for part in (owner, *rest) if part not in known), "")


def lacking_in(value, parts):
    """Return the first part of a dotted name that an object lacks; empty if it has all."""
    for part in parts:
        if not hasattr(value, part):
            return part
        value = getattr(value, part)
    return ""


def importable(dotted):
    """Whether a name is one of Python's library, or of one that is installed."""
    module, _, attribute = dotted.rpartition(".")
    with suppress(ImportError, ValueError):
        return hasattr(importlib.import_module(module), attribute)
    return False


def is_setting(dotted):
    """Whether a name is written as the settings of Kafka and of Spark are."""
    return dotted.count(".") > 1 and re.fullmatch("[a-zA-Z.]+", dotted)


def names(text):
    """Refuse a name that no code has; a page may also name what its own blocks declare."""
    known = words() | set(re.findall(r"\w+", " ".join(block for _, block in FENCED.findall(text))))
    for code in quoted(text):
        dotted = re.match(r"@?([A-Za-z_]\w*(?:\.\w+)*)(?=\(.*\)$|$)", code)
        if dotted and not PATH.fullmatch(code):
            assert lacking(dotted[1], known) == "", code


def variables(text):
    """Refuse a variable of the environment that nothing reads."""
    for name in re.findall(r"\b_?TIDEGATE_[A-Z_]+\b", text):
        assert name in words(), name


def python(text):
    """Refuse what Python's code on a page imports of Tidegate, or gives to it, and is not there."""
    for code in [*blocks(text, "python"), *quoted(text)]:
        tree = parsed(code)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tidegate"):
                home = importlib.import_module(node.module)
                assert [one.name for one in node.names if not hasattr(home, one.name)] == [], code
            if isinstance(node, ast.Call):
                accepted = parameters(ast.unparse(node.func))
                given = {one.arg for one in node.keywords} - {None}
                assert accepted is None or given <= accepted, code


def parsed(code):
    """Return the syntax tree of code; None if it is not Python's."""
    with suppress(SyntaxError):
        return ast.parse(code)
    return None


@cache
def parameters(called):
    """Return what an exported function, class or decorator takes by name; None for any names."""
    owner, _, name = called.rpartition(".")
    if owner == "model" and lacking_in(tidegate.Model, [name]):
        raise AssertionError(called)
    home = {"": tidegate, "tidegate": tidegate, "model": tidegate.Model}.get(owner)
    own = {"Message"}  # Models on these pages have a record of that name.
    if home is None or (home is tidegate and name not in {*tidegate.__all__} - own):
        return None
    accepted = inspect.signature(getattr(home, name)).parameters
    if any(one.kind is one.VAR_KEYWORD for one in accepted.values()):
        return None
    return frozenset(accepted)


CHECKS = (
    commands, scripts, options, what_is_gone, paths, contents, names, variables, python,
)  # fmt: skip

of_each = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


@of_each
def test_what_pages_name_is_there(check):
    wrong = []
    for name, text in PAGES.items():
        if check is commands and name.startswith("docs/catalogue"):
            text = re.sub(r"'([\w.-]+)~[^'\n]*'", r"\1", text)  # Its own tests search the mutants.
        try:
            check(text)
        except (AssertionError, TidegateError, click.ClickException) as error:
            wrong.append(f"{name}: {error}")
    assert wrong == []


WRONG = {
    commands: [
        "`tidegate chek hw`", "`tidegate check hw --html-file x`", "`tidegate graph hw --view x`",
        "`tidegate check hv`", "`tidegate check hw -b recrds=1`",
        "`tidegate check hw -b records=x`",
        "`tidegate check hw -p NoRecordLost`", "`tidegate check 'hw~may_folow = x'`",
        "`tidegate check hw --engine fast`", "`tidegate check tidegate.examples.dye_hard`",
        "```sh\ncd x && .venv/bin/tidegate show kip-321\n```", "```text\n$ tidegate rules\n```",
        "```yaml\n- run: tidegate gate --teir pr\n```", "```groovy\nsh 'tidegate gat'\n```",
        "```sh\ntidegate check hw \\\n    --no-such-option\n```",
    ],
    scripts: [
        "`sh scripts/tests`", "```sh\n.venv/bin/python benchmarks/tcl.py\n```",
        "`.venv/bin/python -m tests.docs.sorces X`",
        "```sh\n.venv/bin/python -m tests.docs.regenerate --quick\n```",
    ],
    options: ["`--teir`", "`-b replicas=3 --symetry`"],
    what_is_gone: [
        "published/kip-320", "run tidegate resume DIR", "`check`, `gate` and `verdicts`",
        "`tidegate.Family`", "`check` and `diff`, and `check`, `mutate`, or `render`",
    ],
    paths: ["`core/successor.py`", "`kafka_checks.py:NO_SUCH_NAME`", "`checker/compile/`"],
    contents: [
        "`Levels_` (`checker/manifest.py`)", "`FORM` of\n`render/forms.py`",
        "`render/report.py` writes `Result.levels`",
    ],
    names: [
        "`Result.level`", "`TransitionSystem.judges`", "`tidegate.chek(model)`", "`frobnicate`",
        "`tidegate.model.kip_320`", "`partition.no_such_isr`", "`ReplicaManager.frobnicate`",
        "`@explainz(rule)`", "`Kind.OFTEN`",
    ],
    variables: ["TIDEGATE_CACHE_KEY", "`TIDEGATE_REQUIRE_KAFKAS=1`"],
    python: [
        "```python\nfrom tidegate import Model, Family\n```",
        "```python\nfrom tidegate.model import KIP_321\n```",
        "```python\np = Property('x', 'y', 'z', nedes=())\n```",
        "`array(..., by_replika=True)`", "```python\n@model.invariants('x')\ndef f(): ...\n```",
        "`model.invariant('x', place=f)`",
    ],
}  # fmt: skip
"""Pages that name what is not there."""


@pytest.mark.parametrize(
    ("check", "text"), [(check, text) for check in CHECKS for text in WRONG[check]]
)
def test_what_is_not_there_is_noticed(check, text):
    with pytest.raises((AssertionError, TidegateError, click.ClickException)):
        check(text)

"""The words of the field: what Kafka and TLA+ call a thing is what it is called here."""

import ast
import re
from functools import cache

import pytest

from tests.house.conftest import ROOT, tracked

FORBIDDEN = {
    r"(?<!controller[ .])\bquorum\b": "partition state",
    r"\bunder way\b": "in flight",
    r"\bregisters? anew\b": "re-registers",
    r"\bperturbations?\b": "faults and elections",
    r"\breader is gone\b": "broken pipe",
    r"\bstands? alone\b": "self-contained",
    r"\bso many seconds\b": "N seconds",
    r"\bstash(es|ed)?\b": "overflow table",
    r"\bfound none to\b": "holds up to",
    r"\bat last\b": "eventually",
    r"\bgets? about\b": "propagates",
    r"\bkept out by\b": "fixed by",
    r"\bfor want of\b": "because no",
    r"\bwaits? for word\b": "waits for LeaderAndIsr",
    r"\bmost of all\b": "most frequent",
    r"\bleads no more\b": "a former leader",
    r"\btak(es?|en|ing) up (an|its|the|their) (leader )?epoch": "applies LeaderAndIsr",
    r"\bholds (a |an |the )?(broker|replica|leader|follower)( \d)? for dead\b": "considers dead",
    r"\bbehind (the|a) (level|tilde|checkpoint|violation|manifest)\b": "after",
    r"\bteaches the leader\b": "updates the follower state",
    r"\bknown holes?\b": "known violations",
    r"\bheal(s|ed|ing)? (steps|nothing)\b": "recovery steps",
    r"\bcuts? (its|the|a|their) logs?\b": "truncates",
    r"\b(Printed|Compared|Sampled) (is|are)\b": "a verb in the active voice",
    r"\bby turns\b": "in turn",
    r"\b(is|are|be) owed\b": "fairness demands",
    r"\bstands? still\b": "is paused",
}
"""What is not said, as a pattern, and what is said instead."""

SPARED = {"tests/house/test_words.py"}


@cache
def texts():
    """Return every text that git knows, by its path; none where this is no clone."""
    if not (ROOT / ".git").exists():
        return {}
    names = set(tracked("*.py", "*.md", "*.toml", "*.html")) - SPARED
    return {name: (ROOT / name).read_text("utf-8") for name in sorted(names)}


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_no_text_says_it_in_the_old_words(pattern):
    if not texts():
        pytest.skip("only a clone knows which files belong to the project")
    places = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in texts().items()
        for match in re.finditer(pattern, text)
    ]
    assert places == [], f"say: {FORBIDDEN[pattern]}"


IN_CODE = re.compile(r"(?<!there )(?<!There )\b(is|are) no\b(?! longer| more| better)")
"""What neither code nor a message says: a thing "is not a X", "does not Y"."""


def test_no_code_says_what_a_thing_is_no():
    places = []
    for name, text in texts().items():
        if name.endswith(".py") and not name.startswith(("tests/", "benchmarks/")):
            said = re.sub(r"\n[ #]*", " ", text)
            places += [f"{name}: {match[0]}" for match in IN_CODE.finditer(said)]
    assert places == []


IRREGULAR = (
    "begun|bought|bound|built|chosen|cut|done|drawn|driven|found|given|held|hidden|kept|known|left|"
    "lost|made|meant|met|put|read|run|said|seen|sent|set|shown|split|taken|told|thrown|understood|"
    "woken|written"
)

TRANSLATED = re.compile(rf"\bwhat[\s#]+(is|are|was|were)[\s#]+(\w+ed|{IRREGULAR})\b", re.IGNORECASE)
"""What sounds translated, also across lines: say it with a noun or an active verb."""


def test_no_text_says_what_is_done_in_the_passive():
    if not texts():
        pytest.skip("only a clone knows which files belong to the project")
    places = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in texts().items()
        if not name.startswith("tests/")
        for match in TRANSLATED.finditer(text)
    ]
    assert places == []


@pytest.mark.parametrize(
    "text", ["Return what is expected.", "# What\n    # was counted", "What is known of a level."]
)
def test_the_passive_would_be_noticed(text):
    assert TRANSLATED.search(text)


@pytest.mark.parametrize("word", ["Finding", "Found", "Limits", "LogOffset", "Outcome", "Property"])
def test_a_word_is_the_name_of_one_type(word):
    if not texts():
        pytest.skip("only a clone knows which files belong to the project")
    types = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        for name, text in texts().items()
        if not name.startswith(("tests/", "examples/", "benchmarks/"))
        for match in re.finditer(rf"^(class {word}\b|{word} = )", text, re.MULTILINE)
    ]
    assert len(types) <= 1


NO_NOUNS = {"asked", "found", "given", "it", "told", "whole"}
"""Names that do not say what a variable is."""

ROOMS = (
    "benchmarks",
    "brokers",
    "checker",
    "commands",
    "conform",
    "core",
    "diff",
    "docs",
    "examples",
    "explain",
    "gate",
    "invariants",
    "language",
    "library",
    "model",
    "mutate",
    "render",
    "symmetry",
)


def variables(tree):
    """Yield the line and the name of every variable and parameter, those of fields left out."""
    fields = {
        id(statement.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and id(node) not in fields
        ):
            yield node.lineno, node.id


def test_a_variable_is_called_by_what_it_is():
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    places = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for file in files
        for line, name in variables(ast.parse(file.read_text("utf-8")))
        if name in NO_NOUNS
    ]
    assert places == []


def test_such_a_variable_would_be_noticed():
    source = "def f(told):\n    found: int = 1\n    return [it for it in told], (whole := found)\n"
    assert {name for _, name in variables(ast.parse(source))} == {"told", "found", "it", "whole"}

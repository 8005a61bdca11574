"""checks.toml: a row for each of Kafka's checks, and for each row what the model has for it."""

import importlib
import pkgutil
import re
from collections import Counter
from functools import cache

import pytest

import tidegate.model.broker as broker
from tests.docs.checks import (
    GUARD,
    KINDS,
    LEFT_OUT,
    REASON,
    ROOT,
    SAME,
    checks,
    left_out,
    page,
    searches,
)
from tidegate.checker.check import check
from tidegate.core.result import Limits
from tidegate.core.spec import Outcome
from tidegate.library.links import FUNCTION, addresses
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of, system_for

ROWS = checks()

OF_CONTROLLERS = {
    "AlterPartition with ZooKeeper",
    "AlterPartition with KRaft",
    "Registration of a broker",
    "Heartbeats (KRaft)",
    "Controlled shutdown, unregistration",
    "Reassignment, elections on request",
    "What brokers report to the ZooKeeper controller",
    "What else changes a partition",
}

NOT_SEARCHED = ("authorisation", "retry", "malformed request", "one controller", "one topic")
"""The reasons that need no search, of a controller's checks."""

TAKE_LONG = {
    "kafka_checks.py:TWO_STEPS",
    "kafka_checks.py:ALTERS_WITH_ZOOKEEPER",
    "kafka_checks.py:ASSIGNS_DIRECTORY_4_2",
    "kafka_checks.py:COUNTS_AS_CLEAN",
    "kafka-2.0.0-zookeeper",
    "kip-595",
    "kip-595-reset",
    "kip-595-reset~forgets_remote_leos = unless_leading",
    "kip-101~hw_with_records = after_the_fetch",
    "kip-320~has_epoch_start = at_any_offset",
    "kip-320~has_new_leader = if_leader_changes",
    "kip-320~truncates_cache = only_if_log_shrinks",
    "kip-595~knows_partition_epoch = in_any_partition_epoch",
    "kip-595~CompleteReassignment: message.kind != REQUEST and message.kind != ORPHANED",
    "kip-595~drop_in_flight = drop_requests_only",
    "kafka_checks.py:COMPLETES_AT_ONCE",
    "kafka_checks.py:KEEPS_DIVERGING",
    "kafka_checks.py:READS_WHEN_SENT",
    "kafka_checks.py:READS_WHEN_SENT_4_1",
    "kafka_checks.py:REFUSES_OLD_FETCH",
    "kafka_checks.py:ELECTION_KEEPS_DEAD",
    "kafka_checks.py:TAKES_FORMER_REQUESTS",
    "kafka_checks.py:SHUTS_DOWN_AT_ONCE",
    "kafka_checks.py:SHUTS_DOWN_EARLY",
    "kafka_checks.py:DEACTIVATES_IN_NEW_EPOCH",
    "kafka_checks.py:REFUSES_OFFLINE",
    "kafka_checks.py:ELECTS_OFFLINE",
    "kafka_checks.py:REASSIGNS_ANYWAY",
    "kafka_checks.py:REVERTS_UNCLEANLY",
    "kafka-4.2-kraft",
    "kafka_checks.py:ANY_SENDER",
    "kafka_checks.py:APPLIES_ANY_RESPONSE",
    "kafka_checks.py:CANCELS_NOTHING",
    "kafka_checks.py:CORDONS",
    "kafka_checks.py:PREFERS_AGAIN",
    "kafka_checks.py:REASSIGNS_TO_DEAD",
    "kafka_checks.py:SHRINKS_IN_NEW_EPOCH",
    "kip-320~Fence: s.replica[broker].alive and (not k.moves)",
}
"""The protocols of searches that take seconds."""

OF_ALL_STATES = {"Stuck", "HwReachesLogEnd", "IsrChangeResolves", "LeaderElected"}
"""The properties that need every state, not only those up to the violation."""


def named(name):
    """Return a protocol by the name that the page has for it."""
    own = name.startswith(("kafka_checks.py", "tickets.py"))
    return find_protocol(str(ROOT / "tests" / "docs" / name) if own else name)


def original(name):
    """Return the protocol that another one changes."""
    return named(name).parent if name.startswith("kafka_checks.py") else named(name.split("~")[0])


@cache
def found(protocol, bounds, name, depth=None):
    """Return in how many steps a protocol violates a property, None for never."""
    props = [one for one in properties_of(protocol) if one.name == name]
    assert props, f"there is no property {name}"
    system = system_for(protocol, bounds.split(), props)
    result = check(system, props, limits=Limits(max_depth=depth))
    if result.first is None:
        assert depth is not None or result.outcome is Outcome.HOLDS
        return None
    return len(result.first.trace.steps)


@cache
def decided(search):
    """Return the steps of a search, and those of the protocol that it is compared with."""
    other = named(search.other) if search.other else original(search.name)
    bounds = f"{search.bounds} {search.option}"
    shortest = search.steps is not None and search.property not in OF_ALL_STATES
    depth = search.steps + 1 if shortest else None
    return (
        found(named(search.name), bounds, search.property, depth),
        found(other, search.bounds, search.property, depth),
    )


def of_kind(kind):
    """Return a parameter set for each search of the rows of a kind, each search once."""
    named_searches = {}
    for one in ROWS:
        if one.kind == kind:
            for search in one.searches:
                named_searches.setdefault(search, one.id)
    return [parameter(search, row) for search, row in named_searches.items()]


def parameter(search, row):
    """Return a parameter set for a search; one that takes long is slow."""
    marks = [pytest.mark.slow] if search.name in TAKE_LONG else []
    return pytest.param(search, id=f"{row}: {search.name}", marks=marks)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_says_what_stands_for_the_check(row):
    assert row.kind in KINDS
    if row.kind in (GUARD, SAME):
        assert row.functions
        assert len(row.searches) == 1
    if row.kind == GUARD:
        assert row.searches[0].steps is not None, "a mutant that survives guards nothing"
    if row.kind == REASON:
        assert row.model
        assert row.title not in OF_CONTROLLERS or row.model.startswith(NOT_SEARCHED)
    if row.kind == LEFT_OUT:
        assert row.rows
        assert row.title not in OF_CONTROLLERS, "a controller's check has a guard, or a search"


def test_the_reasons_of_controllers_are_of_their_tables():
    assert {row.title for row in ROWS} >= OF_CONTROLLERS


@pytest.mark.parametrize("row", [one for one in ROWS if one.rows], ids=lambda row: row.id)
def test_what_is_not_modelled_has_a_row_there(row):
    assert set(row.rows) <= set(left_out())


def test_a_function_that_is_named_is_in_the_model():
    defined = set()
    for module in pkgutil.walk_packages(broker.__path__, f"{broker.__name__}."):
        defined |= {
            name
            for name, value in vars(importlib.import_module(module.name)).items()
            if callable(value)
        }
    missing = {name for row in ROWS for name in row.functions if row.kind in (GUARD, SAME)}
    assert missing - defined == set()


@pytest.mark.parametrize("search", of_kind(GUARD))
def test_a_mutant_without_the_check_dies_sooner(search):
    mutant, protocol = decided(search)
    assert mutant == search.steps
    assert protocol is None or protocol > search.steps


@pytest.mark.parametrize("search", of_kind(SAME))
def test_a_protocol_with_another_check_has_the_same_verdict(search):
    assert decided(search) == (search.steps, search.steps)


@pytest.mark.parametrize(
    "search",
    [
        parameter(search, name)
        for name, cells in left_out().items()
        for search in searches(" ".join(cells))
    ],
)
def test_what_is_left_out_has_the_nearest_check_that_its_row_says(search):
    protocol = named(search.name)
    assert found(protocol, search.bounds, search.property) == search.steps


def test_what_changes_no_verdict_names_the_function_that_says_so():
    page = (ROOT / "docs" / "not-modelled.md").read_text("utf-8")
    _, table = page.split("## What changes no verdict\n")
    sound = [row for row in table.partition("\n## ")[0].splitlines() if row.startswith("| ")][2:]
    read = [row.rpartition(" | ")[2] for row in sound]
    assert len(read) > 20
    nowhere = [
        row for row, cell in zip(sound, read, strict=True)
        if not any(addresses(name) for name in re.findall(FUNCTION, cell))
    ]  # fmt: skip
    assert nowhere == []


def test_every_protocol_of_the_file_is_used():
    files = ROOT / "tests" / "docs" / "checks.toml", ROOT / "docs" / "not-modelled.md"
    text = "".join(file.read_text("utf-8") for file in files)
    source = (ROOT / "tests" / "docs" / "kafka_checks.py").read_text("utf-8")
    defined = [line.split(" = ")[0] for line in source.splitlines() if line[:1].isupper()]
    assert [name for name in defined if f"kafka_checks.py:{name}`" not in text] == []


def test_the_page_is_that_of_the_rows():
    """When this fails, run: sh scripts/regenerate checks."""
    assert (ROOT / "docs" / "checks.md").read_text("utf-8") == page()


def test_there_is_a_row_of_each_kind():
    assert set(Counter(row.kind for row in ROWS)) == set(KINDS)

"""Two older rules of one release do not work together: either violates what the pair does."""

import pytest

from tests.protocols.pairs import Pair, goldens, pairs, searched


def written(row):
    """Return the pair of a row of the file."""
    return Pair(row["releases"], row["protocol"], tuple(row["rules"]), row["bounds"])


def test_every_pair_of_rules_of_a_release_has_a_row():
    assert [pair for pair, *_ in pairs()] == [written(row) for row in goldens()]


def test_no_pair_violates_what_its_rules_alone_do_not():
    assert [row for row in goldens() if row["unexplained"]] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "base", "rules"),
    pairs(),
    ids=lambda one: f"{one.releases} {' '.join(one.rules)}" if isinstance(one, Pair) else "",
)
def test_a_pair_violates_what_its_row_says(pair, base, rules):
    [row] = [one for one in goldens() if written(one) == pair]
    assert searched(pair, base, rules) == row


@pytest.mark.parametrize(
    ("pair", "base", "rules"),
    pairs()[::60],
    ids=lambda one: f"{one.releases} {' '.join(one.rules)}" if isinstance(one, Pair) else "",
)
def test_some_pairs_violate_what_their_rows_say(pair, base, rules):
    [row] = [one for one in goldens() if written(one) == pair]
    assert searched(pair, base, rules) == row

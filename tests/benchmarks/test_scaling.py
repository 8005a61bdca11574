"""The page on scaling shows what its script prints, and the script's arithmetic adds up."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from scaling import EXECUTORS, LEVELS, SHAPE, STATES, TABLES, Search, levels, slowest

ROOT = Path(__file__).parents[2]


def test_the_page_shows_what_the_script_prints():
    """The first table, and of the others the figures for the largest search."""
    command = [sys.executable, str(ROOT / "benchmarks" / "scaling.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    time, volume, partitions, slow = printed.split("\n\n")
    assert len(TABLES) == 4
    page = (ROOT / "docs" / "scaling.md").read_text()
    assert time.strip() in page
    shown = {1: (0, 1, 2, 3), 2: (0, 2, 6, 7)}
    for number, table in ((1, volume), (2, partitions)):
        cells = table.splitlines()[-1].strip("| ").split(" | ")[1:]
        for place in shown[number]:
            assert cells[place].replace(".0", "") in page, cells[place]
    [four] = [line for line in slow.splitlines() if line.startswith("| 4 |")]
    assert "1.25" in four
    assert "1.25 times" in page


@pytest.mark.parametrize("states", STATES)
def test_levels_have_all_states_and_keep_the_measured_shape(states):
    found = levels(states)
    assert len(found) == LEVELS
    assert sum(level.states for level in found) == pytest.approx(states)
    for before, after in pairwise(found):
        assert after.seen == pytest.approx(before.seen + before.states)
    # A stretched level has the part of the states that its shorter time stands for.
    largest = max(level.states for level in found) / states
    assert largest == pytest.approx(max(SHAPE) / sum(SHAPE) * len(SHAPE) / LEVELS, rel=0.05)


@pytest.mark.parametrize("states", STATES)
@pytest.mark.parametrize("executors", EXECUTORS)
def test_a_search_takes_at_least_its_work(states, executors):
    search = Search(states, executors)
    hours, idle = search.hours
    assert 0 < idle < 1
    assert hours * 3600 * (1 - idle) > states * 3.2 * 0.3e-6 / executors
    assert search.partitions >= executors


@pytest.mark.parametrize(
    ("partitions", "executors", "slow", "expected"),
    [(100, 100, 1.0, 1.0), (100, 100, 3.0, 3.0), (200, 100, 3.0, 1.5), (4, 2, 2.0, 1.5)],
)
def test_a_stage_ends_with_its_last_task(partitions, executors, slow, expected):
    assert slowest(partitions, executors, slow) == expected

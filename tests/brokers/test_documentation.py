"""docs/real-brokers.md has the bugs that test_rows.py runs on real brokers, and no others."""

import re
from pathlib import Path

from tests.brokers.rows import ROWS
from tidegate.brokers.steps import STEPS

PAGE = (Path(__file__).parents[2] / "docs" / "real-brokers.md").read_text(encoding="utf-8")


def test_the_page_lists_the_bugs_that_are_run():
    listed = re.findall(
        r"^\| \[[^]]+\]\(catalogue/([\w-]+)\.md\) \| ([\d.]+) \| \d+ \| (?:([\d.]+), step (\d+))?",
        re.sub(r"\[([\d.]+)\]\(runs/[\w-]+\.json\)", r"\1", PAGE),
        re.MULTILINE,
    )
    assert listed == [
        (row.page, row.release, row.left_by, str(row.left_at) if row.left_at else "")
        for row in ROWS
    ]


def test_the_page_says_how_each_step_is_forced():
    table = PAGE[PAGE.index("| step | how |") : PAGE.index("Not forced:")]
    named = re.findall(
        r"\b[A-Z]\w+", " ".join(row.split("|")[1] for row in table.splitlines()[2:-1])
    )
    assert set(STEPS) - set(named) == {"HandleDivergingEpoch"}


def test_ci_runs_a_row_of_each_release_that_has_a_bug():
    script = (Path(__file__).parents[2] / ".ci" / "run").read_text(encoding="utf-8")
    listed = re.search(r"for page in ([^;]+);", script)[1].replace("\\", "").split()
    assert sorted(row.release for row in ROWS if row.page in listed) == sorted(
        {row.release for row in ROWS}
    )
    assert len(listed) == len({row.release for row in ROWS})

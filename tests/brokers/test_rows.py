"""The rows of docs/catalogue.md that real brokers show, and the releases that leave them."""

import json

import pytest
from click.testing import CliRunner

from tests.brokers.rows import ROWS
from tidegate.cli import main

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.page)
def test_the_release_has_the_bug_and_the_next_one_leaves_it(row, kafka, tmp_path):
    trace, seen = str(tmp_path / "trace.json"), tmp_path / "seen.json"
    checked = run(*row.check, "-q", "--json", trace)
    assert checked.exit_code in (11, 12, 13), checked.output
    result = run("replay", trace, "--kafka", kafka(row.release), "--json", str(seen))
    assert result.exit_code == 0, result.output
    if row.violated in ("NoAckedRecordLost", "NoCommittedRecordLost"):
        assert json.loads(seen.read_text())["gone"] == [row.gone]
    if row.left_by:
        result = run("replay", trace, "--kafka", kafka(row.left_by), "--json", str(seen))
        assert result.exit_code == 1, result.output
        assert json.loads(seen.read_text())["steps"][-1]["step"] == row.left_at

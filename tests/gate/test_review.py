"""What whoever reviews a change reads: the cause, the length, and how to reproduce it."""

import pytest

CASE = """
[[case]]
protocols = "own.py"
bounds = ["records=0", "records=1"]
holds = "TypeOk"
states = { "own.py" = [1, 1] }

[[case]]
protocols = "hw"
holds = "NoCommittedRecordLost"

[[case]]
protocols = "tidegate.examples.published:hw"
violates = "NoCommittedRecordLost"
"""


@pytest.fixture
def reviewed(project):
    """Return the annotations, and the reports, of a gate that fails."""
    project.own("own.py", "return True")
    text = CASE.replace(
        'bounds = ["crashes=0", "crashes=1"]\n', 'bounds = ["records=0", "records=1"]\n'
    )
    text = text.replace("states = 1", 'states = { "own.py" = [1, 1] }')
    project.write("tidegate.toml", text)
    files = ["--junit", "gate.xml", "--sarif", "gate.sarif", "--summary", "gate.md"]
    done = project.start("gate", *files, GITHUB_ACTIONS="true")
    assert done.returncode == 1, done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("::")], project.path


def test_cells_with_one_cause_are_one_annotation(reviewed):
    lines, _ = reviewed
    counted = [line for line in lines if "distinct states" in line]
    assert len(counted) == 1
    assert "2 cells%2C for instance own.py" in counted[0]


def test_an_annotation_has_the_cause_the_length_and_the_command(reviewed):
    lines, path = reviewed
    [lost] = [line for line in lines if "tidegate%3A hw%2C" in line]
    assert "NoCommittedRecordLost is violated after 12 steps; expected: holds." in lost
    assert "Record m0 was committed at offset 0 in leader epoch 0" in lost
    command = "Reproduce it with: tidegate check hw -p NoCommittedRecordLost"
    assert lost.endswith(command)
    for report in ("gate.xml", "gate.sarif"):
        assert command in (path / report).read_text()
    assert command.replace("with: ", "with: `") + "`" in (path / "gate.md").read_text()

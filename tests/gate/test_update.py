"""``tidegate gate --update``: pinned numbers follow what was found; the rest of the file stays."""

PINNED = """# The gate of a project.

[defaults]   # for all
seconds = 60

[[case]]
title = "counts"
protocols = ["hw", "kip-101"]   # two of them
bounds = ["records=0", "records=1 crashes=0"]
holds = "TypeOk"
# Counted by hand.
states = { "hw" = [1, 2], "kip-101" = [3, 4] }  # by protocol

[[case]]
protocols = "hw"
violates = { NoCommittedRecordLost = 3 }   # the length
"""


def test_pinned_numbers_follow_and_everything_else_stays(project):
    project.write("tidegate.toml", PINNED)
    done = project.start("gate", "--update")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tidegate.toml:14: hw, default bounds: violates NoCommittedRecordLost: 3 -> 12" in (
        done.stdout
    )
    assert "tidegate.toml:6: hw, records=0: states: 1 -> " in done.stdout
    after = (project.path / "tidegate.toml").read_text()
    changed = [
        (old, new)
        for old, new in zip(PINNED.splitlines(), after.splitlines(), strict=True)
        if old != new
    ]
    assert len(changed) == 2
    assert changed[0][1].endswith("}  # by protocol")
    assert changed[1][1] == "violates = { NoCommittedRecordLost = 12 }   # the length"
    again = project.start("gate")
    assert again.returncode == 0, again.stdout + again.stderr


def test_a_wrong_verdict_is_not_updated(project):
    text = '[[case]]\nprotocols = "hw"\nholds = "NoCommittedRecordLost"\n'
    project.write("tidegate.toml", text)
    done = project.start("gate", "--update", "--quiet")
    assert done.returncode == 1
    assert "no pinned count or length has changed" in done.stdout
    assert (project.path / "tidegate.toml").read_text() == text

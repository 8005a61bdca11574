"""How far a search is, for those whose standard error is no terminal."""

from tidegate.checker.render.terminal import progress
from tidegate.checker.result import Progress


def test_a_plain_line_comes_every_30_seconds_of_a_search(capsys):
    with progress(quiet=False) as show:
        for seconds in (1, 29, 31, 40, 62):
            show(Progress(distinct_states=10, depth=2, queue=1, seconds=seconds))
    written = capsys.readouterr().err.splitlines()
    assert [line.rsplit(", ", 1)[1] for line in written] == ["31 s", "62 s"]


def test_quiet_says_nothing(capsys):
    with progress(quiet=True) as show:
        show(Progress(distinct_states=10, depth=2, queue=1, seconds=100))
    assert capsys.readouterr().err == ""

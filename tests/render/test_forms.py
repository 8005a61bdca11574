"""Every form of a trace says what happened, and no name in it becomes markup."""

import json
import re
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.library.links import addresses
from tidegate.render.forms import FORMS


def run(*arguments):
    return CliRunner().invoke(main, arguments)


NAMING = ("html", "markdown", "mermaid", "tla", "itf")
"""Forms that say which property the trace violates."""

CHOOSING = ("html", "markdown", "mermaid", "tla")
"""Forms that show whole states only if they are wanted."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("full", [False, True])
def test_every_form_names_every_step(told, form, full):
    text = FORMS[form](told, full)
    for moment in told.moments[1:]:
        assert moment.title in text
    assert told.violated in text or form not in NAMING


@pytest.mark.parametrize("form", ["html", "markdown", "mermaid"])
def test_every_form_for_people_says_what_went_wrong(loss, form):
    text = FORMS[form](loss, False).replace("\\", "")
    assert "Record m0 was committed at offset 0" in text
    assert "m0 (e0) leaves the log of broker 1" in text


def test_full_shows_more_than_the_difference(told):
    for form in CHOOSING:
        assert len(FORMS[form](told, True)) > len(FORMS[form](told, False)), form


class Elements(HTMLParser):
    """Collects the elements of a page and the names of their attributes."""

    def __init__(self):
        super().__init__()
        self.found = []
        self.attributes = set()

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes |= {name for name, _ in attrs}


def elements(page):
    parser = Elements()
    parser.feed(page)
    return parser


def test_hostile_names_cannot_inject_into_html(loss, hostile_trace):
    page = FORMS["html"](hostile_trace(loss), True)
    bad = elements(page)
    assert (bad.found.count("script"), bad.found.count("style")) == (1, 1)
    assert "img" not in bad.found
    assert not {name for name in bad.attributes if name.startswith("on")}
    assert not bad.attributes & {"src", "style", "srcdoc", "action", "formaction"}
    assert set(re.findall(r'href="(.)', page)) == {"#"}


def test_hostile_names_cannot_inject_into_diagrams_and_markdown(loss, hostile_trace):
    for form in ("mermaid", "markdown"):
        text = FORMS[form](hostile_trace(loss), True)
        assert "<img" not in text
        assert "<style" not in text
        assert not [line for line in text.splitlines() if line.lstrip().startswith("!")]


def test_a_page_refers_to_nothing_outside_itself_but_what_it_names(told):
    page = FORMS["html"](told, True)
    for address in addresses(told.about, told.explanation, told.statement).values():
        assert f'<a href="{address}">' in page
        page = page.replace(f'<a href="{address}">', "")
    assert "http:" not in page
    assert "https:" not in page
    assert "url(" not in page.replace("url(#head)", "")
    assert "default-src &#39;none&#39;" in page


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return the report of a violated search, which is made once."""
    path = tmp_path_factory.mktemp("loss") / "loss.json"
    assert run("check", "hw", "-q", "--json", str(path)).exit_code == 12
    return path.read_text()


@pytest.fixture
def saved(report, tmp_path):
    """Save the report of a violated search."""
    path = tmp_path / "loss.json"
    path.write_text(report)
    return path


def test_a_saved_trace_is_written_in_every_form_at_once(saved, tmp_path):
    names = FORMS
    options = [part for name in names for part in (f"--{name}", str(tmp_path / f"out.{name}"))]
    result = run("replay", str(saved), *options)
    assert result.exit_code == 0, result.output
    for name in names:
        assert (tmp_path / f"out.{name}").read_text()
    for name in NAMING:
        assert "NoCommittedRecordLost" in (tmp_path / f"out.{name}").read_text()
    assert "2,316" in (tmp_path / "out.html").read_text()


def test_the_itf_form_is_read_by_another_reader(saved, tmp_path):
    from itf_py import trace_from_json

    path = tmp_path / "out.itf.json"
    assert run("replay", str(saved), "--itf", str(path)).exit_code == 0
    trace = trace_from_json(json.loads(path.read_text()))
    assert len(trace.states) == 13
    assert trace.vars[:2] == ["partition", "replica"]
    last = trace.states[-1].values
    assert last["partition"].leader == 1
    assert last["partition"].isr == frozenset({1})
    assert [replica.leo for replica in last["replica"]] == [1, 0]


@pytest.mark.parametrize(
    "asked",
    [
        "hw -p LogMatching",
        "kip-101 -b records=3 -b crashes=0 -b elections=2 -b moves",
        "kip-279 -b records=1 -b crashes=0 -b elections=3 -b moves",
        "tidegate.examples.published:hw",
    ],
)
def test_the_itf_form_of_every_trace_is_read_by_another_reader(asked, tmp_path):
    from itf_py import trace_from_json

    report, path = tmp_path / "report.json", tmp_path / "out.itf.json"
    assert run("check", *asked.split(), "-q", "--json", str(report)).exit_code == 12
    assert run("replay", str(report), "--trust", "--itf", str(path)).exit_code == 0
    trace = trace_from_json(json.loads(path.read_text()))
    recorded = json.loads(report.read_text())["trace"]
    assert len(trace.states) == len(recorded["states"])
    assert trace.vars == recorded["vars"]
    leaders = [state.values["partition"].leader for state in trace.states]
    assert leaders == [int(state["partition"]["leader"]["#bigint"]) for state in recorded["states"]]


def test_what_is_rendered_can_be_replayed(saved, tmp_path):
    path = tmp_path / "out.itf.json"
    run("replay", str(saved), "--itf", str(path))
    assert run("replay", str(path)).exit_code == 0


def test_check_writes_the_page_itself(tmp_path):
    path = tmp_path / "loss.html"
    assert run("check", "hw", "-q", "--html", str(path)).exit_code == 12
    page = path.read_text()
    how = page.partition('<p class="how">')[2].partition("</p>")[0]
    assert "epoch. Dotted: broker down. An arrow" in how
    assert "m0 is missing" in page
    assert "is acknowledged to its producer" in page


def test_a_page_tells_what_a_property_alone_does_not_need(tmp_path):
    path = tmp_path / "divergence.html"
    run("check", "hw", "-p", "WeakIsr", "-q", "--html", str(path))
    assert "m0 committed" in path.read_text()


def test_where_nothing_is_violated_no_page_is_written(tmp_path):
    path = tmp_path / "none.html"
    result = run("check", "kip-320", "-b", "records=1", "-b", "crashes=0", "--html", str(path))
    assert result.exit_code == 0
    assert not path.exists()
    assert "no file was written" in result.output


def test_each_trace_of_a_report_can_be_rendered(tmp_path):
    report, page = tmp_path / "all.json", tmp_path / "one.html"
    run("check", "hw", "--continue", "-q", "--json", str(report))
    assert run("replay", str(report), "-p", "logmatching", "--html", str(page)).exit_code == 0
    assert "LogMatching is violated after 15 steps" in page.read_text()
    wrong = run("replay", str(report), "-p", "TypeOk", "--html", str(page))
    assert wrong.exit_code == 2
    assert "there is no trace of a property 'TypeOk'" in wrong.output
    assert "known: NoCommittedRecordLost" in " ".join(wrong.output.split())


def test_a_trace_alone_has_one_property(saved, tmp_path):
    saved.write_text(json.dumps(json.loads(saved.read_text())["trace"]))
    result = run("replay", str(saved), "-p", "LogMatching", "--html", str(tmp_path / "x.html"))
    assert result.exit_code == 2
    assert (
        "it has NoCommittedRecordLost, not LogMatching; leave out -p LogMatching" in result.output
    )


def test_what_a_report_says_of_its_run_is_text_on_the_page(saved, tmp_path):
    document = json.loads(saved.read_text())
    document["engine"] = "<img src=x onerror=alert(1)>"
    document["seconds"] = {"a": "<script>alert(1)</script>" * 50}
    saved.write_text(json.dumps(document))
    page = tmp_path / "x.html"
    assert run("replay", str(saved), "--html", str(page)).exit_code == 0
    found = elements(page.read_text()).found
    assert "img" not in found
    assert found.count("script") == 1


def test_two_forms_cannot_share_standard_output(saved):
    result = run("replay", str(saved), "--tla", "-", "--mermaid", "-")
    assert result.exit_code == 2
    assert "only one form" in result.output


@pytest.mark.parametrize(
    "arguments",
    [("check", "hw", "--json", "-", "--html", "-"), ("simulate", "hw", "--tla", "-", "--itf", "-"),
     ("graph", "hw", "--dot", "-", "--json", "-")],
)  # fmt: skip
def test_nor_can_reports_of_a_search(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    [line] = result.output.splitlines()
    assert f"{arguments[2]} and {arguments[4]}: only one form can go to standard output" in line


def test_a_form_of_the_model_is_not_written_with_real_brokers(saved):
    result = run("replay", str(saved), "--kafka", ".", "--mermaid", "-")
    assert result.exit_code == 2
    assert "leave out --kafka" in result.output


def test_a_trace_that_another_protocol_refuses_is_not_written(saved, tmp_path):
    page = tmp_path / "x.html"
    result = run("replay", str(saved), "--protocol", "kip-101", "--html", str(page))
    assert result.exit_code == 2
    assert "NoCommittedRecordLost is not violated" in result.output
    assert "no file is written" in " ".join(result.output.split())
    assert not page.exists()


def test_one_form_goes_to_standard_output(saved):
    result = run("replay", str(saved), "--tla", "-")
    assert result.stdout.startswith(
        "Error: Invariant NoCommittedRecordLost is violated.\n\nState 1:"
    )


def change(saved, edit):
    document = json.loads(saved.read_text())
    edit(document["trace"])
    saved.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: t["#meta"].update(property="Nonsense"), "hw has no property 'Nonsense'; it has"),
        (lambda t: t["#meta"].update(property="TypeOk"), "its last state does not violate TypeOk"),
        (lambda t: t["states"].pop(4), "lead to other states than"),
        (lambda t: t["#meta"].update(protocol="kip-999"), "there is no protocol 'kip-999'"),
        (lambda t: t["#meta"]["bounds"].update(records="99"), "bound records: 99 is out of range"),
    ],
)
def test_a_trace_that_is_not_what_it_says_is_refused(saved, tmp_path, edit, message):
    change(saved, edit)
    result = run("replay", str(saved), "--html", str(tmp_path / "x.html"))
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "x.html").exists()

"""A text of a model means nothing in any form, and comes back by that form's own parser."""

import io
import json
import os
import re
import subprocess
from contextlib import chdir
from html.parser import HTMLParser
from xml.etree import ElementTree

import networkx as nx
import pytest
from click.testing import CliRunner
from itf_py import trace_from_json
from markdown_it import MarkdownIt

from tidegate.cli import main
from tidegate.core.errors import flat, printable
from tidegate.gate.cells import Cell
from tidegate.gate.reports.summary import summary
from tidegate.gate.results import CellOutcome, Shown, Status

HOSTILE = (
    '- "q" \\n|<b>&lt;\n]]> {0} [a](b) `c` *d* _e_ #1; %0a :: file=x,y:z (* *) --> end é☃'
    "\x1b[31m\t\x00\x85\u202e\ud800"
)
"""What one of the forms would act on, or could not hold."""

SEEN = flat(HOSTILE)
"""The same in one line, with what is invisible written out."""

MODEL = """\
from dataclasses import dataclass
from enum import IntEnum

from tidegate import *

TEXT = HOSTILE
Phase = IntEnum("Phase", {"calm": 0, TEXT: 1})


@dataclass(frozen=True)
class Bounds:
    n: int = number(1, 1, 3, TEXT)


class State(Record):
    phase: Phase = enumeration(Phase, TEXT)
    mode: list[int] = array(lambda k: k.n, one_of(["calm", TEXT], TEXT), by="node")
    IN: int = integer(0, 1, TEXT)


model = Model(Bounds, State, participants={"node": lambda k: k.n}, deadlock=False)


@model.action("node", phase=Phase)
def stir(s: State, k: Bounds, node: int, phase: Phase) -> bool:
    HOSTILE
    if s.mode[node]:
        return False
    s.mode[node], s.IN = 1, 1
    s.phase = phase
    return True


@model.invariant(TEXT, source=TEXT, explain=lambda s, k: TEXT)
def calm(s: State, k: Bounds) -> bool:
    return s.phase != 1
""".replace("HOSTILE", ascii(HOSTILE))

GATE = '[[case]]\nprotocols = "own.py"\nholds = "default"\n' * 2


FORMS = "--json t.json --html t.html --markdown t.md --mermaid t.mmd --tla t.tla --itf t.itf.json"
GRAPHS = "--graphml g.graphml --dot g.dot --json g.json --parquet g"
REPORTS = "--junit gate.xml --sarif gate.sarif --summary gate.md --traces traces"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run commands in a folder with the model and a gate, and return the folder."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "own.py").write_text(MODEL, "utf-8")
    (folder / "tidegate.toml").write_text(GATE, "utf-8")

    def run(command, status):
        with chdir(folder):
            done = CliRunner(env={"GITHUB_ACTIONS": "true"}).invoke(main, command.split())
        assert done.exit_code == status, done.output
        (folder / f"{command.split()[0]}.txt").write_text(done.output, "utf-8")
        return folder

    return run


@pytest.fixture(scope="module")
def traces(run):
    return run(f"check own.py {FORMS}", 12)


@pytest.fixture(scope="module")
def graphs(run):
    return run(f"graph own.py {GRAPHS}", 0)


@pytest.fixture(scope="module")
def reports(run):
    return run(f"gate {REPORTS}", 1)


def read(folder, name):
    return (folder / name).read_text("utf-8")


class Texts(HTMLParser):
    """Collects the texts of a page outside its script and style."""

    def __init__(self):
        super().__init__()
        self.said, self.inside = [], ""

    def handle_starttag(self, tag, attributes):
        self.inside = tag

    def handle_data(self, data):
        if self.inside not in ("script", "style"):
            self.said.append(data)


def texts(page):
    parser = Texts()
    parser.feed(page)
    return [" ".join(text.split()) for text in parser.said]


def test_a_page_says_it(traces):
    said = texts(read(traces, "t.html"))
    assert any(text.startswith(f"mode {SEEN}") for text in said)
    assert any(f"phase {SEEN}" in text for text in said)
    assert any(SEEN in text and "phase" not in text for text in said)


def shows(page):
    """Check that Markdown says it in a paragraph and in a table."""
    page = MarkdownIt("commonmark").enable("table").render(page)
    said = [text.strip() for text in texts(page)]
    assert any(text.endswith(SEEN) for text in said)
    assert f"mode {SEEN}" in said
    assert any(text.startswith(f"node 0: mode {SEEN}") for text in said)
    for tag in ("<b>", "<a ", "<code>c", "<em>d"):
        assert tag not in page


def test_markdown_says_it(traces):
    shows(read(traces, "t.md"))


def test_a_summary_says_it_and_no_name_in_it_is_html(reports):
    shows(read(reports, "gate.md"))
    shown = Shown("A<b>", 1, "", "", {}, "walk <i>")
    page = summary([CellOutcome(Cell("own.py", "", ()), Status.FAILED, traces=(shown,))])
    assert "<summary>walk &lt;i&gt;: 1 step</summary>" in page


def test_a_paragraph_of_markdown_begins_with_it(traces):
    tokens = MarkdownIt("commonmark").enable("table").parse(read(traces, "t.md"))
    kinds = [token.type for token in tokens if not token.type.endswith(("_close", "inline"))]
    assert kinds[:3] == ["heading_open", "paragraph_open", "paragraph_open"]


def test_a_sequence_diagram_says_it_in_its_notes(traces):
    lines = read(traces, "t.mmd").splitlines()
    assert lines.pop(0) == "sequenceDiagram"
    for line in lines:
        assert re.match(r"  (%% |participant p\d as |Note (over|right of) [p\d,]+: )", line)
    said = [re.sub(r"#(\d+);", lambda code: chr(int(code[1])), line) for line in lines]
    assert any(line.endswith(f": mode {SEEN} (was: calm)") for line in said)
    assert ";" not in re.sub(r"#\d+;", "", "".join(lines))


def test_tla_escapes_it(traces):
    lines = read(traces, "t.tla").splitlines()
    [escaped] = {line.partition(" = ")[2] for line in lines if line.startswith('/\\ phase = "-')}
    assert escaped == (
        r'"- \"q\" \\n|<b>&lt;\n]]> {0} [a](b) `c` *d* _e_ #1; %0a :: file=x,y:z (* *) --> end é☃'
        r'\\u001b[31m\t\\u0000\\u0085\\u202e\\ud800"'
    )
    assert f"/\\ mode = <<{escaped}>>" in lines
    assert "/\\ v_IN = 1" in lines


@pytest.mark.skipif("TIDEGATE_TLC_JAR" not in os.environ, reason="TIDEGATE_TLC_JAR is not set")
def test_tlc_reads_the_states_and_prints_them_again(traces, tmp_path):
    """SANY reads neither a backtick in a string nor what is beyond Latin-1; TLC prints both."""
    states = [state.strip() for state in re.split(r"State \d: <.*>\n", read(traces, "t.tla"))[1:]]
    first, last = (re.sub("[`☃]", "", state) for state in states)
    (tmp_path / "Own.tla").write_text(
        "---- MODULE Own ----\nEXTENDS TLC, Integers, Sequences\nVARIABLES phase, mode, v_IN\n"
        f"Init ==\n{last}\nNext == UNCHANGED <<phase, mode, v_IN>>\nNever == v_IN = 0\n"
        f"First ==\n{first}\n====\n",
        "utf-8",
    )
    (tmp_path / "Own.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Never\n", "utf-8")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", os.environ["TIDEGATE_TLC_JAR"], "tlc2.TLC"]
    done = subprocess.run(
        [*command, "Own"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    for line in last.splitlines():
        assert line in done.stdout, done.stdout


def test_itf_and_json_have_it(traces):
    trace = trace_from_json(json.loads(read(traces, "t.itf.json")))
    assert trace.states[1].values == {"phase": HOSTILE, "mode": [HOSTILE], "IN": 1}
    report = json.loads(read(traces, "t.json"))
    assert report["trace"]["states"][1]["mode"] == [HOSTILE]
    assert report["properties"][0]["explanation"] == printable(HOSTILE)


def graph_of(folder, form):
    if form == "graphml":
        return nx.parse_graphml(read(folder, "g.graphml"), int, force_multigraph=True)
    return nx.node_link_graph(json.loads(read(folder, "g.json")), edges="edges")


@pytest.mark.parametrize("form", ["graphml", "json"])
def test_a_graph_has_it_in_its_states_and_steps(graphs, form):
    graph = graph_of(graphs, form)
    line = f"mode {printable(HOSTILE)}".replace("\n", "; ")
    assert any(line in state for _, state in graph.nodes(data="state"))
    chosen = f"node=0, phase={printable(HOSTILE)}"
    assert chosen in {arguments for _, _, arguments in graph.edges(data="arguments")}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_graphviz_has_it_in_its_states_and_steps(graphs):
    graph = nx.nx_pydot.read_dot(io.StringIO(read(graphs, "g.dot")))
    escapes = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
    said = [
        re.sub(r"\\.", lambda escape: escapes.get(escape[0], escape[0]), label[1:-1])
        for _, _, label in graph.edges(data="label")
    ]
    assert f"Stir node=0, phase={printable(HOSTILE)}" in said


def test_parquet_has_it_in_its_steps(graphs):
    tables = pytest.importorskip("pyarrow.parquet")
    steps = tables.read_table(graphs / "g" / "steps.parquet").to_pydict()
    assert f"(node=0, phase={printable(HOSTILE)})" in steps["arguments"]


def test_junit_has_it_and_tells_cells_of_one_name_apart(reports):
    cases = ElementTree.fromstring(read(reports, "gate.xml")).findall("testsuite/testcase")
    assert [(case.get("classname"), case.get("name")) for case in cases] == [
        (f"own.py, default bounds (tidegate.toml:{line})", "holds Calm") for line in (1, 4)
    ]
    for case in cases:
        failure = case.find("failure")
        assert printable(HOSTILE) in failure.get("message")
        assert f"Calm is violated. {SEEN}" in flat(failure.text)


def test_sarif_has_it_and_no_link_in_it(reports):
    [run] = json.loads(read(reports, "gate.sarif"))["runs"]
    for result in run["results"]:
        text = result["message"]["text"]
        assert not re.search(r"(?<!\\)\[[^\[\]]*\]\(", text)
        assert printable(HOSTILE) in text.replace("\\[", "[")
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"].replace("\\[", "[") == HOSTILE
    marks = [result["partialFingerprints"]["tidegateFinding/v1"] for result in run["results"]]
    assert len({*marks}) == 2


def test_an_annotation_has_it_in_one_line(reports):
    """Source: actions/runner, ``src/Runner.Common/ActionCommand.cs``."""
    [line] = [line for line in read(reports, "gate.txt").splitlines() if line.startswith("::")]
    _, command, text = line.split("::", 2)
    assert re.fullmatch(r"error file=own.py,line=\d+,title=[^,:]*", command)
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    assert printable(HOSTILE).replace("\t", "\\t") in text


def test_each_counterexample_of_a_gate_has_a_file(reports):
    names = {path.name for path in (reports / "traces").iterdir()}
    assert names == {"own.py-Calm.itf.json", "own.py-Calm-2.itf.json"}
    for name in names:
        trace = trace_from_json(json.loads(read(reports / "traces", name)))
        assert trace.states[1].values["mode"] == [HOSTILE]

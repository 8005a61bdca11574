"""State graphs: complete, and read back equal."""

import io
import json

import networkx as nx
import pytest
from click.testing import CliRunner

from tidegate.checker.check import check
from tidegate.checker.graph import farthest, state_graph
from tidegate.checker.graph_statistics import statistics
from tidegate.cli import main
from tidegate.invariants.broker import INVARIANTS

SMALL = ("hw", "records=1 crashes=1")


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, arguments)


@pytest.fixture
def graph(system):
    """The graph of a small system."""
    return state_graph(system(*SMALL), INVARIANTS, 10_000)


@pytest.mark.parametrize(
    ("protocol", "settings"),
    [
        SMALL,
        ("kip-279", "records=1 crashes=1"),
        ("tidegate.examples.published:kip_320", "records=1"),
        ("tidegate.examples.async_isr:async_isr", ""),
    ],
)
def test_nodes_and_edges_are_the_states_and_steps_that_the_checker_counts(
    system, protocol, settings
):
    chosen = system(protocol, settings)
    result = check(chosen, [])
    made = state_graph(chosen, [], 10_000)
    exported = made.networkx()
    assert exported.number_of_nodes() - len(made.outside) == result.distinct_states
    assert exported.number_of_edges() == result.generated_states
    inside = [d for number, d in enumerate(made.depths) if number not in made.outside]
    assert max(inside) + 1 == result.depth


def same(one, other):
    """Whether two graphs have the same nodes, edges, keys and attributes."""
    return nx.utils.graphs_equal(one, other)


def test_graphml_is_read_back_equal(graph):
    exported = graph.networkx()
    written = run(
        "graph", "hw", "-b", "records=1", "-b", "crashes=1", "-p", "all", "--graphml", "-"
    )
    back = nx.parse_graphml(written.stdout, node_type=int, force_multigraph=True)
    assert back.graph.pop("node_default") == back.graph.pop("edge_default") == {}
    assert same(back, exported)


def test_node_link_json_is_read_back_equal(graph):
    written = run("graph", "hw", "-b", "records=1", "-b", "crashes=1", "-p", "all", "--json", "-")
    back = nx.node_link_graph(json.loads(written.stdout), edges="edges")
    assert same(back, graph.networkx())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dot_is_read_back_equal(system):
    graph = state_graph(system("hw", "records=1 crashes=0"), INVARIANTS, 1000)
    written = run("graph", "hw", "-b", "records=1", "-b", "crashes=0", "-p", "all", "--dot", "-")
    read = nx.nx_pydot.read_dot(io.StringIO(written.stdout))
    back = nx.MultiDiGraph()
    for node, attributes in read.nodes(data=True):
        back.add_node(int(node), **unquoted(attributes))
    for source, target, key, attributes in read.edges(keys=True, data=True):
        named = unquoted(attributes)
        named.pop("label")
        back.add_edge(int(source), int(target), key=key.strip('"'), **named)
    exported = graph.networkx()
    for _, attributes in exported.nodes(data=True):
        attributes["depth"] = str(attributes["depth"])
    exported.graph.clear()
    assert same(back, exported)


def unquoted(attributes):
    return {name: value.strip('"') for name, value in attributes.items()}


def test_parquet_holds_every_variable_and_every_step(graph, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    bounds = ("-b", "records=1", "-b", "crashes=1", "-p", "all")
    result = run("graph", "hw", *bounds, "--parquet", str(tmp_path))
    assert result.exit_code == 0
    states = pq.read_table(tmp_path / "states.parquet").to_pydict()
    steps = pq.read_table(tmp_path / "steps.parquet").to_pydict()
    assert len(states["state"]) == len(graph.states)
    layout = graph.system.layout
    assert states["fingerprint"] == [layout.fingerprint(state) for state in graph.states]
    assert [states["replica[0].leo"][0], states["partition.isr"][0]] == [0, 0b11]
    taken = list(zip(steps["source"], steps["action"], steps["target"], strict=True))
    assert taken == [(source, step.action, target) for source, step, target in graph.edges()]
    assert steps["arguments"][0] == "(leader=0)"


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    result = run("graph", "hw", "--parquet", str(tmp_path))
    assert result.exit_code == 2
    assert "pip install pyarrow" in result.output


def test_a_graph_beyond_the_limit_is_refused(tmp_path):
    path = tmp_path / "graph.json"
    result = run("graph", "hw", "--max-states", "100", "--json", str(path))
    assert result.exit_code == 2
    assert "more than 100 states" in result.output
    assert "--max-states" in result.output
    assert not path.exists()


def test_figures(graph):
    figures = statistics(graph)
    assert sum(figures.by_depth) == figures.states == len(graph.states)
    assert sum(it.steps for it in figures.degrees) == figures.steps == len(graph.targets)
    assert sum(figures.components) == figures.states
    plain = nx.DiGraph(graph.networkx())
    lengths = dict(nx.all_pairs_shortest_path_length(plain))
    assert figures.diameter == max(max(row.values()) for row in lengths.values())
    assert len(figures.components) == nx.number_strongly_connected_components(plain)
    crashes = next(it for it in figures.degrees if it.action == "Crash")
    assert crashes.most_out == 2


def test_figures_are_printed():
    result = run("graph", "hw", "-b", "records=1", "-b", "crashes=1")
    assert result.exit_code == 0
    for part in ("strongly connected", "diameter", "HandleFetch", "depth    states"):
        assert part.replace(" ", "") in "".join(result.output.split())


def test_the_behavior_to_a_farthest_state_is_a_shortest_one(graph):
    trace = farthest(graph)
    assert len(trace.steps) == max(graph.depths)
    numbers = [graph.states.index(state) for state in trace.states]
    assert [graph.depths[number] for number in numbers] == list(range(len(trace.states)))
    edges = {(source, str(step), target) for source, step, target in graph.edges()}
    steps = zip(numbers, map(str, trace.steps), numbers[1:], strict=False)
    assert set(steps) <= edges


def test_a_farthest_state_is_as_far_as_the_depth():
    result = run("graph", "hw", "-b", "records=1", "-b", "crashes=1", "--farthest")
    depth = check_depth()
    assert f"{depth} steps lead to a farthest state" in " ".join(result.output.split())


def check_depth():
    report = run("check", "hw", "-b", "records=1", "-b", "crashes=1", "-q", "--json", "-")
    return json.loads(report.stdout)["depth"] - 1


@pytest.mark.parametrize(
    "options",
    [["--trace", "x.json"], ["--json", "-", "--dot", "-"]],
)
def test_options_that_make_no_sense_together_are_refused(options):
    assert run("graph", "hw", *options).exit_code == 2

"""Machine code finds the components that networkx finds, and is not trusted."""

from ctypes import c_int64
from random import Random

import networkx as nx
import numpy as np
import pytest

from tidegate.checker.compiled import components as finding
from tidegate.checker.liveness import arrays
from tidegate.core.spec import EngineError


def edges_of(graph):
    """Return the ends of a graph's edges."""
    return np.array([*graph.edges], np.int64).reshape(-1, 2).T


def partition(labels):
    """Return the sets of states with one label."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in labels}


@pytest.mark.parametrize("seed", range(300))
def test_the_components_are_those_of_networkx(seed):
    random = Random(seed)
    size = random.choice((1, 2, 5, 30, 200))
    graph = nx.gnm_random_graph(size, random.randrange(3 * size), seed, directed=True)
    # Edges are in no order, and some are there twice.
    source, target = edges_of(graph)
    order = np.array(random.choices(range(len(source)), k=2 * len(source)), np.int64)
    source, target = (
        np.concatenate([source, source[order]]),
        np.concatenate([target, target[order]]),
    )
    order = np.random.default_rng(seed).permutation(len(source))
    labels = finding.components(size, source[order], target[order])
    assert partition(labels) == {
        frozenset(part) for part in nx.strongly_connected_components(graph)
    }
    assert (labels[source] <= labels[target]).all()


@pytest.mark.parametrize("seed", range(20))
def test_they_are_the_same_where_llvm_cannot_be_loaded(seed, monkeypatch):
    graph = nx.gnm_random_graph(30, 50, seed, directed=True)
    source, target = edges_of(graph)
    expected = partition(arrays._labels(30, source, target))
    monkeypatch.setattr(arrays, "unloaded", lambda: "it is not installed")
    monkeypatch.setattr(finding, "components", None)
    assert partition(arrays._labels(30, source, target)) == expected


def test_a_path_and_a_ring_are_as_deep_as_they_are():
    size = 200_000
    along = np.arange(size - 1)
    assert len(np.unique(finding.components(size, along, along + 1))) == size
    ring = np.arange(size)
    assert set(finding.components(size, ring, (ring + 1) % size)) == {size}


@pytest.mark.parametrize("labels", [[2, 1], [0, 1]])
def test_components_that_an_edge_contradicts_are_refused(monkeypatch, labels):
    class Wrong:
        def function(self, name, count):
            return self.write

        def write(self, block):
            [address] = (c_int64 * 1).from_address(block + finding.Graph.LABEL)
            (c_int64 * 2).from_address(address)[:] = labels

    monkeypatch.setattr(finding, "_code", Wrong)
    with pytest.raises(EngineError, match="does not find the components"):
        finding.components(2, np.array([0]), np.array([1]))

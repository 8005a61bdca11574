"""The least program that still differs: parts are left out of one for as long as it does."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import process_time

from tests.programs.laboratory import Difference, Workbench, is_optimised
from tests.programs.scratch import LAYOUT

LONGEST = 120
"""Seconds of processor time for making a program smaller."""


def smallest(difference: Difference) -> Difference:
    """Return the same difference of a program that nothing can be left out of."""
    optimised = is_optimised(difference.seed)
    source = "\n".join(part.source for part in (*difference.helpers, difference.program))
    least = replace(difference, helpers=[], program=replace(difference.program, source=source))
    least = _again(least, optimised) or difference
    if least is difference:
        return difference
    shrinking, began = True, process_time()
    while shrinking:
        shrinking, done, less = False, 0, _candidates(least)
        while done < len(less) and process_time() - began < LONGEST:
            candidate = less[done]()
            shorter = _again(candidate, optimised) if candidate != least else None
            if shorter is None:
                done += 1
            else:
                # What could not be left out so far can hardly be left out now.
                least, less, shrinking = shorter, _candidates(shorter), True
    return least


def _again(difference: Difference, optimised: bool) -> Difference | None:
    """Return a difference as it shows again; None if it does not."""
    try:
        bench = Workbench([], [difference.program], optimised)
    except Exception:  # noqa: BLE001 - what is left of a program may be none
        return None
    # A function is tried in every third state, an action's guards in a row of them.
    for part, state, python, machine in bench.differences([difference.state] * 40):
        return replace(difference, program=part, state=state, python=python, machine=machine)
    return None


Candidate = Callable[[], Difference]
"""Makes a difference with a little less of a program, or of a state."""


def _candidates(difference: Difference) -> list[Candidate]:
    """Return what there may be less of, the largest parts of the program first."""
    tree = ast.parse(difference.program.source)
    parts = [
        (_size(node), partial(_without, difference, tree, number, way))
        for number, node in enumerate(ast.walk(tree))
        for way in range(_ways(node))
    ]
    states = [
        partial(_with, difference, number, other)
        for number, value in enumerate(difference.state)
        for other in {0, -min(LAYOUT.stored[number].low, 0)}
        if value != other and value > 1
    ]
    return [*(part for _, part in sorted(parts, key=lambda pair: -pair[0])), *states]


def _with(difference: Difference, number: int, value: int) -> Difference:
    """Return a difference in a state with another value of one variable."""
    state = difference.state
    return replace(difference, state=(*state[:number], value, *state[number + 1 :]))


def _without(difference: Difference, tree: ast.Module, number: int, way: int) -> Difference:
    """Return a difference with less of one part of its program."""
    changed = copy.deepcopy(tree)
    _edit(changed, number, way)
    source = ast.unparse(ast.fix_missing_locations(changed)) + "\n"
    return replace(difference, program=replace(difference.program, source=source))


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def _ways(node: ast.AST) -> int:
    """Return in how many ways a part can be made less of."""
    if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
        simple = isinstance(node, (ast.Constant, ast.Name))
        return 0 if simple else 2 + sum(isinstance(n, ast.expr) for n in _children(node))
    if isinstance(node, (ast.Pass, ast.FunctionDef)):
        return 1
    return 2 if isinstance(node, ast.stmt) else 0


def _children(node: ast.AST) -> list[ast.expr]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


def _edit(tree: ast.Module, number: int, way: int) -> None:
    """Make a tree less: in the part of that number, in one of its ways."""
    nodes = list(ast.walk(tree))
    target = nodes[number]
    if isinstance(target, ast.expr):
        children = [ast.Constant(0), ast.Constant(1), *_children(target)]
        _put(nodes, target, children[way])
    else:
        inside = [*getattr(target, "body", []), *getattr(target, "orelse", [])]
        function = isinstance(target, ast.FunctionDef)
        _splice(nodes, target, inside if way and not function else [])


def _put(nodes: list[ast.AST], old: ast.expr, new: ast.expr) -> None:
    """Put an expression in the place of another one."""
    for node in nodes:
        for name, value in ast.iter_fields(node):
            if value is old:
                setattr(node, name, new)
            elif isinstance(value, list):
                value[:] = [new if part is old else part for part in value]


def _splice(nodes: list[ast.AST], old: ast.AST, new: list[ast.stmt]) -> None:
    """Put statements in the place of one."""
    for node in nodes:
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and any(part is old for part in block):
                at = next(i for i, part in enumerate(block) if part is old)
                block[at : at + 1] = new
                if not block and name == "body" and not isinstance(node, ast.Module):
                    block.append(ast.Pass())

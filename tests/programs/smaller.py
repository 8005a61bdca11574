"""The least program that still differs: parts are left out of one for as long as it does."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.programs.laboratory import Difference, Workbench, is_optimised
from tests.programs.scratch import LAYOUT
from tidegate.layout import State


def smallest(difference: Difference) -> Difference:
    """Return the same difference of a program that nothing can be left out of."""
    optimised = is_optimised(difference.seed)
    source = "\n".join(part.source for part in (*difference.helpers, difference.program))
    least = replace(difference, helpers=[], program=replace(difference.program, source=source))
    least = _again(least, optimised) or difference
    if least is difference:
        return difference
    shrinking = True
    while shrinking:
        shrinking = False
        for candidate in _candidates(least):
            shorter = _again(candidate, optimised)
            if shorter is not None:
                least, shrinking = shorter, True
                break
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


def _candidates(difference: Difference) -> Iterator[Difference]:
    """Yield a difference with a little less of a program, or of a state."""
    source = difference.program.source
    for text in _sources(source):
        if text != source:
            yield replace(difference, program=replace(difference.program, source=text))
    for number, value in enumerate(difference.state):
        for other in {0, -min(LAYOUT.stored[number].low, 0)}:
            if value != other:
                yield replace(difference, state=_with(difference.state, number, other))


def _with(state: State, number: int, value: int) -> State:
    """Return a state with another value of one variable."""
    return (*state[:number], value, *state[number + 1 :])


def _sources(source: str) -> Iterator[str]:
    """Yield a source text with one part less, the largest ones first."""
    tree = ast.parse(source)
    edits: list[tuple[int, Callable[[ast.Module], None]]] = []
    for number, node in enumerate(ast.walk(tree)):
        edits += [(_size(node), _edit(number, way)) for way in range(_ways(node))]
    for _, edit in sorted(edits, key=lambda pair: -pair[0]):
        changed = copy.deepcopy(tree)
        edit(changed)
        yield ast.unparse(ast.fix_missing_locations(changed)) + "\n"


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def _ways(node: ast.AST) -> int:
    """Return in how many ways a part can be made less of."""
    if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
        simple = isinstance(node, (ast.Constant, ast.Name))
        return 0 if simple else 2 + sum(isinstance(n, ast.expr) for n in _children(node))
    return 2 if isinstance(node, ast.stmt) else 0


def _children(node: ast.AST) -> list[ast.expr]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


def _edit(number: int, way: int) -> Callable[[ast.Module], None]:
    """Return what makes a tree less: in the part of that number, in one of its ways."""

    def change(tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        target = nodes[number]
        if isinstance(target, ast.expr):
            children = [ast.Constant(0), ast.Constant(1), *_children(target)]
            _put(nodes, target, children[way])
        else:
            inside = [*getattr(target, "body", []), *getattr(target, "orelse", [])]
            function = isinstance(target, ast.FunctionDef)
            _splice(nodes, target, inside if way and not function else [])

    return change


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

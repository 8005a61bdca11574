"""Functions stay small enough to be read in one go, and examples in them are true."""

import ast
import doctest
import importlib

LONGEST_FUNCTION = 60


def test_no_function_is_long(modules):
    lengths = {
        f"{module}.{node.name}, line {node.lineno}": node.end_lineno - node.lineno + 1
        for module, file in modules.items()
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert lengths
    assert {where: n for where, n in lengths.items() if n > LONGEST_FUNCTION} == {}


def test_every_module_says_what_it_is_for(modules):
    documented = {
        name: ast.get_docstring(ast.parse(file.read_text("utf-8")))
        for name, file in modules.items()
    }
    assert [name for name, text in documented.items() if not text] == []


def test_examples_in_docstrings_are_true(modules):
    # Pytest's own collection of doctests would import the modules a second time, under names that
    # begin with the directory's, and then the types in an example would not be tidegate's.
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said = []
    for name, file in modules.items():
        # Looking for the examples of a module takes longer than to run them.
        if ">>> " in file.read_text("utf-8"):
            for example in finder.find(importlib.import_module(name), name):
                runner.run(example, out=said.append)
    results = runner.summarize(verbose=False)
    assert results.attempted > 0
    assert results.failed == 0, "".join(said)


def test_no_with_statement_releases_a_view(modules):
    """Releasing it raises BufferError, in the place of any error, while something still uses it."""
    released = {
        f"{name}, line {node.lineno}"
        for name, file in modules.items()
        if "view(" in (source := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
        and ast.unparse(item.context_expr.func).rpartition(".")[2] in ("view", "memoryview")
    }
    assert released == set()


PRINTED, TERMINAL = "tidegate.render.console", "tidegate.render.terminal"


def test_one_place_prints(modules):
    """There all that somebody else wrote is made text; see tests/cli/test_printed.py."""
    elsewhere = {
        f"{name}, line {node.lineno}: {ast.unparse(node)}"
        for name, file in modules.items()
        if name not in (PRINTED, TERMINAL)
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if prints(node)
    }
    assert elsewhere == set()


def prints(node):
    """Whether something of the source prints, or makes what can print: not so is rich's table."""
    if isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        return node.module in ("rich.text", "rich.console", "rich") and bool(
            names & {"Text", "Console", "print", "text", "console"}
        )
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in (
            "click.echo", "click.secho", "print", "sys.stdout.write", "sys.stderr.write",
        )  # fmt: skip
    return False

"""Kafka's families are written with what is exported to everybody: there is no private door."""

import ast
import importlib

import pytest

import tidegate
import tidegate.model

FAMILIES = ("model.broker",)
"""The package of Kafka's protocols."""

PROPERTIES = "invariants"
"""The package of their properties."""

GATHER = ("tidegate.invariants", "tidegate.invariants.broker")
"""Modules of that package that gather properties for the commands."""


def _outside(package, name, file, everything):
    """Yield (module, name) of what a module imports that is not of Kafka's families."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        parts = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
        base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            module, what = (whole, None) if whole in everything else (base, alias.name)
            inside = (*FAMILIES, PROPERTIES) if package == PROPERTIES else FAMILIES
            if not any(module.removeprefix("tidegate.").startswith(one) for one in inside):
                yield module, what


@pytest.mark.parametrize("package", [*FAMILIES, PROPERTIES])
def test_a_family_imports_only_what_is_exported(package, modules):
    exported = {
        name: getattr(home, name) for home in (tidegate.model, tidegate) for name in home.__all__
    }
    own = {
        name: file
        for name, file in modules.items()
        if name.startswith(f"tidegate.{package}.") or name == f"tidegate.{package}"
    }
    for gathers in GATHER:
        own.pop(gathers, None)
    met = [
        (name, module, what)
        for name, file in own.items()
        for module, what in _outside(package, name, file, modules)
    ]
    assert met
    private = {
        f"{name}: {module}.{what}"
        for name, module, what in met
        if what is None
        or what not in exported
        or exported[what] is not getattr(importlib.import_module(module), what)
    }
    assert private == set()


def test_kafkas_model_has_the_name_that_files_use():
    module = importlib.import_module("tidegate.kafka")
    assert module.KIP_595 is importlib.import_module("tidegate.model").KIP_595

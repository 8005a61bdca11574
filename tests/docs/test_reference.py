"""docs/reference says what the program has; `sh scripts/regenerate reference` writes it."""

import pytest

from tests.docs.reference import PAGES, REFERENCE
from tidegate.library.properties import properties_of
from tidegate.model import PROTOCOLS


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_reference_is_as_regenerate_writes_it(name):
    assert (REFERENCE / name).read_text("utf-8") == PAGES[name]()


def test_no_other_page_is_there():
    assert {path.name for path in REFERENCE.iterdir()} == set(PAGES)


def test_every_protocol_rule_action_and_property_has_its_place():
    pages = {name: (REFERENCE / name).read_text("utf-8") for name in PAGES}
    for protocol in PROTOCOLS:
        assert f"\n## {protocol.name}\n" in pages["protocols.md"]
        for rule in vars(protocol.rules):
            assert f"\n## {rule}\n" in pages["rules.md"]
        for action in protocol.actions:
            assert f"\n## {action.name}\n" in pages["actions.md"]
        for prop in properties_of(protocol):
            assert f"| {prop.name} |" in pages["properties.md"]

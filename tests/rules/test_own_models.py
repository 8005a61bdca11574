"""No model of this project is refused, and the page says which modules a model may use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.published import ASYNC_ISR, NAMES
from tidegate import TidegateError, check
from tidegate.checker.refusals import refuse_outside
from tidegate.library.histories import names_of_history
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of, system_for, with_every_history
from tidegate.model import PROTOCOLS

ROOT = Path(__file__).parents[2]
LIBRARY = (ROOT / "docs" / "library.md").read_text("utf-8")

OPTIONS = (
    "isr_propagation=zookeeper hw_waits power_losses=1 lost_messages=1 moves min_isr=2 late_request",
    "isr_propagation=records reassignments=1 spare_broker elr last_known_leader deletions=1 replicas=3",
    "isr_propagation=kraft purgatory unclean_election",
)


@pytest.mark.parametrize(
    "protocol",
    [
        pytest.param(
            protocol,
            id=protocol.name,
            marks=[] if protocol.name in ("hw", "kip-595-reset") else pytest.mark.slow,
        )
        for protocol in PROTOCOLS
    ],
)
def test_all_code_of_a_built_in_protocol_is_a_function_of_its_state(protocol) -> None:
    properties = properties_of(protocol)
    # Protocols differ in a few rules, which no option brings; the newest reads all of the options.
    newest = protocol.name == "kip-595-reset"
    for options in OPTIONS if newest else ("",):
        system = with_every_history(protocol, options.split())
        refuse_outside(system, properties, names_of_history(protocol))
        assert (system.declared_pure, system.unproven) == ((), ())


SINGLE = [
    str(file)
    for file in sorted(ROOT.glob("examples/*.py"))
    if file.stem not in ("async_isr", "published")
]


@pytest.mark.parametrize("name", [*SINGLE, *NAMES, ASYNC_ISR], ids=lambda name: Path(name).stem)
def test_no_example_is_refused(name: str) -> None:
    protocol = find_protocol(name)
    properties = properties_of(protocol)
    assert system_for(protocol, (), properties).declared_pure == ()


def test_the_example_of_the_page_is_refused_with_these_words(tmp_path: Path) -> None:
    [section] = re.findall(r"### What the code may use\n(.*?)\n### ", LIBRARY, re.DOTALL)
    [code] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    [said] = re.findall(r"is refused: `(.*?)`", section)
    file = tmp_path / "timer.py"
    file.write_text(
        "import time\nfrom dataclasses import dataclass\nfrom tidegate import Model, Record, integer, number\n"
        '@dataclass(frozen=True)\nclass Bounds:\n    n: int = number(1, 1, 2, "n")\n'
        'class State(Record):\n    token: int = integer(0, 1, "token")\n'
        f"model = Model(Bounds, State)\n{code}"
    )
    with pytest.raises(TidegateError) as refused:
        check(str(file), properties=["TypeOk"])
    assert refused.value.args[0] == said

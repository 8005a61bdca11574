"""Names of Tidegate 0.1.0 that are gone, and what to write instead.

They are looked up where a name is unknown: an old command line, an old trace and an old model then
get an error that says how to go on.
"""

from __future__ import annotations

EXAMPLES = f"{__name__.partition('.')[0]}.examples"
"""Where the examples are installed, as a module."""

_PAGE = "is gone, as it made a page of the documentation, which only a clone does now; leave it out"
_SEARCHED = "is gone; declare what a state must reach as a sometimes property, and check that"
_MODEL = "is gone; a tidegate.Model declares bounds, state, actions and properties"

SUCCESSORS = {
    "tidegate rules": "is 'tidegate show PROTOCOL --rules' now",
    "tidegate resume": "is 'tidegate check --resume DIR' now",
    "tidegate render": "is 'tidegate replay TRACE.json' now, with --html, --markdown, --mermaid, "
    "--tla or --itf",
    "tidegate verdicts": "is gone; 'tidegate bounds PROTOCOL' searches for the smallest bounds "
    "that violate each property",
    "tidegate bounds --output": _PAGE,
    "tidegate bounds --jobs": _PAGE,
    "tidegate graph --view": "is gone; --dot, --graphml and --json write a node for each state",
    "tidegate graph --from": _SEARCHED,
    "tidegate graph --to": _SEARCHED,
    "tidegate replay --plantuml": "is gone; --mermaid writes a sequence diagram",
    "tidegate replay --diff": "is the default now; leave it out",
    **{
        f"published/{name}": f"is {EXAMPLES}.published:{name.replace('-', '_')} now"
        for name in ("hw", "kip-101", "kip-279", "kip-320", "kip-320-first-try")
    },
    "published/async-isr": f"is {EXAMPLES}.async_isr:async_isr now",
    "tidegate.Family": _MODEL,
    "tidegate.assemble": _MODEL,
    "tidegate.Scenario": "is gone; Model(largest_bounds={...}) says how far 'tidegate bounds' goes",
    "Expected.slow": "is gone; leave it out",
    "TransitionSystem.scene": "is TransitionSystem.scenes([state])[0] now",
    "TransitionSystem.columns": "is TransitionSystem.scenes([state])[0].columns now",
    "Protocol.family": "is gone; Protocol.model has the bounds and the state",
}
"""Each command, option, protocol and exported name, with the rest of a sentence about it."""


def successor(name: str) -> str:
    """Say what stands for a name of 0.1.0 now; empty for any other name.

    >>> successor("tidegate resume")
    "tidegate resume is 'tidegate check --resume DIR' now"
    >>> successor("tidegate check")
    ''
    """
    return f"{name} {SUCCESSORS[name]}" if name in SUCCESSORS else ""

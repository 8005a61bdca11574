"""JUnit XML: a suite for each cell, a case for each thing that is expected there.

Readers know a case by its class name and name alone, and take two with the same ones for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree

from ...core.errors import printable
from ..cells import distinct_names
from ..results import STATUSES, CellOutcome, Deviation, Finding, PropertyOutcome, Status
from .findings import cause, reproducing


def junit(outcomes: Sequence[CellOutcome]) -> str:
    """Return the outcomes as JUnit XML; characters that XML 1.0 cannot hold are escaped."""
    names = distinct_names([outcome.cell for outcome in outcomes])
    suites = list(map(_suite, outcomes, names))
    root = ElementTree.Element("testsuites", name="tidegate gate")
    root.extend(suites)
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", f"{sum(outcome.seconds for outcome in outcomes):.3f}")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + printable(text) + "\n"


@dataclass
class _Case:
    """One thing that is expected, and what is wrong with it."""

    name: str
    about: str
    findings: list[Finding] = field(default_factory=list)


def _suite(outcome: CellOutcome, name: str) -> ElementTree.Element:
    cases = _cases(outcome)
    suite = ElementTree.Element("testsuite", name=name)
    seconds = outcome.seconds / len(cases)
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for case in cases:
        element = ElementTree.SubElement(
            suite,
            "testcase",
            name=case.name,
            classname=name,
            time=f"{seconds:.3f}",
        )
        for child in _children(outcome, case):
            counts[child.tag] = counts.get(child.tag, 0) + 1
            element.append(child)
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))
    suite.set("time", f"{outcome.seconds:.3f}")
    return suite


def _cases(outcome: CellOutcome) -> list[_Case]:
    """Return the expectations of a cell; a finding about none of them is about the whole cell."""
    cell = outcome.cell
    properties = outcome.properties or [
        PropertyOutcome(one.name, str(one)) for one in cell.expectations
    ]
    cases = [_Case(prop.expected, prop.name) for prop in properties]
    if cell.states is not None:
        cases.append(_Case(f"{cell.states} distinct states", "states"))
    if cell.depth is not None:
        cases.append(_Case(f"depth {cell.depth}", "depth"))
    known = {case.about: case for case in cases}
    decidable = "can be forced on real brokers" if cell.brokers else "can be searched"
    for finding in outcome.findings:
        if finding.kind is Deviation.SKIPPED:
            cases[0].findings.append(finding)
        else:
            if finding.about not in known:
                known[finding.about] = _Case(finding.about or decidable, "")
                cases.append(known[finding.about])
            known[finding.about].findings.append(finding)
    return cases


def _children(outcome: CellOutcome, case: _Case) -> Iterator[ElementTree.Element]:
    """Yield the child element of a case: its first finding, or that it was skipped."""
    if outcome.status is Status.CACHED:
        yield ElementTree.Element("skipped", message=STATUSES[Status.CACHED])
    if outcome.status is Status.SKIPPED:
        yield ElementTree.Element("skipped", message=case.findings[0].text)
    elif case.findings:
        first = case.findings[0]
        unsure = first.kind in (Deviation.LIMIT, Deviation.UNDECIDED, Deviation.ERROR)
        child = ElementTree.Element(
            "error" if unsure else "failure", type=first.kind, message=cause(outcome, first)
        )
        again = reproducing(outcome, first)
        traces = [trace.text for trace in outcome.traces if trace.name == case.about]
        said = [cause(outcome, finding) for finding in case.findings]
        command = [f"Reproduce it with: {again}"] if again else []
        child.text = "\n".join([*said, *command, *traces])
        yield child
    elif outcome.status not in (Status.PASSED, Status.CACHED) and not _decided(outcome, case):
        yield ElementTree.Element("skipped", message="not decided")


def _decided(outcome: CellOutcome, case: _Case) -> bool:
    """Whether it is known that a case is as expected."""
    if case.about in ("states", "depth"):
        return not outcome.findings
    return any(
        prop.name == case.about and prop.outcome in ("holds", "violated")
        for prop in outcome.properties
    )

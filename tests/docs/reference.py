"""The pages of docs/reference: every protocol, rule, action, property and bound."""

from functools import cache
from inspect import cleandoc, getdoc

from tidegate.analysis.code import code
from tidegate.analysis.named import find_protocol
from tidegate.commands.rules import rules_of
from tidegate.core.guards import guards, requirement
from tidegate.invariants import PROPERTIES
from tidegate.model import PROTOCOLS
from tidegate.render.story import described_bounds, described_properties, story

FAMILIES = {protocol.family.name: protocol.family for protocol in PROTOCOLS}

TITLES = {
    "broker": "The broker family",
    "published": "The published family",
    "async-isr": "The family async-isr",
}


@cache
def rules_in(name):
    """Return the rules of a built-in protocol."""
    return rules_of(find_protocol(name))


@cache
def code_of(name):
    """Return the code of a built-in protocol."""
    return code(find_protocol(name))


def members(family):
    """Return the protocols of a family."""
    return [protocol for protocol in PROTOCOLS if protocol.family.name == family]


def cell(text):
    """Return text as it stands in a cell of a table."""
    return " ".join(text.replace("``", "`").split()).replace("|", "\\|")


def quoted(text):
    """Return source text in a cell."""
    return f"`{cell(text)}`" if text else ""


def table(head, rows):
    """Return the lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"


def page(title, introduction, sections):
    """Return a page; each section is a heading with its text."""
    made = "Made by `sh scripts/reference`; not written by hand."
    text = "\n\n".join(f"{heading}\n\n{body.strip()}" for heading, body in sections)
    return f"# {title}\n\n{made}\n\n{cleandoc(introduction)}\n\n{text}\n"


def protocols():
    """Return the page of protocols."""
    overview = [
        [
            f"[{one.name}](#{anchor(one.name)})",
            one.parent.name if one.parent else "",
            cell(one.summary),
        ]
        for one in PROTOCOLS
    ]
    sections = [("## Overview", table(["protocol", "inherits from", "what it is"], overview))]
    sections += [(f"## {one.name}", protocol(story(one))) for one in PROTOCOLS]
    return page(
        "Protocols",
        """
        What `tidegate show PROTOCOL` prints. [releases.md](../releases.md) says which release of
        Kafka runs which, and [verdicts.md](../verdicts.md) what each violates at which bounds.
        """,
        sections,
    )


def anchor(name):
    """Return the fragment of a heading, as Git hosts make it."""
    return "".join(c for c in name.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def protocol(told):
    """Return the section of a protocol."""
    parts = [told["story"].replace("``", "`")]
    if told["parent"] and told["rules"]:
        rows = [
            [f"[{one['rule']}](rules.md#{one['rule']})", quoted(one["was"]), quoted(one["is"])]
            for one in told["rules"]
        ]
        parts.append(table(["rule that it replaces", "was", "is"], rows))
    if told["older_rules"]:
        rows = [[quoted(one["mutant"]), cell(one["what"])] for one in told["older_rules"]]
        parts.append(table(["with an older rule", "what that does"], rows))
    if told["expected"]:
        rows = [
            [quoted(one["bounds"]) or "defaults", ", ".join(one["violated"]) or "nothing"]
            for one in told["expected"]
        ]
        parts.append(table(["within", "violates, of the default properties"], rows))
    return "\n\n".join(part.strip() for part in parts)


def rules():
    """Return the page of rules."""
    sections = []
    for family in FAMILIES:
        sections.append((f"## {TITLES[family]}", "Each rule, and each way to decide it."))
        for name, rule in code_of(members(family)[0].name).rules.items():
            rows = choices(members(family), name)
            head = ["decided by", "what that does", "protocols", "releases of Kafka"]
            columns = head if family == "broker" else head[:3]
            body = table(columns, [row[: len(columns)] for row in rows])
            sections.append((f"### {name}", f"{cell(rule.decides)}\n\n{body}"))
    return page(
        "Rules",
        """
        A rule is a decision in which protocols differ; a protocol of your own replaces some
        ([tutorial](../first-change.md)). `tidegate rules PROTOCOL` prints those in force in one
        protocol. A rule without a protocol here is an older one of Kafka, or one that shows a
        bug: `tidegate check 'kip-320~has_new_leader = if_leader_changes'`.
        """,
        sections,
    )


def choices(protocols, name):
    """Return a row for each way in which protocols decide a rule, and for each older way."""
    found = {}
    for one in protocols:
        [row] = [row for row in rules_in(one.name) if row["rule"] == name]
        key = row["signature"] or row["is"]
        text = f"{row['what']} {row['source']}"
        found.setdefault(key, [quoted(key), cell(text), [], row["releases"]])[2].append(one.name)
    for one in protocols:
        for rule, function in one.older_rules:
            if rule == name and not any(function.__name__ == key.split("(")[0] for key in found):
                found[function.__name__] = [
                    quoted(function.__name__), cell(getdoc(function) or ""), [], "",
                ]  # fmt: skip
    return [[key, text, ", ".join(names), where] for key, text, names, where in found.values()]


def actions():
    """Return the page of actions."""
    sections = []
    for family in FAMILIES:
        sections.append((f"## {TITLES[family]}", owners(family)))
        every = {}
        for one in members(family):
            for taken in one.actions:
                every.setdefault((taken.name, taken.apply), (taken, []))[1].append(one)
        sections += [
            (f"### {taken.name}", action(taken, having, members(family)))
            for taken, having in every.values()
        ]
    return page(
        "Actions",
        """
        An action is a step that somebody may take. It is enabled if all that is listed holds; `s`
        is the state, `k` the bounds, and `k.rules` are the [rules](rules.md). A step of each is
        described in words in [model.md](../model.md) and [published.md](../published.md).
        Fairness is what [liveness properties](../eventually.md) assume.
        """,
        sections,
    )


def owners(family):
    """Return what is said of all actions of a family."""
    faults = ", ".join(FAMILIES[family].faults_and_elections)
    return f"Faults and elections, which bounds limit: {faults}." if faults else "No faults."


def action(taken, having, everybody):
    """Return the section of an action."""
    said = " ".join((getdoc(taken.apply) or "").replace("``", "`").split())
    of = f" ({taken.source})" if taken.source else ""
    lines = [f"`{taken.name}({', '.join(taken.parameters)})`, by the {taken.who}{of}. {said}", ""]
    lines += [f"- {quoted(requirement(one.test))}" for one in guards(taken.apply)]
    lines += ["", f"Fairness: {taken.owed}."]
    asked = sorted(code_of(having[-1].name).rules_asked(taken.name))
    if asked:
        lines.append("Rules: " + ", ".join(f"[{one}](rules.md#{one})" for one in asked) + ".")
    if len(having) < len(everybody):
        lines.append(f"Only in {', '.join(one.name for one in having)}.")
    return "\n".join(lines)


def properties():
    """Return the page of properties."""
    sections = []
    for family in FAMILIES:
        default = ", ".join(members(family)[0].default_properties)
        rows = [
            [one["name"], one["kind"], cell(one["statement"]), cell(one["source"])]
            for one in described_properties(PROPERTIES[family])
        ]
        body = table(["property", "kind", "what it says", "source"], rows)
        head = f"Checked unless `-p` is given: {default}."
        sections.append((f"## {TITLES[family]}", f"{head}\n\n{body}"))
    return page(
        "Properties",
        """
        What `-p` names. An invariant and a property of steps is violated by a shortest trace; a
        liveness property by a lasso ([eventually.md](../eventually.md)). You can add [a property
        of your own](../library.md#extend-a-protocol-of-kafka).
        """,
        sections,
    )


def bounds():
    """Return the page of bounds."""
    sections = []
    for family, declared in FAMILIES.items():
        rows = [
            [f"`{one['name']}`", cell(one["default"]), cell(one["allowed"]), cell(one["meaning"])]
            for one in described_bounds(declared.bounds)
        ]
        sections.append(
            (f"## {TITLES[family]}", table(["bound", "default", "allowed", "meaning"], rows))
        )
    return page(
        "Bounds",
        """
        What `-b NAME=VALUE` sets; `-b moves` is `-b moves=true`. They limit writes, faults and
        elections, never recovery steps. [bounds.md](../bounds.md) lists the smallest ones for
        each known violation.
        """,
        sections,
    )


PAGES = {
    "protocols.md": protocols,
    "rules.md": rules,
    "actions.md": actions,
    "properties.md": properties,
    "bounds.md": bounds,
}

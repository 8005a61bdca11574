"""``tidegate.toml`` is read into cells, and every fault in it is named with its line."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.gate.cells import Expectation
from tidegate.gate.configuration_errors import GateFileError, positions
from tidegate.gate.document import of_tier, read


def cells(project, text):
    return read(project.write("tidegate.toml", text))


def errors_in(project, text):
    """Return the faults of a file as pairs of a line and a text."""
    with pytest.raises(GateFileError) as caught:
        cells(project, text)
    split = [line.split(":", 2) for line in caught.value.details]
    return [(int(number), text.strip()) for _, number, text in split]


def test_a_case_is_every_protocol_within_every_bounds(project):
    found = cells(
        project,
        """
[defaults]
tier = "weekly"
seconds = 5

[[case]]
protocols = ["kip-101", "kip-320"]
bounds = ["records=1", "records=1  crashes=1"]
holds = ["TypeOk"]
violates = { LogMatching = 3 }
states = { "kip-101" = [1, 2], "kip-320" = [3, 4] }
memory = "1G"
tier = "pr"

[[case]]
protocols = "hw"
violates = "LogMatching"
depth = 7
""",
    )
    assert [(cell.protocol, cell.bounds, cell.states) for cell in found] == [
        ("kip-101", "records=1", 1),
        ("kip-101", "records=1 crashes=1", 2),
        ("kip-320", "records=1", 3),
        ("kip-320", "records=1 crashes=1", 4),
        ("hw", "", None),
    ]
    expected = (Expectation("LogMatching", True, 3), Expectation("TypeOk"))
    assert found[0].expectations == expected
    assert (found[0].tier, found[0].line, found[0].limits.memory) == ("pr", 6, 1 << 30)
    assert (found[4].tier, found[4].line, found[4].limits.seconds) == ("weekly", 15, 5.0)
    assert found[4].depth == 7


CASE = '[[case]]\nprotocols = ["hw"]\n'

ERRORS = [
    ("[default]\n", 1, "there is no key 'default'; did you mean defaults?"),
    ("[defaults]\nbound = 1\n", 2, "there is no key 'bound'; did you mean bounds?"),
    (f"{CASE}\nhold = 1\nholds = 'all'", 4, "there is no key 'hold'; did you mean holds?"),
    (f"{CASE}holds = 'all'\ntier = 'nightli'", 4, "there is no tier 'nightli'; did you mean"),
    (f"{CASE}holds = 'all'\nengine = 'spin'", 4, "there is no engine 'spin'"),
    (f"{CASE}holds = 'all'\nmemory = '2 apples'", 4, 'memory = "2 apples" is not an amount'),
    (f"{CASE}holds = 'all'\nseconds = true", 4, "seconds = true is not valid; write a number"),
    (f"{CASE}holds = 'all'\nstates = -1", 4, "states = -1 is not valid; write an integer"),
    (f"{CASE}holds = {{ TypeOk = 3 }}", 3, "holds = { TypeOk = 3 } is not valid; write a"),
    (f"{CASE}violates = {{ TypeOk = 'x' }}", 3, "is not valid; write a list of properties"),
    (f"{CASE}", 1, "a case needs holds or violates"),
    (f"{CASE}holds = []", 1, "this case expects nothing"),
    ("[[case]]\nholds = 'all'", 1, "a case needs protocols"),
    (
        "[[case]]\nprotocols = 'kip-32'\nholds = 'all'",
        2,
        "there is no protocol 'kip-32'; did you mean kip-320",
    ),
    (f"{CASE}holds = 'all'\nbounds = [\n'records=1',\n'record=2']", 6, "no bound 'record'"),
    (f"{CASE}holds = 'all'\nbounds = 'records=99'", 4, "99 is out of range"),
    (f"{CASE}holds = 'all'\nbounds = []", 4, "bounds = [] is empty"),
    (f"{CASE}holds = [\n'TypeOk',\n'LogMatchin']", 5, "no property 'LogMatchin'; did you mean"),
    (f"{CASE}violates = {{ LogMatchin = 3 }}", 3, "no property 'LogMatchin'; did you mean"),
    (f"{CASE}violates = ['all']", 3, "'all' is not a single property"),
    (f"{CASE}holds = ['none']", 3, "'none' checks nothing"),
    (f"{CASE}holds = ['TypeOk', 'TypeOk']", 3, 'holds: "TypeOk" appears twice'),
    ("[[case]]\nprotocols = ['hw', 'hw']\nholds = 'all'", 2, 'protocols: "hw" appears twice'),
    (f"{CASE}violates = ['TypeOk']\nholds = ['TypeOk']", 4, "must hold and must be violated"),
    (f"{CASE}holds = 'all'\nbounds = ['', 'records=1']\nstates = 3", 5, "1 numbers for 2 bounds"),
    (f"{CASE}holds = 'all'\nstates = {{ kip-101 = 3 }}", 4, "there is no protocol 'kip-101'"),
    (
        "[[case]]\nprotocols = ['hw', 'kip-101']\nholds = 'all'\nstates = 3",
        4,
        "states: write a table by protocol",
    ),
    ("case = [3]", 1, "3 is not a case"),
    ("", 1, "there is no case"),
    ("[[case]]\nprotocols = ['kip-320~nothing']\nholds = 'all'", 2, "has no mutant 'nothing'"),
    (
        f"{CASE}holds = 'default'\n{CASE}violates = 'LogMatching'\nbounds = 'records=2'\n",
        4,
        "hw, records=2: violates LogMatching, but line 1 expects: holds LogMatching; keep one",
    ),
    (
        f"{CASE}holds = 'TypeOk'\nstates = 1\n{CASE}holds = 'typeok'\nstates = 2\n",
        8,
        "states = 2, but line 1 expects: states = 1; keep one of them",
    ),
]


@pytest.mark.parametrize(("text", "line", "expected"), ERRORS)
def test_a_configuration_error_is_named_with_its_line(project, text, line, expected):
    [(found, said)] = errors_in(project, text)
    assert found == line
    assert expected in said


def test_all_configuration_errors_of_a_file_are_named_at_once(project):
    text = f"[defaults]\nx = 1\n{CASE}y = 2\nholds = ['nonsense']\nbounds = 'z=1'\n"
    assert [line for line, _ in errors_in(project, text)] == [2, 5, 6, 7]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"x = {'[' * 3000}", r"tidegate\.toml: arrays or tables are nested too deeply"),
        (f"x = {'[' * 3000}{']' * 3000}", "nested too deeply"),
        (f"x = {'{a = ' * 3000}1{'}' * 3000}", "nested too deeply"),
        (f"[[case]]\nstates = {'9' * 5000}", "a number has too many digits"),
    ],
    ids=["open", "arrays", "tables", "digits"],
)
def test_what_python_cannot_read_is_one_clear_error(project, text, expected):
    with pytest.raises(GateFileError, match=expected):
        cells(project, text)


@pytest.mark.parametrize("number", ["9" * 40, f"0x{'f' * 20_000}", "-1", "true"])
def test_a_pin_beyond_all_counts_is_a_configuration_error(project, number):
    [(line, said)] = errors_in(project, f"{CASE}holds = 'TypeOk'\nstates = {number}\n")
    assert line == 4
    assert said.endswith("table of these by protocol")
    assert len(said) < 300


def test_what_is_not_toml_or_not_there_or_not_text(project):
    with pytest.raises(GateFileError, match=r"tidegate.toml:2: not TOML: "):
        cells(project, "[[case]]\nprotocols = \n")
    with pytest.raises(GateFileError, match=r"tidegate.toml:2: not TOML: "):
        cells(project, "[[case]]\nprotocols = [")
    with pytest.raises(GateFileError, match=r"cannot be read \(No such file.*tidegate init"):
        read(project.path / "gone.toml")
    (project.path / "latin.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(GateFileError, match="byte 2 is not UTF-8"):
        read(project.path / "latin.toml")


def test_a_file_with_faults_ends_with_status_2_and_nothing_runs(project):
    found = project.gate(f"{CASE}hold = 'all'\n", status=2)
    assert "tidegate.toml:3: there is no key 'hold'" in found["output"]
    assert not (project.path / "report.json").exists()


def test_a_tier_runs_those_before_it_too(project):
    text = "".join(
        f"[[case]]\nprotocols = 'hw'\nholds = 'TypeOk'\nbounds = 'records={n}'\ntier = '{tier}'\n"
        for n, tier in enumerate(("weekly", "pr", "nightly"))
    )
    found = cells(project, text)
    bounds = {tier: [it.bounds for it in of_tier(found, tier)] for tier in ("pr", "nightly")}
    assert bounds == {"pr": ["records=1"], "nightly": ["records=1", "records=2"]}
    assert len(of_tier(found, "weekly")) == 3
    assert len(of_tier(found, "weekly", "RECORDS=2")) == 1
    with pytest.raises(GateFileError, match="matches none of the 3 cells"):
        of_tier(found, "weekly", "nonsense")
    with pytest.raises(GateFileError, match="no cell has the tier 'pr'; the file has: weekly"):
        of_tier(found[:1], "pr")


KEYS = st.text("abc-_ .#\"'[]{}=\\\u00e9", min_size=1, max_size=6)
TEXTS = st.text("ab #\"'[]{}=,\\\n\u00e9", max_size=8)
VALUES = st.recursive(
    st.integers() | st.booleans() | TEXTS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def written(value):
    """Write a value on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value) if "'" in value or "\n" in value else f"'{value}'"
    if isinstance(value, list):
        return f"[ {' , '.join(map(written, value))} ]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{quoted(k)} = {written(v)}' for k, v in value.items())} }}"
    return repr(value)


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=3), min_size=1, max_size=3))
def test_every_key_of_any_document_is_found_on_its_line(cases):
    lines, expected = [], {}
    for number, case in enumerate(cases):
        lines += ["# a comment = [", "[[ case ]]  # ]"]
        expected["case", number] = len(lines)
        for key, value in case.items():
            lines.append(f"{quoted(key)} = {written(value)} # ' comment")
            expected["case", number, key] = len(lines)
            if isinstance(value, list):
                at = enumerate(value)
                expected.update({("case", number, key, index): len(lines) for index, _ in at})
    text = "\n".join(lines)
    assert tomllib.loads(text)["case"] == cases
    found = positions(text)
    assert {path: found.get(path) for path in expected} == expected


def test_positions_of_dotted_keys_and_of_values_over_several_lines():
    text = 'a.b = 1\n[x.y]\nz = """\n[no]\nk = 1\n"""\nw = [\n  1, # ]\n  "]",\n]\nd = 1979-05-27\n'
    found = positions(text)
    assert found["a", "b"] == 1
    assert found["x", "y", "z"] == 3
    assert (found["x", "y", "w", 0], found["x", "y", "w", 1]) == (8, 9)
    assert found["x", "y", "d"] == 11
    assert ("no",) not in found


def test_the_template_is_read_as_it_is(project):
    templates = Path(__file__).parents[2] / "gate" / "templates"
    project.write("my_protocol.py", (templates / "protocol.py").read_text())
    assert len(read(project.write("tidegate.toml", (templates / "tidegate.toml").read_text()))) == 9


CUSTOM = """[[case]]
protocols = ["own.py", "missing.py"]
bounds = [
  "records=1",
  "recrds=1",
]
holds = "TypOk"
"""


def test_misspelt_names_of_a_custom_protocol_are_found_before_anything_runs(project):
    project.own("own.py")
    report = project.gate(CUSTOM, status=2)
    output = " ".join(report["output"].split())
    assert "tidegate.toml:2: missing.py: there is no such file" in output
    assert "tidegate.toml:5: own.py: there is no bound 'recrds'; did you mean records?" in output
    assert "tidegate.toml:7: there is no property 'TypOk'; did you mean TypeOk?" in output
    assert "cells" not in report


def test_a_case_and_the_defaults_say_whether_symmetry_is_used(project):
    text = '[defaults]\nsymmetry = true\n[[case]]\nprotocols = "hw"\nholds = "TypeOk"\nstates = 4\n'
    other = '[[case]]\nprotocols = "hw"\nholds = "TypeOk"\nstates = 9\nsymmetry = false\n'
    found = cells(project, text + other)
    assert [(cell.symmetry, cell.within) for cell in found] == [
        (True, "default bounds, symmetry"),
        (False, "default bounds"),
    ]
    assert errors_in(project, text + other.replace("false", "1").replace("9", "4")) == [
        (11, "symmetry = 1 is not valid; write true or false")
    ]
    twice = errors_in(project, text + other.replace("false", "true"))
    assert twice[0][0] == 10
    assert "but line 3 expects: states = 4; keep one of them" in twice[0][1]

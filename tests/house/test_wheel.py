"""The wheel holds the package, the whole package and nothing but the package."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from tests.house.conftest import tracked
from tidegate.core.origins import is_tidegates
from tidegate.core.version import __version__


@pytest.fixture
def source(root, tmp_path):
    """Return a copy of the files that git knows, for a build to leave its traces in."""
    if not (root / ".git").exists():
        pytest.skip("only a clone knows which files belong to the project")
    copy = tmp_path / "some clone.2"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, copy / name)
    return copy


ROOMS = (
    "brokers", "checker", "commands", "conform", "core", "diff", "explain", "gate", "invariants",
    "language", "library", "model", "mutate", "render", "symmetry",
)  # fmt: skip

FRONTENDS = {
    "build": ["build", "--wheel", "--no-isolation", "--outdir"],
    "pip": ["pip", "wheel", ".", "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir"],
}


def contents(source, target, frontend="build"):
    """Build a wheel and return the names of the files in it."""
    command = [sys.executable, "-m", *FRONTENDS[frontend], str(target)]
    done = subprocess.run(
        command, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    [wheel] = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.mark.parametrize("frontend", FRONTENDS)
def test_the_wheel_holds_only_the_package(source, root, modules, tmp_path, frontend):
    names = contents(source, tmp_path / "wheels", frontend)
    expected = {
        f"tidegate/{file.relative_to(root).as_posix()}"
        for file in (
            *modules.values(),
            root / "py.typed",
            root / "tidegate.toml",
            root / "brokers" / "messages.txt",
            root / "library" / "kafka.txt",
            root / "model" / "broker" / "survivors.txt",
            *root.glob("*/templates/*"),
            *root.glob("examples/*.py"),
        )
        if (source / file.relative_to(root)).is_file()
    }
    about = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    assert names - about == expected
    assert {name.split("/")[-1] for name in about} >= {"METADATA", "LICENSE", "entry_points.txt"}


def test_a_deleted_module_is_not_in_the_next_wheel(source, tmp_path):
    # Below a package, and in the root, where the package shares its directory with the rest.
    gone = ["checker/gone.py", "gone.py"]
    for name in gone:
        (source / name).write_text('"""Soon gone."""\n')
    assert contents(source, tmp_path / "first") >= {f"tidegate/{name}" for name in gone}
    for name in gone:
        (source / name).unlink()
    assert [name for name in contents(source, tmp_path / "second") if "gone" in name] == []


def test_the_source_distribution_is_the_clone(source, tmp_path):
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir"]
    done = subprocess.run(
        [*command, str(tmp_path / "out")], cwd=source, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [packed] = (tmp_path / "out").glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        [about] = [name for name in archive.getnames() if name.count("/") == 1 and "PKG" in name]
        metadata = archive.extractfile(about).read().decode("utf-8")
    assert [name for name in tracked() if name not in names and name != ".gitignore"] == []
    assert {"docs/index.md", "CONTRIBUTING.md", "examples/raft.py"} <= names
    assert "Maintainer: Tidegate contributors\n" in metadata
    assert "Keywords: kafka" in metadata
    assert f"Version: {__version__}\n" in metadata


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        ("https://git.example.org/us/tidegate.git", "https://git.example.org/us/tidegate"),
        ("git@git.example.org:us/tidegate.git", None),
        ("/srv/tidegate", None),
    ],
)
def test_a_registry_links_to_the_address_of_the_clone(source, tmp_path, origin, shown):
    for command in (["init", "--quiet"], ["remote", "add", "origin", origin]):
        subprocess.run(["git", *command], cwd=source, check=True)
    contents(source, tmp_path / "wheels")
    [wheel] = (tmp_path / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        links = re.findall(r"^Project-URL: (.*)", archive.read(name).decode("utf-8"), re.MULTILINE)
    pages = {"Source": "", "Documentation": "/blob/HEAD/docs/index.md"}
    pages["Changelog"] = "/blob/HEAD/CHANGELOG.md"
    assert links == [f"{what}, {shown}{page}" for what, page in pages.items() if shown]


def test_the_change_log_begins_with_this_version_and_has_at_most_400_words_for_each(root):
    _, *versions = (root / "CHANGELOG.md").read_text("utf-8").split("\n## ")
    heads = [version.partition("\n")[0] for version in versions]
    assert [re.fullmatch(r"[\d.]+ \(\d{4}-\d\d-\d\d\)", head) is None for head in heads] == [
        False, False
    ]  # fmt: skip
    assert heads[0].startswith(f"{__version__} ")
    assert [
        head for head, text in zip(heads, versions, strict=True) if len(text.split()) > 400
    ] == []


def test_a_registry_shows_no_link_that_leads_nowhere(source, tmp_path):
    contents(source, tmp_path / "wheels")
    [wheel] = (tmp_path / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        text = archive.read(name).decode("utf-8")
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert "a real broker (docs/real-brokers.md)" in text
    assert "![" not in text


def test_nothing_that_is_installed_names_a_file_that_is_not(root, modules):
    files = modules | {file.name: file for file in root.glob("*/templates/*")}
    named = re.compile(r"(?<![\w/.])(?:docs|scripts)/\w[\w./-]*|CONTRIBUTING|README")
    places = [
        f"{name}: {match[0]}"
        for name, file in files.items()
        for match in named.finditer(file.read_text("utf-8"))
    ]
    assert places == []


def test_setup_cfg_lists_every_package(root, packages):
    directories = {
        file.parent
        for part in ROOMS
        for file in (root / part).rglob("*.py")
        if file.parent.name != "templates"
    }
    assert directories
    assert directories | {root} == set(packages.values())


def test_tidegates_code_is_what_is_in_the_package(root, modules):
    files = {str(file.relative_to(root)) for file in modules.values()}
    files |= {name for name in tracked("*.py") if name.split("/")[0] == "examples"}
    # It is a template for a file of the user's.
    files.add("gate/templates/protocol.py")
    assert {name for name in tracked("*.py") if is_tidegates(str(root / name))} == files


def test_every_package_has_an_init(packages):
    assert [name for name, path in packages.items() if not (path / "__init__.py").is_file()] == []

"""What is cached is used only if this user wrote it and it is whole, and never an error."""

import os
import pwd
import stat

import pytest

import tidegate.cli  # noqa: F401 - it prints warnings
from tidegate.checker.compiled import object_files
from tidegate.checker.compiled.tiers import Tiers
from tidegate.checker.request import SearchRequest
from tidegate.core.files import DiskCache

ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="only root can give files to another user")
SOMEBODY = 12345


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return an empty home directory, with nothing set that would lead elsewhere."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tidegate.core.files._warned", set())
    return home


@pytest.fixture
def files(home):
    """Return a cache with one file in it."""
    files = DiskCache("compiled")
    files.keep("name", b"content")
    assert is_used()
    return files


def is_used():
    return DiskCache("compiled").read("name") == b"content"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_directories_and_files_are_the_users_alone(home, files):
    assert files.folder == home / ".cache/tidegate/compiled"
    assert mode(files.folder / "name") == 0o600
    folders = [files.folder, files.folder.parent, home / ".cache"]
    assert {mode(folder) for folder in folders} == {0o700}
    assert mode(home) == 0o755
    assert {path.name for path in files.folder.iterdir()} == {"name"}


@pytest.mark.parametrize("bits", [0o777, 0o755, 0o770, 0o1777])
def test_the_directory_is_taken_from_others(files, bits):
    files.folder.chmod(bits)
    assert is_used()
    assert mode(files.folder) == 0o700


@needs_root
def test_a_directory_of_somebody_else_is_not_used(home, files, capsys):
    os.chown(files.folder, SOMEBODY, SOMEBODY)
    for _ in range(2):
        assert not is_used()
    files.keep("other", b"content")
    assert not (files.folder / "other").exists()
    assert capsys.readouterr().err.count("belongs to another user (set XDG_CACHE_HOME to") == 1


@needs_root
def test_a_file_of_somebody_else_is_not_used(files):
    os.chown(files.folder / "name", SOMEBODY, SOMEBODY)
    assert not is_used()


def test_every_changed_byte_is_noticed(files):
    file = files.folder / "name"
    whole = file.read_bytes()
    for number in range(len(whole)):
        changed = bytearray(whole)
        changed[number] ^= 1
        file.write_bytes(changed)
        assert not is_used()
    for content in (b"", whole[:-1], whole + b"0", whole[:16]):
        file.write_bytes(content)
        assert not is_used()
    file.write_bytes(whole)
    assert is_used()


def test_a_file_in_the_place_of_another_is_not_used(files):
    (files.folder / "name").rename(files.folder / "other")
    assert files.read("other") == b""


def test_what_is_no_file_is_as_nothing(files):
    (files.folder / "folder").mkdir()
    os.mkfifo(files.folder / "pipe")
    (files.folder / "loop").symlink_to("loop")
    assert [files.read(name) for name in ("folder", "pipe", "loop", "missing")] == [b""] * 4


def test_what_a_link_leads_to_is_not_cleared(files, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    files.folder.rename(elsewhere)
    files.folder.symlink_to(elsewhere)
    files.clear()
    assert not files.folder.is_symlink()
    assert (elsewhere / "name").exists()


@pytest.mark.parametrize("value", ["", "relative", "."])
def test_a_cache_directory_that_is_not_absolute_is_as_not_set(home, monkeypatch, value):
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert DiskCache("gate").folder == home / ".cache/tidegate/gate"


def test_without_a_home_that_of_the_user_counts(home, monkeypatch):
    monkeypatch.delenv("HOME")
    users = pwd.getpwuid(os.getuid()).pw_dir
    assert str(DiskCache("gate").folder) == f"{users}/.cache/tidegate/gate"


@pytest.mark.parametrize("value", ["", "relative"])
def test_with_a_home_that_is_none_nothing_is_kept(home, monkeypatch, value):
    monkeypatch.setenv("HOME", value)
    files = DiskCache("compiled")
    files.keep("name", b"content")
    assert (files.folder, files.read("name"), files.sizes()) == (None, b"", {})
    assert "set HOME" in files.trouble


@pytest.mark.parametrize("place", ["file", "/proc/self", "/dev/null/below"])
def test_where_nothing_can_be_written_nothing_is_kept(home, monkeypatch, place):
    (home / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / place))
    files = DiskCache("compiled")
    files.keep("name", b"content")
    assert files.read("name") == b""


def test_machine_code_in_the_place_of_another_is_not_run(home, grid):
    few, many = grid(2), grid(3)
    tiers = Tiers(SearchRequest(few, []))
    code, other = tiers.begin(""), Tiers(SearchRequest(many, []))
    assert code != other.begin("")
    names = [object_files.name_of("first tier", one.module.digest) for one in (tiers, other)]
    folder = DiskCache("compiled").folder
    (folder / names[0]).write_bytes((folder / names[1]).read_bytes())
    assert Tiers(SearchRequest(few, [])).begin("") == code

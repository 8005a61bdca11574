"""What is kept between runs is believed only if this user wrote it, and never an error."""

import hashlib
import multiprocessing
import os
import pwd
import stat
import subprocess
import sys

import pytest

import tidegate.cli  # noqa: F401 - it prints warnings
from tidegate.checker.compiled import cache
from tidegate.checker.compiled.tiers import Tiers
from tidegate.checker.kept import Store, key_file
from tidegate.checker.request import SearchRequest

ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="only root can give files to another user")
SOMEBODY = 12345


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return an empty home directory, with nothing set that would lead elsewhere."""
    for variable in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "TIDEGATE_CACHE_KEY"):
        monkeypatch.delenv(variable, raising=False)
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tidegate.checker.kept._warned", set())
    return home


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def store(home):
    """Return a store with one file in it."""
    store = Store("compiled")
    store.keep("name", b"content")
    assert Store("compiled").read("name") == b"content"
    return store


def is_believed():
    return Store("compiled").read("name") == b"content"


def test_directories_files_and_the_key_are_the_users_alone(home, store):
    key = home / ".local/state/tidegate/cache.key"
    assert key_file() == key
    assert len(key.read_bytes()) == 32
    assert key.read_bytes() != bytes(32)
    files = [home / ".cache/tidegate/compiled/name", key]
    folders = [home / part for part in (".cache", ".local", ".local/state")]
    folders += [home / ".cache/tidegate", home / ".cache/tidegate/compiled", key.parent]
    assert {mode(file) for file in files} == {0o600}
    assert {mode(folder) for folder in folders} == {0o700}
    assert mode(home) == 0o755
    assert {path.name for path in key.parent.iterdir()} == {"cache.key"}
    assert {path.name for path in store.folder.iterdir()} == {"name"}


@pytest.mark.parametrize("bits", [0o777, 0o755, 0o770, 0o1777])
def test_the_own_directories_are_taken_from_others(store, bits):
    for folder in (store.folder, store.folder.parent, key_file().parent):
        folder.chmod(bits)
    assert is_believed()
    for folder in (store.folder, store.folder.parent, key_file().parent):
        assert mode(folder) == 0o700


@pytest.mark.parametrize("part", ["", ".cache", ".local", ".local/state"])
@pytest.mark.parametrize("bits", [0o775, 0o757])
def test_nothing_is_believed_below_what_others_can_write(home, store, capsys, part, bits):
    (home / part).chmod(bits)
    for _ in range(3):
        assert not is_believed()
    Store("compiled").keep("other", b"content")
    assert not (store.folder / "other").exists()
    said = capsys.readouterr().err
    assert said.count("\n") == 1, "once"
    assert f"{home / part} can be written by others (chmod go-w {home / part})" in said
    (home / part).chmod(0o755)
    assert is_believed()


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_believed(store, bits):
    (store.folder / "name").chmod(bits)
    assert not is_believed()
    Store("compiled").keep("name", b"content")
    assert is_believed()
    assert mode(store.folder / "name") == 0o600


@needs_root
@pytest.mark.parametrize(
    "part", ["", ".cache", ".cache/tidegate", ".cache/tidegate/compiled", ".local/state/tidegate"]
)
def test_nothing_is_believed_in_a_directory_of_somebody_else(home, store, capsys, part):
    os.chown(home / part, SOMEBODY, SOMEBODY)
    assert not is_believed()
    Store("compiled").keep("other", b"content")
    assert not (store.folder / "other").exists()
    assert f"{home / part} belongs to user {SOMEBODY}, not to root" in capsys.readouterr().err


@needs_root
@pytest.mark.parametrize(
    "file", [".cache/tidegate/compiled/name", ".local/state/tidegate/cache.key"]
)
def test_a_file_of_somebody_else_is_not_believed(home, store, file):
    os.chown(home / file, SOMEBODY, SOMEBODY)
    assert not is_believed()
    Store("compiled").keep("name", b"content")
    assert is_believed()
    assert (home / file).stat().st_uid == 0


def test_a_link_is_judged_by_where_it_leads(home, store, tmp_path, capsys):
    elsewhere = tmp_path / "elsewhere"
    (home / ".cache").rename(elsewhere)
    (home / ".cache").symlink_to(elsewhere)
    assert is_believed()
    elsewhere.chmod(0o777)
    assert not is_believed()
    assert f"{elsewhere} can be written by others" in capsys.readouterr().err
    elsewhere.chmod(0o700)
    (store.folder / "name").rename(tmp_path / "name")
    (store.folder / "name").symlink_to(tmp_path / "name")
    assert is_believed()
    (tmp_path / "name").chmod(0o666)
    assert not is_believed()


def test_below_a_directory_like_tmp_nobody_takes_anothers_place(store, home, monkeypatch):
    shared = home / "tmp"
    shared.mkdir()
    shared.chmod(0o1777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    monkeypatch.setenv("XDG_STATE_HOME", str(shared))
    Store("compiled").keep("name", b"content")
    assert is_believed()
    assert mode(shared / "tidegate") == 0o700
    assert mode(shared) == 0o1777
    shared.chmod(0o777)
    assert not is_believed()


def test_what_was_copied_without_its_key_is_not_believed(store, capsys):
    """As when a cache is restored on another machine."""
    key = key_file().read_bytes()
    key_file().unlink()
    assert not is_believed()
    Store("compiled").keep("other", b"content")
    assert key_file().read_bytes() != key
    assert not is_believed()
    key_file().write_bytes(key)
    assert is_believed()
    assert capsys.readouterr().err == "", "that is harmless"


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 33])
def test_a_key_that_is_damaged_is_replaced(store, content):
    key_file().write_bytes(content)
    assert not is_believed()
    Store("compiled").keep("name", b"content")
    assert is_believed()
    assert len(key_file().read_bytes()) == 32


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o644])
def test_a_key_that_others_could_read_is_replaced(store, bits):
    before = key_file().read_bytes()
    key_file().chmod(bits)
    assert not is_believed()
    Store("compiled").keep("name", b"content")
    assert is_believed()
    assert mode(key_file()) == 0o600
    assert key_file().read_bytes() != before


def test_a_file_in_anothers_place_is_not_believed(store):
    content = (store.folder / "name").read_bytes()
    (store.folder / "other").write_bytes(content)
    (store.folder / "other").chmod(0o600)
    assert Store("compiled").read("other") == b""
    Store("gate").keep("other", b"content")
    (Store("gate").folder / "name").write_bytes(content)
    assert Store("gate").read("name") == b"", "nor in another store"


FORGED = {
    "no code": b"content",
    "nothing": b"",
    "a short code": b"1234",
    "the hash that was enough once": hashlib.sha256(b"namecontent").digest() + b"content",
    "a code without a key": hashlib.blake2b(b"compiled/name\0content", digest_size=32).digest()
    + b"content",
    "a code with a key of nothing": hashlib.blake2b(
        b"compiled/name\0content", digest_size=32, key=bytes(32)
    ).digest()
    + b"content",
}


@pytest.mark.parametrize("which", FORGED)
def test_what_was_made_without_the_key_is_not_believed(store, which):
    (store.folder / "name").write_bytes(FORGED[which])
    assert Store("compiled").read("name") == b""


def test_every_changed_byte_is_noticed(store):
    file = store.folder / "name"
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert Store("compiled").read("name") == b""
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        assert Store("compiled").read("name") == b""
    file.write_bytes(whole + b"0")
    assert Store("compiled").read("name") == b""


def test_what_is_no_file_is_as_nothing(store):
    file = store.folder / "name"
    for make in (os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)):
        file.unlink(missing_ok=True)
        make(file)
        assert not is_believed()
        if file.is_dir():
            file.rmdir()


def test_a_lock_destroys_nothing(store, tmp_path):
    (tmp_path / "precious").write_text("precious")
    (store.folder / "name.lock").symlink_to(tmp_path / "precious")
    with store.alone("name"):
        pass
    assert (tmp_path / "precious").read_text() == "precious"
    with store.alone("free"):
        assert (store.folder / "free.lock").exists()
    assert not (store.folder / "free.lock").exists()


def test_what_a_link_leads_to_is_not_cleared(store, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("precious")
    store.clear()
    assert not store.folder.exists()
    store.folder.symlink_to(precious)
    store.clear()
    assert (precious / "file").read_text() == "precious"
    assert not store.folder.is_symlink()


def kept_by_one_of_many(number, ready):
    ready.wait()
    Store("compiled").keep(str(number), b"content")


def test_processes_that_begin_at_once_make_one_key(home):
    context = multiprocessing.get_context("fork")
    for _ in range(5):
        ready = context.Barrier(8)
        started = [context.Process(target=kept_by_one_of_many, args=(n, ready)) for n in range(8)]
        for process in started:
            process.start()
        for process in started:
            process.join()
        assert [Store("compiled").read(str(n)) for n in range(8)] == [b"content"] * 8
        key_file().unlink()


@pytest.mark.parametrize("value", ["", "relative", "./here", "~"])
def test_a_cache_directory_that_is_not_absolute_is_as_not_set(home, monkeypatch, tmp_path, value):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.setenv("XDG_STATE_HOME", value)
    assert Store("compiled").folder == home / ".cache/tidegate/compiled"
    assert key_file() == home / ".local/state/tidegate/cache.key"
    Store("compiled").keep("name", b"content")
    assert is_believed()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]


def test_without_a_home_that_of_the_user_counts(home, monkeypatch):
    monkeypatch.delenv("HOME")
    known = pwd.getpwuid(os.getuid()).pw_dir
    assert str(Store("compiled").folder) == f"{known}/.cache/tidegate/compiled"


@pytest.mark.parametrize("value", ["relative", ""])
def test_with_a_home_that_is_none_nothing_is_kept(home, monkeypatch, value, capsys):
    monkeypatch.setenv("HOME", value)
    store = Store("compiled")
    store.keep("name", b"content")
    assert store.read("name") == b""
    with store.alone("name"):
        pass
    store.clear()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("place", ["/proc/self", "/dev/null/below", "/dev/full"])
def test_where_nothing_can_be_written_nothing_is_kept(home, monkeypatch, place, capsys):
    for variable in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        with monkeypatch.context() as patched:
            patched.setenv(variable, place)
            store = Store("compiled")
            store.keep("name", b"content")
            assert store.read("name") == b""
            with store.alone("name"):
                pass
    assert capsys.readouterr().err == ""


def test_who_has_the_shared_key_is_believed_whoever_owns_the_files(home, store, monkeypatch):
    monkeypatch.setenv("TIDEGATE_CACHE_KEY", "a secret of ours")
    assert not is_believed(), "that was made with another key"
    Store("compiled").keep("name", b"content")
    for path in (store.folder, store.folder / "name", home, home / ".cache"):
        path.chmod(0o777)
        if ROOT:
            os.chown(path, SOMEBODY, SOMEBODY)
    key_file().unlink()
    assert is_believed()
    monkeypatch.setenv("TIDEGATE_CACHE_KEY", "another secret")
    assert not is_believed()
    monkeypatch.setenv("TIDEGATE_CACHE_KEY", "")
    assert not is_believed()


def test_machine_code_of_others_is_not_run(home, grid):
    """Code that was put in the place of what a search makes, in the form that was believed once."""
    few, many = grid(2), grid(3)
    tiers = Tiers(SearchRequest(few, []))
    code, other = tiers.begin(""), Tiers(SearchRequest(many, [])).begin("")
    assert code != other
    name = cache.name_of("first tier", tiers.module.digest)
    forged = hashlib.sha256(name.encode() + other).digest() + other
    (Store("compiled").folder / name).write_bytes(forged)
    assert Tiers(SearchRequest(few, [])).begin("") == code


def test_the_command_says_what_there_is_and_whether_it_is_believed(home, store):
    def shown():
        command = [sys.executable, "-m", "tidegate", "cache"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    folder = store.folder
    key = key_file()
    assert shown() == (
        f"39 bytes in {folder}: 1 file, all made with your key\n"
        f"0 bytes in {folder.parent}/gate\nkey: {key}\n"
    )
    (folder / "other").write_bytes(b"content")
    assert f"46 bytes in {folder}: 2 files, 1 ignored (not made with your key, or" in shown()
    (home / ".cache").chmod(0o777)
    assert f"46 bytes in {folder}; not used: {home}/.cache can be written" in shown()
    (home / ".cache").chmod(0o700)
    key.unlink()
    assert "2 files, 2 ignored" in shown()
    assert shown().endswith(f"key: none yet; it will be made in {key}\n")

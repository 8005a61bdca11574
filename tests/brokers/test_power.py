"""A power loss on disk: a log is truncated at an offset, wherever it starts."""

import pytest

from tidegate.brokers.observe import stored_log
from tidegate.brokers.power_loss import lose_power
from tidegate.brokers.records import encode_batch


def segment(folder, base, *values):
    folder.mkdir(exist_ok=True)
    data = b"".join(encode_batch([one], base + i, 0) for i, one in enumerate(values))
    (folder / f"{base:020}.log").write_bytes(data)


@pytest.mark.parametrize(
    ("kept", "left"), [(2, []), (3, ["m2"]), (4, ["m2", "m3"]), (5, ["m2", "m3", "m4"])]
)
def test_what_is_kept_is_an_offset_not_a_number_of_records(kept, left, tmp_path):
    segment(tmp_path / "t-0", 2, b"m2", b"m3")
    segment(tmp_path / "t-0", 4, b"m4")
    lose_power(tmp_path, "t", kept)
    assert [entry.value for entry in stored_log(tmp_path, "t").entries()] == left


def test_a_broker_without_a_replica_loses_nothing(tmp_path):
    lose_power(tmp_path, "t", 0)
    assert stored_log(tmp_path, "t").entries() == ()

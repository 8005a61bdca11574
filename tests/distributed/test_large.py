"""Large models come out as with the compiled engine, with symmetry and without."""

import pytest

from tidegate.core.result import Cluster

pytestmark = [pytest.mark.spark, pytest.mark.slow]

EPOCHS = "replicas=3 max_leader_epoch=2"


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize(
    ("settings", "distinct"),
    [("log_size=2 records=2", 737_794), ("log_size=4 records=4", 18_731_224)],
)
def test_a_large_model_is_searched_by_jobs(reported, tmp_path, settings, distinct, symmetry):
    model = "tidegate.examples.published:kip_320", f"{EPOCHS} {settings}"
    expected = reported(*model, symmetry=symmetry)
    assert expected["complete"]
    assert symmetry or expected["distinct_states"] == distinct
    cluster = Cluster(partitions=4, store=str(tmp_path))
    assert reported(*model, cluster=cluster, symmetry=symmetry) == expected

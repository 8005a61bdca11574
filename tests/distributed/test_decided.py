"""With Spark liveness is decided if -p names it, and otherwise named as not decided."""

import tidegate
from tests.decided.test_commands import COUNTER
from tidegate.checker.check import check
from tidegate.core.result import Cluster, Resources
from tidegate.core.spec import Outcome
from tidegate.library.names import find_protocol
from tidegate.library.properties import select, system_for

SPARK = Resources(engine="spark", cluster=Cluster(local_levels=0))


def test_a_plain_search_leaves_liveness_undecided_and_a_name_decides_it(spark, tmp_path):
    file = tmp_path / "counter.py"
    file.write_text(COUNTER.replace("CONSTRAINT", "None").replace("SLOWLY", "pass"))
    protocol = find_protocol(str(file))

    def searched(*names):
        selection = select(protocol, names)
        system = system_for(protocol, [], selection.properties)
        return check(system, selection.properties, named=selection.named, resources=SPARK)

    plain = searched()
    assert plain.outcome is Outcome.INCOMPLETE
    assert plain.complete
    assert set(plain.undecided) == {"Ends", "Recovers"}
    assert all("name it with -p" in why for why in plain.undecided.values())
    assert {v.property.name for v in plain.verdicts if v.outcome is Outcome.HOLDS} == {
        "Small",
        "Counts",
    }
    named = searched("Ends", "Recovers")
    assert named.outcome is Outcome.HOLDS
    assert named.vacuous == ["Recovers"]
    assert tidegate.check(str(file)).holds

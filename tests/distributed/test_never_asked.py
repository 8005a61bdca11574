"""With Spark a check says the same of the rules that were never asked."""

from tests.checker import grid
from tidegate.checker.check import check
from tidegate.core.result import Cluster, Resources
from tidegate.library.properties import find_properties, system_for


def test_it_says_the_same_of_a_rule_that_is_never_asked(spark):
    def never_asked(*settings):
        properties = find_properties(grid.OWN, ())
        system = system_for(grid.OWN, settings, properties)
        resources = Resources(engine="spark", cluster=Cluster(local_levels=0))
        return check(system, properties, resources=resources).never_asked

    assert never_asked("most=26") == ("beyond", "off")
    assert never_asked("most=12") == ("once", "judged", "beyond", "off")

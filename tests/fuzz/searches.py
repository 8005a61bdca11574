"""Random searches: a protocol or a mutant of one, its bounds, options and properties."""

from dataclasses import dataclass

from tidegate.checker.check import check
from tidegate.core.bounds import declared
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import EngineError, TidegateError, TransitionSystem
from tidegate.library.properties import properties_of, system_for
from tidegate.model.protocol import Protocol
from tidegate.render.report import report

DIFFERS = ("seconds", "symmetry", "engine", "exact", "collision_probability", "spark_levels")
"""What a report says of how it was found."""


@dataclass
class Search:
    """A search, which can be made again and again."""

    protocol: Protocol
    settings: list[str]
    options: dict[str, bool]
    limits: Limits
    system: TransitionSystem | None = None

    def run(self, limits=None, **how):
        """Search; return what every way of doing so has to report."""
        names = self.protocol.default_properties
        properties = [p for p in properties_of(self.protocol) if p.name in names]
        if self.system is None:
            self.system = system_for(self.protocol, self.settings, properties)
        system = self.system
        resources = Resources(**{"engine": "compiled", "memory": 1 << 30, **how})
        limits = limits or self.limits
        found = check(system, properties, limits=limits, resources=resources, **self.options)
        document = report(system, found)
        for name in DIFFERS:
            del document[name]
        return document

    def __str__(self):
        return f"{self.protocol.name} {self.settings} {self.options} {self.limits}"


def drawn(random, protocols, most_states, **how):
    """Draw a search that is neither large nor over at once, and return what it reports.

    Parameters
    ----------
    most_states
        Distinct states, about; a larger search is limited to the levels that have so many.
    """
    while True:
        chosen = random.choice(protocols)
        options = {"keep_going": random.random() < 0.5, "symmetry": random.random() < 0.3}
        settings = random_settings(random, chosen.model.bounds)
        search = Search(chosen, settings, options, Limits(max_states=most_states))
        try:
            found = search.run(**how)
        except EngineError:
            raise
        except TidegateError:
            # Bounds that contradict each other, or no symmetry.
            continue
        search.limits = Limits()
        if found["stopped_by"]:
            search.limits = Limits(max_depth=found["depth"] - 1)
            found = search.run(**how)
        if found["depth"] > 4:
            return search, found


def random_settings(random, bounds):
    """Return some small bounds and options."""
    settings = []
    for name, (bound, _) in declared(bounds).items():
        if name == "replicas":
            settings.append(f"replicas={random.choice((2, 2, 3))}")
        elif bound.main and random.random() < 0.7:
            settings.append(f"{name}={random.randint(max(bound.low, 1), min(bound.high, 2))}")
        elif not bound.main and not bound.follows and random.random() < 0.12:
            value = random.randint(bound.low, min(bound.high, bound.low + 1))
            settings.append(f"{name}={bound.show(value)}")
    return settings

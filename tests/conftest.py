"""Fixtures that several tests share: behaviors taken step by step, and searches by name."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from tidegate.checker.check import check
from tidegate.core.bounds import parse
from tidegate.core.result import Result
from tidegate.core.spec import Step, TransitionSystem
from tidegate.invariants.broker import INVARIANTS
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of, system_for
from tidegate.model.broker.family import DEFAULT_PROPERTIES

from .long import listed

# A machine that does other work takes any time for an example.
hypothesis_settings.register_profile("patient", deadline=None)
hypothesis_settings.load_profile("patient")

# A shell that runs the tests in the background has the one ignored, and nohup the other.  What the
# tests start would inherit that, and not end when it is told to.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what takes long, before what is not asked for is left out."""
    long = listed()
    for item in items:
        if not long.isdisjoint({item.nodeid, item.nodeid.partition("[")[0]}):
            item.add_marker(pytest.mark.long)


EVERY_HISTORY = frozenset({"committed", "acked", "high_watermark", "listed_offsets", "read"})


def make_system(protocol, settings="", needs=EVERY_HISTORY):
    """Return the transition system of a protocol with the bounds of ``"records=3 moves"``."""
    chosen = find_protocol(protocol)
    return chosen.system(parse(chosen.model.bounds, settings.split()), needs)


class Behavior:
    """A behavior that is taken step by step, every action watched."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.system.debug = True
        self.states, self.steps = [next(iter(system.initial_states()))], []

    @property
    def state(self):
        """The state that the behavior is in."""
        return self.states[-1]

    @property
    def record(self):
        """The state that the behavior is in, as actions see it."""
        self.system.layout.load(self.state)
        return self.system.record

    def can(self, action, *arguments):
        """Whether a step is enabled."""
        return self.system.take(self.state, self._step(action, arguments)) is not None

    def take(self, action, *arguments):
        """Take a step, which must be enabled."""
        step = self._step(action, arguments)
        state = self.system.take(self.state, step)
        assert state is not None, (
            f"{step} is not enabled in {self.system.scenes([self.state])[0].columns}"
        )
        self.states.append(state)
        self.steps.append(step)
        return self

    def follow(self, script):
        """Take the steps of a script: a line each, an action and its arguments."""
        for line in script.splitlines():
            if words := line.split("#")[0].split():
                self.take(words[0], *map(int, words[1:]))
        return self

    def violated(self):
        """Return the names of the default properties that the present state violates."""
        return {
            p.name
            for p in INVARIANTS
            if p.name in DEFAULT_PROPERTIES and self.system.violates(p, self.state)
        }

    def records(self, broker):
        """Return the records in a replica's log, oldest first."""
        replica = self.record.replica[broker]
        return [entry.record for entry in replica.log[: replica.leo]]

    def _step(self, action, arguments):
        [kind] = [a for a in self.system.actions if a.name == action]
        return Step(action, kind.parameters, arguments)


@pytest.fixture
def system() -> Callable[..., TransitionSystem]:
    """Make a transition system from a protocol's name and settings."""
    return make_system


@pytest.fixture
def begin() -> Callable[..., Behavior]:
    """Begin a behavior of a protocol under some settings."""
    return lambda protocol, settings="": Behavior(make_system(protocol, settings))


@pytest.fixture
def search() -> Callable[..., Result]:
    """Search a protocol for violations of the named properties, by default its own."""

    def run(protocol, settings="", names=None, **options):
        chosen = find_protocol(protocol)
        wanted = chosen.default_properties if names is None else names
        known = properties_of(chosen)
        properties = [p for p in known if p.name in wanted]
        assert len(properties) == len(wanted), "a property that does not exist"
        system = system_for(chosen, settings.split(), properties)
        return check(system, properties, **options)

    return run


@pytest.fixture(scope="session")
def java():
    """Skip what needs Spark where there is no Java for it, unless it is required."""
    home = os.environ.get("JAVA_HOME")
    found = Path(home, "bin", "java") if home else shutil.which("java")
    if not found or not Path(found).exists():
        message = "Spark needs Java; on Debian: apt install default-jre-headless"
        if os.environ.get("TIDEGATE_REQUIRE_SPARK") == "1":
            pytest.fail(message)
        pytest.skip(message)
    if os.environ.get("TIDEGATE_REQUIRE_SPARK") != "1":
        pytest.importorskip("pyspark")

"""Two models: in one of them an assertion fails."""
from dataclasses import dataclass
from tidegate import Model, Record, integer

@dataclass(frozen=True)
class Bounds:
    pass

class State(Record):
    x: int = integer(0, 5, "x")

good = Model(Bounds, State, deadlock=False)
bad = Model(Bounds, State, deadlock=False)

@good.action("a")
def up(s: State, k: Bounds) -> bool:
    """Up."""
    if s.x >= 2:
        return False
    s.x += 1
    assert s.x <= 2
    return True

@bad.action("a")
def climb(s: State, k: Bounds) -> bool:
    """Climb."""
    if s.x >= 3:
        return False
    s.x += 1
    assert s.x <= 2
    return True

# name: bad
# expect: violated Assertion 2

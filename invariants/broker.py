"""The properties of the broker family, in the order of lists."""

from ..core.spec import DEADLOCK, TYPE_OK, Kind, Property
from ..model.broker.family import BROKER
from . import NOT_PROMISED, divergence, exits, isr, leadership, loss, progress, reads

_ORDER = [module.__name__ for module in (loss, divergence, reads, isr, exits, leadership, progress)]

_DECLARED = sorted(
    BROKER.properties, key=lambda one: _ORDER.index((one.witness or one.predicate).__module__)
)

INVARIANTS: tuple[Property, ...] = (
    *(p for p in _DECLARED if p.kind is Kind.INVARIANT and p.name not in NOT_PROMISED),
    TYPE_OK,
)

PROPERTIES: tuple[Property, ...] = (
    *INVARIANTS,
    *(prop for prop in _DECLARED if prop not in INVARIANTS),
    DEADLOCK,
)

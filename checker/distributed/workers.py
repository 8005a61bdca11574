"""The functions that a Spark job calls in its worker processes, which load the kernel."""

from __future__ import annotations

import gc
import hashlib
import importlib.util
import socket
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from ...core.spec import TidegateError
from .kernel import Kernel
from .store import Store
from .tasks import Expanded, Owned, Plan, Sent, expand_share, own_share

KERNEL = "kernel-{}.ll"
"""Name of the kernel's text in the store."""

PARTS = (
    "core.layout",
    "core.files",
    "checker.documents",
    "checker.manifest",
    "checker.sealed",
    "checker.compiled.blocks",
    "checker.compiled.build",
    "checker.compiled.listing",
    "checker.compiled.memory",
    "checker.compiled.object_files",
    "checker.compiled.sampler",
    "checker.compiled.sampling",
    "checker.distributed.columns",
    "checker.distributed.kernel",
    "checker.distributed.runs",
    "checker.distributed.store",
    "checker.distributed.tables",
    "checker.distributed.tasks",
    "checker.distributed.workers",
)
"""Modules that an executor runs; the protocol itself comes with the kernel."""


class DifferentCodeError(TidegateError):
    """An executor has other code than the driver."""


class CutOffError(Exception):
    """An attempt did not receive everything that it was sent."""


@cache
def sources() -> str:
    """Return a hash of the code that an executor runs."""
    package = __package__.split(".")[0]
    digest = hashlib.sha256()
    for part in PARTS:
        spec = importlib.util.find_spec(f"{package}.{part}")
        assert spec is not None
        source = spec.loader.get_source(spec.name)  # type: ignore[union-attr]
        digest.update((source or "").encode())
    return digest.hexdigest()


_kernels: dict[str, Kernel] = {}
"""The kernel that this process has loaded, by its code."""


def kernel_of(plan: Plan, store: Store) -> Kernel:
    """Return the kernel for a plan, which each process loads once."""
    if plan.sources != sources():
        raise DifferentCodeError(
            f"the executor on {socket.gethostname()} runs other code than the driver; install the "
            "same version of Tidegate there, or send this one along with --ship"
        )
    code = plan.module.digest
    if code not in _kernels:
        name = KERNEL.format(code)
        text = store.read(name).decode()
        if hashlib.sha256(text.encode()).hexdigest() != code:
            raise DifferentCodeError(
                f"{store.location}/{name}: damaged; begin the search anew, in another store"
            )
        _kernels.clear()
        counts = plan.instances, plan.properties
        _kernels[code] = Kernel(text, plan.module, *counts)
        # Spark makes each worker collect garbage after every task, which takes longer than a small
        # task itself, unless permanent objects are excluded.
        gc.freeze()
    return _kernels[code]


def expand(plan: Plan, sender: int, _: Iterable[Any]) -> Iterator[Sent | tuple[int, int]]:
    """Expand the shares of the frontier that a Spark partition stands for.

    At the end every owner receives the number of bytes that it was sent.
    """
    store = Store(plan.store, search=plan.search)
    sizes = [0] * plan.shares
    for share in plan.expanded_by(sender):
        for owner, part in expand_share(kernel_of(plan, store), store, plan, share):
            if isinstance(part, bytes):
                sizes[owner] += len(part)
            yield owner, part
    yield from enumerate(sizes)


def own(
    plan: Plan, share: int, sent: Iterable[tuple[int, bytes | Expanded | int]]
) -> Iterator[Owned]:
    """Own the share that a Spark partition stands for."""
    store = Store(plan.store, search=plan.search)
    parts = whole(plan.senders, (part for _, part in sent))
    yield own_share(kernel_of(plan, store), store, plan, share, parts)


def whole(senders: int, sent: Iterable[bytes | Expanded | int]) -> Iterator[bytes | Expanded]:
    """Yield what an owner was sent; it is an error if something is missing at the end.

    When Spark cancels an attempt, for instance since another one was faster, its input just ends.
    The attempt must not replace the other one's run then.
    """
    size = 0
    for part in sent:
        if isinstance(part, int):
            senders, size = senders - 1, size - part
            continue
        if isinstance(part, bytes):
            size += len(part)
        yield part
    if senders or size:
        raise CutOffError("what this attempt was sent was cut off, so it writes nothing")


def owner(share: int) -> int:
    """Return the Spark partition that owns a share: the one of that number."""
    return share

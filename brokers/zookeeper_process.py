"""ZooKeeper on this machine, as releases of Kafka before 4.0 bring it."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path

from .distribution import Distribution
from .log4j import logging_settings, write_logging
from .patience import start_patience, until
from .process import Jvm, start_jvm

NEVER = 3_600_000
"""An hour in milliseconds."""


async def start_zookeeper(distribution: Distribution, folder: Path, port: int) -> Jvm:
    """Start ZooKeeper with its files in a new folder, and wait until it serves.

    Raises
    ------
    KafkaError
        If it does not in time.
    """
    folder.mkdir()
    config = folder / "zoo.cfg"
    config.write_text(
        f"dataDir={folder}\nclientPortAddress=127.0.0.1\nclientPort={port}\n"
        f"tickTime=500\nmaxSessionTimeout={2 * NEVER}\nmaxClientCnxns=0\n"
        "admin.enableServer=false\n",
        encoding="utf-8",
    )
    log = folder / "zookeeper.log"
    write_logging(distribution, folder, log, {"org.apache.zookeeper": "WARN"})
    process = await start_jvm(
        distribution,
        "org.apache.zookeeper.server.ZooKeeperServerMain",
        [str(config)],
        [folder / "output", log],
        # The logger of Kafka's jars lacks the beans that ZooKeeper registers.
        logging_settings(distribution, folder) | {"zookeeper.jmx.log4j.disable": "true"},
    )
    limit = start_patience()
    try:
        await process.listens(port, limit)
        if not await until(lambda: _serves(port), limit):
            raise process.failure(f"did not serve within {limit:.0f} s")
    except BaseException:
        await process.kill()
        raise
    return process


def _serves(port: int) -> bool:
    """Whether ZooKeeper takes requests; one that comes earlier may never be answered."""
    with (
        suppress(OSError),
        socket.create_connection(("127.0.0.1", port), 1) as connection,
    ):
        connection.sendall(b"srvr")
        return b"Mode:" in connection.recv(4096)
    return False

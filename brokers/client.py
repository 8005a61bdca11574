"""Single requests to a broker, without the retries and the metadata of a client library."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from .messages import Api
from .patience import patience
from .report import KafkaError
from .wire import WireError, decode_response, encode_request, read_frame, write_frame

NAME = "tidegate"


async def ask(
    port: int, api: Api, version: int, body: dict[str, Any], seconds: float | None = None
) -> dict[str, Any]:
    """Send one request over a connection of its own and return the response.

    Raises
    ------
    KafkaError
        If the broker does not answer in time, closes the connection, or answers something else.
    """
    data = encode_request(api, version, 1, NAME, body)
    writer = None
    seconds = patience() if seconds is None else seconds
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            write_frame(writer, data)
            return decode_response(api, version, await read_frame(reader))
    except TimeoutError:
        raise KafkaError(f"no answer to {api.name} within {seconds:.0f} s") from None
    except (OSError, asyncio.IncompleteReadError) as error:
        raise KafkaError(f"{api.name}: the connection was closed ({error!r})") from None
    except WireError as error:
        raise KafkaError(f"the answer to {api.name} is not of Kafka's protocol: {error}") from None
    finally:
        if writer is not None:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

"""What a test may tell the emulator:

    GET /_test/kill    kills the polling function where it is at work, as a timeout would; answers {"killed": processes}
"""

import json
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from ministack.core import lambda_runtime

App = Callable[..., Awaitable[None]]


def with_control(app: App) -> App:
    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope.get("path") != "/_test/kill":
            return await app(scope, receive, send)
        said = {"killed": kill_pollers()}
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps(said).encode()})

    return answer


def kill_pollers() -> int:
    workers = [worker for some in list(lambda_runtime._workers.values()) for worker in some if worker.in_use]
    processes = [
        one._proc for one in workers if "TABLE_NAME" in one.config.get("Environment", {}).get("Variables", {})
    ]
    alive = [one for one in processes if one is not None and one.poll() is None]
    for process in alive:
        os.kill(process.pid, signal.SIGKILL)
    return len(alive)

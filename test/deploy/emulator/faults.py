"""Faults on demand, in the requests that functions make; what the test itself asks for is left alone. Beside them what else the test may
tell the emulator: metrics.py says what.

    POST /_test/faults    [{"operation": "PutEvents", "kind": "throttle", "skip": 2, "count": 3}, ...]   replaces all
    GET  /_test/faults    the same with "hits"
    GET  /_test/requests  {"PutEvents": 12, ...}: what functions have asked for since the start

Kinds: "throttle" (answered 400, nothing done), "lose-answer" (done, but answered 500), "partial" (every second entry of a batch fails),
"kill" (done, but the processes of the polling function that are at work are killed before the answer). `skip` requests pass before the first, and then the next
fault of that operation has its turn.
"""

import json
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from ministack.core import lambda_runtime

import metrics

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Reply = tuple[int, list[tuple[bytes, bytes]], bytes]

JSON = [(b"content-type", b"application/x-amz-json-1.1")]
# Of a service's own throttling; the SDK retries each of them by itself.
THROTTLED = {"dynamodb": "ProvisionedThroughputExceededException"}


@dataclass
class Fault:
    operation: str
    kind: str
    skip: int = 0
    count: int = 1
    hits: int = 0


class FaultyApp:
    def __init__(self, app: App) -> None:
        self.app = app
        self.faults: list[Fault] = []
        self.requests: Counter[str] = Counter()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["path"].startswith("/_test/"):
            await reply(send, self.control(scope["method"], scope["path"], await read_body(receive)))
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        operation = headers.get(b"x-amz-target", "").rpartition(".")[2]
        if operation == "" or not is_from_a_function(headers):
            await self.app(scope, receive, send)
            return
        self.requests[operation] += 1
        fault = self.fault_for(operation)
        if fault is None:
            await self.app(scope, receive, send)
            return
        await reply(send, await self.answer(fault, scope, await read_body(receive), headers))

    def control(self, method: str, path: str, body: bytes) -> Reply:
        if path == "/_test/requests":
            return as_json(200, dict(self.requests))
        if path == "/_test/clock":
            return as_json(200, {"now": metrics.set_ahead(json.loads(body)["ahead"])})
        if method == "POST":
            self.faults = [Fault(**fault) for fault in json.loads(body)]
        return as_json(200, [asdict(fault) for fault in self.faults])

    def fault_for(self, operation: str) -> Fault | None:
        for fault in self.faults:
            if fault.operation != operation or fault.hits >= fault.count:
                continue
            if fault.skip > 0:
                fault.skip -= 1
                return None
            fault.hits += 1
            return fault
        return None

    async def answer(self, fault: Fault, scope: Message, body: bytes, headers: dict[bytes, str]) -> Reply:
        if fault.kind == "throttle":
            code = THROTTLED.get(service_of(headers), "ThrottlingException")
            return as_json(400, {"__type": code, "message": "Rate exceeded"})
        if fault.kind == "partial":
            return await self.partly(fault.operation, scope, body)
        done = await self.ask(scope, body)
        if fault.kind == "kill":
            kill_pollers()
            return done
        if fault.kind == "lose-answer":
            return as_json(500, {"__type": "InternalFailure", "message": "the answer was lost"})
        raise ValueError(f"no fault is called {fault.kind}")

    async def ask(self, scope: Message, body: bytes) -> Reply:
        """What the emulator makes of a request with this body."""
        sent: list[Message] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def collect(message: Message) -> None:
            sent.append(message)

        headers = [(name, value) for name, value in scope["headers"] if name.lower() != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        await self.app({**scope, "headers": headers}, receive, collect)
        start = sent[0]
        return start["status"], list(start["headers"]), b"".join(message.get("body", b"") for message in sent[1:])

    async def partly(self, operation: str, scope: Message, body: bytes) -> Reply:
        request = json.loads(body)
        if operation == "PutEvents":
            entries = request["Entries"]
            failed = {"ErrorCode": "InternalFailure", "ErrorMessage": "every second entry fails"}
            if len(entries) < 2:
                return as_json(200, {"FailedEntryCount": len(entries), "Entries": [failed for _ in entries]})
            done = await self.ask(scope, json.dumps({**request, "Entries": entries[::2]}).encode())
            results = iter(json.loads(done[2])["Entries"])
            merged = [failed if index % 2 else next(results) for index in range(len(entries))]
            return as_json(200, {"FailedEntryCount": len(entries) // 2, "Entries": merged})
        if operation == "BatchWriteItem":
            items: dict[str, list[Any]] = request["RequestItems"]
            first = {table: batch[::2] for table, batch in items.items()}
            left = {table: batch[1::2] for table, batch in items.items() if len(batch) > 1}
            status, _, answered = await self.ask(scope, json.dumps({**request, "RequestItems": first}).encode())
            return as_json(status, {**json.loads(answered), "UnprocessedItems": left})
        raise ValueError(f"{operation} has no entries that could fail one by one")


def is_from_a_function(headers: dict[bytes, str]) -> bool:
    """ministack gives functions their account's id as the key; the test and the command line use another."""
    return f"Credential={'0' * 12}/" in headers.get(b"authorization", "")


def service_of(headers: dict[bytes, str]) -> str:
    return headers.get(b"authorization", "").split("Credential=")[-1].split("/")[3]


def pollers_at_work() -> list[lambda_runtime.Worker]:
    workers = [worker for some in list(lambda_runtime._workers.values()) for worker in some if worker.in_use]
    return [one for one in workers if "TABLE_NAME" in one.config.get("Environment", {}).get("Variables", {})]


def kill_pollers() -> None:
    for worker in pollers_at_work():
        if worker._proc is not None and worker._proc.poll() is None:
            os.kill(worker._proc.pid, signal.SIGKILL)


def as_json(status: int, body: Any) -> Reply:
    return status, JSON, json.dumps(body).encode()


async def read_body(receive: Receive) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def reply(send: Send, answer: Reply) -> None:
    status, headers, body = answer
    kept = [(name, value) for name, value in headers if name.lower() != b"content-length"]
    kept.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": kept})
    await send({"type": "http.response.body", "body": body})

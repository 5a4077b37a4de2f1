"""What EventBridge does and ministack does not: an entry's own Time, replays of an archive to some rules only, and Firehose as a target."""

import base64
import json
from contextvars import ContextVar, copy_context
from threading import Thread
from typing import Any

from ministack.core.responses import json_response
from ministack.core.arn import parse_arn
from ministack.services import eventbridge, firehose

put_events = eventbridge._put_events
now = eventbridge._now_ts

entry_time: ContextVar[float | None] = ContextVar("entry_time", default=None)


def put_events_in_time(data: dict[str, Any], allow_aws_source: bool = False) -> Any:
    """ministack dates each event by its clock: one entry at a time, with that entry's Time for the clock."""
    entries = data.get("Entries") or []
    if not 1 <= len(entries) <= 10:
        return put_events(data, allow_aws_source)
    results = []
    for entry in entries:
        token = entry_time.set(entry.get("Time"))
        _, _, body = put_events({"Entries": [entry]}, allow_aws_source)
        entry_time.reset(token)
        results += json.loads(body)["Entries"]
    return json_response({"FailedEntryCount": sum("ErrorCode" in one for one in results), "Entries": results})


def put_into_stream(arn: str, event: Any) -> None:
    data = base64.b64encode(json.dumps(event).encode()).decode()
    status, _, body = firehose._put_record({"DeliveryStreamName": arn.rpartition("/")[2], "Record": {"Data": data}})
    if status >= 400:
        raise ValueError(f"put_record: {body.decode()}")


def install() -> None:
    """After whoever else replaces what a target is invoked by."""
    invoke = eventbridge._invoke_target

    def invoke_target(target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], view: Any = None) -> None:
        replay = eventbridge._replays.get(event["ReplayName"]) if "ReplayName" in event else None
        only = replay and replay["Destination"].get("FilterArns")
        if only and rule["Arn"] not in only:
            return
        if parse_arn(target["Arn"]).service == "firehose":
            whole = (view or eventbridge._pattern_event_view(event)).event_with_detail()
            # The function of a stream may ask the emulator for something, which must be free to answer.
            Thread(target=copy_context().run, args=(put_into_stream, target["Arn"], whole), daemon=True).start()
        else:
            invoke(target, event, rule, view)

    eventbridge._now_ts = lambda: entry_time.get() or now()
    eventbridge._put_events = put_events_in_time
    eventbridge._invoke_target = invoke_target

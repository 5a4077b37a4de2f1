"""What EventBridge does and ministack does not: an entry's own Time, and replays of an archive to some rules only."""

import json
from contextvars import ContextVar
from typing import Any

from ministack.core.responses import json_response
from ministack.services import eventbridge

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


def install() -> None:
    """After whoever else replaces what a target is invoked by."""
    invoke = eventbridge._invoke_target

    def invoke_target(target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], view: Any = None) -> None:
        replay = eventbridge._replays.get(event["ReplayName"]) if "ReplayName" in event else None
        only = replay and replay["Destination"].get("FilterArns")
        if not only or rule["Arn"] in only:
            invoke(target, event, rule, view)

    eventbridge._now_ts = lambda: entry_time.get() or now()
    eventbridge._put_events = put_events_in_time
    eventbridge._invoke_target = invoke_target

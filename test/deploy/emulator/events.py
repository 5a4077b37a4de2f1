"""PutEvents with the limits of the real one, which ministack accepts silently, and with each entry's own Time."""

import json
import time
from typing import Any

from ministack.core.responses import error_response_json, get_account_id, get_region, json_response, new_uuid
from ministack.services import eventbridge

Answer = tuple[int, dict[str, str], bytes]

MOST_ENTRIES = 10
MOST_BYTES = 1024 * 1024
REQUIRED = ("Source", "DetailType", "Detail")


def entry_bytes(entry: dict[str, Any]) -> int:
    """The size that AWS counts: 14 for Time, and the UTF-8 bytes of the other fields."""
    texts = [entry.get(name) or "" for name in REQUIRED] + list(entry.get("Resources") or [])
    return (14 if entry.get("Time") is not None else 0) + sum(len(text.encode()) for text in texts)


def put_events(data: dict[str, Any], allow_aws_source: bool = False) -> Answer:
    entries: list[dict[str, Any]] = data.get("Entries") or []
    if not 1 <= len(entries) <= MOST_ENTRIES:
        return error_response_json("ValidationException", f"{len(entries)} entries: 1 to {MOST_ENTRIES} are allowed")
    if sum(map(entry_bytes, entries)) >= MOST_BYTES:
        return error_response_json("ValidationException", "Total size of the entries in the request is over the limit.")
    results = [put_event(entry, allow_aws_source) for entry in entries]
    failed = sum("ErrorCode" in result for result in results)
    return json_response({"FailedEntryCount": failed, "Entries": results})


def put_event(entry: dict[str, Any], allow_aws_source: bool) -> dict[str, str]:
    bus, problem = eventbridge._event_bus_name_from_ref(entry.get("EventBusName", "default"))
    if problem:
        return {"ErrorCode": problem[0], "ErrorMessage": problem[1]}
    missing = [name for name in REQUIRED if not entry.get(name)]
    if missing:
        return {"ErrorCode": "InvalidArgument", "ErrorMessage": f"Parameter {missing[0]} is not valid."}
    if entry["Source"].startswith("aws.") and not allow_aws_source:
        return {"ErrorCode": "NotAuthorizedForSourceException", "ErrorMessage": "Not authorized for the source."}
    try:
        if not isinstance(json.loads(entry["Detail"]), dict):
            raise ValueError("not an object")
    except ValueError:
        return {"ErrorCode": "MalformedDetail", "ErrorMessage": "Detail is malformed."}
    event = {
        "EventId": new_uuid(),
        "Source": entry["Source"],
        "DetailType": entry["DetailType"],
        "Detail": entry["Detail"],
        "EventBusName": bus,
        "Time": int(entry.get("Time") or time.time()),
        "Resources": entry.get("Resources") or [],
        "Account": get_account_id(),
        "Region": get_region(),
    }
    # An event for a bus that does not exist is accepted, and dropped.
    if bus in eventbridge._event_buses:
        view = eventbridge._pattern_event_view(event)
        eventbridge._dispatch_event(event, view)
        eventbridge._archive_event(event, view)
    return {"EventId": event["EventId"]}


def install() -> None:
    eventbridge._put_events = put_events

"""Replays of an archive to some rules only, which ministack sends to all of the bus, and how far a replay has come."""

from typing import Any

from ministack.services import eventbridge

dispatch = eventbridge._dispatch_event


def dispatch_event(event: dict[str, Any], view: Any = None) -> None:
    dispatch(event, view)
    replay = replay_of(event)
    if replay is not None:
        replay["EventLastReplayedTime"] = event["Time"]


def replay_of(event: dict[str, Any]) -> dict[str, Any] | None:
    return eventbridge._replays.get(event["ReplayName"]) if "ReplayName" in event else None


def install() -> None:
    """After whoever else replaces what a target is invoked by."""
    invoke = eventbridge._invoke_target

    def invoke_target(target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], view: Any = None) -> None:
        replay = replay_of(event)
        only = replay and replay["Destination"].get("FilterArns")
        if not only or rule["Arn"] in only:
            invoke(target, event, rule, view)

    eventbridge._dispatch_event = dispatch_event
    eventbridge._invoke_target = invoke_target

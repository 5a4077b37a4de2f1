"""Events that a rule forwards to a bus of another account, which ministack drops.

As in AWS, the policy of that bus must let the rule's account put events. Else the event goes into the queue of the target's DeadLetterConfig. The
role of the target has to be there, but what it may do is not looked at.

A request to a bucket of another account is judged by that bucket's policy. Requests come by http here, and by https to AWS: so each counts as
encrypted, or the policy's rule against plain http would refuse all of them.
"""

import json
import threading
from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import eventbridge, sqs

# The target that the thread is about, and the event as it gets it: ministack's functions do not hand them on.
current = threading.local()

invoke = eventbridge._invoke_target
dispatch = eventbridge._dispatch_to_event_bus


def invoke_target(target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], view: Any = None) -> None:
    view = view or eventbridge._pattern_event_view(event)
    current.target, current.event = target, json.dumps(view.event_with_detail())
    invoke(target, event, rule, view)


def dispatch_to_event_bus(
    spec: Any, event: dict[str, Any], rule: dict[str, Any], path: set[str], given: str | None = None
) -> None:
    account = get_account_id()
    if spec.account_id == account or spec.region != get_region():
        dispatch(spec, event, rule, path, given)
        return
    # An event that one account has forwarded to another keeps the number of the first.
    forwarded = {**event, "Account": event.get("Account", account)}
    with request_scope(spec.account_id, spec.region):
        bus = spec.resource.split("/", 1)[1]
        is_taken = bus in eventbridge._event_buses and may_put(bus, spec, account)
        if is_taken:
            dispatch(spec, forwarded, rule, path, given)
    if not is_taken:
        give_up(rule)


def give_up(rule: dict[str, Any]) -> None:
    arn = (current.target.get("DeadLetterConfig") or {}).get("Arn")
    queue = sqs._queue_by_arn(arn) if arn else None
    if queue is None or not may_send(queue, arn, rule):
        return
    attributes = {
        "RULE_ARN": rule["Arn"],
        "TARGET_ARN": current.target["Arn"],
        "ERROR_CODE": "SDK_CLIENT_ERROR",
        "ERROR_MESSAGE": "No permissions to put events on the bus, or no such bus.",
        "RETRY_ATTEMPTS": "0",
    }
    message = {
        "QueueUrl": queue["url"],
        "MessageBody": current.event,
        "MessageAttributes": {name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()},
    }
    sqs._act_send_message(message, queue["url"])


def may_send(queue: dict[str, Any], arn: str, rule: dict[str, Any]) -> bool:
    """By the queue's own policy: EventBridge has no other right to it."""
    context = iam_evaluator.EvalContext(
        principal_arn="*",
        principal_type="Service",
        principal_account="",
        action="sqs:SendMessage",
        resource_arn=arn,
        region=get_region(),
        secure_transport=True,
        service_context={"aws:sourcearn": rule["Arn"], "aws:sourceaccount": get_account_id()},
    )
    policy = queue["attributes"].get("Policy") or ""
    return iam_evaluator.evaluate_resource_policy(policy, context, service="events.amazonaws.com").decision == "Allow"


def may_put(bus: str, spec: Any, account: str) -> bool:
    context = iam_evaluator.EvalContext(
        principal_arn=f"arn:aws:iam::{account}:root",
        principal_type="Account",
        principal_account=account,
        action="events:PutEvents",
        resource_arn=f"arn:aws:events:{spec.region}:{spec.account_id}:{spec.resource}",
        region=spec.region,
        secure_transport=True,
        service_context={},
    )
    policy = eventbridge._event_bus_policies.get(bus) or {}
    return iam_evaluator.evaluate_resource_policy(policy, context).decision == "Allow"


def install() -> None:
    # In the context that the server is started in, and each request inherits.
    iam_evaluator.pin_request_origin("127.0.0.1", True)
    eventbridge._invoke_target = invoke_target
    eventbridge._dispatch_to_event_bus = dispatch_to_event_bus

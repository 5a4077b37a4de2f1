"""Deliveries to API destinations that fail, as EventBridge treats them and ministack, which drops them, does not: tried again by the target's
RetryPolicy, and then put into the queue of its DeadLetterConfig, if that queue's policy lets the rule do so.

Between two attempts nothing is waited for, where EventBridge waits longer and longer, and as long as a Retry-After says. What fails for targets
of other kinds ministack still drops.
"""

import json
import logging
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region, set_request_account_id, set_request_region
from ministack.services import eventbridge, sqs

log = logging.getLogger(__name__)

invoke = eventbridge._invoke_target
build_request = eventbridge._build_api_destination_request

# Of a target that states none.
MOST_RETRIES = 185
OLDEST = 24 * 60 * 60
# What EventBridge tries again, of the answers with a status; whoever does not answer is tried again too.
RETRIED = (401, 407, 409, 429)


@dataclass
class Delivery:
    """An event on its way to a target."""

    target: dict[str, Any]
    rule: dict[str, Any]
    event: str
    accepted: float = field(default_factory=time.time)
    account: str = field(default_factory=get_account_id)
    region: str = field(default_factory=get_region)


@dataclass
class Failure:
    message: str
    is_retried: bool


# The delivery that the thread is about: ministack's functions do not hand it on.
current = threading.local()


def invoke_target(target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], view: Any = None) -> None:
    view = view or eventbridge._pattern_event_view(event)
    current.delivery = Delivery(target, rule, json.dumps(view.event_with_detail()))
    invoke(target, event, rule, view)


def build_request_of_delivery(*given: Any) -> dict[str, Any]:
    return {**build_request(*given), "delivery": current.delivery}


def deliver(_name: str, request: dict[str, Any], connection: dict[str, Any], token_key: Any) -> None:
    """In a thread of its own, as ministack starts it."""
    delivery: Delivery = request["delivery"]
    set_request_account_id(delivery.account)
    set_request_region(delivery.region)
    policy = delivery.target.get("RetryPolicy") or {}
    most = int(policy.get("MaximumRetryAttempts", MOST_RETRIES))
    oldest = int(policy.get("MaximumEventAgeInSeconds", OLDEST))
    retries = 0
    while (failure := attempt(request, connection, token_key)) is not None:
        exhausted = None
        if failure.is_retried:
            if time.time() - delivery.accepted >= oldest:
                exhausted = "MaximumEventAgeInSeconds"
            elif retries >= most:
                exhausted = "MaximumRetryAttempts"
            else:
                retries += 1
                continue
        give_up(delivery, failure, retries, exhausted)
        return


def attempt(request: dict[str, Any], connection: dict[str, Any], token_key: Any) -> Failure | None:
    try:
        headers = eventbridge._connection_auth_headers(connection, token_key)
        status = eventbridge._api_destination_send_sync(request, headers)
    except Exception as error:
        log.info("no answer: %s", error)
        return Failure("API destination endpoint cannot be reached.", is_retried=True)
    if 200 <= status < 300:
        return None
    is_retried = status >= 500 or status in RETRIED
    return Failure(f"API destination returned HTTP status {status}.", is_retried)


def give_up(delivery: Delivery, failure: Failure, retries: int, exhausted: str | None) -> None:
    arn = (delivery.target.get("DeadLetterConfig") or {}).get("Arn")
    queue = sqs._queue_by_arn(arn) if arn else None
    if queue is None or not may_send(queue, arn, delivery):
        log.warning("an event is dropped, as nothing keeps it: %s", failure.message)
        return
    attributes = {
        "RULE_ARN": delivery.rule["Arn"],
        "TARGET_ARN": delivery.target["Arn"],
        "ERROR_CODE": "SDK_CLIENT_ERROR",
        "ERROR_MESSAGE": f"Unable to invoke ApiDestination endpoint: {failure.message}",
        "RETRY_ATTEMPTS": str(retries),
        # Only of what was tried again.
        **({} if exhausted is None else {"EXHAUSTED_RETRY_CONDITION": exhausted}),
    }
    message = {
        "QueueUrl": queue["url"],
        "MessageBody": delivery.event,
        "MessageAttributes": {name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()},
    }
    sqs._act_send_message(message, queue["url"])


def may_send(queue: dict[str, Any], arn: str, delivery: Delivery) -> bool:
    """By the queue's own policy: EventBridge has no other right to it."""
    context = iam_evaluator.EvalContext(
        principal_arn="*",
        principal_type="Service",
        principal_account="",
        action="sqs:SendMessage",
        resource_arn=arn,
        region=delivery.region,
        secure_transport=True,
        service_context={"aws:sourcearn": delivery.rule["Arn"], "aws:sourceaccount": delivery.account},
    )
    policy = queue["attributes"].get("Policy") or ""
    return iam_evaluator.evaluate_resource_policy(policy, context, service="events.amazonaws.com").decision == "Allow"


def install() -> None:
    eventbridge._invoke_target = invoke_target
    eventbridge._build_api_destination_request = build_request_of_delivery
    eventbridge._deliver_to_api_destination = deliver

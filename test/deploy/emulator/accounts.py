"""Events that a rule forwards to a bus of another account, which ministack drops.

As in AWS, the policy of that bus must let the rule's account put events. The role of the target has to be there, but what it may do is not
looked at.

A request to a bucket of another account is judged by that bucket's policy. Requests come by http here, and by https to AWS: so each counts as
encrypted, or the policy's rule against plain http would refuse all of them.
"""

from typing import Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import eventbridge

dispatch = eventbridge._dispatch_to_event_bus


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
        if bus in eventbridge._event_buses and may_put(bus, spec, account):
            dispatch(spec, forwarded, rule, path, given)


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
    eventbridge._dispatch_to_event_bus = dispatch_to_event_bus

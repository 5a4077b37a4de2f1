"""What AWS refuses and ministack does: deletions while something still depends on it, and names that are taken."""

from collections.abc import Callable
from typing import Any

from ministack.core.responses import error_response_json
from ministack.services import cloudwatch_logs, eventbridge
from ministack.services.cloudformation import provisioners

from cloudformation import call, events_arn

Properties = dict[str, Any]
Operation = Callable[[Properties], tuple[int, Any, bytes]]


def refusing(operation: Operation, reason: Callable[[Properties], tuple[str, str] | None]) -> Operation:
    """The operation, but where there is a reason its error."""

    def refused_or_done(properties: Properties) -> tuple[int, Any, bytes]:
        problem = reason(properties)
        return operation(properties) if problem is None else error_response_json(*problem, 400)

    return refused_or_done


def rules_on_bus(properties: Properties) -> tuple[str, str] | None:
    """An archive has a rule of its own on its bus, which ministack does not show."""
    bus = properties.get("Name", "").rpartition("/")[2]
    has_rules = any(rule.get("EventBusName") == bus for rule in eventbridge._rules.values())
    source = events_arn("event-bus", bus)
    is_archived = any(archive.get("EventSourceArn") == source for archive in eventbridge._archives.values())
    if has_rules or is_archived:
        return "ValidationException", "EventBus can't be deleted since it has rules."
    return None


def targets_of_rule(properties: Properties) -> tuple[str, str] | None:
    key = eventbridge._rule_key(properties["Name"], properties.get("EventBusName", "default"))
    if eventbridge._targets.get(key):
        return "ValidationException", "Rule can't be deleted since it has targets."
    return None


def delivery_of(end: str) -> Callable[[Properties], tuple[str, str] | None]:
    """Of a source by its name, of a destination by its ARN, which ends in its name."""

    def reason(properties: Properties) -> tuple[str, str] | None:
        name = properties.get("name")
        used = [str(one.get(end, "")).rpartition(":")[2] for one in cloudwatch_logs._deliveries.values()]
        return ("ConflictException", f"{name} is used by a delivery.") if name in used else None

    return reason


def unless_taken(create: Callable[..., Any]) -> Callable[..., Any]:
    def on_create(logical_id: str, properties: Properties, stack: str) -> Any:
        if properties.get("LogGroupName") in cloudwatch_logs._log_groups:
            raise ValueError(f"Resource of type 'AWS::Logs::LogGroup' with identifier '{properties['LogGroupName']}' already exists.")
        return create(logical_id, properties, stack)

    return on_create


def install() -> None:
    eventbridge._delete_event_bus = refusing(eventbridge._delete_event_bus, rules_on_bus)
    eventbridge._delete_rule = refusing(eventbridge._delete_rule, targets_of_rule)
    cloudwatch_logs._delete_delivery_source = refusing(
        cloudwatch_logs._delete_delivery_source, delivery_of("deliverySourceName")
    )
    cloudwatch_logs._delete_delivery_destination = refusing(
        cloudwatch_logs._delete_delivery_destination, delivery_of("deliveryDestinationArn")
    )
    handlers: dict[str, dict[str, Any]] = provisioners._RESOURCE_HANDLERS
    # CloudFormation's own way to delete a bus does not look at what the operation answers.
    handlers["AWS::Events::EventBus"]["delete"] = lambda name, _: call(eventbridge._delete_event_bus, {"Name": name})
    handlers["AWS::Logs::LogGroup"]["create"] = unless_taken(handlers["AWS::Logs::LogGroup"]["create"])

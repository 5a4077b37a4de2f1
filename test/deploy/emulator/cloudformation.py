"""CloudFormation types of the stack that ministack refuses, and where it makes something else of one than AWS does."""

import json
from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import athena, cloudwatch_logs, eventbridge
from ministack.services import secretsmanager as secrets
from ministack.services.cloudformation import changesets, provisioners

Properties = dict[str, Any]
Created = tuple[str, dict[str, Any]]
Operation = Callable[[Properties], tuple[int, Any, bytes]]


def call(operation: Operation, properties: Properties) -> dict[str, Any]:
    status, _, body = operation(properties)
    if status >= 400:
        raise ValueError(f"{operation.__name__.strip('_')}: {body.decode()}")
    return json.loads(body or b"{}")


def name_of(properties: Properties, key: str, stack: str, logical_id: str, longest: int = 48) -> str:
    return properties.get(key) or provisioners._physical_name(stack, logical_id, max_len=longest)


def by_name(
    key: str,
    prepare: Callable[[Properties], Properties],
    create: Operation,
    update: Operation,
    delete: Operation,
    attributes: Callable[[str, dict[str, Any]], dict[str, Any]],
) -> dict[str, Any]:
    """Handlers of a type that ministack knows by its API, under a name."""

    def on_create(logical_id: str, properties: Properties, stack: str) -> Created:
        name = name_of(properties, key, stack, logical_id)
        return name, attributes(name, call(create, {**prepare(properties), key: name}))

    def on_update(name: str, _old: Properties, properties: Properties, _stack: str) -> Created:
        return name, attributes(name, call(update, {**prepare(properties), key: name}))

    def on_delete(name: str, _properties: Properties) -> None:
        call(delete, {key: name})

    return {"create": on_create, "update": on_update, "delete": on_delete}


def archive_properties(properties: Properties) -> Properties:
    pattern = properties.get("EventPattern", "")
    return {
        **properties,
        "EventSourceArn": properties["SourceArn"],
        "EventPattern": pattern if isinstance(pattern, str) else json.dumps(pattern),
        "RetentionDays": int(properties.get("RetentionDays", 0)),
    }


def events_arn(kind: str, name: str) -> str:
    return f"arn:aws:events:{get_region()}:{get_account_id()}:{kind}/{name}"


def lower_first(properties: Properties) -> Properties:
    """CloudFormation writes Name where the API of CloudWatch Logs writes name."""
    return {key[0].lower() + key[1:]: value for key, value in properties.items() if key != "Tags"}


def delivery_destination(properties: Properties) -> Properties:
    lowered = lower_first(properties)
    lowered["deliveryDestinationConfiguration"] = {"destinationResourceArn": properties["DestinationResourceArn"]}
    return lowered


def logs_by_name(
    prepare: Callable[[Properties], Properties], put: Operation, delete: Operation, answer: str
) -> dict[str, Any]:
    def on_create(_logical_id: str, properties: Properties, _stack: str) -> Created:
        return properties["Name"], {"Arn": call(put, prepare(properties))[answer]["arn"]}

    def on_update(_name: str, _old: Properties, properties: Properties, stack: str) -> Created:
        return on_create("", properties, stack)

    return {"create": on_create, "update": on_update, "delete": lambda name, _: call(delete, {"name": name})}


def create_delivery(_logical_id: str, properties: Properties, _stack: str) -> Created:
    delivery = call(cloudwatch_logs._create_delivery, lower_first(properties))["delivery"]
    return delivery["id"], {"Arn": delivery["arn"], "DeliveryId": delivery["id"]}


def put_bus_statement(_logical_id: str, properties: Properties, _stack: str) -> Created:
    bus, identity = properties["EventBusName"], properties["StatementId"]
    delete_bus_statement(f"{bus}|{identity}", properties)
    policy = eventbridge._event_bus_policies.setdefault(bus, {"Version": "2012-10-17", "Statement": []})
    policy["Statement"].append({**properties["Statement"], "Sid": identity})
    return f"{bus}|{identity}", {}


def delete_bus_statement(reference: str, _properties: Properties) -> None:
    bus, identity = reference.split("|", 1)
    call(eventbridge._remove_permission, {"EventBusName": bus, "StatementId": identity})


def create_named_query(_logical_id: str, properties: Properties, _stack: str) -> Created:
    identity = call(athena._create_named_query, properties)["NamedQueryId"]
    return identity, {"NamedQueryId": identity}


def schema_type(key: str, kind: str, path: Callable[[Properties, str], str]) -> dict[str, Any]:
    """EventSchemas, which ministack has no API for: only that CloudFormation may name them."""

    def on_create(logical_id: str, properties: Properties, stack: str) -> Created:
        name = name_of(properties, key, stack, logical_id)
        if "Content" in properties:
            json.loads(properties["Content"])
        arn = f"arn:aws:schemas:{get_region()}:{get_account_id()}:{kind}/{path(properties, name)}"
        return arn, {key: name, f"{kind.capitalize()}Arn": arn, "SchemaVersion": "1"}

    def on_update(arn: str, _old: Properties, properties: Properties, stack: str) -> Created:
        return on_create(arn.rsplit("/", 1)[1], {key: arn.rsplit("/", 1)[1], **properties}, stack)

    return {"create": on_create, "update": on_update, "delete": lambda _arn, _properties: None}


def without_value(create: Callable[..., Created]) -> Callable[..., Created]:
    """A secret that is given no value has none: ministack puts an empty one there, so that it could be read."""

    def on_create(logical_id: str, properties: Properties, stack: str) -> Created:
        created = create(logical_id, properties, stack)
        if "SecretString" not in properties and "GenerateSecretString" not in properties:
            secrets._secrets[created[0]]["Versions"].clear()
        return created

    return on_create


def by_import(kind: str, key: str, existing: Any) -> tuple[Callable[[Properties], Created], Any]:
    """How something that a stack has left is taken into the next one, and how it is looked for."""

    def on_import(identifier: Properties) -> Created:
        return identifier[key], {"Arn": events_arn(kind, identifier[key]), "Name": identifier[key]}

    def problem(name: str) -> str | None:
        return None if name in existing else f"{kind} {name} does not exist."

    return on_import, ((key,), problem)


def register() -> None:
    handlers: dict[str, dict[str, Any]] = provisioners._RESOURCE_HANDLERS
    handlers["AWS::Events::Archive"] = by_name(
        "ArchiveName",
        archive_properties,
        eventbridge._create_archive,
        eventbridge._update_archive,
        eventbridge._delete_archive,
        lambda name, _: {"Arn": events_arn("archive", name)},
    )
    handlers["AWS::EventSchemas::Registry"] = schema_type("RegistryName", "registry", lambda _, name: name)
    handlers["AWS::EventSchemas::Schema"] = schema_type(
        "SchemaName", "schema", lambda properties, name: f"{properties['RegistryName']}/{name}"
    )
    handlers["AWS::Events::EventBusPolicy"] = {
        "create": put_bus_statement,
        "update": lambda _reference, _old, properties, stack: put_bus_statement("", properties, stack),
        "delete": delete_bus_statement,
    }
    # Each change of one is a replacement.
    handlers["AWS::Athena::NamedQuery"] = {
        "create": create_named_query,
        "update": lambda _identity, _old, properties, stack: create_named_query("", properties, stack),
        "delete": lambda identity, _: call(athena._delete_named_query, {"NamedQueryId": identity}),
    }
    handlers["AWS::Logs::DeliverySource"] = logs_by_name(
        lower_first, cloudwatch_logs._put_delivery_source, cloudwatch_logs._delete_delivery_source, "deliverySource"
    )
    handlers["AWS::Logs::DeliveryDestination"] = logs_by_name(
        delivery_destination,
        cloudwatch_logs._put_delivery_destination,
        cloudwatch_logs._delete_delivery_destination,
        "deliveryDestination",
    )
    handlers["AWS::Logs::Delivery"] = {
        "create": create_delivery,
        "update": lambda identity, _old, _new, _stack: (identity, {"DeliveryId": identity}),
        "delete": lambda identity, _: call(cloudwatch_logs._delete_delivery, {"id": identity}),
    }
    for resource, kind, key, existing in (
        ("AWS::Events::EventBus", "event-bus", "Name", eventbridge._event_buses),
        ("AWS::Events::Archive", "archive", "ArchiveName", eventbridge._archives),
    ):
        handlers[resource]["import"], changesets._IMPORT_LOOKUPS[resource] = by_import(kind, key, existing)
    secret = handlers["AWS::SecretsManager::Secret"]
    secret["create"] = without_value(secret["create"])

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


def type_of(put: Callable[[Properties], Created], delete: Callable[[str], Any], key: str | None = None) -> dict[str, Any]:
    """Handlers of a type that is put again where it changes. `key` is the property with its name, which the stack may leave out."""

    def on_create(logical_id: str, properties: Properties, stack: str) -> Created:
        if key is not None and key not in properties:
            properties = {**properties, key: provisioners._physical_name(stack, logical_id, max_len=48)}
        return put(properties)

    def on_update(identity: str, _old: Properties, properties: Properties, _stack: str) -> Created:
        return put(properties if key is None else {**properties, key: identity.rpartition("/")[2]})

    return {"create": on_create, "update": on_update, "delete": lambda identity, _: delete(identity)}


def events_arn(kind: str, name: str) -> str:
    return f"arn:aws:events:{get_region()}:{get_account_id()}:{kind}/{name}"


def put_archive(properties: Properties) -> Created:
    name, pattern = properties["ArchiveName"], properties.get("EventPattern", "")
    prepared = {
        **properties,
        "EventSourceArn": properties["SourceArn"],
        "EventPattern": pattern if isinstance(pattern, str) else json.dumps(pattern),
        "RetentionDays": int(properties.get("RetentionDays", 0)),
    }
    call(eventbridge._update_archive if name in eventbridge._archives else eventbridge._create_archive, prepared)
    return name, {"Arn": events_arn("archive", name)}


def put_bus_statement(properties: Properties) -> Created:
    bus, identity = properties["EventBusName"], properties["StatementId"]
    delete_bus_statement(f"{bus}|{identity}")
    policy = eventbridge._event_bus_policies.setdefault(bus, {"Version": "2012-10-17", "Statement": []})
    policy["Statement"].append({**properties["Statement"], "Sid": identity})
    return f"{bus}|{identity}", {}


def delete_bus_statement(reference: str) -> None:
    bus, identity = reference.split("|", 1)
    call(eventbridge._remove_permission, {"EventBusName": bus, "StatementId": identity})


def put_named_query(properties: Properties) -> Created:
    identity = call(athena._create_named_query, properties)["NamedQueryId"]
    return identity, {"NamedQueryId": identity}


def put_schema_thing(kind: str, key: str) -> Callable[[Properties], Created]:
    """EventSchemas, which ministack has no API for: only that CloudFormation may name them."""

    def put(properties: Properties) -> Created:
        json.loads(properties.get("Content", "{}"))
        path = "/".join(properties[name] for name in dict.fromkeys(["RegistryName", key]))
        arn = f"arn:aws:schemas:{get_region()}:{get_account_id()}:{kind}/{path}"
        return arn, {key: properties[key], f"{kind.capitalize()}Arn": arn, "SchemaVersion": "1"}

    return put


def lower_first(properties: Properties) -> Properties:
    """CloudFormation writes Name where the API of CloudWatch Logs writes name."""
    return {key[0].lower() + key[1:]: value for key, value in properties.items() if key != "Tags"}


def put_delivery_source(properties: Properties) -> Created:
    answer = call(cloudwatch_logs._put_delivery_source, lower_first(properties))
    return properties["Name"], {"Arn": answer["deliverySource"]["arn"]}


def put_delivery_destination(properties: Properties) -> Created:
    configuration = {"destinationResourceArn": properties["DestinationResourceArn"]}
    lowered = {**lower_first(properties), "deliveryDestinationConfiguration": configuration}
    answer = call(cloudwatch_logs._put_delivery_destination, lowered)
    return properties["Name"], {"Arn": answer["deliveryDestination"]["arn"]}


def put_delivery(properties: Properties) -> Created:
    source = properties["DeliverySourceName"]
    known = [one for one in cloudwatch_logs._deliveries.values() if one.get("deliverySourceName") == source]
    delivery = known[0] if known else call(cloudwatch_logs._create_delivery, lower_first(properties))["delivery"]
    return delivery["id"], {"Arn": delivery["arn"], "DeliveryId": delivery["id"]}


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
    logs = cloudwatch_logs
    for resource, of_type in {
        "Events::Archive": type_of(
            put_archive, lambda name: call(eventbridge._delete_archive, {"ArchiveName": name}), "ArchiveName"
        ),
        "Events::EventBusPolicy": type_of(put_bus_statement, delete_bus_statement),
        "EventSchemas::Registry": type_of(put_schema_thing("registry", "RegistryName"), lambda _: None, "RegistryName"),
        "EventSchemas::Schema": type_of(put_schema_thing("schema", "SchemaName"), lambda _: None, "SchemaName"),
        "Athena::NamedQuery": type_of(
            put_named_query, lambda identity: call(athena._delete_named_query, {"NamedQueryId": identity})
        ),
        "Logs::DeliverySource": type_of(
            put_delivery_source, lambda name: call(logs._delete_delivery_source, {"name": name})
        ),
        "Logs::DeliveryDestination": type_of(
            put_delivery_destination, lambda name: call(logs._delete_delivery_destination, {"name": name})
        ),
        "Logs::Delivery": type_of(put_delivery, lambda identity: call(logs._delete_delivery, {"id": identity})),
    }.items():
        handlers[f"AWS::{resource}"] = of_type
    for resource, kind, key, existing in (
        ("AWS::Events::EventBus", "event-bus", "Name", eventbridge._event_buses),
        ("AWS::Events::Archive", "archive", "ArchiveName", eventbridge._archives),
    ):
        handlers[resource]["import"], changesets._IMPORT_LOOKUPS[resource] = by_import(kind, key, existing)
    secret = handlers["AWS::SecretsManager::Secret"]
    secret["create"] = without_value(secret["create"])

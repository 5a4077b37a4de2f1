"""The work on one response. What it finds is kept in a table."""

import os
from decimal import Decimal

import boto3
from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from pydantic import TypeAdapter

from survey_poller_events import Answer, Contents, UpdatedContents

DAY = 86_400
s3 = boto3.client("s3")
answers_schema = TypeAdapter(list[Answer])
findings = boto3.resource("dynamodb").Table(os.environ["FINDINGS_TABLE"])
# As long as a replay of the archive can bring the event again, and longer.
idempotency = IdempotencyConfig(expires_after_seconds=90 * DAY, raise_on_no_idempotency_key=True)


@idempotent_function(
    data_keyword_argument="event_id",
    config=idempotency,
    persistence_store=DynamoDBPersistenceLayer(table_name=os.environ["DONE_TABLE"]),
    # By default it is the function's name: a deployment under another name would do everything again.
    key_prefix="work",
)
def work(*, event_id: str, detail) -> None:
    """Does the work once for each event id."""
    keep(detail, {**figures(detail.data, answers_of(detail.data)), "eventId": event_id})


def answers_of(data: Contents | UpdatedContents) -> list[Answer]:
    """Those of the event, or those that were too large for it and lie in the poller's bucket."""
    if data.answers_ref is None:
        return data.answers
    found = s3.get_object(Bucket=data.answers_ref.bucket, Key=data.answers_ref.key)
    return answers_schema.validate_json(found["Body"].read())


def figures(data: Contents | UpdatedContents, answers: list[Answer]) -> dict:
    """Stands for an analysis that costs time or money: it counts the words of the comments."""
    nps = data.summary.nps
    return {
        "score": None if nps is None else Decimal(str(nps.score)),
        "answers": len(answers),
        "words": sum(len(answer.comment.split()) for answer in answers),
    }


def keep(detail, found: dict) -> None:
    """Replaces what was found for an earlier revision, and never what was found for a later one."""
    meta, data = detail.meta, detail.data
    item = {
        "response": f"{meta.source_name}#{data.survey_id}#{data.response_id}",
        "revision": meta.revision,
        **found,
    }
    try:
        findings.put_item(
            Item=item,
            ConditionExpression="attribute_not_exists(revision) OR revision <= :revision",
            ExpressionAttributeValues={":revision": meta.revision},
        )
    except findings.meta.client.exceptions.ConditionalCheckFailedException:
        pass

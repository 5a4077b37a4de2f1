"""Answers of a response, from the bucket where they were too large for the event."""

import boto3
from pydantic import TypeAdapter

from survey_poller_events import Answer, Contents, UpdatedContents

s3 = boto3.client("s3")
answers_schema = TypeAdapter(list[Answer])


def answers_of(data: Contents | UpdatedContents) -> list[Answer]:
    if data.answers_ref is None:
        return data.answers
    found = s3.get_object(Bucket=data.answers_ref.bucket, Key=data.answers_ref.key)
    return answers_schema.validate_json(found["Body"].read())

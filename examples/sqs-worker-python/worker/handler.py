"""Works off the queue: each event once, and one that fails alone."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.parser.models import SqsRecordModel
from pydantic import Json, ValidationError

from survey_poller_events import ResponseCompletedEvent, ResponseUpdatedEvent
from work import idempotency, work


class Message(SqsRecordModel):
    """A message of the queue. Its body is the event as EventBridge has delivered it."""

    body: Json[ResponseCompletedEvent | ResponseUpdatedEvent]


logger = Logger(service="sqs-worker-python")
# An error for the whole batch would put the events into the log. The queue hears of each failed message instead.
processor = BatchProcessor(event_type=EventType.SQS, model=Message, raise_on_entire_batch_failure=False)


def handle(record: Message) -> None:
    event = record.body
    work(event_id=event.detail.meta.event_id, detail=event.detail)


@logger.inject_lambda_context
def lambda_handler(event, context):
    idempotency.register_lambda_context(context)
    answer = process_partial_response(event=event, record_handler=handle, processor=processor, context=context)
    for kind, error, _ in processor.exceptions:
        logger.warning("A message was not worked off", extra={"error": kind.__name__, "places": places(error)})
    return answer


def places(error: BaseException) -> list[str]:
    """Names the fields that could not be read. What stands in them is personal data, and so is kept out of the log."""
    if not isinstance(error, ValidationError):
        return []
    found = error.errors(include_input=False, include_context=False, include_url=False)
    return [".".join(str(part) for part in one["loc"]) for one in found]

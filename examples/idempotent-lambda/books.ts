import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { type BooksClosed, type ResponseCompleted, type ResponseUpdated, verifyBooks } from "survey-poller/events";

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** Digits of the largest number that the service can give. */
const DIGITS = 16;

/** One for each event with contents. It holds no personal data, and stays. */
interface Receipt {
  survey: string;
  /** Response and revision, padded, so that all revisions of a response stand together in order. */
  response: string;
  eventId: string;
  detectedAt: string;
}

export async function keepReceipt({ meta, data }: ResponseCompleted | ResponseUpdated): Promise<void> {
  const { eventId, detectedAt, revision, sourceName } = meta;
  const response = `${padded(data.responseId)}#${padded(revision)}`;
  const receipt: Receipt = { survey: surveyKey(sourceName, data.surveyId), response, eventId, detectedAt };
  const put = new PutCommand({
    TableName: process.env.RECEIPTS_TABLE,
    Item: receipt,
    // A repeat of an event may have been made later. The first one is what the books count.
    ConditionExpression: "attribute_not_exists(detectedAt) OR detectedAt > :detectedAt",
    ExpressionAttributeValues: { ":detectedAt": detectedAt },
  });
  await documents.send(put).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

/**
 * Compares what has come with the books of a survey.
 *
 * @throws Error where something is missing. Events may overtake each other, and Lambda looks again after a minute.
 */
export async function checkBooks(books: BooksClosed): Promise<void> {
  const { meta, data } = books;
  // The books of a test event are of no real survey.
  if (meta.test === true) return;
  const verdict = verifyBooks(await receivedBy(books), books);
  const survey = `Survey ${data.surveyId} of ${meta.sourceName}, books ${meta.sequence}`;
  if (verdict.kind === "missing") {
    throw new Error(`${survey}: events that have not come: ${verdict.count}. The README says how to get them.`);
  }
  if (verdict.kind === "different") {
    throw new Error(`${survey}: other events have come than were sent. The README says how to find which.`);
  }
  console.log(JSON.stringify({ message: `${survey}: ${verdict.kind}`, events: data.digest.count }));
}

/** Ids of the latest event of each response of the survey, as they were when the books closed. */
async function receivedBy({ meta, data }: BooksClosed): Promise<string[]> {
  const latest = new Map<string, string>();
  const pages = paginateQuery(
    { client: documents },
    {
      TableName: process.env.RECEIPTS_TABLE,
      KeyConditionExpression: "survey = :survey",
      FilterExpression: "detectedAt <= :closed",
      ExpressionAttributeValues: {
        ":survey": surveyKey(meta.sourceName, data.surveyId),
        ":closed": meta.detectedAt,
      },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) {
    for (const { response, eventId } of Items as Receipt[]) latest.set(response.slice(0, DIGITS), eventId);
  }
  return [...latest.values()];
}

function surveyKey(sourceName: string, surveyId: number): string {
  return `${sourceName}#${surveyId}`;
}

function padded(number: number): string {
  return String(number).padStart(DIGITS, "0");
}

import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type {
  EventBridgeEvent,
  FirehoseRecordTransformationStatus,
  FirehoseTransformationEvent,
  FirehoseTransformationResult,
} from "aws-lambda";
import {
  type Answer,
  booksClosed,
  type ResponseCompleted,
  type ResponseUpdated,
  responseCompleted,
  responseDeleted,
  responseUpdated,
  surveyChanged,
  surveyCounted,
} from "survey-poller/events";
import { type Row, rowOfBooks, rowOfContents, rowOfCounts, rowOfDeletion, rowOfSurvey } from "./row.ts";

const s3 = new S3Client({});

/** Characters of rows in one answer. Lambda gives back 6 MB; what is no row comes back too, and may be 1.4 MB. */
const MOST = 4_500_000;

/** Makes a row of each event. One that fails lies under `failed/` in the bucket, as it came. */
export async function handler({ records }: FirehoseTransformationEvent): Promise<FirehoseTransformationResult> {
  const made: FirehoseTransformationResult["records"] = [];
  let size = 0;
  for (const { recordId, data } of records) {
    const [result, line] = await transformed(data);
    const isTooLarge = result === "Ok" && size + line.length > MOST;
    if (isTooLarge) console.error(`record ${recordId} is not stored: the rows are too large for one answer`);
    else if (result === "Ok") size += line.length;
    made.push({ recordId, result: isTooLarge ? "ProcessingFailed" : result, data: isTooLarge ? data : line });
  }
  return { records: made };
}

/** The outcome for a record, and its data: the row as a line of JSON, or what came. */
async function transformed(data: string): Promise<[result: FirehoseRecordTransformationStatus, data: string]> {
  try {
    const event = JSON.parse(Buffer.from(data, "base64").toString());
    // A test event tells of nothing real.
    const row = event.detail.meta?.test === true ? undefined : await rowOf(event);
    if (row === undefined) return ["Dropped", data];
    return ["Ok", Buffer.from(`${JSON.stringify(row)}\n`).toString("base64")];
  } catch (error) {
    // The name alone: a message of a failed check may quote an answer.
    console.error(`an event is not stored: ${error instanceof Error ? error.name : "unknown error"}`);
    return ["ProcessingFailed", data];
  }
}

async function rowOf({ "detail-type": type, detail }: EventBridgeEvent<string, unknown>): Promise<Row | undefined> {
  switch (type) {
    case "response.completed":
    case "response.updated": {
      const event = type === "response.completed" ? responseCompleted.parse(detail) : responseUpdated.parse(detail);
      return rowOfContents(type, event, await answersOf(event));
    }
    case "response.deleted":
      return rowOfDeletion(type, responseDeleted.parse(detail));
    case "books.closed":
      return rowOfBooks(type, booksClosed.parse(detail));
    case "survey.changed":
      return rowOfSurvey(type, surveyChanged.parse(detail));
    case "survey.counted":
      return rowOfCounts(type, surveyCounted.parse(detail));
    default:
      return undefined;
  }
}

/** Those of the event, or those that were too large for it and lie in the poller's bucket. */
async function answersOf({ data: { answers, answersRef } }: ResponseCompleted | ResponseUpdated): Promise<Answer[]> {
  if (answersRef === null) return answers;
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: answersRef.bucket, Key: answersRef.key }));
  return JSON.parse((await Body?.transformToString()) ?? "[]") as Answer[];
}

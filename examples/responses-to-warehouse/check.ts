import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AthenaClient, GetQueryExecutionCommand, StartQueryExecutionCommand } from "@aws-sdk/client-athena";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { Context, EventBridgeEvent, SQSEvent } from "aws-lambda";
import { type BooksClosed, booksClosed, booksSums, verifyBooks } from "survey-poller/events";
import { DATABASE, TABLE } from "./names.ts";

const athena = new AthenaClient({});
const lambda = new LambdaClient({});
const s3 = new S3Client({});

/** Responses that the poller's function sends again in one invocation. */
const MOST_RESENT = 5_000;

/**
 * Compares the files with the books of a survey, and asks for what is missing.
 *
 * @throws GapError where something was missing: the queue gives the books again, and then all has to be there
 */
export async function handler(
  { Records }: SQSEvent,
  context: Pick<Context, "getRemainingTimeInMillis">,
): Promise<void> {
  for (const { body, attributes } of Records) {
    const { detail } = JSON.parse(body) as EventBridgeEvent<"books.closed", unknown>;
    const books = booksClosed.parse(detail);
    // The books of a test event are of no real survey.
    if (books.meta.test === true) continue;
    const looks = Number(attributes.ApproximateReceiveCount);
    const { sourceName, sequence } = books.meta;
    const survey = `survey ${books.data.surveyId} of ${sourceName}, books ${sequence}`;
    const missing = await missingBy(books);
    if (missing.length === 0) {
      // After more than one what was missing has come.
      const message = `${survey}: complete${looks > 1 ? ` after ${looks} looks` : ""}`;
      console.log(JSON.stringify({ message, events: books.data.digest.count }));
      continue;
    }
    const outcomes = await sendAgain(books, missing, () => context.getRemainingTimeInMillis());
    const counts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
    throw new GapError(`${survey}: ${missing.length} missing; asked for again: ${counts.join(", ")}`);
  }
}

/** Something is missing. The message has ids of surveys and counts, and nothing of anybody. */
class GapError extends Error {
  override readonly name = "GapError";
}

interface Known {
  responseId: number;
  eventId: string;
}

/** The responses whose last event the books count and the files do not have. */
async function missingBy({ meta, data }: BooksClosed): Promise<number[]> {
  const latest = new Map<number, { revision: number; eventId: string }>();
  const own = new Set<string>();
  for await (const { responseId, eventId, revision, detectedAt } of eventsInFiles(meta.sourceName, data.surveyId)) {
    own.add(eventId);
    if (detectedAt > meta.detectedAt) continue;
    if (revision > (latest.get(responseId)?.revision ?? 0)) latest.set(responseId, { revision, eventId });
  }
  const sums = booksSums();
  for (const { eventId } of latest.values()) sums.add(eventId);
  const { digest, buckets } = sums.sums();
  if (verifyBooks(digest, { data }).kind === "complete") return [];
  const differing = data.buckets.flatMap((count, bucket) => (count === buckets[bucket] ? [] : [bucket]));
  // As many in each: the odd case that one id has taken the place of another of the same bucket.
  const asked = differing.length === 0 ? [...data.buckets.keys()] : differing;
  const emitted = await emittedIn(meta.sourceName, data.surveyId, asked, Date.parse(meta.detectedAt));
  return emitted.filter(({ eventId }) => !own.has(eventId)).map(({ responseId }) => responseId);
}

interface FileEvent extends Known {
  revision: number;
  detectedAt: string;
}

/** The events of a survey that the files have, each once, as it was made first. */
async function* eventsInFiles(sourceName: string, surveyId: number): AsyncGenerator<FileEvent> {
  const QueryString = `
    SELECT response_id, revision, event_id, min(detected_at) AS detected_at
    FROM ${TABLE}
    WHERE source_name = '${sourceName.replaceAll("'", "''")}' AND survey_id = ${surveyId}
      AND event_type IN ('response.completed', 'response.updated')
    GROUP BY response_id, revision, event_id`;
  const WorkGroup = process.env.WORK_GROUP;
  const query = { QueryString, WorkGroup, QueryExecutionContext: { Database: DATABASE } };
  const { QueryExecutionId } = await athena.send(new StartQueryExecutionCommand(query));
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(await endOf(QueryExecutionId)) ?? [];
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  let isHead = true;
  for await (const line of createInterface({ input: Body as Readable })) {
    // None of these columns holds a comma or a quote.
    const [responseId, revision, eventId = "", detectedAt = ""] = line.replaceAll('"', "").split(",");
    if (!isHead) yield { responseId: Number(responseId), revision: Number(revision), eventId, detectedAt };
    isHead = false;
  }
}

/** Waits for a query, and gives the place of what it has found. */
async function endOf(QueryExecutionId: string | undefined): Promise<string> {
  for (;;) {
    const { QueryExecution } = await athena.send(new GetQueryExecutionCommand({ QueryExecutionId }));
    const { State, AthenaError } = QueryExecution?.Status ?? {};
    if (State === "SUCCEEDED") return QueryExecution?.ResultConfiguration?.OutputLocation ?? "";
    if (State === "FAILED" || State === "CANCELLED") {
      throw new Error(`the query of the files ended as ${State}, error type ${AthenaError?.ErrorType ?? "unknown"}`);
    }
    await sleep(500);
  }
}

/** What the poller has emitted until the books closed, of the events whose ids begin with these bytes. */
async function emittedIn(source: string, surveyId: number, buckets: number[], until: number): Promise<Known[]> {
  const found: Known[] = [];
  let from: string | undefined;
  do {
    const answer: EmittedAnswer = await operate(source, { kind: "emitted", surveyId, buckets, from });
    found.push(...answer.events.filter(({ emittedAt }) => emittedAt <= until));
    from = answer.next;
  } while (from !== undefined);
  return found;
}

interface EmittedAnswer {
  events: (Known & { emittedAt: number })[];
  next?: string;
}

interface ResendAnswer {
  results: { outcome: string }[];
  left: number[];
  from?: object;
}

/** Has the events of these responses sent again, as far as the time goes. Gives how many came to which end. */
async function sendAgain(
  { meta, data }: BooksClosed,
  responses: readonly number[],
  remaining: () => number,
): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (let i = 0; i < responses.length; i += MOST_RESENT) {
    let responseIds = responses.slice(i, i + MOST_RESENT);
    let from: object | undefined;
    do {
      const resend = { kind: "resend", surveyId: data.surveyId, responseIds, from };
      const answer: ResendAnswer = await operate(meta.sourceName, resend);
      for (const { outcome } of answer.results) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      ({ left: responseIds, from } = answer);
      // What is left is asked for at the next look.
    } while (responseIds.length > 0 && remaining() > 60_000);
  }
  return outcomes;
}

/** Asks the poller's function, which answers subscribers nothing but this. */
async function operate<T>(source: string, operation: object): Promise<T> {
  const Payload = JSON.stringify({ source, operation });
  const answer = await lambda.send(new InvokeCommand({ FunctionName: process.env.RESEND_FUNCTION, Payload }));
  const said = JSON.parse(answer.Payload?.transformToString() || "{}") as { result?: T; error?: { code: string } };
  if (said.result === undefined)
    throw new Error(`the poller's function failed: ${said.error?.code ?? answer.FunctionError}`);
  return said.result;
}

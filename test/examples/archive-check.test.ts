import { Readable } from "node:stream";
import { AthenaClient } from "@aws-sdk/client-athena";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import type { SQSEvent } from "aws-lambda";
import { afterEach, expect, it, vi } from "vitest";
import { handler } from "../../examples/responses-to-warehouse/check.ts";
import { AFTER, type Contents, closed, completed, golden, updated } from "./support/events.ts";

/** The operations that the poller's function was asked for. */
type Asked = { kind: string; buckets?: number[]; responseIds?: number[] };

const SURVEY = 7;
const some = [1, 2, 3, 4].map((responseId) => completed(SURVEY, responseId));
const [one, two, ...others] = some as [Contents, Contents, ...Contents[]];
const update = updated(SURVEY, 1);
const idOf = ({ detail }: Contents): string => detail.meta.eventId;
const bucketOf = (event: Contents): number => Number.parseInt(idOf(event).slice(0, 2), 16);

afterEach(() => void vi.restoreAllMocks());

interface World {
  files: readonly Contents[];
  /** The last events that the ledger has. */
  emitted: readonly Contents[];
  /** What becomes of a response that is to be sent again. */
  outcome?: string;
  looks?: number;
}

/** Hands the check these books, and gives what it said and asked for. */
async function look(books: object, { files, emitted, outcome = "sent", looks = 1 }: World) {
  const asked: Asked[] = [];
  const lines = files.map(({ detail: { meta, data } }) =>
    [data.responseId, meta.revision, meta.eventId, meta.detectedAt].map((text) => `"${text}"`).join(","),
  );
  vi.spyOn(AthenaClient.prototype, "send").mockImplementation(async () => ({
    QueryExecutionId: "1",
    QueryExecution: { Status: { State: "SUCCEEDED" }, ResultConfiguration: { OutputLocation: "s3://results/1.csv" } },
  }));
  const csv = ["response_id,revision,event_id,detected_at", ...lines].join("\n");
  vi.spyOn(S3Client.prototype, "send").mockImplementation(async () => ({ Body: Readable.from([csv]) }));
  vi.spyOn(LambdaClient.prototype, "send").mockImplementation(async ({ input }) => {
    const { operation } = JSON.parse(String((input as { Payload: string }).Payload)) as { operation: Asked };
    asked.push(operation);
    const events = emitted
      .filter((event) => operation.buckets?.includes(bucketOf(event)))
      .map((event) => ({
        responseId: event.detail.data.responseId,
        eventId: idOf(event),
        emittedAt: Date.parse(event.detail.meta.detectedAt) + 1,
      }));
    const results = operation.responseIds?.map(() => ({ outcome }));
    const result = operation.kind === "emitted" ? { events } : { results, left: [] };
    return { Payload: { transformToString: () => JSON.stringify({ result }) } };
  });
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const record = { body: JSON.stringify(books), attributes: { ApproximateReceiveCount: `${looks}` } };
  const failed = await handler({ Records: [record] } as SQSEvent, { getRemainingTimeInMillis: () => 300_000 }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { failed, said: log.mock.calls.map(([line]) => JSON.parse(line).message), asked };
}

const books = closed(SURVEY, some);
const name = "survey 7 of main, books 2";

it.each<[what: string, world: World, says: string]>([
  ["everything", { files: some, emitted: some }, "complete"],
  ["everything and more", { files: [...some, ...some, completed(SURVEY, 9, AFTER)], emitted: some }, "complete"],
  ["everything at last", { files: some, emitted: some, looks: 2 }, "complete after 2 looks"],
])("asks for nothing where the files have %s", async (_what, world, says) => {
  expect(await look(books, world)).toEqual({ failed: undefined, said: [`${name}: ${says}`], asked: [] });
});

it("asks for the one that is missing, by the bucket that differs, and fails, so that it is looked at again", async () => {
  const { failed, said, asked } = await look(books, { files: [one, ...others], emitted: some });
  expect(asked).toEqual([
    { kind: "emitted", surveyId: SURVEY, buckets: [bucketOf(two)] },
    { kind: "resend", surveyId: SURVEY, responseIds: [2] },
  ]);
  expect(failed).toBe(`${name}: 1 missing; asked for again: 1 sent`);
  expect(said).toEqual([]);
});

it("asks for an update that has not come", async () => {
  const emitted = [update, two, ...others];
  const { failed, asked } = await look(closed(SURVEY, emitted), { files: some, emitted });
  expect(asked.at(-1)).toMatchObject({ kind: "resend", responseIds: [1] });
  expect(failed).toContain("1 missing");
});

it("says what cannot be sent again", async () => {
  const { failed } = await look(books, { files: others, emitted: some, outcome: "gone" });
  expect(failed).toBe(`${name}: 2 missing; asked for again: 2 gone`);
});

it("does not wait for what was replaced or forgotten since", async () => {
  const later = structuredClone(update);
  later.detail.meta.detectedAt = AFTER;
  const { failed, said, asked } = await look(books, { files: others, emitted: [later, ...others] });
  expect([failed, said]).toEqual([undefined, [`${name}: complete`]]);
  expect(asked.map(({ kind }) => kind)).toEqual(["emitted"]);
});

it("passes over the books of a test event", async () => {
  const test = golden<"books.closed">("books-closed");
  Object.assign(test.detail.meta, { test: true });
  expect(await look(test, { files: [], emitted: [] })).toEqual({ failed: undefined, said: [], asked: [] });
});

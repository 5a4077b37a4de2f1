import { copyFileSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { FirehoseTransformationEvent } from "aws-lambda";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type Row,
  rowOfBooks,
  rowOfContents,
  rowOfDeletion,
  rowOfSurvey,
} from "../../examples/responses-to-warehouse/row.ts";
import { buildEvent, toUpdate } from "../../lib/events/build/build-event.ts";
import { response } from "../../lib/events/generate/golden.ts";
import { booksClosed, EVENT_TYPES, type ResponseDeleted, responseCompleted } from "../../lib/events/index.ts";
import { readTold, runCommand, temporaryFolder } from "../support/command.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { closed, golden } from "./support/events.ts";
import { openWarehouse, type Warehouse } from "./support/warehouse.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/responses-to-warehouse");
const START = Date.UTC(2026, 2, 10, 23, 59);
const MINUTE = 60_000;

/** The event with this revision of a response, made so many minutes after the start. */
function event(responseId: number, revision: number, minutes: number): Row {
  const detectedAt = START + minutes * MINUTE;
  const built = buildEvent({ ...response(responseId), surveyId: 103, revision, detectedAt });
  if (revision === 1) return rowOfContents("response.completed", built, built.data.answers);
  const updated = toUpdate(built, { replaces: "before", changes: ["answers"], observedAt: detectedAt });
  return rowOfContents("response.updated", updated, updated.data.answers);
}

function deletion(responseId: number, minutes: number): Row {
  const at = new Date(START + minutes * MINUTE).toISOString();
  const { event_id } = event(responseId, 1, 0);
  const meta = { eventId: `deletion-${event_id}-${minutes}`, schemaVersion: "1", sourceName: "main", detectedAt: at };
  const data = { surveyId: 103, responseId, survey: null, lastEventId: event_id, observedAt: at };
  return rowOfDeletion("response.deleted", { meta, data } as ResponseDeleted);
}

describe("the view of responses", () => {
  /** What it shows of these rows: response, revision and minute. */
  async function shown(warehouse: Warehouse, rows: readonly Row[]): Promise<number[][]> {
    await warehouse.land(rows);
    await warehouse.open();
    const found = await warehouse.query("SELECT response_id, revision, detected_at FROM responses ORDER BY 1");
    return found.map(({ response_id, revision, detected_at }) => [
      Number(response_id),
      Number(revision),
      (Date.parse(String(detected_at)) - START) / MINUTE,
    ]);
  }

  const again: Row[] = [event(1, 1, 0), deletion(1, 5), event(1, 2, 9)];
  it.each<[what: string, events: Row[], view: number[][]]>([
    ["an event", [event(1, 1, 0)], [[1, 1, 0]]],
    ["an update", [event(1, 1, 0), event(1, 2, 5)], [[1, 2, 5]]],
    ["a repeat made anew, on the next day", [event(1, 1, 0), event(1, 1, 2)], [[1, 1, 2]]],
    ["a repeat of what was updated since", [event(1, 1, 0), event(1, 2, 5), event(1, 1, 7)], [[1, 2, 5]]],
    ["a deletion", [event(1, 1, 0), deletion(1, 5), event(2, 1, 9)], [[2, 1, 9]]],
    ["a response that is listed again", again, [[1, 2, 9]]],
    ["one that is deleted again", [...again, deletion(1, 12)], []],
  ])("is right after %s, in whatever order and however often it comes", async (_what, events, view) => {
    const arrivals = fc
      .tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.subarray(events))
      .map(([once, more]) => [...once, ...more]);
    const warehouse = await openWarehouse(temporaryFolder());
    const isRight = fc.asyncProperty(arrivals, async (arrived) => {
      expect(await shown(warehouse, arrived)).toEqual(view);
    });
    await fc.assert(isRight, { numRuns: 20, seed: 1 });
    warehouse.close();
  });
});

it("reads what npm start has written: answers and words a row each, complete or not", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "events.jsonl");
  const data = ["--data", join(folder, "data"), "--events", file];
  await runCommand(["--ticks", "1", "--interval", "0s", "--start-from", "beginning", "--no-console", ...data]);
  let answered = 0;
  const rows = readTold(file).map(({ "detail-type": type, detail }): Row => {
    if (type !== "response.completed") return rowOfBooks(type, booksClosed.parse(detail));
    const event = responseCompleted.parse(detail);
    answered += event.data.answers.length;
    return rowOfContents(type, event, event.data.answers);
  });
  const warehouse = await openWarehouse(folder);
  await warehouse.land(rows);
  await warehouse.open();
  const surveys = await warehouse.query("SELECT survey_id, responses FROM surveys ORDER BY 1");
  expect(await warehouse.missing()).toEqual(surveys.map(({ survey_id }) => [Number(survey_id), 0]));
  const [{ records } = { records: 0 }] = await warehouse.query("SELECT CAST(count(*) AS INT) AS records FROM answers");
  expect(records).toBe(answered);
  const [multi] = await warehouse.query("SELECT question, labels, label FROM answers WHERE len(labels) > 1 LIMIT 1");
  expect(multi?.label).toBe((multi?.labels as string[] | undefined)?.join("; "));
  expect(multi?.question).toEqual(expect.any(String));
  warehouse.close();
}, 120_000);

it("forgets a respondent: of the row stay ids, revision, dates of the event and the survey, and no other row changes", async () => {
  const folder = temporaryFolder();
  const warehouse = await openWarehouse(folder);
  const rows = [event(9001, 1, 0), event(9001, 2, 5), event(9002, 1, 0), deletion(9003, 1)];
  const { detail } = closed(103, [{ detail: { meta: { eventId: rows[1]?.event_id ?? "" } } }]);
  await warehouse.land([...rows, rowOfBooks("books.closed", detail)]);
  await warehouse.open();
  const one = join(folder, "events/day=2026-03-10/all.parquet");
  const readAll = () => warehouse.query(`SELECT * FROM read_parquet('${one}') ORDER BY event_id`);
  const before = await readAll();
  const missing = await warehouse.missing();
  const [, sql = ""] = /```sql\n(.*?)```/s.exec(readFileSync(join(EXAMPLE, "README.md"), "utf8")) ?? [];

  const [copy, made] = [join(folder, "one.parquet"), join(folder, "new.parquet")];
  copyFileSync(one, copy);
  await warehouse.query(sql.replaceAll("one.parquet", copy).replace("new.parquet", made));
  renameSync(made, one);

  const ids = ["event_id", "event_type", "source_name", "survey_id", "response_id", "revision", "detected_at", "day"];
  const stays = [...ids, "survey_name", "survey_modified", "survey_language_id"];
  const isKept = (column: string): boolean => stays.includes(column);
  const forgotten = before.map((row) =>
    row.response_id === "9001"
      ? Object.fromEntries(Object.entries(row).map(([column, value]) => [column, isKept(column) ? value : null]))
      : row,
  );
  expect(await readAll()).toEqual(forgotten);
  expect(await warehouse.missing()).toEqual(missing);
  warehouse.close();
});

it("shows surveys as their last event says, and those that are listed no more not at all", async () => {
  const warehouse = await openWarehouse(temporaryFolder());
  const changed = golden<"survey.changed">("survey-changed").detail;
  const gone = structuredClone(changed);
  Object.assign(gone.data, { surveyId: 104, after: null });
  const { detail } = closed(103, []);
  await warehouse.land([
    rowOfSurvey("survey.changed", changed),
    rowOfSurvey("survey.changed", gone),
    rowOfBooks("books.closed", detail),
    rowOfBooks("books.closed", detail),
  ]);
  await warehouse.open();
  expect(await warehouse.query("SELECT survey_id, survey_name, responses FROM surveys")).toEqual([
    { survey_id: "103", survey_name: "After a visit", responses: "0" },
  ]);
  expect(await warehouse.query("SELECT sequence, len(buckets) AS buckets FROM books")).toEqual([
    { sequence: "2", buckets: "256" },
  ]);
  warehouse.close();
});

it("has the same views for Athena and for DuckDB, but for how answers become rows and for where the files are", () => {
  const viewsIn = (file: string) =>
    readFileSync(join(EXAMPLE, file), "utf8")
      .split(/;\n/)
      .map((text) => text.trim().replaceAll("given.", "").replace("array_to_string", "array_join"))
      .map((text) => (text.includes("VIEW answers") ? text.slice(0, text.indexOf("\nFROM")) : text))
      .filter((text) => !text.includes("VIEW survey_events"));
  expect(viewsIn("athena.sql")).toEqual(viewsIn("duckdb.sql"));
});

describe("the function", () => {
  let aws: ExampleAws;
  let handler: typeof import("../../examples/responses-to-warehouse/handler.ts").handler;

  beforeAll(async () => {
    aws = await startExampleAws();
    Object.assign(process.env, aws.env);
    ({ handler } = await import("../../examples/responses-to-warehouse/handler.ts"));
  }, 60_000);
  afterAll(() => aws.close());
  afterEach(() => void vi.restoreAllMocks());

  /** The outcome of each event, with its row. */
  async function made(...events: unknown[]): Promise<[result: string, row: Row | undefined][]> {
    const records = events.map((one, index) => ({
      recordId: `record-${index}`,
      data: Buffer.from(JSON.stringify(one)).toString("base64"),
    }));
    const answer = await handler({ records } as FirehoseTransformationEvent);
    expect(answer.records.map(({ recordId }) => recordId)).toEqual(records.map(({ recordId }) => recordId));
    return answer.records.map(({ result, data = "" }, i) => {
      if (result !== "Ok") expect(data).toBe(records[i]?.data);
      const line = Buffer.from(data, "base64").toString();
      return [result, result === "Ok" ? (JSON.parse(line) as Row) : undefined];
    });
  }

  it("makes a row of each event that the rule lets through", async () => {
    const names = ["ordinary", "updated", "deleted", "books-closed", "survey-changed", "survey-counted"];
    const rows = await made(...names.map((name) => golden(name)));
    expect(rows.map(([result, row]) => [result, row?.event_type])).toEqual(EVENT_TYPES.map((type) => ["Ok", type]));
    const { detail } = golden<"books.closed">("books-closed");
    expect(rows[3]?.[1]).toMatchObject({ event_count: 2, event_id_sum: detail.data.eventIdSum, sequence: 2 });
    expect(rows[5]?.[1]).toMatchObject({ impressions: 480, opened: 96, responses: 12, survey_name: "After a visit" });
  });

  it("puts in the answers that a claim check points to", async () => {
    const large = golden("large");
    const { bucket, key } = large.detail.data.answersRef ?? { bucket: "", key: "" };
    const { answers } = golden("comment").detail.data;
    await aws.object(bucket, key, JSON.stringify(answers));
    const [[result, row] = []] = await made(large);
    expect(result).toBe("Ok");
    expect(row?.answers?.map(({ comment }) => comment)).toEqual(answers.map(({ comment }) => comment));
  });

  it("gives back what it cannot read, and logs nothing of it", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const unreadable = golden("comment");
    Object.assign(unreadable.detail.data.answers[0] ?? {}, { comment: "call me at home", questionId: "7" });
    const lost = golden("large");
    lost.detail.data.answersRef = { bucket: "survey-poller-answers", key: "gone.json", bytes: 1 };
    const results = (await made(unreadable, golden("ordinary"), lost)).map(([result]) => result);
    expect(results).toEqual(["ProcessingFailed", "Ok", "ProcessingFailed"]);
    expect(log.mock.calls.flat()).toEqual(["an event is not stored: ZodError", "an event is not stored: NoSuchKey"]);
  });

  it("gives back what is too large for one answer of Lambda", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const large = golden("comment");
    Object.assign(large.detail.data.answers[0] ?? {}, { comment: "x".repeat(2_000_000) });
    expect((await made(large, large)).map(([result]) => result)).toEqual(["Ok", "ProcessingFailed"]);
    // What is no row takes no place of rows, nor does a row that is too large.
    const small = golden("ordinary");
    const test = structuredClone(large);
    Object.assign(test.detail.meta, { test: true });
    const results = (await made(test, test, large, large, small)).map(([result]) => result);
    expect(results).toEqual(["Dropped", "Dropped", "Ok", "ProcessingFailed", "Ok"]);
  });

  it("passes over test events, and over types that it does not know", async () => {
    const unknown = { ...golden("ordinary"), "detail-type": "response.archived" };
    expect((await made(golden("test"), unknown)).map(([result]) => result)).toEqual(["Dropped", "Dropped"]);
  });
});

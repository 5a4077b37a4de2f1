import type { SQSEvent } from "aws-lambda";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { keyOf, type Row, rowOfContents, rowOfDeletion } from "../../examples/responses-to-s3/row.ts";
import { buildEvent, toUpdate } from "../../lib/events/build/build-event.ts";
import { response } from "../../lib/events/generate/golden.ts";
import type { ResponseDeleted } from "../../lib/events/index.ts";
import { type ExampleAws, startExampleAws } from "./support/aws.ts";
import { golden } from "./support/events.ts";
import { viewOf } from "./support/responses-view.ts";

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

/** What the view shows after these events came in this order: response, revision and minute. */
function shown(arrived: readonly Row[]): [number, number, number][] {
  const objects = new Map(arrived.map((row) => [keyOf(row), row]));
  return viewOf([...objects.values()]).map(({ response_id, revision, detected_at }) => [
    response_id,
    revision,
    (Date.parse(detected_at) - START) / MINUTE,
  ]);
}

describe("the view", () => {
  const again: Row[] = [event(1, 1, 0), deletion(1, 5), event(1, 2, 9)];
  it.each<[what: string, events: Row[], view: [number, number, number][]]>([
    ["an event", [event(1, 1, 0)], [[1, 1, 0]]],
    ["an update", [event(1, 1, 0), event(1, 2, 5)], [[1, 2, 5]]],
    ["a repeat made anew, on the next day", [event(1, 1, 0), event(1, 1, 2)], [[1, 1, 2]]],
    ["a repeat of what was updated since", [event(1, 1, 0), event(1, 2, 5), event(1, 1, 7)], [[1, 2, 5]]],
    ["a deletion", [event(1, 1, 0), deletion(1, 5), event(2, 1, 9)], [[2, 1, 9]]],
    ["a response that is listed again", again, [[1, 2, 9]]],
    ["one that is deleted again", [...again, deletion(1, 12)], []],
  ])("is right after %s, in whatever order and however often it comes", (_what, events, view) => {
    const arrivals = fc
      .tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.subarray(events))
      .map(([once, more]) => [...once, ...more]);
    const isRight = fc.property(arrivals, (arrived) => {
      expect(shown(arrived)).toEqual(view);
    });
    fc.assert(isRight, { numRuns: 50, seed: 1 });
  });
});

it("an object lies below its day and survey, and its name begins with the ids that an erasure asks for", () => {
  const row = event(9001, 1, 0);
  expect(keyOf(row)).toBe(`day=2026-03-10/survey=103/103-9001-20260310T235900000Z-${row.event_id}.json`);
  expect(keyOf(event(9001, 2, 2))).toMatch(/^day=2026-03-11\//);
});

describe("the function", () => {
  let aws: ExampleAws;
  let handler: typeof import("../../examples/responses-to-s3/handler.ts").handler;

  beforeAll(async () => {
    aws = await startExampleAws();
    await aws.object("responses", "begun", "");
    Object.assign(process.env, aws.env, { BUCKET: "responses" });
    ({ handler } = await import("../../examples/responses-to-s3/handler.ts"));
  }, 60_000);
  afterAll(() => aws.close());
  afterEach(() => void vi.restoreAllMocks());

  /** Works off a batch of the queue with these messages, and gives those that failed. */
  async function failed(...bodies: unknown[]): Promise<string[]> {
    const Records = bodies.map((body, index) => ({ messageId: `message-${index}`, body: JSON.stringify(body) }));
    const { batchItemFailures } = await handler({ Records } as SQSEvent);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }

  /** Rows of the objects of a survey. */
  async function rowsOf(surveyId: number): Promise<Row[]> {
    return (await aws.objects("responses", `/survey=${surveyId}/`)).map((text) => JSON.parse(text));
  }

  /** A golden event, as one of another survey. */
  function of(surveyId: number, name: string) {
    const found = golden(name);
    return { ...found, detail: { ...found.detail, data: { ...found.detail.data, surveyId } } };
  }

  it("stores events and deletions, each once, however often it comes", async () => {
    const events = [of(1, "ordinary"), of(1, "updated"), of(1, "deleted")];
    expect(await failed(...events, events[0])).toEqual([]);
    await failed(...events);
    const types = (await rowsOf(1)).map(({ event_type }) => event_type);
    expect(types.sort()).toEqual(["response.completed", "response.deleted", "response.updated"]);
  });

  it("stores a large event with the answers that its claim check points to", async () => {
    const large = of(2, "large");
    const { bucket, key } = large.detail.data.answersRef ?? { bucket: "", key: "" };
    const { answers } = golden("comment").detail.data;
    await aws.object(bucket, key, JSON.stringify(answers));
    expect(await failed(large)).toEqual([]);
    const [row] = await rowsOf(2);
    expect(row?.answers?.map(({ comment }) => comment)).toEqual(answers.map(({ comment }) => comment));
  });

  it("gives back alone what it cannot store, and logs nothing of it", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const unreadable = of(3, "comment");
    Object.assign(unreadable.detail.data.answers[0] ?? {}, { comment: "call me at home", questionId: "7" });
    const lost = of(3, "large");
    lost.detail.data.answersRef = { bucket: "responses", key: "gone.json", bytes: 1 };
    expect(await failed(unreadable, of(3, "ordinary"), lost)).toEqual(["message-0", "message-2"]);
    expect(await rowsOf(3)).toHaveLength(1);
    expect(log.mock.calls.flat()).toEqual([
      "message message-0 is not stored: ZodError",
      "message message-2 is not stored: NoSuchKey",
    ]);
  });

  it("passes over test events, and over types that it does not know", async () => {
    const unknown = { ...of(4, "ordinary"), "detail-type": "response.archived" };
    expect(await failed(of(4, "test"), unknown)).toEqual([]);
    expect(await rowsOf(4)).toEqual([]);
  });
});

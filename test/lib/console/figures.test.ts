import { expect, it } from "vitest";
import type { StatusAnswer } from "../../../lib/cli/verbs/status/answer.ts";
import { figuresOf } from "../../../lib/console/changes.ts";
import { createEvents } from "../../../lib/console/events.ts";
import type { EventEnvelope } from "../../../lib/local/aws/index.ts";

type Survey = StatusAnswer["surveys"][number];
const none = { open: 0, waiting: 0, held: 0, quarantined: 0, refused: 0 };
const books = { listed: 75, emitted: 73, beforeStart: 2, ...none, closedAt: 1_000 };
const survey = (more: Partial<Survey>): Survey =>
  ({ source: "main", surveyId: 7, books, backlog: null, unaccounted: 0, now: none, ...more }) as Survey;

it("are those of now: what waits now, and what went out since the books were closed", () => {
  const surveys = [survey({ now: { ...none, waiting: 3, open: 1 } })];
  expect(figuresOf({ surveys }, { "main/7": 48 })).toEqual({
    ...none,
    ...{ emitted: 121, beforeStart: 2, waiting: 3, open: 1, unaccounted: 0 },
  });
});

it("show a first import: by the ledger, and by its events before the first tick has ended", () => {
  const backlog = { page: 3, pages: null, part: null, left: null, emitted: 532, expected: 20_000 };
  expect(figuresOf({ surveys: [survey({ books: null, backlog })] }, { "main/7": 12 }).emitted).toBe(532);
  expect(figuresOf({ surveys: [survey({ books: null })] }, { "main/7": 12 }).emitted).toBe(12);
  expect(figuresOf({ surveys: [] }, { "main/7": 1_000 }).emitted).toBe(1_000);
  expect(figuresOf(null, {}).emitted).toBe(0);
});

function heard(responseId: number, at: number, more = {}, type = "response.completed"): [EventEnvelope, number] {
  const meta = { eventId: `e-${responseId}`, sourceName: "main", origin: "head", ...more };
  const data = { surveyId: 7, responseId, response: { completed: { at: new Date(0).toISOString() } } };
  return [{ id: "i", "detail-type": type, source: "survey-poller", detail: { meta, data } } as never, at];
}

it("count each response once, from the moment at which its survey was proved", () => {
  const events = createEvents();
  for (const one of [heard(1, 900), heard(2, 1_100), heard(2, 1_200), heard(3, 1_300, {}, "response.updated")]) {
    events.add(...one);
  }
  const status = (closed: number) =>
    ({ surveys: [survey({ books: { ...books, closedAt: closed } })] }) as Partial<StatusAnswer> as StatusAnswer;

  expect(events.emittedSince(status(800))).toEqual({ "main/7": 2 });
  expect(events.emittedSince(status(1_000))).toEqual({ "main/7": 1 });
  expect(events.emittedSince(status(1_500))).toEqual({ "main/7": 0 });
});

it("have no lag for what was read in a backlog", () => {
  const events = createEvents();
  expect(events.add(...heard(1, 5_000)).lag).toBe(5_000);
  expect(events.add(...heard(2, 2_080_673_900, { origin: "backlog" })).lag).toBeNull();
});

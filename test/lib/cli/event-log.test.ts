import { expect, it } from "vitest";
import { searchLog } from "../../../lib/cli/verbs/explain/verb.ts";

const DAY = 86_400_000;
const now = Date.UTC(2026, 2, 10, 12);
const of = { source: "main", surveyId: 7, responseId: 2, around: [] };

const text = (at: number, fields: object = {}): string =>
  JSON.stringify({
    message: "event",
    timestamp: new Date(at).toISOString(),
    ...{ source: "main", type: "response.completed", surveyId: 7, responseId: 2, eventId: "e" },
    ...{ detectedAt: at, outcome: "published", ms: { bus: 1 } },
    ...fields,
  });

it("looks at known moments first, then from the newest stretch back to the oldest", async () => {
  const asked: [number, number][] = [];
  const lines = await searchLog({ ...of, around: [now - 20 * DAY] }, now, async (begun, ended) => {
    asked.push([(now - begun) / DAY, (now - ended) / DAY]);
    const at = now - 20 * DAY;
    return begun <= at && ended > at ? { events: [{ eventId: "1", message: text(at) }] } : {};
  });

  expect(asked.map(([begun]) => Math.round(begun))).toEqual([20, 1, 3, 7, 14, 30, 90, 400]);
  // The same line of two stretches is one.
  expect(lines).toHaveLength(1);
});

it("stops after a number of pages", async () => {
  let pages = 0;
  await searchLog(of, now, async (begun) => {
    pages += 1;
    return begun < now - DAY ? { nextToken: "more" } : {};
  });

  expect(pages).toBe(60);
});

it("takes lines of this response alone, oldest first, whatever else stands in the log", async () => {
  const messages = [
    text(now),
    text(now - 1_000),
    text(now, { source: "other" }),
    text(now, { surveyId: 8 }),
    text(now, { responseId: 22 }),
    text(now, { message: "tick" }),
    "no JSON",
  ];
  const events = messages.map((message, i) => ({ eventId: `${i}`, message }));
  const lines = await searchLog(of, now, async () => ({ events }));
  expect(lines.map(({ at }) => at)).toEqual([now - 1_000, now]);
});

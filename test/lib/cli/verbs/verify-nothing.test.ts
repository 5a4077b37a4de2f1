import { expect, it } from "vitest";
import { createComparison, verdictOf, verdictText } from "../../../../lib/cli/verbs/verify/verb.ts";
import { eventId } from "../../../../lib/events/index.ts";

const HOUR = 3_600_000;
const asOf = Date.parse("2026-03-10T12:00:00Z");
const idOf = (id: number): string => eventId("main", 7, id);

/** What a list of these ids comes to, beside responses that were emitted so long after it was taken. */
function verified(has: number[], emitted: Record<number, number>, dueBy = 0) {
  const ids = new Set(has.map(idOf));
  const size = ids.size;
  const { take, compared } = createComparison(ids, { deadLetters: new Set(), asOf, dueBy });
  for (const [id, after] of Object.entries(emitted)) {
    const entry = { id: Number(id), eventId: idOf(Number(id)), emittedAt: asOf + after };
    take({ source: "main", surveyId: 7 }, entry);
  }
  return [verdictOf(compared), verdictText(compared, { ids: size, asOf })];
}

it("proves nothing where all was emitted after the list was taken, and names the time", () => {
  expect(verified([], { 1: HOUR, 2: HOUR })).toEqual([
    "unknown",
    "Not proved: nothing was compared: the list counts as taken on 2026-03-10 12:00:00 UTC, before all 2 events. Say when it was: --as-of TIME.",
  ]);
});

it("proves nothing by a list that is older than events which its consumer should have by now", () => {
  const emitted = { 1: -HOUR, 2: HOUR };
  expect(verified([1], emitted, asOf + HOUR)).toEqual([
    "unknown",
    "Not proved: the list counts as taken on 2026-03-10 12:00:00 UTC, and 1 event was emitted since. Take it again, or say when it was: --as-of TIME.",
  ]);
  // It is on its way; or it was said when the list was taken.
  expect(verified([1], emitted, asOf + HOUR - 1)[0]).toBe("complete");
  expect(verified([], emitted, asOf + HOUR)[0]).toBe("missing");
});

it("proves nothing by an empty list of nothing", () => {
  expect(verified([], {})).toEqual(["unknown", "Not proved: nothing was emitted there yet, and nothing was compared."]);
});

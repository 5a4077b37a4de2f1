import { describe, expect, it } from "vitest";
import { masked } from "../../../lib/cli/hearing/event.ts";
import { hear, patternOf, readFilter } from "../../../lib/cli/hearing/listening.ts";

describe("a filter", () => {
  it.each([
    { detail: { data: { surveyId: [103] } } },
    { "detail-type": ["response.deleted"], detail: { data: { lastEventId: [{ prefix: "a" }] } } },
  ])("%j", (filter) => {
    expect(readFilter(JSON.stringify(filter))).toEqual(filter);
  });

  it("is for events of the poller's own sources", () => {
    expect(patternOf({ "detail-type": ["books.closed"] }, ["eu", "us", "eu"])).toEqual({
      source: ["eu", "us"],
      "detail-type": ["books.closed"],
    });
  });
});

const noon = Date.UTC(2026, 2, 10, 12);

/** Hears what comes in these answers, each of which takes so many seconds. */
async function heard(answers: readonly (readonly string[])[], { seconds = 30, count = 9, lasts = 600_000 } = {}) {
  let clock = noon;
  const waits: number[] = [];
  const said: string[] = [];
  const left = [...answers];
  const stop = new AbortController();
  const receive = async (wait: number): Promise<readonly string[]> => {
    waits.push(wait);
    clock += seconds * 1_000;
    if (left.length === 1) stop.abort();
    return left.shift() ?? [];
  };
  const events: string[] = [];
  const say = (line: string): void => void said.push(line);
  const hearing = { receive, now: () => clock, say, signal: stop.signal, until: noon + lasts, count };
  for await (const event of hear(hearing)) events.push(event);
  return { events, said, waits };
}

it("says once a minute that nothing was heard, and since when it listens", async () => {
  const { events, said } = await heard([[], [], [], [], []]);
  expect(events).toEqual([]);
  expect(said).toEqual([
    "nothing heard for 1 min; listening since 12:00:00",
    "nothing heard for 2 min; listening since 12:00:00",
  ]);
});

it("says what was heard last, and when", async () => {
  const { events, said } = await heard([["a"], [], ["b"], [], [], []]);
  expect(events).toEqual(["a", "b"]);
  expect(said).toEqual(["nothing heard for 1 min; the last of 2 was heard at 12:01:30"]);
});

it("ends after its number of events, and waits no longer than it has time", async () => {
  expect((await heard([["a", "b", "c"], ["d"]], { count: 2 })).events).toEqual(["a", "b"]);
  const { waits } = await heard([[], [], [], []], { seconds: 5, lasts: 12_000 });
  expect(waits).toEqual([5, 5, 2]);
});

it("a mask shows what is empty as empty", () => {
  const event = { detail: { meta: {}, data: { response: { crk: null, country: "PL" }, metadata: null, answers: [] } } };

  expect(masked(event, "•••")).toEqual({
    detail: { meta: {}, data: { response: { crk: null, country: "•••" }, metadata: null, answers: [] } },
  });
});

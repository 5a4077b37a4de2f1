import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { type PastEnd, type Shown, shownAs } from "../../support/shown-as.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  pagesRead,
  range,
  runTick,
  SECOND,
  takes,
  worldWith,
} from "../../support/survey.ts";

const FIRST = 302;
const TICKS = 20;

const worldOf = (tell: Shown, pastEnd: PastEnd): MemoryWorld => {
  const world = worldWith(
    range(1, FIRST).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * SECOND), size: 3 })),
  );
  shownAs(world, tell, { pastEnd });
  // A list without an end would be read until the deadline.
  takes(world, 20, ({ operation }) => operation === "page");
  return world;
};

const kinds: [string, Shown][] = [
  ["their number in the list", (record, { index }) => ({ ...record, no: index + 1 })],
  ["the page that was asked for", (record, { page }) => ({ ...record, page })],
  [
    "that page, and something else in their comment each time",
    (record, { page, read }) => ({ ...record, page, comment: `read ${read}` }),
  ],
  ["that page in their comment", (record, { page }) => ({ ...record, comment: `/responses/page/${page}` })],
];

describe.each(kinds)("records that tell %s", (_name, tell) => {
  it.each<[string, PastEnd]>([
    ["ends with an empty page", "nothing"],
    ["shows its last page again behind the end", "last"],
    ["begins again behind the end", "first"],
  ])("go out once each and whole, with few reads, where the list %s", async (_end, pastEnd) => {
    const world = worldOf(tell, pastEnd);
    await runTick(world);
    expect(pagesRead(world).length).toBeLessThan(50);
    world.calls.length = 0;
    for (let tick = 1; tick <= TICKS; tick += 1) {
      world.time.now += MINUTE;
      for (const k of [1, 2, 3]) {
        arrive(world, { responseId: FIRST + 3 * (tick - 1) + k, completed: at(HOUR + tick * MINUTE), size: 3 });
      }
      await runTick(world);
    }
    expect([...deliveredIds(world)].sort((a, b) => a - b)).toEqual(range(1, FIRST + 3 * TICKS));
    expect(world.delivered.filter(({ data }) => data.answers.length !== 3)).toEqual([]);
    expect(pagesRead(world).length).toBeLessThanOrEqual(3 * TICKS);
    expect(world.mark(1).contents.apart).toBeUndefined();
  });
});

it("a list that goes round has an end where its first page comes again after each round", async () => {
  const world = worldOf((record) => record, "round");
  for (const _ of range(1, TICKS)) {
    await runTick(world);
    world.time.now += MINUTE;
  }
  expect([...deliveredIds(world)].sort((a, b) => a - b)).toEqual(range(1, FIRST));
  expect(pagesRead(world).length).toBeLessThan(100);
});

describe("a list that shows its last page again, with the page that was asked for in each record", () => {
  const one = (responseId: number, size = 3) => ({ responseId, completed: at(-HOUR + responseId * SECOND), size });

  it.each([
    ["of one response", 1],
    ["whose last page holds one response alone", 34],
  ])("%s ends there", async (_name, responses) => {
    const world = worldWith(range(1, responses).map((responseId) => one(responseId)));
    takes(world, 20, ({ operation }) => operation === "page");
    shownAs(world, (record, { page }) => ({ ...record, page }), { pastEnd: "last" });
    await runTick(world);
    expect([...deliveredIds(world)].sort((a, b) => a - b)).toEqual(range(1, responses));
    expect(pagesRead(world).length).toBeLessThan(20);
  });

  it.each([
    ["lies in one response", 1, 200],
    ["holds records that are alike but for their answers", 40, 10],
  ])("ends there where that page is full and %s", async (_name, responses, size) => {
    const world = worldWith(range(1, responses).map((responseId) => one(responseId, size)));
    takes(world, 20, ({ operation }) => operation === "page");
    shownAs(world, (record, { page, index }) => ({ ...record, questionId: 7, answer: [index], page }), {
      pastEnd: "last",
    });
    // Answers that depend on the page are other ones where the list is read backwards: that is told.
    const first = () => world.delivered.filter(({ meta }) => meta.revision === 1).map(({ data }) => data.responseId);
    for (let tick = 0; tick < 3; tick += 1) {
      await runTick(world);
      world.time.now += MINUTE;
    }
    expect(first().sort((a, b) => a - b)).toEqual(range(1, responses));
    expect(pagesRead(world).length).toBeLessThan(100);
  });

  it("ends there where the records of a response answer the same question", async () => {
    const world = worldWith(range(1, 10).map((responseId) => one(responseId)));
    takes(world, 20, ({ operation }) => operation === "page");
    shownAs(world, (record, { page }) => ({ ...record, questionId: 7, page }), { pastEnd: "last" });
    await runTick(world);
    expect([...deliveredIds(world)].sort((a, b) => a - b)).toEqual(range(1, 10));
    expect(pagesRead(world).length).toBeLessThan(20);
  });
});

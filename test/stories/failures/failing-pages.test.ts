import { expect, it } from "vitest";
import { byQuestion } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { remove, scrubsOnly as source } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  pagesRead,
  range,
  runTick,
  SECOND,
  surveyOf,
  type TickOverrides,
  takes,
  worldWith,
} from "../../support/survey.ts";

// Pages that fail for a moment in the midst of a list, at services that fail behind the end as well and at others.

const complete = (from: number, to: number, size = 2) =>
  range(from, to).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size }));

const fault = () => Object.assign(new Error("no page"), { code: "SERVER_ERROR" });

function failIf(world: MemoryWorld, which: (page: number) => boolean): void {
  world.before.push(({ operation, args }) => {
    if (operation === "page" && which(Number(args[1]))) throw fault();
  });
}

const lastPage = (world: MemoryWorld): number => Math.max(1, Math.ceil(surveyOf(world).records.length / 100));

async function ticks(world: MemoryWorld, count: number, overrides?: TickOverrides): Promise<void> {
  for (const _ of range(1, count)) {
    world.time.now += MINUTE;
    await runTick(world, overrides);
  }
}

/** Goes on until a scrub has got to this page. */
async function scrubUpTo(world: MemoryWorld, page: number, backgroundRequests = 1): Promise<void> {
  await ticks(world, 8, { source });
  world.time.now = world.mark(1).nextPass ?? 0;
  for (let i = 0; i < 2_000 && (world.mark(1).pass?.page ?? 0) < page; i += 1) {
    await ticks(world, 1, { source: { ...source, backgroundRequests } });
  }
  expect(world.mark(1).pass?.page).toBeGreaterThanOrEqual(page);
}

it("behind a short page of the list's own end none that the other order shows to go on, though that is how it ended before", async () => {
  const size = 60;
  const world = worldWith(complete(1, 5, 7));
  let out = false;
  const { service } = world.ports;
  world.ports.service = {
    surveys: () => service.surveys(),
    response: (surveyId, responseId) => service.response(surveyId, responseId),
    metrics: (surveyId, responseId) => service.metrics(surveyId, responseId),
    metadata: (surveyId, responseId) => service.metadata(surveyId, responseId),
    page: async (_surveyId, page, order) => {
      const { records } = surveyOf(world);
      const ordered = order === "asc" ? records : records.toReversed();
      const shown = structuredClone(ordered.slice((page - 1) * size, page * size));
      if (page > 1 && (out || shown.length === 0)) throw fault();
      return { kind: "page", records: shown };
    },
  };
  await ticks(world, 12);
  for (const response of complete(6, 20, 7)) arrive(world, response);
  out = true;
  await ticks(world, 1);
  expect(world.delivered.filter(({ data }) => data.answers.length < 7)).toEqual([]);
  expect(world.mark(1).books?.listed).toBe(5);
});

it("while it is found out whether records lie apart leave that to be found out again", async () => {
  const world = worldWith(complete(1, 300));
  byQuestion(world);
  let compared = 0;
  let left = 1;
  world.before.push(({ operation, args }) => {
    if (operation === "response") compared += 1;
    // Of the pass over all pages that follows the comparison with operation 9.
    const isPass = operation === "page" && compared > 0 && args[2] === "asc" && args[1] === 1;
    if (left === 0 || !isPass) return;
    left -= 1;
    throw fault();
  });
  await ticks(world, 3);
  expect(left).toBe(0);
  expect(world.delivered.filter(({ data }) => data.answers.length < 2)).toHaveLength(0);
});

it("do not make a scrub read half the list, beyond its allowance and its deadline", async () => {
  const world = worldWith(complete(1, 20_000));
  await scrubUpTo(world, 300, 20);
  const edge = world.mark(1).pass?.page ?? 0;
  failIf(world, (page) => page >= edge && page <= edge + 2);
  takes(world, 500, ({ operation }) => operation === "page");
  world.calls.length = 0;
  const began = world.time.now + MINUTE;
  await ticks(world, 1, { source: { ...source, backgroundRequests: 2 } });
  expect(world.time.now - began).toBeLessThan(45 * SECOND);
  expect(pagesRead(world).length).toBeLessThan(30);
});

it("of a busy list make few requests, and what is whole goes out", async () => {
  const world = worldWith(complete(1, 200));
  await ticks(world, 2, { source });
  for (const response of complete(201, 400)) arrive(world, response);
  let id = 400;
  world.before.push(({ operation }) => {
    if (operation !== "page") return;
    id += 1;
    for (const response of complete(id, id)) arrive(world, response);
  });
  failIf(world, (page) => page > 1);
  world.calls.length = 0;
  await ticks(world, 1, { source });
  expect(pagesRead(world).length).toBeLessThan(20);
  expect(deliveredIds(world).length).toBeGreaterThan(200);
});

it.each([
  ["its last page is gone, though the last response is not", 5, (world: MemoryWorld) => remove(world, [50, 100])],
  [
    "it holds nothing any more",
    3,
    (world: MemoryWorld) => {
      surveyOf(world).records = [];
    },
  ],
])("behind the end keep no scrub of a list from its own end where %s", async (_name, page, shorten) => {
  const world = worldWith(complete(1, 202));
  failIf(world, (number) => number > lastPage(world));
  await scrubUpTo(world, page);
  shorten(world);
  surveyOf(world).counts.responses = surveyOf(world).records.length / 2;
  await ticks(world, 60, { source });
  expect(world.mark(1).pass).toBeUndefined();
});
